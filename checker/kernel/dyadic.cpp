// Exact dyadic numbers: see dyadic.hpp.
#include "checker/kernel/dyadic.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace outward_check {

namespace {

constexpr std::size_t max_digits = 10000;
constexpr std::int64_t max_exponent = 20000;

// floor(m / 2^n), or m * 2^-n for n < 0.
BigInt shifted(const BigInt& m, std::int64_t n) {
  return n >= 0 ? m >> static_cast<std::uint64_t>(n) : m << static_cast<std::uint64_t>(-n);
}

// ceil(m / 2^n).
BigInt ceiling_shift(const BigInt& m, std::int64_t n) { return -shifted(-m, n); }

bool canonical_digits(std::string_view text) {
  if (text.empty() || text.size() > max_digits || (text[0] == '0' && text.size() > 1)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Dyadic Dyadic::from_double(double value) {
  const std::uint64_t pattern = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>((pattern >> 52) & 0x7ff);
  std::int64_t m = static_cast<std::int64_t>(pattern & ((std::uint64_t{1} << 52) - 1));
  if (field != 0) m |= std::int64_t{1} << 52;
  if (m == 0) return {};
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(m));
  m >>= zeros;
  return {BigInt(pattern >> 63 != 0 ? -m : m), std::max(field, 1) - 1075 + zeros};
}

bool Dyadic::parse(std::string_view text, Dyadic* out) {
  if (text == "0") return *out = Dyadic(), true;
  const std::size_t star = text.find("*2^");
  if (star == std::string_view::npos) return false;
  std::string_view mantissa = text.substr(0, star), exponent = text.substr(star + 3);
  const bool negative = mantissa.starts_with('-'), down = exponent.starts_with('-');
  mantissa.remove_prefix(negative), exponent.remove_prefix(down);
  if (!canonical_digits(mantissa) || !canonical_digits(exponent)) return false;
  if (exponent.size() > 5) return false;
  const BigInt m = BigInt::from_decimal(mantissa);
  std::int64_t e = 0;
  BigInt::from_decimal(exponent).fits_int64(&e);
  if (!m.is_odd() || e > max_exponent || (down && e == 0)) return false;
  *out = {negative ? -m : m, down ? -e : e};
  return true;
}

Dyadic Dyadic::operator+(const Dyadic& o) const {
  if (m.sign() == 0) return o;
  if (o.m.sign() == 0) return *this;
  if (e == o.e) return {m + o.m, e};
  const Dyadic &low = e < o.e ? *this : o, &high = e < o.e ? o : *this;
  BigInt sum = shifted(high.m, low.e - high.e);
  sum += low.m;
  return {std::move(sum), low.e};
}

int Dyadic::compare(const Dyadic& a, const Dyadic& b) {
  if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
  if (a.sign() == 0) return 0;
  const std::int64_t top_a = static_cast<std::int64_t>(a.m.bits()) + a.e;
  const std::int64_t top_b = static_cast<std::int64_t>(b.m.bits()) + b.e;
  if (top_a != top_b) return (top_a < top_b) == (a.sign() > 0) ? -1 : 1;
  const std::int64_t low = std::min(a.e, b.e);
  return BigInt::compare(shifted(a.m, low - a.e), shifted(b.m, low - b.e));
}

std::string Dyadic::text() const {
  if (m.sign() == 0) return "0";
  const std::int64_t zeros = static_cast<std::int64_t>(m.trailing_zeros());
  return shifted(m, zeros).decimal() + "*2^" + std::to_string(e + zeros);
}

double Dyadic::double_up() const {
  if (m.sign() == 0) return 0;
  const std::int64_t top = static_cast<std::int64_t>(m.bits()) + e;  // |value| < 2^top
  if (top > 1024) {
    return m.sign() > 0 ? std::numeric_limits<double>::infinity()
                        : -std::numeric_limits<double>::max();
  }
  std::int64_t q = 0, last = std::max<std::int64_t>(top - 53, -1074);
  ceiling_shift(m, last - e).fits_int64(&q);
  std::uint64_t a = static_cast<std::uint64_t>(q < 0 ? -q : q);  // value = +-a * 2^last, a <= 2^53
  const std::uint64_t sign = q < 0 ? std::uint64_t{1} << 63 : 0;
  if (a >> 53 != 0) a >>= 1, ++last;
  if (last > 971) return std::numeric_limits<double>::infinity();
  const bool normal = a >> 52 != 0;  // otherwise last is -1074: a subnormal number
  const std::uint64_t field = normal ? static_cast<std::uint64_t>(last + 1075) : 0;
  return std::bit_cast<double>(sign | field << 52 | (a & ((std::uint64_t{1} << 52) - 1)));
}

Dyadic Dyadic::up(std::uint64_t bits) const {
  if (m.bits() <= bits) return *this;
  const std::int64_t cut = static_cast<std::int64_t>(m.bits() - bits);
  return {ceiling_shift(m, cut), e + cut};
}

Fraction Dyadic::fraction() const {
  if (e >= 0) return Fraction(shifted(m, -e));
  return Fraction(m, BigInt(1) << static_cast<std::uint64_t>(-e));
}

Dyadic Dyadic::quotient_up(const Dyadic& a, const Dyadic& b, std::uint64_t bits) {
  if (b.m.bits() == b.m.trailing_zeros() + 1) {
    return {a.m, a.e - b.e - static_cast<std::int64_t>(b.m.trailing_zeros())};
  }
  const std::uint64_t need = bits + 1 + b.m.bits();
  const std::uint64_t shift = need > a.m.bits() ? need - a.m.bits() : 0;
  BigInt q;
  BigInt::divide_floor(-(a.m << shift), b.m, &q, nullptr);
  return {-q, a.e - b.e - static_cast<std::int64_t>(shift)};
}

// With t = floor(2^(2k)/v) and r = floor(sqrt(t)): r <= 2^k/sqrt(v), and (r+1)^2 >= t+1 > 2^(2k)/v.
void Dyadic::inverse_root(const Dyadic& v, std::uint64_t bits, Dyadic* lower, Dyadic* upper) {
  const std::int64_t top = static_cast<std::int64_t>(v.m.bits()) + v.e;
  const std::int64_t k = static_cast<std::int64_t>(bits) + 2 + (top < 0 ? 0 : top);
  const std::int64_t shift = 2 * k - v.e;  // 2^(2k)/v = 2^shift/m; shift > 0 by the choice of k
  BigInt t;
  BigInt::divide_floor(shifted(1, -shift), v.m, &t, nullptr);
  const BigInt r = BigInt::isqrt(t);
  *lower = {r, -k};
  *upper = {r + 1, -k};
}

}  // namespace outward_check
