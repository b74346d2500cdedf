// See the header. A code is, from the top: sign, 5 bits of combination, w bits of exponent, t bits of digits.
#include "formats/decimal/codec.hpp"

#include <array>
#include <stdexcept>

#include "formats/decimal/internal.hpp"

namespace outward::decimal {

namespace {

struct Layout {
  int w, t;
  std::int64_t bias;
};

Layout layout_of(int width) {
  if (width == 32) return {6, 20, 101};
  if (width == 64) return {8, 50, 398};
  if (width == 128) return {12, 110, 6176};
  throw std::logic_error("there is no decimal format of this width");
}

Integer low_bits(const Integer& code, int count) { return code & ((Integer(1) << static_cast<unsigned>(count)) - 1); }
unsigned field(const Integer& code, int lsb, int count) {
  return low_bits(code >> static_cast<unsigned>(lsb), count).convert_to<unsigned>();
}

// Ten bits p q r s t u v w x y as three digits: table 3.3 of the standard.
unsigned digits_of_declet(unsigned d) {
  const unsigned pqr = d >> 7 & 7, stu = d >> 4 & 7, v = d >> 3 & 1, wx = d >> 1 & 3, y = d & 1;
  const unsigned r = pqr & 1, pq = pqr >> 1, u = stu & 1, st = stu >> 1, wxy = d & 7;
  if (v == 0) return 100 * pqr + 10 * stu + wxy;
  switch (wx) {
    case 0:
      return 100 * pqr + 10 * stu + 8 + y;
    case 1:
      return 100 * pqr + 10 * (8 + u) + (st << 1 | y);
    case 2:
      return 100 * (8 + r) + 10 * stu + (pq << 1 | y);
    default:
      break;
  }
  switch (st) {
    case 0:
      return 100 * (8 + r) + 10 * (8 + u) + (pq << 1 | y);
    case 1:
      return 100 * (8 + r) + 10 * (pq << 1 | u) + 8 + y;
    case 2:
      return 100 * pqr + 10 * (8 + u) + 8 + y;
    default:
      return 100 * (8 + r) + 10 * (8 + u) + 8 + y;
  }
}

// The canonical declet of 0..999: the least of those that decode to it.
unsigned declet_of(unsigned value) {
  static const auto table = [] {
    std::array<std::uint16_t, 1000> canonical{};
    for (unsigned code = 1024; code-- > 0;) canonical[digits_of_declet(code)] = static_cast<std::uint16_t>(code);
    return canonical;
  }();
  return table[value];
}

Integer digits_of_trailing(const Integer& trailing, int t) {
  Integer value = 0;
  for (int lsb = t - 10; lsb >= 0; lsb -= 10) value = value * 1000 + digits_of_declet(field(trailing, lsb, 10));
  return value;
}

Integer trailing_of_digits(Integer value, int t) {
  Integer trailing = 0;
  for (int lsb = 0; lsb < t; lsb += 10) {
    trailing |= Integer(declet_of(Integer(value % 1000).convert_to<unsigned>())) << static_cast<unsigned>(lsb);
    value /= 1000;
  }
  return trailing;
}

}  // namespace

const Context& context_of(int width) {
  layout_of(width);
  return width == 32 ? decimal32 : width == 64 ? decimal64 : decimal128;
}

Number decode(const Integer& code, int width, Encoding encoding) {
  const auto [w, t, bias] = layout_of(width);
  const Context& context = context_of(width);
  Number x;
  x.negative = boost::multiprecision::bit_test(code, static_cast<unsigned>(width - 1));
  const unsigned combination = field(code, w + t, 5);
  Integer trailing = low_bits(code, t);
  if (combination >= 30) {
    if (combination == 30) {
      x.kind = Kind::infinite;
      return x;
    }
    x.kind = field(code, w + t - 1, 1) ? Kind::signaling_nan : Kind::quiet_nan;
    x.coefficient = encoding == Encoding::dpd ? digits_of_trailing(trailing, t) : trailing;
    if (x.coefficient >= power_of_ten(context.precision - 1)) x.coefficient = 0;
    return x;
  }
  const bool large = combination >= 24;
  if (encoding == Encoding::dpd) {
    const unsigned first = large ? 8 + (combination & 1) : combination & 7;
    const unsigned high = large ? combination >> 1 & 3 : combination >> 3;
    x.coefficient = Integer(first) * power_of_ten(context.precision - 1) + digits_of_trailing(trailing, t);
    x.exponent = static_cast<std::int64_t>(high << w | field(code, t, w)) - bias;
    return x;
  }
  const int coefficient_bits = large ? t + 1 : t + 3;
  x.exponent = static_cast<std::int64_t>(field(code, coefficient_bits, w + 2)) - bias;
  x.coefficient = low_bits(code, coefficient_bits);
  if (large) x.coefficient |= Integer(4) << static_cast<unsigned>(t + 1);
  if (x.coefficient >= power_of_ten(context.precision)) x.coefficient = 0;
  return x;
}

Integer encode(const Number& x, int width, Encoding encoding) {
  const auto [w, t, bias] = layout_of(width);
  const Context& context = context_of(width);
  const Integer sign = Integer(x.negative ? 1 : 0) << static_cast<unsigned>(width - 1);
  const auto at = [](std::uint64_t value, int lsb) { return Integer(Integer(value) << static_cast<unsigned>(lsb)); };
  if (x.is_infinite()) return sign | at(30, w + t);
  if (x.is_nan()) {
    if (x.coefficient >= power_of_ten(context.precision - 1)) throw std::logic_error("a NaN payload is too long");
    const unsigned signaling = x.kind == Kind::signaling_nan ? 1 : 0;
    return sign | at(62 | signaling, w + t - 1) |
           (encoding == Encoding::dpd ? trailing_of_digits(x.coefficient, t) : x.coefficient);
  }
  const std::int64_t biased = x.exponent + bias;
  if (x.coefficient >= power_of_ten(context.precision) || biased < 0 || x.exponent > context.top_exponent())
    throw std::logic_error("not a number of this decimal format");
  const auto exponent = static_cast<std::uint64_t>(biased);
  if (encoding == Encoding::bid) {
    if (x.coefficient < Integer(1) << static_cast<unsigned>(t + 3)) return sign | at(exponent, t + 3) | x.coefficient;
    return sign | at(3, width - 3) | at(exponent, t + 1) | low_bits(x.coefficient, t + 1);
  }
  Integer first, rest;
  boost::multiprecision::divide_qr(x.coefficient, power_of_ten(context.precision - 1), first, rest);
  const auto digit = first.convert_to<std::uint64_t>();
  const std::uint64_t high = exponent >> w, low = exponent & ((std::uint64_t{1} << w) - 1);
  const std::uint64_t combination = digit >= 8 ? 24 | high << 1 | (digit & 1) : high << 3 | digit;
  return sign | at(combination, w + t) | at(low, t) | trailing_of_digits(rest, t);
}

}  // namespace outward::decimal
