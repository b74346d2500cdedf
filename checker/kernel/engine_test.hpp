// Start-up self-test of a lane arithmetic P on doubles: wrong rounding, flushed subnormals or a
// lost sign must not get past it. Volatile operands keep the compiler from computing anything.
#pragma once
#include "checker/kernel/engine.hpp"

namespace outward_check {

template <class P>
bool lanes_are(const typename P::V& v, double expected) {
  double lane[max_lanes];
  P::finish(v, lane);
  for (double x : lane) {
    if (!(x == expected)) return false;
  }
  return true;
}

template <class P>
const char* lane_fault() {
  constexpr double third = 0x1.5555555555555p-2, tiny = 0x1p-60, least = 0x1p-1074;
  static const volatile double sums[][3] = {{1, tiny, 0x1.0000000000001p0},
                                            {-1, tiny, -0x1.fffffffffffffp-1},
                                            {-1, -tiny, -1},
                                            {0x1p-1022, -0x1.8p-1022, -0x1p-1023}};
  static const volatile double products[][3] = {{third, third, 0x1.c71c71c71c71cp-4},
                                                {-third, third, -0x1.c71c71c71c71bp-4},
                                                {least, 1, least},
                                                {least, tiny, least}};
  for (const auto& t : sums) {
    const double a = t[0], b = t[1], expected = t[2];
    if (!lanes_are<P>(P::add(P::splat(a), P::splat(b)), expected)) return "a sum is not rounded up";
  }
  for (const auto& t : products) {
    const double a = t[0], b = t[1], expected = t[2];
    if (!lanes_are<P>(P::mul(P::splat(a), P::splat(b)), expected)) return "nor is a product";
  }
  const double one = sums[0][0], minus = sums[1][0];
  const typename P::V zero = P::zero(), product = P::splat(tiny);
  if (!lanes_are<P>(P::fma(product, product, P::splat(one)), sums[0][2])) return "a sum";
  if (!lanes_are<P>(P::max(P::splat(minus), zero), 0)) return "maximum";
  if (!lanes_are<P>(P::min(P::neg(P::splat(one)), zero), minus)) return "minimum or sign";
  const typename P::Pair endless{P::splat(one), P::splat(infinity)};
  if (!lanes_are<P>(P::spoil_unless_finite(zero, endless), infinity)) return "infinity is finite";
  const double w[3] = {third, -third, tiny}, n[3] = {1, -1, -1}, h[3] = {-1, 1, 1};
  const Interval<double> sum = P::dot(w, n, h, 3);  // -2*third + tiny, so n = 2*third - tiny
  const bool good = sum.h == -0x1.5555555555554p-1 && sum.n == 0x1.5555555555555p-1;
  return good ? "" : "a scalar product is not rounded up";
}

}  // namespace outward_check
