// Ends in binary64 for choosing a plan: cheap, moved outward by a unit instead of rounded. Same shape as the classes of
// formats/interval/ends.hpp. No bound that is reported comes from here.
#pragma once
#include <cmath>
#include <limits>

#include "formats/exact.hpp"
#include "formats/rounding.hpp"

namespace outward::precise {

struct DoubleEnds {
  using Number = double;
  static constexpr double beyond = std::numeric_limits<double>::infinity();
  static double moved(double x, Rounding r) { return std::nextafter(x, r == Rounding::up ? beyond : -beyond); }

  double from(const Rational& x, Rounding r) const { return r == Rounding::up ? round_up(x) : round_down(x); }
  double add(double a, double b, Rounding r) const { return b == 0 ? a : a == 0 ? b : moved(a + b, r); }
  double multiply(double a, double b, Rounding r) const { return moved(a * b, r); }
  double fused(double a, double b, double c, Rounding r) const { return moved(std::fma(a, b, c), r); }
  double divide(double a, double b, Rounding r) const { return moved(a / b, r); }
  double square_root(double a, Rounding r) const { return moved(std::sqrt(a), r); }
  double negate(double a, Rounding) const { return -a; }
  int compare(double a, double b) const { return a < b ? -1 : a > b ? 1 : 0; }
  int sign(double a) const { return a < 0 ? -1 : a > 0 ? 1 : 0; }
  bool is_bounded(double a) const { return std::fabs(a) < beyond; }
  double unbounded(bool negative) const { return negative ? -beyond : beyond; }
  double zero() const { return 0; }
};

}  // namespace outward::precise
