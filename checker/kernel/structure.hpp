// What FORMAT.md section 3 derives from a graph alone: stored nodes, sum groups, the counts T and
// Q, and the geometry of contractions. Assumes a graph with the invariants of section 1.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "checker/kernel/graph.hpp"

namespace outward_check {

// A dense or conv node as `count` small matrix products that share weights: a site reads `inputs`
// elements of the operand (some may be padding) and writes `outputs` elements, one per weight row.
// dense is the convolution of R images of one pixel with K channels.
struct Sites {
  std::uint64_t count = 0, inputs = 0, outputs = 0, weights = 0;
  bool has_bias = false;  // the bias follows the weights in the payload
  const std::uint64_t* nonzero = nullptr;  // few weights are not 0: which, then `weights`
  std::array<std::int64_t, 19> ints = {};
};
struct Site {
  std::uint64_t first_output = 0, output_stride = 0;  // outputs are first, first + stride, ...
  std::uint64_t first_row = 0;                        // the weight row and bias of the first output
};
std::array<std::int64_t, 19> conv_ints(const Node& node);  // FORMAT.md's, of dense and conv nodes
Site site(const Sites& sites, std::uint64_t s);
// index: one entry per input, in the order of the weights; -1 for padding.
void site_inputs(const Sites& sites, std::uint64_t s, std::int64_t* index);

inline bool is_linear(Kind k) { return k >= Kind::constant && k <= Kind::neg; }
inline bool is_contraction(Kind k) { return k >= Kind::dense && k <= Kind::reduce; }
inline bool is_unary_piecewise(Kind k) { return k >= Kind::relu && k <= Kind::abs; }

struct Structure {
  explicit Structure(const Graph& g);
  const Graph& graph;
  std::vector<std::uint8_t> stored, inside;  // inside: the edge to the reader is inside a group
  std::vector<std::vector<std::uint32_t>> members;  // per root: its group in increasing order
  std::vector<std::vector<std::uint32_t>> leaves;   // per root: the stored leaves of its group
  std::vector<std::uint64_t> terms, products;       // T and Q of every linear node
  std::vector<Sites> sites;                         // of dense and conv nodes
  std::vector<std::vector<double>> movable;         // per contraction: the factors that f counts
  std::vector<std::vector<std::uint64_t>> offsets;  // map: where each operand starts in z; end
  std::vector<std::vector<std::uint64_t>> nonzero;  // per dense node: see Sites
  std::uint64_t multiplications = 0;                // of one execution
  bool is_root(std::uint32_t k) const { return stored[k] && is_linear(graph.nodes[k].kind); }
};

}  // namespace outward_check
