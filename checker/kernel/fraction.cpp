// Exact fractions on top of BigInt. Promises reduced results with a positive denominator.
#include <algorithm>
#include <bit>

#include "checker/kernel/bigint.hpp"

namespace outward_check {

Fraction::Fraction(BigInt n, BigInt d) : numerator(std::move(n)), denominator(std::move(d)) {
  if (denominator.sign() < 0) numerator = -numerator, denominator = -denominator;
  if (numerator.sign() == 0) {
    denominator = 1;
  } else if (const std::uint64_t zeros = denominator.trailing_zeros();
             denominator.bits() == zeros + 1) {
    const std::uint64_t common = std::min(zeros, numerator.trailing_zeros());
    if (common != 0) numerator = numerator >> common, denominator = denominator >> common;
  } else if (const BigInt common = BigInt::gcd(numerator, denominator); common.bits() > 1) {
    BigInt::divide_floor(BigInt(numerator), common, &numerator,
                         nullptr);  // exact, so the floor is the quotient
    BigInt::divide_floor(BigInt(denominator), common, &denominator, nullptr);
  }
}

Fraction Fraction::operator+(const Fraction& o) const {
  if (denominator == o.denominator) return Fraction(numerator + o.numerator, denominator);
  return Fraction(numerator * o.denominator + o.numerator * denominator,
                  denominator * o.denominator);
}
Fraction Fraction::operator*(const Fraction& o) const {
  return Fraction(numerator * o.numerator, denominator * o.denominator);
}
Fraction Fraction::operator/(const Fraction& o) const {
  return Fraction(numerator * o.denominator, denominator * o.numerator);
}
Fraction Fraction::operator-() const {
  Fraction r(*this);
  r.numerator = -r.numerator;
  return r;
}

int Fraction::compare(const Fraction& a, const Fraction& b) {
  if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
  if (a.denominator == b.denominator) return BigInt::compare(a.numerator, b.numerator);
  return BigInt::compare(a.numerator * b.denominator, b.numerator * a.denominator);
}

std::string Fraction::text() const {
  return denominator == BigInt(1) ? numerator.decimal()
                                  : numerator.decimal() + "/" + denominator.decimal();
}

Fraction Fraction::from_double(double value) {
  const std::uint64_t pattern = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>((pattern >> 52) & 0x7ff);
  std::int64_t m = static_cast<std::int64_t>(pattern & ((std::uint64_t{1} << 52) - 1));
  if (field != 0) m |= std::int64_t{1} << 52;
  const int exponent = std::max(field, 1) - 1075;
  const BigInt n = value < 0 ? -m : m;
  if (exponent >= 0) return Fraction(n << static_cast<unsigned>(exponent));
  return Fraction(n, BigInt(1) << static_cast<unsigned>(-exponent));
}

}  // namespace outward_check
