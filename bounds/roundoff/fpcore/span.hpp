// Closed intervals with binary64 ends, rounded outward; ends are exact where the result is a binary64 number, because a
// range that touches a power of two decides the size of a rounding error. Assumes round to nearest and gradual
// underflow of the processor. Promises: every result contains the exact results of all points; what cannot be bounded
// is [-inf, inf], never a NaN.
#pragma once
#include <algorithm>
#include <cmath>

#include "formats/directed.hpp"

namespace outward::fpcore {

struct Span {
  double lo = 0, hi = 0;

  bool bounded() const { return lo > -infinity && hi < infinity; }
  bool contains_zero() const { return lo <= 0 && hi >= 0; }
  // Greatest and least magnitude.
  double magnitude() const { return std::max(std::fabs(lo), std::fabs(hi)); }
  double least_magnitude() const { return contains_zero() ? 0 : std::min(std::fabs(lo), std::fabs(hi)); }
};

inline constexpr Span everything{-infinity, infinity};

// Below this the error of a product need not be a binary64 number.
inline constexpr double tiny_product = 0x1p-960;

inline double tight_mul_up(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double p = a * b;
  if (!(std::fabs(p) > tiny_product) || !(std::fabs(p) < infinity)) return next_up(p);
  return std::fma(a, b, -p) > 0 ? next_up(p) : p;
}
inline double tight_mul_down(double a, double b) { return -tight_mul_up(-a, b); }

// REQUIRES b != 0.
inline double tight_div_up(double a, double b) {
  if (a == 0) return 0;
  const double q = a / b;
  if (!(std::fabs(q) > tiny_product) || !(std::fabs(q) < 0x1p960) || !(std::fabs(a) > tiny_product) ||
      !(std::fabs(b) < infinity))
    return next_up(q);
  const double rest = std::fma(-q, b, a);  // exact; the quotient is q + rest/b
  return rest != 0 && (rest > 0) == (b > 0) ? next_up(q) : q;
}
inline double tight_div_down(double a, double b) { return -tight_div_up(-a, b); }

// REQUIRES a >= 0.
inline double tight_sqrt_up(double a) {
  const double s = std::sqrt(a);
  if (!(a > tiny_product) || !(a < infinity)) return a == 0 ? 0 : next_up(s);
  return std::fma(-s, s, a) > 0 ? next_up(s) : s;
}
inline double tight_sqrt_down(double a) {
  const double s = std::sqrt(a);
  if (!(a > tiny_product) || !(a < infinity)) return a == 0 ? 0 : next_down(s);
  return std::fma(-s, s, a) < 0 ? next_down(s) : s;
}

inline Span operator-(Span a) { return {-a.hi, -a.lo}; }
inline Span add(Span a, Span b) { return {add_down(a.lo, b.lo), add_up(a.hi, b.hi)}; }
inline Span subtract(Span a, Span b) { return add(a, -b); }

inline Span multiply(Span a, Span b) {
  if (a.lo >= 0 && b.lo >= 0) return {tight_mul_down(a.lo, b.lo), tight_mul_up(a.hi, b.hi)};
  if (a.lo >= 0 && b.hi <= 0) return {tight_mul_down(a.hi, b.lo), tight_mul_up(a.lo, b.hi)};
  if (a.hi <= 0 && b.lo >= 0) return {tight_mul_down(a.lo, b.hi), tight_mul_up(a.hi, b.lo)};
  if (a.hi <= 0 && b.hi <= 0) return {tight_mul_down(a.hi, b.hi), tight_mul_up(a.lo, b.lo)};
  return {std::min(std::min(tight_mul_down(a.lo, b.lo), tight_mul_down(a.lo, b.hi)),
                   std::min(tight_mul_down(a.hi, b.lo), tight_mul_down(a.hi, b.hi))),
          std::max(std::max(tight_mul_up(a.lo, b.lo), tight_mul_up(a.lo, b.hi)),
                   std::max(tight_mul_up(a.hi, b.lo), tight_mul_up(a.hi, b.hi)))};
}

inline Span square(Span a) {
  const double most = a.magnitude(), least = a.least_magnitude();
  return {tight_mul_down(least, least), tight_mul_up(most, most)};
}

inline Span reciprocal(Span b) {
  if (b.contains_zero()) return everything;
  return {tight_div_down(1, b.hi), tight_div_up(1, b.lo)};
}

inline Span divide(Span a, Span b) {
  if (b.contains_zero() || !a.bounded()) return everything;
  if (b.lo < 0) return divide(-a, -b);
  return {tight_div_down(a.lo, a.lo >= 0 ? b.hi : b.lo), tight_div_up(a.hi, a.hi >= 0 ? b.lo : b.hi)};
}

// The root of the part that is not negative; everything if there are negative numbers.
inline Span square_root(Span a) {
  if (a.lo < 0) return everything;
  return {tight_sqrt_down(a.lo), tight_sqrt_up(a.hi)};
}

inline Span absolute(Span a) { return {a.least_magnitude(), a.magnitude()}; }
inline Span hull(Span a, Span b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }
inline Span widened(Span a, double by) { return {sub_down(a.lo, by), add_up(a.hi, by)}; }
// REQUIRES that both enclose the same thing (so that they have a point in common).
inline Span intersection(Span a, Span b) {
  const Span both{std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
  return both.lo <= both.hi ? both : a;
}
inline double width_up(Span a) { return sub_up(a.hi, a.lo); }

// x^n, n >= 0 by repeated multiplication of magnitudes; odd powers of a span of both signs end by end.
inline Span power(Span a, long n) {
  if (n < 0) return reciprocal(power(a, -n));
  const auto raised = [n](Span base) {
    Span out{1, 1};
    for (long rest = n; rest > 0; rest >>= 1) {
      if (rest & 1) out = multiply(out, base);
      if (rest > 1) base = multiply(base, base);
    }
    return out;
  };
  if (n % 2 == 0) return raised(absolute(a));
  const auto end = [&](double x) { return x >= 0 ? raised({x, x}) : -raised({-x, -x}); };
  return {end(a.lo).lo, end(a.hi).hi};
}

}  // namespace outward::fpcore
