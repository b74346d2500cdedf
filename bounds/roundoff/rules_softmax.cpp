// Softmax and its kin, shifted by the maximum. n entries, D_i = m − x_i >= 0, p_i = e^(−D_i)/S, S = Σ e^(−D_j) >= 1.
//
// Computed: d_i = fl(x_i − m) has relative error u'; the function has relative error ε, so entry i is
// e^(−D_i)·(1±ε)·e^(±u' D_i), with an absolute error η where it underflows; m is exact, so one entry is e^0.
// The sum of positive terms has relative error σ. Blanchard, Higham and Higham (2021) then bound p̂_i by the *range* D
// of the scores. Here the denominator uses the entropy instead: Σ p_j D_j = H(p) − ln S <= ln n, hence by convexity
//     Σ e^(−D_j) e^(−u' D_j) >= S·e^(−u' ln n),        Σ e^(−D_j) e^(u' D_j) <= S·(1 + u' e^(u' D) ln n),
// and p_i(e^(u' D_i) − 1) <= u' D_i e^(−D_i) e^(u' D_i) <= u'/(e(1 − u')).
// All entries together: Σ p_i (e^(u' D_i) − 1) <= u' e^(u' D) ln n, by the entropy again.
// Errors of the scores: p moves by at most tanh(a/2), and by a factor of at most e^(2a), for errors of at most a.
//
// Online softmax (Milakov and Gimelshein 2018; Dao et al. 2022): B blocks, every contribution is multiplied by computed
// factors e^(m_old − m_new) whose arguments telescope, so that with r changes of the maximum the factor of one term is
// within G = (1+ε)^(1+r) (1+u')^r e^(u' D') of 1, D' the range of the scores: subtraction errors add up to u'·D'.
#include <algorithm>
#include <cmath>

#include "bounds/roundoff/rules.hpp"

namespace outward::roundoff {
namespace {

struct Scores {
  double lo = infinity, hi = -infinity;              // computed
  double exact_lo = infinity, exact_hi = -infinity;  // exact
  double error = 0;
  double range() const { return sub_up(hi, lo); }
};

Scores scores_of(const Quantities& x) {
  Scores s;
  for (const Quantity& q : x) {
    s.lo = std::min(s.lo, q.computed_lo());
    s.hi = std::max(s.hi, q.computed_hi());
    s.exact_lo = std::min(s.exact_lo, q.lo);
    s.exact_hi = std::max(s.exact_hi, q.hi);
    s.error = std::max(s.error, q.error);
  }
  return s;
}

double exp_up(double x) { return function_up(Function::exp, x); }
double exp_down(double x) { return std::max(0.0, function_down(Function::exp, x)); }
// e^x − 1 for x >= 0: x·e^x.
double expm1_up(double x) { return x == 0 ? 0 : mul_up(x, exp_up(x)); }

// Relative error of the sum of n nonnegative numbers of the accumulator, then stored.
double positive_sum(double n, const Arithmetic& a) {
  const NumericalPolicy& p = a.policy;
  double sigma = times(n - 1, a.sums.u);
  if (p.reduction == Reduction::pairwise) sigma = std::min(sigma, growth_up(std::ceil(std::log2(n)), a.sums.u_path));
  sigma = std::min(sigma, growth_up(n - 1, a.sums.u_path));
  if (a.narrows) sigma = plus(plus(sigma, a.values.u_path), times(sigma, a.values.u_path));
  return sigma;
}

// Relative error of the elementary function in the normal range, absolute one below it.
double relative_of(const Arithmetic& a) { return times(2 * a.function_ulps, a.values.u); }
double absolute_of(const Arithmetic& a) { return times(2 * a.function_ulps, a.values.eta); }

// S^ lies within [S·lo, S·hi] (S >= 1), and is at most `most`.
struct Denominator {
  double lo, hi, most;
};
Denominator denominator(double n, const Scores& s, const Arithmetic& a) {
  const double u = a.values.u_path, eps = relative_of(a), log_n = add_up(std::log(n), 0x1p-40),
               sigma = positive_sum(n, a);
  const double tiny = times(n, absolute_of(a));
  const double below = sub_down(mul_down(std::max(0.0, sub_down(1, eps)), exp_down(-mul_up(u, log_n))), tiny);
  // The sum of nonnegative numbers to nearest is at least each of them: the entry of the maximum; and S <= n.
  const double least = std::max(mul_down(std::max(0.0, sub_down(1, sigma)), std::max(0.0, below)),
                                div_down(std::max(0.0, sub_down(1, eps)), n));
  const double spread = times(times(u, exp_up(times(u, s.range()))), log_n);
  const double above = plus(times(plus(1, eps), plus(1, spread)), tiny);
  // Every entry is at most 1, as it should be.
  const double entries = times(n, std::min(above, plus(plus(1, eps), tiny)));
  return {std::max(0.0, std::min(least, 1.0)), times(plus(1, sigma), above), times(plus(1, sigma), entries)};
}

}  // namespace

void softmax_rule(const Call& call, Outcome& out) {
  const Arithmetic& a = call.arithmetic;
  const auto n = static_cast<double>(call.op.size);
  const Scores s = scores_of(call.x());
  if (!(s.range() < infinity)) {
    for (std::size_t i = 0; i < call.op.size; ++i) finish_element(out, i, 0, 1, infinity, infinity, infinity);
    return;
  }
  const Denominator sum = denominator(n, s, a);
  const double u = a.values.u_path, eps = relative_of(a), tiny = absolute_of(a);
  // p^ <= p·e^(u' D_i)·up + …, p <= p^·e^(u' D_i)·down + …
  const double up = sum.lo > 0 ? times(div_up(plus(1, eps), sum.lo), plus(1, u)) : infinity;
  const double down = eps < 1 ? div_up(sum.hi, mul_down(sub_down(1, eps), sub_down(1, u))) : infinity;
  const double factor = std::max(up, down);
  const double underflow = plus(times(plus(tiny, 0), factor), a.values.eta);
  const double moved = std::min(1.0, div_up(s.error, 2));  // tanh(a/2) <= a/2
  const double moved_factor = expm1_up(times(2, s.error));
  // Of both, Σ|difference|; Σ|Δp| <= 2·tanh(a/2) for errors of at most a.
  const double log_n = add_up(std::log(n), 0x1p-40);
  const double together = std::min(expm1_up(times(u, s.range())), times(times(u, exp_up(times(u, s.range()))), log_n));
  out.weights = {true, std::min(2.0, s.error),
                 plus(plus(times(together, factor), std::max(0.0, sub_up(factor, 1))), times(n, underflow))};
  // Sums of the others, in the units of e^(greatest exact score).
  double others_lo = 0, others_hi = 0;
  std::vector<double> least(call.op.size), most(call.op.size);
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& q = call.x()[i];
    const bool same = i > 0 && q.lo == call.x()[i - 1].lo && q.hi == call.x()[i - 1].hi;
    least[i] = same ? least[i - 1] : exp_down(sub_down(q.lo, s.exact_hi));
    most[i] = same ? most[i - 1] : exp_up(sub_up(q.hi, s.exact_hi));
    others_lo = add_down(others_lo, least[i]);
    others_hi = add_up(others_hi, most[i]);
  }
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& q = call.x()[i];
    const double rest_lo = std::max(0.0, sub_down(others_lo, add_up(least[i], 0x1p-40 * others_lo)));
    const double rest_hi = add_up(std::max(0.0, sub_up(others_hi, most[i])), 0x1p-40 * others_hi);
    const double hi = std::min(1.0, most[i] > 0 ? div_up(most[i], add_down(most[i], rest_lo)) : 1.0);
    const double lo = least[i] > 0 ? div_down(least[i], add_up(least[i], rest_hi)) : 0.0;
    const double inherited = s.error == 0 ? 0 : std::min(moved, times(hi, moved_factor));
    const double p = std::min(1.0, plus(hi, inherited));
    const double range = std::max(0.0, sub_up(s.hi, q.computed_lo()));
    const double spread = std::min(times(p, expm1_up(times(u, range))), div_up(u, mul_down(2.718281, sub_down(1, u))));
    double local = plus(plus(times(spread, factor), times(p, std::max(0.0, sub_up(factor, 1)))), underflow);
    // Both values lie in [0, 1]: the computed sum is at least the computed entry.
    local = std::min(local, 1.0);
    out.underflow = std::max(out.underflow, std::min(local, underflow));
    finish_element(out, i, std::max(0.0, lo), hi, inherited, local, sum.most);
  }
  out.largest = std::max(out.largest, std::max(sum.most, s.range()));
  out.stored = std::max(out.stored, out.largest);  // the differences and the sum are stored
}

void log_softmax_rule(const Call& call, Outcome& out) {
  const Arithmetic& a = call.arithmetic;
  const auto n = static_cast<double>(call.op.size);
  const Scores s = scores_of(call.x());
  const Denominator sum = denominator(n, s, a);
  if (!(s.range() < infinity) || !(sum.lo > 0)) {
    for (std::size_t i = 0; i < call.op.size; ++i) finish_element(out, i, -infinity, 0, infinity, infinity, infinity);
    return;
  }
  const double log_n = add_up(std::log(n), 0x1p-40);
  // |log S^ − log S| <= max(log hi, −log lo) <= max(hi − 1, 1/lo − 1).
  const double of_sum = std::max(std::max(0.0, sub_up(sum.hi, 1)), std::max(0.0, sub_up(div_up(1, sum.lo), 1)));
  const double log_error = plus(of_sum, function_error(plus(log_n, of_sum), a));
  for (std::size_t i = 0; i < call.op.size; ++i) {
    const Quantity& q = call.x()[i];
    const double range = std::max(0.0, sub_up(s.hi, q.computed_lo()));
    const double inherited = times(2, s.error);
    const double shift = a.values.half_ulp_up(range);
    const double before = plus(shift, log_error);
    const double size = plus(plus(range, log_n), before);
    const double local = plus(before, a.values.half_ulp_up(size));
    // y >= x_i − max − ln n, y <= 0.
    const double exact_range = std::max(0.0, sub_up(s.exact_hi, q.lo));
    finish_element(out, i, -add_up(exact_range, log_n), 0, inherited, local, sum.most);
  }
  out.largest = std::max(out.largest, std::max(sum.most, s.range()));
  out.stored = std::max(out.stored, out.largest);  // the differences, the sum and its logarithm are stored
}

void online_softmax_rule(const Call& call, Outcome& out) {
  const Arithmetic& a = call.arithmetic;
  const Quantities &x = call.x(), &values = *call.in[1];
  const std::size_t rows = x.size(), columns = call.op.size;
  const auto n = static_cast<double>(rows), block = static_cast<double>(call.op.ints[0]);
  const double blocks = std::ceil(n / block), changes = blocks - 1;
  const Scores s = scores_of(x);
  const double u = a.values.u_path, us = a.sums.u_path, eps = relative_of(a);
  const double range = s.range();
  // growth_up bounds (1+u)^k − 1. ε counts as that many roundings of size ε.
  const double factor =
      times(times(plus(1, growth_up(1 + changes, eps)), plus(1, growth_up(changes, u))), exp_up(times(u, range)));
  // ell: sums inside a block, then one product and one sum per block.
  double ell = sub_up(times(plus(1, growth_up(std::min(block, n) - 1 + 2 * blocks, us)), factor), 1);
  double numerator = sub_up(times(plus(1, growth_up(n + 2 * blocks + 1, us)), factor), 1);
  if (a.narrows) {  // running sums are stored between blocks
    const double stores = plus(1, growth_up(2 * blocks, u));
    ell = sub_up(times(plus(1, ell), stores), 1);
    numerator = sub_up(times(plus(1, numerator), stores), 1);
  }
  const double tiny =
      times(times(std::max(absolute_of(a), a.values.eta), n + 2 * blocks), plus(1, growth_up(n + 3 * blocks, us)));
  const double left = sub_down(sub_down(1, ell), tiny);
  const double moved = times(2, std::min(1.0, div_up(s.error, 2)));  // Σ|Δp| <= 2·tanh(a/2) <= a
  for (std::size_t c = 0; c < columns; ++c) {
    double lo = infinity, hi = -infinity, size = 0, inherited = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const Quantity& v = values[i * columns + c];
      lo = std::min(lo, v.lo);
      hi = std::max(hi, v.hi);
      size = std::max(size, v.computed_magnitude());
      inherited = std::max(inherited, v.error);
    }
    // Σ (p̂ − p) v = Σ (p̂ − p)(v − middle): half the width counts.
    const double half = div_up(sub_up(add_up(hi, inherited), sub_down(lo, inherited)), 2);
    const double propagated = plus(times(moved, half), inherited);
    double local = infinity;
    if (left > 0) {
      local = div_up(plus(plus(times(numerator, size), times(size, ell)), times(tiny, plus(1, size))), left);
      local = plus(plus(times(local, plus(1, u)), times(u, size)), a.values.eta);
    }
    // The running sums, stored between blocks: ell <= n·(1 + …), and as much of the largest value.
    double largest = std::max(times(n, plus(1, ell)), times(times(n, plus(1, numerator)), size));
    largest = std::max(plus(largest, times(tiny, plus(1, size))), range);
    out.stored = std::max(out.stored, largest);
    out.underflow = std::max(out.underflow, std::min(local, plus(tiny, a.values.eta)));
    finish_element(out, c, lo, hi, propagated, local, largest);
  }
}

}  // namespace outward::roundoff
