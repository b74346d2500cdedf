// Fixed-point series at the core of the elementary functions, each with its error counted, and the constants pi, ln 2.
// Assumes: nothing. Promises: the returned interval of integers contains the scaled real value. Not rounded: callers
// do.
#pragma once
#include "formats/elementary/enclosure.hpp"

namespace outward::elementary {

// A real number in [low, low + width] * 2^-places, with low >= 0 and width >= 0. `places` travels beside it.
struct Fixed {
  Integer low, width;
};

Enclosure enclosure_of(const Fixed& value, Bits places);

// x in fixed point, x >= 0: width 0 when exact, else 1.
Fixed to_fixed(const Dyadic& x, Bits places);

// pi, ln 2 and ln 10 in fixed point; at most two units wide. The last one computed is kept per thread.
Fixed pi(Bits places);
Fixed ln2(Bits places);
Fixed ln10(Bits places);

// e^r for 0 <= r < ln 2, width(r) included. About 4 width(r) + 2^8 units wide.
Fixed exp_series(const Fixed& r, Bits places);

// atanh(t) for 0 <= t < 0.2.
Fixed atanh_series(const Fixed& t, Bits places);

// atan(z) for 0 <= z <= 1.
Fixed atan_series(const Fixed& z, Bits places);

// sin(r) and cos(r) for 0 <= r < 0.8.
struct SineCosine {
  Fixed sine, cosine;
};
SineCosine sine_cosine_series(const Fixed& r, Bits places);

// S(z) = sum over n of (2z)^n / (1 * 3 * ... * (2n+1)), z >= 0, so that erf(y) = 2/sqrt(pi) y e^(-y^2) S(y^2)
// (Abramowitz & Stegun 7.1.6).
Fixed erf_series(const Fixed& z, Bits places);

}  // namespace outward::elementary
