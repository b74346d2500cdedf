// Scalar binary64 arithmetic with the rounding direction in the name. Computed to nearest, then moved outward by one
// unit in the last place unless the result is known to be exact: never depends on the ambient rounding mode being
// changed. Infinities pass through; a NaN becomes the useless bound of its direction (+inf for _up, -inf for _down).
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace outward {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline double next_up(double x) {
  if (x != x || x == infinity) return infinity;
  if (x == 0) return std::numeric_limits<double>::denorm_min();
  auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
inline double next_down(double x) { return -next_up(-x); }

inline double add_up(double a, double b) {
  double s = a + b;
  if (!(std::fabs(s) < infinity))
    return s == -infinity && a != s && b != s ? -std::numeric_limits<double>::max() : next_up(s);
  double bb = s - a;
  double rest = (a - (s - bb)) + (b - bb);  // TwoSum: exact, a + b = s + rest
  return rest > 0 ? next_up(s) : s;
}
inline double add_down(double a, double b) { return -add_up(-a, -b); }
inline double sub_up(double a, double b) { return add_up(a, -b); }
inline double sub_down(double a, double b) { return add_down(a, -b); }
inline double mul_up(double a, double b) { return a == 0 || b == 0 ? 0.0 : next_up(a * b); }
inline double mul_down(double a, double b) { return a == 0 || b == 0 ? 0.0 : next_down(a * b); }
inline double div_up(double a, double b) { return a == 0 ? 0.0 : next_up(a / b); }      // REQUIRES b != 0
inline double div_down(double a, double b) { return a == 0 ? 0.0 : next_down(a / b); }  // REQUIRES b != 0
inline double sqrt_up(double a) { return a == 0 ? 0.0 : next_up(std::sqrt(a)); }        // REQUIRES a >= 0
inline double sqrt_down(double a) { return a == 0 ? 0.0 : next_down(std::sqrt(a)); }    // REQUIRES a >= 0

}  // namespace outward
