// Exact integers: schoolbook arithmetic on 64-bit limbs. Assumes unsigned __int128. Promises exact
// results or std::bad_alloc; no global state, so any thread may use it.
#include "checker/kernel/bigint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

namespace outward_check {

namespace {

using Limb = std::uint64_t;
using Wide = unsigned __int128;

constexpr std::size_t max_limbs = std::size_t{1} << 30;
constexpr Limb ten_to_19 = 10000000000000000000u;

Limb magnitude(std::int64_t value) {
  return value < 0 ? Limb{0} - static_cast<Limb>(value) : static_cast<Limb>(value);
}

int compare_limbs(const Limb* a, std::size_t na, const Limb* b, std::size_t nb) {
  if (na != nb) return na < nb ? -1 : 1;
  for (std::size_t i = na; i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

// r = a + b, nb <= na; r has na limbs and may be a or b. Returns the carry.
Limb add_limbs(Limb* r, const Limb* a, std::size_t na, const Limb* b, std::size_t nb) {
  Limb carry = 0;
  for (std::size_t i = 0; i < nb; ++i) {
    Wide s = static_cast<Wide>(a[i]) + b[i] + carry;
    r[i] = static_cast<Limb>(s), carry = static_cast<Limb>(s >> 64);
  }
  for (std::size_t i = nb; i < na; ++i) r[i] = a[i] + carry, carry = r[i] < carry;
  return carry;
}

// r = a - b, a >= b, nb <= na; r has na limbs and may be a or b.
void subtract_limbs(Limb* r, const Limb* a, std::size_t na, const Limb* b, std::size_t nb) {
  Limb borrow = 0;
  for (std::size_t i = 0; i < nb; ++i) {
    Wide s = static_cast<Wide>(a[i]) - b[i] - borrow;
    r[i] = static_cast<Limb>(s), borrow = static_cast<Limb>(s >> 64) & 1;
  }
  for (std::size_t i = nb; i < na; ++i) {
    Limb x = a[i];
    r[i] = x - borrow, borrow = x < borrow;
  }
}

// r += a * factor over na limbs. Returns the carry.
Limb add_multiple(Limb* r, const Limb* a, std::size_t na, Limb factor) {
  Limb carry = 0;
  for (std::size_t i = 0; i < na; ++i) {
    Wide s = static_cast<Wide>(a[i]) * factor + r[i] + carry;
    r[i] = static_cast<Limb>(s), carry = static_cast<Limb>(s >> 64);
  }
  return carry;
}

// r -= a * factor over na limbs. Returns the borrow.
Limb subtract_multiple(Limb* r, const Limb* a, std::size_t na, Limb factor) {
  Limb borrow = 0;
  for (std::size_t i = 0; i < na; ++i) {
    Wide p = static_cast<Wide>(a[i]) * factor + borrow;
    Limb low = static_cast<Limb>(p);
    borrow = static_cast<Limb>(p >> 64) + (r[i] < low);
    r[i] -= low;
  }
  return borrow;
}

// r[0..na) = a << n, 0 <= n < 64; r may be a. Returns the bits shifted out.
Limb shift_left_limbs(Limb* r, const Limb* a, std::size_t na, unsigned n) {
  Limb carry = 0;
  for (std::size_t i = 0; i < na; ++i) {
    Limb x = a[i];
    r[i] = (x << n) | carry;
    carry = n == 0 ? 0 : x >> (64 - n);
  }
  return carry;
}

// r[0..na) = a >> n, 0 <= n < 64; r may be a.
void shift_right_limbs(Limb* r, const Limb* a, std::size_t na, unsigned n) {
  for (std::size_t i = 0; i < na; ++i) {
    Limb high = i + 1 < na && n != 0 ? a[i + 1] << (64 - n) : 0;
    r[i] = (a[i] >> n) | high;
  }
}

// Divides a in place by one limb. Returns the remainder.
Limb divide_small(Limb* a, std::size_t na, Limb divisor) {
  Limb remainder = 0;
  for (std::size_t i = na; i-- > 0;) {
    if (remainder == 0 && a[i] < divisor) {
      remainder = a[i], a[i] = 0;
      continue;
    }
    Wide x = (static_cast<Wide>(remainder) << 64) | a[i];
    a[i] = static_cast<Limb>(x / divisor);
    remainder = static_cast<Limb>(x - static_cast<Wide>(a[i]) * divisor);
  }
  return remainder;
}

// Knuth's algorithm D (The Art of Computer Programming 2, 4.3.1). u has nu + 1 limbs, v has nv >= 2
// limbs with its top bit set, nu >= nv. On return q (nu - nv + 1 limbs) is the quotient and u the
// remainder.
void divide_limbs(Limb* u, std::size_t nu, const Limb* v, std::size_t nv, Limb* q) {
  const Limb top = v[nv - 1], next = v[nv - 2];
  for (std::size_t j = nu - nv + 1; j-- > 0;) {
    Limb guess = ~Limb{0};
    if (u[j + nv] < top) {
      Wide x = (static_cast<Wide>(u[j + nv]) << 64) | u[j + nv - 1];
      guess = static_cast<Limb>(x / top);
      Wide rest = x - static_cast<Wide>(guess) * top;
      while ((rest >> 64) == 0 &&
             static_cast<Wide>(guess) * next > ((rest << 64) | u[j + nv - 2])) {
        --guess, rest += top;
      }
    }
    const Limb borrow = subtract_multiple(u + j, v, nv, guess);
    const bool too_large = u[j + nv] < borrow;
    u[j + nv] -= borrow;
    if (too_large) {  // by at most 2, also when the guess was capped at 2^64 - 1
      do --guess, u[j + nv] += add_limbs(u + j, u + j, nv, v, nv);
      while (u[j + nv] != 0);
    }
    q[j] = guess;
  }
}

Limb gcd_small(Limb a, Limb b) {
  if (a == 0 || b == 0) return a | b;
  const int common = std::countr_zero(a | b);
  a >>= std::countr_zero(a);
  while (b != 0) {
    b >>= std::countr_zero(b);
    const Limb smaller = std::min(a, b);
    b = a > b ? a - b : b - a;
    a = smaller;
  }
  return a << common;
}

}  // namespace

BigInt::BigInt(std::int64_t value) noexcept : size_(value == 0 ? 0 : value < 0 ? -1 : 1) {
  store_.local[0] = magnitude(value);
}

BigInt::BigInt(const BigInt& o) {
  if (o.capacity_ == 3) {
    size_ = o.size_, store_ = o.store_;
    return;
  }
  *this = with_capacity(o.length());
  std::memcpy(limbs(), o.limbs(), o.length() * sizeof(Limb));
  size_ = o.size_;
}

BigInt& BigInt::operator=(const BigInt& o) {
  if (this == &o) return *this;
  if (capacity_ < o.length()) return *this = BigInt(o);
  if (o.size_ != 0) std::memcpy(limbs(), o.limbs(), o.length() * sizeof(Limb));
  size_ = o.size_;
  return *this;
}

BigInt BigInt::with_capacity(std::size_t limbs) {
  if (limbs > max_limbs) throw std::bad_alloc();
  BigInt r;
  if (limbs > 3) {
    r.store_.heap = new Limb[limbs];
    r.capacity_ = static_cast<std::uint32_t>(limbs);
  }
  return r;
}

void BigInt::set_length(std::size_t n, bool negative) {
  const Limb* p = limbs();
  while (n != 0 && p[n - 1] == 0) --n;
  size_ = negative ? -static_cast<std::int32_t>(n) : static_cast<std::int32_t>(n);
}

BigInt BigInt::from_unsigned(std::uint64_t value) {
  BigInt r;
  r.store_.local[0] = value, r.size_ = value != 0;
  return r;
}

BigInt BigInt::from_decimal(std::string_view digits) {
  BigInt r = with_capacity(digits.size() / 19 + 1);  // 10^19 < 2^64
  Limb* p = r.limbs();
  std::size_t n = 0;
  for (std::size_t at = 0; at < digits.size();) {
    const std::size_t take = (digits.size() - at) % 19 != 0 ? (digits.size() - at) % 19 : 19;
    Limb chunk = 0, scale = 1;
    for (std::size_t i = 0; i < take; ++i)
      chunk = chunk * 10 + static_cast<Limb>(digits[at + i] - '0'), scale *= 10;
    for (std::size_t i = 0; i < n; ++i) {
      Wide s = static_cast<Wide>(p[i]) * scale + chunk;
      p[i] = static_cast<Limb>(s), chunk = static_cast<Limb>(s >> 64);
    }
    if (chunk != 0) p[n++] = chunk;
    at += take;
  }
  r.set_length(n, false);
  return r;
}

BigInt BigInt::power_of_ten(unsigned exponent) {
  BigInt r = 1, square = 5;
  for (unsigned e = exponent; e != 0; e >>= 1) {
    if ((e & 1) != 0) r = r * square;
    if (e > 1) square = square * square;
  }
  return r << exponent;
}

std::uint64_t BigInt::bits() const {
  const std::size_t n = length();
  return n == 0 ? 0 : 64 * n - static_cast<unsigned>(std::countl_zero(limbs()[n - 1]));
}

std::uint64_t BigInt::trailing_zeros() const {
  if (size_ == 0) return 0;
  std::uint64_t i = 0;
  while (limbs()[i] == 0) ++i;
  return 64 * i + static_cast<unsigned>(std::countr_zero(limbs()[i]));
}

bool BigInt::fits_int64(std::int64_t* out) const {
  constexpr Limb half = Limb{1} << 63;
  const Limb m = size_ == 0 ? 0 : limbs()[0];
  if (length() > 1 || m > half || (m == half && size_ > 0)) return false;
  *out = static_cast<std::int64_t>(size_ < 0 ? Limb{0} - m : m);
  return true;
}

std::string BigInt::decimal() const {
  if (size_ == 0) return "0";
  std::vector<Limb> rest(limbs(), limbs() + length());
  std::string reversed;
  while (!rest.empty()) {
    Limb chunk = divide_small(rest.data(), rest.size(), ten_to_19);
    while (!rest.empty() && rest.back() == 0) rest.pop_back();
    for (int i = 0; i < 19 && (chunk != 0 || !rest.empty()); ++i, chunk /= 10) {
      reversed.push_back(static_cast<char>('0' + chunk % 10));
    }
  }
  if (size_ < 0) reversed.push_back('-');
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

BigInt BigInt::operator-() const {
  BigInt r(*this);
  r.size_ = -r.size_;
  return r;
}

// Adds or subtracts o in place. False when the limbs at hand may not suffice; then nothing changed.
bool BigInt::add_in_place(const BigInt& o, bool subtract) {
  const std::size_t n = length(), no = o.length(), top = std::max(n, no);
  const bool negative = size_ < 0, o_negative = (o.size_ < 0) != subtract;
  const Limb* q = o.limbs();
  if (no == 0) return true;
  if (capacity_ < top + may_carry(o)) return false;
  Limb* p = limbs();
  if (n == 0) {
    std::memcpy(p, q, no * sizeof(Limb));
    set_length(no, o_negative);
  } else if (negative == o_negative) {
    const Limb carry = n >= no ? add_limbs(p, p, n, q, no) : add_limbs(p, q, no, p, n);
    if (carry != 0) p[top] = carry;
    set_length(top + (carry != 0), negative);
  } else if (compare_limbs(p, n, q, no) < 0) {
    subtract_limbs(p, q, no, p, n);
    set_length(no, o_negative);
  } else {
    subtract_limbs(p, p, n, q, no);
    set_length(n, negative);
  }
  return true;
}

// False if the sum of the magnitudes surely has no more limbs than the longer one.
bool BigInt::may_carry(const BigInt& o) const {
  const std::size_t n = length(), no = o.length();
  const Limb a = n >= no && n != 0 ? limbs()[n - 1] : 0,
             b = no >= n && no != 0 ? o.limbs()[no - 1] : 0;
  return ((a | b) >> 63) != 0;
}

BigInt BigInt::sum(const BigInt& a, const BigInt& b, bool subtract) {
  BigInt r = with_capacity(std::max(a.length(), b.length()) + a.may_carry(b));
  std::memcpy(r.limbs(), a.limbs(), a.length() * sizeof(Limb));
  r.size_ = a.size_;
  r.add_in_place(b, subtract);
  return r;
}

BigInt BigInt::operator+(const BigInt& o) const { return sum(*this, o, false); }
BigInt BigInt::operator-(const BigInt& o) const { return sum(*this, o, true); }
BigInt& BigInt::operator+=(const BigInt& o) {
  return add_in_place(o, false) ? *this : *this = sum(*this, o, false);
}
BigInt& BigInt::operator-=(const BigInt& o) {
  return add_in_place(o, true) ? *this : *this = sum(*this, o, true);
}

BigInt BigInt::operator*(const BigInt& o) const {
  if (size_ == 0 || o.size_ == 0) return BigInt();
  const bool negative = (size_ < 0) != (o.size_ < 0);
  const std::size_t n = length(), m = o.length();
  if (n == 1 && m == 1) {
    BigInt r;
    const Wide p = static_cast<Wide>(limbs()[0]) * o.limbs()[0];
    r.store_.local[0] = static_cast<Limb>(p), r.store_.local[1] = static_cast<Limb>(p >> 64);
    r.set_length(2, negative);
    return r;
  }
  BigInt r = with_capacity(n + m);
  Limb* p = r.limbs();
  const Limb *a = n >= m ? limbs() : o.limbs(), *b = n >= m ? o.limbs() : limbs();
  const std::size_t na = std::max(n, m), nb = std::min(n, m);
  std::memset(p, 0, (na + nb) * sizeof(Limb));
  for (std::size_t i = 0; i < nb; ++i) p[i + na] = add_multiple(p + i, a, na, b[i]);
  r.set_length(n + m, negative);
  return r;
}

BigInt BigInt::operator<<(std::uint64_t n) const {
  if (size_ == 0 || n == 0) return *this;
  if (n / 64 > max_limbs) throw std::bad_alloc();
  const std::size_t words = static_cast<std::size_t>(n / 64), old = length();
  const unsigned shift = static_cast<unsigned>(n % 64);
  const bool grows = shift != 0 && (limbs()[old - 1] >> (64 - shift)) != 0;
  BigInt r = with_capacity(old + words + grows);
  Limb* p = r.limbs();
  std::memset(p, 0, words * sizeof(Limb));
  const Limb carry = shift_left_limbs(p + words, limbs(), old, shift);
  if (grows) p[old + words] = carry;
  r.set_length(old + words + grows, size_ < 0);
  return r;
}

BigInt BigInt::operator>>(std::uint64_t n) const {
  const bool inexact = size_ < 0 && trailing_zeros() < n;
  if (n / 64 >= length()) return inexact ? BigInt(-1) : BigInt();
  const std::size_t words = static_cast<std::size_t>(n / 64), left = length() - words;
  BigInt r = with_capacity(left);
  shift_right_limbs(r.limbs(), limbs() + words, left, static_cast<unsigned>(n % 64));
  r.set_length(left, size_ < 0);
  return inexact ? r - BigInt(1) : r;
}

void BigInt::divide_floor(const BigInt& a, const BigInt& divisor, BigInt* quotient,
                          BigInt* remainder) {
  const std::size_t na = a.length(), nd = divisor.length();
  BigInt q, r;
  if (compare_limbs(a.limbs(), na, divisor.limbs(), nd) < 0) {
    r = a;
    r.set_length(na, false);
  } else if (nd == 1) {
    q = a;
    r = from_unsigned(divide_small(q.limbs(), na, divisor.limbs()[0]));
    q.set_length(na, false);
  } else {
    const unsigned shift = static_cast<unsigned>(std::countl_zero(divisor.limbs()[nd - 1]));
    BigInt v = with_capacity(nd);
    shift_left_limbs(v.limbs(), divisor.limbs(), nd, shift);
    r = with_capacity(na + 1);
    r.limbs()[na] = shift_left_limbs(r.limbs(), a.limbs(), na, shift);
    q = with_capacity(na - nd + 1);
    divide_limbs(r.limbs(), na, v.limbs(), nd, q.limbs());
    q.set_length(na - nd + 1, false);
    shift_right_limbs(r.limbs(), r.limbs(), nd, shift);
    r.set_length(nd, false);
  }
  if (a.size_ < 0) {  // |a| = q d + r, so a = -(q + 1) d + (d - r) unless r = 0
    if (r.size_ != 0) r = divisor - r, q += 1;
    q.size_ = -q.size_;
  }
  if (quotient != nullptr) *quotient = std::move(q);
  if (remainder != nullptr) *remainder = std::move(r);
}

// The magnitude without its factors of two, in place.
void BigInt::drop_zeros_of_magnitude() {
  const std::uint64_t zeros = trailing_zeros();
  const std::size_t words = static_cast<std::size_t>(zeros / 64), left = length() - words;
  Limb* p = limbs();
  if (words != 0) std::memmove(p, p + words, left * sizeof(Limb));
  shift_right_limbs(p, p, left, static_cast<unsigned>(zeros % 64));
  set_length(left, false);
}

// Binary algorithm; one division first when the lengths differ.
BigInt BigInt::gcd(BigInt a, BigInt b) {
  a.set_length(a.length(), false), b.set_length(b.length(), false);
  if (a.length() < b.length()) std::swap(a, b);
  if (b.size_ == 0) return a;
  if (a.length() > b.length()) {
    divide_floor(BigInt(a), b, nullptr, &a);
    if (a.size_ == 0) return b;
  }
  const std::uint64_t common = std::min(a.trailing_zeros(), b.trailing_zeros());
  a.drop_zeros_of_magnitude(), b.drop_zeros_of_magnitude();
  while (a.length() > 1 || b.length() > 1) {
    const int order = compare_limbs(a.limbs(), a.length(), b.limbs(), b.length());
    if (order == 0) return a << common;
    if (order < 0) std::swap(a, b);
    a -= b;
    a.drop_zeros_of_magnitude();
  }
  return from_unsigned(gcd_small(a.limbs()[0], b.limbs()[0])) << common;
}

// Newton's iteration from above: x >= floor(sqrt(a)) stays true and x falls until it is the root.
BigInt BigInt::isqrt(const BigInt& a) {
  if (a.size_ == 0) return BigInt();
  const std::uint64_t excess =
      a.bits() > 62 ? (a.bits() - 61) / 2 : 0;  // a >> 2*excess has at most 62 bits
  std::int64_t top = 0;
  (a >> (2 * excess)).fits_int64(&top);
  std::int64_t root = 0;
  for (std::int64_t bit = std::int64_t{1} << 30; bit != 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= top) root += bit;
  }
  if (excess == 0) return root;
  for (BigInt x = BigInt(root + 1) << excess;;) {
    BigInt y;
    divide_floor(a, x, &y, nullptr);
    y = (x + y) >> 1;
    if (x <= y) return x;
    x = std::move(y);
  }
}

int BigInt::compare(const BigInt& a, const BigInt& b) {
  if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
  const int order = compare_limbs(a.limbs(), a.length(), b.limbs(), b.length());
  return a.size_ < 0 ? -order : order;
}

}  // namespace outward_check
