// A dataset: points and their labels, one of each for every row (certificates/FORMAT.md section 9). Assumes nothing
// about the files. Promises as many labels as points, points in the order of the model's input, labels that are outputs
// of the model.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "checker/readers/readers.hpp"

namespace outward_check {

struct Dataset {
  std::uint64_t inputs = 0;
  std::vector<std::uint64_t> bits;    // rows times inputs bit patterns of the element type
  std::vector<std::uint32_t> labels;  // one per row
  std::uint64_t rows() const { return labels.size(); }
  std::vector<std::uint64_t> centre(std::uint64_t row) const;  // REQUIRES row < rows()
};

// points: an array whose first dimension counts the rows and whose others are those of the model's input, or one
// (flattened). labels: integers, a list or a column. Formats as for read_array, but no images. Throws ReadError.
Dataset read_dataset(const std::string& points, const std::string& labels, const Graph& graph);

}  // namespace outward_check
