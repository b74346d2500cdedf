// Points and labels of a dataset: see dataset.hpp.
#include "checker/translate/dataset.hpp"

#include <algorithm>
#include <bit>

#include "checker/translate/arrays.hpp"

namespace outward_check {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw ReadError(ReadError::Class::malformed, name + ": dataset: " + what);
}

// Dimensions of 1 carry no order.
template <class Integer>
std::vector<std::uint64_t> axes_but_ones(const std::vector<Integer>& shape) {
  std::vector<std::uint64_t> rest;
  for (Integer d : shape) {
    if (d != 1) rest.push_back(static_cast<std::uint64_t>(d));
  }
  return rest;
}

// Whether the first dimension counts the points and the others are those of one. A list of numbers is one point.
bool are_points(std::vector<std::uint64_t> shape, std::uint64_t rows, const std::vector<std::int64_t>& model) {
  if (shape.empty()) return rows == 1;
  if (shape[0] != rows) return false;
  shape.erase(shape.begin());
  const std::vector<std::uint64_t> point = axes_but_ones(shape), wanted = axes_but_ones(model);
  return point.size() <= 1 || wanted.size() <= 1 || point == wanted;
}

}  // namespace

std::vector<std::uint64_t> Dataset::centre(std::uint64_t row) const {
  const auto first = bits.begin() + static_cast<std::ptrdiff_t>(row * inputs);
  return {first, first + static_cast<std::ptrdiff_t>(inputs)};
}

Dataset read_dataset(const std::string& points, const std::string& labels, const Graph& graph) {
  Dataset data;
  data.inputs = graph.nodes.at(0).size;
  const std::uint64_t outputs = graph.nodes.at(graph.output).size;
  RawArray array = read_rows(points, graph.is_binary64, data.inputs);
  const std::uint64_t rows = array.bits.size() / data.inputs;
  if (!are_points(array.shape, rows, graph.input_shape))
    refuse(points, "expected rows of the shape of the model's input, or flat ones");
  data.bits = std::move(array.bits);
  array = read_rows(labels, true, 1);
  if (axes_but_ones(array.shape).size() > 1) refuse(labels, "expected one label for each row");
  for (std::uint64_t pattern : array.bits) {
    const double label = std::bit_cast<double>(pattern);
    const bool good = label >= 0 && label < static_cast<double>(std::min<std::uint64_t>(outputs, 0xffffffff)) &&
                      static_cast<double>(static_cast<std::uint32_t>(label)) == label;
    if (!good) refuse(labels, "row " + std::to_string(data.labels.size()) + ": the label is no output of the model");
    data.labels.push_back(static_cast<std::uint32_t>(label));
  }
  if (data.rows() != rows)
    refuse(labels, "expected " + std::to_string(rows) + " labels, found " + std::to_string(data.rows()));
  return data;
}

}  // namespace outward_check
