// Rows in lanes on AVX-512 with embedded rounding: every rounding operation names its direction, so
// neither MXCSR nor the optimiser has a say. Assumes a CPU that has them. Nothing of the standard
// library is instantiated below the pragma (see engine.hpp).
#include "checker/kernel/engine.hpp"

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC diagnostic ignored "-Wuninitialized"  // these two: false alarms in headers of GCC 12
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif
#include "checker/kernel/lanes.hpp"

namespace outward_check {
namespace {

struct Isa {
  using Vec = __m512d;
  static constexpr unsigned width = 8, block = 8;
  static constexpr int up = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  static Vec splat(double x) { return _mm512_set1_pd(x); }
  static Vec add(Vec a, Vec b) { return _mm512_add_round_pd(a, b, up); }
  static Vec mul(Vec a, Vec b) { return _mm512_mul_round_pd(a, b, up); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_round_pd(a, b, c, up); }
  static bool nonzero(Vec a) { return _mm512_cmp_pd_mask(a, splat(0), _CMP_NEQ_UQ) != 0; }
  static bool positive(Vec a) { return _mm512_cmp_pd_mask(a, splat(0), _CMP_GT_OQ) != 0; }
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
const Engine<double>* avx512_engine() {
  return __builtin_cpu_supports("avx512f") ? &described : nullptr;
}
}  // namespace outward_check
