// Exact integers of the checker. No dependency, no rounding, no exceptions but
// std::bad_alloc (also thrown for results above 2^36 bits).
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace outward_check {

class BigInt {
 public:
  BigInt() = default;
  BigInt(std::int64_t value);  // NOLINT: implicit on purpose, exact
  static BigInt load(const std::uint64_t* limbs, std::size_t count);  // little endian
  void store(std::uint64_t* limbs) const;               // the magnitude, bits()/64 limbs rounded up
  static BigInt from_decimal(std::string_view digits);  // REQUIRES only digits, at least one
  static BigInt power_of_ten(unsigned n) { return from_decimal("1" + std::string(n, '0')); }

  int sign() const { return negative_ ? -1 : !limbs_.empty(); }  // -1, 0, 1
  bool is_odd() const { return !limbs_.empty() && (limbs_[0] & 1) != 0; }
  std::uint64_t bits() const;            // length of the magnitude in bits, 0 for zero
  std::uint64_t trailing_zeros() const;  // 0 for zero
  bool fits_int64(std::int64_t* out) const;
  std::string decimal() const;

  BigInt operator-() const { return BigInt(limbs_, !negative_); }
  BigInt operator+(const BigInt& o) const { return BigInt(*this) += o; }
  BigInt operator-(const BigInt& o) const { return BigInt(*this) -= o; }
  BigInt operator*(const BigInt& o) const;
  BigInt& operator+=(const BigInt& o) { return add(o, negative_ == o.negative_); }
  BigInt& operator-=(const BigInt& o) { return add(o, negative_ != o.negative_); }
  BigInt operator<<(std::uint64_t n) const;
  BigInt operator>>(std::uint64_t n) const;  // toward -infinity
  // Quotient rounded toward -infinity, remainder of the divisor's sign. REQUIRES divisor > 0.
  // Either result may be null.
  static void divide_floor(const BigInt& a, const BigInt& divisor, BigInt* quotient,
                           BigInt* remainder);
  static BigInt gcd(BigInt a, BigInt b);                // >= 0
  static BigInt lcm(const BigInt& a, const BigInt& b);  // REQUIRES both > 0
  static BigInt isqrt(const BigInt& a);                 // floor of the square root. REQUIRES a >= 0
  bool operator==(const BigInt& o) const = default;
  std::strong_ordering operator<=>(const BigInt& o) const;

 private:
  // Little endian without leading zero limbs. A string, since it keeps up to three in the object.
  std::u32string limbs_;
  bool negative_ = false;  // never for zero

  BigInt(std::u32string limbs, bool negative) : limbs_(std::move(limbs)), negative_(negative) {
    trim();
  }
  BigInt& add(const BigInt& o, bool grows);  // adds the magnitudes if grows, else their difference
  BigInt& trim();                            // restores the two invariants above
};

}  // namespace outward_check
