// Decimal arithmetic: powers of ten, the one rounding step, NaN operands. See decimal_internal.hpp.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "formats/decimal/internal.hpp"

namespace outward::decimal {

const Integer& power_of_ten(std::int64_t n) {
  static const auto small = [] {
    std::array<Integer, 128> table;
    table[0] = 1;
    for (std::size_t i = 1; i < table.size(); ++i) table[i] = table[i - 1] * 10;
    return table;
  }();
  if (n < 0 || n > 10'000'000) throw std::length_error("a power of ten is too large");
  if (n < static_cast<std::int64_t>(small.size())) return small[static_cast<std::size_t>(n)];
  thread_local Integer large;
  large = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(n));
  return large;
}

std::int64_t digits_of(const Integer& value) {
  if (value.is_zero()) return 1;
  // 2^msb <= value < 2^(msb+1): 30103/100000 is just above log10(2), so the estimate is right or one too large up to
  // about 10^5 bits; beyond, both corrections are made.
  const auto bits = static_cast<std::int64_t>(boost::multiprecision::msb(value));
  std::int64_t digits = bits * 30103 / 100000 + 1;
  while (value >= power_of_ten(digits)) ++digits;
  while (digits > 1 && value < power_of_ten(digits - 1)) --digits;
  return digits;
}

namespace {

// Whether to move one unit away from zero. half: -1, 0, 1 for a rest below, at, above one half; rest not zero.
bool rounds_away(const Integer& kept, int half, bool negative, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return half > 0 || (half == 0 && boost::multiprecision::bit_test(kept, 0));
    case Rounding::nearest_away:
      return half >= 0;
    case Rounding::toward_zero:
      return false;
    case Rounding::up:
      return !negative;
    case Rounding::down:
      return negative;
    case Rounding::to_odd:
      return kept % 5 == 0;
  }
  return false;
}

}  // namespace

Integer rounded_quotient(const Integer& coefficient, std::int64_t cut, bool negative, Rounding rounding,
                         bool& inexact) {
  inexact = false;
  if (cut == 0 || coefficient.is_zero()) return coefficient;
  Integer kept = 0;
  int half = -1;
  if (cut <= digits_of(coefficient)) {
    Integer rest;
    const Integer unit = power_of_ten(cut);
    boost::multiprecision::divide_qr(coefficient, unit, kept, rest);
    if (rest.is_zero()) return kept;
    const int order = Integer(rest * 2).compare(unit);
    half = order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  inexact = true;
  if (rounds_away(kept, half, negative, rounding)) ++kept;
  return kept;
}

Number zero(bool negative, std::int64_t exponent, const Context& context) {
  return {Kind::finite, negative, 0, std::clamp(exponent, context.least_exponent(), context.top_exponent())};
}

Number infinity_of(bool negative) { return {Kind::infinite, negative, 0, 0}; }

Number invalid_operation(Flags& flags) {
  flags.invalid = true;
  return {Kind::quiet_nan, false, 0, 0};
}

Number finish(bool negative, Integer coefficient, std::int64_t exponent, bool sticky, const Context& context,
              Flags& flags) {
  if (sticky) {
    coefficient = coefficient * 10 + 1;
    --exponent;
  }
  if (coefficient.is_zero()) return zero(negative, exponent, context);
  const std::int64_t digits = digits_of(coefficient);
  const bool tiny = exponent + digits - 1 < context.emin;
  const std::int64_t cut = std::max(digits - context.precision, context.least_exponent() - exponent);
  if (cut > 0) {
    bool inexact = false;
    coefficient = rounded_quotient(coefficient, cut, negative, context.rounding, inexact);
    exponent += cut;
    if (coefficient == power_of_ten(context.precision)) {
      coefficient = power_of_ten(context.precision - 1);
      ++exponent;
    }
    flags.inexact |= inexact;
    flags.underflow |= inexact && tiny;
  }
  if (!coefficient.is_zero() && exponent + digits_of(coefficient) - 1 > context.emax) {
    flags.overflow = flags.inexact = true;
    const Rounding r = context.rounding;
    if (r == Rounding::nearest_even || r == Rounding::nearest_away || r == (negative ? Rounding::down : Rounding::up))
      return infinity_of(negative);
    return {Kind::finite, negative, power_of_ten(context.precision) - 1, context.emax - (context.precision - 1)};
  }
  if (exponent > context.top_exponent()) {
    coefficient *= power_of_ten(exponent - context.top_exponent());
    exponent = context.top_exponent();
  }
  return {Kind::finite, negative, std::move(coefficient), exponent};
}

void strip_zeros(Integer& coefficient, std::int64_t& exponent, std::int64_t preferred) {
  if (coefficient.is_zero()) return;
  Integer quotient, rest;
  while (exponent < preferred) {
    boost::multiprecision::divide_qr(coefficient, Integer(10), quotient, rest);
    if (!rest.is_zero()) return;
    coefficient = quotient;
    ++exponent;
  }
}

std::optional<Number> nan_among(std::initializer_list<const Number*> operands, const Context& context, Flags& flags) {
  const Number* chosen = nullptr;
  for (const Number* x : operands) {
    if (x->kind == Kind::signaling_nan) {
      chosen = x;
      flags.invalid = true;
      break;
    }
  }
  for (const Number* x : operands)
    if (!chosen && x->kind == Kind::quiet_nan) chosen = x;
  if (!chosen) return std::nullopt;
  Number result = *chosen;
  result.kind = Kind::quiet_nan;
  const std::int64_t room = context.precision - (context.clamp ? 1 : 0);
  if (digits_of(result.coefficient) > room) result.coefficient %= power_of_ten(room);
  return result;
}

}  // namespace outward::decimal
