#include "test/cross/regrouped.hpp"

#include <algorithm>
#include <cmath>

namespace outward::testing {

namespace {

// factors[0] · factors[1] · … · value.
struct Term {
  std::vector<float> factors;
  float value = 0;
};
using Terms = std::vector<Term>;

class Execution {
 public:
  Execution(const Graph& graph, const Groups& groups, Random& random)
      : graph_(graph), groups_(groups), random_(random), values_(graph.nodes.size()) {}

  std::vector<double> run(const std::vector<double>& input) {
    for (std::uint32_t k = 0; k < graph_.nodes.size(); ++k) {
      const Node& node = graph_.nodes[k];
      if (!groups_.stored[k] && node.kind != Kind::constant) continue;
      values_[k].resize(node.size);
      for (std::size_t i = 0; i < node.size; ++i) {
        if (node.kind == Kind::input)
          values_[k][i] = static_cast<float>(input[i]);
        else if (node.kind == Kind::constant)
          values_[k][i] = static_cast<float>(node.payload[i]);
        else
          values_[k][i] = is_group_kind(node.kind) ? collapse(expand(k, i)) : piecewise(node, i);
      }
    }
    return {values_[graph_.output].begin(), values_[graph_.output].end()};
  }

 private:
  std::size_t roll(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool coin() { return roll(2) == 0; }
  float payload(const Node& node, std::size_t i) const { return static_cast<float>(node.payload[i]); }

  float piecewise(const Node& node, std::size_t i) const {
    const std::vector<float>& x = values_[node.operands[0]];
    switch (node.kind) {
      case Kind::relu:
        return std::max(x[i], 0.0f);
      case Kind::leaky:
        return x[i] >= 0 ? x[i] : payload(node, 0) * x[i];
      case Kind::clip:
        return std::min(std::max(x[i], payload(node, 0)), payload(node, 1));
      case Kind::abs:
        return std::fabs(x[i]);
      default: {
        const auto from = x.begin() + static_cast<std::ptrdiff_t>(i) * node.ints[0];
        return *std::max_element(from, from + node.ints[0]);
      }
    }
  }

  // One number from terms that meet nobody else first.
  float collapse(Terms terms) {
    float sum = 0;
    bool first = true;
    std::vector<float> parts;
    while (!terms.empty()) {
      std::swap(terms[roll(terms.size())], terms.back());
      Term t = std::move(terms.back());
      terms.pop_back();
      std::shuffle(t.factors.begin(), t.factors.end(), random_);
      // The value meets the product of a random part of the factors, then the others one by one.
      float product = t.value;
      if (!t.factors.empty()) {
        const std::size_t folded = 1 + roll(t.factors.size());
        float weight = t.factors[0];
        for (std::size_t f = 1; f < folded; ++f) weight *= t.factors[f];
        for (std::size_t f = folded; f < t.factors.size(); ++f) product *= t.factors[f];
        if (!parts.empty() && coin()) {
          float& partner = parts[roll(parts.size())];
          partner = std::fma(weight, product, partner);
          continue;
        }
        product *= weight;
      }
      parts.push_back(product);
      if (parts.size() > 1 && roll(3) == 0) {
        const float last = parts.back();
        parts.pop_back();
        parts[roll(parts.size())] += last;
      }
    }
    std::shuffle(parts.begin(), parts.end(), random_);
    for (float part : parts) {
      sum = first ? part : sum + part;
      first = false;
    }
    return sum;
  }

  // Element j of operand o of node k, as terms of the group or as one stored number.
  Terms operand(std::uint32_t k, std::uint32_t o, std::size_t j) {
    if (!inside_group(graph_, groups_, o, k)) return {{{}, values_[o][j]}};
    Terms terms = expand(o, j);
    if (roll(3) == 0) return {{{}, collapse(std::move(terms))}};
    return terms;
  }

  void multiply(Terms& terms, float factor) {
    if (coin()) {
      for (Term& t : terms) t.factors.push_back(factor);
    } else {
      const float whole = collapse(std::move(terms));
      terms = {{{factor}, whole}};
    }
  }

  void divide(Terms& terms, float divisor) {
    const float reciprocal = 1.0f / divisor;
    if (coin() && std::isfinite(reciprocal)) return multiply(terms, reciprocal);
    const float whole = collapse(std::move(terms));
    terms = {{{}, whole / divisor}};
  }

  // Element j of the operand of contraction k, before up to `moved` of its movable factors, which are put into factors.
  float before_factors(std::uint32_t k, std::size_t j, std::size_t moved, std::vector<float>& factors) {
    std::uint32_t o = graph_.nodes[k].operands[0];
    while (factors.size() < moved) {
      const Node& node = graph_.nodes[o];
      if (node.kind == Kind::map) {
        j = static_cast<std::size_t>(node.ints[j]);
      } else {
        const float c = payload(node, 0), reciprocal = 1.0f / c;
        if (node.kind == Kind::divide && !std::isfinite(reciprocal)) break;
        factors.push_back(node.kind == Kind::divide ? reciprocal : c);
      }
      o = node.operands[0];
    }
    if (groups_.stored[o] || graph_.nodes[o].kind == Kind::constant) return values_[o][j];
    return collapse(expand(o, j));
  }

  Terms contraction(std::uint32_t k, std::size_t i) {
    const Node& node = graph_.nodes[k];
    const auto& v = node.ints;
    std::vector<std::pair<std::size_t, float>> products;  // element, weight (1 for reduce)
    Terms bias;
    if (node.kind == Kind::reduce) {
      for (std::int64_t n = 0; n < v[0]; ++n) products.emplace_back(i * static_cast<std::size_t>(v[0]) + n, 1.0f);
    } else if (node.kind == Kind::dense) {
      const auto depth = static_cast<std::size_t>(v[1]), columns = static_cast<std::size_t>(v[2]);
      for (std::size_t n = 0; n < depth; ++n)
        products.emplace_back(i / columns * depth + n, payload(node, i % columns * depth + n));
      if (v[3] != 0) bias.push_back({{}, payload(node, columns * depth + i % columns)});
    } else {
      const std::int64_t C = v[1] / v[15], H = v[2], W = v[3], M = v[4], kh = v[5], kw = v[6], OH = v[16], OW = v[17];
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t ox = at % OW, oy = at / OW % OH, m = at / (OW * OH) % M, b = at / (OW * OH * M);
      for (std::int64_t n = 0; n < C * kh * kw; ++n) {
        const std::int64_t c = n / (kh * kw), ky = n / kw % kh, kx = n % kw;
        const std::int64_t iy = oy * v[7] - v[9] + ky * v[13], ix = ox * v[8] - v[10] + kx * v[14];
        if (iy < 0 || iy >= H || ix < 0 || ix >= W) continue;
        const std::int64_t channel = b * v[1] + m / (M / v[15]) * C + c;
        products.emplace_back(static_cast<std::size_t>((channel * H + iy) * W + ix),
                              payload(node, static_cast<std::size_t>(m * C * kh * kw + n)));
      }
      if (v[18] != 0) bias.push_back({{}, payload(node, static_cast<std::size_t>(M * C * kh * kw + m))});
    }
    // Factors move for all elements alike, onto the weights or behind the sum.
    const std::size_t moved = roll(groups_.factors[k].size() + 1);
    std::vector<float> factors;
    Terms terms;
    for (const auto& [j, w] : products) {
      factors.clear();
      const float value = moved == 0 ? values_[node.operands[0]][j] : before_factors(k, j, moved, factors);
      terms.push_back({{}, value});
      if (node.kind != Kind::reduce) terms.back().factors.push_back(w);
    }
    for (float factor : factors) multiply(terms, factor);
    terms.insert(terms.end(), bias.begin(), bias.end());
    if (node.kind == Kind::reduce && v[1 + i] != 1) divide(terms, static_cast<float>(v[1 + i]));
    return terms;
  }

  Terms normalised(const Node& node, std::size_t i, Terms terms) {
    const auto channels = static_cast<std::size_t>(node.ints[0]);
    const std::size_t q = i / static_cast<std::size_t>(node.ints[1]) % channels;
    const float scale = payload(node, q), shift = payload(node, channels + q), mean = payload(node, 2 * channels + q);
    const float root = std::sqrt(payload(node, 3 * channels + q) + payload(node, 4 * channels));
    const float a = coin() ? scale / root : scale * (1.0f / root);
    switch (roll(3)) {
      case 0: {  // as written
        terms.push_back({{}, -mean});
        const float centred = collapse(std::move(terms));
        terms = {{{scale}, centred / root}};
        break;
      }
      case 1:
        multiply(terms, a);
        terms.push_back({{}, shift - mean * a});
        return terms;
      default:
        terms.push_back({{}, -mean});
        multiply(terms, a);
    }
    terms.push_back({{}, shift});
    return terms;
  }

  Terms expand(std::uint32_t k, std::size_t i) {
    const Node& node = graph_.nodes[k];
    if (is_contraction(node.kind)) return contraction(k, i);
    if (node.kind == Kind::map) {
      auto j = static_cast<std::size_t>(node.ints[i]);
      for (std::uint32_t o : node.operands) {
        if (j < graph_.nodes[o].size) return operand(k, o, j);
        j -= graph_.nodes[o].size;
      }
    }
    Terms terms = operand(k, node.operands[0], i);
    switch (node.kind) {
      case Kind::bn:
        return normalised(node, i, std::move(terms));
      case Kind::add: {
        for (Term t : operand(k, node.operands[1], i)) {
          t.value = node.ints[0] != 0 ? -t.value : t.value;
          terms.push_back(std::move(t));
        }
        return terms;
      }
      case Kind::shift:
        terms.push_back({{}, payload(node, i)});
        return terms;
      case Kind::scale:
        multiply(terms, payload(node, i));
        return terms;
      case Kind::divide:
        divide(terms, payload(node, i));
        return terms;
      default:  // neg
        for (Term& t : terms) t.value = -t.value;
        return terms;
    }
  }

  const Graph& graph_;
  const Groups& groups_;
  Random& random_;
  std::vector<std::vector<float>> values_;
};

}  // namespace

std::vector<double> evaluate_regrouped(const Graph& graph, const Groups& groups, const std::vector<double>& input,
                                       Random& random) {
  return Execution(graph, groups, random).run(input);
}

}  // namespace outward::testing
