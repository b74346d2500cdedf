// What linear bounds in a format have to choose, chosen once, away from the format: slopes of lines, operands of max
// groups, and which elements are bounded backwards. With one plan the bounds of every format are the same expressions,
// and so nest when the formats do. Any plan is sound; this one only makes bounds good.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/graph/graph.hpp"

namespace outward::precise {

// One linear piece of a relu, leaky, clip or abs node: slope * x + offset for from <= x <= to.
struct Piece {
  std::optional<double> from, to;
  double slope = 0, offset = 0;
};

// Whether the engine has a rule for the kind. A new kind of the graph is none until it is given one here and in
// engine.hpp.
bool is_covered(Kind kind);
bool is_piecewise_linear(Kind kind);
// REQUIRES is_piecewise_linear(node.kind); throws std::logic_error otherwise. In increasing order, each beginning where
// the one before ends.
std::vector<Piece> pieces(const Node& node);

struct Slopes {
  double lower = 0, upper = 0;
};
// Lines below and above the function on [lo, hi], by least area (Zhang et al. 2018), upper slopes to 24 bits. Where the
// function is one piece, that piece.
Slopes choose_slopes(const Node& node, double lo, double hi);

struct Plan {
  // Per node and element; empty where the node has no such choice.
  std::vector<std::vector<char>> backward;          // its range is bounded backwards as well
  std::vector<std::vector<Slopes>> slopes;          // piecewise linear nodes
  std::vector<std::vector<std::uint32_t>> operand;  // max nodes: the operand, of its K, that stands for the greatest
  std::vector<std::vector<char>> is_greatest;       // ... above as well as below; else a constant is above
};

}  // namespace outward::precise
