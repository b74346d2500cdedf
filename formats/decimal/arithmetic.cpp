// Decimal arithmetic: sums, products, quotients, roots and remainders. Each computes the exact value, or one that
// rounds like it, and calls finish once.
#include <algorithm>
#include <utility>

#include "formats/decimal/internal.hpp"

namespace outward::decimal {

namespace {

// The sign of an exact zero sum.
bool zero_sum_sign(bool x, bool y, const Context& context) { return x == y ? x : context.rounding == Rounding::down; }

Number negated(Number x) {
  x.negative = !x.negative;
  return x;
}

}  // namespace

Number add_finite(const Number& x, const Number& y, const Context& context, Flags& flags) {
  const Number& high = x.exponent >= y.exponent ? x : y;
  const Number& low = x.exponent >= y.exponent ? y : x;
  const std::int64_t gap = high.exponent - low.exponent;
  if (high.coefficient.is_zero()) {
    if (low.coefficient.is_zero()) return zero(zero_sum_sign(x.negative, y.negative, context), low.exponent, context);
    return finish(low.negative, low.coefficient, low.exponent, false, context, flags);
  }
  const std::int64_t high_digits = digits_of(high.coefficient);
  // Zeros that the result can take at most.
  const std::int64_t room = std::max<std::int64_t>(0, context.precision + 3 - high_digits);
  if (low.coefficient.is_zero()) {
    const std::int64_t pad = std::min({gap, std::max<std::int64_t>(0, context.precision - high_digits),
                                       std::max<std::int64_t>(0, high.exponent - context.least_exponent())});
    return finish(high.negative, high.coefficient * power_of_ten(pad), high.exponent - pad, false, context, flags);
  }
  if (gap > room && digits_of(low.coefficient) < gap - room) {
    // low is less than a tenth of a unit of the padded high: one unit further down stands for it.
    Integer padded = high.coefficient * power_of_ten(room) * 10;
    padded += high.negative == low.negative ? 1 : -1;
    return finish(high.negative, std::move(padded), high.exponent - room - 1, false, context, flags);
  }
  Integer left = high.coefficient * power_of_ten(gap);
  Integer sum = (high.negative ? Integer(-left) : left) + (low.negative ? Integer(-low.coefficient) : low.coefficient);
  if (sum.is_zero()) return zero(zero_sum_sign(x.negative, y.negative, context), low.exponent, context);
  const bool negative = sum < 0;
  return finish(negative, abs(sum), low.exponent, false, context, flags);
}

Number add(const Number& x, const Number& y, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x, &y}, context, flags)) return *nan;
  if (x.is_infinite() || y.is_infinite()) {
    if (x.is_infinite() && y.is_infinite() && x.negative != y.negative) return invalid_operation(flags);
    return x.is_infinite() ? x : y;
  }
  return add_finite(x, y, context, flags);
}

Number subtract(const Number& x, const Number& y, const Context& context, Flags& flags) {
  return add(x, y.is_nan() ? y : negated(y), context, flags);
}

Number multiply(const Number& x, const Number& y, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x, &y}, context, flags)) return *nan;
  const bool negative = x.negative != y.negative;
  if (x.is_infinite() || y.is_infinite())
    return x.is_zero() || y.is_zero() ? invalid_operation(flags) : infinity_of(negative);
  return finish(negative, x.coefficient * y.coefficient, x.exponent + y.exponent, false, context, flags);
}

Number fused_multiply_add(const Number& x, const Number& y, const Number& z, const Context& context, Flags& flags) {
  const bool product_invalid = (x.is_infinite() && y.is_zero()) || (x.is_zero() && y.is_infinite());
  if (product_invalid && z.kind != Kind::quiet_nan) return invalid_operation(flags);
  if (auto nan = nan_among({&x, &y, &z}, context, flags)) {
    flags.invalid |= product_invalid;
    return *nan;
  }
  const bool negative = x.negative != y.negative;
  if (x.is_infinite() || y.is_infinite()) return add(infinity_of(negative), z, context, flags);
  if (z.is_infinite()) return z;
  return add_finite({Kind::finite, negative, x.coefficient * y.coefficient, x.exponent + y.exponent}, z, context,
                    flags);
}

namespace {

// x * 10^... / y of positive integers; the exponent of the quotient before scaling is given.
Number quotient(bool negative, const Integer& x, const Integer& y, std::int64_t preferred, const Context& context,
                Flags& flags) {
  const std::int64_t scale = std::max<std::int64_t>(0, context.precision + 2 + digits_of(y) - digits_of(x));
  Integer result, rest;
  boost::multiprecision::divide_qr(Integer(x * power_of_ten(scale)), y, result, rest);
  std::int64_t exponent = preferred - scale;
  if (rest.is_zero()) strip_zeros(result, exponent, preferred);
  return finish(negative, std::move(result), exponent, !rest.is_zero(), context, flags);
}

}  // namespace

Number divide(const Number& x, const Number& y, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x, &y}, context, flags)) return *nan;
  const bool negative = x.negative != y.negative;
  if (x.is_infinite()) return y.is_infinite() ? invalid_operation(flags) : infinity_of(negative);
  if (y.is_infinite()) return zero(negative, context.least_exponent(), context);
  if (y.is_zero()) {
    if (x.is_zero()) return invalid_operation(flags);
    flags.divide_by_zero = true;
    return infinity_of(negative);
  }
  const std::int64_t preferred = x.exponent - y.exponent;
  if (x.is_zero()) return zero(negative, preferred, context);
  return quotient(negative, x.coefficient, y.coefficient, preferred, context, flags);
}

Number from_rational(const Rational& value, const Context& context, Flags& flags) {
  const Integer above = numerator(value), below = denominator(value);
  if (above.is_zero()) return zero(false, 0, context);
  return quotient(above < 0, abs(above), below, 0, context, flags);
}

Number square_root(const Number& x, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x}, context, flags)) return *nan;
  const std::int64_t preferred = x.exponent >= 0 ? x.exponent / 2 : -((1 - x.exponent) / 2);
  if (x.is_zero()) return zero(x.negative, preferred, context);
  if (x.negative) return invalid_operation(flags);
  if (x.is_infinite()) return x;
  // Enough digits for precision + 2 in the root, and an even exponent.
  std::int64_t scale = std::max<std::int64_t>(0, 2 * (context.precision + 2) - digits_of(x.coefficient));
  if ((x.exponent - scale) % 2 != 0) ++scale;
  Integer rest;
  Integer root = boost::multiprecision::sqrt(Integer(x.coefficient * power_of_ten(scale)), rest);
  std::int64_t exponent = (x.exponent - scale) / 2;
  if (rest.is_zero()) strip_zeros(root, exponent, preferred);
  return finish(false, std::move(root), exponent, !rest.is_zero(), context, flags);
}

namespace {

struct Division {
  Integer quotient, rest;     // |x| = quotient * |y| + rest * 10^exponent; only the last bits of the quotient are kept
  std::int64_t exponent = 0;  // when it would have more than limit digits (then long_quotient)
  Integer divisor;            // |y| / 10^exponent
  bool long_quotient = false;
};

// REQUIRES finite x, finite nonzero y.
Division divide_magnitudes(const Number& x, const Number& y, std::int64_t limit) {
  Division d;
  d.exponent = std::min(x.exponent, y.exponent);
  const std::int64_t first_x = x.exponent + digits_of(x.coefficient), first_y = y.exponent + digits_of(y.coefficient);
  if (x.coefficient.is_zero() || first_x < first_y - 1) {  // |x| < |y| / 10
    d.quotient = 0;
    d.rest = x.coefficient;
    d.exponent = x.coefficient.is_zero() ? d.exponent : x.exponent;
    d.divisor = 0;
    return d;
  }
  if (first_x - first_y > limit + 1) {
    // The exponent of x is far larger: the rest by modular powers, the parity of the quotient by a doubled modulus.
    d.long_quotient = true;
    const std::int64_t gap = x.exponent - y.exponent;
    d.divisor = y.coefficient;
    Integer modulus = y.coefficient * 2, reduced;
    if (gap >= 0) {
      const Integer power = boost::multiprecision::powm(Integer(10), Integer(gap), modulus);
      reduced = x.coefficient * power % modulus;
    } else {
      modulus *= power_of_ten(-gap);
      reduced = x.coefficient % modulus;
    }
    if (gap < 0) d.divisor *= power_of_ten(-gap);
    boost::multiprecision::divide_qr(reduced, d.divisor, d.quotient, d.rest);
    return d;
  }
  d.divisor = y.coefficient * power_of_ten(y.exponent - d.exponent);
  boost::multiprecision::divide_qr(Integer(x.coefficient * power_of_ten(x.exponent - d.exponent)), d.divisor,
                                   d.quotient, d.rest);
  return d;
}

Number remainder_of(const Number& x, const Number& y, bool nearest, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x, &y}, context, flags)) return *nan;
  if (x.is_infinite() || y.is_zero()) return invalid_operation(flags);
  if (y.is_infinite()) return convert(x, context, flags);
  Division d = divide_magnitudes(x, y, context.precision);
  bool negative = x.negative;
  if (nearest && !d.divisor.is_zero()) {
    const int order = Integer(d.rest * 2).compare(d.divisor);
    if (order > 0 || (order == 0 && boost::multiprecision::bit_test(d.quotient, 0))) {
      d.rest = d.divisor - d.rest;
      negative = !negative;
      ++d.quotient;
    }
  }
  if (context.quotient_must_fit && (d.long_quotient || digits_of(d.quotient) > context.precision))
    return invalid_operation(flags);
  const std::int64_t preferred = std::min(x.exponent, y.exponent);
  if (d.rest.is_zero()) return zero(x.negative, preferred, context);
  if (d.exponent > preferred) {  // x itself, wanted with the exponent of y: as many zeros as fit
    const std::int64_t pad = std::min(d.exponent - preferred, context.precision - digits_of(d.rest));
    if (pad > 0) {
      d.rest *= power_of_ten(pad);
      d.exponent -= pad;
    }
  }
  return finish(negative, std::move(d.rest), d.exponent, false, context, flags);
}

}  // namespace

Number remainder_near(const Number& x, const Number& y, const Context& context, Flags& flags) {
  return remainder_of(x, y, true, context, flags);
}

Number remainder_truncated(const Number& x, const Number& y, const Context& context, Flags& flags) {
  return remainder_of(x, y, false, context, flags);
}

Number divide_integer(const Number& x, const Number& y, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x, &y}, context, flags)) return *nan;
  const bool negative = x.negative != y.negative;
  if (x.is_infinite()) return y.is_infinite() ? invalid_operation(flags) : infinity_of(negative);
  if (y.is_infinite()) return {Kind::finite, negative, 0, 0};
  if (y.is_zero()) {
    if (x.is_zero()) return invalid_operation(flags);
    flags.divide_by_zero = true;
    return infinity_of(negative);
  }
  Division d = divide_magnitudes(x, y, context.precision);
  if (d.long_quotient || digits_of(d.quotient) > context.precision) return invalid_operation(flags);
  return {Kind::finite, negative, std::move(d.quotient), 0};
}

}  // namespace outward::decimal
