// Intervals: construction, sets and arithmetic. See the header.
#include "formats/interval/interval.hpp"

#include <array>
#include <utility>

#include "formats/error.hpp"
#include "formats/interval/checked_ends.hpp"

namespace outward {
namespace {

using interval_detail::lower_end;
using interval_detail::upper_end;

bool is_zero(const Value& x) { return x.kind == ValueKind::zero; }
int sign_of(const Value& x) { return is_zero(x) ? 0 : x.negative ? -1 : 1; }

// a op b with 0 times an infinity as 0: ends of intervals stand for limits of finite numbers.
Value product(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  if (is_zero(a) || is_zero(b)) return zero_of(format, false);
  return outward::multiply(format, a, b, rounding, flags);
}

}  // namespace

namespace interval_detail {

int order(const Value& a, const Value& b) {
  Flags flags;
  switch (compare_quiet(a, b, flags)) {
    case Order::less:
      return -1;
    case Order::equal:
      return 0;
    case Order::greater:
      return 1;
    case Order::unordered:
      break;
  }
  throw std::domain_error("an end of an interval is not a number");
}

bool has_infinities(const Format& format) { return format.has_infinity() && !format.saturate; }

namespace {
[[noreturn]] void fail(const Format& format) {
  throw EnclosureFailure("the format " + format_text(format) + " has no number beyond the end of the interval");
}
Value checked(const Format& format, const Value& x, const Flags& flags, bool is_upper) {
  if (x.is_nan()) fail(format);
  if (has_infinities(format)) return x;
  if (x.kind == ValueKind::infinite) fail(format);
  // A pole, or an invalid operation that the format has no NaN for.
  if (flags.divide_by_zero || flags.invalid) fail(format);
  // Rounded toward zero the greatest number is a bound; rounded away it would be a saturated one.
  if (flags.overflow && x.negative != is_upper) fail(format);
  return x;
}
}  // namespace

Value lower_end(const Format& format, const Value& x, const Flags& flags) { return checked(format, x, flags, false); }
Value upper_end(const Format& format, const Value& x, const Flags& flags) { return checked(format, x, flags, true); }

Value unbounded(const Format& format, bool negative) {
  if (!has_infinities(format)) fail(format);
  return infinite_value(negative);
}

}  // namespace interval_detail

using interval_detail::order;

Interval::Interval(Value lo, Value hi) : lo_(std::move(lo)), hi_(std::move(hi)), empty_(false) {
  if (order(lo_, hi_) > 0) throw std::domain_error("the lower end of an interval is above the upper one");
  if (lo_.kind == ValueKind::infinite && (!lo_.negative || (hi_.kind == ValueKind::infinite && hi_.negative)))
    throw std::domain_error("an interval of no finite number");
}

const Value& Interval::lower() const {
  if (empty_) throw std::domain_error("the empty interval has no ends");
  return lo_;
}
const Value& Interval::upper() const {
  if (empty_) throw std::domain_error("the empty interval has no ends");
  return hi_;
}
bool Interval::is_point() const { return !empty_ && order(lo_, hi_) == 0; }
bool Interval::is_bounded() const { return empty_ || (lo_.is_finite() && hi_.is_finite()); }

void require_interval_format(const Format& format) {
  if (format.convention == Convention::scale)
    throw InputRefused({"interval-format", format_text(format), "an unsigned format has no intervals", "", "", ""});
  if (format.flush)
    throw InputRefused({"interval-format", format_text(format),
                        "results that are flushed to zero are not rounded outward", "", "", ""});
}

Interval point_interval(const Value& x) { return {x, x}; }

Interval entire(const Format& format) {
  return {interval_detail::unbounded(format, true), interval_detail::unbounded(format, false)};
}

Interval enclose(const Format& format, const Rational& lo, const Rational& hi) {
  Flags below, above;
  const Value a = round(format, lo, Rounding::down, below), b = round(format, hi, Rounding::up, above);
  return {lower_end(format, a, below), upper_end(format, b, above)};
}

Interval convert(const Format& format, const Interval& x) {
  if (x.is_empty()) return x;
  const auto end = [&](const Value& v, bool is_upper) {
    if (v.kind == ValueKind::infinite) return interval_detail::unbounded(format, v.negative);
    Flags flags;
    const Value out = convert(format, v, is_upper ? Rounding::up : Rounding::down, flags);
    return is_upper ? upper_end(format, out, flags) : lower_end(format, out, flags);
  };
  return {end(x.lower(), false), end(x.upper(), true)};
}

bool same(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return a.is_empty() == b.is_empty();
  return order(a.lower(), b.lower()) == 0 && order(a.upper(), b.upper()) == 0;
}

bool contains(const Interval& a, const Value& x) {
  return !a.is_empty() && x.is_finite() && order(a.lower(), x) <= 0 && order(x, a.upper()) <= 0;
}

bool contains(const Interval& a, const Rational& x) {
  if (a.is_empty()) return false;
  const bool above = a.lower().kind == ValueKind::infinite || to_rational(a.lower()) <= x;
  return above && (a.upper().kind == ValueKind::infinite || x <= to_rational(a.upper()));
}

bool subset(const Interval& a, const Interval& b) {
  if (a.is_empty()) return true;
  return !b.is_empty() && order(b.lower(), a.lower()) <= 0 && order(a.upper(), b.upper()) <= 0;
}

Interval intersection(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return {};
  const Value& lo = order(a.lower(), b.lower()) >= 0 ? a.lower() : b.lower();
  const Value& hi = order(a.upper(), b.upper()) <= 0 ? a.upper() : b.upper();
  return order(lo, hi) <= 0 ? Interval(lo, hi) : Interval();
}

Interval hull(const Interval& a, const Interval& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  return {order(a.lower(), b.lower()) <= 0 ? a.lower() : b.lower(),
          order(a.upper(), b.upper()) >= 0 ? a.upper() : b.upper()};
}

Value width_up(const Format& format, const Interval& a) {
  Flags flags;
  const Value out = outward::subtract(format, a.upper(), a.lower(), Rounding::up, flags);
  return upper_end(format, out, flags);
}

Value magnitude(const Format& format, const Interval& a) { return absolute(format, a).upper(); }

Value midpoint(const Format& format, const Interval& a) {
  Flags flags;
  return round(format, (to_rational(a.lower()) + to_rational(a.upper())) / 2, Rounding::nearest_even, flags);
}

Interval add(const Format& format, const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return {};
  Flags below, above;
  const Value lo = outward::add(format, a.lower(), b.lower(), Rounding::down, below);
  const Value hi = outward::add(format, a.upper(), b.upper(), Rounding::up, above);
  return {lower_end(format, lo, below), upper_end(format, hi, above)};
}

Interval subtract(const Format& format, const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return {};
  Flags below, above;
  const Value lo = outward::subtract(format, a.lower(), b.upper(), Rounding::down, below);
  const Value hi = outward::subtract(format, a.upper(), b.lower(), Rounding::up, above);
  return {lower_end(format, lo, below), upper_end(format, hi, above)};
}

namespace {

// Ends of one corner. An infinite corner is an end on its own side only: on the other one the greatest finite number
// stands.
Interval outer_ends(const Format& format, const Value& lo, const Value& hi) {
  return {lo.kind == ValueKind::infinite && !lo.negative ? greatest_finite(format) : lo,
          hi.kind == ValueKind::infinite && hi.negative ? greatest_finite(format, true) : hi};
}

// Takes one more corner in. Of equal ends the flags of all count: a saturated end may equal an exact one.
void extend(Interval& all, Flags& below, Flags& above, const Interval& corner, const Flags& down, const Flags& up) {
  if (all.is_empty()) {
    all = corner;
    below = down;
    above = up;
    return;
  }
  const int lo = order(corner.lower(), all.lower()), hi = order(corner.upper(), all.upper());
  if (lo < 0) below = down;
  if (lo == 0) below |= down;
  if (hi > 0) above = up;
  if (hi == 0) above |= up;
  all = hull(all, corner);
}

// The least of f(x_i, y_i) rounded down and the greatest rounded up, over the four pairs of ends.
template <class Operation>
Interval over_corners(const Format& format, const Interval& a, const Interval& b, Operation f) {
  Interval out;
  Flags below, above;
  for (const Value* x : {&a.lower(), &a.upper()})
    for (const Value* y : {&b.lower(), &b.upper()}) {
      Flags down, up;
      const Value lo = f(*x, *y, Rounding::down, down), hi = f(*x, *y, Rounding::up, up);
      if (lo.is_nan() || hi.is_nan()) lower_end(format, lo.is_nan() ? lo : hi, down);
      extend(out, below, above, outer_ends(format, lo, hi), down, up);
    }
  return {lower_end(format, out.lower(), below), upper_end(format, out.upper(), above)};
}

}  // namespace

Interval multiply(const Format& format, const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return {};
  // Both of one sign: two products. 0 at an end counts as either.
  const bool a_up = sign_of(a.lower()) >= 0, b_up = sign_of(b.lower()) >= 0;
  if (a_up && b_up) {
    Flags below, above;
    const Value lo = product(format, a.lower(), b.lower(), Rounding::down, below);
    const Value hi = product(format, a.upper(), b.upper(), Rounding::up, above);
    return {lower_end(format, lo, below), upper_end(format, hi, above)};
  }
  return over_corners(format, a, b, [&](const Value& x, const Value& y, Rounding r, Flags& flags) {
    return product(format, x, y, r, flags);
  });
}

Interval divide(const Format& format, const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return {};
  const int lo_sign = sign_of(b.lower()), hi_sign = sign_of(b.upper());
  if (lo_sign == 0 && hi_sign == 0) return {};
  if (sign_of(a.lower()) == 0 && sign_of(a.upper()) == 0) return point_interval(zero_of(format, false));
  if (lo_sign < 0 && hi_sign > 0) return entire(format);
  if (lo_sign != 0 && hi_sign != 0)
    return over_corners(format, a, b, [&](const Value& x, const Value& y, Rounding r, Flags& flags) {
      if (is_zero(x) || y.kind == ValueKind::infinite) return zero_of(format, false);
      return outward::divide(format, x, y, r, flags);
    });
  // b = [0, h] or [-h, 0]: a half-line from the end of a nearest to 0 over the far end of b, if a is of one sign.
  const Value& far = lo_sign == 0 ? b.upper() : b.lower();
  const bool b_negative = lo_sign != 0;
  const bool a_positive = sign_of(a.lower()) >= 0, a_negative = sign_of(a.upper()) <= 0;
  if (!a_positive && !a_negative) return entire(format);
  const Value& near = a_positive ? a.lower() : a.upper();
  const bool result_positive = a_positive != b_negative;
  Flags flags;
  const Rounding rounding = result_positive ? Rounding::down : Rounding::up;
  const Value end = is_zero(near) || far.kind == ValueKind::infinite
                        ? zero_of(format, false)
                        : outward::divide(format, near, far, rounding, flags);
  if (result_positive) return {lower_end(format, end, flags), interval_detail::unbounded(format, false)};
  return {interval_detail::unbounded(format, true), upper_end(format, end, flags)};
}

Interval reciprocal(const Format& format, const Interval& a) {
  Flags flags;
  const Value one = round(format, Rational(1), Rounding::nearest_even, flags);
  return divide(format, point_interval(one), a);
}

Interval square(const Format& format, const Interval& a) { return power(format, a, 2); }

Interval square_root(const Format& format, const Interval& a) {
  if (a.is_empty() || sign_of(a.upper()) < 0) return {};
  Flags below, above;
  const Value lo =
      sign_of(a.lower()) <= 0 ? zero_of(format, false) : outward::square_root(format, a.lower(), Rounding::down, below);
  const Value hi = outward::square_root(format, a.upper(), Rounding::up, above);
  return {lower_end(format, lo, below), upper_end(format, hi, above)};
}

Interval fused_multiply_add(const Format& format, const Interval& a, const Interval& b, const Interval& c) {
  if (a.is_empty() || b.is_empty() || c.is_empty()) return {};
  Interval out;
  Flags below, above;
  for (const Value* x : {&a.lower(), &a.upper()})
    for (const Value* y : {&b.lower(), &b.upper()}) {
      const auto end = [&](const Value& z, Rounding r, Flags& flags) {
        const bool none = is_zero(*x) || is_zero(*y);
        if (none) return outward::add(format, zero_of(format, false), z, r, flags);
        if ((x->kind == ValueKind::infinite || y->kind == ValueKind::infinite || z.kind == ValueKind::infinite)) {
          // The end asked for is the limit that is further out: an infinite summand decides, then an infinite product.
          const bool product_infinite = x->kind == ValueKind::infinite || y->kind == ValueKind::infinite;
          if (z.kind == ValueKind::infinite) return z;
          return product_infinite ? infinite_value(x->negative != y->negative) : z;
        }
        return outward::fused_multiply_add(format, *x, *y, z, r, flags);
      };
      Flags down, up;
      const Value lo = end(c.lower(), Rounding::down, down), hi = end(c.upper(), Rounding::up, up);
      if (lo.is_nan() || hi.is_nan()) lower_end(format, lo.is_nan() ? lo : hi, down);
      extend(out, below, above, outer_ends(format, lo, hi), down, up);
    }
  return {lower_end(format, out.lower(), below), upper_end(format, out.upper(), above)};
}

Interval negate(const Format& format, const Interval& a) {
  if (a.is_empty()) return a;
  return {outward::negate(format, a.upper()), outward::negate(format, a.lower())};
}

Interval absolute(const Format& format, const Interval& a) {
  if (a.is_empty() || sign_of(a.lower()) >= 0) return a;
  const Interval turned = negate(format, a);
  if (sign_of(a.upper()) <= 0) return turned;
  return {zero_of(format, false), order(turned.upper(), a.upper()) >= 0 ? turned.upper() : a.upper()};
}

Interval minimum(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return {};
  return {order(a.lower(), b.lower()) <= 0 ? a.lower() : b.lower(),
          order(a.upper(), b.upper()) <= 0 ? a.upper() : b.upper()};
}

Interval maximum(const Interval& a, const Interval& b) {
  if (a.is_empty() || b.is_empty()) return {};
  return {order(a.lower(), b.lower()) >= 0 ? a.lower() : b.lower(),
          order(a.upper(), b.upper()) >= 0 ? a.upper() : b.upper()};
}

Interval sign(const Format& format, const Interval& a) {
  if (a.is_empty()) return a;
  return enclose(format, Rational(sign_of(a.lower())), Rational(sign_of(a.upper())));
}

Interval round_to_integral(const Format& format, const Interval& a, Rounding rounding) {
  if (a.is_empty()) return a;
  Flags below, above;
  const Value lo = outward::round_to_integral(format, a.lower(), rounding, false, below);
  const Value hi = outward::round_to_integral(format, a.upper(), rounding, false, above);
  return {lower_end(format, lo, below), upper_end(format, hi, above)};
}

Interval power(const Format& format, const Interval& a, std::int64_t n) {
  if (a.is_empty()) return a;
  if (n == 0) return enclose(format, 1, 1);
  const bool has_zero = sign_of(a.lower()) <= 0 && sign_of(a.upper()) >= 0;
  const auto end = [&](const Value& x, Rounding rounding) {
    Flags flags;
    const Value out = power(format, x, n, rounding, flags);
    return rounding == Rounding::down ? lower_end(format, out, flags) : upper_end(format, out, flags);
  };
  const bool even = n % 2 == 0;
  if (n > 0) {
    if (!even) return {end(a.lower(), Rounding::down), end(a.upper(), Rounding::up)};
    const Interval magnitudes = absolute(format, a);
    return {end(magnitudes.lower(), Rounding::down), end(magnitudes.upper(), Rounding::up)};
  }
  if (sign_of(a.lower()) == 0 && sign_of(a.upper()) == 0) return {};
  if (even) {  // decreasing in |x|
    const Interval magnitudes = absolute(format, a);
    const Value lo = end(magnitudes.upper(), Rounding::down);
    return {lo, has_zero ? interval_detail::unbounded(format, false) : end(magnitudes.lower(), Rounding::up)};
  }
  if (sign_of(a.lower()) < 0 && sign_of(a.upper()) > 0) return entire(format);
  const Value lo = sign_of(a.upper()) == 0 ? interval_detail::unbounded(format, true) : end(a.upper(), Rounding::down);
  const Value hi = sign_of(a.lower()) == 0 ? interval_detail::unbounded(format, false) : end(a.lower(), Rounding::up);
  return {lo, hi};
}

}  // namespace outward
