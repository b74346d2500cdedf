// Points and labels of a dataset, see dataset.hpp.
#include "importers/arrays/dataset.hpp"

#include <bit>
#include <limits>

#include "importers/arrays/raw.hpp"

namespace outward {
namespace {

// Dimensions of 1 carry no order.
template <class Iterator>
std::vector<std::uint64_t> without_ones(Iterator first, Iterator last) {
  std::vector<std::uint64_t> rest;
  for (; first != last; ++first)
    if (*first != 1) rest.push_back(static_cast<std::uint64_t>(*first));
  return rest;
}

void check_points(const arrays::RawArray& array, std::uint64_t rows, const Graph& graph, const std::string& name) {
  const std::vector<std::uint64_t>& shape = array.shape;
  bool fits = shape.empty() && rows == 1;  // a list of numbers is one point
  if (!shape.empty() && shape[0] == rows) {
    const auto point = without_ones(shape.begin() + 1, shape.end());
    const auto want = without_ones(graph.input_shape.begin(), graph.input_shape.end());
    fits = point.size() <= 1 || want.size() <= 1 || point == want;
  }
  if (fits) return;
  std::vector<std::uint64_t> want = {rows};
  for (std::int64_t d : graph.input_shape)
    if (d != 1) want.push_back(static_cast<std::uint64_t>(d));
  arrays::refuse(name, "wrong-shape", "the array does not hold one point of the model's input in each row",
                 arrays::shape_text(want) + " (or flat rows)", arrays::shape_text(shape));
}

std::uint32_t label_of(std::uint64_t bits, std::uint64_t outputs, const std::string& name, std::uint64_t row) {
  const double label = std::bit_cast<double>(bits);
  const std::uint64_t most = std::min<std::uint64_t>(outputs, std::numeric_limits<std::uint32_t>::max());
  if (label >= 0 && label < static_cast<double>(most)) {
    const std::uint32_t integer = static_cast<std::uint32_t>(label);
    if (static_cast<double>(integer) == label) return integer;
  }
  arrays::refuse(name + ": row " + std::to_string(row), "bad-label", "the label is no output of the model",
                 "an integer from 0 to " + std::to_string(outputs - 1), std::to_string(label));
}

}  // namespace

std::vector<std::uint64_t> Dataset::centre(std::uint64_t row) const {
  const auto first = bits.begin() + static_cast<std::ptrdiff_t>(row * inputs);
  return {first, first + static_cast<std::ptrdiff_t>(inputs)};
}

Dataset read_dataset(const std::string& points, const std::string& labels, const Graph& graph) {
  Dataset data;
  data.inputs = graph.nodes.front().size;
  ArrayRequest request;
  request.element = graph.element;
  request.count = data.inputs;
  arrays::RawArray array = arrays::read_rows(points, request);
  const std::uint64_t rows = array.bits.size() / data.inputs;
  check_points(array, rows, graph, points);
  data.bits = std::move(array.bits);
  request.element = ElementType::binary64;
  request.count = 1;
  array = arrays::read_rows(labels, request);
  if (without_ones(array.shape.begin(), array.shape.end()).size() > 1)
    arrays::refuse(labels, "wrong-shape", "the labels are no list", "one integer for each row",
                   arrays::shape_text(array.shape), "of one-hot labels take the greatest of each row");
  const std::uint64_t outputs = graph.nodes.at(graph.output).size;
  for (std::uint64_t bits : array.bits) data.labels.push_back(label_of(bits, outputs, labels, data.labels.size()));
  if (data.rows() != rows)
    arrays::refuse(labels, "wrong-count", "there are not as many labels as points", std::to_string(rows),
                   std::to_string(data.rows()));
  return data;
}

}  // namespace outward
