// Rules of batch normalisation: as written, and folded into one factor and one summand.
#include <algorithm>
#include <cmath>

#include "bounds/roundoff/rules.hpp"

namespace outward::roundoff {
namespace {

// √(var + eps) of a channel: the exact root in [lo, hi], the computed one within error of it and at least held.
struct Deviation {
  double lo = 0, hi = 0, error = infinity, held = 0, under_root = infinity;
  bool known() const { return held > 0; }  // else the computed root may be zero
};

// Two conversions, an addition and the root.
Deviation deviation_of(const Constants& c, std::size_t at_variance, std::size_t at_eps, const FormatModel& f) {
  const double variance = c.exact(at_variance), eps = c.exact(at_eps);
  const double total = add_down(variance, eps), drift = plus(c.drift(at_variance), c.drift(at_eps));
  const double before = plus(drift, f.half_ulp_up(plus(add_up(variance, eps), drift)));
  const double share = total > 0 ? div_up(before, total) : infinity;
  Deviation s;
  if (!(share < 0.5)) return s;
  s.lo = sqrt_down(total);
  s.hi = sqrt_up(add_up(variance, eps));
  // |√(1+t) − 1| <= |t| for |t| <= 1, and the rounding of the root.
  s.error = plus(times(s.hi, share), f.half_ulp_up(times(s.hi, add_up(1, share))));
  s.held = sub_down(s.lo, s.error);
  s.under_root = plus(add_up(variance, eps), before);
  return s;
}

// One element over the reals: its range, the magnitude of its factor, and what the error of its operand becomes.
struct ExactElement {
  ChannelScale factor;
  double mean, shift, lo, hi, size, inherited;
};

ExactElement exact_element(const Operator& op, const Constants& c, std::size_t channels, std::size_t q,
                           const Quantity& x) {
  ExactElement e{channel_scale(op, q), c.exact(2 * channels + q), c.exact(channels + q), 0, 0, 0, 0};
  const Term range = product(e.factor.lo, e.factor.hi, sub_down(x.lo, e.mean), sub_up(x.hi, e.mean));
  e.lo = add_down(range.lo, e.shift);
  e.hi = add_up(range.hi, e.shift);
  e.size = std::fmax(std::fabs(e.factor.lo), std::fabs(e.factor.hi));
  e.inherited = times(e.size, x.error);
  return e;
}

}  // namespace

void bn_rule(const Call& call, Outcome& out) {
  const Operator& op = call.op;
  const Arithmetic& a = call.arithmetic;
  const FormatModel& f = a.values;
  const auto channels = static_cast<std::size_t>(op.ints[0]), inner = static_cast<std::size_t>(op.ints[1]);
  const Constants c(op.payload, f);
  out.constants_converted = c.converted();
  for (std::size_t i = 0; i < op.size; ++i) {
    const std::size_t q = i / inner % channels;
    const Quantity& x = call.x()[i];
    const auto [factor, mean, shift, lo, hi, size, inherited] = exact_element(op, c, channels, q, x);
    const Deviation s = deviation_of(c, 3 * channels + q, 4 * channels, f);
    if (!s.known()) {
      finish_element(out, i, lo, hi, inherited, infinity, infinity);
      continue;
    }
    // Difference, quotient, product, sum.
    const double drift_mean = c.drift(2 * channels + q);
    const double centred = plus(plus(x.computed_magnitude(), std::fabs(mean)), drift_mean);
    const double difference =
        std::fmax(std::fabs(sub_down(x.computed_lo(), mean)), std::fabs(sub_up(x.computed_hi(), mean)));
    const double e_centred = plus(drift_mean, f.half_ulp_up(plus(difference, drift_mean)));
    const double reach = plus(difference, e_centred);
    const double quotient = div_up(reach, s.held);
    // q̂ − q = (centred error)/ŝ + difference·(1/ŝ − 1/s), and its own rounding.
    double e_quotient = plus(div_up(e_centred, s.held), times(div_up(difference, s.held), div_up(s.error, s.lo)));
    e_quotient = plus(e_quotient, f.half_ulp_up(quotient));
    const double scale = std::fabs(c.exact(q)), drift_scale = c.drift(q);
    const double wide = plus(quotient, f.half_ulp_up(quotient));
    const double product_size = times(plus(scale, drift_scale), wide);
    double e_product = plus(times(scale, e_quotient), times(drift_scale, wide));
    e_product = plus(e_product, f.half_ulp_up(product_size));
    const double drift_shift = c.drift(channels + q);
    const double before_sum = plus(plus(e_product, drift_shift), inherited);
    const double sum_size = plus(std::fmax(std::fabs(lo), std::fabs(hi)), before_sum);
    const double local = plus(plus(e_product, drift_shift), f.half_ulp_up(sum_size));
    out.underflow = std::max(out.underflow, std::min(local, times(3, f.eta)));
    const double largest = std::max({centred, wide, product_size, s.under_root, plus(s.hi, s.error)});
    out.stored = std::max(out.stored, largest);
    finish_element(out, i, lo, hi, inherited, local, largest);
  }
}

// y = x·a + b with a = scale/√(var + eps) and b = shift − mean·a computed in the format beforehand. Each of the three
// is stored; in a wider accumulator sums are rounded there first.
void bn_folded_rule(const Call& call, Outcome& out) {
  const Operator& op = call.op;
  const Arithmetic& arithmetic = call.arithmetic;
  const FormatModel& f = arithmetic.values;
  const auto channels = static_cast<std::size_t>(op.ints[0]), inner = static_cast<std::size_t>(op.ints[1]);
  const Constants c(op.payload, f);
  out.constants_converted = c.converted();
  const auto rounding = [&](double size) {
    return plus(f.half_ulp_up(size), arithmetic.narrows ? arithmetic.sums.half_ulp_up(size) : 0);
  };
  for (std::size_t i = 0; i < op.size; ++i) {
    const std::size_t q = i / inner % channels;
    const Quantity& x = call.x()[i];
    const auto [a, mean, shift, lo, hi, a_size, inherited] = exact_element(op, c, channels, q, x);
    const double scale = std::fabs(c.exact(q));
    const Deviation s = deviation_of(c, 3 * channels + q, 4 * channels, f);
    if (!s.known()) {
      finish_element(out, i, lo, hi, inherited, infinity, infinity);
      continue;
    }
    // a^ − a = (scale^ − scale)/s^ + scale·(1/s^ − 1/s), and the rounding of the quotient.
    const double dividend = plus(scale, c.drift(q)), quotient = div_up(dividend, s.held);
    double e_a = plus(div_up(c.drift(q), s.held), times(div_up(scale, s.held), div_up(s.error, s.lo)));
    e_a = plus(e_a, quotient_error(dividend, quotient, f, arithmetic));
    const double held_a = plus(a_size, e_a);
    // b^ − b = mean·(a − a^) and this: the mean as held, the product, the shift as held, the sum.
    const double drift_mean = c.drift(2 * channels + q), moved = times(plus(std::fabs(mean), drift_mean), held_a);
    double e_b = plus(plus(times(drift_mean, held_a), f.half_ulp_up(moved)), c.drift(channels + q));
    const Term mean_part = product(a.lo, a.hi, mean, mean);
    const double b = std::fmax(std::fabs(sub_down(shift, mean_part.hi)), std::fabs(sub_up(shift, mean_part.lo)));
    const double b_reach = plus(plus(b, times(std::fabs(mean), e_a)), e_b);
    e_b = plus(e_b, rounding(b_reach));
    // y^ − y: what a^ − a does to both products is (x^ − mean)·(a^ − a).
    const double factor = times(x.computed_magnitude(), held_a);
    const double centred =
        std::fmax(std::fabs(sub_down(x.computed_lo(), mean)), std::fabs(sub_up(x.computed_hi(), mean)));
    double local = plus(plus(times(centred, e_a), e_b), f.half_ulp_up(factor));
    const double reach = plus(plus(std::fmax(std::fabs(lo), std::fabs(hi)), inherited), local);
    local = plus(local, rounding(reach));
    out.underflow = std::max(out.underflow, std::min(local, times(4, f.eta)));
    const double reciprocal = arithmetic.any_fusion() ? div_up(1, s.held) : 0;
    const double partial = plus(std::max(moved, factor), f.half_ulp_up(std::max(moved, factor)));
    const double largest = std::max({s.under_root, plus(s.hi, s.error), plus(reciprocal, f.half_ulp_up(reciprocal)),
                                     held_a, partial, plus(b_reach, e_b)});
    out.stored = std::max(out.stored, largest);
    finish_element(out, i, lo, hi, inherited, local, largest);
  }
}

}  // namespace outward::roundoff
