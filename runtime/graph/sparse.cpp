#include "runtime/graph/sparse.hpp"

namespace outward {

SparseWeights sparse_weights(const Node& node) {
  SparseWeights out;
  if (node.kind != Kind::dense) return out;
  const auto depth = static_cast<std::size_t>(node.ints[1]), columns = static_cast<std::size_t>(node.ints[2]);
  if (depth * columns < 1024) return out;
  std::size_t nonzero = 0;
  for (std::size_t i = 0; i < depth * columns; ++i) nonzero += node.payload[i] != 0;
  if (nonzero * 10 > depth * columns) return out;
  for (std::size_t j = 0; j < columns; ++j) {
    out.start.push_back(static_cast<std::uint32_t>(out.value.size()));
    for (std::size_t i = 0; i < depth; ++i) {
      const double w = node.payload[j * depth + i];
      if (w == 0) continue;
      out.column.push_back(static_cast<std::uint32_t>(i));
      out.value.push_back(w);
    }
  }
  out.start.push_back(static_cast<std::uint32_t>(out.value.size()));
  return out;
}

}  // namespace outward
