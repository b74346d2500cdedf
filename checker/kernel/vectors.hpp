// Rows in lanes of one vector of W doubles, by inline assembly in the rounding mode of MXCSR.
// Assumes that a RoundUp object lives; volatile assembly keeps its order. Included like rows.hpp.
#pragma once
#include "checker/kernel/rows.hpp"

namespace outward_check {

template <unsigned W> struct Vectors {
  using Number = double;
  typedef double V __attribute__((vector_size(W * sizeof(double))));
  struct Pair {
    V n, h;
  };
  using Sums = Products<Vectors>;
  static constexpr unsigned lanes = W, block = W;
  static V splat(double x) { return x - V{}; }  // exact
  static V add(V a, V b) {
    __asm__ volatile("vaddpd %1, %0, %0" : "+v"(a) : "v"(b));
    return a;
  }
  static V mul(V a, V b) {
    __asm__ volatile("vmulpd %1, %0, %0" : "+v"(a) : "v"(b));
    return a;
  }
  static V fma(V a, V b, V c) {
    __asm__ volatile("vfmadd231pd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b));
    return c;
  }
  static bool nonzero(V a) { return any(a != V{}); }
  static bool positive(V a) { return any(a > V{}); }
  static V zero_or(V n, V h, V total) {
    return ((n == V{}) & (h == V{})) ? total : splat(infinity);
  }
  static double get(V a, unsigned lane) { return bounded(reinterpret_cast<double*>(&a)[lane]); }
  static void set(V* a, unsigned lane, double x) { reinterpret_cast<double*>(a)[lane] = x; }

 private:
  template <class Mask> static bool any(Mask m) {  // every lane is 0 or -1
    if constexpr (W == 4) return _mm256_movemask_pd(__m256d(m)) != 0;
    if constexpr (W == 8) return _mm512_test_epi64_mask(__m512i(m), __m512i(m)) != 0;
  }
};

}  // namespace outward_check
