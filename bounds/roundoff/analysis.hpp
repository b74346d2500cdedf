// Forward analysis of a program: for every element of every operator the range of its exact value, how far the computed
// value may be from it, and how much of that the operator adds itself.
// Promises: valid for every execution the arithmetic covers, on every input of the box, rounded once into the format of
// the input; where overflow cannot be excluded the errors are infinite from there on and `overflow` says where.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bounds/roundoff/program.hpp"

namespace outward::roundoff {

struct Box {
  std::vector<double> lo, hi;
  bool rounded = true;  // inputs are real numbers rounded once; false: they are numbers of the format
};

struct OperatorErrors {
  Quantities out;             // ranges, and total errors
  std::vector<double> local;  // what this operator adds; 0 inside a fused sum
  std::vector<double> sum;    // inside fused sums: sum of absolute terms, S of FORMAT.md section 3
  double largest = 0, stored = 0, underflow = 0;
  bool constants_converted = false;
  Weights weights;
  double headroom_bits = infinity;  // log2 of greatest finite number / largest result; negative: overflow possible
  std::size_t subnormal = 0;        // elements that may be computed as a subnormal number
};

struct Analysis {
  std::vector<OperatorErrors> at;  // per operator
  std::string overflow;            // first operator where overflow is not excluded; empty: none
};

// exact (may be empty): ranges of exact values per operator that are known from elsewhere; empty entries: unknown.
// further (may be empty) is called after each operator, before another one reads it; it may lower the errors of `out`.
Analysis analyse(const Program& program, const Box& box, const std::vector<Quantities>& exact = {},
                 const std::function<void(std::uint32_t, Analysis&)>& further = {});

// Error box of a fused sum at its root: every term meets at most N roundings in the accumulator, one for every constant
// that is converted and one wherever a member may be stored in a narrower format. Sets `sum` of the members.
// FORMAT.md section 3 with Wilkinson's product instead of γ, and M from the computed ranges.
void fused_sum_error(const Program& program, std::uint32_t root, Analysis& analysis);

}  // namespace outward::roundoff
