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
#include "checker/kernel/lanes.hpp"

namespace outward_check {
namespace {

struct Isa {
  using Vec = __m256d;
  static constexpr unsigned width = 4, block = 2;
  static Vec splat(double x) { return _mm256_set1_pd(x); }
  static Vec add(Vec a, Vec b) {
    __asm__ volatile("vaddpd %1, %0, %0" : "+x"(a) : "x"(b));
    return a;
  }
  static Vec mul(Vec a, Vec b) {
    __asm__ volatile("vmulpd %1, %0, %0" : "+x"(a) : "x"(b));
    return a;
  }
  static Vec fma(Vec a, Vec b, Vec c) {
    __asm__ volatile("vfmadd231pd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
    return c;
  }
  static bool nonzero(Vec a) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a, splat(0), _CMP_NEQ_UQ)) != 0;
  }
  static bool positive(Vec a) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a, splat(0), _CMP_GT_OQ)) != 0;
  }
};
constexpr const Engine<double>& described = engine_of<Lanes<Doubles<Isa>>>;

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
