// Start-up self-test of a lane arithmetic P on doubles: wrong rounding, flushed subnormals or a lost sign
// must not get past it. The volatile inputs keep the compiler from computing anything itself.
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
  volatile double one_v = 1, third_v = 0x1.5555555555555p-2, tiny_v = 0x1p-60, least_v = 0x1p-1074;
  const double one = one_v, third = third_v, tiny = tiny_v, least = least_v;
  const typename P::V one_l = P::splat(one), minus = P::splat(-one), third_l = P::splat(third),
                      tiny_l = P::splat(tiny), least_l = P::splat(least), zero = P::zero();
  if (!lanes_are<P>(P::add(one_l, tiny_l), 0x1.0000000000001p0)) {
    return "1 + 2^-60 is not rounded up";
  }
  if (!lanes_are<P>(P::add(minus, tiny_l), -0x1.fffffffffffffp-1)) {
    return "-1 + 2^-60 is not rounded up";
  }
  if (!lanes_are<P>(P::add(minus, P::neg(tiny_l)), -one)) return "-1 - 2^-60 is not rounded up";
  if (!lanes_are<P>(P::mul(third_l, third_l), 0x1.c71c71c71c71cp-4)) {
    return "a product is not rounded up";
  }
  if (!lanes_are<P>(P::mul(P::neg(third_l), third_l), -0x1.c71c71c71c71bp-4)) {
    return "a product loses its sign";
  }
  if (!lanes_are<P>(P::fma(tiny_l, tiny_l, one_l), 0x1.0000000000001p0)) {
    return "a product is lost in a sum";
  }
  if (!lanes_are<P>(P::mul(least_l, one_l), least)) return "subnormal numbers are flushed";
  if (!lanes_are<P>(P::mul(least_l, tiny_l), least)) return "underflow is not rounded up";
  if (!lanes_are<P>(P::add(P::splat(0x1p-1022), P::splat(-0x1.8p-1022)), -0x1p-1023)) {
    return "subnormal sums are flushed";
  }
  if (!lanes_are<P>(P::max(minus, zero), 0) || !lanes_are<P>(P::min(minus, zero), -one)) {
    return "maximum or minimum";
  }
  const typename P::Pair endless{one_l, P::splat(infinity)};
  if (!lanes_are<P>(P::spoil_unless_finite(zero, endless), infinity)) return "infinity is finite";
  const double w[3] = {third, -third, tiny}, n[3] = {one, -one, -one}, h[3] = {-one, one, one};
  const Interval<double> sum = P::dot(w, n, h, 3);  // -2*third + tiny, so n = 2*third - tiny
  if (!(sum.h == -0x1.5555555555554p-1 && sum.n == 0x1.5555555555555p-1)) {
    return "a scalar product is not rounded up";
  }
  return "";
}

}  // namespace outward_check
