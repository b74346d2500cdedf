// Exact rational numbers: see fraction.hpp.
#include "checker/kernel/fraction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "checker/limits/limits.hpp"

namespace outward_check {

namespace {

// floor(m / 2^n), or m * 2^-n for n < 0.
BigInt shifted(const BigInt& m, std::int64_t n) {
  return n >= 0 ? m >> static_cast<std::uint64_t>(n) : m << static_cast<std::uint64_t>(-n);
}

BigInt quotient(const BigInt& a, const BigInt& b) {  // rounded down
  BigInt q;
  BigInt::divide_floor(a, b, &q, nullptr);
  return q;
}

std::int64_t length(const BigInt& a) { return static_cast<std::int64_t>(a.bits()); }

bool canonical_digits(std::string_view text) {
  if (text.empty() || text.size() > limit(Limit::digits) || (text[0] == '0' && text.size() > 1))
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

BigInt top(const Fraction& r) { return shifted(r.m, std::min<std::int64_t>(-r.e, 0)); }
BigInt bottom(const Fraction& r) { return shifted(r.over, std::min<std::int64_t>(r.e, 0)); }

}  // namespace

Fraction::Fraction(BigInt n, BigInt d) { *this = Fraction(std::move(n)) / Fraction(std::move(d)); }

Fraction Fraction::from_double(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // 53 bits, below 1; exact, as is ldexp
  const std::int64_t m = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  if (m == 0) return {};
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(m));
  return dyadic(m >> zeros, exponent - 53 + zeros);
}

bool Fraction::parse(std::string_view text, Fraction* out) {
  if (text == "0") return *out = Fraction(), true;
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
  if (!m.is_odd() || e > static_cast<std::int64_t>(limit(Limit::exponent)) || (down && e == 0))
    return false;
  *out = dyadic(negative ? -m : m, down ? -e : e);
  return true;
}

BigInt Fraction::mantissa(const BigInt& all) const {
  return all == over ? m : m * quotient(all, over);
}

Fraction Fraction::operator+(const Fraction& o) const {
  if (sign() == 0) return o;
  if (o.sign() == 0) return *this;
  if (over != o.over) {
    const BigInt all = BigInt::lcm(over, o.over);
    return Fraction(mantissa(all), e, all) + Fraction(o.mantissa(all), o.e, all);
  }
  const Fraction &low = e < o.e ? *this : o, &high = e < o.e ? o : *this;
  BigInt sum = shifted(high.m, low.e - high.e);
  sum += low.m;
  return {std::move(sum), low.e, over};
}

Fraction Fraction::operator*(const Fraction& o) const {
  return {m * o.m, e + o.e, is_dyadic() ? o.over : o.is_dyadic() ? over : over * o.over};
}

Fraction Fraction::operator/(const Fraction& o) const {
  const std::uint64_t zeros = o.m.trailing_zeros();
  const BigInt divisor = (o.sign() < 0 ? -o.m : o.m) >> zeros;
  return {o.sign() < 0 ? -m * o.over : m * o.over, e - o.e - static_cast<std::int64_t>(zeros),
          over * divisor};
}

int Fraction::compare(const Fraction& a, const Fraction& b) {
  if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
  return (a - b).sign();
}

Fraction Fraction::reduced() const {
  if (sign() == 0) return {};
  const std::int64_t zeros = static_cast<std::int64_t>(m.trailing_zeros());
  Fraction r(shifted(m, zeros), e + zeros, over);
  const BigInt common = is_dyadic() ? 1 : BigInt::gcd(r.m, over);
  if (common.bits() > 1) r.m = quotient(r.m, common), r.over = quotient(over, common);
  return r;
}

BigInt Fraction::numerator() const { return top(reduced()); }
BigInt Fraction::denominator() const { return bottom(reduced()); }

std::string Fraction::text() const {
  const Fraction r = reduced();
  const std::string below = bottom(r).decimal();
  return top(r).decimal() + (below == "1" ? "" : "/" + below);
}

Fraction Fraction::up(std::uint64_t bits) const {
  if (is_dyadic() && m.bits() <= bits) return *this;
  const std::int64_t cut = length(m) - length(over) - static_cast<std::int64_t>(bits) + 1;
  return dyadic(-quotient(shifted(-m, cut), over), e + cut);
}

double Fraction::double_up() const {
  if (!is_dyadic()) return up(300).double_up();
  if (sign() == 0) return 0;
  const std::int64_t top = length(m) + e;  // |value| < 2^top
  if (top > 1024) {
    return sign() > 0 ? std::numeric_limits<double>::infinity()
                      : -std::numeric_limits<double>::max();
  }
  std::int64_t q = 0, last = std::max<std::int64_t>(top - 53, -1074);
  (-shifted(-m, last - e)).fits_int64(&q);  // the shift rounds down, so this rounds up
  return std::ldexp(static_cast<double>(q), static_cast<int>(last));  // |q| <= 2^53: both are exact
}

// With t = floor(2^(2k)/v) and r = floor(sqrt(t)): r <= 2^k/sqrt(v), and (r+1)^2 >= t+1 > 2^(2k)/v.
void Fraction::inverse_root(const Fraction& v, std::uint64_t bits, Fraction* lower,
                            Fraction* upper) {
  const std::int64_t top = length(v.m) + v.e;
  const std::int64_t k = static_cast<std::int64_t>(bits) + 2 + (top < 0 ? 0 : top);
  const std::int64_t shift = 2 * k - v.e;  // 2^(2k)/v = 2^shift/m; shift > 0 by the choice of k
  const BigInt r = BigInt::isqrt(quotient(shifted(1, -shift), v.m));
  *lower = dyadic(r, -k);
  *upper = dyadic(r + 1, -k);
}

}  // namespace outward_check
