// Affine forms over the variables of a box, each beside a plain range: value in centre + sum a[i] [-1, 1] +- rest, and
// in range. Linear parts cancel, what is lost is quadratic in the width of the box. Coefficients are rounded to
// nearest; their errors go into the rest. Assumes nothing. Promises: for every point of the box (given by the symbols)
// the result of an operation holds the operation on all values the operands hold there.
// Source: affine arithmetic, de Figueiredo & Stolfi 2004; mean-value linearisation of unary functions.
#pragma once
#include <array>

#include "bounds/roundoff/fpcore/core.hpp"

namespace outward::fpcore {

inline constexpr int most_symbols = 12;  // variables beyond these widen the rest

struct Form {
  double centre = 0, rest = 0;  // rest = infinity: the range alone counts
  Span range;
  std::array<double, most_symbols> a{};
};

// Operations on forms with `symbols` symbols.
class Forms {
 public:
  explicit Forms(int symbols) : n_(symbols) {}

  Form constant(Span value) const;
  // The variable of a symbol (or, with symbol >= most_symbols or < 0, of none) over its interval.
  Form variable(Span range, int symbol) const;

  Form add(const Form& x, const Form& y) const;
  Form subtract(const Form& x, const Form& y) const { return add(x, negate(y)); }
  Form negate(Form x) const;
  Form multiply(const Form& x, const Form& y) const;
  Form square(const Form& x) const;
  Form scale(const Form& x, double factor) const;  // by a number exactly
  Form reciprocal(const Form& x) const;
  Form square_root(const Form& x) const;
  Form power(const Form& x, long n) const;
  Form apply(Function function, const Form& x) const;
  // The derivative of the function at x; w is its value there.
  Form slope(Function function, const Form& x, const Form& w) const;

  // A form that is at least |x| for every point.
  Form absolute_above(const Form& x) const;
  // The largest value, and the sum of |a[i]| rounded up.
  double upper(const Form& x) const;
  double radius(const Form& x) const;
  // Narrows the range by what the linear part says.
  void tighten(Form& x) const;

 private:
  // value(x) from the value at a point, the slopes over the range, and the range of the result.
  Form linearised(const Form& x, double at, Span value, Span slopes, Span range) const;
  int n_;
};

}  // namespace outward::fpcore
