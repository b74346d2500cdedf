// Exact rational numbers and their rounding. Assumes exponents far below 2^63 (parsed ones are at
// most 20,000 in magnitude, operations add few). Promises exact results unless the name says up:
// then the result is the least number of the asked form that is not below the exact one.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "checker/kernel/bigint.hpp"

namespace outward_check {

// m*2^e/over with over > 0 odd; not always in lowest terms.
struct Fraction {
  BigInt m;
  std::int64_t e = 0;
  BigInt over = 1;

  Fraction() = default;
  Fraction(BigInt n) : m(std::move(n)) {}  // NOLINT: implicit on purpose, exact
  Fraction(BigInt n, BigInt d);            // n/d. REQUIRES d != 0
  static Fraction dyadic(BigInt m, std::int64_t e) { return {std::move(m), e, 1}; }
  static Fraction from_double(double value);  // REQUIRES finite
  // The text of certificates: "0" or "m*2^e", m odd. False if malformed or over a limit.
  static bool parse(std::string_view text, Fraction* out);

  int sign() const { return m.sign(); }
  BigInt mantissa(const BigInt& all) const;  // m when over is that multiple of over
  bool is_dyadic() const { return over.bits() == 1; }
  Fraction operator-() const { return {-m, e, over}; }
  Fraction operator+(const Fraction& o) const;
  Fraction operator-(const Fraction& o) const { return *this + -o; }
  Fraction operator*(const Fraction& o) const;
  Fraction operator/(const Fraction& o) const;  // REQUIRES o != 0
  static int compare(const Fraction& a, const Fraction& b);
  bool operator==(const Fraction& o) const { return compare(*this, o) == 0; }
  std::weak_ordering operator<=>(const Fraction& o) const { return compare(*this, o) <=> 0; }

  Fraction reduced() const;         // m odd (or everything zero), without common divisor with over
  BigInt numerator() const;         // in lowest terms
  BigInt denominator() const;       // likewise, > 0
  std::string text() const;         // "p" or "p/q" in lowest terms
  double double_up() const;         // may be +infinity, never -infinity
  Fraction up(std::uint64_t bits) const;  // dyadic; exact, or bits - 1 to bits + 1 bits long
  // lower <= 1/sqrt(v) <= upper, dyadic, at least bits significant bits. REQUIRES v > 0 dyadic.
  static void inverse_root(const Fraction& v, std::uint64_t bits, Fraction* lower, Fraction* upper);

 private:
  Fraction(BigInt mantissa, std::int64_t exponent, BigInt divisor)
      : m(std::move(mantissa)), e(exponent), over(std::move(divisor)) {}
};

}  // namespace outward_check
