// Rules of sums: contractions, reductions, sums of two, products with constants. Formulas: sums.hpp.
#include <algorithm>
#include <cmath>

#include "bounds/roundoff/rules.hpp"

namespace outward::roundoff {

Term product(double a_lo, double a_hi, double b_lo, double b_hi) {
  if (a_lo == a_hi && b_lo == b_hi) {
    const double p = a_lo * b_lo;
    if (std::fabs(p) > 0x1p-900 && std::fabs(p) < infinity && std::fma(a_lo, b_lo, -p) == 0) return {p, p};  // exact
  }
  if (a_lo == a_hi) {
    return a_lo >= 0 ? Term{mul_down(a_lo, b_lo), mul_up(a_lo, b_hi)} : Term{mul_down(a_lo, b_hi), mul_up(a_lo, b_lo)};
  }
  return {std::min({mul_down(a_lo, b_lo), mul_down(a_lo, b_hi), mul_down(a_hi, b_lo), mul_down(a_hi, b_hi)}),
          std::max({mul_up(a_lo, b_lo), mul_up(a_lo, b_hi), mul_up(a_hi, b_lo), mul_up(a_hi, b_hi)})};
}

void finish_element(Outcome& out, std::size_t i, double lo, double hi, double propagated, double local,
                    double largest) {
  out.lo[i] = lo;
  out.hi[i] = hi;
  out.propagated[i] = propagated;
  out.local[i] = local;
  const double result = plus(plus(std::fmax(std::fabs(lo), std::fabs(hi)), propagated), local);
  out.stored = std::max(out.stored, result);
  out.largest = std::max({out.largest, largest, result});
}

namespace {

double magnitude_of(const Term& t) { return t.magnitude(); }

// The constant c as held times the computed operand.
Term held_product(const Constants& c, std::size_t w, const Quantity& x) {
  const double lo = x.computed_lo(), hi = x.computed_hi();
  if (c.known()) return product(c.value(w), c.value(w), lo, hi);
  return product(sub_down(c.exact(w), c.drift(w)), add_up(c.exact(w), c.drift(w)), lo, hi);
}

// The range of (held − exact)·computed operand.
Term drift_product(const Constants& c, std::size_t w, double lo, double hi) {
  const double d = c.drift(w);
  if (c.known()) {
    const double difference = c.value(w) >= c.exact(w) ? d : -d;
    return product(difference, difference, lo, hi);
  }
  return product(-d, d, lo, hi);
}

// Rounding a factor of a product to the format of factors; infinite where that may overflow.
double conversion_error(const Quantity& x, const Arithmetic& a) {
  if (!a.converts) return 0;
  const double size = x.computed_magnitude();
  return size <= a.factors.omega ? a.factors.half_ulp_up(size) : infinity;
}

// A sum of two terms into the format of stored values: both are stored numbers (or constants). exact ranges in lo, hi.
double one_addition(const Quantity& x, const Quantity& y, double lo, double hi, double inherited, const Arithmetic& a) {
  const double reach = plus(std::fmax(std::fabs(lo), std::fabs(hi)), inherited);
  const double nearest = std::min(x.computed_magnitude(), y.computed_magnitude());
  return std::min(a.values.half_ulp_up(reach), nearest);
}

}  // namespace

double quotient_error(double dividend, double quotient, const FormatModel& f, const Arithmetic& a) {
  if (!a.any_fusion()) return f.half_ulp_up(quotient);
  const double of_reciprocal = times(times(dividend, f.eta), plus(1, f.u_path));
  return plus(plus(times(growth_up(3, f.u_path), quotient), times(2, f.eta)), of_reciprocal);
}

void map_rule(const Call& call, Outcome& out) {
  std::vector<const Quantity*> source;
  for (const Quantities* v : call.in)
    for (const Quantity& q : *v) source.push_back(&q);
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& q = *source[static_cast<std::size_t>(call.op.ints[i])];
    finish_element(out, i, q.lo, q.hi, q.error, 0, 0);
  }
}

void contraction_rule(const Call& call, Outcome& out) {
  const Operator& op = call.op;
  const Arithmetic& a = call.arithmetic;
  // Weights are factors of products, the bias is a stored number.
  const Constants c(op.payload, a.factors), added(op.payload, a.values);
  out.constants_converted = c.converted();
  std::vector<Term> terms;
  // Orders that go by the places of the terms: weights of 0 and taps on the padding have their places too.
  const bool by_position = a.policy.reduction == Reduction::pairwise || a.policy.reduction == Reduction::block;
  const std::size_t places = op.code == OpCode::dense
                                 ? static_cast<std::size_t>(op.ints[1])
                                 : static_cast<std::size_t>(op.ints[1] / op.ints[15] * op.ints[5] * op.ints[6]);
  for (std::size_t i = 0; i < op.size; ++i) {
    terms.clear();
    double lo = 0, hi = 0, inherited = 0, drift_lo = 0, drift_hi = 0, converted = 0;
    std::size_t taps = 0;
    for_each_term(op, i, [&](std::size_t w, std::size_t at) {
      const double weight = c.exact(w);
      ++taps;
      if (weight == 0) {
        if (by_position) terms.push_back({0, 0});
        return;
      }
      const Quantity& x = call.x()[at];
      const Term exact = product(weight, weight, x.lo, x.hi);
      lo = add_down(lo, exact.lo);
      hi = add_up(hi, exact.hi);
      inherited = plus(inherited, times(std::fabs(weight), x.error));
      const double conversion = conversion_error(x, a);
      converted = plus(converted, times(std::fabs(weight), conversion));
      const Quantity factor{x.lo, x.hi, plus(x.error, conversion)};
      terms.push_back(held_product(c, w, factor));
      if (c.drift(w) != 0) {
        const Term drift = drift_product(c, w, factor.computed_lo(), factor.computed_hi());
        drift_lo = add_down(drift_lo, drift.lo);
        drift_hi = add_up(drift_hi, drift.hi);
      }
    });
    const std::int64_t bias = bias_of(op, i);
    const bool has_bias = bias >= 0 && op.payload[static_cast<std::size_t>(bias)] != 0;
    if (has_bias) {
      const auto b = static_cast<std::size_t>(bias);
      lo = add_down(lo, c.exact(b));
      hi = add_up(hi, c.exact(b));
      const Term held = held_product(added, b, {1, 1, 0}), drift = drift_product(added, b, 1, 1);
      terms.push_back(held);
      drift_lo = add_down(drift_lo, drift.lo);
      drift_hi = add_up(drift_hi, drift.hi);
    }
    const SumError sum = sum_error(terms, true, has_bias ? 1 : 0, a, by_position ? places - taps : 0);
    const double drift = std::fmax(std::fabs(drift_lo), std::fabs(drift_hi));
    const double before = plus(plus(drift, converted), sum.error);
    const double reach = plus(plus(std::fmax(std::fabs(lo), std::fabs(hi)), inherited), before);
    const double local = plus(before, storing_error(std::min(reach, sum.largest), a));
    out.underflow = std::max(out.underflow, sum.underflow);
    finish_element(out, i, lo, hi, inherited, local, sum.largest);
  }
}

void reduce_rule(const Call& call, Outcome& out) {
  const Operator& op = call.op;
  const Arithmetic& a = call.arithmetic;
  const auto terms_each = static_cast<std::size_t>(op.ints[0]);
  std::vector<Term> terms(terms_each);
  for (std::size_t i = 0; i < op.size; ++i) {
    double lo = 0, hi = 0, inherited = 0, converted = 0;
    for (std::size_t j = 0; j < terms_each; ++j) {
      const Quantity& x = call.x()[i * terms_each + j];
      lo = add_down(lo, x.lo);
      hi = add_up(hi, x.hi);
      inherited = plus(inherited, x.error);
      const double conversion = conversion_error(x, a);
      converted = plus(converted, conversion);
      terms[j] = {sub_down(x.computed_lo(), conversion), add_up(x.computed_hi(), conversion)};
    }
    const SumError sum = sum_error(terms, false, 0, a);
    double local = plus(converted, sum.error);
    const auto divisor = static_cast<double>(op.ints[i + 1]);
    if (divisor != 1) {
      // The divisor as the accumulator holds it; then the division (or one more factor where it is multiplied by the
      // rounded reciprocal: two roundings instead of one under any fusion).
      const double drift = a.sums.conversion_error_up(divisor);
      const double held = sub_down(divisor, drift);
      lo = div_down(lo, divisor);
      hi = div_up(hi, divisor);
      inherited = div_up(inherited, divisor);
      const double quotient = held > 0 ? div_up(sum.largest, held) : infinity;
      const double of_divisor = times(quotient, div_up(drift, divisor));
      local = plus(plus(div_up(local, divisor), of_divisor), quotient_error(sum.largest, quotient, a.sums, a));
    }
    const double reach = plus(plus(std::fmax(std::fabs(lo), std::fabs(hi)), inherited), local);
    finish_element(out, i, lo, hi, inherited, plus(local, storing_error(reach, a)), sum.largest);
  }
}

void add_rule(const Call& call, Outcome& out) {
  const bool minus = call.op.ints[0] == 1;
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity &x = call.x()[i], &y = (*call.in[1])[i];
    const double lo = minus ? sub_down(x.lo, y.hi) : add_down(x.lo, y.lo);
    const double hi = minus ? sub_up(x.hi, y.lo) : add_up(x.hi, y.hi);
    const double inherited = plus(x.error, y.error);
    finish_element(out, i, lo, hi, inherited, one_addition(x, y, lo, hi, inherited, call.arithmetic), 0);
  }
}

void shift_rule(const Call& call, Outcome& out) {
  const Constants c(call.op.payload, call.arithmetic.values);
  out.constants_converted = c.converted();
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    const double lo = add_down(x.lo, c.exact(i)), hi = add_up(x.hi, c.exact(i));
    const double drift = c.drift(i), before = plus(x.error, drift);
    if (c.exact(i) == 0) {
      finish_element(out, i, x.lo, x.hi, x.error, 0, 0);
      continue;
    }
    const Quantity y{c.exact(i), c.exact(i), drift};
    finish_element(out, i, lo, hi, x.error, plus(drift, one_addition(x, y, lo, hi, before, call.arithmetic)), 0);
  }
}

void scale_rule(const Call& call, Outcome& out) {
  const Constants c(call.op.payload, call.arithmetic.values);
  out.constants_converted = c.converted();
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    const Term exact = product(c.exact(i), c.exact(i), x.lo, x.hi), held = held_product(c, i, x);
    const double drift = magnitude_of(drift_product(c, i, x.computed_lo(), x.computed_hi()));
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(c.exact(i)), &exponent);
    // Powers of two are exact above the subnormal numbers.
    const bool power = fraction == 0.5 && drift == 0;
    double rounding = call.arithmetic.values.half_ulp_up(held.magnitude());
    if (power) rounding = exponent >= 1 ? 0 : std::min(rounding, call.arithmetic.values.eta);
    if (c.exact(i) == 0) rounding = 0;
    finish_element(out, i, exact.lo, exact.hi, times(std::fabs(c.exact(i)), x.error), plus(drift, rounding), 0);
    out.underflow = std::max(out.underflow, std::min(rounding, call.arithmetic.values.eta));
  }
}

void divide_rule(const Call& call, Outcome& out) {
  const Constants c(call.op.payload, call.arithmetic.values);
  out.constants_converted = c.converted();
  const FormatModel& f = call.arithmetic.values;
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& x = call.x()[i];
    const double divisor = c.exact(i), size = std::fabs(divisor), drift = c.drift(i);
    const double lo = divisor > 0 ? div_down(x.lo, size) : -div_up(x.hi, size);
    const double hi = divisor > 0 ? div_up(x.hi, size) : -div_down(x.lo, size);
    const double held = sub_down(size, drift);
    const double quotient = held > 0 ? div_up(x.computed_magnitude(), held) : infinity;
    double local = times(quotient, div_up(drift, size));
    local = plus(local, quotient_error(x.computed_magnitude(), quotient, f, call.arithmetic));
    if (call.arithmetic.any_fusion()) out.stored = std::max(out.stored, held > 0 ? div_up(1, held) : infinity);
    out.underflow = std::max(out.underflow, std::min(local, f.eta));
    finish_element(out, i, lo, hi, div_up(x.error, size), local, quotient);
  }
}

void matvec_rule(const Call& call, Outcome& out) {
  const Quantities &w = call.x(), &x = *call.in[1];
  const std::size_t k = x.size();
  std::vector<Term> terms(k);
  const Weights mean = call.weights.size() > 1 ? call.weights[1] : Weights{};
  for (std::size_t r = 0; r < call.op.size; ++r) {
    double lo = 0, hi = 0, inherited = 0, least = infinity, most = -infinity, size = 0, error = 0, converted = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const Quantity &a = w[r * k + j], &b = x[j];
      const Term exact = product(a.lo, a.hi, b.lo, b.hi);
      lo = add_down(lo, exact.lo);
      hi = add_up(hi, exact.hi);
      inherited = plus(inherited, plus(times(a.magnitude(), b.error), times(b.computed_magnitude(), a.error)));
      // Factors as they are multiplied: a° b° − a^ b^ = (a° − a^) b^ + a° (b° − b^).
      const double of_a = conversion_error(a, call.arithmetic), of_b = conversion_error(b, call.arithmetic);
      const Quantity first{a.lo, a.hi, plus(a.error, of_a)}, second{b.lo, b.hi, plus(b.error, of_b)};
      converted = plus(converted, plus(times(of_a, b.computed_magnitude()), times(first.computed_magnitude(), of_b)));
      terms[j] = product(first.computed_lo(), first.computed_hi(), second.computed_lo(), second.computed_hi());
      least = std::min(least, a.lo);
      most = std::max(most, a.hi);
      size = std::max(size, a.computed_magnitude());
      error = std::max(error, a.error);
    }
    double cap = infinity;
    if (mean.known) {
      // A mean of the row: Σ (w^ − w) x^ + Σ w (x^ − x), where weights that add up to 1 on both sides move it by half
      // the width of the row only.
      lo = std::max(lo, least);
      hi = std::min(hi, most);
      const double mass = plus(1, mean.error()), half = div_up(std::max(0.0, sub_up(most, least)), 2);
      const double moved =
          plus(times(half, mean.inherited), times(std::fmax(std::fabs(least), std::fabs(most)), mean.local));
      inherited = std::min(inherited, plus(moved, times(error, mass)));
      if (!call.arithmetic.converts) cap = times(size, mass);
    }
    const SumError sum = sum_error(terms, true, 0, call.arithmetic, 0, cap);
    const double before = plus(converted, sum.error);
    const double reach = plus(plus(std::fmax(std::fabs(lo), std::fabs(hi)), inherited), before);
    const double local = plus(before, storing_error(std::min(reach, sum.largest), call.arithmetic));
    out.underflow = std::max(out.underflow, sum.underflow);
    finish_element(out, r, lo, hi, inherited, local, sum.largest);
  }
}

}  // namespace outward::roundoff
