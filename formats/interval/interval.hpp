// Intervals with ends in a binary format, outward by construction: the lower end rounded down, the upper one up, in one
// rounding each. Assumes: a format with a sign and gradual underflow (require_interval_format). Promises: the result
// contains every value of the operation at points of the operands where it is defined (IEEE 1788-2015, set-based
// flavour: an operation that is defined nowhere gives the empty interval), and, unless said otherwise, is the least
// such interval of the format.
//
// Ends that cannot be enclosed: formats with infinities have unbounded intervals; in all others (fn, fnuz, finite,
// saturate) an operation whose result exceeds the greatest finite number throws EnclosureFailure. It never saturates.
// Division by an interval that contains 0 follows the same rule: the unbounded result of IEEE 1788, or the failure.
#pragma once
#include <stdexcept>

#include "formats/rounded.hpp"

namespace outward {

class EnclosureFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Interval {
 public:
  Interval() = default;  // the empty interval
  // REQUIRES lo <= hi, no NaN, not both the same infinity; throws std::domain_error otherwise.
  Interval(Value lo, Value hi);

  bool is_empty() const { return empty_; }
  // Of the empty interval: throws std::domain_error.
  const Value& lower() const;
  const Value& upper() const;
  bool is_point() const;
  bool is_bounded() const;  // empty counts as bounded

 private:
  Value lo_, hi_;
  bool empty_ = true;
};

// Throws InputRefused for unsigned formats and for flush (rounding up to zero would not be outward).
void require_interval_format(const Format& format);

Interval point_interval(const Value& x);
Interval entire(const Format& format);  // throws EnclosureFailure without infinities
// The least interval of the format around [lo, hi], exact rationals or values of any format. REQUIRES lo <= hi.
Interval enclose(const Format& format, const Rational& lo, const Rational& hi);
Interval convert(const Format& format, const Interval& x);

bool same(const Interval& a, const Interval& b);  // equal as sets
bool contains(const Interval& a, const Value& x);
bool contains(const Interval& a, const Rational& x);
bool subset(const Interval& a, const Interval& b);
Interval intersection(const Interval& a, const Interval& b);
Interval hull(const Interval& a, const Interval& b);
// Upper bounds of hi - lo and of max |x|, and the rounded midpoint. REQUIRE a bounded interval that is not empty.
Value width_up(const Format& format, const Interval& a);
Value magnitude(const Format& format, const Interval& a);
Value midpoint(const Format& format, const Interval& a);

Interval add(const Format& format, const Interval& a, const Interval& b);
Interval subtract(const Format& format, const Interval& a, const Interval& b);
Interval multiply(const Format& format, const Interval& a, const Interval& b);
Interval divide(const Format& format, const Interval& a, const Interval& b);
Interval reciprocal(const Format& format, const Interval& a);
Interval square(const Format& format, const Interval& a);
Interval square_root(const Format& format, const Interval& a);
Interval fused_multiply_add(const Format& format, const Interval& a, const Interval& b, const Interval& c);
Interval negate(const Format& format, const Interval& a);
Interval absolute(const Format& format, const Interval& a);
Interval minimum(const Interval& a, const Interval& b);
Interval maximum(const Interval& a, const Interval& b);
Interval sign(const Format& format, const Interval& a);
Interval round_to_integral(const Format& format, const Interval& a, Rounding rounding);
Interval power(const Format& format, const Interval& a, std::int64_t n);

// The function over the interval, on its domain. Least, except: sin and cos of angles of 2^(2^17) and more give [-1,
// 1], and a least value of gelu, gelu_tanh, silu or mish inside the interval is enclosed to twice the precision before
// it is rounded.
Interval apply(const Format& format, Function function, const Interval& a);

}  // namespace outward
