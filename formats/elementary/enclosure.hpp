// Enclosures: two exact dyadic ends around a real number, and arithmetic on them rounded outward to a number of bits.
// Assumes: ends of at most some ten thousand bits; exponents anywhere in 62 bits. Promises: every result contains the
// exact result for every pair of points of the operands; a gap between exponents is never spelt out.
#pragma once
#include <cstdint>

#include "formats/dyadic.hpp"

namespace outward::elementary {

// A number of significant bits, or of bits behind the binary point.
using Bits = std::int64_t;

// All reals between lo and hi, both included; an infinite end is none (its dyadic is meaningless then).
struct Enclosure {
  Dyadic lo, hi;
  bool lo_infinite = false, hi_infinite = false;
};

inline const Dyadic one{1, 0};

inline Enclosure point(Dyadic x) { return {x, x}; }
bool is_point(const Enclosure& x);

Integer shifted_left(const Integer& value, Bits count);  // value * 2^count. REQUIRES count >= 0.
Integer floor_shifted_right(const Integer& value,
                            Bits count);  // floor(value / 2^count), any sign. REQUIRES count >= 0.
Dyadic scaled(Dyadic value, Bits power);  // value * 2^power, exact.
Bits length(const Integer& value);        // bits of |value|; 0 for 0.

// floor(sqrt(n)). REQUIRES n >= 0. The loop and its proof are those of CPython's math.isqrt (M. Dickinson, 2020).
Integer integer_sqrt(const Integer& n);

// The nearest dyadic of at most `bits` bits in that direction (direction < 0 is down, > 0 up). REQUIRES bits >= 1.
Dyadic rounded(const Dyadic& value, Bits bits, int direction);

// a + b, a * b, a / b and sqrt(a), moved in that direction to at most `bits` bits: never on the wrong side of the exact
// result, at most 1 + 2^-7 units of the last of `bits` places away from it. REQUIRES b != 0, a >= 0 for sqrt.
Dyadic add(const Dyadic& a, const Dyadic& b, Bits bits, int direction);
Dyadic multiply(const Dyadic& a, const Dyadic& b, Bits bits, int direction);
Dyadic divide(const Dyadic& a, const Dyadic& b, Bits bits, int direction);
Dyadic square_root(const Dyadic& a, Bits bits, int direction);

// The same on enclosures with finite ends, outward. divide REQUIRES that b does not contain 0.
Enclosure rounded(const Enclosure& x, Bits bits);
Enclosure add(const Enclosure& a, const Enclosure& b, Bits bits);
Enclosure subtract(const Enclosure& a, const Enclosure& b, Bits bits);
Enclosure multiply(const Enclosure& a, const Enclosure& b, Bits bits);
Enclosure divide(const Enclosure& a, const Enclosure& b, Bits bits);
Enclosure square_root(const Enclosure& a, Bits bits);
Enclosure negated(Enclosure x);
Enclosure scaled(Enclosure x, Bits power);
Enclosure hull(const Enclosure& a, const Enclosure& b);

// Both ends are of one sign, not 0, and hi - lo <= 2^-bits * min(|lo|, |hi|); or the enclosure is a point.
bool is_tight(const Enclosure& x, Bits bits);

// The tightest enclosure with ends of `bits` bits.
Enclosure enclose(const Rational& x, Bits bits);

}  // namespace outward::elementary
