// Enclosures of transcendental functions in exact arithmetic: lo <= f(x) <= hi, never more than a few units of 2^-bits
// wider than needed (relative to the value, absolute for sin and cos). Series with explicit remainders after argument
// reduction; every operation is rounded outward to a working precision. No libm, no floating point.
#pragma once
#include "checker/translate/torchlean.hpp"

namespace outward_check::torchlean {

struct Enclosure {
  Fraction lo, hi;
};
inline Enclosure point(const Fraction& x) { return {x, x}; }
Enclosure outward(const Enclosure& x, std::uint64_t bits);  // both ends dyadic, about bits long
Enclosure sum(const Enclosure& a, const Enclosure& b);
Enclosure negated(const Enclosure& a);
Enclosure product(const Enclosure& a, const Enclosure& b);
Enclosure power(const Enclosure& a, std::uint64_t n);  // n = 0 gives 1; even powers are not negative
bool has_zero(const Enclosure& a);
Enclosure reciprocal(const Enclosure& a, std::uint64_t bits);  // REQUIRES !has_zero(a)
Enclosure hull(const Enclosure& a, const Enclosure& b);
Enclosure common(const Enclosure& a, const Enclosure& b);  // REQUIRES that both enclose one value

// Of all x in an interval. Monotone functions take their ends; sin and cos the middle and the radius.
Enclosure exp(const Enclosure& x, std::uint64_t bits);  // ReadError (limit) above 2^24
Enclosure log(const Enclosure& x, std::uint64_t bits);  // REQUIRES x.lo > 0
Enclosure tanh(const Enclosure& x, std::uint64_t bits);
Enclosure sigmoid(const Enclosure& x, std::uint64_t bits);
Enclosure sqrt(const Enclosure& x, std::uint64_t bits);  // REQUIRES x.lo >= 0
Enclosure sin(const Enclosure& x, std::uint64_t bits);
Enclosure cos(const Enclosure& x, std::uint64_t bits);

}  // namespace outward_check::torchlean
