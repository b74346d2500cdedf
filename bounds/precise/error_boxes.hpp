// The error boxes of float claims (FORMAT.md section 3), computed in a number format with every operation rounded up:
// by how much a stored value of an execution in binary32 or binary64 may be off the exact function of the values that
// its sum group reads. Assumes a valid graph, ranges that hold every execution, and that update() is called for every
// node in order. Promises: boxes at or above those of section 3 for the ranges given, isotonic in ranges and format;
// overflow() names a node wherever the overflow condition is not certain. Under `real` there are no boxes.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "bounds/precise/terms.hpp"
#include "bounds/semantics.hpp"
#include "formats/interval/spans.hpp"
#include "runtime/graph/groups.hpp"

namespace outward::precise {

template <class Ends>
class ErrorBoxes {
 public:
  using Number = typename Ends::Number;
  using S = Span<Ends>;
  using Values = std::vector<std::vector<S>>;  // per node

  // payload and scale (of bn nodes: scale/√(var+eps) per channel) enclose the constants; both outlive this object.
  ErrorBoxes(const Graph& graph, const Spans<Ends>& spans, const FloatModel& model, const Values& payload,
             const Values& scale)
      : graph_(graph), spans_(spans), model_(model), payload_(payload), scale_(scale), boxes_(graph.nodes.size()) {
    if (!model_.is_float) return;
    groups_ = find_groups(graph);
    absolute_.resize(graph.nodes.size());
    magnitude_.resize(graph.nodes.size(), one());
    omega_ = spans_.from(exact(model_.omega)).lo;
  }

  void forget() { overflow_.clear(); }
  const std::string& overflow() const { return overflow_; }
  // δ of every element of node k; empty: all zero.
  const std::vector<Number>& of(std::size_t k) const { return boxes_[k]; }

  // Sets the boxes of node k from the ranges of its operands.
  void update(std::size_t k, const Values& range) {
    if (!model_.is_float) return;
    const Node& node = graph_.nodes[k];
    boxes_[k].clear();
    if (node.kind == Kind::leaky) {
      const Number slope = up(exact(model_.u) * abs(exact(node.payload[0]))), tiny = up(exact(model_.eta));
      for (const S& x : range[node.operands[0]]) {
        const Number below = spans_.greatest(spans_.ends().negate(x.lo, Rounding::up), spans_.ends().zero());
        boxes_[k].push_back(fused(slope, below, tiny));
      }
    }
    if (!is_group_kind(node.kind)) return;
    set_sums(static_cast<std::uint32_t>(k), range);
    if (groups_.root[k] != k) return;
    if (!below_omega(times(up(2), magnitude_[k]))) note(k);
    const auto total = static_cast<std::int64_t>(groups_.total[k]);
    if (total == 0) return;
    const Rational relative = Rational(total) * exact(model_.u);
    if (relative >= Rational(1, 2)) {
      note(k);
      boxes_[k].assign(node.size, spans_.ends().unbounded(false));
      return;
    }
    const Number gamma = up(relative / (1 - relative));
    const Rational small = Rational(static_cast<std::int64_t>(groups_.terms[k])) *
                           static_cast<std::int64_t>(groups_.roundings[k] + 2) * exact(model_.eta);
    const Number tiny = times(up(small), magnitude_[k]);
    for (const Number& s : absolute_[k]) boxes_[k].push_back(fused(gamma, s, tiny));
  }

  // The rest of the overflow condition: values of a stored node lie in its range.
  void check_range(std::size_t k, const std::vector<S>& range) {
    if (!model_.is_float || !groups_.stored[k]) return;
    for (const S& x : range)
      if (!below_omega(magnitude_of(x))) return note(k);
  }

 private:
  Number up(const Rational& x) const { return spans_.from(x).hi; }
  Number one() const { return up(1); }
  // Of numbers >= 0, rounded up.
  Number times(const Number& a, const Number& b) const { return spans_.product_upper({a, a}, {b, b}); }
  Number plus(const Number& a, const Number& b) const { return spans_.add({a, a}, {b, b}).hi; }
  Number fused(const Number& a, const Number& b, const Number& c) const {
    return spans_.fused_upper({a, a}, {b, b}, c);
  }
  Number over(const Number& a, const S& b) const {
    return spans_.divide({a, a}, spans_.is_positive(b) ? b : spans_.negate(b)).hi;
  }
  Number magnitude_of(const S& x) const {
    return spans_.greatest(spans_.greatest(x.hi, spans_.ends().negate(x.lo, Rounding::up)), spans_.ends().zero());
  }
  bool below_omega(const Number& x) const {
    if (!spans_.ends().is_bounded(x)) return false;
    if (spans_.ends().is_bounded(omega_)) return spans_.ends().compare(x, omega_) < 0;
    if constexpr (std::is_same_v<Number, double>)
      return false;
    else
      return below(spans_.ends().exact(x), exact(model_.omega));  // the format has no number beyond omega
  }
  // False also for numbers of exponents beyond reason.
  static bool below(const ExactNumber& x, const Rational& limit) {
    constexpr std::int64_t most = 5000;
    if (x.kind != ExactNumber::Kind::number || x.exponent > most || x.exponent < -most) return false;
    const Rational power = Integer(1) << static_cast<unsigned>(x.exponent < 0 ? -x.exponent : x.exponent);
    return x.exponent < 0 ? x.factor < limit * power : x.factor * power < limit;
  }
  // max(1, max |x|) of payload elements.
  Number greatest_constant(std::size_t k, std::size_t first, std::size_t last) const {
    Number most = one();
    for (std::size_t i = first; i < last; ++i) most = spans_.greatest(most, magnitude_of(payload_[k][i]));
    return most;
  }
  void note(std::size_t k) {
    if (overflow_.empty())
      overflow_ = "overflow in " + std::string(model_.u == 0x1p-24 ? "binary32" : "binary64") +
                  " cannot be excluded at " + graph_.nodes[k].origin;
  }

  // What a group member reads: S and P of a member before it, or of a leaf.
  struct Read {
    std::vector<Number> absolute;
    Number magnitude;
  };
  Read read(std::uint32_t operand, std::uint32_t reader, const Values& range) const {
    if (inside_group(graph_, groups_, operand, reader)) return {absolute_[operand], magnitude_[operand]};
    Read leaf{{}, one()};
    for (const S& x : range[operand]) {
      leaf.absolute.push_back(magnitude_of(x));
      leaf.magnitude = spans_.greatest(leaf.magnitude, leaf.absolute.back());
    }
    return leaf;
  }

  // F of a contraction.
  Number moved(std::size_t k) const {
    Rational product = 1;
    for (const double c : groups_.factors[k]) {
      if (c == 0) return spans_.ends().unbounded(false);
      const Rational size = abs(exact(c));
      product *= size < 1 ? Rational(1 / size) : size;
    }
    return up(product);
  }
  Number contraction(std::size_t k, std::int64_t depth, const Number& weight, const Number& operand,
                     const Number& bias) const {
    return times(moved(k), fused(times(up(Rational(depth)), weight), operand, bias));
  }

  // Columns S and P of section 3.
  void set_sums(std::uint32_t k, const Values& range) {
    const Node& node = graph_.nodes[k];
    const std::vector<S>& c = payload_[k];
    const Read x = read(node.operands[0], k, range);
    std::vector<Number>& s = absolute_[k];
    s = x.absolute;
    s.resize(node.size, spans_.ends().zero());
    Number& p = magnitude_[k];
    p = x.magnitude;
    switch (node.kind) {
      case Kind::map: {
        std::vector<Read> all{x};
        for (std::size_t j = 1; j < node.operands.size(); ++j) {
          all.push_back(read(node.operands[j], k, range));
          p = spans_.greatest(p, all.back().magnitude);
        }
        for (std::size_t i = 0; i < node.size; ++i) {
          std::size_t j = 0, at = static_cast<std::size_t>(node.ints[i]);
          while (at >= all[j].absolute.size()) at -= all[j++].absolute.size();
          s[i] = all[j].absolute[at];
        }
        return;
      }
      case Kind::dense:
      case Kind::conv: {
        for (std::size_t i = 0; i < node.size; ++i) {
          const std::size_t bias = bias_index(node, i);
          s[i] = bias == no_bias ? spans_.ends().zero() : magnitude_of(c[bias]);
          for_each_term(node, i,
                        [&](std::size_t w, std::size_t at) { s[i] = fused(magnitude_of(c[w]), x.absolute[at], s[i]); });
        }
        const bool biased = node.ints.back() != 0;
        const auto outputs = static_cast<std::size_t>(node.kind == Kind::dense ? node.ints[2] : node.ints[4]);
        const std::size_t weights = c.size() - (biased ? outputs : 0);
        const std::int64_t depth = node.kind == Kind::dense ? node.ints[1] : conv_geometry(node).window();
        p = contraction(k, depth, greatest_constant(k, 0, weights), x.magnitude,
                        biased ? greatest_constant(k, weights, c.size()) : spans_.ends().zero());
        return;
      }
      case Kind::reduce: {
        const auto terms = static_cast<std::size_t>(node.ints[0]);
        for (std::size_t i = 0; i < node.size; ++i) {
          Number sum = spans_.ends().zero();
          for (std::size_t j = i * terms; j < (i + 1) * terms; ++j) sum = plus(sum, x.absolute[j]);
          s[i] = over(sum, spans_.from(Rational(node.ints[i + 1])));
        }
        p = contraction(k, node.ints[0], one(), x.magnitude, spans_.ends().zero());
        return;
      }
      case Kind::bn: {
        const auto channels = static_cast<std::size_t>(node.ints[0]);
        const std::size_t shift = channels, mean = 2 * channels, variance = 3 * channels, epsilon = 4 * channels;
        for (std::size_t i = 0; i < node.size; ++i) {
          const std::size_t q = channel(node, i);
          s[i] = fused(magnitude_of(scale_[k][q]), plus(s[i], magnitude_of(c[mean + q])), magnitude_of(c[shift + q]));
        }
        Number inverse = one();
        for (std::size_t q = 0; q < channels; ++q) {
          if (exact(node.payload[variance + q]) + exact(node.payload[epsilon]) >= exact(model_.omega)) note(k);
          const S deviation = spans_.square_root(spans_.add(c[variance + q], c[epsilon]));
          inverse = spans_.greatest(inverse, over(one(), deviation));
        }
        const Number factor = times(inverse, greatest_constant(k, 0, channels));
        p = fused(factor, plus(x.magnitude, greatest_constant(k, mean, variance)), greatest_constant(k, shift, mean));
        return;
      }
      case Kind::add: {
        const Read y = read(node.operands[1], k, range);
        for (std::size_t i = 0; i < node.size; ++i) s[i] = plus(s[i], y.absolute[i]);
        p = plus(p, y.magnitude);
        return;
      }
      case Kind::shift:
        for (std::size_t i = 0; i < node.size; ++i) s[i] = plus(s[i], magnitude_of(c[i]));
        p = plus(p, greatest_constant(k, 0, c.size()));
        return;
      case Kind::scale:
        for (std::size_t i = 0; i < node.size; ++i) s[i] = times(s[i], magnitude_of(c[i]));
        p = times(p, greatest_constant(k, 0, c.size()));
        return;
      case Kind::divide: {
        Number inverse = one();
        for (std::size_t i = 0; i < node.size; ++i) {
          s[i] = over(s[i], c[i]);
          inverse = spans_.greatest(inverse, over(one(), c[i]));
        }
        p = times(p, inverse);
        return;
      }
      default:  // neg
        return;
    }
  }

  const Graph& graph_;
  const Spans<Ends>& spans_;
  FloatModel model_;
  const Values& payload_;
  const Values& scale_;
  Groups groups_;
  std::vector<std::vector<Number>> boxes_, absolute_;
  std::vector<Number> magnitude_;
  Number omega_{};
  std::string overflow_;
};

}  // namespace outward::precise
