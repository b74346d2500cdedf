#include "bounds/roundoff/fpcore/form.hpp"

#include "bounds/roundoff/fpcore/functions.hpp"

namespace outward::fpcore {
namespace {

constexpr double rounding_unit = 0x1p-53;
// Sums of up to a few dozen positive terms, rounded to nearest, are below the exact ones by less than this factor;
// whatever underflows is below `least`.
constexpr double sum_inflation = 1 + 0x1p-44, least = 0x1p-1000;

double above(double sum) { return sum == 0 ? 0 : sum * sum_inflation + least; }
double middle_of(const Form& x) {
  const double m = x.range.lo + (x.range.hi - x.range.lo) / 2;
  return std::clamp(m, x.range.lo, x.range.hi);
}
bool usable(const Form& x) { return x.rest < infinity; }

Form ranged(Span range) {
  Form out;
  out.range = range;
  out.rest = infinity;
  return out;
}

}  // namespace

double Forms::radius(const Form& x) const {
  double sum = 0;
  for (int i = 0; i < n_; ++i) sum += std::fabs(x.a[i]);
  return above(sum);
}

double Forms::upper(const Form& x) const {
  if (!usable(x)) return x.range.hi;
  return std::min(x.range.hi, add_up(x.centre, above(radius(x) + x.rest)));
}

void Forms::tighten(Form& x) const {
  if (!(x.rest < infinity) || !(std::fabs(x.centre) < infinity)) {
    x.rest = infinity;
    return;
  }
  const double all = above(radius(x) + x.rest);
  const Span linear{sub_down(x.centre, all), add_up(x.centre, all)};
  const Span both = intersection(x.range, linear);
  if (both.lo <= both.hi) x.range = both;
}

Form Forms::constant(Span value) const {
  Form out;
  out.range = value;
  out.centre = value.lo + (value.hi - value.lo) / 2;
  out.rest = value.lo == value.hi ? 0 : std::max(sub_up(value.hi, out.centre), sub_up(out.centre, value.lo));
  if (!value.bounded()) return ranged(value);
  return out;
}

Form Forms::variable(Span range, int symbol) const {
  Form out = constant(range);
  if (symbol < 0 || symbol >= n_) return out;
  out.a[symbol] = out.rest;
  out.rest = 0;
  return out;
}

Form Forms::negate(Form x) const {
  x.centre = -x.centre;
  x.range = -x.range;
  for (int i = 0; i < n_; ++i) x.a[i] = -x.a[i];
  return x;
}

Form Forms::add(const Form& x, const Form& y) const {
  Form out;
  out.range = fpcore::add(x.range, y.range);
  if (!usable(x) || !usable(y)) return ranged(out.range);
  out.centre = x.centre + y.centre;
  double rounding = std::fabs(out.centre);
  for (int i = 0; i < n_; ++i) {
    out.a[i] = x.a[i] + y.a[i];
    rounding += std::fabs(out.a[i]);
  }
  out.rest = above(x.rest + y.rest + rounding * rounding_unit);
  tighten(out);
  return out;
}

Form Forms::scale(const Form& x, double factor) const {
  Form out;
  out.range = fpcore::multiply(x.range, {factor, factor});
  if (!usable(x)) return ranged(out.range);
  out.centre = x.centre * factor;
  double rounding = std::fabs(out.centre);
  for (int i = 0; i < n_; ++i) {
    out.a[i] = x.a[i] * factor;
    rounding += std::fabs(out.a[i]);
  }
  out.rest = factor == 0 ? 0 : above(x.rest * std::fabs(factor) + rounding * rounding_unit) + least;
  tighten(out);
  return out;
}

// (c + sum a s)(d + sum b s): the products a_i b_i s_i^2 lie in a_i b_i [0, 1].
Form Forms::multiply(const Form& x, const Form& y) const {
  Form out;
  out.range = fpcore::multiply(x.range, y.range);
  if (!usable(x) || !usable(y)) return ranged(out.range);
  const double rx = radius(x), ry = radius(y);
  double diagonal = 0, spread = 0;
  for (int i = 0; i < n_; ++i) {
    const double p = 0.5 * x.a[i] * y.a[i];
    diagonal += p;
    spread += std::fabs(p);
    out.a[i] = x.centre * y.a[i] + y.centre * x.a[i];
    for (int j = 0; j < i; ++j) spread += std::fabs(x.a[i] * y.a[j] + x.a[j] * y.a[i]);
  }
  out.centre = x.centre * y.centre + diagonal;
  const double all = (std::fabs(x.centre) + rx) * (std::fabs(y.centre) + ry);
  out.rest = above(spread + x.rest * (std::fabs(y.centre) + ry + y.rest) + y.rest * (std::fabs(x.centre) + rx) +
                   all * (4 * (most_symbols + 4) * rounding_unit)) +
             least;
  tighten(out);
  return out;
}

Form Forms::square(const Form& x) const {
  Form out = multiply(x, x);
  out.range = intersection(out.range, fpcore::square(x.range));
  tighten(out);
  return out;
}

Form Forms::linearised(const Form& x, double at, Span value, Span slopes, Span range) const {
  if (!usable(x) || !slopes.bounded() || !value.bounded()) return ranged(range);
  // f(x) in value + slopes (x - at): the middle slope times the form, and the half width of the slopes times |x - at|.
  const double slope = slopes.lo + (slopes.hi - slopes.lo) / 2;
  const double spread = std::max(sub_up(slopes.hi, slope), sub_up(slope, slopes.lo));
  const double reach = std::max(sub_up(x.range.hi, at), sub_up(at, x.range.lo));
  Form out = add(scale(add(x, constant({-at, -at})), slope), constant(value));
  out.rest = above(out.rest + spread * std::max(reach, 0.0));
  out.range = range;
  tighten(out);
  return out;
}

Form Forms::reciprocal(const Form& x) const {
  const Span range = fpcore::reciprocal(x.range);
  if (!range.bounded()) return ranged(everything);
  const double at = middle_of(x);
  return linearised(x, at, fpcore::reciprocal({at, at}), -fpcore::square(range), range);
}

Form Forms::square_root(const Form& x) const {
  const Span range = fpcore::square_root(x.range);
  if (!range.bounded()) return ranged(everything);
  const double at = middle_of(x);
  return linearised(x, at, fpcore::square_root({at, at}), fpcore::reciprocal(fpcore::multiply({2, 2}, range)), range);
}

Form Forms::power(const Form& x, long n) const {
  if (n == 0) return constant({1, 1});
  if (n == 1) return x;
  if (n == 2) return square(x);
  const Span range = fpcore::power(x.range, n);
  if (!range.bounded()) return ranged(everything);
  const double at = middle_of(x), factor = static_cast<double>(n);
  const Span slopes = fpcore::multiply({factor, factor}, fpcore::power(x.range, n - 1));
  return linearised(x, at, fpcore::power(Span{at, at}, n), slopes, range);
}

Form Forms::apply(Function function, const Form& x) const {
  const Span range = function_range(function, x.range);
  if (!range.bounded()) return ranged(range);
  const double at = middle_of(x);
  return linearised(x, at, function_range(function, {at, at}), function_slope(function, x.range, range), range);
}

Form Forms::slope(Function function, const Form& x, const Form& w) const {
  const Form one = constant({1, 1});
  switch (function) {
    case Function::exp:
      return w;
    case Function::log:
      return reciprocal(x);
    case Function::sin:
      return apply(Function::cos, x);
    case Function::cos:
      return negate(apply(Function::sin, x));
    case Function::tan:
      return add(square(w), one);
    case Function::atan:
      return reciprocal(add(square(x), one));
    case Function::tanh:
      return subtract(one, square(w));
    case Function::expm1:
      return add(w, one);
    case Function::log1p:
      return reciprocal(add(x, one));
    case Function::sinh:
      return apply(Function::cosh, x);
    case Function::cosh:
      return apply(Function::sinh, x);
    default:  // first order only
      return constant(function_slope(function, x.range, w.range));
  }
}

Form Forms::absolute_above(const Form& x) const {
  const double lo = x.range.lo, hi = x.range.hi;
  if (lo >= 0) return x;
  if (hi <= 0) return negate(x);
  const double most = std::max(-lo, hi);
  if (!usable(x) || !(most < infinity)) return ranged({0, most});
  // The chord of |x| over [lo, hi]: slope (hi + lo)/(hi - lo) in [-1, 1], any number there is good if the constant is
  // taken to be the larger of the two rests.
  const double slope = std::clamp((hi + lo) / (hi - lo), -1.0, 1.0);
  const double at_lo = sub_up(-lo, mul_down(slope, lo)), at_hi = sub_up(hi, mul_down(slope, hi));
  const double offset = std::max(at_lo, at_hi);
  Form out = add(scale(x, slope), constant({offset, offset}));
  out.range = {0, most};
  return out;
}

}  // namespace outward::fpcore
