// The backward rules of FORMAT.md section 6 and the range of a contraction, each written once over
// a lane arithmetic P. Included by one file per arithmetic, inside that file's target options.
// P has Number, V (one Number per lane), Pair {V n, h}, lanes, block, Sums, and splat, add, mul,
// fma (all upward), nonzero, positive (of any lane), zero_or, get and set; a V has -, < and ?:.
//
// Per lane a coefficient nu lies in [-n, h]; total_ is an upper bound of minus the constant part so
// far; +infinity, or a NaN that P::get turns into it, means that nothing is known.
#pragma once
#include "checker/kernel/engine.hpp"

namespace outward_check {

// The sums of weights[offset]*cell over the cells that were added.
template <class P> class Products {
 public:
  using Pair = typename P::Pair;
  using V = typename P::V;
  explicit Products(const Sites& g)
      : terms_(new Term[g.inputs < g.outputs ? g.outputs : g.inputs]) {}
  ~Products() { delete[] terms_; }
  Products(const Products&) = delete;
  void add(const Pair* cell, std::uint64_t offset) { terms_[count_++] = {cell, offset}; }
  bool empty() const { return count_ == 0; }
  // B sums, for the weights from w, w + step, w + 2*step ...
  template <unsigned B> void sum(const double* w, std::uint64_t step, Pair* out) const {
    Pair sums[B];
#pragma GCC unroll 8
    for (Pair& s : sums) s = {P::splat(0), P::splat(0)};
    for (const Term* t = terms_; t != terms_ + count_; ++t) {
#pragma GCC unroll 8
      for (unsigned b = 0; b < B; ++b) add_product(sums + b, w[t->offset + b * step], t->cell);
    }
    for (unsigned b = 0; b < B; ++b) out[b] = sums[b];
  }

 private:
  struct Term {
    const Pair* cell;
    std::uint64_t offset;
  };
  Term* terms_;
  std::uint64_t count_ = 0;

  // sum += w*c. For w < 0 the two ends change places: by address, not by a branch on random signs.
  static void add_product(Pair* sum, double w, const Pair* c) {
    static_assert(offsetof(Pair, h) == sizeof(V));
    const V size = P::splat(__builtin_fabs(w));
    const std::size_t swap = __builtin_signbit(w) != 0 ? sizeof(V) : 0;
    const char* ends = reinterpret_cast<const char*>(c);
    sum->n = P::fma(size, *reinterpret_cast<const V*>(ends + swap), sum->n);
    sum->h = P::fma(size, *reinterpret_cast<const V*>(ends + (sizeof(V) - swap)), sum->h);
  }
};

template <class P> class Rows {
 public:
  using U = typename P::Number;
  using V = typename P::V;
  using Pair = typename P::Pair;

  static void backward(Job<U>* job) { Rows(job).run(); }
  // The range of every output, without its error box: sum over k of W[j][k]*x[k], plus b[j], for
  // neighbouring sites in lanes, each in the order of the reference execution.
  static void range(const NodeView<U>& node, const Interval<U>* x, Interval<U>* out) {
    const Sites& g = node.sites;
    std::int64_t* index = new std::int64_t[g.inputs];
    Pair* cells = new Pair[g.inputs];
    for (std::uint64_t s = 0, used = 0; s < g.count; s += used) {
      typename P::Sums sums(g);
      const Site at = site(g, s);
      const std::uint64_t left = at.output_stride - s % at.output_stride;  // with the same weights
      used = left < P::lanes ? left : P::lanes;
      for (std::uint64_t k = 0; k < g.inputs; ++k) cells[k] = {P::splat(0), P::splat(0)};
      for (std::uint32_t lane = 0; lane < used; ++lane) {
        site_inputs(g, s + lane, index);
        for (std::uint64_t k = 0; k < g.inputs; ++k) {
          if (index[k] < 0) continue;
          P::set(&cells[k].n, lane, x[index[k]].n), P::set(&cells[k].h, lane, x[index[k]].h);
        }
      }
      const std::uint64_t* w = g.nonzero;
      std::uint64_t j = 0;
      for (; w != nullptr && j < g.outputs; ++j) {
        typename P::Sums few(g);
        for (; *w < (j + 1) * g.inputs; ++w) few.add(cells + *w % g.inputs, *w % g.inputs);
        rows<1>(node, few, at, used, j, out);
      }
      for (std::uint64_t k = 0; k < g.inputs; ++k) sums.add(cells + k, k);
      for (; j + P::block <= g.outputs; j += P::block) rows<P::block>(node, sums, at, used, j, out);
      for (; j < g.outputs; ++j) rows<1>(node, sums, at, used, j, out);
    }
    delete[] cells;
    delete[] index;
  }

 private:
  template <unsigned B> static void rows(const NodeView<U>& node, typename P::Sums& sums,
                                         const Site& at, std::uint64_t used, std::uint64_t j,
                                         Interval<U>* out) {
    const std::uint64_t row = at.first_row + j, step = node.sites.inputs;
    Pair sum[B];
    sums.template sum<B>(node.payload + row * step, step, sum);
    for (unsigned b = 0; b < B; ++b) {
      const U bias = node.bias != nullptr ? U(node.bias[row + b]) : U(0);
      Interval<U>* to = out + at.first_output + (j + b) * at.output_stride;
      for (std::uint32_t lane = 0; lane < used; ++lane) {
        to[lane] = {add_up(P::get(sum[b].n, lane), -bias), add_up(P::get(sum[b].h, lane), bias)};
      }
    }
  }

  explicit Rows(Job<U>* job) : job_(*job), nodes_(job->nodes) {}
  void run() {
    static constexpr void (Rows::*rules[17])(std::uint32_t) = {
        &Rows::input,  &Rows::constant, &Rows::linear, &Rows::contraction, &Rows::contraction,
        &Rows::linear, &Rows::linear,   &Rows::linear, &Rows::linear,      &Rows::linear,
        &Rows::linear, &Rows::linear,   &Rows::unary,  &Rows::unary,       &Rows::unary,
        &Rows::unary,  &Rows::max};
    arrays_ = new Array[job_.target + 1];
    total_ = zero();
    for (std::size_t i = 0; i < job_.start_count; ++i) {
      const Start<U>& s = job_.starts[i];
      Pair c{zero(), zero()};
      P::set(&c.n, s.lane, s.coefficient.n), P::set(&c.h, s.lane, s.coefficient.h);
      accumulate(s.node, s.element, c);
    }
    for (std::uint32_t k = job_.target + 1; k-- > 0;) {
      if (arrays_[k].cells == nullptr) continue;
      if (nodes_[k].stored) stored(k);
      (this->*rules[static_cast<int>(nodes_[k].kind)])(k);
      delete[] arrays_[k].cells;
      delete[] arrays_[k].touched;
    }
    for (std::uint32_t lane = 0; lane < P::lanes; ++lane) job_.bound[lane] = P::get(total_, lane);
    delete[] arrays_;
  }

  struct Array {
    Pair* cells = nullptr;
    bool* touched = nullptr;  // false: the cell is zero and may be uninitialised
  };
  Job<U>& job_;
  const NodeView<U>* nodes_;
  Array* arrays_ = nullptr;
  V total_;

  Array& live(std::uint32_t k) {
    Array& a = arrays_[k];
    if (a.cells == nullptr) {
      a.cells = new Pair[nodes_[k].size];
      a.touched = new bool[nodes_[k].size]();
    }
    return a;
  }
  void accumulate(std::uint32_t k, std::uint64_t i, const Pair& c) {
    const Array& a = live(k);
    if (a.touched[i]) {
      const Pair old = a.cells[i];
      a.cells[i] = {P::add(old.n, c.n), P::add(old.h, c.h)};
    } else {
      a.touched[i] = true;
      a.cells[i] = c;
    }
  }

  // Calls f(i, coefficient) for every element of node k whose coefficient is not surely zero.
  template <class F> __attribute__((always_inline)) void each(std::uint32_t k, F f) {
    const Array a = arrays_[k];
    const std::uint64_t size = nodes_[k].size;
    for (std::uint64_t i = 0; i < size; ++i) {
      if (a.touched[i] && !vanishes(a.cells[i])) f(i, a.cells[i]);
    }
  }
  static V zero() { return P::splat(0); }
  static V most(const V& a, const V& b) { return b < a ? a : b; }
  static V least(const V& a, const V& b) { return a < b ? a : b; }
  // Every lane is [0, 0]; a NaN is not zero.
  static bool vanishes(const Pair& c) { return !P::nonzero(c.n) && !P::nonzero(c.h); }
  static Pair times(const Pair& c, double w) {
    const V a = P::splat(U(w < 0 ? -w : w));
    const Pair p{P::mul(c.n, a), P::mul(c.h, a)};
    return w < 0 ? Pair{p.h, p.n} : p;
  }
  // Product with a factor in [-n, h], which has one sign.
  static Pair times(const Pair& c, const Interval<U>& factor) {
    if (is_zero(factor.n) && is_zero(factor.h)) return {zero(), zero()};
    const bool negative = factor.h <= U(0);
    const V low = P::splat(negative ? -factor.h : -factor.n);
    const V high = P::splat(negative ? factor.n : factor.h);
    const Pair p{most(P::mul(c.n, low), P::mul(c.n, high)),
                 most(P::mul(c.h, low), P::mul(c.h, high))};
    return negative ? Pair{p.h, p.n} : p;
  }
  // total += upper bound of -nu*v.
  void constant_part(const Pair& c, const U& v) {
    if (is_zero(v)) return;
    total_ = v < U(0) ? P::fma(c.h, P::splat(-v), total_) : P::fma(c.n, P::splat(v), total_);
  }
  static Pair positive_part(const Pair& c) { return {least(c.n, zero()), most(c.h, zero())}; }
  static Pair negative_part(const Pair& c) { return {most(c.n, zero()), least(c.h, zero())}; }

  // What holds for all stored nodes: coefficients must be numbers before any minimum or maximum is
  // taken of them, else the total is none, and the error box of the node is subtracted.
  void stored(std::uint32_t k) {
    const U* delta = nodes_[k].delta;
    each(k, [&](std::uint64_t i, const Pair& c) {
      total_ = P::fma(c.n, zero(), P::fma(c.h, zero(), total_));  // 0*infinity is no number
      if (delta == nullptr || is_zero(delta[i])) return;
      if (is_infinite(delta[i])) {
        total_ = P::zero_or(c.n, c.h, total_);
      } else {
        total_ = P::fma(most(c.n, c.h), P::splat(delta[i]), total_);
      }
    });
  }

  void input(std::uint32_t k) {
    each(k, [&](std::uint64_t i, const Pair& c) {  // -nu in [-c.h, c.n] times z in [-n, h]
      const V n = P::splat(nodes_[k].range[i].n), h = P::splat(nodes_[k].range[i].h);
      const V a = most(P::mul(c.n, h), P::mul(c.n, -n));
      const V b = most(P::mul(-c.h, h), P::mul(c.h, n));
      total_ = P::add(total_, most(a, b));
    });
  }
  void constant(std::uint32_t k) {
    each(k, [&](std::uint64_t i, const Pair& c) { constant_part(c, U(nodes_[k].payload[i])); });
  }
  void linear(std::uint32_t k) {
    const NodeView<U>& node = nodes_[k];
    const std::uint64_t count = term_count(node);
    each(k, [&](std::uint64_t i, const Pair& c) {
      Pair part = c;
      if (node.factor != nullptr) part = times(c, node.factor[i]);
      if (node.pre != nullptr) constant_part(part, U(node.pre[i]));
      if (node.post != nullptr) constant_part(c, U(node.post[i]));
      for (std::uint64_t j = 0; j < count; ++j) {
        const Term t = term(node, i, j);
        const Pair signed_part = t.negative ? Pair{part.h, part.n} : part;
        accumulate(node.operands[t.operand], t.element, signed_part);
      }
    });
  }

  // nu = positive part + negative part: the positive part takes the lower line, the negative part
  // the upper one. For an enclosure with both signs the sum of the two contains either case.
  void unary(std::uint32_t k) {
    const NodeView<U>& node = nodes_[k];
    each(k, [&](std::uint64_t i, const Pair& c) {
      const LinePair<U>& line = node.lines[i];
      if (line.infinite) {
        total_ = P::zero_or(c.n, c.h, total_);
        return;
      }
      if ((line.no_lower && P::positive(c.h)) || (line.no_upper && P::positive(c.n))) {
        job_.missing = k;
        return;
      }
      const Pair positive = positive_part(c), negative = negative_part(c);
      constant_part(positive, -line.lower_cut);
      constant_part(negative, line.upper_cut);
      if (line.lower != line.upper) {
        const Pair a = times(positive, line.lower), b = times(negative, line.upper);
        accumulate(node.operands[0], i, {P::add(a.n, b.n), P::add(a.h, b.h)});
      } else if (line.lower != 0) {
        accumulate(node.operands[0], i, line.lower == 1 ? c : times(c, line.lower));
      }
    });
  }
  void max(std::uint32_t k) {
    const NodeView<U>& node = nodes_[k];
    const std::uint64_t window = static_cast<std::uint64_t>(node.ints[0]);
    each(k, [&](std::uint64_t i, const Pair& c) {
      const LinePair<U>& line = node.lines[i];
      if (line.dominator >= 0) {
        accumulate(node.operands[0], static_cast<std::uint64_t>(line.dominator), c);
        return;
      }
      if (P::positive(c.h)) {
        if (node.weights == nullptr) {
          job_.missing = k;
          return;
        }
        for (std::uint64_t j = i * window; j < (i + 1) * window; ++j) {
          const double w = node.weights[j] * 0.0078125;  // b/128, exact
          if (w != 0) accumulate(node.operands[0], j, times(positive_part(c), w));
        }
      }
      if (P::positive(c.n)) {
        if (is_infinite(line.upper_cut)) {
          const Pair part = negative_part(c);
          total_ = P::zero_or(part.n, part.h, total_);
        } else {
          constant_part(negative_part(c), line.upper_cut);
        }
      }
    });
  }

  // dense, conv: coefficient of an input = sum over outputs of weight * coefficient, per site.
  void contraction(std::uint32_t k) {
    const NodeView<U>& node = nodes_[k];
    const Sites& g = node.sites;
    const Array out = arrays_[k];
    std::int64_t* index = new std::int64_t[g.inputs];
    for (std::uint64_t s = 0; s < g.count; ++s) {
      typename P::Sums sums(g);
      const Site at = site(g, s);
      const std::uint64_t* w = g.nonzero;
      std::uint64_t e = at.first_output;
      for (std::uint64_t j = at.first_row; j < at.first_row + g.outputs; ++j) {
        const Pair* cell = out.cells + e;
        const bool carries = out.touched[e] && !vanishes(*cell);
        e += at.output_stride;
        for (; w != nullptr && *w < (j + 1) * g.inputs; ++w) {
          const std::uint64_t i = s * g.inputs + *w % g.inputs;
          if (carries) accumulate(node.operands[0], i, times(*cell, node.payload[*w]));
        }
        if (!carries) continue;
        if (w == nullptr) sums.add(cell, j * g.inputs);
        if (node.bias != nullptr) constant_part(*cell, U(node.bias[j]));
      }
      if (sums.empty()) continue;
      site_inputs(g, s, index);
      std::uint64_t i = 0;
      for (; i + P::block <= g.inputs; i += P::block) spread<P::block>(k, sums, index + i, i);
      for (; i < g.inputs; ++i) spread<1>(k, sums, index + i, i);
    }
    delete[] index;
  }
  // To the inputs i ... i + B - 1 of a site.
  template <unsigned B>
  void spread(std::uint32_t k, typename P::Sums& sums, const std::int64_t* to, std::uint64_t i) {
    Pair part[B];
    sums.template sum<B>(nodes_[k].payload + i, 1, part);
    for (unsigned b = 0; b < B; ++b) {
      const std::uint32_t in = nodes_[k].operands[0];
      if (to[b] >= 0) accumulate(in, static_cast<std::uint64_t>(to[b]), part[b]);
    }
  }
};

template <class P>
constexpr Engine<typename P::Number> engine_of = {P::lanes, Rows<P>::backward, Rows<P>::range};

}  // namespace outward_check
