// Rows in lanes by the scalar operations of number.hpp, for every arithmetic.
#include <bit>
#include <cstdlib>
#include <new>
#include <vector>

#include "checker/kernel/engine.hpp"
#include "checker/kernel/engine_test.hpp"
#include "checker/kernel/rows.hpp"

namespace outward_check {

// Blocks are kept for the next taker, in classes of size 2^c; c is noted before the block.
namespace {
struct Kept {
  std::vector<unsigned char*> blocks[64];
  ~Kept() {
    for (const std::vector<unsigned char*>& list : blocks) {
      for (unsigned char* block : list) std::free(block);
    }
  }
  std::vector<unsigned char*>& operator[](std::size_t c) { return blocks[c]; }
} kept;
}
void* take_memory(std::size_t bytes) {
  const std::size_t c = static_cast<std::size_t>(std::bit_width(bytes + 63));
  unsigned char* block = nullptr;
  if (kept[c].empty()) {
    block = static_cast<unsigned char*>(std::aligned_alloc(64, 64 + (std::size_t{1} << c)));
    if (block == nullptr) throw std::bad_alloc();
    *block = static_cast<unsigned char>(c);
  } else {
    block = kept[c].back();
    kept[c].pop_back();
  }
  return block + 64;
}
void give_memory(void* block) {
  unsigned char* start = static_cast<unsigned char*>(block) - 64;
  kept[*start].push_back(start);
}

namespace {

template <class U, unsigned L>
struct Scalars {
  using Number = U;
  static constexpr unsigned lanes = L, block = 1;
  struct V {
    U x[L];
  };
  struct Pair {
    V n, h;
  };
  using Cell = Pair;
  template <class F>
  static V each(F f) {
    V v;
    for (unsigned i = 0; i < L; ++i) v.x[i] = f(i);
    return v;
  }
  static bool zero_lane(const Pair& c, unsigned i) {
    return is_zero(c.n.x[i]) && is_zero(c.h.x[i]);
  }

  static V zero() { return V{}; }
  static V splat(const U& u) {
    return each([&](unsigned) { return u; });
  }
  static V neg(const V& a) {
    return each([&](unsigned i) { return -a.x[i]; });
  }
  static V add(const V& a, const V& b) {
    return each([&](unsigned i) { return add_up(a.x[i], b.x[i]); });
  }
  static V mul(const V& a, const V& b) {
    return each([&](unsigned i) { return mul_up(a.x[i], b.x[i]); });
  }
  static V fma(const V& a, const V& b, const V& c) { return add(mul(a, b), c); }
  static V max(const V& a, const V& b) {
    return each([&](unsigned i) { return larger(a.x[i], b.x[i]); });
  }
  static V min(const V& a, const V& b) {
    return each([&](unsigned i) { return smaller(a.x[i], b.x[i]); });
  }
  static Pair load(const Cell* c) { return *c; }
  static void store(Cell* c, const Pair& p) { *c = p; }
  static Pair single(std::uint32_t lane, const Interval<U>& x) {
    Pair p{zero(), zero()};
    p.n.x[lane] = x.n, p.h.x[lane] = x.h;
    return p;
  }
  static bool vanishes(const Cell* c) {
    for (unsigned i = 0; i < L; ++i) {
      if (!zero_lane(*c, i)) return false;
    }
    return true;
  }
  static bool any_positive(const V& a) {
    for (const U& x : a.x) {
      if (U(0) < x) return true;
    }
    return false;
  }
  static V spoil_unless_finite(const V& total, const Pair& c) {
    return each([&](unsigned i) {
      return is_infinite(c.n.x[i]) || is_infinite(c.h.x[i]) ? U(infinity) : total.x[i];
    });
  }
  static V spoil_unless_zero(const V& total, const Pair& c) {
    return each([&](unsigned i) { return zero_lane(c, i) ? total.x[i] : U(infinity); });
  }
  static void add_product(Pair* sum, double w, const Cell* c) {
    if (w == 0) return;
    const V size = splat(U(w < 0 ? -w : w));
    sum->n = fma(size, w < 0 ? c->h : c->n, sum->n);
    sum->h = fma(size, w < 0 ? c->n : c->h, sum->h);
  }
  static void finish(const V& total, U* bound) {
    for (unsigned i = 0; i < L; ++i) bound[i] = total.x[i];
  }
  static Cell* take(std::uint64_t n) { return new Cell[n]; }
  static void give(Cell* cells) { delete[] cells; }
  static U* take_numbers(std::uint64_t n) { return new U[n]; }
  static void give_numbers(U* x) { delete[] x; }
  static U add_number(const U& a, const U& b) { return add_up(a, b); }
  static Interval<U> dot(const double* w, const U* n, const U* h, std::uint64_t size) {
    Interval<U> sum;
    for (std::uint64_t k = 0; k < size; ++k) {
      if (w[k] != 0) sum = add(sum, times(Interval<U>{n[k], h[k]}, U(w[k])));
    }
    return sum;
  }
  static Interval<U> add(const Interval<U>& a, const Interval<U>& b) {
    return outward_check::add(a, b);
  }
};

}  // namespace

template <class U>
const Engine<U>& scalar_engine() {
  using P = Scalars<U, std::is_same_v<U, double> ? max_lanes : 1>;
  static constexpr Engine<U> e = {"scalar", P::lanes, backward_rows<P>, contraction_range<P>};
  return e;
}
template const Engine<double>& scalar_engine<double>();
template const Engine<Exact>& scalar_engine<Exact>();
template const Engine<Nearest<float>>& scalar_engine<Nearest<float>>();
template const Engine<Nearest<double>>& scalar_engine<Nearest<double>>();

std::string engine_fault() {
  const RoundUp up;
  const char* fault = lane_fault<Scalars<double, max_lanes>>();
  if (*fault == 0 && avx512_available()) fault = avx512_fault();
  return fault;
}

}  // namespace outward_check
