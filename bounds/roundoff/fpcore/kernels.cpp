// Elementary functions at a point in binary64: argument reduction in spans, then a Taylor polynomial by Horner's rule.
// Errors: a polynomial of degree n with coefficients and argument each off by one rounding is off by at most
// gamma(2n + 2) times the sum of its absolute terms (Higham, Accuracy and Stability, section 5.1), u = 2^-53; the
// constants below are that, plus the truncated tail, rounded up generously.
#include "bounds/roundoff/fpcore/functions.hpp"

namespace outward::fpcore {
namespace {

constexpr double kernel_unit = 0x1p-53;

// sum of w^i * c[i], i = 0 ... N-1.
template <int N>
double horner(const double (&c)[N], double w) {
  double p = c[N - 1];
  for (int i = N - 2; i >= 0; --i) p = p * w + c[i];
  return p;
}

Span around(double centre, double radius) { return {sub_down(centre, radius), add_up(centre, radius)}; }
double middle(Span x) { return x.lo + (x.hi - x.lo) * 0.5; }

constexpr double exp_terms[] = {1.0,
                                1.0,
                                1.0 / 2,
                                1.0 / 6,
                                1.0 / 24,
                                1.0 / 120,
                                1.0 / 720,
                                1.0 / 5040,
                                1.0 / 40320,
                                1.0 / 362880,
                                1.0 / 3628800,
                                1.0 / 39916800,
                                1.0 / 479001600,
                                1.0 / 6227020800.0,
                                1.0 / 87178291200.0};
constexpr double sin_terms[] = {1.0,
                                -1.0 / 6,
                                1.0 / 120,
                                -1.0 / 5040,
                                1.0 / 362880,
                                -1.0 / 39916800,
                                1.0 / 6227020800.0,
                                -1.0 / 1307674368000.0,
                                1.0 / 355687428096000.0,
                                -1.0 / 121645100408832000.0};
constexpr double cos_terms[] = {1.0,
                                -1.0 / 2,
                                1.0 / 24,
                                -1.0 / 720,
                                1.0 / 40320,
                                -1.0 / 3628800,
                                1.0 / 479001600,
                                -1.0 / 87178291200.0,
                                1.0 / 20922789888000.0,
                                -1.0 / 6402373705728000.0};

// sum of (sign w)^i / (2 i + 1), i below `count`.
double odd_inverse_series(double w, double sign, int count) {
  double p = 0;
  for (int i = count - 1; i >= 0; --i) p = p * (sign * w) + 1.0 / (2 * i + 1);
  return p;
}

// |x| = quarter * pi/2 + r, |r| < 0.79.
struct Quarter {
  int quarter;  // modulo 4
  Span rest;
};
constexpr double half_pi_high = 0x1.921fb54p+0, half_pi_middle = 0x1.10b4611800000p-30;
constexpr Span half_pi_low{0x1.313198a2e0370p-61, 0x1.313198a2e0371p-61};

Quarter reduced(double x) {
  const double k = std::floor(x * 0.63661977236758134 + 0.5);
  // Both products are exact: 30 bits times at most 21.
  const Span high{k * half_pi_high, k * half_pi_high}, next{k * half_pi_middle, k * half_pi_middle};
  const Span rest = subtract(subtract(subtract({x, x}, high), next), multiply({k, k}, half_pi_low));
  return {static_cast<int>(static_cast<long>(k) & 3), rest};
}

// Absolute terms sum to at most sinh(0.79)/0.79 < 1.11; degree 9 in w.
Span sine_series(Span r) {
  const double m = middle(r);
  return multiply(r, around(horner(sin_terms, m * m), 40 * kernel_unit));
}
// Absolute terms sum to at most cosh(0.79) < 1.34.
Span cosine_series(Span r) {
  const double m = middle(r);
  return around(horner(cos_terms, m * m), add_up(44 * kernel_unit, width_up(r)));
}

Span sine_of(double x, int quarters) {
  const Quarter q = reduced(x);
  const int quarter = (q.quarter + quarters) & 3;
  const Span value = quarter % 2 == 0 ? sine_series(q.rest) : cosine_series(q.rest);
  return intersection(quarter >= 2 ? -value : value, {-1, 1});
}

constexpr double largest_angle = 0x1p20, largest_exponent = 700;

}  // namespace

// x = k ln 2 + r, |r| < 0.36; absolute terms sum to at most e^0.36 < 1.44, degree 14.
Span exp_at(double x) {
  if (!(std::fabs(x) <= largest_exponent)) return slow_at(Function::exp, x);
  constexpr double ln2_high = 0x1.62e42fee00000p-1;  // 32 bits
  constexpr Span ln2_low{0x1.a39ef35793c76p-33, 0x1.a39ef35793c77p-33};
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  const Span high{k * ln2_high, k * ln2_high};
  const Span r = subtract(subtract({x, x}, high), multiply({k, k}, ln2_low));
  const Span p = around(horner(exp_terms, middle(r)), add_up(52 * kernel_unit, 2 * width_up(r)));
  const int scale = static_cast<int>(k);
  return {std::ldexp(p.lo, scale), std::ldexp(p.hi, scale)};
}

// log(m 2^k) = 2 atanh((m - 1)/(m + 1)) + k ln 2, the quotient below 0.1716.
Span log_at(double x) {
  int k = 0;
  double m = std::frexp(x, &k);
  if (m < 0.70710678) {
    m *= 2;
    --k;
  }
  const Span t = divide({m - 1, m - 1}, add({m, m}, {1, 1}));
  const double c = middle(t);
  const Span s = multiply({2 * t.lo, 2 * t.hi}, around(odd_inverse_series(c * c, 1, 12), 40 * kernel_unit));
  const double whole = k;
  return k == 0 ? s : add(s, multiply({whole, whole}, ln2_span));
}

Span sin_at(double x) { return std::fabs(x) <= largest_angle ? sine_of(x, 0) : slow_at(Function::sin, x); }
Span cos_at(double x) { return std::fabs(x) <= largest_angle ? sine_of(x, 1) : slow_at(Function::cos, x); }

// By pi/2 - atan(1/x) and pi/4 + atan((x - 1)/(x + 1)) to an argument below 0.4143.
Span atan_at(double x) {
  if (x < 0) return -atan_at(-x);
  if (!(x < infinity)) return {0, 0x1.921fb54442d19p+0};
  const auto series = [](Span t) {
    const double c = middle(t);
    return multiply(t, around(odd_inverse_series(c * c, -1, 24), 72 * kernel_unit));
  };
  const auto below_one = [&](Span z) {
    if (z.hi <= 0.4142) return series(z);
    const Span quarter_pi{pi_span.lo / 4, pi_span.hi / 4};
    const Span one{1, 1};
    // Decreasing in neither end: (z - 1)/(z + 1) = 1 - 2/(z + 1).
    const Span t = divide(subtract(z, one), add(z, one));
    return add(quarter_pi, series(t));
  };
  if (x <= 1) return below_one({x, x});
  return subtract({pi_span.lo / 2, pi_span.hi / 2}, below_one(reciprocal({x, x})));
}

}  // namespace outward::fpcore
