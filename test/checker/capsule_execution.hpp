// Executions that keep to the words of the claim `capsule` and choose at random what these leave open, straight from
// FORMAT.md sections 3 and 5: every sum group as one sum in a random bracketing, products fused now and then, constant
// factors and batch norm as written, folded or spread over the terms, divisions as products with the reciprocal,
// factors moved behind the contraction that reads them. In double, which holds products of binary32 numbers exactly.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "test/checker/proof_tools.hpp"

namespace proof_tools {

struct Words {
  const char* name;
  Numerics numerics;
  int operand_bits;      // of precision; 24: not rounded
  double operand_least;  // the least normal number among them
  bool any;              // either neighbour
};
inline constexpr double least32 = 0x1p-126;
inline const Words all_words[] = {
    {"tf32", {Semantics::capsule, 0x1p-24, 0x1p-149, 0x1p127, 0x1p-11, 0x1p-136, 0}, 11, least32, false},
    {"bfloat16", {Semantics::capsule, 0x1p-24, 0x1p-149, 0x1p127, 0x1p-8, 0x1p-133, 0}, 8, least32, false},
    {"binary16 any", {Semantics::capsule, 0x1p-23, 0x1p-148, 0x1p15, 0x1p-10, 0x1p-23, 0}, 11, 0x1p-14, true},
    {"flush", {Semantics::capsule, 0x1p-24, 0x1p-149, 0x1p127, 0, 0, 0x1p-126}, 24, least32, false},
    {"tf32 any flush",
     {Semantics::capsule, 0x1p-23, 0x1p-148, 0x1p127, 0x1p-10, 0x1p-135, 0x1p-126},
     11,
     least32,
     true},
    {"binary16 flush", {Semantics::capsule, 0x1p-24, 0x1p-149, 0x1p15, 0x1p-11, 0x1p-24, 0x1p-14}, 11, 0x1p-14, false}};

// The operations of one execution.
class Machine {
 public:
  Machine(const Words& words, Random& r) : words_(words), r_(r) {}

  double operand(double x) { return stored(to_bits(stored(x), words_.operand_bits, words_.operand_least)); }
  double result(double exact) { return stored(to_bits(exact, 24, least32)); }
  // What may have become zero.
  double stored(double x) {
    return words_.numerics.flushed > 0 && std::abs(x) < words_.numerics.flushed && r_.below(3) != 0 ? 0 : x;
  }
  double product(double a, double b) { return result(operand(a) * operand(b)); }  // of a contraction
  // A product of rounded operands may be added without being rounded first.
  double fused(double a, double b, double c) { return result(std::fma(operand(a), operand(b), stored(c))); }
  double times(double a, double b) { return result(stored(a) * stored(b)); }  // of anything else
  double sum(double a, double b) { return result(stored(a) + stored(b)); }
  double quotient(double a, double b) { return result(stored(a) / stored(b)); }
  double root(double a) { return result(std::sqrt(stored(a))); }

 private:
  const Words& words_;
  Random& r_;

  // To so many bits, or the spacing of subnormals; to nearest or to a random neighbour.
  double to_bits(double x, int bits, double least) {
    const double unit = std::ldexp(1, std::max(std::ilogb(std::max(std::abs(x), least)), std::ilogb(least)) + 1 - bits);
    const double q = x / unit;  // a power of two: exact
    if (words_.any) return unit * (r_.below(2) == 0 ? std::floor(q) : std::ceil(q));
    return unit * std::nearbyint(q);
  }
};

// One execution of a graph of binary32 numbers without conv nodes.
class GroupExecution {
 public:
  GroupExecution(const Structure& structure, const Words& words, Random& r)
      : structure_(structure), graph_(structure.graph), machine_(words, r), r_(r), values_(graph_.nodes.size()) {}

  // The values of the stored nodes.
  const std::vector<std::vector<double>>& run(const std::vector<double>& input) {
    choose_moved();
    for (std::uint32_t k = 0; k < graph_.nodes.size(); ++k) {
      const Node& node = graph_.nodes[k];
      if (node.kind == Kind::constant) values_[k] = node.payload;
      if (node.kind == Kind::input) values_[k] = input;
      if (node.kind == Kind::constant || node.kind == Kind::input || !structure_.stored[k]) continue;
      values_[k].resize(node.size);
      for (std::size_t i = 0; i < node.size; ++i)
        values_[k][i] = is_linear(node.kind) ? collapse(expand(k, i)) : piecewise(node, i);
    }
    return values_;
  }

 private:
  struct Term {  // factors[0] * factors[1] * ... * value
    std::vector<double> factors;
    double value = 0;
    bool contracts = false;  // value meets a factor in a contraction, which rounds both; or is added by one
  };
  using Terms = std::vector<Term>;

  const Structure& structure_;
  const Graph& graph_;
  Machine machine_;
  Random& r_;
  std::vector<std::vector<double>> values_;
  std::vector<std::size_t> moved_;     // per contraction: how many factors before it are moved
  std::vector<std::uint8_t> is_read_;  // inside a group, but read as a number since the factor behind it is moved
  std::map<std::pair<std::uint32_t, std::size_t>, double> numbers_;  // of those, one for all readers

  // The node that contraction k reads if so many factors before it are moved.
  std::uint32_t before_factors(std::uint32_t k, std::size_t moved) const {
    std::uint32_t o = graph_.nodes[k].operands[0];
    for (; moved > 0; o = graph_.nodes[o].operands[0]) moved -= graph_.nodes[o].kind != Kind::map;
    return o;
  }
  void choose_moved() {
    numbers_.clear();
    moved_.assign(graph_.nodes.size(), 0), is_read_.assign(graph_.nodes.size(), 0);
    for (std::uint32_t k = 0; k < graph_.nodes.size(); ++k) {
      if (structure_.movable[k].empty()) continue;
      moved_[k] = r_.below(structure_.movable[k].size() + 1);
      const std::uint32_t o = before_factors(k, moved_[k]);
      is_read_[o] = structure_.inside[o];
    }
  }
  double number(std::uint32_t o, std::size_t i) {
    if (!structure_.inside[o]) return values_[o][i];
    const auto known = numbers_.find({o, i});
    return known != numbers_.end() ? known->second : numbers_[{o, i}] = collapse(expand(o, i));
  }

  bool coin() { return r_.below(2) == 0; }

  double piecewise(const Node& node, std::size_t i) {
    const auto x = [&](std::size_t j) { return machine_.stored(values_[node.operands[0]][j]); };
    const auto constant = [&](std::size_t j) { return machine_.stored(node.payload[j]); };
    if (node.kind == Kind::relu) return machine_.stored(std::max(x(i), 0.0));
    if (node.kind == Kind::abs) return machine_.stored(std::abs(x(i)));
    if (node.kind == Kind::clip) return machine_.stored(std::min(std::max(x(i), constant(0)), constant(1)));
    if (node.kind == Kind::leaky) {
      const double z = x(i);
      return z < 0 ? machine_.times(node.payload[0], z) : machine_.stored(z);
    }
    const auto window = static_cast<std::size_t>(node.ints[0]);
    double most = x(i * window);
    for (std::size_t j = 1; j < window; ++j) most = std::max(most, x(i * window + j));
    return machine_.stored(most);
  }

  // One number of the terms.
  double collapse(Terms terms) {
    std::vector<double> parts;
    while (!terms.empty()) {
      std::swap(terms[r_.below(terms.size())], terms.back());
      Term t = std::move(terms.back());
      terms.pop_back();
      std::shuffle(t.factors.begin(), t.factors.end(), r_.engine);
      double product = t.value;
      if (t.factors.empty()) {
        product = t.contracts ? machine_.operand(product) : product;
      } else {
        // The value meets the product of some of the factors, the others come before or behind.
        const std::size_t folded = 1 + r_.below(t.factors.size());
        double weight = t.factors[0];
        for (std::size_t f = 1; f < folded; ++f) weight = machine_.times(weight, t.factors[f]);
        const bool before = coin();
        const auto others = [&] {
          for (std::size_t f = folded; f < t.factors.size(); ++f) product = machine_.times(product, t.factors[f]);
        };
        if (before) others();
        if (t.contracts && (before || folded == t.factors.size()) && !parts.empty() && coin()) {
          double& partner = parts[r_.below(parts.size())];
          partner = machine_.fused(weight, product, partner);
          continue;
        }
        product = t.contracts ? machine_.product(weight, product) : machine_.times(weight, product);
        if (!before) others();
      }
      parts.push_back(product);
    }
    while (parts.size() > 1) {
      std::swap(parts[r_.below(parts.size())], parts.back());
      const double last = parts.back();
      parts.pop_back();
      double& partner = parts[r_.below(parts.size())];
      partner = machine_.sum(partner, last);
    }
    return parts[0];
  }

  void multiply(Terms& terms, double factor) {
    if (coin()) {
      for (Term& t : terms) t.factors.push_back(factor);
    } else {
      terms = {{{factor}, collapse(std::move(terms))}};
    }
  }
  void divide(Terms& terms, double divisor) {
    if (coin()) return multiply(terms, machine_.quotient(1, divisor));
    terms = {{{}, machine_.quotient(collapse(std::move(terms)), divisor)}};
  }

  // Element i of an operand: terms of the group, or one stored number.
  Terms operand(std::uint32_t o, std::size_t i) {
    if (!structure_.inside[o] || is_read_[o]) return {{{}, number(o, i)}};
    Terms terms = expand(o, i);
    if (r_.below(3) == 0) return {{{}, collapse(std::move(terms))}};
    return terms;
  }

  // dense or reduce. Of the factors before it some are moved behind its sum or into its weights.
  Terms contraction(std::uint32_t k, std::size_t i) {
    const Node& node = graph_.nodes[k];
    const bool is_dense = node.kind == Kind::dense;
    const auto depth = static_cast<std::size_t>(node.ints[is_dense ? 1 : 0]);
    const std::size_t columns = is_dense ? static_cast<std::size_t>(node.ints[2]) : 1;
    std::vector<std::pair<Kind, double>> factors;
    Terms terms;
    for (std::size_t d = 0; d < depth; ++d) {
      std::uint32_t o = node.operands[0];
      std::size_t at = i / columns * depth + d;
      for (factors.clear(); factors.size() < moved_[k]; o = graph_.nodes[o].operands[0]) {
        const Node& before = graph_.nodes[o];
        if (before.kind == Kind::map) at = static_cast<std::size_t>(before.ints[at]);
        if (before.kind != Kind::map) factors.emplace_back(before.kind, before.payload[0]);
      }
      Term t{{}, number(o, at), true};
      if (is_dense) t.factors.push_back(node.payload[i % columns * depth + d]);
      terms.push_back(std::move(t));
    }
    for (const auto& [kind, factor] : factors) kind == Kind::divide ? divide(terms, factor) : multiply(terms, factor);
    if (!is_dense && node.ints[1 + i] != 1) divide(terms, static_cast<double>(node.ints[1 + i]));
    if (is_dense && node.ints[3] != 0) terms.push_back({{}, node.payload[columns * depth + i % columns]});
    return terms;
  }

  Terms batch_norm(const Node& node, std::size_t i) {
    const auto channels = static_cast<std::size_t>(node.ints[0]);
    const std::size_t q = i / static_cast<std::size_t>(node.ints[1]) % channels;
    const auto c = [&](std::size_t row) { return node.payload[row * channels + q]; };  // scale, shift, mean, var
    const double deviation = machine_.root(machine_.sum(c(3), node.payload[4 * channels]));
    Terms terms = operand(node.operands[0], i);
    if (coin()) {
      terms.push_back({{}, -c(2)});
      divide(terms, deviation);
      multiply(terms, c(0));
      terms.push_back({{}, c(1)});
      return terms;
    }
    const double factor =
        coin() ? machine_.quotient(c(0), deviation) : machine_.times(c(0), machine_.quotient(1, deviation));
    multiply(terms, factor);
    const double drop = machine_.times(c(2), factor);
    if (coin()) {
      terms.push_back({{}, machine_.sum(c(1), -drop)});
    } else {
      terms.push_back({{}, -drop}), terms.push_back({{}, c(1)});
    }
    return terms;
  }

  static void negate(Terms& terms) {
    for (Term& t : terms) (t.factors.empty() ? t.value : t.factors[0]) *= -1;
  }

  Terms expand(std::uint32_t k, std::size_t i) {
    const Node& node = graph_.nodes[k];
    if (is_contraction(node.kind)) return contraction(k, i);
    if (node.kind == Kind::bn) return batch_norm(node, i);
    std::size_t j = 0, at = node.kind == Kind::map ? static_cast<std::size_t>(node.ints[i]) : i;
    while (node.kind == Kind::map && at >= graph_.nodes[node.operands[j]].size)
      at -= graph_.nodes[node.operands[j++]].size;
    Terms terms = operand(node.operands[j], at);
    if (node.kind == Kind::neg) negate(terms);
    if (node.kind == Kind::shift) terms.push_back({{}, node.payload[i]});
    if (node.kind == Kind::scale) multiply(terms, node.payload[i]);
    if (node.kind == Kind::divide) divide(terms, node.payload[i]);
    if (node.kind != Kind::add) return terms;
    Terms others = operand(node.operands[1], i);
    if (node.ints[0] == 1) negate(others);
    terms.insert(terms.end(), others.begin(), others.end());
    return terms;
  }
};

}  // namespace proof_tools
