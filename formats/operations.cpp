// Generic arithmetic of binary formats: see the header. Each operation settles NaN, infinity and zero by table, then
// hands one exact number (with a sticky bit for what lies far below) to round().
#include "formats/operations.hpp"

#include <algorithm>
#include <utility>

#include "formats/words/long_root.hpp"

namespace outward {
namespace {

std::int64_t length(const Integer& positive) { return static_cast<std::int64_t>(msb(positive)) + 1; }

Exact exact_of(const Value& x) { return {x.negative, x.significand, x.exponent, false}; }

Value invalid(const Format& format, Flags& flags) {
  flags.invalid = true;
  return canonical_nan(format);
}

// The NaN of the leftmost signalling operand, else of the leftmost quiet one; nullptr if there is no NaN.
const Value* chosen_nan(std::initializer_list<const Value*> operands, Flags& flags) {
  const Value* chosen = nullptr;
  for (const Value* x : operands) {
    if (x->kind == ValueKind::signalling_nan) flags.invalid = true;
    if (x->is_nan() &&
        (chosen == nullptr || (x->kind == ValueKind::signalling_nan && chosen->kind != ValueKind::signalling_nan)))
      chosen = x;
  }
  return chosen;
}

// A NaN operand delivered in the format; a format without NaN gives +0 and raises invalid.
Value deliver_nan(const Format& format, const Value& nan, Flags& flags) {
  if (!format.has_nan()) flags.invalid = true;
  return quieted(format, nan);
}

// An infinite result. `divided`: it comes from a division by zero, which has its own flag.
Value deliver_infinity(const Format& format, bool negative, bool divided, Flags& flags) {
  Value result = infinity_of(format, negative);
  if (divided) {
    flags.divide_by_zero = true;
  } else if (result.is_nan()) {
    flags.invalid = true;
  } else if (result.is_finite()) {
    flags.overflow = flags.inexact = true;
  }
  return result;
}

Value deliver_zero(const Format& format, bool negative, Flags& flags) {
  return round(format, Exact{negative}, Rounding::toward_zero, flags);
}

// x + y for nonzero numbers, with `bits` + 2 bits before a sticky one. A zero significand: they cancel exactly.
Exact sum(Exact x, Exact y, std::int64_t bits) {
  const auto top = [](const Exact& z) { return length(z.significand) + z.exponent; };
  if (top(x) < top(y)) std::swap(x, y);
  const std::int64_t widen = std::max<std::int64_t>(0, bits + 3 - length(x.significand));
  if (top(y) < x.exponent - widen) {
    // |y| is less than half a unit of the widened x: it only decides what lies between the units.
    x.significand <<= static_cast<unsigned>(widen);
    x.exponent -= widen;
    if (x.negative != y.negative) --x.significand;
    x.sticky = true;
    return x;
  }
  const std::int64_t low = std::min(x.exponent, y.exponent);
  x.significand <<= static_cast<unsigned>(x.exponent - low);
  y.significand <<= static_cast<unsigned>(y.exponent - low);
  x.exponent = low;
  if (x.negative == y.negative) {
    x.significand += y.significand;
  } else {
    x.significand -= y.significand;
    if (x.significand < 0) {
      x.significand = -x.significand;
      x.negative = y.negative;
    }
  }
  return x;
}

// The rounded sum of two nonzero numbers; the sign of an exact zero by the rounding direction.
Value rounded_sum(const Format& format, Exact x, Exact y, Rounding rounding, Flags& flags) {
  Exact z = sum(std::move(x), std::move(y), format.precision());
  if (z.significand.is_zero()) z.negative = rounding == Rounding::down;
  return round(format, z, rounding, flags);
}

// The sign of the sum of two zeros.
bool zero_sum_sign(bool a, bool b, Rounding rounding) { return a == b ? a : rounding == Rounding::down; }

Order magnitude_order(const Value& a, const Value& b) {
  const std::int64_t top_a = floor_log2(a), top_b = floor_log2(b);
  if (top_a != top_b) return top_a < top_b ? Order::less : Order::greater;
  const std::int64_t gap = a.exponent - b.exponent;  // no larger than a significand is long
  int order = 0;
  if (gap >= 0)
    order = Integer(a.significand << static_cast<unsigned>(gap)).compare(b.significand);
  else
    order = a.significand.compare(Integer(b.significand << static_cast<unsigned>(-gap)));
  return order < 0 ? Order::less : order > 0 ? Order::greater : Order::equal;
}

Order reversed(Order order) {
  return order == Order::less ? Order::greater : order == Order::greater ? Order::less : order;
}

// Order of two numbers or infinities.
Order order_of(const Value& a, const Value& b) {
  const bool zero_a = a.kind == ValueKind::zero, zero_b = b.kind == ValueKind::zero;
  if (zero_a && zero_b) return Order::equal;
  if (zero_a) return b.negative ? Order::greater : Order::less;
  if (zero_b) return a.negative ? Order::less : Order::greater;
  if (a.negative != b.negative) return a.negative ? Order::less : Order::greater;
  const bool infinite_a = a.kind == ValueKind::infinite, infinite_b = b.kind == ValueKind::infinite;
  Order order = Order::equal;
  if (infinite_a || infinite_b)
    order = infinite_a == infinite_b ? Order::equal : infinite_a ? Order::greater : Order::less;
  else
    order = magnitude_order(a, b);
  return a.negative ? reversed(order) : order;
}

Value extremum(const Format& format, const Value& a, const Value& b, bool greatest, bool number, Rounding rounding,
               Flags& flags) {
  if (const Value* nan = chosen_nan({&a, &b}, flags)) {
    if (!number || (a.is_nan() && b.is_nan())) return deliver_nan(format, *nan, flags);
    return convert(format, a.is_nan() ? b : a, rounding, flags);
  }
  Order order = order_of(a, b);
  if (order == Order::equal && a.negative != b.negative) order = a.negative ? Order::less : Order::greater;
  const bool first = greatest ? order != Order::less : order != Order::greater;
  return convert(format, first ? a : b, rounding, flags);
}

}  // namespace

Value add(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  if (const Value* nan = chosen_nan({&a, &b}, flags)) return deliver_nan(format, *nan, flags);
  if (a.kind == ValueKind::infinite || b.kind == ValueKind::infinite) {
    if (a.kind == b.kind && a.negative != b.negative) return invalid(format, flags);
    return deliver_infinity(format, a.kind == ValueKind::infinite ? a.negative : b.negative, false, flags);
  }
  if (a.kind == ValueKind::zero && b.kind == ValueKind::zero)
    return deliver_zero(format, zero_sum_sign(a.negative, b.negative, rounding), flags);
  if (a.kind == ValueKind::zero) return round(format, exact_of(b), rounding, flags);
  if (b.kind == ValueKind::zero) return round(format, exact_of(a), rounding, flags);
  return rounded_sum(format, exact_of(a), exact_of(b), rounding, flags);
}

Value subtract(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  if (b.is_nan()) return add(format, a, b, rounding, flags);  // a NaN keeps its sign
  Value opposite = b;
  opposite.negative = !b.negative;
  // A zero without a sign stays one: 0 - 0 of fnuz formats is delivered without sign by zero_of.
  return add(format, a, opposite, rounding, flags);
}

Value multiply(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  if (const Value* nan = chosen_nan({&a, &b}, flags)) return deliver_nan(format, *nan, flags);
  const bool negative = a.negative != b.negative;
  if (a.kind == ValueKind::infinite || b.kind == ValueKind::infinite) {
    if (a.kind == ValueKind::zero || b.kind == ValueKind::zero) return invalid(format, flags);
    return deliver_infinity(format, negative, false, flags);
  }
  if (a.kind == ValueKind::zero || b.kind == ValueKind::zero) return deliver_zero(format, negative, flags);
  return round(format, Exact{negative, Integer(a.significand * b.significand), a.exponent + b.exponent, false},
               rounding, flags);
}

Value divide(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  if (const Value* nan = chosen_nan({&a, &b}, flags)) return deliver_nan(format, *nan, flags);
  const bool negative = a.negative != b.negative;
  if (a.kind == ValueKind::infinite) {
    if (b.kind == ValueKind::infinite) return invalid(format, flags);
    return deliver_infinity(format, negative, false, flags);
  }
  if (b.kind == ValueKind::infinite) return deliver_zero(format, negative, flags);
  if (b.kind == ValueKind::zero) {
    if (a.kind == ValueKind::zero) return invalid(format, flags);
    return deliver_infinity(format, negative, true, flags);
  }
  if (a.kind == ValueKind::zero) return deliver_zero(format, negative, flags);
  return round_quotient(format, negative, a.significand, b.significand, a.exponent - b.exponent, rounding, flags);
}

Value square_root(const Format& format, const Value& a, Rounding rounding, Flags& flags) {
  if (const Value* nan = chosen_nan({&a}, flags)) return deliver_nan(format, *nan, flags);
  if (a.kind == ValueKind::zero) return deliver_zero(format, a.negative, flags);
  if (a.negative) return invalid(format, flags);
  if (a.kind == ValueKind::infinite) return deliver_infinity(format, false, false, flags);
  std::int64_t widen = std::max<std::int64_t>(0, 2 * (format.precision() + 3) - length(a.significand));
  if (((a.exponent - widen) & 1) != 0) ++widen;
  bool exact = false;
  Exact root{false, integer_square_root(a.significand << static_cast<unsigned>(widen), exact), (a.exponent - widen) / 2,
             false};
  root.sticky = !exact;
  return round(format, root, rounding, flags);
}

Value fused_multiply_add(const Format& format, const Value& a, const Value& b, const Value& c, Rounding rounding,
                         Flags& flags) {
  const bool zero_times_infinity = (a.kind == ValueKind::zero && b.kind == ValueKind::infinite) ||
                                   (a.kind == ValueKind::infinite && b.kind == ValueKind::zero);
  if (zero_times_infinity) flags.invalid = true;
  if (const Value* nan = chosen_nan({&a, &b, &c}, flags)) return deliver_nan(format, *nan, flags);
  if (zero_times_infinity) return canonical_nan(format);
  const bool negative = a.negative != b.negative;
  if (a.kind == ValueKind::infinite || b.kind == ValueKind::infinite) {
    if (c.kind == ValueKind::infinite && c.negative != negative) return invalid(format, flags);
    return deliver_infinity(format, negative, false, flags);
  }
  if (c.kind == ValueKind::infinite) return deliver_infinity(format, c.negative, false, flags);
  if (a.kind == ValueKind::zero || b.kind == ValueKind::zero) {
    if (c.kind == ValueKind::zero) return deliver_zero(format, zero_sum_sign(negative, c.negative, rounding), flags);
    return round(format, exact_of(c), rounding, flags);
  }
  Exact product{negative, Integer(a.significand * b.significand), a.exponent + b.exponent, false};
  if (c.kind == ValueKind::zero) return round(format, product, rounding, flags);
  return rounded_sum(format, std::move(product), exact_of(c), rounding, flags);
}

Value remainder(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  if (const Value* nan = chosen_nan({&a, &b}, flags)) return deliver_nan(format, *nan, flags);
  if (a.kind == ValueKind::infinite || b.kind == ValueKind::zero) return invalid(format, flags);
  if (a.kind == ValueKind::zero) return deliver_zero(format, a.negative, flags);
  if (b.kind == ValueKind::infinite || floor_log2(a) < floor_log2(b) - 1)
    return round(format, exact_of(a), rounding, flags);
  // |a| = r + q |b| with 0 <= r < |b|, all in units of 2^low; only r and the parity of q are needed.
  Integer divisor = b.significand, rest;
  std::int64_t low = b.exponent;
  const std::int64_t up = a.exponent - b.exponent;
  if (up >= 0) {
    const Integer twice = divisor << 1;
    const Integer two = 2, power = powm(two, Integer(up), twice);
    rest = Integer(a.significand * power) % twice;
  } else {
    low = a.exponent;
    divisor <<= static_cast<unsigned>(-up);  // no more than a is long, and one
    rest = a.significand % Integer(divisor << 1);
  }
  bool odd = false;
  if (rest >= divisor) {
    odd = true;
    rest -= divisor;
  }
  bool negative = a.negative;
  const int half = Integer(rest << 1).compare(divisor);
  if (half > 0 || (half == 0 && odd)) {
    rest = divisor - rest;
    negative = !negative;
  }
  if (rest.is_zero()) return deliver_zero(format, a.negative, flags);
  return round(format, Exact{negative, std::move(rest), low, false}, rounding, flags);
}

Value convert(const Format& format, const Value& a, Rounding rounding, Flags& flags) {
  if (const Value* nan = chosen_nan({&a}, flags)) return deliver_nan(format, *nan, flags);
  if (a.kind == ValueKind::infinite) return deliver_infinity(format, a.negative, false, flags);
  if (a.kind == ValueKind::zero) return deliver_zero(format, a.negative, flags);
  return round(format, exact_of(a), rounding, flags);
}

Value negate(const Format& format, Value a) {
  if (format.convention == Convention::scale && !a.is_nan()) return canonical_nan(format);
  const bool unsigned_value = (a.is_nan() || a.kind == ValueKind::zero) && !format.has_negative_zero();
  if (!unsigned_value) a.negative = !a.negative;
  return a;
}

Value absolute(const Format&, Value a) {
  a.negative = false;
  return a;
}

Value round_to_integral(const Format& format, const Value& a, Rounding rounding, bool exact, Flags& flags) {
  if (a.kind != ValueKind::finite || a.exponent >= 0) return convert(format, a, rounding, flags);
  const Multiple multiple = round_to_multiple(exact_of(a), 0, rounding);
  if (multiple.inexact && exact) flags.inexact = true;
  if (multiple.quotient.is_zero()) return deliver_zero(format, a.negative, flags);
  return round(format, Exact{a.negative, multiple.quotient, 0, false}, rounding, flags);
}

std::optional<Integer> to_integer(const Value& a, int bits, bool is_signed, Rounding rounding, bool exact,
                                  Flags& flags) {
  const auto refused = [&flags]() -> std::optional<Integer> {
    flags.invalid = true;
    return std::nullopt;
  };
  if (!a.is_finite()) return refused();
  if (a.kind == ValueKind::zero) return Integer(0);
  if (floor_log2(a) > bits) return refused();
  const Multiple multiple = round_to_multiple(exact_of(a), 0, rounding);
  const Integer most = (Integer(1) << static_cast<unsigned>(is_signed ? bits - 1 : bits)) - 1;
  const Integer least_magnitude = is_signed ? Integer(most + 1) : Integer(0);
  if (multiple.quotient > (a.negative ? least_magnitude : most)) return refused();
  if (multiple.inexact && exact) flags.inexact = true;
  return a.negative ? Integer(-multiple.quotient) : multiple.quotient;
}

Order compare_quiet(const Value& a, const Value& b, Flags& flags) {
  if (a.kind == ValueKind::signalling_nan || b.kind == ValueKind::signalling_nan) flags.invalid = true;
  return a.is_nan() || b.is_nan() ? Order::unordered : order_of(a, b);
}

Order compare_signalling(const Value& a, const Value& b, Flags& flags) {
  if (a.is_nan() || b.is_nan()) flags.invalid = true;
  return a.is_nan() || b.is_nan() ? Order::unordered : order_of(a, b);
}

bool total_order(const Value& a, const Value& b) {
  if (!a.is_nan() && !b.is_nan()) {
    const Order order = order_of(a, b);
    return order == Order::less || (order == Order::equal && (a.negative || !b.negative));
  }
  if (!a.is_nan()) return !b.negative;
  if (!b.is_nan()) return a.negative;
  if (a.negative != b.negative) return a.negative;
  // Signalling below quiet, then by payload; reversed for negative ones.
  const bool quiet_a = a.kind == ValueKind::quiet_nan, quiet_b = b.kind == ValueKind::quiet_nan;
  if (quiet_a != quiet_b) return a.negative ? quiet_a : quiet_b;
  return a.negative ? a.payload >= b.payload : a.payload <= b.payload;
}

Value minimum(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  return extremum(format, a, b, false, false, rounding, flags);
}
Value maximum(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  return extremum(format, a, b, true, false, rounding, flags);
}
Value minimum_number(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  return extremum(format, a, b, false, true, rounding, flags);
}
Value maximum_number(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags) {
  return extremum(format, a, b, true, true, rounding, flags);
}

std::optional<Value> next_up(const Format& format, const Value& a, Flags& flags) {
  if (const Value* nan = chosen_nan({&a}, flags)) return quieted(format, *nan);
  if (a.kind == ValueKind::zero) return least_positive(format);
  if (a.kind == ValueKind::infinite) return a.negative ? greatest_finite(format, true) : a;
  // Codes of one sign are ordered like magnitudes.
  const Integer code = encode(format, a);
  if (a.negative)
    return identical(absolute(format, a), least_positive(format)) ? zero_of(format, true) : decode(format, code - 1);
  if (identical(a, greatest_finite(format))) {
    if (!format.has_infinity()) return std::nullopt;
    return Value{ValueKind::infinite, false, 0, 0, 0};
  }
  return decode(format, code + 1);
}

std::optional<Value> next_down(const Format& format, const Value& a, Flags& flags) {
  if (const Value* nan = chosen_nan({&a}, flags)) return quieted(format, *nan);
  if (format.convention == Convention::scale) {
    const Integer code = encode(format, a);
    if (code.is_zero()) return std::nullopt;
    return decode(format, code - 1);
  }
  Value opposite = a;
  opposite.negative = !a.negative;
  std::optional<Value> next = next_up(format, opposite, flags);
  if (next) next->negative = !next->negative && (next->kind != ValueKind::zero || format.has_negative_zero());
  return next;
}

}  // namespace outward
