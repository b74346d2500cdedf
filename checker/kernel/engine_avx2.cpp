// Rows in lanes on AVX2 and FMA by inline assembly in the rounding mode of MXCSR. Assumes that a
// RoundUp object lives and a CPU that has them; volatile assembly keeps its order. Nothing of the
// standard library is instantiated below the pragma (see engine.hpp).
#include "checker/kernel/engine.hpp"

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#include "checker/kernel/rows.hpp"

namespace outward_check {
namespace {

struct Avx2 {
  using Number = double;
  using V = __m256d;
  struct Pair {
    V n, h;
  };
  using Sums = Products<Avx2>;
  static constexpr unsigned lanes = max_lanes, block = 4;
  static V splat(double x) { return _mm256_set1_pd(x); }
  static V add(V a, V b) {
    __asm__ volatile("vaddpd %1, %0, %0" : "+x"(a) : "x"(b));
    return a;
  }
  static V mul(V a, V b) {
    __asm__ volatile("vmulpd %1, %0, %0" : "+x"(a) : "x"(b));
    return a;
  }
  static V fma(V a, V b, V c) {
    __asm__ volatile("vfmadd231pd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
    return c;
  }
  static V neg(V a) { return -a; }
  static V max(V a, V b) { return a > b ? a : b; }
  static V min(V a, V b) { return a < b ? a : b; }
  static bool nonzero(V a) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a, splat(0), _CMP_NEQ_UQ)) != 0;
  }
  static bool positive(V a) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a, splat(0), _CMP_GT_OQ)) != 0;
  }
  static V zero_or(V n, V h, V total) {
    return ((n == splat(0)) & (h == splat(0))) ? total : splat(infinity);
  }
  static double get(V a, unsigned lane) { return bounded(a[lane]); }
  static void set(V* a, unsigned lane, double x) { (*a)[lane] = x; }
};
constexpr const Engine<double>& described = engine_of<Avx2>;

}  // namespace
}  // namespace outward_check
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace outward_check {
const Engine<double>* avx2_engine() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &described : nullptr;
}
}  // namespace outward_check
