// Posits: exact values, conversions, end points of enclosures, and the quire.
#include <stdexcept>

#include "formats/posit/posit.hpp"

namespace outward::posit {

namespace {

Integer signed_significand(const Parts& x) {
  return x.negative ? Integer(-Integer(x.significand)) : Integer(x.significand);
}

// x as an integer, ties to even.
Integer to_nearest_integer(const Parts& x) {
  Integer magnitude = x.significand;
  if (x.exponent >= 0) {
    magnitude <<= static_cast<unsigned>(x.exponent);
  } else {
    const auto drop = static_cast<unsigned>(-x.exponent);
    const Integer kept = magnitude >> drop;
    const Integer twice_rest = (magnitude - (kept << drop)) * 2;
    const int order = twice_rest.compare(Integer(1) << drop);
    magnitude = order > 0 || (order == 0 && kept % 2 != 0) ? kept + 1 : kept;
  }
  return x.negative ? Integer(-magnitude) : magnitude;
}

}  // namespace

Rational to_rational(Code code, int n) {
  const Parts x = decode(code, n);
  const Integer m = signed_significand(x);
  if (x.exponent >= 0) return Rational(Integer(m << static_cast<unsigned>(x.exponent)));
  return Rational(m, Integer(1) << static_cast<unsigned>(-x.exponent));
}

Code from_rational(const Rational& value, int n) {
  const Integer above = numerator(value), below = denominator(value);
  if (above.is_zero()) return 0;
  const Integer magnitude = abs(above);
  const auto bits = [](const Integer& x) { return static_cast<std::int64_t>(boost::multiprecision::msb(x)); };
  const std::int64_t room = std::max<std::int64_t>(0, bits(below) - bits(magnitude) + 66);
  Integer quotient, rest;
  boost::multiprecision::divide_qr(Integer(magnitude << static_cast<unsigned>(room)), below, quotient, rest);
  return round(above < 0, quotient, -room, !rest.is_zero(), n);
}

Code from_integer(const Integer& value, int n) {
  return value.is_zero() ? 0 : round(value < 0, Integer(abs(value)), 0, false, n);
}

std::optional<Integer> to_integer(Code code, int n, int bits, bool is_signed) {
  if (code == not_a_real(n)) return std::nullopt;
  const Integer value = to_nearest_integer(decode(code, n));
  const Integer limit = Integer(1) << static_cast<unsigned>(is_signed ? bits - 1 : bits);
  if (value >= limit || value < (is_signed ? Integer(-limit) : Integer(0))) return std::nullopt;
  return value;
}

Code nearest_integer(Code a, int n) {
  return a == not_a_real(n) ? a : from_integer(to_nearest_integer(decode(a, n)), n);
}

Code resize(Code code, int from, int to) {
  if (code == not_a_real(from)) return not_a_real(to);
  if (code == 0) return 0;
  const Parts x = decode(code, from);
  return round(x.negative, Word{x.significand}, x.exponent, false, to);
}

std::optional<Code> round_down(const Rational& value, int n) {
  const Rational end = to_rational(greatest(n), n);
  if (value > end || value < -end) return std::nullopt;
  const Code nearest = from_rational(value, n);
  return to_rational(nearest, n) > value ? nearest - 1 : nearest;
}

std::optional<Code> round_up(const Rational& value, int n) {
  const auto below = round_down(-value, n);
  if (!below) return std::nullopt;
  return -*below;
}

void Quire::accumulate(Code a, Code b, bool subtract) {
  if (a == not_a_real(n_) || b == not_a_real(n_)) nar_ = true;
  if (nar_ || a == 0 || b == 0) return;
  const Parts x = decode(a, n_), y = decode(b, n_);
  // Never negative: posits are multiples of minPos = 2^-(4n-8).
  const int shift = x.exponent + y.exponent + 8 * n_ - 16;
  const Integer product = Integer(x.significand) * y.significand << static_cast<unsigned>(shift);
  if ((x.negative != y.negative) != subtract)
    sum_ -= product;
  else
    sum_ += product;
  check_range();
}

void Quire::check_range() {
  const Integer limit = Integer(1) << static_cast<unsigned>(16 * n_ - 1);
  if (sum_ >= limit || sum_ <= -limit) nar_ = true;
}

void Quire::add(const Quire& other) {
  if (other.n_ != n_) throw std::logic_error("quires of different widths");
  nar_ |= other.nar_;
  sum_ += other.sum_;
  check_range();
}

void Quire::negate() { sum_ = -sum_; }

Code Quire::to_posit() const {
  if (nar_) return not_a_real(n_);
  return sum_.is_zero() ? 0 : round(sum_ < 0, Integer(abs(sum_)), 16 - 8 * n_, false, n_);
}

Rational Quire::value() const { return Rational(sum_, Integer(1) << static_cast<unsigned>(8 * n_ - 16)); }

Integer Quire::bits() const {
  const Integer full = Integer(1) << static_cast<unsigned>(16 * n_);
  if (nar_) return full / 2;
  return sum_ < 0 ? Integer(full + sum_) : sum_;
}

Code dot(const std::vector<Code>& a, const std::vector<Code>& b, int n) {
  if (a.size() != b.size()) throw std::logic_error("a dot product of vectors of different lengths");
  Quire quire(n);
  for (std::size_t i = 0; i < a.size(); ++i) quire.add_product(a[i], b[i]);
  return quire.to_posit();
}

}  // namespace outward::posit
