// Rows in lanes without special instructions: SSE2 inline assembly in the rounding mode of MXCSR
// for doubles, single rows for the other arithmetics.
#include <emmintrin.h>

#include "checker/kernel/lanes.hpp"

namespace outward_check {

namespace {

struct Sse2 {
  using Vec = __m128d;
  static constexpr unsigned width = 2, block = 1;
  static Vec splat(double x) { return _mm_set1_pd(x); }
  static Vec add(Vec a, Vec b) {
    __asm__ volatile("addpd %1, %0" : "+x"(a) : "x"(b));
    return a;
  }
  static Vec mul(Vec a, Vec b) {
    __asm__ volatile("mulpd %1, %0" : "+x"(a) : "x"(b));
    return a;
  }
  static Vec fma(Vec a, Vec b, Vec c) { return add(mul(a, b), c); }
  static bool nonzero(Vec a) { return _mm_movemask_pd(_mm_cmpneq_pd(a, splat(0))) != 0; }
  static bool positive(Vec a) { return _mm_movemask_pd(_mm_cmpgt_pd(a, splat(0))) != 0; }
};

// One lane by the scalar operations of number.hpp.
template <class U>
struct One {
  using Number = U;
  using Vec = U;
  static constexpr unsigned width = 1, lanes = 1, block = 1;
  static U splat(const U& x) { return x; }
  static U add(const U& a, const U& b) { return add_up(a, b); }
  static U mul(const U& a, const U& b) { return mul_up(a, b); }
  static U fma(const U& a, const U& b, const U& c) { return add_up(mul_up(a, b), c); }
  static U neg(const U& a) { return -a; }
  static U max(const U& a, const U& b) { return larger(a, b); }
  static U min(const U& a, const U& b) { return smaller(a, b); }
  static bool nonzero(const U& a) { return !is_zero(a); }
  static bool positive(const U& a) { return U(0) < a; }
  static U zero_or(const U& n, const U& h, const U& total) {
    return is_zero(n) && is_zero(h) ? total : U(infinity);
  }
  static U get(const U& a, unsigned) { return a; }
  static void set(U* a, unsigned, const U& x) { *a = x; }
};

}  // namespace

template <class U>
const Engine<U>& engine() {
  return engine_of<Lanes<One<U>>>;
}
template const Engine<Exact>& engine<Exact>();
template const Engine<Nearest<float>>& engine<Nearest<float>>();
template const Engine<Nearest<double>>& engine<Nearest<double>>();
const Engine<double>* portable_engine() { return &engine_of<Lanes<Doubles<Sse2>>>; }
template <>
const Engine<double>& engine<double>() {
  for (const Engine<double>* e : {avx512_engine(), avx2_engine()}) {
    if (e != nullptr) return *e;
  }
  return *portable_engine();
}

}  // namespace outward_check
