// Interval rules (IBP): the range of a stored node from the current ranges of its operands, with S, P and the error box
// δ of its sum group on the way. Outward: the result encloses every exact and (under a float claim) every covered float
// execution.
#pragma once
#include <cstdint>

#include "bounds/state.hpp"

namespace outward {

// Sets state.range[0]. lo, hi as FORMAT.md section 4 "Input range", already outward in binary64.
void set_input_range(const Network& net, State& state, Range input);

// FORMAT.md section 6 "interval" for stored node k, intersected with the range known so far. Also refreshes S, P, δ of
// the group. REQUIRES ranges of all leaves. A violated overflow condition is noted in state.overflow (first one wins),
// never an error.
void interval_step(const Network& net, State& state, std::uint32_t k);

// Term (i) and its kin for the kinds of sum groups: passing |ν| back through node k costs at most this times Σ
// |ν_i|·S_i.
double backward_roundings(const Network& net, std::uint32_t k);

}  // namespace outward
