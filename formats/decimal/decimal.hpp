// Decimal floating-point arithmetic (IEEE 754-2019): sign, coefficient and exponent, where the members of a cohort
// (1.0 and 1.00) stay apart. Any precision; decimal32, decimal64 and decimal128 are three contexts. Every operation
// computes the exact value and rounds once. Exact results take the representable exponent nearest the preferred one,
// inexact results the smallest. Tininess is detected before rounding; underflow is flagged when tiny and inexact.
// NaNs: a signalling operand wins over a quiet one, else the leftmost; sign and payload are kept.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/exact.hpp"
#include "formats/rounding.hpp"

namespace outward::decimal {

// What results are rounded to. Rounding::to_odd means the decimal direction with the same purpose: inexact results are
// truncated and moved away from zero by one unit if their last digit is 0 or 5, so that rounding once more to fewer
// digits gives what one rounding would have given.
struct Context {
  std::int64_t precision = 16;     // digits, at least 1
  std::int64_t emax = 384;         // exponent of the first digit of the largest number
  std::int64_t emin = -383;        // exponent of the first digit of the least normal number
  bool clamp = true;               // exponents end at emax - precision + 1: larger ones are padded with zeros
  bool quotient_must_fit = false;  // remainder, remainder_near: invalid if the integer quotient exceeds the precision
  Rounding rounding = Rounding::nearest_even;

  std::int64_t least_exponent() const { return emin - (precision - 1); }
  std::int64_t top_exponent() const { return clamp ? emax - (precision - 1) : emax; }
};

inline constexpr Context decimal32{7, 96, -95};
inline constexpr Context decimal64{16, 384, -383};
inline constexpr Context decimal128{34, 6144, -6143};

enum class Kind : std::uint8_t { finite, infinite, quiet_nan, signaling_nan };

// finite: coefficient * 10^exponent, coefficient >= 0. NaN: the coefficient is the payload, the exponent 0.
struct Number {
  Kind kind = Kind::finite;
  bool negative = false;
  Integer coefficient = 0;
  std::int64_t exponent = 0;

  bool is_nan() const { return kind == Kind::quiet_nan || kind == Kind::signaling_nan; }
  bool is_infinite() const { return kind == Kind::infinite; }
  bool is_finite() const { return kind == Kind::finite; }
  bool is_zero() const { return is_finite() && coefficient.is_zero(); }
  // The same member of the same cohort, the same NaN.
  bool operator==(const Number& other) const {
    return kind == other.kind && negative == other.negative && exponent == other.exponent &&
           coefficient == other.coefficient;
  }
};

// Computational operations of IEEE 754-2019 sections 5.3 to 5.5, named as there.
Number add(const Number& x, const Number& y, const Context& context, Flags& flags);
Number subtract(const Number& x, const Number& y, const Context& context, Flags& flags);
Number multiply(const Number& x, const Number& y, const Context& context, Flags& flags);
Number divide(const Number& x, const Number& y, const Context& context, Flags& flags);
Number square_root(const Number& x, const Context& context, Flags& flags);
Number fused_multiply_add(const Number& x, const Number& y, const Number& z, const Context& context, Flags& flags);

// x - y * n with n the integer nearest x/y, ties to even (remainder of IEEE 754), or x/y truncated. Always exact; any
// exponents (modular powers, no long subtraction). divide_integer: n itself, invalid if it exceeds the precision.
Number remainder_near(const Number& x, const Number& y, const Context& context, Flags& flags);
Number remainder_truncated(const Number& x, const Number& y, const Context& context, Flags& flags);
Number divide_integer(const Number& x, const Number& y, const Context& context, Flags& flags);

// x with the exponent of y; invalid if that takes more digits than the precision.
Number quantize(const Number& x, const Number& y, const Context& context, Flags& flags);
bool same_quantum(const Number& x, const Number& y);
Number round_to_integral(const Number& x, const Context& context, Flags& flags);        // never inexact
Number round_to_integral_exact(const Number& x, const Context& context, Flags& flags);  // flags inexact
// x rounded to the context (conversion between decimal formats; unary plus except for the sign of zeros).
Number convert(const Number& x, const Context& context, Flags& flags);
Number reduce(const Number& x, const Context& context, Flags& flags);  // trailing zeros removed
Number scale_b(const Number& x, const Number& n, const Context& context, Flags& flags);
Number log_b(const Number& x, const Context& context, Flags& flags);
Number next_up(const Number& x, const Context& context, Flags& flags);
Number next_down(const Number& x, const Context& context, Flags& flags);
Number next_toward(const Number& x, const Number& y, const Context& context, Flags& flags);

// Values, not cohort members; unordered is nullopt. A signalling NaN is invalid, a quiet one if signaling is set.
std::optional<int> compare(const Number& x, const Number& y, bool signaling, Flags& flags);
int total_order(const Number& x, const Number& y);            // -1, 0, 1: the order totalOrder
int total_order_magnitude(const Number& x, const Number& y);  // the same on magnitudes

// minNum and maxNum of IEEE 754-2008: one quiet NaN loses against a number. Equal values are told apart by the total
// order. magnitude: by |x| first. minimum, maximum (IEEE 754-2019): a NaN wins.
Number minimum_number(const Number& x, const Number& y, bool magnitude, const Context& context, Flags& flags);
Number maximum_number(const Number& x, const Number& y, bool magnitude, const Context& context, Flags& flags);
Number minimum(const Number& x, const Number& y, const Context& context, Flags& flags);
Number maximum(const Number& x, const Number& y, const Context& context, Flags& flags);

// Digit-wise operations on numbers made of the digits 0 and 1, and shifts of the digits; invalid otherwise.
enum class Logic { conjunction, disjunction, exclusive };
Number logical(Logic operation, const Number& x, const Number& y, const Context& context, Flags& flags);
Number invert(const Number& x, const Context& context, Flags& flags);
Number shift(const Number& x, const Number& by, bool rotate, const Context& context, Flags& flags);

// "sNaN", "NaN", "-Infinity", "-Normal", "-Subnormal", "-Zero", "+Zero", "+Subnormal", "+Normal", "+Infinity".
std::string class_text(const Number& x, const Context& context);

// One rounding of an exact value; the preferred exponent is 0. divided: of numerator * 10^exponent / denominator.
Number from_rational(const Rational& value, const Context& context, Flags& flags);
// REQUIRES a finite number; throws std::length_error if the exponent is beyond 20,000 in absolute value.
Rational to_rational(const Number& x);

// Text of decimal arithmetic: "1.230E+5", "NaN123", "-Infinity". Exact: the text of a number reads back to it.
std::string scientific_text(const Number& x);
std::string engineering_text(const Number& x);
// nullopt when malformed. parse keeps every digit; exponents beyond 10^15 are cut there (no format reaches them).
std::optional<Number> parse(std::string_view text);
// parse and one rounding. A NaN payload that does not fit gives an invalid operation.
std::optional<Number> parse(std::string_view text, const Context& context, Flags& flags);

}  // namespace outward::decimal
