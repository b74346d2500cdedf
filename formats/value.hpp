// Values of binary formats: decoded exactly, rounded once. Every operation on a binary format computes an exact result
// and calls round(); formats of other families reuse Exact and round_to_multiple.
// Assumes: nothing about the ambient rounding mode; all arithmetic is on integers. Promises: no exponent gap is ever
// materialised; cost depends on the lengths of the significands only.
#pragma once
#include <cstdint>

#include "formats/exact.hpp"
#include "formats/format.hpp"
#include "formats/rounding.hpp"

namespace outward {

enum class ValueKind : std::uint8_t { zero, finite, infinite, quiet_nan, signalling_nan };

// A value of some format, or an operand from any: finite values are (-1)^negative * significand * 2^exponent with
// significand > 0 (not necessarily odd). payload: of a NaN, below the quiet bit.
struct Value {
  ValueKind kind = ValueKind::zero;
  bool negative = false;
  Integer significand = 0;
  std::int64_t exponent = 0;
  Integer payload = 0;

  bool is_nan() const { return kind == ValueKind::quiet_nan || kind == ValueKind::signalling_nan; }
  bool is_finite() const { return kind == ValueKind::zero || kind == ValueKind::finite; }
};

// Same kind, sign, exact magnitude and payload.
bool identical(const Value& a, const Value& b);

// A nonzero exact number waiting to be rounded: magnitude significand * 2^exponent + rest, where the rest is 0, or,
// with sticky, strictly between 0 and 2^exponent.
struct Exact {
  bool negative = false;
  Integer significand = 0;
  std::int64_t exponent = 0;
  bool sticky = false;
};

// The magnitude as a multiple of 2^lsb. REQUIRES with sticky: exponent < lsb. The magnitude must be positive.
// odd_offset: the parity that nearest-even and to-odd look at is that of the quotient, or its opposite (formats
// without fraction bits look at the stored exponent).
struct Multiple {
  Integer quotient = 0;
  bool inexact = false;
};
Multiple round_to_multiple(const Exact& x, std::int64_t lsb, Rounding rounding, bool odd_offset = false);

// The one rounding. Overflow, saturation, gradual underflow with tininess after rounding, flush, by the rules of the
// format's convention; adds overflow, underflow, inexact. x.significand == 0 (exact zero) gives the signed zero.
// REQUIRES with sticky: x.significand has at least precision + 2 bits.
Value round(const Format& format, const Exact& x, Rounding rounding, Flags& flags);
// The same of a rational, of an integer.
Value round(const Format& format, const Rational& x, Rounding rounding, Flags& flags);
// The numerator/denominator * 2^exponent, any exponent. REQUIRES numerator >= 0, denominator > 0.
Value round_quotient(const Format& format, bool negative, const Integer& numerator, const Integer& denominator,
                     std::int64_t exponent, Rounding rounding, Flags& flags);

// Special results in the representation the format has for them: an infinity becomes the largest finite number under
// saturate and in finite formats, NaN in fn and fnuz; the NaN of an invalid operation is +0 in finite formats.
// What the substitution loses is flagged by the caller.
Value infinity_of(const Format& format, bool negative);
Value canonical_nan(const Format& format);
Value zero_of(const Format& format, bool negative);

Value greatest_finite(const Format& format, bool negative = false);
Value least_normal(const Format& format);
Value least_positive(const Format& format);  // the least subnormal; of e8m0, the least number

// Bits of a code, the lowest format.width() ones. decode ignores nothing: REQUIRES 0 <= code < 2^width (throws
// InputRefused otherwise). encode REQUIRES a value of the format (throws std::logic_error otherwise).
Value decode(const Format& format, const Integer& code);
Integer encode(const Format& format, const Value& value);

// A quiet NaN with the sign and payload of the operand, as the format can hold it (payload 0 if it does not fit; the
// canonical NaN in formats with one NaN). REQUIRES x.is_nan().
Value quieted(const Format& format, const Value& x);

// floor(log2) of the magnitude. REQUIRES finite, not zero.
std::int64_t floor_log2(const Value& x);
// The exact value. REQUIRES finite; throws std::length_error when |exponent| is too large for a rational.
Rational to_rational(const Value& x);
// The exact operand: a value of no particular format.
Value exact_value(const Integer& x);
// The infinity of no particular format.
inline Value infinite_value(bool negative) { return {ValueKind::infinite, negative, 0, 0, 0}; }

}  // namespace outward
