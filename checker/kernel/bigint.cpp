// Exact integers: schoolbook arithmetic on 32-bit limbs. Promises exact results or std::bad_alloc;
// no global state, so any thread may use it.
#include "checker/kernel/bigint.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>

namespace outward_check {

namespace {

using Limbs = std::u32string;
constexpr std::uint64_t max_bits = std::uint64_t{1} << 36;
constexpr std::uint32_t ten_to_9 = 1000000000;

std::strong_ordering compare(const Limbs& a, const Limbs& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return std::lexicographical_compare_three_way(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

// a += sign*b for sign = 1 or -1; the result must not be negative. b may be a.
void add_limbs(Limbs& a, const Limbs& b, std::int64_t sign) {
  if (a.size() < b.size()) a.resize(b.size());
  std::int64_t carry = 0;
  const std::size_t common = b.size();
  for (std::size_t i = 0; i < a.size() && (i < common || carry != 0); ++i) {
    carry += a[i] + (i < common ? sign * b[i] : 0);
    a[i] = static_cast<char32_t>(carry), carry >>= 32;
  }
  if (carry != 0) a.push_back(static_cast<char32_t>(carry));
}

// a = a*factor + carry.
void scale(Limbs& a, std::uint32_t factor, std::uint64_t carry) {
  for (char32_t& limb : a) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<char32_t>(carry), carry >>= 32;
  }
  if (carry != 0) a.push_back(static_cast<char32_t>(carry));
}

// Divides a by one limb. Returns the remainder.
std::uint32_t divide(Limbs& a, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    rest = rest << 32 | a[i];
    a[i] = static_cast<char32_t>(rest / divisor), rest %= divisor;
  }
  return static_cast<std::uint32_t>(rest);
}

}  // namespace

BigInt::BigInt(std::int64_t value) : negative_(value < 0) {
  const std::uint64_t pattern = value < 0 ? 0 - std::uint64_t(value) : std::uint64_t(value);
  limbs_ = load(&pattern, 1).limbs_;
}

BigInt BigInt::load(const std::uint64_t* limbs, std::size_t count) {
  BigInt r;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    r.limbs_.push_back(static_cast<char32_t>(limbs[i / 2] >> i % 2 * 32));
  }
  return r.trim();
}

void BigInt::store(std::uint64_t* limbs) const {
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    limbs[i / 2] = (i % 2 != 0 ? limbs[i / 2] : 0) | std::uint64_t{limbs_[i]} << i % 2 * 32;
  }
}

BigInt BigInt::from_decimal(std::string_view digits) {
  BigInt r;
  for (std::size_t take; !digits.empty(); digits.remove_prefix(take)) {
    take = digits.size() % 9 != 0 ? digits.size() % 9 : 9;
    std::uint32_t chunk = 0;
    for (char c : digits.substr(0, take)) chunk = chunk * 10 + static_cast<unsigned>(c - '0');
    scale(r.limbs_, ten_to_9, chunk);
  }
  return r;
}

BigInt& BigInt::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  negative_ &= !limbs_.empty();
  return *this;
}

std::uint64_t BigInt::bits() const {
  return limbs_.empty() ? 0 : 32 * limbs_.size() - std::countl_zero(std::uint32_t{limbs_.back()});
}

std::uint64_t BigInt::trailing_zeros() const {
  if (limbs_.empty()) return 0;
  const std::size_t i = limbs_.find_first_not_of(U'\0');
  return 32 * i + std::countr_zero(std::uint32_t{limbs_[i]});
}

bool BigInt::fits_int64(std::int64_t* out) const {
  if (limbs_.size() > 2) return false;
  std::uint64_t m = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) m = m << 32 | limbs_[i];
  *out = static_cast<std::int64_t>(negative_ ? 0 - m : m);
  return (*out < 0) == negative_;
}

std::string BigInt::decimal() const {
  std::string text;
  for (BigInt rest = *this; rest.sign() != 0;) {
    std::string digits = std::to_string(divide(rest.limbs_, ten_to_9));
    if (rest.trim().sign() != 0) digits.insert(0, 9 - digits.size(), '0');
    text.insert(0, digits);
  }
  if (text.empty()) return "0";
  return negative_ ? "-" + text : text;
}

BigInt& BigInt::add(const BigInt& o, bool grows) {
  if (grows) {
    add_limbs(limbs_, o.limbs_, 1);
  } else if (compare(limbs_, o.limbs_) >= 0) {
    add_limbs(limbs_, o.limbs_, -1);
  } else {
    Limbs difference = o.limbs_;
    add_limbs(difference, limbs_, -1);
    limbs_ = std::move(difference), negative_ = !negative_;
  }
  return trim();
}

BigInt BigInt::operator*(const BigInt& o) const {
  Limbs r(limbs_.size() + o.limbs_.size(), 0);
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < o.limbs_.size(); ++j) {
      carry += std::uint64_t{limbs_[i]} * o.limbs_[j] + r[i + j];
      r[i + j] = static_cast<char32_t>(carry), carry >>= 32;
    }
    r[i + o.limbs_.size()] = static_cast<char32_t>(carry);
  }
  return BigInt(std::move(r), negative_ != o.negative_);
}

BigInt BigInt::operator<<(std::uint64_t n) const {
  if (n > max_bits) throw std::bad_alloc();
  Limbs r;
  r.reserve(n / 32 + limbs_.size() + 1);
  r.assign(n / 32, 0).append(limbs_);
  scale(r, std::uint32_t{1} << n % 32, 0);
  return BigInt(std::move(r), negative_);
}

BigInt BigInt::operator>>(std::uint64_t n) const {
  const bool inexact = negative_ && trailing_zeros() < n;
  BigInt r;
  if (n / 32 < limbs_.size()) r.limbs_.assign(limbs_, n / 32);
  divide(r.limbs_, std::uint32_t{1} << n % 32);
  r.negative_ = negative_;
  r.trim();
  if (inexact) r -= 1;
  return r;
}

// Each round subtracts the divisor as often as the leading bits of both surely allow, which takes
// about 30 bits from the rest.
void BigInt::divide_floor(const BigInt& a, const BigInt& divisor, BigInt* quotient,
                          BigInt* remainder) {
  BigInt q, rest = a.negative_ ? -a : a;
  if (divisor.limbs_.size() == 1) {
    q = std::move(rest);
    rest = divide(q.limbs_, divisor.limbs_[0]);
    q.trim();
  }
  const std::uint64_t below = divisor.bits() - std::min<std::uint64_t>(divisor.bits(), 31);
  std::int64_t high = 0, low = 0;
  (divisor >> below).fits_int64(&low);
  while (divisor <= rest) {
    const std::uint64_t cut = rest.bits() - std::min<std::uint64_t>(rest.bits(), 62);
    (rest >> cut).fits_int64(&high);
    BigInt times = high / (low + 1);
    times = cut < below ? times >> (below - cut) : times << (cut - below);
    if (times.sign() == 0) times = 1;
    rest -= times * divisor, q += times;
  }
  if (a.negative_) {  // |a| = q d + r, so a = -(q + 1) d + (d - r) unless r = 0
    if (rest.sign() != 0) rest = divisor - rest, q += 1;
    q = -q;
  }
  if (quotient != nullptr) *quotient = std::move(q);
  if (remainder != nullptr) *remainder = std::move(rest);
}

BigInt BigInt::gcd(BigInt a, BigInt b) {
  a.negative_ = b.negative_ = false;
  for (std::int64_t x = 0, y = 0; b.sign() != 0; std::swap(a, b)) {
    if (a.fits_int64(&x) && b.fits_int64(&y)) return std::gcd(x, y);
    divide_floor(a, b, nullptr, &a);
  }
  return a;
}

BigInt BigInt::lcm(const BigInt& a, const BigInt& b) {
  BigInt factor;
  divide_floor(a, gcd(a, b), &factor, nullptr);
  return factor * b;
}

// Newton's iteration from above: x >= floor(sqrt(a)) stays true and x falls until it is the root.
BigInt BigInt::isqrt(const BigInt& a) {
  if (a.sign() == 0) return a;
  for (BigInt x = BigInt(1) << (a.bits() + 1) / 2, y;; x = std::move(y)) {
    divide_floor(a, x, &y, nullptr);
    y = (x + y) >> 1;
    if (x <= y) return x;
  }
}

std::strong_ordering BigInt::operator<=>(const BigInt& o) const {
  if (negative_ != o.negative_) return o.negative_ <=> negative_;
  return negative_ ? compare(o.limbs_, limbs_) : compare(limbs_, o.limbs_);
}

}  // namespace outward_check
