// Eight intervals at a time: the direction is part of each instruction. Run only where the processor has AVX-512F.
#include "formats/interval/vector64_paths.hpp"

#ifdef __x86_64__
#ifndef __clang__
// GCC's own header starts some results from a vector without a value.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif
#include "formats/interval/vector64_kernel.hpp"

namespace outward::vector64 {
namespace {

struct Wide {
  using D = __m512d;
  using M = __mmask8;
  static constexpr std::size_t width = 8;
  static constexpr int down = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC,
                       up_way = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  static D load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, D x) { _mm512_storeu_pd(p, x); }
  static D all(double x) { return _mm512_set1_pd(x); }
  static M none() { return 0; }
  static int bits(M m) { return m; }
  static M less(D a, D b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
  static M is_zero(D a) { return _mm512_cmp_pd_mask(a, all(0), _CMP_EQ_OQ); }
  static M either(M a, M b) { return static_cast<M>(a | b); }
  static M opposite(M a) { return static_cast<M>(~a); }
  static D select(M m, D a, D b) { return _mm512_mask_blend_pd(m, b, a); }
  static D least(D a, D b) { return _mm512_min_pd(a, b); }
  static D greatest(D a, D b) { return _mm512_max_pd(a, b); }
  static D opposite_sign(D a) {
    return _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(a), _mm512_set1_epi64(INT64_MIN)));
  }
  static D sum(D a, D b, bool up, M&) {
    return up ? _mm512_add_round_pd(a, b, up_way) : _mm512_add_round_pd(a, b, down);
  }
  static D product(D a, D b, bool up, M&) {
    const M zero = either(is_zero(a), is_zero(b));  // times an infinity as well
    return select(zero, all(0), up ? _mm512_mul_round_pd(a, b, up_way) : _mm512_mul_round_pd(a, b, down));
  }
  static D quotient(D a, D b, bool up, M& bad) {
    const D q = up ? _mm512_div_round_pd(a, b, up_way) : _mm512_div_round_pd(a, b, down);
    bad = either(bad, opposite(_mm512_cmp_pd_mask(q, q, _CMP_EQ_OQ)));  // infinity by infinity
    return q;
  }
};

}  // namespace

void detail::run_avx512(Operation operation, const double* a_lo, const double* a_hi, const double* b_lo,
                        const double* b_hi, std::size_t n, double* lo, double* hi, std::uint8_t* bad_lanes) {
  run<Wide>(operation, a_lo, a_hi, b_lo, b_hi, n, lo, hi, bad_lanes);
}

}  // namespace outward::vector64
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
void outward::vector64::detail::run_avx512(Operation, const double*, const double*, const double*, const double*,
                                           std::size_t, double*, double*, std::uint8_t*) {}
#endif
