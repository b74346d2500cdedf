// Exact numbers of the prover side: integers, rationals, decimal text, and rounding of rationals to binary formats.
#pragma once
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outward {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

// Limits of certificates/FORMAT.md readers: digits of one number, absolute value of a decimal exponent.
inline constexpr std::size_t max_digits = 10000;
inline constexpr long max_exponent = 20000;

// A decimal number: optional sign (one, '-' or '+'), digits with at most one point (either side may be empty, not
// both), optional exponent e/E. nullopt when malformed or over a limit (never throws, never rounds).
std::optional<Rational> parse_decimal(std::string_view text);

// The integer written by decimal digits. REQUIRES digits only.
Integer digits_to_integer(std::string_view digits);

// digits * 10^exponent as text: trailing zeros dropped, plain notation for moderate exponents, else "d.ddde-7".
std::string decimal_notation(std::string digits, std::int64_t exponent);

// "p" or "p/q", reduced.
std::string fraction_text(const Rational& value);

// The exact value of a finite double.
Rational exact(double value);

// Rounding to binary64: toward -infinity, +infinity, and to nearest even. Overflow: ±infinity as IEEE 754 rounding
// gives it.
double round_down(const Rational& value);
double round_up(const Rational& value);
double round_nearest(const Rational& value);

// Nearest even binary32 value, as a double; ±infinity on overflow.
double round_nearest_binary32(const Rational& value);

// A decimal text whose exact value lies in [lo, hi], as short as reasonably possible. REQUIRES lo <= hi.
// "" if there is none: lo == hi, and no finite decimal has that value (1/3).
std::string decimal_between(const Rational& lo, const Rational& hi);

// Shortest decimal that reads back to the same double.
std::string shortest_decimal(double value);

// "m*2^e" with m odd, or "0". REQUIRES finite.
std::string dyadic_text(double value);

}  // namespace outward
