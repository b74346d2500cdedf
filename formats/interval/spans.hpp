// Intervals over the ends of ends.hpp, for computing with many of them: bounds that no number of the format encloses
// are unbounded instead of an exception. Never empty.
//
// Promises, for every operation: the result contains the values at all points of the operands; it is the image of the
// operands with each end rounded once outward (a product plus a sum too), 0 times an unbounded end being 0. So it is
// inclusion isotonic, in the operands and in the format: narrower operands, or a format with more numbers, never give a
// wider result.
#pragma once
#include <utility>

#include "formats/interval/ends.hpp"

namespace outward {

template <class Ends>
struct Span {
  typename Ends::Number lo, hi;
};

template <class Ends>
class Spans {
 public:
  using Number = typename Ends::Number;
  using S = Span<Ends>;

  explicit Spans(Ends ends) : ends_(std::move(ends)) {}
  const Ends& ends() const { return ends_; }

  S zero() const { return {ends_.zero(), ends_.zero()}; }
  S whole() const { return {ends_.unbounded(true), ends_.unbounded(false)}; }
  S from(const Rational& lo, const Rational& hi) const {
    return {ends_.from(lo, Rounding::down), ends_.from(hi, Rounding::up)};
  }
  S from(const Rational& x) const { return from(x, x); }

  bool is_zero(const S& a) const { return ends_.sign(a.lo) == 0 && ends_.sign(a.hi) == 0; }
  bool is_bounded(const S& a) const { return ends_.is_bounded(a.lo) && ends_.is_bounded(a.hi); }
  bool is_negative(const S& a) const { return ends_.sign(a.hi) <= 0; }  // no point above 0
  bool is_positive(const S& a) const { return ends_.sign(a.lo) >= 0; }  // no point below 0

  const Number& least(const Number& a, const Number& b) const { return ends_.compare(a, b) <= 0 ? a : b; }
  const Number& greatest(const Number& a, const Number& b) const { return ends_.compare(a, b) >= 0 ? a : b; }
  S hull(const S& a, const S& b) const { return {least(a.lo, b.lo), greatest(a.hi, b.hi)}; }
  // REQUIRES a common point.
  S meet(const S& a, const S& b) const { return {greatest(a.lo, b.lo), least(a.hi, b.hi)}; }
  bool disjoint(const S& a, const S& b) const { return ends_.compare(a.hi, b.lo) < 0 || ends_.compare(b.hi, a.lo) < 0; }
  S maximum(const S& a, const S& b) const { return {greatest(a.lo, b.lo), greatest(a.hi, b.hi)}; }
  // The points above 0 and 0 in place of the others; likewise below.
  S positive_part(const S& a) const { return maximum(a, zero()); }
  S negative_part(const S& a) const { return {least(a.lo, ends_.zero()), least(a.hi, ends_.zero())}; }

  S negate(const S& a) const { return {ends_.negate(a.hi, Rounding::down), ends_.negate(a.lo, Rounding::up)}; }
  S add(const S& a, const S& b) const { return {sum(a.lo, b.lo, Rounding::down), sum(a.hi, b.hi, Rounding::up)}; }
  S multiply(const S& a, const S& b) const { return {product_lower(a, b), product_upper(a, b)}; }
  // a * b + c.
  S fused(const S& a, const S& b, const S& c) const { return {fused_lower(a, b, c.lo), fused_upper(a, b, c.hi)}; }

  // Ends alone, for sums whose other end nobody asks for.
  Number product_lower(const S& a, const S& b) const { return fused_lower(a, b, ends_.zero()); }
  Number product_upper(const S& a, const S& b) const { return fused_upper(a, b, ends_.zero()); }
  Number fused_lower(const S& a, const S& b, const Number& c) const {
    if (!ends_.is_bounded(c)) return c;
    constexpr Rounding r = Rounding::down;
    if (is_positive(a)) return fused(is_positive(b) ? a.lo : a.hi, b.lo, c, r);
    if (is_negative(a)) return fused(ends_.sign(b.hi) >= 0 ? a.lo : a.hi, b.hi, c, r);
    if (is_positive(b)) return fused(a.lo, b.hi, c, r);
    if (is_negative(b)) return fused(a.hi, b.lo, c, r);
    return least(fused(a.lo, b.hi, c, r), fused(a.hi, b.lo, c, r));
  }
  Number fused_upper(const S& a, const S& b, const Number& c) const {
    if (!ends_.is_bounded(c)) return c;
    constexpr Rounding r = Rounding::up;
    if (is_positive(a)) return fused(ends_.sign(b.hi) >= 0 ? a.hi : a.lo, b.hi, c, r);
    if (is_negative(a)) return fused(ends_.sign(b.lo) < 0 ? a.lo : a.hi, b.lo, c, r);
    if (is_positive(b)) return fused(a.hi, b.hi, c, r);
    if (is_negative(b)) return fused(a.lo, b.lo, c, r);
    return greatest(fused(a.lo, b.lo, c, r), fused(a.hi, b.hi, c, r));
  }

  // The whole line when b contains 0, unless a is 0.
  S divide(const S& a, const S& b) const {
    if (is_zero(a)) return zero();
    const int lo = ends_.sign(b.lo), hi = ends_.sign(b.hi);
    if (lo <= 0 && hi >= 0) return whole();
    const Number& near = lo > 0 ? b.lo : b.hi;  // the end of b nearest 0: the quotients furthest out
    const Number& far = lo > 0 ? b.hi : b.lo;
    const Number& down = lo > 0 ? a.lo : a.hi;  // the end of a that gives the lower end
    const Number& up = lo > 0 ? a.hi : a.lo;
    const bool down_is_out = ends_.sign(down) * (lo > 0 ? 1 : -1) < 0;
    const bool up_is_out = ends_.sign(up) * (lo > 0 ? 1 : -1) > 0;
    return {quotient(down, down_is_out ? near : far, Rounding::down),
            quotient(up, up_is_out ? near : far, Rounding::up)};
  }
  // Of the points of a not below 0 (there is none: 0).
  S square_root(const S& a) const {
    const auto end = [&](const Number& x, Rounding r) {
      return ends_.sign(x) <= 0 ? ends_.zero() : ends_.is_bounded(x) ? ends_.square_root(x, r) : x;
    };
    return {end(a.lo, Rounding::down), end(a.hi, Rounding::up)};
  }

 private:
  Number sum(const Number& a, const Number& b, Rounding r) const {
    if (!ends_.is_bounded(a)) return a;
    return ends_.is_bounded(b) ? ends_.add(a, b, r) : b;
  }
  Number fused(const Number& a, const Number& b, const Number& c, Rounding r) const {
    const int sign = ends_.sign(a) * ends_.sign(b);
    if (sign == 0) return c;
    if (!ends_.is_bounded(a) || !ends_.is_bounded(b)) return ends_.unbounded(sign < 0);
    return ends_.sign(c) == 0 ? ends_.multiply(a, b, r) : ends_.fused(a, b, c, r);
  }
  Number quotient(const Number& a, const Number& b, Rounding r) const {
    if (ends_.sign(a) == 0) return a;
    if (!ends_.is_bounded(b)) return ends_.zero();
    if (!ends_.is_bounded(a)) return ends_.unbounded((ends_.sign(a) < 0) != (ends_.sign(b) < 0));
    return ends_.divide(a, b, r);
  }

  Ends ends_;
};

}  // namespace outward
