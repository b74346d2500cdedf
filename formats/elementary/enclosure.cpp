// Enclosures: see the header. Everything reduces to shifts and divisions of non-negative integers with a direction.
#include "formats/elementary/enclosure.hpp"

#include <algorithm>
#include <utility>

namespace outward::elementary {
namespace {

bool is_zero(const Dyadic& x) { return x.mantissa.is_zero(); }

// magnitude * 2^exponent, or the next multiple of 2^exponent away from zero when the exact value lies further out.
Dyadic signed_value(Integer magnitude, Bits exponent, bool negative, bool more, int direction) {
  if (more && (direction > 0) != negative) ++magnitude;
  if (negative) magnitude = -magnitude;
  return {std::move(magnitude), exponent};
}

// How far apart the leading bits of two summands may be before the smaller one is replaced by a bound on it.
constexpr Bits far_apart = 8;

}  // namespace

bool is_point(const Enclosure& x) { return !x.lo_infinite && !x.hi_infinite && compare(x.lo, x.hi) == 0; }

Integer shifted_left(const Integer& value, Bits count) { return value << static_cast<unsigned>(count); }

Integer floor_shifted_right(const Integer& value, Bits count) {
  if (value.sign() >= 0) return value >> static_cast<unsigned>(count);
  const Integer magnitude = -value;
  Integer quotient = magnitude >> static_cast<unsigned>(count);
  if (boost::multiprecision::lsb(magnitude) < static_cast<std::uint64_t>(count)) ++quotient;
  return -quotient;
}

Dyadic scaled(Dyadic value, Bits power) {
  if (!is_zero(value)) value.exponent += power;
  return value;
}

Bits length(const Integer& value) {
  if (value.is_zero()) return 0;
  if (value.sign() > 0) return static_cast<Bits>(boost::multiprecision::msb(value)) + 1;
  return static_cast<Bits>(boost::multiprecision::msb(Integer(-value))) + 1;
}

Integer integer_sqrt(const Integer& n) {
  if (n.is_zero()) return 0;
  const Bits c = (length(n) - 1) / 2;
  Bits steps = 0;
  while ((c >> steps) != 0) ++steps;
  Integer a = 1;
  Bits d = 0;
  for (Bits s = steps - 1; s >= 0; --s) {
    const Bits e = d;
    d = c >> s;
    a = shifted_left(a, d - e - 1) + floor_shifted_right(n, 2 * c - e - d + 1) / a;
  }
  if (a * a > n) --a;
  return a;
}

Dyadic rounded(const Dyadic& value, Bits bits, int direction) {
  const bool negative = value.mantissa.sign() < 0;
  const Bits drop = length(value.mantissa) - bits;
  if (drop <= 0) return value;
  const Integer magnitude = negative ? Integer(-value.mantissa) : value.mantissa;
  const bool more = boost::multiprecision::lsb(magnitude) < static_cast<std::uint64_t>(drop);
  return signed_value(Integer(magnitude >> static_cast<unsigned>(drop)), value.exponent + drop, negative, more,
                      direction);
}

Dyadic add(const Dyadic& a, const Dyadic& b, Bits bits, int direction) {
  if (is_zero(a)) return rounded(b, bits, direction);
  if (is_zero(b)) return rounded(a, bits, direction);
  const Bits top_a = floor_log2(a), top_b = floor_log2(b);
  const Dyadic& large = top_a >= top_b ? a : b;
  Dyadic small = top_a >= top_b ? b : a;
  const Bits top = std::max(top_a, top_b), below = top - bits - far_apart;
  if (std::min(top_a, top_b) + 1 < below) {
    // |small| < 2^below: in the direction of the rounding it counts as that, otherwise as nothing.
    if ((small.mantissa.sign() > 0) != (direction > 0)) return rounded(large, bits, direction);
    small = {small.mantissa.sign(), below};
  }
  const Bits exponent = std::min(large.exponent, small.exponent);
  Integer sum = shifted_left(large.mantissa, large.exponent - exponent);
  sum += shifted_left(small.mantissa, small.exponent - exponent);
  if (sum.is_zero()) return {};
  return rounded(Dyadic{std::move(sum), exponent}, bits, direction);
}

Dyadic multiply(const Dyadic& a, const Dyadic& b, Bits bits, int direction) {
  if (is_zero(a) || is_zero(b)) return {};
  return rounded(Dyadic{Integer(a.mantissa * b.mantissa), a.exponent + b.exponent}, bits, direction);
}

Dyadic divide(const Dyadic& a, const Dyadic& b, Bits bits, int direction) {
  if (is_zero(a)) return {};
  const bool negative = (a.mantissa.sign() < 0) != (b.mantissa.sign() < 0);
  // The quotient has bits or bits + 1 bits; what exceeds `bits` only makes it tighter.
  const Bits shift = std::max<Bits>(0, bits + length(b.mantissa) - length(a.mantissa));
  Integer quotient, rest;
  divide_qr(shifted_left(abs(a.mantissa), shift), Integer(abs(b.mantissa)), quotient, rest);
  return rounded(
      signed_value(std::move(quotient), a.exponent - b.exponent - shift, negative, !rest.is_zero(), direction),
      bits + 1, direction);
}

Dyadic square_root(const Dyadic& a, Bits bits, int direction) {
  if (is_zero(a)) return {};
  Bits shift = std::max<Bits>(0, 2 * bits - length(a.mantissa));
  if (((a.exponent - shift) & 1) != 0) ++shift;
  const Integer radicand = shifted_left(a.mantissa, shift);
  Integer root = integer_sqrt(radicand);
  const bool more = root * root != radicand;
  return rounded(signed_value(std::move(root), (a.exponent - shift) / 2, false, more, direction), bits + 1, direction);
}

Enclosure rounded(const Enclosure& x, Bits bits) {
  return {rounded(x.lo, bits, -1), rounded(x.hi, bits, 1), x.lo_infinite, x.hi_infinite};
}

Enclosure add(const Enclosure& a, const Enclosure& b, Bits bits) {
  return {add(a.lo, b.lo, bits, -1), add(a.hi, b.hi, bits, 1)};
}

Enclosure subtract(const Enclosure& a, const Enclosure& b, Bits bits) { return add(a, negated(b), bits); }

Enclosure multiply(const Enclosure& a, const Enclosure& b, Bits bits) {
  if (a.lo.mantissa.sign() >= 0 && b.lo.mantissa.sign() >= 0)
    return {multiply(a.lo, b.lo, bits, -1), multiply(a.hi, b.hi, bits, 1)};
  Enclosure out{multiply(a.lo, b.lo, bits, -1), multiply(a.lo, b.lo, bits, 1)};
  for (const auto& [x, y] : {std::pair{&a.lo, &b.hi}, std::pair{&a.hi, &b.lo}, std::pair{&a.hi, &b.hi}})
    out = hull(out, {multiply(*x, *y, bits, -1), multiply(*x, *y, bits, 1)});
  return out;
}

Enclosure divide(const Enclosure& a, const Enclosure& b, Bits bits) {
  if (b.lo.mantissa.sign() < 0) return divide(negated(a), negated(b), bits);
  return {divide(a.lo, a.lo.mantissa.sign() < 0 ? b.lo : b.hi, bits, -1),
          divide(a.hi, a.hi.mantissa.sign() < 0 ? b.hi : b.lo, bits, 1)};
}

Enclosure square_root(const Enclosure& a, Bits bits) {
  return {square_root(a.lo, bits, -1), square_root(a.hi, bits, 1)};
}

Enclosure negated(Enclosure x) {
  return {outward::negated(std::move(x.hi)), outward::negated(std::move(x.lo)), x.hi_infinite, x.lo_infinite};
}

Enclosure scaled(Enclosure x, Bits power) {
  return {scaled(std::move(x.lo), power), scaled(std::move(x.hi), power), x.lo_infinite, x.hi_infinite};
}

Enclosure hull(const Enclosure& a, const Enclosure& b) {
  return {compare(a.lo, b.lo) <= 0 ? a.lo : b.lo, compare(a.hi, b.hi) >= 0 ? a.hi : b.hi,
          a.lo_infinite || b.lo_infinite, a.hi_infinite || b.hi_infinite};
}

bool is_tight(const Enclosure& x, Bits bits) {
  if (x.lo_infinite || x.hi_infinite) return false;
  if (x.lo.mantissa.sign() * x.hi.mantissa.sign() <= 0) return is_point(x);
  const Dyadic& near = x.lo.mantissa.sign() > 0 ? x.lo : x.hi;
  const Bits magnitude = floor_log2(near);
  if (floor_log2(x.lo) - floor_log2(x.hi) > 1 || floor_log2(x.hi) - floor_log2(x.lo) > 1) return false;
  const Dyadic width = add(x.hi, outward::negated(x.lo), 64, 1);
  if (is_zero(width) || floor_log2(width) < magnitude - bits) return true;
  return compare(width, scaled(near, -bits)) <= 0;
}

Enclosure enclose(const Rational& x, Bits bits) {
  const Dyadic n{numerator(x), 0}, d{denominator(x), 0};
  return {divide(n, d, bits, -1), divide(n, d, bits, 1)};
}

}  // namespace outward::elementary
