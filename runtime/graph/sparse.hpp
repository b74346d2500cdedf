// The nonzero weights of a dense node, row by row: selection and addition layers are almost empty.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/graph/graph.hpp"

namespace outward {

struct SparseWeights {
  std::vector<std::uint32_t> start, column;  // output j: entries start[j] … start[j+1] − 1
  std::vector<double> value;
  bool used() const { return !start.empty(); }
};

// Empty unless the node is dense, its matrix large and at most one weight in ten nonzero: about where loops over the
// nonzero ones are faster than dense products.
SparseWeights sparse_weights(const Node& node);

}  // namespace outward
