// Decimal arithmetic: orders, minimum and maximum, neighbours, classes.
#include <algorithm>

#include "formats/decimal/internal.hpp"

namespace outward::decimal {

int compare_magnitude(const Number& x, const Number& y) {
  if (x.coefficient.is_zero() || y.coefficient.is_zero())
    return static_cast<int>(!x.coefficient.is_zero()) - static_cast<int>(!y.coefficient.is_zero());
  const std::int64_t first_x = x.exponent + digits_of(x.coefficient), first_y = y.exponent + digits_of(y.coefficient);
  if (first_x != first_y) return first_x < first_y ? -1 : 1;
  // Equal first digits: the exponents differ by no more than the operands are long.
  const std::int64_t low = std::min(x.exponent, y.exponent);
  const int order =
      Integer(x.coefficient * power_of_ten(x.exponent - low)).compare(y.coefficient * power_of_ten(y.exponent - low));
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

namespace {

// Order of values that are not NaN.
int compare_values(const Number& x, const Number& y) {
  if (x.is_zero() && y.is_zero()) return 0;
  const int sign_x = x.is_zero() ? 0 : x.negative ? -1 : 1, sign_y = y.is_zero() ? 0 : y.negative ? -1 : 1;
  if (sign_x != sign_y) return sign_x < sign_y ? -1 : 1;
  int order;
  if (x.is_infinite() || y.is_infinite())
    order = static_cast<int>(x.is_infinite()) - static_cast<int>(y.is_infinite());
  else
    order = compare_magnitude(x, y);
  return sign_x * order;
}

Number unsigned_copy(Number x) {
  x.negative = false;
  return x;
}

// number: one quiet NaN loses; otherwise NaNs win.
Number extreme(const Number& x, const Number& y, bool greater, bool magnitude, bool number, const Context& context,
               Flags& flags) {
  const bool signaling = x.kind == Kind::signaling_nan || y.kind == Kind::signaling_nan;
  if (!signaling && number) {
    if (x.is_nan() && !y.is_nan()) return convert(y, context, flags);
    if (y.is_nan() && !x.is_nan()) return convert(x, context, flags);
  }
  if (auto nan = nan_among({&x, &y}, context, flags)) return *nan;
  int order = magnitude ? compare_values(unsigned_copy(x), unsigned_copy(y)) : 0;
  if (order == 0) order = compare_values(x, y);
  if (order == 0) order = total_order(x, y);
  return convert(greater == (order > 0) ? x : y, context, flags);
}

}  // namespace

std::optional<int> compare(const Number& x, const Number& y, bool signaling, Flags& flags) {
  if (x.is_nan() || y.is_nan()) {
    if (signaling || x.kind == Kind::signaling_nan || y.kind == Kind::signaling_nan) flags.invalid = true;
    return std::nullopt;
  }
  return compare_values(x, y);
}

int total_order(const Number& x, const Number& y) {
  if (x.negative != y.negative) return x.negative ? -1 : 1;
  const auto rank = [](const Number& v) {  // zeros and other numbers, infinity, sNaN, NaN
    return v.is_finite() ? 0 : v.is_infinite() ? 1 : v.kind == Kind::signaling_nan ? 2 : 3;
  };
  int order;
  if (rank(x) != rank(y)) {
    order = rank(x) < rank(y) ? -1 : 1;
  } else if (x.is_nan()) {
    const int payloads = x.coefficient.compare(y.coefficient);
    order = payloads < 0 ? -1 : payloads > 0 ? 1 : 0;
  } else if (x.is_infinite()) {
    order = 0;
  } else {
    order = compare_magnitude(x, y);
    if (order == 0) order = x.exponent < y.exponent ? -1 : x.exponent > y.exponent ? 1 : 0;
  }
  return x.negative ? -order : order;
}

int total_order_magnitude(const Number& x, const Number& y) { return total_order(unsigned_copy(x), unsigned_copy(y)); }

Number minimum_number(const Number& x, const Number& y, bool magnitude, const Context& context, Flags& flags) {
  return extreme(x, y, false, magnitude, true, context, flags);
}
Number maximum_number(const Number& x, const Number& y, bool magnitude, const Context& context, Flags& flags) {
  return extreme(x, y, true, magnitude, true, context, flags);
}
Number minimum(const Number& x, const Number& y, const Context& context, Flags& flags) {
  return extreme(x, y, false, false, false, context, flags);
}
Number maximum(const Number& x, const Number& y, const Context& context, Flags& flags) {
  return extreme(x, y, true, false, false, context, flags);
}

namespace {

Number largest(bool negative, const Context& context) {
  return {Kind::finite, negative, power_of_ten(context.precision) - 1, context.emax - (context.precision - 1)};
}

// The neighbour in one direction: x moved by less than the least number, rounded that way.
Number neighbour(const Number& x, bool upwards, Context context, Flags& flags) {
  if (auto nan = nan_among({&x}, context, flags)) return *nan;
  if (x.is_infinite()) return x.negative == upwards ? largest(x.negative, context) : x;
  context.rounding = upwards ? Rounding::up : Rounding::down;
  Flags quiet;
  const Number step{Kind::finite, !upwards, 1, std::min(x.exponent, context.least_exponent()) - 1};
  return add_finite(x, step, context, quiet);
}

}  // namespace

Number next_up(const Number& x, const Context& context, Flags& flags) { return neighbour(x, true, context, flags); }
Number next_down(const Number& x, const Context& context, Flags& flags) { return neighbour(x, false, context, flags); }

Number next_toward(const Number& x, const Number& y, const Context& context, Flags& flags) {
  if (auto nan = nan_among({&x, &y}, context, flags)) return *nan;
  const int order = compare_values(x, y);
  if (order == 0) {
    Number same = convert(x, context, flags);
    same.negative = y.negative;
    return same;
  }
  if (x.is_infinite()) return largest(x.negative, context);
  Context directed = context;
  directed.rounding = order < 0 ? Rounding::up : Rounding::down;
  Flags raised;
  const Number step{Kind::finite, order > 0, 1, std::min(x.exponent, context.least_exponent()) - 1};
  Number next = add_finite(x, step, directed, raised);
  // As the nextToward of the arithmetic's definition: only results that left the normal range tell.
  if (next.is_infinite() ||
      (next.is_finite() && (next.is_zero() || next.exponent + digits_of(next.coefficient) - 1 < context.emin)))
    flags |= raised;
  if (next.is_zero()) next.negative = x.negative;
  return next;
}

std::string class_text(const Number& x, const Context& context) {
  if (x.kind == Kind::signaling_nan) return "sNaN";
  if (x.is_nan()) return "NaN";
  const std::string sign = x.negative ? "-" : "+";
  if (x.is_infinite()) return sign + "Infinity";
  if (x.is_zero()) return sign + "Zero";
  return sign + (x.exponent + digits_of(x.coefficient) - 1 < context.emin ? "Subnormal" : "Normal");
}

}  // namespace outward::decimal
