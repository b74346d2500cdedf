// Activations of neural networks from the functions of the other files: see kernels.hpp. Nothing cancels where a value
// is small, so relative widths stay those of the parts.
#include <algorithm>

#include "formats/elementary/kernels.hpp"
#include "formats/elementary/series.hpp"

namespace outward::elementary {
namespace {

const Dyadic two{1, 1};

// 2 sqrt(2/pi) (x + 0.044715 x^3) and its derivative 2 sqrt(2/pi) (1 + 0.134145 x^2), constants exact: sigmoid of the
// first is (1 + tanh of its half)/2.
Enclosure root_constant(Bits w) { return square_root(divide(point(integer(8)), enclosure_of(pi(w + 4), w + 4), w), w); }
Enclosure cubic(const Dyadic& x, Bits w) {
  const Enclosure square = multiply(point(x), point(x), w);
  const Enclosure factor = add(point(one), multiply(square, enclose(Rational(44715, 1000000), w), w), w);
  return multiply(multiply(point(x), root_constant(w), w), factor, w);
}
Enclosure cubic_slope(const Dyadic& x, Bits w) {
  const Enclosure square = multiply(point(x), point(x), w);
  return multiply(root_constant(w), add(point(one), multiply(square, enclose(Rational(134145, 1000000), w), w), w), w);
}

// The bits of the whole part of an argument of e^x, up to what is out of range: the argument needs them in addition.
Bits whole_bits(const Dyadic& x, Bits power) {
  if (x.mantissa.is_zero() || floor_log2(x) <= 0) return 0;
  const Bits bits = power * (floor_log2(x) + 1) + 2;
  return bits < out_of_range ? bits : out_of_range;
}

Enclosure clamp_to_unit(const Enclosure& x) {
  const auto end = [](const Dyadic& value) {
    return value.mantissa.sign() <= 0 ? Dyadic{} : compare(value, one) > 0 ? one : value;
  };
  return {end(x.lo), end(x.hi)};
}

// ONNX Selu: float32 constants, written exactly.
const Dyadic selu_alpha{14036349, -23};  // 1.67326319217681884765625
const Dyadic selu_gamma{8813919, -23};   // 1.05070102214813232421875

}  // namespace

Enclosure gelu(const Dyadic& x, Bits w) { return multiply(point(x), normal_cdf(x, w + 4), w + 4); }

Enclosure gelu_tanh(const Dyadic& x, Bits w) {
  const Enclosure gate = sigmoid(cubic(x, w + 8 + whole_bits(x, 3)), w + 4);
  return multiply(point(x), gate, w + 4);
}

Enclosure silu(const Dyadic& x, Bits w) { return multiply(point(x), sigmoid(x, w + 4), w + 4); }

// log1p(e^x) for x < 0; x + log1p(e^-x) otherwise.
Enclosure softplus(const Dyadic& x, Bits w) {
  const bool positive = x.mantissa.sign() > 0;
  const Enclosure tail = log1p(exp(positive ? outward::negated(x) : x, w + 6), w + 6);
  return positive ? add(point(x), tail, w + 4) : tail;
}

// tanh(log(1 + E)) = n/(n + 2), n = E (E + 2), E = e^x, for x < 0; 1 - 2q^2/(1 + 2q + 2q^2), q = e^-x, otherwise:
// never above 1.
// |x| < 2^-w-4: t increases from 3/5 at 0 with a slope of at most 1, so x t lies between 3x/5 and 3x/5 (1 + 2^-w), or
// (1 - 2^-w) for x < 0; 3x/5 is kept exact where it is dyadic.
Enclosure mish(const Dyadic& x, Bits w) {
  const Bits bits = w + 8;
  if (x.mantissa.is_zero()) return point({});
  if (floor_log2(x) < -w - 4) {
    const Bits enough = std::max(bits, length(x.mantissa) + 4);
    const Enclosure start = divide(point({x.mantissa * 3, x.exponent}), point(integer(5)), enough);
    if (x.mantissa.sign() > 0) return {start.lo, slightly_more(start.hi, w).hi};
    return {start.lo, slightly_less(start.hi, w).hi};
  }
  if (x.mantissa.sign() < 0) {
    const Enclosure e = exp(x, bits);
    const Enclosure n = multiply(e, add(e, point(two), bits), bits);
    return multiply(point(x), divide(n, add(n, point(two), bits), bits), bits);
  }
  const Enclosure q = exp(outward::negated(x), bits);
  const Enclosure twice_square = scaled(multiply(q, q, bits), 1);
  const Enclosure whole = add(add(point(one), scaled(q, 1), bits), twice_square, bits);
  return multiply(point(x), subtract(point(one), divide(twice_square, whole, bits), bits), bits);
}

Enclosure elu(const Dyadic& x, Bits w) { return x.mantissa.sign() >= 0 ? point(x) : expm1(x, w); }

Enclosure selu(const Dyadic& x, Bits w) {
  if (x.mantissa.sign() >= 0) return point(outward::multiply(x, selu_gamma));
  return multiply(expm1(x, w + 4), point(outward::multiply(selu_gamma, selu_alpha)), w + 4);
}

Enclosure softsign(const Dyadic& x, Bits w) {
  const Enclosure magnitude = point({abs(x.mantissa), x.exponent});
  return divide(point(x), add(point(one), magnitude, w + 4), w + 4);
}

Enclosure hard_sigmoid(const Dyadic& x, Bits w) {
  const Enclosure fifth = divide(point(x), point(integer(5)), w + 4);
  return clamp_to_unit(add(fifth, point({1, -1}), w + 4));
}

Enclosure hard_swish(const Dyadic& x, Bits w) {
  if (compare(x, integer(3)) >= 0) return point(x);
  if (compare(x, integer(-3)) <= 0) return point({});
  // x (x + 3)/6, exact up to the division.
  const Enclosure product = multiply(point(x), add(point(x), point(integer(3)), w + 8), w + 8);
  return divide(product, point(integer(6)), w + 4);
}

// gelu' = Phi(x) + x phi(x). gelu'' = phi (2 - x^2): gelu' falls from 0 at -infinity to -sqrt 2, rises to sqrt 2, then
// falls to 1: it has exactly one zero.
Enclosure gelu_slope(const Dyadic& x, Bits w) {
  return add(normal_cdf(x, w), multiply(point(x), normal_density(x, w), w), w);
}

// silu' = sigmoid(x) (1 + x sigmoid(-x)). For x < 0 the second factor has derivative sigmoid(-x) (1 - x sigmoid(x)) >
// 0, and it is positive for x >= 0: one zero.
Enclosure silu_slope(const Dyadic& x, Bits w) {
  return add(point(one), multiply(point(x), sigmoid(outward::negated(x), w), w), w);
}

// With g the cubic: gelu_tanh' = sigmoid(g) (1 + x g' sigmoid(-g)). For x = -y < 0 the second factor is 1 - y g'(y)
// sigmoid(g(y)), a product of increasing functions of y from 0 to infinity subtracted from 1: one zero.
Enclosure gelu_tanh_slope(const Dyadic& x, Bits w) {
  const Enclosure gate = sigmoid(negated(cubic(x, w)), w);
  return add(point(one), multiply(multiply(point(x), cubic_slope(x, w), w), gate, w), w);
}

// With t = n/(n + 2): mish' = t + x t' has the sign of H = (E + 2)(E^2 + 2E + 2) + 4x (E + 1), after division by E > 0.
// H' = E (3E^2 + 8E + 10 + 4x) + 4 > 0: for x >= -5/2 every term is positive, below 4|x| e^x <= 10 e^(-5/2) < 1. One
// zero.
Enclosure mish_slope(const Dyadic& x, Bits w) {
  const Enclosure e = exp(x, w);
  const Enclosure n = multiply(e, add(e, point(two), w), w);
  const Enclosure first = multiply(add(e, point(two), w), add(n, point(two), w), w);
  return add(first, multiply(point(scaled(x, 2)), add(e, point(one), w), w), w);
}

}  // namespace outward::elementary
