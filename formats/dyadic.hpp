// Exact dyadic numbers m * 2^e with exponents far beyond what a rational could spell out: a gap of 2^30 between two
// exponents is compared, never materialised.
#pragma once
#include <compare>
#include <cstdint>

#include "formats/exact.hpp"

namespace outward {

// mantissa * 2^exponent. Normal form (what the functions below return): mantissa odd, or 0 with exponent 0.
struct Dyadic {
  Integer mantissa = 0;
  std::int64_t exponent = 0;
};

Dyadic normalised(Dyadic value);

// floor(log2 |value|). REQUIRES value != 0.
std::int64_t floor_log2(const Dyadic& value);

Dyadic negated(Dyadic value);
Dyadic multiply(const Dyadic& a, const Dyadic& b);

// Exact sum and difference. REQUIRES that the result is of bearable size: the exponents differ by at most max_gap bits
// (throws std::length_error otherwise; whoever rounds replaces the far smaller operand by a sticky bit before).
inline constexpr std::int64_t max_gap = std::int64_t{1} << 20;
Dyadic add(const Dyadic& a, const Dyadic& b);
Dyadic subtract(const Dyadic& a, const Dyadic& b);

// By sign, then exponent, then significand: any gap, no large shift.
std::strong_ordering compare(const Dyadic& a, const Dyadic& b);

// Throws std::length_error when |exponent| is over max_gap.
Rational to_rational(const Dyadic& value);

}  // namespace outward
