// The loops of vector64, for any vector type; included by one file per path, after its target is set. Everything is
// internal to the file that includes it, so that no path calls code compiled for another.
//
// Directed results from results to nearest: the error of a sum (Knuth's TwoSum), of a product and of a quotient (by
// fused multiply-add) is exact where exponents are moderate; its sign says whether the neighbour is the directed
// result. Lanes where they are not moderate are reported and left to the generic path.
#pragma once
#include <cstddef>
#include <cstdint>

#include "formats/interval/vector64.hpp"

namespace outward::vector64 {
namespace {

// V: a vector of doubles D with masks M, arithmetic to nearest. step(x, up): the neighbour of a nonzero number.
template <class V>
struct Nearest : V {
  using D = typename V::D;
  using M = typename V::M;
  static M moderate(D x) {
    return V::both(V::less(V::absolute(x), V::all(0x1p900)), V::less(V::all(0x1p-900), V::absolute(x)));
  }
  static M bounded(D x) { return V::less(V::absolute(x), V::all(0x1p900)); }
  static D moved(D x, D error, bool up) {
    const M out = up ? V::less(V::all(0), error) : V::less(error, V::all(0));
    return V::select(out, V::step(x, up), x);
  }
  static D sum(D a, D b, bool up, M& bad) {
    const D s = V::add(a, b), t = V::subtract(s, a);
    const D error = V::add(V::subtract(a, V::subtract(s, t)), V::subtract(b, t));
    bad = V::either(bad, V::opposite(V::both(bounded(a), bounded(b))));
    return moved(s, error, up);
  }
  static D product(D a, D b, bool up, M& bad) {
    const M zero = V::either(V::is_zero(a), V::is_zero(b));
    const D p = V::multiply(a, b);
    bad = V::either(bad, V::opposite(V::either(zero, moderate(p))));
    return V::select(zero, V::all(0), moved(p, V::product_minus(a, b, p), up));
  }
  static D quotient(D a, D b, bool up, M& bad) {
    const M zero = V::is_zero(a);
    const D q = V::divide(a, b);
    const D rest = V::negated_product_plus(q, b, a);  // of the sign of the error, times that of b
    const D error = V::select(V::less(b, V::all(0)), V::subtract(V::all(0), rest), rest);
    const M good = V::both(V::both(moderate(q), moderate(a)), moderate(b));
    bad = V::either(bad, V::opposite(V::either(zero, good)));
    return V::select(zero, V::all(0), moved(q, error, up));
  }
};

// Results of four corners, and +0 for zeros.
template <class V, class F>
void corners(F f, typename V::D& lo, typename V::D& hi, const typename V::D (&a)[2], const typename V::D (&b)[2]) {
  lo = V::least(V::least(f(a[0], b[0], false), f(a[0], b[1], false)),
                V::least(f(a[1], b[0], false), f(a[1], b[1], false)));
  hi = V::greatest(V::greatest(f(a[0], b[0], true), f(a[0], b[1], true)),
                   V::greatest(f(a[1], b[0], true), f(a[1], b[1], true)));
}

// Elements 0 ... n - 1, n a multiple of V::width; bad[i / width] gets a bit for each lane that is to be done again.
template <class V>
void run(Operation operation, const double* a_lo, const double* a_hi, const double* b_lo, const double* b_hi,
         std::size_t n, double* lo, double* hi, std::uint8_t* bad_lanes) {
  using D = typename V::D;
  using M = typename V::M;
  for (std::size_t i = 0; i < n; i += V::width) {
    const D a[2] = {V::load(a_lo + i), V::load(a_hi + i)}, b[2] = {V::load(b_lo + i), V::load(b_hi + i)};
    D low, high;
    M bad = V::none();
    switch (operation) {
      case Operation::add:
        low = V::sum(a[0], b[0], false, bad);
        high = V::sum(a[1], b[1], true, bad);
        break;
      case Operation::subtract:
        low = V::sum(a[0], V::opposite_sign(b[1]), false, bad);
        high = V::sum(a[1], V::opposite_sign(b[0]), true, bad);
        break;
      case Operation::multiply:
        corners<V>([&](D x, D y, bool up) { return V::product(x, y, up, bad); }, low, high, a, b);
        break;
      default:
        bad = V::opposite(V::either(V::less(V::all(0), b[0]), V::less(b[1], V::all(0))));
        corners<V>([&](D x, D y, bool up) { return V::quotient(x, y, up, bad); }, low, high, a, b);
    }
    V::store(lo + i, V::select(V::is_zero(low), V::all(0), low));
    V::store(hi + i, V::select(V::is_zero(high), V::all(0), high));
    bad_lanes[i / V::width] = static_cast<std::uint8_t>(V::bits(bad));
  }
}

}  // namespace
}  // namespace outward::vector64
