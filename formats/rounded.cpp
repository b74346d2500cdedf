// Correctly rounded elementary functions: see the header.
#include "formats/rounded.hpp"

#include <string>

#include "formats/elementary/kernels.hpp"
#include "formats/error.hpp"

namespace outward {
namespace {

using elementary::Bits;
using elementary::Enclosure;

constexpr Bits beyond_formats = Bits{1} << 41;

// d moved an arbitrarily small amount up (toward > 0), down (< 0) or not at all.
Exact nudged(const Format& format, const Dyadic& d, int toward) {
  const Bits wanted = format.precision() + 4;
  Exact out;
  if (d.mantissa.is_zero()) {
    if (toward == 0) return out;
    return {toward < 0, Integer(1) << static_cast<unsigned>(wanted), -beyond_formats, true};
  }
  out.negative = d.mantissa.sign() < 0;
  out.significand = abs(d.mantissa);
  out.exponent = d.exponent;
  if (toward == 0) return out;
  const Bits more = wanted - elementary::length(out.significand) + 1;
  if (more > 0) {
    out.significand <<= static_cast<unsigned>(more);
    out.exponent -= more;
  }
  if ((toward > 0) == out.negative) --out.significand;  // smaller in magnitude: between s - 1 and s
  out.sticky = true;
  return out;
}

Value with_sign_of_zero(const Format& format, const Value& x) { return zero_of(format, x.negative); }

// The limit of the function at an infinity.
Value at_infinity(const Format& format, Function function, bool negative, Rounding rounding, Flags& flags) {
  const auto number = [&](const Dyadic& d) { return round(format, nudged(format, d, 0), rounding, flags); };
  const auto invalid = [&] {
    flags.invalid = true;
    return canonical_nan(format);
  };
  const auto angle = [&](int sign) {
    for (Bits w = format.precision() + 16;; w *= 2) {
      Enclosure half = elementary::half_pi(w);
      if (sign < 0) half = elementary::negated(half);
      if (auto v = round_enclosure(format, half, {true, true}, rounding, flags)) return *v;
    }
  };
  switch (function) {
    case Function::sin:
    case Function::cos:
    case Function::tan:
    case Function::asin:
    case Function::acos:
    case Function::atanh:
      return invalid();
    case Function::log:
    case Function::log1p:
    case Function::log2:
    case Function::log10:
    case Function::acosh:
      return negative ? invalid() : infinity_of(format, false);
    case Function::exp:
    case Function::exp2:
    case Function::exp10:
    case Function::softplus:
      return negative ? zero_of(format, false) : infinity_of(format, false);
    case Function::expm1:
    case Function::elu:
      return negative ? number({-1, 0}) : infinity_of(format, false);
    case Function::selu: {
      if (!negative) return infinity_of(format, false);
      return number(outward::multiply({-14036349, -23}, {8813919, -23}));
    }
    case Function::sinh:
    case Function::asinh:
      return infinity_of(format, negative);
    case Function::cosh:
      return infinity_of(format, false);
    case Function::tanh:
    case Function::erf:
    case Function::softsign:
      return number({negative ? -1 : 1, 0});
    case Function::erfc:
      return negative ? number({2, 0}) : zero_of(format, false);
    case Function::sigmoid:
    case Function::hard_sigmoid:
      return negative ? zero_of(format, false) : number({1, 0});
    case Function::atan:
      return angle(negative ? -1 : 1);
    case Function::gelu:
    case Function::gelu_tanh:
    case Function::silu:
    case Function::mish:
    case Function::hard_swish:
      return negative ? zero_of(format, true) : infinity_of(format, false);
  }
  return invalid();
}

bool is_pole(Function function, const Value& x) {
  switch (function) {
    case Function::log:
    case Function::log2:
    case Function::log10:
      return x.kind == ValueKind::zero;
    case Function::log1p:
      return x.negative && compare(dyadic_of(x), {-1, 0}) == 0;
    case Function::atanh:
      return compare({abs(dyadic_of(x).mantissa), dyadic_of(x).exponent}, {1, 0}) == 0;
    default:
      return false;
  }
}

// f(0) = 0 with the sign of the zero kept.
bool keeps_zero(Function function) {
  switch (function) {
    case Function::expm1:
    case Function::log1p:
    case Function::sin:
    case Function::tan:
    case Function::asin:
    case Function::atan:
    case Function::sinh:
    case Function::tanh:
    case Function::asinh:
    case Function::atanh:
    case Function::erf:
    case Function::gelu:
    case Function::gelu_tanh:
    case Function::silu:
    case Function::mish:
    case Function::elu:
    case Function::selu:
    case Function::softsign:
    case Function::hard_swish:
      return true;
    default:
      return false;
  }
}

// Whether the value at x (not 0) cannot equal the end d. For functions whose exact cases are known: always, the value
// is not dyadic. For the others only what follows from |erf| < 1, erfc(x) != 1, 0 < Phi(x) < 1 and Phi(x) != 1/2 (all
// for x != 0).
bool is_open(const FunctionRow& row, const Dyadic& x, const Dyadic& d) {
  if (row.exact_cases_known) return true;
  const auto equals = [&](const Dyadic& v) { return compare(d, v) == 0; };
  if (d.mantissa.is_zero()) return true;
  if (row.function == Function::erf) return equals({1, 0}) || equals({-1, 0});
  if (row.function == Function::erfc) return equals({1, 0}) || equals({2, 0});
  return equals(x) || equals(elementary::scaled(x, -1));
}

}  // namespace

Dyadic dyadic_of(const Value& x) {
  if (x.kind == ValueKind::zero) return {};
  return normalised({x.negative ? Integer(-x.significand) : x.significand, x.exponent});
}

Value value_of(const Dyadic& x) {
  Value out;
  if (x.mantissa.is_zero()) return out;
  out.kind = ValueKind::finite;
  out.negative = x.mantissa.sign() < 0;
  out.significand = abs(x.mantissa);
  out.exponent = x.exponent;
  return out;
}

std::optional<Value> round_enclosure(const Format& format, const Enclosure& x, OpenEnds open, Rounding rounding,
                                     Flags& flags) {
  const auto far = [](bool negative) { return Dyadic{negative ? -1 : 1, beyond_formats}; };
  Flags below, above;
  const Value lo = round(format, nudged(format, x.lo_infinite ? far(true) : x.lo, open.lo && !x.lo_infinite ? 1 : 0),
                         rounding, below);
  const Value hi = round(format, nudged(format, x.hi_infinite ? far(false) : x.hi, open.hi && !x.hi_infinite ? -1 : 0),
                         rounding, above);
  if (!identical(lo, hi) || !(below == above)) return std::nullopt;
  flags |= below;
  return lo;
}

Value elementary_function(const Format& format, Function function, const Value& x, Rounding rounding, Flags& flags) {
  const FunctionRow& row = row_of(function);
  if (x.is_nan()) {
    if (x.kind == ValueKind::signalling_nan) flags.invalid = true;
    return quieted(format, x);
  }
  if (x.kind == ValueKind::infinite) return at_infinity(format, function, x.negative, rounding, flags);
  if (is_pole(function, x)) {
    flags.divide_by_zero = true;
    return infinity_of(format, function == Function::atanh ? x.negative : true);
  }
  const Dyadic at = dyadic_of(x);
  if (!in_domain(row.domain, at)) {
    flags.invalid = true;
    return canonical_nan(format);
  }
  if (x.kind == ValueKind::zero && keeps_zero(function)) return with_sign_of_zero(format, x);
  if (const auto exact = elementary::exact_result(function, at))
    return round(format, nudged(format, *exact, 0), rounding, flags);
  const Bits limit = 8 * Bits{format.precision()} + 4096;
  for (Bits bits = format.precision() + 8;; bits *= 2) {
    const Enclosure value = elementary::enclose(function, at, bits);
    if (elementary::is_point(value)) return round(format, nudged(format, value.lo, 0), rounding, flags);
    const OpenEnds open{is_open(row, at, value.lo), is_open(row, at, value.hi)};
    if (const auto out = round_enclosure(format, value, open, rounding, flags)) return *out;
    if (bits > limit)
      throw ResourceError(std::string(row.name) + ": the rounding is undecided with " + std::to_string(bits) + " bits");
  }
}

Value power(const Format& format, const Value& x, std::int64_t n, Rounding rounding, Flags& flags) {
  if (x.kind == ValueKind::signalling_nan) flags.invalid = true;
  if (n == 0 && x.kind != ValueKind::signalling_nan) return round(format, Exact{false, 1, 0, false}, rounding, flags);
  if (x.is_nan()) return quieted(format, x);
  const bool negative = x.negative && (n & 1) != 0;
  if (x.kind == ValueKind::infinite) return n > 0 ? infinity_of(format, negative) : zero_of(format, negative);
  if (x.kind == ValueKind::zero) {
    if (n > 0) return zero_of(format, negative);
    flags.divide_by_zero = true;
    return infinity_of(format, negative);
  }
  if (std::abs(n) > (std::int64_t{1} << 30)) throw ResourceError("a power over 2^30");
  const Dyadic odd = normalised({x.significand, x.exponent});
  const auto count = static_cast<std::uint64_t>(std::abs(n));
  // Exact when short. Otherwise the odd part of |x|^|n| has more bits than a format and its midpoints can hold, and
  // 1/|x|^|n| is no dyadic number: the value lies strictly inside every enclosure.
  const auto raised = [&](const Enclosure& base, Bits bits) {
    Enclosure out = elementary::point({1, 0}), square = base;
    for (std::uint64_t rest = count; rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) out = elementary::multiply(out, square, bits);
      if (rest > 1) square = elementary::multiply(square, square, bits);
    }
    return out;
  };
  const Bits exact_bits = odd.mantissa == 1 ? 1 : elementary::length(odd.mantissa) * static_cast<Bits>(count);
  const bool is_short = odd.mantissa == 1 || exact_bits <= 2 * format.precision() + 256;
  if (is_short && (n > 0 || odd.mantissa == 1)) {
    Dyadic value = raised(elementary::point(odd), exact_bits + 1).lo;
    if (n < 0) value.exponent = -value.exponent;
    if (negative) value = negated(value);
    return round(format, nudged(format, value, 0), rounding, flags);
  }
  const Bits limit = 8 * Bits{format.precision()} + 4096;
  for (Bits bits = format.precision() + 80;; bits *= 2) {
    Enclosure value = raised(elementary::point(odd), bits);
    if (n < 0) value = elementary::divide(elementary::point({1, 0}), value, bits);
    if (negative) value = elementary::negated(value);
    if (const auto out = round_enclosure(format, value, {true, true}, rounding, flags)) return *out;
    if (bits > limit) throw ResourceError("the rounding of a power is undecided");
  }
}

}  // namespace outward
