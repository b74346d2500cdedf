// Four intervals at a time, from results to nearest and their errors. Run only where the processor has AVX2 and FMA,
// and only while it rounds to nearest.
#include "formats/interval/vector64_paths.hpp"

#ifdef __x86_64__
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#include "formats/interval/vector64_kernel.hpp"

namespace outward::vector64 {
namespace {

struct Four {
  using D = __m256d;
  using M = __m256d;
  static constexpr std::size_t width = 4;
  static D load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, D x) { _mm256_storeu_pd(p, x); }
  static D all(double x) { return _mm256_set1_pd(x); }
  static M none() { return _mm256_setzero_pd(); }
  static int bits(M m) { return _mm256_movemask_pd(m); }
  static M less(D a, D b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
  static M is_zero(D a) { return _mm256_cmp_pd(a, all(0), _CMP_EQ_OQ); }
  static M either(M a, M b) { return _mm256_or_pd(a, b); }
  static M both(M a, M b) { return _mm256_and_pd(a, b); }
  static M opposite(M a) { return _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))); }
  static D select(M m, D a, D b) { return _mm256_blendv_pd(b, a, m); }
  static D least(D a, D b) { return _mm256_min_pd(a, b); }
  static D greatest(D a, D b) { return _mm256_max_pd(a, b); }
  static D absolute(D a) { return _mm256_andnot_pd(all(-0.0), a); }
  static D opposite_sign(D a) { return _mm256_xor_pd(a, all(-0.0)); }
  static D add(D a, D b) { return _mm256_add_pd(a, b); }
  static D subtract(D a, D b) { return _mm256_sub_pd(a, b); }
  static D multiply(D a, D b) { return _mm256_mul_pd(a, b); }
  static D divide(D a, D b) { return _mm256_div_pd(a, b); }
  static D product_minus(D a, D b, D c) { return _mm256_fmsub_pd(a, b, c); }
  static D negated_product_plus(D a, D b, D c) { return _mm256_fnmadd_pd(a, b, c); }
  static D step(D x, bool up) {
    const __m256i bits = _mm256_castpd_si256(x);
    const __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), bits);  // -1 where negative
    const __m256i away = _mm256_or_si256(_mm256_add_epi64(negative, negative), _mm256_set1_epi64x(1));  // -1 or 1
    return _mm256_castsi256_pd(up ? _mm256_add_epi64(bits, away) : _mm256_sub_epi64(bits, away));
  }
};

}  // namespace

void detail::run_avx2(Operation operation, const double* a_lo, const double* a_hi, const double* b_lo,
                      const double* b_hi, std::size_t n, double* lo, double* hi, std::uint8_t* bad_lanes) {
  run<Nearest<Four>>(operation, a_lo, a_hi, b_lo, b_hi, n, lo, hi, bad_lanes);
}

}  // namespace outward::vector64
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
void outward::vector64::detail::run_avx2(Operation, const double*, const double*, const double*, const double*,
                                         std::size_t, double*, double*, std::uint8_t*) {}
#endif
