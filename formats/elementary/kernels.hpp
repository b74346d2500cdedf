// Elementary functions at a point, to about `w` bits: the building blocks of functions.hpp, which checks the width and
// asks for more bits when cancellation has eaten some. Assumes: points within the domain named at each function.
// Promises: the enclosure contains the value; its ends have about w bits.
//
// Very small and very large arguments have a lemma of their own at each function (an inequality that holds for the
// whole range and is as narrow as w bits can tell), so that no exponent is ever spelt out.
#pragma once
#include <array>

#include "formats/elementary/enclosure.hpp"

namespace outward::elementary {

// Above 2^out_of_range in magnitude the argument of e^x makes a result that no format holds.
inline constexpr Bits out_of_range = 40;
// sin and cos refuse (throw ResourceError) arguments from 2^longest_angle on: they need as many bits of pi.
inline constexpr Bits longest_angle = Bits{1} << 17;

// ---- exponential.cpp
Enclosure exp(const Dyadic& x, Bits w);  // hi_infinite from x = 2^out_of_range on; lo may be 0 below its negative
Enclosure expm1(const Dyadic& x, Bits w);
Enclosure exp2(const Dyadic& x, Bits w);
Enclosure exp10(const Dyadic& x, Bits w);
Enclosure sinh(const Dyadic& x, Bits w);
Enclosure cosh(const Dyadic& x, Bits w);
Enclosure tanh(const Dyadic& x, Bits w);
Enclosure sigmoid(const Dyadic& x, Bits w);  // 1/(1 + e^-x)
Enclosure exp(const Enclosure& x, Bits w);   // x finite
Enclosure expm1(const Enclosure& x, Bits w);
Enclosure sigmoid(const Enclosure& x, Bits w);

// ---- logarithm.cpp
Enclosure log(const Dyadic& x, Bits w);    // x > 0
Enclosure log1p(const Dyadic& x, Bits w);  // x > -1
Enclosure log2(const Dyadic& x, Bits w);   // x > 0
Enclosure log10(const Dyadic& x, Bits w);  // x > 0
Enclosure asinh(const Dyadic& x, Bits w);
Enclosure acosh(const Dyadic& x, Bits w);  // x >= 1
Enclosure atanh(const Dyadic& x, Bits w);  // |x| < 1
Enclosure log1p(const Enclosure& x, Bits w);

// ---- trigonometric.cpp
Enclosure sin(const Dyadic& x, Bits w);
Enclosure cos(const Dyadic& x, Bits w);
Enclosure tan(const Dyadic& x, Bits w);
Enclosure atan(const Dyadic& x, Bits w);
Enclosure asin(const Dyadic& x, Bits w);  // |x| <= 1
Enclosure acos(const Dyadic& x, Bits w);  // |x| <= 1
Enclosure half_pi(Bits w);

// ---- error_function.cpp
Enclosure erf(const Dyadic& x, Bits w);
Enclosure erfc(const Dyadic& x, Bits w);
Enclosure normal_cdf(const Dyadic& x, Bits w);  // (1 + erf(x/sqrt 2))/2
Enclosure normal_density(const Dyadic& x, Bits w);

// ---- activations.cpp
Enclosure gelu(const Dyadic& x, Bits w);          // x normal_cdf(x)
Enclosure gelu_tanh(const Dyadic& x, Bits w);     // x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
Enclosure silu(const Dyadic& x, Bits w);          // x sigmoid(x)
Enclosure softplus(const Dyadic& x, Bits w);      // log(1 + e^x)
Enclosure mish(const Dyadic& x, Bits w);          // x tanh(softplus(x))
Enclosure elu(const Dyadic& x, Bits w);           // x, or e^x - 1 for x < 0
Enclosure selu(const Dyadic& x, Bits w);          // gamma x, or gamma alpha (e^x - 1) for x < 0, constants of ONNX
Enclosure softsign(const Dyadic& x, Bits w);      // x/(1 + |x|)
Enclosure hard_sigmoid(const Dyadic& x, Bits w);  // max(0, min(1, x/5 + 1/2)), constants of ONNX
Enclosure hard_swish(const Dyadic& x, Bits w);    // x max(0, min(1, x/6 + 1/2))

// A number of the sign of the derivative at x (it may be another positive multiple), for the functions with one
// minimum.
Enclosure gelu_slope(const Dyadic& x, Bits w);
Enclosure gelu_tanh_slope(const Dyadic& x, Bits w);
Enclosure silu_slope(const Dyadic& x, Bits w);
Enclosure mish_slope(const Dyadic& x, Bits w);

// x * [1 - 2^-k, 1] and x * [1, 1 + 2^-k], for lemmas about small arguments. REQUIRES 0 < k.
Enclosure slightly_less(const Dyadic& x, Bits k);
Enclosure slightly_more(const Dyadic& x, Bits k);
inline Dyadic integer(std::int64_t n) { return {n, 0}; }

}  // namespace outward::elementary
