// The lane arithmetic P of rows.hpp on top of a vector type. X has Number, Vec (width Numbers, one
// of lanes/width vectors per value), splat, add, mul, fma (all upward), neg, max, min, nonzero,
// positive (of any element), zero_or, get and set. Included like rows.hpp. At the end
// the engine made of all this.
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

template <class P>
constexpr Engine<typename P::Number> engine_of = {P::lanes, backward_rows<P>, contraction_range<P>};

}  // namespace outward_check
