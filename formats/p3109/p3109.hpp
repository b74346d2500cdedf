// The small formats of IEEE P3109 (interim report 4.0.3): binary{K}p{P}, signed or unsigned, with infinities (extended)
// or without (finite). One zero, one NaN, no flags. Values: trailing bits as exponent E and fraction F of P-1 bits,
// F * 2^(2-B-P) if E = 0, else (2^(P-1) + F) * 2^(E-B-P+1), with B = 2^(K-P-1) (unsigned: 2^(K-P)).
// An operation computes the exact value and projects once: round to precision P, saturate, encode.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "formats/exact.hpp"
#include "formats/rounding.hpp"

namespace outward::p3109 {

struct Format {
  int bits = 8;       // K, 3 to 16
  int precision = 4;  // P, 1 to K-1
  bool is_signed = true;
  bool extended = true;
  bool operator==(const Format&) const = default;

  std::int64_t bias() const { return std::int64_t{1} << (bits - precision - (is_signed ? 1 : 0)); }
  std::uint32_t nan_code() const { return (std::uint32_t{1} << (is_signed ? bits - 1 : bits)) - (is_signed ? 0 : 1); }
  std::uint32_t infinity_code() const { return nan_code() - 1; }  // REQUIRES extended
  std::uint32_t greatest_code() const { return nan_code() - (extended ? 2 : 1); }
};

// What becomes of results beyond the greatest number M. finite: M, for infinities too. propagate: M, infinities stay.
// overflow: infinity (NaN in a finite format), but M where the direction is toward zero (to-odd rounds so, too).
// In unsigned formats negative results become 0 under finite; under propagate, too, except for -infinity; else NaN.
enum class Saturation { finite, propagate, overflow };

struct Value {
  enum class Kind { number, infinite, nan } kind = Kind::number;
  bool negative = false;  // of infinities
  Rational number = 0;
  bool operator==(const Value&) const = default;
};

Value decode(const Format& format, std::uint32_t code);
// Rounding to the codes as an integer grid: "even" and "odd" are those of the code, which for P > 1 is the last bit of
// the significand and for P = 1 the exponent.
std::uint32_t project(const Format& format, const Value& x, Rounding rounding, Saturation saturation);
// The same of the square root of x >= 0.
std::uint32_t project_root(const Format& format, const Rational& x, Rounding rounding, Saturation saturation);

// Exact results with NaN for inf - inf, 0 * inf, inf / inf, x / 0 (zero has no sign), roots of negative numbers and NaN
// operands.
Value add(const Value& a, const Value& b);
Value subtract(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value divide(const Value& a, const Value& b);
Value fused_multiply_add(const Value& a, const Value& b, const Value& c);
Value negated(Value a);
// -1, 0, 1, or nullopt with a NaN.
std::optional<int> compare(const Value& a, const Value& b);

// "binary8p4" (signed, extended), "binary8p4sf", "binary8p4ue", "binary8p4uf"; nullopt if it is none.
std::optional<Format> parse(const std::string& name);
std::string text(const Format& format);

}  // namespace outward::p3109
