// Exact integers and fractions of the checker. No dependency, no rounding, no exceptions but
// std::bad_alloc (also thrown for results above 2^30 limbs). Numbers of up to three limbs live in
// the object, larger ones on the heap.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace outward_check {

// Sign and magnitude; limbs are little endian, no leading zero limb, zero is never negative.
class BigInt {
 public:
  BigInt() noexcept {}
  BigInt(std::int64_t value) noexcept;  // NOLINT: implicit on purpose, exact
  BigInt(const BigInt& o);
  BigInt(BigInt&& o) noexcept : size_(o.size_), capacity_(o.capacity_), store_(o.store_) {
    o.size_ = 0, o.capacity_ = 3;
  }
  BigInt& operator=(const BigInt& o);
  BigInt& operator=(BigInt&& o) noexcept {
    std::swap(size_, o.size_), std::swap(capacity_, o.capacity_), std::swap(store_, o.store_);
    return *this;
  }
  ~BigInt() {
    if (capacity_ > 3) delete[] store_.heap;
  }
  static BigInt from_unsigned(std::uint64_t value);
  static BigInt from_decimal(std::string_view digits);  // REQUIRES only digits, at least one
  static BigInt power_of_ten(unsigned exponent);

  int sign() const { return (size_ > 0) - (size_ < 0); }  // -1, 0, 1
  bool is_odd() const { return size_ != 0 && (limbs()[0] & 1) != 0; }
  std::uint64_t bits() const;            // length of the magnitude in bits, 0 for zero
  std::uint64_t trailing_zeros() const;  // 0 for zero
  bool fits_int64(std::int64_t* out) const;
  std::string decimal() const;

  BigInt operator-() const;
  BigInt operator+(const BigInt& o) const;
  BigInt operator-(const BigInt& o) const;
  BigInt operator*(const BigInt& o) const;
  BigInt& operator+=(const BigInt& o);
  BigInt& operator-=(const BigInt& o);
  BigInt operator<<(std::uint64_t n) const;
  BigInt operator>>(std::uint64_t n) const;  // toward -infinity
  // Quotient rounded toward -infinity, remainder of the divisor's sign. REQUIRES divisor > 0.
  // Either result may be null.
  static void divide_floor(const BigInt& a, const BigInt& divisor, BigInt* quotient,
                           BigInt* remainder);
  static BigInt gcd(BigInt a, BigInt b);  // >= 0
  static BigInt isqrt(const BigInt& a);   // floor of the square root. REQUIRES a >= 0
  static int compare(const BigInt& a, const BigInt& b);
  bool operator==(const BigInt& o) const { return compare(*this, o) == 0; }
  bool operator<(const BigInt& o) const { return compare(*this, o) < 0; }
  bool operator<=(const BigInt& o) const { return compare(*this, o) <= 0; }

 private:
  union Store {
    std::uint64_t local[3];
    std::uint64_t* heap;
  };
  std::int32_t size_ = 0;       // number of limbs, negated for a negative number
  std::uint32_t capacity_ = 3;  // 3: the limbs are store_.local, more: store_.heap
  Store store_ = {{0, 0, 0}};

  const std::uint64_t* limbs() const { return capacity_ > 3 ? store_.heap : store_.local; }
  std::uint64_t* limbs() { return capacity_ > 3 ? store_.heap : store_.local; }
  std::size_t length() const {
    return static_cast<std::size_t>(size_ < 0 ? -static_cast<std::int64_t>(size_) : size_);
  }
  static BigInt with_capacity(std::size_t limbs);
  void set_length(std::size_t n, bool negative);  // drops leading zero limbs
  static BigInt sum(const BigInt& a, const BigInt& b, bool subtract);
  bool add_in_place(const BigInt& o, bool subtract);
  bool may_carry(const BigInt& o) const;
  void drop_zeros_of_magnitude();
};

// numerator/denominator, denominator > 0, reduced.
struct Fraction {
  BigInt numerator, denominator = 1;
  Fraction() = default;
  Fraction(BigInt n) : numerator(std::move(n)) {}  // NOLINT: implicit on purpose, exact
  Fraction(BigInt n, BigInt d);                    // reduces. REQUIRES d != 0
  Fraction operator+(const Fraction& o) const;
  Fraction operator-(const Fraction& o) const;
  Fraction operator*(const Fraction& o) const;
  Fraction operator/(const Fraction& o) const;  // REQUIRES o != 0
  Fraction operator-() const;
  int sign() const { return numerator.sign(); }
  static int compare(const Fraction& a, const Fraction& b);
  bool operator==(const Fraction& o) const { return compare(*this, o) == 0; }
  bool operator<(const Fraction& o) const { return compare(*this, o) < 0; }
  bool operator<=(const Fraction& o) const { return compare(*this, o) <= 0; }
  std::string text() const;                   // "p" or "p/q"
  static Fraction from_double(double value);  // REQUIRES finite
};

}  // namespace outward_check
