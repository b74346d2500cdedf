// Decimal arithmetic: operations on the exponent (quantize, integral values, scaling) and on single digits (logical
// operations, shifts).
#include <algorithm>
#include <string>
#include <utility>

#include "formats/decimal/internal.hpp"

namespace outward::decimal {

Number convert(const Number& x, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x}, context, flags)) return *nan;
  if (x.is_infinite()) return x;
  return finish(x.negative, x.coefficient, x.exponent, false, context, flags);
}

Number quantize(const Number& x, const Number& y, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x, &y}, context, flags)) return *nan;
  if (x.is_infinite() || y.is_infinite()) return x.is_infinite() && y.is_infinite() ? x : invalid_operation(flags);
  const std::int64_t target = y.exponent;
  if (target < context.least_exponent() || target > context.top_exponent()) return invalid_operation(flags);
  if (x.coefficient.is_zero()) return {Kind::finite, x.negative, 0, target};
  Integer coefficient;
  bool inexact = false;
  if (x.exponent >= target) {
    if (digits_of(x.coefficient) + (x.exponent - target) > context.precision) return invalid_operation(flags);
    coefficient = x.coefficient * power_of_ten(x.exponent - target);
  } else {
    coefficient = rounded_quotient(x.coefficient, target - x.exponent, x.negative, context.rounding, inexact);
  }
  const std::int64_t digits = digits_of(coefficient);
  if (digits > context.precision || (!coefficient.is_zero() && target + digits - 1 > context.emax))
    return invalid_operation(flags);
  flags.inexact |= inexact;
  return {Kind::finite, x.negative, std::move(coefficient), target};
}

bool same_quantum(const Number& x, const Number& y) {
  if (x.is_nan() || y.is_nan()) return x.is_nan() && y.is_nan();
  if (x.is_infinite() || y.is_infinite()) return x.is_infinite() && y.is_infinite();
  return x.exponent == y.exponent;
}

Number round_to_integral_exact(const Number& x, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x}, context, flags)) return *nan;
  if (x.is_infinite() || x.exponent >= 0) {
    // Already integral; only a first operand that is no number of the context could round.
    if (x.is_infinite() || x.exponent <= context.top_exponent()) return x;
    Flags none;
    return convert(x, context, none);
  }
  bool inexact = false;
  Integer rounded = rounded_quotient(x.coefficient, -x.exponent, x.negative, context.rounding, inexact);
  flags.inexact |= inexact;
  return {Kind::finite, x.negative, std::move(rounded), 0};
}

Number round_to_integral(const Number& x, const Context& context, Flags& flags) {
  Flags raised;
  Number result = round_to_integral_exact(x, context, raised);
  flags.invalid |= raised.invalid;
  return result;
}

Number reduce(const Number& x, const Context& context, Flags& flags) {
  Number result = convert(x, context, flags);
  if (!result.is_finite()) return result;
  if (result.is_zero()) {
    result.exponent = 0;
    return result;
  }
  strip_zeros(result.coefficient, result.exponent, context.top_exponent());
  return result;
}

namespace {

// The value of an integer operand, if it is one of exponent 0 and small.
std::optional<std::int64_t> small_integer(const Number& n) {
  if (!n.is_finite() || n.exponent != 0 || n.coefficient > 1'000'000'000'000) return std::nullopt;
  const auto magnitude = n.coefficient.convert_to<std::int64_t>();
  return n.negative ? -magnitude : magnitude;
}

}  // namespace

Number scale_b(const Number& x, const Number& n, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x, &n}, context, flags)) return *nan;
  const auto by = small_integer(n);
  if (!by || *by > 2 * (context.emax + context.precision) || *by < -2 * (context.emax + context.precision))
    return invalid_operation(flags);
  if (x.is_infinite()) return x;
  return finish(x.negative, x.coefficient, x.exponent + *by, false, context, flags);
}

Number log_b(const Number& x, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x}, context, flags)) return *nan;
  if (x.is_infinite()) return infinity_of(false);
  if (x.is_zero()) {
    flags.divide_by_zero = true;
    return infinity_of(true);
  }
  const std::int64_t exponent = x.exponent + digits_of(x.coefficient) - 1;
  return finish(exponent < 0, Integer(exponent < 0 ? -exponent : exponent), 0, false, context, flags);
}

namespace {

// The lowest digits of a logical operand, least significant first, as many as the precision; nullopt if it is none.
std::optional<std::string> logical_digits(const Number& x, const Context& context) {
  if (!x.is_finite() || x.negative || x.exponent != 0) return std::nullopt;
  std::string digits = x.coefficient.str();
  if (digits.find_first_not_of("01") != std::string::npos) return std::nullopt;
  std::reverse(digits.begin(), digits.end());
  digits.resize(static_cast<std::size_t>(context.precision), '0');
  return digits;
}

Integer from_digits(std::string least_first) {
  std::reverse(least_first.begin(), least_first.end());
  const std::size_t start = std::min(least_first.find_first_not_of('0'), least_first.size() - 1);
  return Integer(least_first.substr(start));
}

}  // namespace

Number logical(Logic operation, const Number& x, const Number& y, const Context& context, Flags& flags) {
  const auto a = logical_digits(x, context), b = logical_digits(y, context);
  if (!a || !b) return invalid_operation(flags);
  std::string result = *a;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const bool p = (*a)[i] == '1', q = (*b)[i] == '1';
    const bool bit = operation == Logic::conjunction ? p && q : operation == Logic::disjunction ? p || q : p != q;
    result[i] = bit ? '1' : '0';
  }
  return {Kind::finite, false, from_digits(result), 0};
}

Number invert(const Number& x, const Context& context, Flags& flags) {
  auto digits = logical_digits(x, context);
  if (!digits) return invalid_operation(flags);
  for (char& c : *digits) c = c == '0' ? '1' : '0';
  return {Kind::finite, false, from_digits(*digits), 0};
}

Number shift(const Number& x, const Number& by, bool rotate, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x, &by}, context, flags)) return *nan;
  const auto places = small_integer(by);
  if (!places || *places > context.precision || *places < -context.precision) return invalid_operation(flags);
  if (x.is_infinite()) return x;
  const Integer ring = power_of_ten(context.precision);
  const Integer digits = x.coefficient % ring;
  const std::int64_t left = *places;
  Number result = x;
  if (rotate) {
    const std::int64_t turn = left >= 0 ? left : context.precision + left;
    const Integer below = power_of_ten(context.precision - turn);
    result.coefficient = digits % below * power_of_ten(turn) + digits / below;
  } else if (left >= 0) {
    result.coefficient = digits * power_of_ten(left) % ring;
  } else {
    result.coefficient = digits / power_of_ten(-left);
  }
  return result;
}

}  // namespace outward::decimal
