// What the families of number formats share: see the header.
#include "formats/families.hpp"

#include <charconv>

#include "formats/decimal/decimal.hpp"
#include "formats/error.hpp"
#include "formats/exact_number.hpp"
#include "formats/text.hpp"

namespace outward {

namespace {

Rational scaled(const Rational& factor, std::int64_t exponent) {
  if (exponent >= 0) return factor * Rational(Integer(1) << static_cast<unsigned>(exponent));
  return factor / Rational(Integer(1) << static_cast<unsigned>(-exponent));
}

}  // namespace

std::int64_t floor_log2(const Rational& value) {
  const Integer above = abs(Integer(numerator(value))), below = denominator(value);
  const auto estimate = static_cast<std::int64_t>(boost::multiprecision::msb(above)) -
                        static_cast<std::int64_t>(boost::multiprecision::msb(below));
  // 2^(estimate-1) < |value| < 2^(estimate+1)
  const bool less = estimate >= 0 ? above < (below << static_cast<unsigned>(estimate))
                                  : (above << static_cast<unsigned>(-estimate)) < below;
  return less ? estimate - 1 : estimate;
}

Rational bounded_rational(const ExactNumber& x) {
  constexpr std::int64_t bound = 100000;
  if (x.factor.is_zero() || x.exponent == 0) return x.factor;
  const std::int64_t top = floor_log2(x.factor) + x.exponent;
  const Rational sign = x.factor < 0 ? -1 : 1;
  if (top > bound) return scaled(sign, bound);
  if (top < -bound) return scaled(sign, -bound);
  return scaled(x.factor, x.exponent);
}

ExactNumber exact_number(const Rational& value) { return {ExactNumber::Kind::number, value < 0, value, 0}; }

std::optional<ExactNumber> exact_literal(std::string_view text) {
  if (const auto value = parse_decimal(text)) {
    ExactNumber x = exact_number(*value);
    x.negative = text.starts_with('-');
    return x;
  }
  // Hexadecimal numbers and words; 4096 bits hold what anybody writes, and more is not read inexactly.
  Flags flags;
  const auto value = parse_value(binary(30, 4096), text, Rounding::toward_zero, flags);
  if (!value || flags.inexact) return std::nullopt;
  return exact_number(*value);
}

std::string shortest_text(const Rational& value, bool (*reads_back)(const Rational&, const void*),
                          const void* context) {
  if (value.is_zero()) return "0";
  const auto rounded = [&](std::int64_t digits, Flags& flags) {
    const decimal::Context context_of_digits{digits, 100000, -100000};
    return decimal::reduce(decimal::from_rational(value, context_of_digits, flags), context_of_digits, flags);
  };
  const auto written = [](const decimal::Number& x) {  // integers below 10^9 without an exponent
    Flags flags;
    const decimal::Number plain =
        decimal::quantize(x, {decimal::Kind::finite, false, 1, 0}, {30, 100000, -100000}, flags);
    const bool integral = !flags.invalid && !flags.inexact && plain.coefficient < 1000000000;
    return decimal::scientific_text(integral ? plain : x);
  };
  Flags flags;
  const decimal::Number few = rounded(8, flags);
  if (!flags.inexact) return written(few);
  for (std::int64_t digits = 1; digits <= 40; ++digits) {
    const decimal::Number number = rounded(digits, flags);
    if (reads_back(decimal::to_rational(number), context)) return written(number);
  }
  return fraction_text(value);
}

Integer round_to_integer(const Rational& value, Rounding rounding) {
  const Integer above = numerator(value), below = denominator(value);
  Integer kept, rest;
  boost::multiprecision::divide_qr(Integer(abs(above)), below, kept, rest);
  const bool negative = above < 0;
  if (!rest.is_zero()) {
    const int half = Integer(rest * 2).compare(below);
    const bool odd = boost::multiprecision::bit_test(kept, 0);
    bool away = false;
    if (rounding == Rounding::nearest_even) away = half > 0 || (half == 0 && odd);
    if (rounding == Rounding::nearest_away) away = half >= 0;
    if (rounding == Rounding::up) away = !negative;
    if (rounding == Rounding::down) away = negative;
    if (rounding == Rounding::to_odd) away = !odd;
    if (away) ++kept;
  }
  return negative ? Integer(-kept) : kept;
}

void refuse_operation(const std::string& family, Operation operation) {
  for (const OperationRow& row : operation_table())
    if (row.operation == operation)
      throw InputRefused(
          {"number-operation", "", family + " formats have no operation '" + row.name + "'", "", "", ""});
  throw InputRefused({"number-operation", "", family + " formats have no such operation", "", "", ""});
}

void refuse_rounding(const std::string& family, const std::string& offered) {
  throw InputRefused({"number-rounding", "", family + " formats do not round in this direction", offered, "", ""});
}

std::int64_t integer_option(const std::string& text, const std::string& what, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    throw InputRefused({"number-format", "", what + " is out of range",
                        std::to_string(low) + " to " + std::to_string(high), text, ""});
  return value;
}

}  // namespace outward
