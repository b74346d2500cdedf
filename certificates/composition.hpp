// Writes compositions (FORMAT.md section 9): one file that names the certificate of every row of a dataset.
// Promises canonical text and counts that follow from the rows. Assumes rows in order from 0 and UTF-8 in every path.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/graph/graph.hpp"

namespace outward {

struct ComposedRow {
  std::uint32_t label = 0;
  std::string property;      // property_digest of the row's question
  std::string claim;         // holds, violated, unknown or misclassified
  std::string path, sha256;  // of the certificate, below the composition's folder; of holds and violated only
};

// Of rows of a composition. misclassified rows count nowhere but in rows.
struct Accuracy {
  std::uint64_t rows = 0, clean = 0, attacked = 0, certified = 0;
};
Accuracy accuracy(const std::vector<ComposedRow>& rows);

std::string composition_text(const std::string& semantics, const std::string& producer, const Graph& graph,
                             const std::vector<ComposedRow>& rows);

}  // namespace outward
