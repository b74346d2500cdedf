// Rows in lanes on AVX-512 with embedded rounding: every rounding operation names its direction, so
// neither MXCSR nor the optimiser has a say. Assumes avx512_available(). Nothing of the standard
// library is instantiated below the pragma (see engine.hpp).
#include "checker/kernel/engine.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC diagnostic ignored "-Wuninitialized"  // these two: false alarms in headers of GCC 12
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif
#include "checker/kernel/engine_test.hpp"
#include "checker/kernel/rows.hpp"

namespace outward_check {
namespace {

struct Avx512 {
  using Number = double;
  using V = __m512d;
  static constexpr unsigned lanes = 8, block = 8;
  static constexpr int up = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  struct alignas(64) Cell {
    double v[16];  // n of the eight lanes, then h
  };
  struct Pair {
    V n, h;
  };

  static V zero() { return _mm512_setzero_pd(); }
  static V splat(double x) { return _mm512_set1_pd(x); }
  static V neg(V a) { return _mm512_sub_pd(_mm512_set1_pd(-0.0), a); }
  static V add(V a, V b) { return _mm512_add_round_pd(a, b, up); }
  static V mul(V a, V b) { return _mm512_mul_round_pd(a, b, up); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_round_pd(a, b, c, up); }
  static V max(V a, V b) { return _mm512_max_pd(a, b); }
  static V min(V a, V b) { return _mm512_min_pd(a, b); }

  static Pair load(const Cell* c) { return {_mm512_load_pd(c->v), _mm512_load_pd(c->v + 8)}; }
  static void store(Cell* c, const Pair& p) {
    _mm512_store_pd(c->v, p.n);
    _mm512_store_pd(c->v + 8, p.h);
  }
  static Pair single(std::uint32_t lane, const Interval<double>& x) {
    const __mmask8 m = static_cast<__mmask8>(1u << lane);
    return {_mm512_maskz_mov_pd(m, splat(x.n)), _mm512_maskz_mov_pd(m, splat(x.h))};
  }
  // Every lane is [0, 0]; a NaN is not zero.
  static bool vanishes(const Cell* c) {
    return (nonzero(_mm512_load_pd(c->v)) | nonzero(_mm512_load_pd(c->v + 8))) == 0;
  }
  static bool any_positive(V a) { return _mm512_cmp_pd_mask(a, zero(), _CMP_GT_OQ) != 0; }
  static V spoil_unless_finite(V total, const Pair& c) {
    const __mmask8 good = static_cast<__mmask8>(finite(c.n) & finite(c.h));
    return _mm512_mask_mov_pd(splat(infinity), good, total);
  }
  static V spoil_unless_zero(V total, const Pair& c) {
    const __mmask8 bad = static_cast<__mmask8>(nonzero(c.n) | nonzero(c.h));
    return _mm512_mask_mov_pd(total, bad, splat(infinity));
  }
  // sum += w*c. For w < 0 the two ends change places.
  static void add_product(Pair* sum, const double& w, const Cell* c) {
    const V size = _mm512_abs_pd(_mm512_set1_pd(w));
    const std::size_t swap = w < 0 ? 8 : 0;
    sum->n = fma(size, _mm512_load_pd(c->v + swap), sum->n);
    sum->h = fma(size, _mm512_load_pd(c->v + (8 - swap)), sum->h);
  }
  static void finish(V total, double* bound) {
    double lane[8];
    _mm512_storeu_pd(lane, total);
    for (int i = 0; i < 8; ++i) bound[i] = bounded(lane[i]);
  }

  static Cell* take(std::uint64_t n) { return static_cast<Cell*>(take_memory(n * sizeof(Cell))); }
  static void give(Cell* cells) { give_memory(cells); }
  static double* take_numbers(std::uint64_t n) { return static_cast<double*>(take_memory(8 * n)); }
  static void give_numbers(double* x) { give_memory(x); }
  static double add_number(double a, double b) {
    return bounded(_mm_cvtsd_f64(_mm_add_round_sd(_mm_set_sd(a), _mm_set_sd(b), up)));
  }
  static Interval<double> dot(const double* w, const double* n, const double* h,
                              std::uint64_t size) {
    V sum_n = zero(), sum_h = zero(), more_n = zero(), more_h = zero();
    for (std::uint64_t k = 0; k < size; k += 8) {
      const __mmask8 m = static_cast<__mmask8>(size - k >= 8 ? 0xff : (1u << (size - k)) - 1);
      const V weight = _mm512_maskz_loadu_pd(m, w + k), plus = max(weight, zero()),
              minus = max(neg(weight), zero());
      const V a = _mm512_maskz_loadu_pd(m, n + k), b = _mm512_maskz_loadu_pd(m, h + k);
      sum_n = fma(plus, a, sum_n), more_n = fma(minus, b, more_n);
      sum_h = fma(plus, b, sum_h), more_h = fma(minus, a, more_h);
    }
    return {total(add(sum_n, more_n)), total(add(sum_h, more_h))};
  }

 private:
  static __mmask8 nonzero(V a) { return _mm512_cmp_pd_mask(a, zero(), _CMP_NEQ_UQ); }
  static __mmask8 finite(V a) {
    return _mm512_cmp_pd_mask(_mm512_abs_pd(a), splat(infinity), _CMP_LT_OQ);
  }
  static double total(V a) {
    double lane[8];
    _mm512_storeu_pd(lane, a);
    for (int i = 1; i < 8; ++i) lane[0] = add_number(lane[0], lane[i]);
    return lane[0];
  }
};

}  // namespace

const char* avx512_fault() { return lane_fault<Avx512>(); }
const Engine<double>& avx512_engine() {
  static constexpr Engine<double> e = {"avx512", Avx512::lanes, backward_rows<Avx512>,
                                       contraction_range<Avx512>};
  return e;
}

}  // namespace outward_check
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace outward_check {
bool avx512_available() { return __builtin_cpu_supports("avx512f") != 0; }
}  // namespace outward_check
#endif
