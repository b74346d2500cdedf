// Interval rules of the nodes that no certificate speaks of: functions, and products and quotients of two computed
// values. Lines replace functions in a backward pass (function_lines.hpp); one that reaches a product or quotient takes
// the ends of its range.
#pragma once
#include <cstdint>
#include <string>

#include "bounds/state.hpp"

namespace outward {

inline bool is_opaque(Kind kind) { return !is_certifiable(kind); }

// lo, hi: the range of opaque node k (state.lines: the lines of a function) over the ranges of its operands: what the
// exact operator gives and, under a float claim, what every execution gives. Products and quotients are rounded once,
// or not at all where the one sum that reads them takes them in unrounded; functions that IEEE 754 does not define are
// within the ulps of the plan's policy. Unbounded where the operator is not defined on the whole operand;
// state.overflow says why nothing is known of a function whose accuracy no policy states.
void opaque_range(const Network& net, State& state, std::uint32_t k, std::vector<double>& lo, std::vector<double>& hi);

// Why no float claim about the network can be proved, however small its box: the first function whose accuracy no
// policy states; "" if there is none.
std::string unstated_accuracy(const Network& net, Semantics semantics);

}  // namespace outward
