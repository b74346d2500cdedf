// Elementary functions over intervals, by the shape of each. See interval.hpp.
#include "formats/elementary/kernels.hpp"
#include "formats/interval/checked_ends.hpp"

namespace outward {
namespace {

using interval_detail::lower_end;
using interval_detail::upper_end;

struct Ends {
  const Format& format;
  Function function;

  Value down(const Value& x) const {
    Flags flags;
    return lower_end(format, elementary_function(format, function, x, Rounding::down, flags), flags);
  }
  Value up(const Value& x) const {
    Flags flags;
    return upper_end(format, elementary_function(format, function, x, Rounding::up, flags), flags);
  }
  Value number(const Dyadic& d, Rounding rounding) const {
    Flags flags;
    const Value out = convert(format, value_of(d), rounding, flags);
    return rounding == Rounding::down ? lower_end(format, out, flags) : upper_end(format, out, flags);
  }
};

// The part of the interval in the closure of the domain; the ends of an open domain are poles, whose limits are
// infinite.
Interval on_domain(Domain domain, const Interval& a) {
  const Value one = value_of({1, 0}), minus_one = value_of({-1, 0});
  switch (domain) {
    case Domain::all:
      return a;
    case Domain::positive: {
      const Interval part = intersection(a, {Value(), infinite_value(false)});
      return !part.is_empty() && part.upper().kind == ValueKind::zero ? Interval() : part;
    }
    case Domain::above_minus_one: {
      const Interval part = intersection(a, {minus_one, infinite_value(false)});
      return !part.is_empty() && interval_detail::order(part.upper(), minus_one) == 0 ? Interval() : part;
    }
    case Domain::from_one:
      return intersection(a, {one, infinite_value(false)});
    case Domain::within_one:
      return intersection(a, {minus_one, one});
    case Domain::inside_one: {
      const Interval part = intersection(a, {minus_one, one});
      const bool outside = !part.is_empty() && (interval_detail::order(part.upper(), minus_one) == 0 ||
                                                interval_detail::order(part.lower(), one) == 0);
      return outside ? Interval() : part;
    }
  }
  return a;
}

// sin (peak = 1) or cos (peak = 0): a greatest value at quarter turns that are `peak` modulo 4, a least one two further
// on.
Interval wave(const Ends& ends, const Interval& a, int peak) {
  const Value one = ends.number({1, 0}, Rounding::up), minus_one = ends.number({-1, 0}, Rounding::down);
  const auto too_far = [](const Value& x) {
    return !x.is_finite() || (x.kind != ValueKind::zero && floor_log2(x) >= elementary::longest_angle);
  };
  if (too_far(a.lower()) || too_far(a.upper())) return {minus_one, one};
  const Integer first = elementary::quarter_turns(dyadic_of(a.lower()));
  const Integer last = elementary::quarter_turns(dyadic_of(a.upper()));
  // Multiples of pi/2 in (lower, upper]: first + 1 ... last.
  const auto passes = [&](int quarter) {
    const int residue = static_cast<int>(Integer(((first + 1 - quarter) % 4 + 4) % 4));
    return first + 1 + (4 - residue) % 4 <= last;
  };
  const bool top = passes(peak), bottom = passes(peak + 2);
  Value lo = minus_one, hi = one;
  if (!bottom) {
    const Value x = ends.down(a.lower()), y = ends.down(a.upper());
    lo = interval_detail::order(x, y) <= 0 ? x : y;
  }
  if (!top) {
    const Value x = ends.up(a.lower()), y = ends.up(a.upper());
    hi = interval_detail::order(x, y) >= 0 ? x : y;
  }
  return {lo, hi};
}

Interval tangent(const Ends& ends, const Interval& a) {
  if (!a.is_bounded()) return entire(ends.format);
  const Integer first = elementary::quarter_turns(dyadic_of(a.lower()));
  const Integer last = elementary::quarter_turns(dyadic_of(a.upper()));
  // A pole is an odd multiple of pi/2 in (lower, upper].
  const bool pole = last - first >= 2 || (last - first == 1 && (last & 1) != 0);
  if (pole) return entire(ends.format);
  return {ends.down(a.lower()), ends.up(a.upper())};
}

Interval with_minimum(const Ends& ends, const Interval& a) {
  const elementary::Bits bits = 2 * ends.format.precision() + 16;
  const elementary::Minimum least = elementary::minimum_of(ends.function, bits);
  const bool reaches_left = interval_detail::order(a.lower(), value_of(least.place.hi)) < 0;
  const bool reaches_right = interval_detail::order(a.upper(), value_of(least.place.lo)) > 0;
  if (!reaches_left) return {ends.down(a.lower()), ends.up(a.upper())};
  if (!reaches_right) return {ends.down(a.upper()), ends.up(a.lower())};
  const Value x = ends.up(a.lower()), y = ends.up(a.upper());
  return {ends.number(least.value.lo, Rounding::down), interval_detail::order(x, y) >= 0 ? x : y};
}

}  // namespace

Interval apply(const Format& format, Function function, const Interval& a) {
  const FunctionRow& row = row_of(function);
  const Interval part = on_domain(row.domain, a);
  if (part.is_empty()) return part;
  const Ends ends{format, function};
  switch (row.shape) {
    case Shape::increasing:
      return {ends.down(part.lower()), ends.up(part.upper())};
    case Shape::decreasing:
      return {ends.down(part.upper()), ends.up(part.lower())};
    case Shape::even_valley: {
      const Interval magnitudes = absolute(format, part);
      return {ends.down(magnitudes.lower()), ends.up(magnitudes.upper())};
    }
    case Shape::one_minimum:
      return with_minimum(ends, part);
    case Shape::sine:
      return wave(ends, part, 1);
    case Shape::cosine:
      return wave(ends, part, 0);
    case Shape::tangent:
      return tangent(ends, part);
  }
  return {};
}

}  // namespace outward
