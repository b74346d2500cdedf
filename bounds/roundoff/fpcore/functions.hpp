// Elementary functions over spans: ranges and derivatives. Assumes nothing. Promises: the result contains the function
// (its derivative) at every point of the span; where the span leaves the domain, [-inf, inf].
#pragma once
#include "bounds/roundoff/fpcore/core.hpp"

namespace outward::fpcore {

Span function_range(Function function, Span x);
// `range`: what function_range gave.
Span function_slope(Function function, Span x, Span range);

// Whether the function is defined on the whole span; name of the domain for messages.
bool inside_domain(Function function, Span x);
const char* domain_text(Function function);

// Enclosures at a point by series in binary64, for functions used in large numbers (kernels.cpp); a few units in the
// last place wide.
Span exp_at(double x);
Span log_at(double x);  // REQUIRES x > 0
Span sin_at(double x);
Span cos_at(double x);
Span atan_at(double x);
// pi and ln 2.
inline constexpr Span pi_span{0x1.921fb54442d18p+1, 0x1.921fb54442d19p+1};
inline constexpr Span ln2_span{0x1.62e42fefa39efp-1, 0x1.62e42fefa39f0p-1};
inline constexpr Span ln10_span{0x1.26bb1bbb55515p+1, 0x1.26bb1bbb55516p+1};

// By formats/elementary, exact to the last place and slow (slow_functions.cpp).
Span slow_at(Function function, double x);

}  // namespace outward::fpcore
