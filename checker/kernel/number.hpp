// The arithmetics that every rule is written over, through one set of names. A rule only computes
// upper bounds: a lower bound is stored negated. So one rounding direction is enough, and a result
// that is no number becomes +infinity, the bound that proves nothing.
//   double   directed profile: toward +infinity, set in MXCSR by RoundUp, around inline assembly,
//            so that no optimiser can move, fold or re-associate an operation.
//   Exact    exact profile: rationals; only numbers above 1024 bits are rounded, upward.
//   Nearest  not a bound: executions in binary32 or binary64, every operation rounded to nearest.
// Assumes every call with doubles happens while a RoundUp object lives, all others outside.
#pragma once
#include <emmintrin.h>

#include <cstdint>
#include <limits>
#include <string>

#include "checker/kernel/fraction.hpp"

namespace outward_check {

// What code that computes with U needs around it. For doubles: sets round toward +infinity, gradual
// underflow, exceptions masked; restores what was before.
template <class U> struct Rounding {};
template <> struct Rounding<double> {
  Rounding();
  ~Rounding();
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
  const std::uint32_t saved;
};
using RoundUp = Rounding<double>;
// Round to nearest, gradual underflow, whatever the parent process left behind. Call first in main.
void reset_float_environment();

constexpr double infinity = std::numeric_limits<double>::infinity();
inline double bounded(double x) { return x == x ? x : infinity; }

inline double add_up(double a, double b) {
  __asm__ volatile("addsd %1, %0" : "+x"(a) : "x"(b));
  return bounded(a);
}
inline double mul_up(double a, double b) {
  __asm__ volatile("mulsd %1, %0" : "+x"(a) : "x"(b));
  return bounded(a);
}
inline double div_up(double a, double b) {  // REQUIRES b > 0
  __asm__ volatile("divsd %1, %0" : "+x"(a) : "x"(b));
  return bounded(a);
}
inline bool is_infinite(double x) { return !(x < infinity); }
inline bool is_zero(double x) { return x == 0; }
inline Fraction exactly(double x) { return Fraction::from_double(x); }  // REQUIRES finite
inline double roughly(double x) { return x; }  // some double near x, for choices without proof

// A rational number or +infinity.
struct Exact {
  Fraction value;
  bool infinite = false;
  Exact() = default;
  Exact(double x) : infinite(!(x - x == 0)) {  // NOLINT: implicit on purpose, exact
    if (!infinite) value = Fraction::from_double(x);
  }
  explicit Exact(Fraction x) : value(std::move(x)) {  // rounds up when too long
    if (value.over.bits() > 512 || value.m.bits() > 1024) value = value.up(640);
  }
  Exact operator-() const { return infinite ? *this : Exact(-value); }
  std::weak_ordering operator<=>(const Exact& o) const {
    return infinite || o.infinite ? infinite <=> o.infinite : value <=> o.value;
  }
};
inline bool is_infinite(const Exact& x) { return x.infinite; }
inline bool is_zero(const Exact& x) { return !x.infinite && x.value.sign() == 0; }
inline Exact add_up(const Exact& a, const Exact& b) {
  return a.infinite || b.infinite ? Exact(infinity) : Exact(a.value + b.value);
}
inline Exact mul_up(const Exact& a, const Exact& b) {
  return a.infinite || b.infinite ? Exact(infinity) : Exact(a.value * b.value);
}
inline Exact div_up(const Exact& a, const Exact& b) {  // REQUIRES b > 0
  return a.infinite || b.infinite ? Exact(infinity) : Exact(a.value / b.value);
}
inline const Fraction& exactly(const Exact& x) { return x.value; }  // REQUIRES finite
inline double roughly(const Exact& x) { return x.infinite ? infinity : x.value.double_up(); }

// Plain arithmetic of F = float or double in the default rounding mode, one rounding per operation.
template <class F> struct Nearest {
  F v = 0;
  Nearest() = default;
  Nearest(double x) : v(static_cast<F>(x)) {  // NOLINT: implicit on purpose; exact for constants
    if (!(v == v)) v = std::numeric_limits<F>::infinity();
  }
  Nearest operator-() const { return of(-v); }
  auto operator<=>(const Nearest&) const = default;
  static Nearest of(F x) { return Nearest(static_cast<double>(x)); }
  friend Nearest add_up(Nearest a, Nearest b) { return of(a.v + b.v); }
  friend Nearest mul_up(Nearest a, Nearest b) { return of(a.v * b.v); }
  friend Nearest div_up(Nearest a, Nearest b) { return of(a.v / b.v); }
  friend Nearest square_root(Nearest x) {  // through binary64: 53 bits are at least 2*24 + 2
    return Nearest(_mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(double{x.v}))));
  }
  friend bool is_infinite(Nearest x) { return !(x.v - x.v == 0); }
  friend bool is_zero(Nearest x) { return x.v == 0; }
  friend double roughly(Nearest x) { return static_cast<double>(x.v); }
  friend Fraction exactly(Nearest x) { return Fraction::from_double(roughly(x)); }
};

// The least number of the arithmetic that is at least x.
template <class U> U rounded_up(const Fraction& x) {
  if constexpr (std::is_same_v<U, Exact>) return Exact(x);
  return U(x.double_up());
}
template <class U> const U& larger(const U& a, const U& b) { return a < b ? b : a; }
template <class U> const U& smaller(const U& a, const U& b) { return b < a ? b : a; }

// All reals z with -n <= z <= h.
template <class U> struct Interval { U n = 0, h = 0; };
template <class U> Interval<U> point(const U& x) { return {-x, x}; }
template <class U> Interval<U> enclosed(const Fraction& x) {
  return {rounded_up<U>(-x), rounded_up<U>(x)};
}
template <class U> Interval<U> add(const Interval<U>& a, const Interval<U>& b) {
  return {add_up(a.n, b.n), add_up(a.h, b.h)};
}
template <class U> Interval<U> negated(const Interval<U>& a) { return {a.h, a.n}; }
// a times (divided by) the number w, which is known exactly.
template <class U> Interval<U> times(const Interval<U>& a, const U& w) {
  if (w < U(0)) return {mul_up(a.h, -w), mul_up(a.n, -w)};
  return {mul_up(a.n, w), mul_up(a.h, w)};
}
template <class U> Interval<U> divided(const Interval<U>& a, const U& w) {  // REQUIRES w != 0
  if (w < U(0)) return {div_up(a.h, -w), div_up(a.n, -w)};
  return {div_up(a.n, w), div_up(a.h, w)};
}
// a times b. REQUIRES that b does not contain numbers of both signs.
template <class U> Interval<U> times(const Interval<U>& a, const Interval<U>& b) {
  if (is_zero(b.n) && is_zero(b.h)) return {};
  if (b.h <= U(0)) return times(negated(a), negated(b));
  const U low = -b.n;  // 0 <= low <= b.h
  return {larger(mul_up(a.n, low), mul_up(a.n, b.h)), larger(mul_up(a.h, low), mul_up(a.h, b.h))};
}
template <class U> U magnitude(const Interval<U>& a) {  // the largest absolute value
  return larger(a.n, a.h);
}

}  // namespace outward_check
