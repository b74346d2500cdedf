#include "bounds/roundoff/sums.hpp"

#include <algorithm>
#include <cmath>

namespace outward::roundoff {
namespace {

// What has been added up so far: the exact range, how far the computed value may be off, the largest partial result.
struct Partial {
  double lo = 0, hi = 0, error = 0, largest = 0;
  double reach() const { return plus(std::fmax(std::fabs(lo), std::fabs(hi)), error); }
};

class Sum {
 public:
  Sum(std::span<const Term> terms, bool products, std::size_t unrounded, const Arithmetic& a, double cap)
      : terms_(terms),
        cap_(cap),
        format_(a.sums),
        // Terms before this one are rounded when they are formed.
        rounded_(products && !a.exact_products ? terms.size() - unrounded : 0),
        precise_(a.precise_products),
        products_(products) {}

  // Error of term i as it is formed.
  double forming(std::size_t i) const {
    if (i >= rounded_ || is_zero(i)) return 0;
    if (terms_[i].lo == terms_[i].hi) return format_.conversion_error_up(terms_[i].lo);
    const double rounding = format_.half_ulp_up(terms_[i].magnitude());
    return precise_ ? std::min(rounding, format_.eta) : rounding;
  }
  Partial leaf(std::size_t i, bool fused) const {
    const double e = fused ? 0 : forming(i);
    return {terms_[i].lo, terms_[i].hi, e, plus(terms_[i].magnitude(), e)};
  }
  // a + b. fused: b enters unrounded.
  Partial join(const Partial& a, const Partial& b) const {
    Partial out{std::max(add_down(a.lo, b.lo), -cap_), std::min(add_up(a.hi, b.hi), cap_), plus(a.error, b.error),
                std::max(a.largest, b.largest)};
    const double rounding = format_.half_ulp_up(out.reach());
    // To nearest: not farther than to the other summand, which is a number of the format (a is, always).
    const double step = std::min(rounding, b.reach());
    if (b.reach() > 0) out.error = plus(out.error, step);
    out.largest = std::max(out.largest, out.reach());
    return out;
  }
  bool is_zero(std::size_t i) const { return terms_[i].lo == 0 && terms_[i].hi == 0; }

  Partial sequential(bool fused) const {
    Partial sum;
    bool first = true;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (is_zero(i)) continue;
      sum = first ? leaf(i, false) : join(sum, leaf(i, fused && products_));
      first = false;
    }
    return sum;
  }
  // As runtime/cpu/formatted.cpp: the first half is the longer. Products only; what is unrounded is added last.
  Partial pairwise(std::size_t from, std::size_t to) const {
    if (to - from == 1) return leaf(from, false);
    const std::size_t middle = from + (to - from + 1) / 2;
    const Partial a = pairwise(from, middle), b = pairwise(middle, to);
    // Both are numbers of the format: the smaller one bounds the step.
    return a.reach() >= b.reach() ? join(a, b) : join(b, a);
  }

  // The bounds that hold for every tree, with and without fusion; height: of the tree, if it is known.
  double any_tree(double height, double* largest) const {
    double absolute = 0, positive = 0, negative = 0, leaves = 0, forming_sum = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (is_zero(i)) continue;
      ++leaves;
      absolute = plus(absolute, terms_[i].magnitude());
      positive = plus(positive, std::max(0.0, terms_[i].hi));
      negative = plus(negative, std::max(0.0, -terms_[i].lo));
      forming_sum = plus(forming_sum, forming(i));
      // Fused: the same underflow, at the addition.
    }
    if (leaves == 0) return 0;
    if (cap_ < infinity) {
      if (rounded_ > 0)
        forming_sum = std::min(forming_sum, plus(times(format_.u_path, cap_), times(leaves, format_.eta)));
      absolute = std::min(absolute, cap_);
      positive = std::min(positive, cap_);
      negative = std::min(negative, cap_);
    }
    const double additions = leaves - 1, u = format_.u;
    const double nu = times(additions, u);
    const double m = std::max(positive, negative);
    // The leaves as they are: at most absolute + forming_sum.
    double best = plus(forming_sum, times(nu, plus(absolute, forming_sum)));
    const double roundings = std::min(additions, height) + (rounded_ > 0 && !precise_ ? 1 : 0);
    const double underflow = times(static_cast<double>(rounded_), format_.eta);
    const double growth = growth_up(roundings, format_.u_path);
    const double path = plus(times(growth, absolute), times(underflow, plus(1, growth)));
    best = std::min(best, path);
    if (nu < 1) {
      const double of_m = div_up(plus(forming_sum, times(additions, times(u, m))), sub_down(1, nu));
      best = std::min(best, of_m);
      const double half = times(additions, format_.half_ulp_up(plus(m, of_m)));
      best = std::min(best, plus(forming_sum, half));
    }
    *largest = plus(m, best);
    return best;
  }

 private:
  std::span<const Term> terms_;
  double cap_;
  const FormatModel& format_;
  std::size_t rounded_;
  bool precise_;
  bool products_;
};

SumError block_error(std::span<const Term> terms, std::size_t padding, const BlockModel& model, double cap) {
  double absolute = 0, others = 0;  // terms that are not 0
  for (const Term& t : terms) {
    absolute = plus(absolute, t.magnitude());
    others += t.magnitude() > 0 ? 1 : 0;
  }
  absolute = std::min(absolute, cap);
  const auto k = static_cast<double>(model.products);
  // One more step for a bias that is added behind the blocks: its rounding to nearest is less than a step's.
  // A step without a product other than 0 cuts off something only of what the step before it left, and only where the
  // accumulator is cut off before its own last bit.
  if (model.extra_bits < 0) others *= 2;
  const double steps = std::min(others, std::ceil(static_cast<double>(terms.size() + padding) / k)) + 1;
  const double aligned = times(k + 1, std::ldexp(1.0, -model.extra_bits));
  const double rate = times(times(steps, 0x1p-23), plus(aligned, 1 + 0x1p-22));
  const double tiny = times(steps, times(k + 2, std::ldexp(1.0, -149 + std::max(0, -model.extra_bits))));
  if (!(rate < 1)) return {infinity, infinity, tiny};
  const double error = div_up(plus(times(rate, absolute), tiny), sub_down(1, rate));
  return {error, plus(absolute, error), tiny};
}

}  // namespace

SumError sum_error(std::span<const Term> terms, bool products, std::size_t unrounded, const Arithmetic& arithmetic,
                   std::size_t padding, double cap) {
  if (terms.empty()) return {};
  const NumericalPolicy& policy = arithmetic.policy;
  if (policy.reduction == Reduction::block && products)
    return block_error(terms, padding, *block_model(policy.block), cap);
  const Sum sum(terms, products, unrounded, arithmetic, cap);
  SumError out;
  double height = infinity;
  Partial known{0, 0, infinity, infinity};
  if (policy.reduction == Reduction::sequential) {
    known = sum.sequential(policy.contraction == Contraction::fma);
  } else if (policy.reduction == Reduction::pairwise) {
    const std::size_t inner = terms.size() - unrounded;
    if (inner > 0) {
      if (padding == 0) {
        known = sum.pairwise(0, inner);
        for (std::size_t i = inner; i < terms.size(); ++i) known = sum.join(known, sum.leaf(i, false));
      }
      height = std::ceil(std::log2(static_cast<double>(inner + padding))) + 1 + static_cast<double>(unrounded);
    }
  }
  const double any = sum.any_tree(height, &out.largest);
  out.error = std::min(any, known.error);
  out.largest = std::min(out.largest, known.largest);
  if (products && !arithmetic.exact_products)
    out.underflow = std::min(out.error, times(static_cast<double>(terms.size()), arithmetic.sums.eta));
  return out;
}

double storing_error(double magnitude_with_error, const Arithmetic& arithmetic) {
  return arithmetic.narrows ? arithmetic.values.half_ulp_up(magnitude_with_error) : 0;
}

}  // namespace outward::roundoff
