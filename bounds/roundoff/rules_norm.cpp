// Layer and root-mean-square normalisation over one vector of n elements, as written, in two passes:
//   mean^ = fl(Σ x / n), d^ = fl(x − mean^), v^ = fl(Σ fl(d^²) / n), s^ = fl(√fl(v^ + eps)), y^ = fl(fl(fl(d^/s^)·γ) +
//   β).
// The mean's error enters the variance only squared, because Σ (x − c)² / n = v + (mean − c)² for every c:
//     v^ = (v + e_mean²)(1 + t), 1 + t = (1+u')^4 (1 + (n−1)u), plus the underflow of n squares,
// where two of the four are the differences', in the format of stored values, so is every intermediate above,
// so with T = v + eps, T^/T lies in [1 − t − c, 1 + t + c + e_mean²(1 + t)/T_min], c = (underflow + |eps^ −
// eps|)/T_min: the mean's error only makes it larger. With s^ in [s(1 − r), s(1 + R)],
//     |d^/s^ − d/s| <= e_d/(s(1 − r)) + |d|/s·max(r/(1 − r), R/(1 + R)),
// |d|/s <= √(n − 1) (all deviations in one element).
// Errors of the operand: |J| <= |γ|(2 + max|z|·mean|z|)/s_min in the maximum norm. One-pass formulas (E[x²] − mean²)
// and Welford's recursion are not covered.
// Source: the identity is elementary (Koenig and Huygens); the composition is Higham 2002, chapters 3 and 4.
#include <algorithm>
#include <cmath>

#include "bounds/roundoff/rules.hpp"

namespace outward::roundoff {
namespace {

struct Row {
  double lo = infinity, hi = -infinity, size = 0, error = 0;
};

void refuse_all(const Call& call, Outcome& out) {
  for (std::size_t i = 0; i < call.op.size; ++i)
    finish_element(out, i, -infinity, infinity, infinity, infinity, infinity);
}

// Least possible value of Σ (x_i − mean)² / n for x_i in [lo_i, hi_i]: by Σ_i distance(x_i's range, c)² / n, which is
// smallest for some c; every c is covered by comparing pairs of ranges: two disjoint ranges a gap apart contribute at
// least gap²/2. With the greatest gap only.
double least_variance(const Quantities& x) {
  double greatest_lo = -infinity, least_hi = infinity;
  for (const Quantity& q : x) {
    greatest_lo = std::max(greatest_lo, q.computed_lo());
    least_hi = std::min(least_hi, q.computed_hi());
  }
  const double gap = sub_down(greatest_lo, least_hi);
  if (!(gap > 0)) return 0;
  return div_down(div_down(mul_down(gap, gap), 2), static_cast<double>(x.size()));
}

double least_square_mean(const Quantities& x) {
  double sum = 0;
  for (const Quantity& q : x) {
    const double lo = q.computed_lo(), hi = q.computed_hi();
    const double near = lo > 0 ? lo : hi < 0 ? -hi : 0.0;
    sum = add_down(sum, mul_down(near, near));
  }
  return div_down(sum, static_cast<double>(x.size()));
}

// Mean of the computed operand: its error, before it is known what is subtracted.
struct Mean {
  double lo = 0, hi = 0, error = 0, largest = 0, stored = 0;
};
Mean mean_of(const Quantities& x, const Arithmetic& a) {
  const auto n = static_cast<double>(x.size());
  std::vector<Term> terms;
  Mean mean;
  for (const Quantity& q : x) {
    terms.push_back({q.computed_lo(), q.computed_hi()});
    mean.lo = add_down(mean.lo, q.computed_lo());
    mean.hi = add_up(mean.hi, q.computed_hi());
  }
  mean.lo = div_down(mean.lo, n);
  mean.hi = div_up(mean.hi, n);
  const SumError sum = sum_error(terms, false, 0, a);
  const double drift = a.sums.conversion_error_up(n), held = sub_down(n, drift);
  if (!(held > 0)) return {-infinity, infinity, infinity, infinity, infinity};
  const double quotient = div_up(sum.largest, held);
  double error = plus(div_up(sum.error, n), times(quotient, div_up(drift, n)));
  error = plus(error, quotient_error(sum.largest, quotient, a.sums, a));
  const double reach = plus(std::fmax(std::fabs(mean.lo), std::fabs(mean.hi)), error);
  mean.error = plus(error, storing_error(reach, a));
  mean.largest = sum.largest;
  mean.stored = reach;
  return mean;
}

// The relative error of Σ squares / n, squares, additions and the division included, and the absolute part.
// stored_roundings: of each term before it is squared, in the format of stored values, twice each.
struct Squares {
  double relative, absolute;
};
Squares squares_of(double n, double stored_roundings, const Arithmetic& a) {
  const FormatModel& s = a.sums;
  const double additions = times(n - 1, s.u);
  double tree = std::min(additions, growth_up(n - 1, s.u_path));
  if (a.policy.reduction == Reduction::pairwise) tree = std::min(tree, growth_up(std::ceil(std::log2(n)), s.u_path));
  const double drift = div_up(a.sums.conversion_error_up(n), sub_down(n, a.sums.conversion_error_up(n)));
  // The square and the division; a product with the rounded reciprocal of n, which may be a subnormal number.
  double relative = times(plus(1, growth_up(a.any_fusion() ? 4 : 2, s.u_path)), times(plus(1, tree), plus(1, drift)));
  relative = times(relative, plus(1, growth_up(stored_roundings, a.values.u_path)));
  if (a.any_fusion() && times(n, s.least_normal) > 1) relative = times(relative, plus(1, times(n + 1, s.eta)));
  if (a.narrows) relative = times(relative, plus(1, a.values.u_path));
  const double absolute = plus(times(times(n + 1, s.eta), plus(1, tree)), a.narrows ? a.values.eta : 0);
  return {sub_up(relative, 1), absolute};
}

struct Normaliser {
  double least = 0;          // of the exact root, over exact and computed operands
  double low = 0, high = 0;  // the computed root lies in [(1 − low)·root, (1 + high)·root]
  bool known() const { return low < 1 && high < infinity; }
  // |1/s^ − 1/s|·s
  double inverse_error() const { return std::max(div_up(low, sub_down(1, low)), div_up(high, add_down(1, high))); }
};

// variance_lo: of the exact v at the computed operand; either: absolute error of v^ beyond its relative one; above:
// what only makes it larger (the square of the mean's error).
Normaliser normaliser(double variance_lo, double relative, double either, double above, const Constants& c,
                      const Arithmetic& a) {
  const FormatModel& f = a.values;
  const double total_lo = add_down(variance_lo, c.exact(0));
  if (!(total_lo > 0)) return {0, 1, infinity};
  // The addition of eps: u' of the result (no underflow: both are numbers of the format).
  const auto added = [&](double t) { return plus(t, times(f.u_path, plus(1, t))); };
  const double below = plus(relative, div_up(plus(either, c.drift(0)), total_lo));
  const double t_low = added(below), t_high = added(plus(below, div_up(above, total_lo)));
  Normaliser out;
  out.least = sqrt_down(total_lo);
  out.low = t_low < 1 ? sub_up(1, mul_down(sqrt_down(sub_down(1, t_low)), sub_down(1, f.u_path))) : 1;
  out.high = sub_up(times(sqrt_up(plus(1, t_high)), plus(1, f.u_path)), 1);
  return out;
}

// What is stored on the way to the root of at most this variance (and the root itself).
double under_root(double variance, const Constants& c) {
  return std::max(1.0, plus(variance, plus(std::fabs(c.exact(0)), c.drift(0))));
}

Row row_of_operand(const Quantities& x) {
  Row r;
  for (const Quantity& q : x) {
    r.lo = std::min(r.lo, q.computed_lo());
    r.hi = std::max(r.hi, q.computed_hi());
    r.error = std::max(r.error, q.error);
  }
  r.size = std::fmax(std::fabs(r.lo), std::fabs(r.hi));
  return r;
}

// y = z·γ + β where |z^ − z| <= error and |z| <= most; z errs by `moved` because of the operand.
void scale_and_shift(const Call& call, Outcome& out, std::size_t i, double z_lo, double z_hi, double most, double moved,
                     double error, const Constants& c, double largest) {
  const FormatModel& f = call.arithmetic.values;
  const double gamma = c.exact(1), beta = call.op.payload.size() > 2 ? c.exact(2) : 0;
  const Term scaled = product(gamma, gamma, z_lo, z_hi);
  const double lo = add_down(scaled.lo, beta), hi = add_up(scaled.hi, beta);
  const double held = plus(std::fabs(gamma), c.drift(1)), computed = plus(plus(most, error), moved);
  double local = plus(times(std::fabs(gamma), error), times(c.drift(1), computed));
  const double product_size = times(held, computed);
  out.stored = std::max({out.stored, computed, product_size});
  if (gamma != 1 || c.drift(1) > 0) local = plus(local, f.half_ulp_up(product_size));
  if (beta != 0) {
    local = plus(local, c.drift(2));
    local = plus(local, f.half_ulp_up(plus(plus(product_size, std::fabs(beta)), local)));
  }
  finish_element(out, i, lo, hi, times(std::fabs(gamma), moved), local, std::max(largest, product_size));
}

}  // namespace

void layernorm_rule(const Call& call, Outcome& out) {
  const Arithmetic& a = call.arithmetic;
  const FormatModel& f = a.values;
  const auto n = static_cast<double>(call.op.size);
  const Constants c(call.op.payload, f);
  out.constants_converted = c.converted();
  const Row row = row_of_operand(call.x());
  const Mean mean = mean_of(call.x(), a);
  if (!(mean.error < infinity) || !(row.size < infinity)) return refuse_all(call, out);
  const double spread = sub_up(row.hi, row.lo);  // |d| <= spread
  const Squares squares = squares_of(n, 2, a);   // the difference, squared
  const double offset = times(mean.error, mean.error);
  const double variance_lo = least_variance(call.x());
  const double variance_hi = div_up(times(spread, spread), 4);  // Popoviciu 1935
  const double above = times(offset, plus(1, squares.relative)), extra = plus(above, squares.absolute);
  const Normaliser s = normaliser(variance_lo, squares.relative, squares.absolute, above, c, a);
  if (!s.known()) return refuse_all(call, out);
  const double most = std::min(sqrt_up(n - 1), div_up(spread, s.least));  // of |d|/s
  const double left = sub_down(1, s.low);
  // Error of the operand: through mean and deviation (hull of exact and computed operands in s.least).
  const double moved = std::min(times(div_up(row.error, s.least), plus(2, most)), times(2, most));
  // d^ = (d + mean's error)(1 + u').
  const double of_difference = plus(times(div_up(mean.error, s.least), plus(1, f.u_path)), times(f.u_path, most));
  const double before = plus(div_up(of_difference, left), times(most, s.inverse_error()));
  const double error = plus(before, f.half_ulp_up(plus(most, before)));
  out.underflow = std::max(out.underflow, std::min(error, div_up(sqrt_up(squares.absolute), s.least)));
  const double largest = std::max({mean.largest, times(plus(times(n, variance_hi), extra), plus(1, squares.relative)),
                                   plus(spread, mean.error), plus(most, error)});
  const double variance = times(plus(variance_hi, extra), plus(1, squares.relative));
  out.stored = std::max({out.stored, mean.stored, plus(spread, mean.error), under_root(variance, c)});
  for (std::size_t i = 0; i < call.op.size; ++i)
    scale_and_shift(call, out, i, -most, most, most, moved, error, c, largest);
}

void rmsnorm_rule(const Call& call, Outcome& out) {
  const Arithmetic& a = call.arithmetic;
  const FormatModel& f = a.values;
  const auto n = static_cast<double>(call.op.size);
  const Constants c(call.op.payload, f);
  out.constants_converted = c.converted();
  const Row row = row_of_operand(call.x());
  if (!(row.size < infinity)) return refuse_all(call, out);
  const Squares squares = squares_of(n, 0, a);
  const double square_hi = times(row.size, row.size);
  const Normaliser s = normaliser(least_square_mean(call.x()), squares.relative, squares.absolute, 0, c, a);
  if (!s.known()) return refuse_all(call, out);
  const double most = std::min(sqrt_up(n), div_up(row.size, s.least));
  // z = x/s: |Δz| <= a(1 + |z| mean|z|)/s, mean|z| <= 1.
  const double moved = std::min(times(div_up(row.error, s.least), plus(1, most)), times(2, most));
  const double before = times(most, s.inverse_error());
  const double error = plus(before, f.half_ulp_up(plus(most, before)));
  out.underflow = std::max(out.underflow, std::min(error, div_up(sqrt_up(squares.absolute), s.least)));
  const double largest = std::max(times(times(n, square_hi), plus(1, squares.relative)), plus(most, error));
  out.stored = std::max(out.stored, under_root(plus(times(square_hi, plus(1, squares.relative)), squares.absolute), c));
  for (std::size_t i = 0; i < call.op.size; ++i)
    scale_and_shift(call, out, i, -most, most, most, moved, error, c, largest);
}

}  // namespace outward::roundoff
