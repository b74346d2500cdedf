// The lane arithmetic P of rows.hpp on top of a vector type. X has Number, Vec (width Numbers, one
// of lanes/width vectors per value), splat, add, mul, fma (all upward), neg, max, min, nonzero,
// positive (of any element), zero_or, get and set. Included like rows.hpp. At the end
// the self-test and the engine made of all this.
#pragma once
#include "checker/kernel/rows.hpp"

namespace outward_check {

template <class X>
struct Lanes {
  using Number = typename X::Number;
  static constexpr unsigned lanes = X::lanes, count = lanes / X::width, block = X::block;
  struct V {
    typename X::Vec x[count];
  };
  struct Pair {
    V n, h;
  };

  static V splat(const Number& u) {
    V v;
    for (unsigned i = 0; i < count; ++i) v.x[i] = X::splat(u);
    return v;
  }
  static V zero() { return splat(Number(0)); }
  static V neg(const V& a) { return each<X::neg>(a); }
  static V add(const V& a, const V& b) { return each<X::add>(a, b); }
  static V mul(const V& a, const V& b) { return each<X::mul>(a, b); }
  static V max(const V& a, const V& b) { return each<X::max>(a, b); }
  static V min(const V& a, const V& b) { return each<X::min>(a, b); }
  static V fma(const V& a, const V& b, const V& c) { return each<X::fma>(a, b, c); }
  static void set(Pair* p, std::uint32_t lane, const Interval<Number>& z) {
    X::set(&p->n.x[lane / X::width], lane % X::width, z.n);
    X::set(&p->h.x[lane / X::width], lane % X::width, z.h);
  }
  static Number get(const V& v, std::uint32_t lane) {
    return X::get(v.x[lane / X::width], lane % X::width);
  }
  // Every lane is [0, 0]; a NaN is not zero.
  static bool vanishes(const Pair* c) {
    bool some = false;
    for (unsigned i = 0; i < count; ++i) some |= X::nonzero(c->n.x[i]) || X::nonzero(c->h.x[i]);
    return !some;
  }
  static bool any_positive(const V& a) {
    bool some = false;
    for (unsigned i = 0; i < count; ++i) some |= X::positive(a.x[i]);
    return some;
  }
  // total, or no number (+infinity) in the lanes whose coefficients are not finite (not zero).
  static V spoil_unless_finite(const V& total, const Pair& c) {  // 0*infinity is no number
    return fma(c.n, zero(), fma(c.h, zero(), total));
  }
  static V spoil_unless_zero(const V& total, const Pair& c) {
    return each<X::zero_or>(c.n, c.h, total);
  }
  // sum += w*c. For w < 0 the two ends change places: by address, not by a branch on random signs.
  static void add_product(Pair* sum, double w, const Pair* c) {
    static_assert(offsetof(Pair, h) == sizeof(V));
    const V size = splat(Number(__builtin_fabs(w)));
    const std::size_t swap = __builtin_signbit(w) != 0 ? sizeof(V) : 0;
    const char* ends = reinterpret_cast<const char*>(c);
    sum->n = fma(size, *reinterpret_cast<const V*>(ends + swap), sum->n);
    sum->h = fma(size, *reinterpret_cast<const V*>(ends + (sizeof(V) - swap)), sum->h);
  }

 private:
  template <auto f, class... T>
  static V each(const T&... a) {
    V v;
    for (unsigned i = 0; i < count; ++i) v.x[i] = f(a.x[i]...);
    return v;
  }
};

// What vectors of doubles share; Isa has Vec, width, splat, add, mul, fma, nonzero, positive.
template <class Isa>
struct Doubles : Isa {
  using Number = double;
  using Vec = typename Isa::Vec;
  static constexpr unsigned width = Isa::width, lanes = max_lanes;

  static Vec neg(Vec a) { return -a; }
  static Vec max(Vec a, Vec b) { return a > b ? a : b; }
  static Vec min(Vec a, Vec b) { return a < b ? a : b; }
  static Vec zero_or(Vec n, Vec h, Vec total) {
    const Vec zero = Isa::splat(0);
    return ((n == zero) & (h == zero)) ? total : Isa::splat(infinity);
  }
  static double get(Vec a, unsigned i) { return bounded(a[i]); }
  static void set(Vec* a, unsigned i, double x) { (*a)[i] = x; }
};

// Start-up self-test: wrong rounding, flushed subnormals or a lost sign must not get past it.
// Volatile operands keep the compiler from computing anything itself.
template <class P>
bool lanes_are(const typename P::V& v, double expected) {
  bool all = true;
  for (std::uint32_t lane = 0; lane < P::lanes; ++lane) {
    all &= (P::get(v, lane) <=> typename P::Number(expected)) == 0;
  }
  return all;
}

template <class P>
const char* lane_fault() {
  using V = typename P::V;
  constexpr double third = 0x1.5555555555555p-2, tiny = 0x1p-60, least = 0x1p-1074;
  static const volatile double sums[][4] = {  // a*b + c, rounded up
      {tiny, 1, 1, 0x1.0000000000001p0},    {tiny, 1, -1, -0x1.fffffffffffffp-1},
      {-tiny, 1, -1, -1},                   {-0x1.8p-1022, 1, 0x1p-1022, -0x1p-1023},
      {third, third, 0, 0x1.c71c71c71c71cp-4}, {-third, third, 0, -0x1.c71c71c71c71bp-4},
      {least, 1, 0, least},                 {least, tiny, 0, least},
      {tiny, tiny, 1, 0x1.0000000000001p0}};
  for (const auto& t : sums) {
    const V a = P::splat(double(t[0])), b = P::splat(double(t[1])), c = P::splat(double(t[2]));
    bool good = lanes_are<P>(P::fma(a, b, c), t[3]);
    if (t[1] == 1) good &= lanes_are<P>(P::add(a, c), t[3]);
    if (t[2] == 0) good &= lanes_are<P>(P::mul(a, b), t[3]);
    if (!good) return "a sum or product in lanes is not rounded up";
  }
  const V one = P::splat(double(sums[0][1])), zero = P::zero(), minus = P::neg(one);
  if (!lanes_are<P>(P::max(minus, zero), 0) || !lanes_are<P>(P::min(minus, zero), -1)) return "max";
  const typename P::Pair endless{one, P::splat(infinity)};
  if (!lanes_are<P>(P::spoil_unless_finite(zero, endless), infinity)) return "infinity is finite";
  typename P::Pair sum{zero, zero};  // -2*third + tiny, so n = 2*third - tiny
  const typename P::Pair up{minus, one}, down{one, minus};
  P::add_product(&sum, sums[4][0], &down), P::add_product(&sum, sums[5][0], &up);
  P::add_product(&sum, sums[0][0], &up);
  const bool good =
      lanes_are<P>(sum.h, -0x1.5555555555554p-1) && lanes_are<P>(sum.n, 0x1.5555555555555p-1);
  return good ? "" : "a scalar product is not rounded up";
}

template <class P>
constexpr Engine<typename P::Number> engine_of = {P::lanes, backward_rows<P>, contraction_range<P>,
                                                  lane_fault<P>};

}  // namespace outward_check
