// Rules of functions of one element, of products, and of maxima. Selections (relu, abs, max, neg) are exact.
#include <algorithm>
#include <array>
#include <cmath>

#include "bounds/roundoff/rules.hpp"
#include "formats/dyadic.hpp"
#include "formats/exact.hpp"

namespace outward::roundoff {
namespace {

struct Bounds {
  double lo, hi;
};

double to_double(const elementary::Enclosure& e, bool up) {
  if (up ? e.hi_infinite : e.lo_infinite) return up ? infinity : -infinity;
  const Dyadic& d = up ? e.hi : e.lo;
  if (d.mantissa == 0) return 0;
  const std::int64_t size = floor_log2(d);
  const bool negative = d.mantissa < 0;
  if (size < -1080) return up != negative ? (negative ? -0.0 : 0x1p-1074) : (negative ? -0x1p-1074 : 0.0);
  if (size > 1030)
    return up != negative ? (negative ? -0x1.fffffffffffffp1023 : infinity)
                          : (negative ? -infinity : 0x1.fffffffffffffp1023);
  const Rational value = to_rational(d);
  return up ? round_up(value) : round_down(value);
}

elementary::Enclosure at(Function f, double x) {
  const auto value = exact(x);
  return elementary::enclose(f, value, 60);
}

// Greatest absolute derivative on [lo, hi]; all but log, exp and gelu fall with |x|.
double greatest_slope(OpCode code, double lo, double hi) {
  const double nearest = lo <= 0 && hi >= 0 ? 0.0 : std::fmin(std::fabs(lo), std::fabs(hi));
  switch (code) {
    case OpCode::sigmoid: {
      const double s = function_up(Function::sigmoid, -nearest);  // s(1 − s), s <= 1/2
      return std::min(0.25, s);
    }
    case OpCode::tanh: {
      const double t = function_down(Function::tanh, nearest);
      return std::min(1.0, sub_up(1.0, mul_down(t, t)));
    }
    case OpCode::erf: {
      const double square = mul_down(nearest, nearest);
      return mul_up(1.1283791670955128, function_up(Function::exp, -square));  // 2/√π = 1.12837916709551257…
    }
    default:
      return 1.12904;  // gelu: 1.128904…, at x = √2
  }
}

Function function_of(OpCode code) {
  switch (code) {
    case OpCode::exp:
      return Function::exp;
    case OpCode::log:
      return Function::log;
    case OpCode::sigmoid:
      return Function::sigmoid;
    case OpCode::tanh:
      return Function::tanh;
    case OpCode::erf:
      return Function::erf;
    default:
      return Function::gelu;
  }
}

Bounds image(OpCode code, double lo, double hi) {
  const Function f = function_of(code);
  if (code != OpCode::gelu) return {function_down(f, lo), function_up(f, hi)};
  // Falls to its minimum of −0.16997… at −0.7517…, rises after it.
  const double a = function_down(f, lo), b = function_down(f, hi);
  const double top = std::max(function_up(f, lo), function_up(f, hi));
  const bool contains_minimum = lo < -0.751 && hi > -0.752;
  return {contains_minimum ? std::min({a, b, -0.16998}) : std::min(a, b), top};
}

}  // namespace

double function_down(Function f, double x) {
  if (!(std::fabs(x) < infinity)) return f == Function::exp && x < 0 ? 0 : -infinity;
  return to_double(at(f, x), false);
}
double function_up(Function f, double x) {
  if (!(std::fabs(x) < infinity)) return f == Function::exp && x < 0 ? 0 : infinity;
  return to_double(at(f, x), true);
}

double function_error(double magnitude, const Arithmetic& a) {
  // K ulps; half an ulp is the correct rounding. Flushed results err by the least normal number.
  return times(a.function_ulps, a.values.ulp_up(magnitude));
}

void function_rule(const Call& call, Outcome& out) {
  const OpCode code = call.op.code;
  const Quantity* before = nullptr;
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    if (before && before->lo == x.lo && before->hi == x.hi && before->error == x.error) {  // enclosures are slow
      finish_element(out, i, out.lo[i - 1], out.hi[i - 1], out.propagated[i - 1], out.local[i - 1], 0);
      continue;
    }
    before = &x;
    const double lo = x.computed_lo(), hi = x.computed_hi();
    if ((code == OpCode::log && !(lo > 0)) || !(hi - lo < infinity)) {
      finish_element(out, i, -infinity, infinity, infinity, infinity, infinity);
      continue;
    }
    const Bounds exact = image(code, x.lo, x.hi), computed = image(code, lo, hi);
    double inherited = 0;
    if (x.error > 0) {
      if (code == OpCode::exp)  // e^x(e^e − 1) and e^e − 1 <= e·e^e
        inherited = times(times(exact.hi, x.error), function_up(Function::exp, x.error));
      else if (code == OpCode::log)
        inherited = div_up(x.error, lo);
      else
        inherited = times(greatest_slope(code, lo, hi), x.error);
      // The function is monotone but for gelu: no result leaves the image of the computed operand.
      inherited = std::min(inherited, sub_up(std::max(exact.hi, computed.hi), std::min(exact.lo, computed.lo)));
    }
    const double local = function_error(std::fmax(std::fabs(computed.lo), std::fabs(computed.hi)), call.arithmetic);
    out.underflow =
        std::max(out.underflow, std::min(local, times(2 * call.arithmetic.function_ulps, call.arithmetic.values.eta)));
    finish_element(out, i, exact.lo, exact.hi, inherited, local, 0);
  }
}

void sqrt_rule(const Call& call, Outcome& out) {
  const FormatModel& f = call.arithmetic.values;
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    if (!(x.computed_lo() >= 0) && !(x.lo >= 0 && x.error == 0)) {
      finish_element(out, i, 0, infinity, infinity, infinity, infinity);
      continue;
    }
    const double lo = sqrt_down(x.lo), hi = sqrt_up(x.hi);
    double inherited = sqrt_up(x.error);
    const double below = sqrt_down(x.computed_lo());
    if (below + lo > 0) inherited = std::min(inherited, div_up(x.error, add_down(below, lo)));
    finish_element(out, i, lo, hi, inherited, f.half_ulp_up(sqrt_up(x.computed_hi())), 0);
  }
}

void cast_rule(const Call& call, Outcome& out) {
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    finish_element(out, i, x.lo, x.hi, x.error, call.arithmetic.values.half_ulp_up(x.computed_magnitude()), 0);
  }
}

void neg_rule(const Call& call, Outcome& out) {
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    finish_element(out, i, -x.hi, -x.lo, x.error, 0, 0);
  }
}

void relu_rule(const Call& call, Outcome& out) {
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    // Nothing passes where neither value is positive; not more than the computed one may exceed 0 otherwise.
    const double inherited = x.hi <= 0 ? std::max(0.0, x.computed_hi()) : x.error;
    finish_element(out, i, std::max(0.0, x.lo), std::max(0.0, x.hi), std::min(inherited, x.error), 0, 0);
  }
}

void leaky_rule(const Call& call, Outcome& out) {
  const Constants c(call.op.payload, call.arithmetic.values);
  out.constants_converted = c.converted();
  const double slope = c.exact(0);
  const auto f_down = [&](double v) { return v >= 0 ? v : mul_down(slope, v); };
  const auto f_up = [&](double v) { return v >= 0 ? v : mul_up(slope, v); };
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    const double below = std::max(0.0, -x.computed_lo());  // size of the computed negative values
    const double product = times(plus(std::fabs(slope), c.drift(0)), below);
    const double local = below == 0 ? 0 : plus(times(c.drift(0), below), call.arithmetic.values.half_ulp_up(product));
    const double most = x.computed_hi() < 0 ? times(slope, x.error) : x.error;
    finish_element(out, i, f_down(x.lo), f_up(x.hi), most, local, 0);
  }
}

void clip_rule(const Call& call, Outcome& out) {
  const FormatModel& f = call.arithmetic.values;
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    const double from = call.op.payload[0], to = call.op.payload[1];
    // Ends that no computed value reaches play no part, and are not converted.
    const double low = x.computed_lo() < from ? f.conversion_error_up(from) : 0;
    const double high = x.computed_hi() > to ? f.conversion_error_up(to) : 0;
    out.constants_converted = out.constants_converted || low > 0 || high > 0;
    const auto clamp = [&](double v) { return std::min(std::max(v, from), to); };
    finish_element(out, i, clamp(x.lo), clamp(x.hi), x.error, std::max(low, high), 0);
  }
}

void abs_rule(const Call& call, Outcome& out) {
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    const double lo = x.lo >= 0 ? x.lo : x.hi <= 0 ? -x.hi : 0.0;
    finish_element(out, i, lo, x.magnitude(), x.error, 0, 0);
  }
}

void max_rule(const Call& call, Outcome& out) {
  const auto k = static_cast<std::size_t>(call.op.ints[0]);
  for (std::size_t i = 0; i < call.op.size; ++i) {
    double lo = -infinity, hi = -infinity, least = -infinity, inherited = 0;
    for (std::size_t j = i * k; j < (i + 1) * k; ++j) {
      lo = std::max(lo, call.x()[j].lo);
      hi = std::max(hi, call.x()[j].hi);
      least = std::max(least, call.x()[j].computed_lo());
    }
    // Only operands that can be the greatest, exactly or as computed, pass on their errors.
    for (std::size_t j = i * k; j < (i + 1) * k; ++j)
      if (call.x()[j].computed_hi() >= least) inherited = std::max(inherited, call.x()[j].error);
    finish_element(out, i, lo, hi, inherited, 0, 0);
  }
}

void multiply_rule(const Call& call, Outcome& out) {
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity &x = call.x()[i], &y = (*call.in[1])[i];
    const Term exact = product(x.lo, x.hi, y.lo, y.hi);
    const double inherited = plus(times(x.magnitude(), y.error), times(y.computed_magnitude(), x.error));
    const double size = times(x.computed_magnitude(), y.computed_magnitude());
    const double local = call.arithmetic.values.half_ulp_up(size);
    out.underflow = std::max(out.underflow, std::min(local, call.arithmetic.values.eta));
    finish_element(out, i, exact.lo, exact.hi, inherited, local, 0);
  }
}

}  // namespace outward::roundoff
