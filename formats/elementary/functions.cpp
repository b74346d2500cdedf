// The table of elementary functions and enclosures of stated width: see the header.
#include "formats/elementary/functions.hpp"

#include <map>
#include <mutex>
#include <string>

#include "formats/elementary/kernels.hpp"
#include "formats/elementary/series.hpp"
#include "formats/error.hpp"

namespace outward {
namespace {

namespace e = elementary;
using Point = e::Enclosure (*)(const Dyadic&, e::Bits);

constexpr FunctionRow rows[] = {
    {Function::exp, "exp", Shape::increasing, Domain::all, static_cast<Point>(e::exp), nullptr, true},
    {Function::expm1, "expm1", Shape::increasing, Domain::all, static_cast<Point>(e::expm1), nullptr, true},
    {Function::exp2, "exp2", Shape::increasing, Domain::all, e::exp2, nullptr, true},
    {Function::exp10, "exp10", Shape::increasing, Domain::all, e::exp10, nullptr, true},
    {Function::log, "log", Shape::increasing, Domain::positive, e::log, nullptr, true},
    {Function::log1p, "log1p", Shape::increasing, Domain::above_minus_one, static_cast<Point>(e::log1p), nullptr, true},
    {Function::log2, "log2", Shape::increasing, Domain::positive, e::log2, nullptr, true},
    {Function::log10, "log10", Shape::increasing, Domain::positive, e::log10, nullptr, true},
    {Function::sin, "sin", Shape::sine, Domain::all, e::sin, nullptr, true},
    {Function::cos, "cos", Shape::cosine, Domain::all, e::cos, nullptr, true},
    {Function::tan, "tan", Shape::tangent, Domain::all, e::tan, nullptr, true},
    {Function::asin, "asin", Shape::increasing, Domain::within_one, e::asin, nullptr, true},
    {Function::acos, "acos", Shape::decreasing, Domain::within_one, e::acos, nullptr, true},
    {Function::atan, "atan", Shape::increasing, Domain::all, e::atan, nullptr, true},
    {Function::sinh, "sinh", Shape::increasing, Domain::all, e::sinh, nullptr, true},
    {Function::cosh, "cosh", Shape::even_valley, Domain::all, e::cosh, nullptr, true},
    {Function::tanh, "tanh", Shape::increasing, Domain::all, e::tanh, nullptr, true},
    {Function::asinh, "asinh", Shape::increasing, Domain::all, e::asinh, nullptr, true},
    {Function::acosh, "acosh", Shape::increasing, Domain::from_one, e::acosh, nullptr, true},
    {Function::atanh, "atanh", Shape::increasing, Domain::inside_one, e::atanh, nullptr, true},
    {Function::sigmoid, "sigmoid", Shape::increasing, Domain::all, static_cast<Point>(e::sigmoid), nullptr, true},
    {Function::erf, "erf", Shape::increasing, Domain::all, e::erf, nullptr, false},
    {Function::erfc, "erfc", Shape::decreasing, Domain::all, e::erfc, nullptr, false},
    {Function::gelu, "gelu", Shape::one_minimum, Domain::all, e::gelu, e::gelu_slope, false},
    {Function::gelu_tanh, "gelu_tanh", Shape::one_minimum, Domain::all, e::gelu_tanh, e::gelu_tanh_slope, false},
    {Function::silu, "silu", Shape::one_minimum, Domain::all, e::silu, e::silu_slope, true},
    {Function::softplus, "softplus", Shape::increasing, Domain::all, e::softplus, nullptr, true},
    {Function::mish, "mish", Shape::one_minimum, Domain::all, e::mish, e::mish_slope, true},
    {Function::elu, "elu", Shape::increasing, Domain::all, e::elu, nullptr, true},
    {Function::selu, "selu", Shape::increasing, Domain::all, e::selu, nullptr, true},
    {Function::softsign, "softsign", Shape::increasing, Domain::all, e::softsign, nullptr, true},
    {Function::hard_sigmoid, "hard_sigmoid", Shape::increasing, Domain::all, e::hard_sigmoid, nullptr, true},
    {Function::hard_swish, "hard_swish", Shape::one_minimum, Domain::all, e::hard_swish, nullptr, true},
};

}  // namespace

std::span<const FunctionRow> function_table() { return rows; }

const FunctionRow& row_of(Function function) { return rows[static_cast<std::size_t>(function)]; }

std::optional<Function> function_named(std::string_view name) {
  if (name == "swish") return Function::silu;
  for (const FunctionRow& row : rows)
    if (name == row.name) return row.function;
  return std::nullopt;
}

bool in_domain(Domain domain, const Dyadic& x) {
  switch (domain) {
    case Domain::all:
      return true;
    case Domain::positive:
      return x.mantissa.sign() > 0;
    case Domain::above_minus_one:
      return compare(x, {-1, 0}) > 0;
    case Domain::from_one:
      return compare(x, {1, 0}) >= 0;
    case Domain::within_one:
      return compare(x, {-1, 0}) >= 0 && compare(x, {1, 0}) <= 0;
    case Domain::inside_one:
      return compare(x, {-1, 0}) > 0 && compare(x, {1, 0}) < 0;
  }
  return false;
}

namespace elementary {
namespace {

// Infinite above a finite lower end beyond any format, or 0 beside an end below any format.
bool is_out_of_range(const Enclosure& x) {
  constexpr Bits far = (Bits{1} << out_of_range) / 2;
  if (x.lo_infinite && x.hi_infinite) return false;
  if (x.hi_infinite) return floor_log2(x.lo) > far;
  if (x.lo_infinite) return floor_log2(x.hi) > far;
  const bool lo_zero = x.lo.mantissa.is_zero(), hi_zero = x.hi.mantissa.is_zero();
  return lo_zero != hi_zero && floor_log2(lo_zero ? x.hi : x.lo) < -far;
}

// Powers of ten: n with x = 10^n, n >= 0.
std::optional<std::int64_t> power_of_ten(const Dyadic& x) {
  const Dyadic odd = normalised(x);
  if (odd.exponent < 0 || odd.mantissa.sign() <= 0 || odd.exponent > (Bits{1} << 16)) return std::nullopt;
  if (length(odd.mantissa) > 3 * odd.exponent + 1) return std::nullopt;
  if (odd.mantissa == boost::multiprecision::pow(Integer(5), static_cast<unsigned>(odd.exponent))) return odd.exponent;
  return std::nullopt;
}

std::optional<Dyadic> dyadic_quotient(const Dyadic& a, const Dyadic& b) {
  const Dyadic n = normalised(a), d = normalised(b);
  Integer quotient, rest;
  divide_qr(n.mantissa, d.mantissa, quotient, rest);
  if (!rest.is_zero()) return std::nullopt;
  return Dyadic{quotient, n.exponent - d.exponent};
}

}  // namespace

std::optional<Dyadic> exact_result(Function function, const Dyadic& x) {
  if (x.mantissa.is_zero()) return std::nullopt;
  const Bits magnitude = floor_log2(x);
  switch (function) {
    case Function::exp10:
      if (x.mantissa.sign() < 0 || normalised(x).exponent < 0 || magnitude > 15) return std::nullopt;
      return Dyadic{boost::multiprecision::pow(Integer(10), static_cast<unsigned>(to_fixed(x, 0).low)), 0};
    case Function::log10: {
      const auto n = power_of_ten(x);
      return n ? std::optional(Dyadic{*n, 0}) : std::nullopt;
    }
    case Function::softsign:
      if (std::abs(magnitude) > max_gap / 2 || std::abs(x.exponent) > max_gap / 2) return std::nullopt;
      return dyadic_quotient(x, outward::add(one, {abs(x.mantissa), x.exponent}));
    case Function::hard_sigmoid: {
      if (compare({abs(x.mantissa), x.exponent}, {5, -1}) > 0) return std::nullopt;  // clamped, and exact there
      if (std::abs(magnitude) > max_gap / 2 || std::abs(x.exponent) > max_gap / 2) return std::nullopt;
      // x/5 + 1/2 = (2x + 5)/10
      return dyadic_quotient(outward::add(scaled(x, 1), integer(5)), integer(10));
    }
    case Function::hard_swish:
      if (compare({abs(x.mantissa), x.exponent}, integer(3)) > 0) return std::nullopt;
      if (std::abs(magnitude) > max_gap / 2 || std::abs(x.exponent) > max_gap / 2) return std::nullopt;
      return dyadic_quotient(outward::multiply(x, outward::add(x, integer(3))), integer(6));
    default:
      return std::nullopt;
  }
}

namespace {

// With more and more working bits until what value_at(w) gives is tight, or as good as it gets. value_at: nullopt where
// w bits do not suffice to say anything.
template <class ValueAt>
Enclosure until_tight(Function function, Bits bits, Bits first, const ValueAt& value_at) {
  for (Bits w = first;; w += w / 2 + 16) {
    if (const std::optional<Enclosure> value = value_at(w)) {
      if (is_point(*value) || is_out_of_range(*value)) return *value;
      if (!value->lo_infinite && !value->hi_infinite) {
        const Enclosure out = rounded(*value, bits + 2);
        if (is_tight(out, bits)) return out;
      }
    }
    if (w > most_bits)
      throw ResourceError(std::string(row_of(function).name) + ": no enclosure of the asked width with " +
                          std::to_string(w) + " bits");
  }
}

}  // namespace

Enclosure enclose(Function function, const Dyadic& at, Bits bits) {
  const Dyadic x = normalised(at);
  return until_tight(function, bits, bits + 6,
                     [&](Bits w) -> std::optional<Enclosure> { return row_of(function).at(x, w); });
}

namespace {

// f over a narrow enclosure of a point: by monotonicity of the pieces, or wide.
Enclosure over(Function function, const Enclosure& x, Bits bits) {
  const Enclosure a = enclose(function, x.lo, bits), b = enclose(function, x.hi, bits);
  Enclosure out = hull(a, b);
  const Shape shape = row_of(function).shape;
  if (shape == Shape::even_valley && x.lo.mantissa.sign() <= 0 && x.hi.mantissa.sign() >= 0) out.lo = integer(1);
  if (shape == Shape::one_minimum) {
    const Minimum least = minimum_of(function, bits);
    if (compare(x.lo, least.place.hi) <= 0 && compare(x.hi, least.place.lo) >= 0) out = hull(out, least.value);
  }
  if (shape == Shape::sine || shape == Shape::cosine || shape == Shape::tangent) {
    if (quarter_turns(x.lo) != quarter_turns(x.hi)) {
      out = hull(out, {integer(-1), integer(1)});
      if (shape == Shape::tangent) out.lo_infinite = out.hi_infinite = true;
    }
  }
  return out;
}

}  // namespace

Enclosure enclose(Function function, const Rational& x, Bits bits) {
  const Domain domain = row_of(function).domain;
  return until_tight(function, bits, bits + 8, [&](Bits w) -> std::optional<Enclosure> {
    const Enclosure at = enclose(x, w);
    if (is_point(at)) return enclose(function, at.lo, bits);
    if (!in_domain(domain, at.lo) || !in_domain(domain, at.hi)) return std::nullopt;
    return over(function, at, w);
  });
}

// Bisection on the certified sign of the slope. Between the point p found and the true place the second derivative is
// at most 4 in absolute value (each of the four near its minimum: below 3), so the least value lies in [f(p) - 2 d^2,
// f(p)].
Minimum minimum_of(Function function, Bits bits) {
  if (function == Function::hard_swish) return {point({-3, -1}), point({-3, -3})};
  thread_local std::map<std::pair<Function, Bits>, Minimum> kept;
  const auto found = kept.find({function, bits});
  if (found != kept.end()) return found->second;
  const FunctionRow& row = row_of(function);
  Dyadic lo{-2, 0}, hi{-1, -1};
  for (Bits step = 0; step < bits + 4; ++step) {
    const Dyadic middle = scaled(outward::add(lo, hi), -1);
    int sign = 0;
    for (Bits w = step + 40; sign == 0; w *= 2) {
      const Enclosure slope = row.slope(middle, w);
      if (slope.lo.mantissa.sign() > 0) sign = 1;
      if (slope.hi.mantissa.sign() < 0) sign = -1;
      if (w > most_bits) throw ResourceError(std::string(row.name) + ": the place of the minimum cannot be decided");
    }
    (sign > 0 ? hi : lo) = middle;
  }
  // lo and hi are 2^-(bits + 2) apart or less.
  Minimum out{{lo, hi}, enclose(function, lo, bits + 4)};
  out.value.lo = add(out.value.lo, {-1, -2 * bits}, bits + 8, -1);
  return kept[{function, bits}] = out;
}

Integer quarter_turns(const Dyadic& x) {
  if (x.mantissa.is_zero()) return 0;
  const Bits magnitude = floor_log2(x);
  if (magnitude < 0) return x.mantissa.sign() < 0 ? -1 : 0;
  if (magnitude >= longest_angle) throw ResourceError("an angle of 2^(2^17) or more is not reduced");
  for (Bits w = magnitude + 40;; w *= 2) {
    const Enclosure quotient = divide(point(x), half_pi(w), w);
    const auto whole = [](const Dyadic& v) {
      return v.exponent >= 0 ? shifted_left(v.mantissa, v.exponent) : floor_shifted_right(v.mantissa, -v.exponent);
    };
    Integer lo = whole(quotient.lo);
    if (lo == whole(quotient.hi)) return lo;
    if (w > 2 * most_bits) throw ResourceError("the quadrant of an angle cannot be decided");
  }
}

}  // namespace elementary
}  // namespace outward
