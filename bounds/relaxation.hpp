// Lines around the piecewise-linear functions, and the choices of max groups. FORMAT.md section 6 "backward".
#pragma once
#include <cstdint>
#include <vector>

#include "bounds/state.hpp"

namespace outward {

// Slope bytes of one node as the certificate stores them. upper only for clip; for max the K weights per output.
struct SlopeBytes {
  std::vector<std::uint8_t> lower, upper;
};

// The slope that a byte 0 … 128 stands for, linear in the byte. FORMAT.md section 6.
double slope_of_byte(const Node& node, std::uint8_t byte);
// relu, leaky, clip or abs of x, to nearest.
double function_value(const Node& node, double x);

// CROWN's adaptive choice (Zhang et al. 2018): the lower slope that minimises the area, 0 or 1 for relu.
SlopeBytes adaptive_slopes(const Network& net, const State& state, std::uint32_t k);

// The lower slope nearest to that of the upper line (parallel lines; Singh et al. 2018, DeepZ). Often better than the
// adaptive choice where many coefficients change sign on the way. max and clip nodes: as adaptive_slopes.
SlopeBytes parallel_slopes(const Network& net, const State& state, std::uint32_t k);

// The lines of one element of a relu, leaky, clip or abs node whose operand lies in [lo, hi]. upper_byte: clip only.
struct ElementLines {
  double lower_slope = 0, lower_offset = 0, upper_slope = 0, upper_offset = 0;
};
ElementLines element_lines(const Node& node, double lo, double hi, std::uint8_t lower_byte, std::uint8_t upper_byte);

// Recomputes state.lines[k] (or state.choice[k]) from the operand's current range and the bytes.
void set_lines(const Network& net, State& state, std::uint32_t k, const SlopeBytes& bytes);

// True if the function is not one linear piece on [lo, hi] (a breakpoint strictly inside).
bool is_unstable(const Node& node, double lo, double hi);

}  // namespace outward
