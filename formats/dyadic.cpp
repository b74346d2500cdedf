// Exact dyadic numbers: see the header. Every shift is bounded by max_gap or by the length of an operand.
#include "formats/dyadic.hpp"

#include <stdexcept>
#include <utility>

namespace outward {

Dyadic normalised(Dyadic value) {
  if (value.mantissa.is_zero()) return {};
  const auto zeros = boost::multiprecision::lsb(value.mantissa < 0 ? Integer(-value.mantissa) : value.mantissa);
  value.mantissa = value.mantissa < 0 ? Integer(-(-value.mantissa >> zeros)) : Integer(value.mantissa >> zeros);
  value.exponent += static_cast<std::int64_t>(zeros);
  return value;
}

std::int64_t floor_log2(const Dyadic& value) {
  const Integer magnitude = abs(value.mantissa);
  return static_cast<std::int64_t>(boost::multiprecision::msb(magnitude)) + value.exponent;
}

Dyadic negated(Dyadic value) {
  value.mantissa = -value.mantissa;
  return value;
}

Dyadic multiply(const Dyadic& a, const Dyadic& b) {
  return normalised({Integer(a.mantissa * b.mantissa), a.exponent + b.exponent});
}

Dyadic add(const Dyadic& a, const Dyadic& b) {
  if (a.mantissa.is_zero()) return normalised(b);
  if (b.mantissa.is_zero()) return normalised(a);
  const Dyadic& high = a.exponent >= b.exponent ? a : b;
  const Dyadic& low = a.exponent >= b.exponent ? b : a;
  const std::int64_t gap = high.exponent - low.exponent;
  if (gap > max_gap) throw std::length_error("the exponents of an exact sum are too far apart");
  return normalised({Integer((high.mantissa << static_cast<unsigned>(gap)) + low.mantissa), low.exponent});
}

Dyadic subtract(const Dyadic& a, const Dyadic& b) { return add(a, negated(b)); }

std::strong_ordering compare(const Dyadic& a, const Dyadic& b) {
  const int sign_a = a.mantissa.sign(), sign_b = b.mantissa.sign();
  if (sign_a != sign_b || sign_a == 0) return sign_a <=> sign_b;
  const std::int64_t high_a = floor_log2(a), high_b = floor_log2(b);
  if (high_a != high_b) return sign_a > 0 ? high_a <=> high_b : high_b <=> high_a;
  // Equal leading bits: the exponents differ by no more than the operands are long.
  const std::int64_t gap = a.exponent - b.exponent;
  Integer left = a.mantissa, right = b.mantissa;
  if (gap > 0) left <<= static_cast<unsigned>(gap);
  if (gap < 0) right <<= static_cast<unsigned>(-gap);
  return left.compare(right) <=> 0;
}

Rational to_rational(const Dyadic& value) {
  if (value.exponent > max_gap || value.exponent < -max_gap)
    throw std::length_error("the exponent is too large for a rational");
  if (value.exponent >= 0) return Rational(Integer(value.mantissa << static_cast<unsigned>(value.exponent)));
  return Rational(value.mantissa, Integer(1) << static_cast<unsigned>(-value.exponent));
}

}  // namespace outward
