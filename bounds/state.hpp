// Everything known about one scope (an input box and what was derived inside it): ranges of stored nodes, absolute sums
// and error boxes of sum groups, and the lines of piecewise-linear nodes. FORMAT.md sections 3 and 6.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bounds/network.hpp"
#include "bounds/semantics.hpp"

namespace outward {

// One enclosing interval per element; valid for every execution in scope, exact and float. lo > hi never occurs at the
// root.
struct Range {
  std::vector<double> lo, hi;
};

// f(x) >= lower_slope·x + lower_offset and f(x) <= upper_slope·x + upper_offset on the element's range.
// Slopes are exact dyadics, offsets rounded outward. For unbounded elements the offsets are infinite.
struct Lines {
  std::vector<double> lower_slope, lower_offset, upper_slope, upper_offset;
};

// How one max group passes a coefficient: to the chosen operand (index within the group), or the constant for the upper
// side.
struct MaxChoice {
  std::vector<std::uint32_t> chosen;  // greatest lower end
  std::vector<char> dominating;       // chosen is >= all others everywhere in scope: it is the maximum
  std::vector<double> upper;          // greatest upper end
};

struct State {
  explicit State(const Network& net, Semantics semantics);
  // As new, with the memory at hand: every range but those of constants is unknown again, no node has lines.
  void forget(const Network& net);

  std::vector<Range> range;                // per node; const: its value from the start; inner nodes: empty
  std::vector<std::vector<double>> sum;    // per linear node: S of FORMAT.md section 3, rounded up
  std::vector<std::vector<double>> delta;  // per root and leaky node: error box, rounded up; empty when all zero
  std::vector<double> magnitude;           // per node: P of FORMAT.md section 3, rounded up
  // What one unit of |coefficient| at an element of this node costs in a backward pass: the prover's own rounding while
  // the coefficient passes through the node (rounding.hpp) plus δ; for a shift or negation also what its operand in the
  // same group costs, whose own is empty then. Empty: nothing. Set together with S and δ.
  std::vector<std::vector<double>> cost;
  std::vector<Lines> lines;       // per piecewise-linear node
  std::vector<MaxChoice> choice;  // per max node
  FloatModel model;               // capsule: the widest of all nodes
  Semantics semantics;
  std::string overflow;  // under a float claim: why overflow could not be excluded; empty if it was
};

}  // namespace outward
