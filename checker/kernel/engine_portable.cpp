// Single rows by the operations of number.hpp, for every arithmetic and without special
// instructions.
#include "checker/kernel/rows.hpp"
#include "checker/kernel/sums.hpp"

namespace outward_check {

namespace {

template <class U> struct One {
  using Number = U;
  using V = U;
  using Pair = Interval<U>;
  using Sums = std::conditional_t<std::is_same_v<U, Exact>, ExactSums, Products<One>>;
  static constexpr unsigned lanes = 1, block = 1;
  static U splat(const U& x) { return x; }
  static U add(const U& a, const U& b) { return add_up(a, b); }
  static U mul(const U& a, const U& b) { return mul_up(a, b); }
  static U fma(const U& a, const U& b, const U& c) { return add_up(mul_up(a, b), c); }
  static bool nonzero(const U& a) { return !is_zero(a); }
  static bool positive(const U& a) { return U(0) < a; }
  static U zero_or(const U& n, const U& h, const U& total) {
    return is_zero(n) && is_zero(h) ? total : U(infinity);
  }
  static U get(const U& a, unsigned) { return a; }
  static void set(U* a, unsigned, const U& x) { *a = x; }
};

}  // namespace

template <class U> const Engine<U>& engine() {
  if constexpr (std::is_same_v<U, double>) return *engines().back();
  return engine_of<One<U>>;
}
template const Engine<double>& engine<double>();
template const Engine<Exact>& engine<Exact>();
template const Engine<Nearest<float>>& engine<Nearest<float>>();
template const Engine<Nearest<double>>& engine<Nearest<double>>();
constinit const Engine<double> portable_engine = engine_of<One<double>>;
std::vector<const Engine<double>*> engines() {
  std::vector<const Engine<double>*> all{&portable_engine};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(&avx2_engine);
  if (__builtin_cpu_supports("avx512f")) all.push_back(&avx512_engine);
  return all;
}

}  // namespace outward_check
