// Exact dyadic numbers m*2^e and their rounding. Assumes exponents far below 2^63 (parsed ones are
// at most 20,000 in magnitude, operations add few). Promises exact results unless the name says up:
// then the result is the least number of the asked form that is not below the exact one.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "checker/kernel/bigint.hpp"

namespace outward_check {

struct Dyadic {
  BigInt m;
  std::int64_t e = 0;

  Dyadic() = default;
  Dyadic(BigInt mantissa, std::int64_t exponent) : m(std::move(mantissa)), e(exponent) {}
  static Dyadic from_double(double value);  // REQUIRES finite
  // The text of certificates: "0" or "m*2^e", m odd. False if malformed or over a limit.
  static bool parse(std::string_view text, Dyadic* out);

  int sign() const { return m.sign(); }
  Dyadic operator-() const { return {-m, e}; }
  Dyadic operator+(const Dyadic& o) const;
  Dyadic operator-(const Dyadic& o) const { return *this + -o; }
  Dyadic operator*(const Dyadic& o) const { return {m * o.m, e + o.e}; }
  static int compare(const Dyadic& a, const Dyadic& b);
  std::weak_ordering operator<=>(const Dyadic& o) const { return compare(*this, o) <=> 0; }
  bool operator==(const Dyadic& o) const { return compare(*this, o) == 0; }

  std::string text() const;                    // canonical, as parse reads it
  double double_up() const;                    // may be +infinity, never -infinity
  Dyadic up(std::uint64_t bits) const;         // a mantissa of at most bits + 1 bits
  Fraction fraction() const;
  // a/b rounded up, at least bits significant bits; exact when b is a power of two. REQUIRES b > 0.
  static Dyadic quotient_up(const Dyadic& a, const Dyadic& b, std::uint64_t bits);
  static Dyadic from_fraction_up(const Fraction& f, std::uint64_t bits) {
    return quotient_up({f.numerator, 0}, {f.denominator, 0}, bits);
  }
  // lower <= 1/sqrt(v) <= upper, at least bits significant bits. REQUIRES v > 0.
  static void inverse_root(const Dyadic& v, std::uint64_t bits, Dyadic* lower, Dyadic* upper);
};

}  // namespace outward_check
