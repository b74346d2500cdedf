// Decoding, encoding and the one rounding of binary formats: see the header. Every shift is bounded by the length of a
// significand plus the precision.
#include "formats/value.hpp"

#include <stdexcept>
#include <utility>

#include "formats/error.hpp"
#include "formats/words/long_division.hpp"

namespace outward {
namespace {

std::int64_t length(const Integer& positive) { return static_cast<std::int64_t>(msb(positive)) + 1; }

Integer ones(int count) { return (Integer(1) << static_cast<unsigned>(count)) - 1; }

// Does an overflowing result of this sign become infinity (where there is one)?
bool overflows_away(Rounding rounding, bool negative) {
  switch (rounding) {
    case Rounding::nearest_even:
    case Rounding::nearest_away:
      return true;
    case Rounding::up:
      return !negative;
    case Rounding::down:
      return negative;
    case Rounding::toward_zero:
    case Rounding::to_odd:
      return false;
  }
  return true;
}

// significand * 2^exponent > greatest finite, both with leading bits aligned by the caller's precision.
bool beyond_greatest(const Format& format, const Integer& quotient, std::int64_t lsb) {
  const std::int64_t top = length(quotient) - 1 + lsb, greatest = format.greatest_exponent();
  if (top != greatest) return top > greatest;
  // Only fn has numbers of the greatest exponent that are none of its own: the all-ones significand.
  return format.convention == Convention::fn && quotient == ones(format.precision());
}

Value finite(bool negative, Integer significand, std::int64_t exponent) {
  return {ValueKind::finite, negative, std::move(significand), exponent, 0};
}

Value overflowed(const Format& format, bool negative, Rounding rounding, Flags& flags) {
  flags.overflow = flags.inexact = true;
  if (format.saturate || format.convention == Convention::finite || !overflows_away(rounding, negative))
    return greatest_finite(format, negative);
  if (format.has_infinity()) return infinity_of(format, negative);
  Value nan = canonical_nan(format);
  nan.negative = format.convention == Convention::fn && negative;
  return nan;
}

// Is the number below the least normal one even when rounded without a bound on the exponent?
bool tiny_after_rounding(const Format& format, const Exact& x, std::int64_t top, Rounding rounding) {
  const std::int64_t least = format.least_exponent();
  if (top >= least) return false;
  if (top < least - 1) return true;
  return length(round_to_multiple(x, top - format.fraction_bits, rounding).quotient) <= format.precision();
}

}  // namespace

bool identical(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.negative != b.negative || a.payload != b.payload) return false;
  if (a.kind != ValueKind::finite) return true;
  const std::int64_t gap = a.exponent - b.exponent;
  if (gap == 0) return a.significand == b.significand;
  if (floor_log2(a) != floor_log2(b)) return false;
  return gap > 0 ? (a.significand << static_cast<unsigned>(gap)) == b.significand
                 : a.significand == (b.significand << static_cast<unsigned>(-gap));
}

Multiple round_to_multiple(const Exact& x, std::int64_t lsb, Rounding rounding, bool odd_offset) {
  const std::int64_t shift = lsb - x.exponent;
  Multiple result;
  if (shift <= 0) {
    if (x.sticky) throw std::logic_error("round_to_multiple: too few bits before the sticky one");
    result.quotient = x.significand << static_cast<unsigned>(-shift);
    return result;
  }
  bool half = false, rest = x.sticky;
  const std::int64_t bits = x.significand.is_zero() ? 0 : length(x.significand);
  if (shift > bits) {
    rest = true;
  } else {
    const unsigned low = static_cast<unsigned>(shift);
    half = bit_test(x.significand, low - 1);
    rest = rest || (bits != 0 && boost::multiprecision::lsb(x.significand) < low - 1);
    result.quotient = x.significand >> low;
  }
  result.inexact = half || rest;
  if (result.inexact) {
    const bool odd = bit_test(result.quotient, 0) != odd_offset;
    if (increments(rounding, x.negative, odd, half, rest)) ++result.quotient;
  }
  return result;
}

Value round(const Format& format, const Exact& x, Rounding rounding, Flags& flags) {
  if (x.significand.is_zero()) {
    if (x.sticky) throw std::logic_error("round: a sticky bit without a significand");
    if (format.convention == Convention::scale) flags.invalid = true;
    return zero_of(format, x.negative);
  }
  const bool scale = format.convention == Convention::scale;
  if (scale && x.negative) {
    flags.invalid = true;
    return canonical_nan(format);
  }
  const std::int64_t top = length(x.significand) - 1 + x.exponent, least = format.least_exponent();
  const std::int64_t lsb = std::max(top, least) - format.fraction_bits;
  // Without fraction bits even and odd are those of the stored exponent.
  Multiple rounded = round_to_multiple(x, lsb, rounding, scale && ((lsb + format.bias + 1) & 1) != 0);
  if (rounded.inexact) {
    flags.inexact = true;
    flags.underflow = flags.underflow || tiny_after_rounding(format, x, top, rounding);
  }
  if (rounded.quotient.is_zero()) {
    if (scale) return least_positive(format);
    return zero_of(format, x.negative);
  }
  if (beyond_greatest(format, rounded.quotient, lsb)) return overflowed(format, x.negative, rounding, flags);
  if (format.flush && length(rounded.quotient) - 1 + lsb < least) {
    flags.underflow = flags.inexact = true;
    return zero_of(format, x.negative);
  }
  return finite(x.negative, std::move(rounded.quotient), lsb);
}

Value round(const Format& format, const Rational& x, Rounding rounding, Flags& flags) {
  const Integer n = numerator(x);
  return round_quotient(format, n < 0, n < 0 ? Integer(-n) : n, denominator(x), 0, rounding, flags);
}

Value round_quotient(const Format& format, bool negative, const Integer& n, const Integer& d, std::int64_t exponent,
                     Rounding rounding, Flags& flags) {
  if (n.is_zero()) return round(format, Exact{negative}, rounding, flags);
  const std::int64_t shift = std::max<std::int64_t>(0, format.precision() + 3 + length(d) - length(n));
  Exact x{negative, 0, exponent - shift, false};
  Integer remainder;
  divide_long(Integer(n << static_cast<unsigned>(shift)), d, x.significand, remainder);
  x.sticky = !remainder.is_zero();
  return round(format, x, rounding, flags);
}

Value infinity_of(const Format& format, bool negative) {
  switch (format.convention) {
    case Convention::ieee:
      if (format.saturate) return greatest_finite(format, negative);
      return {ValueKind::infinite, negative, 0, 0, 0};
    case Convention::fn: {
      if (format.saturate) return greatest_finite(format, negative);
      Value nan = canonical_nan(format);
      nan.negative = negative;
      return nan;
    }
    case Convention::finite:
      return greatest_finite(format, negative);
    case Convention::scale:
      if (format.saturate && !negative) return greatest_finite(format);
      return canonical_nan(format);
    case Convention::fnuz:
      break;
  }
  return canonical_nan(format);
}

Value canonical_nan(const Format& format) {
  if (!format.has_nan()) return zero_of(format, false);
  return {ValueKind::quiet_nan, false, 0, 0, 0};
}

Value zero_of(const Format& format, bool negative) {
  if (format.convention == Convention::scale) return canonical_nan(format);
  return {ValueKind::zero, negative && format.has_negative_zero(), 0, 0, 0};
}

Value greatest_finite(const Format& format, bool negative) {
  Integer significand = ones(format.precision());
  if (format.convention == Convention::fn) --significand;
  return finite(negative, significand, format.greatest_exponent() - format.fraction_bits);
}

Value least_normal(const Format& format) { return finite(false, 1, format.least_exponent()); }

Value least_positive(const Format& format) { return finite(false, 1, format.least_exponent() - format.fraction_bits); }

Value decode(const Format& format, const Integer& code) {
  if (code < 0 || (!code.is_zero() && length(code) > format.width()))
    throw InputRefused({"bit-pattern", "", "the bit pattern does not fit " + format_text(format),
                        std::to_string(format.width()) + " bits", "", ""});
  const unsigned f = static_cast<unsigned>(format.fraction_bits), e = static_cast<unsigned>(format.exponent_bits);
  if (format.convention == Convention::scale) {
    if (code == ones(static_cast<int>(e))) return canonical_nan(format);
    return finite(false, 1, static_cast<std::int64_t>(code) - format.bias);
  }
  const bool negative = bit_test(code, e + f);
  const Integer fraction = code & ones(static_cast<int>(f));
  const Integer exponent_field = Integer(code >> f) & ones(static_cast<int>(e));
  const auto field = static_cast<std::int64_t>(exponent_field);
  const bool all_ones = field == (std::int64_t{1} << e) - 1;
  switch (format.convention) {
    case Convention::ieee:
      if (!all_ones) break;
      if (fraction.is_zero()) return {ValueKind::infinite, negative, 0, 0, 0};
      if (bit_test(fraction, f - 1))
        return {ValueKind::quiet_nan, negative, 0, 0, Integer(fraction & ones(static_cast<int>(f) - 1))};
      return {ValueKind::signalling_nan, negative, 0, 0, fraction};
    case Convention::fn:
      if (all_ones && fraction == ones(static_cast<int>(f))) return {ValueKind::quiet_nan, negative, 0, 0, 0};
      break;
    case Convention::fnuz:
      if (negative && field == 0 && fraction.is_zero()) return canonical_nan(format);
      break;
    default:
      break;
  }
  if (field == 0) {
    if (fraction.is_zero()) return zero_of(format, negative);
    return finite(negative, fraction, format.least_exponent() - format.fraction_bits);
  }
  return finite(negative, Integer(fraction | (Integer(1) << f)), field - format.bias - format.fraction_bits);
}

Integer encode(const Format& format, const Value& value) {
  const unsigned f = static_cast<unsigned>(format.fraction_bits), e = static_cast<unsigned>(format.exponent_bits);
  const auto fail = [] { throw std::logic_error("encode: not a value of the format"); };
  if (format.convention == Convention::scale) {
    if (value.is_nan()) return ones(static_cast<int>(e));
    if (value.kind != ValueKind::finite || value.negative ||
        value.significand != (Integer(1) << msb(value.significand)))
      fail();
    return floor_log2(value) + format.bias;
  }
  Integer code = 0;
  bool negative = value.negative;
  switch (value.kind) {
    case ValueKind::zero:
      if (negative && !format.has_negative_zero()) fail();
      break;
    case ValueKind::infinite:
      if (!format.has_infinity()) fail();
      code = ones(static_cast<int>(e)) << f;
      break;
    case ValueKind::quiet_nan:
      if (!format.has_nan()) fail();
      if (format.convention == Convention::ieee)
        code = (ones(static_cast<int>(e) + 1) << (f - 1)) | value.payload;
      else if (format.convention == Convention::fn)
        code = ones(static_cast<int>(e + f));
      else
        negative = true;
      break;
    case ValueKind::signalling_nan:
      if (!format.has_infinity() || value.payload.is_zero()) fail();
      code = (ones(static_cast<int>(e)) << f) | value.payload;
      break;
    case ValueKind::finite: {
      const std::int64_t top = floor_log2(value), least = format.least_exponent();
      const std::int64_t shift = value.exponent - (std::max(top, least) - format.fraction_bits);
      const bool inside = shift >= -static_cast<std::int64_t>(msb(value.significand));
      if (!inside || top > format.greatest_exponent()) fail();
      const Integer multiple = shift >= 0 ? Integer(value.significand << static_cast<unsigned>(shift))
                                          : Integer(value.significand >> static_cast<unsigned>(-shift));
      if (shift < 0 && lsb(value.significand) < static_cast<unsigned>(-shift)) fail();
      if (beyond_greatest(format, multiple, std::max(top, least) - format.fraction_bits)) fail();
      const std::int64_t field = top < least ? 0 : top + format.bias - 1;
      code = (Integer(field) << f) + multiple;  // the leading bit of a normal number adds one to the field
      break;
    }
  }
  if (negative) bit_set(code, e + f);
  return code;
}

Value quieted(const Format& format, const Value& x) {
  if (format.convention == Convention::fn) return {ValueKind::quiet_nan, x.negative, 0, 0, 0};
  if (format.convention != Convention::ieee) return canonical_nan(format);
  Value result{ValueKind::quiet_nan, x.negative, 0, 0, x.payload};
  if (!x.payload.is_zero() && length(x.payload) > format.fraction_bits - 1) result.payload = 0;
  return result;
}

std::int64_t floor_log2(const Value& x) { return length(x.significand) - 1 + x.exponent; }

Rational to_rational(const Value& x) {
  if (x.kind == ValueKind::zero) return 0;
  constexpr std::int64_t limit = std::int64_t{1} << 20;
  if (x.exponent > limit || x.exponent < -limit) throw std::length_error("the exponent is too large for a rational");
  const Integer signed_significand = x.negative ? Integer(-x.significand) : x.significand;
  if (x.exponent >= 0) return Rational(Integer(signed_significand << static_cast<unsigned>(x.exponent)));
  return Rational(signed_significand, Integer(1) << static_cast<unsigned>(-x.exponent));
}

Value exact_value(const Integer& x) {
  if (x.is_zero()) return {};
  return finite(x < 0, x < 0 ? Integer(-x) : x, 0);
}

}  // namespace outward
