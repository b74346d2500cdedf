// Sum groups and contraction geometry: see structure.hpp and FORMAT.md section 3.
#include "checker/kernel/structure.hpp"

#include <algorithm>

namespace outward_check {

std::array<std::int64_t, 19> conv_ints(const Node& node) {
  const std::vector<std::int64_t>& a = node.ints;
  if (node.kind != Kind::conv) {
    return {a[0], a[1], 1, 1, a[2], 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, a[3]};
  }
  std::array<std::int64_t, 19> ints;
  std::copy_n(a.begin(), ints.size(), ints.begin());
  return ints;
}

Site site(const Sites& sites, std::uint64_t s) {
  const auto& [B, C, H, Wd, M, kh, kw, sh, sw, pt, pl, pb, pr, dh, dw, g, OH, OW, bias] =
      sites.ints;
  const std::uint64_t plane = static_cast<std::uint64_t>(OH * OW);
  const std::uint64_t block = s / plane, group = block % static_cast<std::uint64_t>(g);
  return {block * sites.outputs * plane + s % plane, plane, group * sites.outputs};
}

void site_inputs(const Sites& sites, std::uint64_t s, std::int64_t* index) {
  const auto [B, C, H, Wd, M, kh, kw, sh, sw, pt, pl, pb, pr, dh, dw, g, OH, OW, bias] = sites.ints;
  const std::int64_t position = static_cast<std::int64_t>(s), plane = OH * OW;
  const std::int64_t first = position / plane * (C / g);  // channel of this image and group
  const std::int64_t top = position % plane / OW * sh - pt, left = position % OW * sw - pl;
  for (std::int64_t c = first; c < first + C / g; ++c) {
    for (std::int64_t ky = 0; ky < kh; ++ky) {
      const std::int64_t y = top + ky * dh;
      for (std::int64_t kx = 0; kx < kw; ++kx) {
        const std::int64_t x = left + kx * dw;
        const bool in_image = y >= 0 && y < H && x >= 0 && x < Wd;
        *index++ = in_image ? (c * H + y) * Wd + x : -1;
      }
    }
  }
}

namespace {

Sites sites_of(const Node& node) {
  Sites s;
  s.ints = conv_ints(node);
  const auto& [B, C, H, Wd, M, kh, kw, sh, sw, pt, pl, pb, pr, dh, dw, g, OH, OW, bias] = s.ints;
  s.count = static_cast<std::uint64_t>(B * g * OH * OW);
  s.inputs = static_cast<std::uint64_t>(C / g * kh * kw);
  s.outputs = static_cast<std::uint64_t>(M / g);
  s.weights = static_cast<std::uint64_t>(M) * s.inputs;
  s.has_bias = bias != 0;
  return s;
}

// The weights that are not 0 and an end, or nothing if they are more than one in eight.
std::vector<std::uint64_t> few_nonzero(const Node& node, std::uint64_t weights) {
  std::vector<std::uint64_t> few;
  for (std::uint64_t w = 0; w < weights; ++w) {
    if (node.payload[w] != 0) few.push_back(w);
    if (few.size() > weights / 8) return {};
  }
  return few.push_back(weights), few;
}

// Constant factors that a runtime may move behind the contraction that reads node k.
std::vector<double> movable_factors(const Graph& graph, std::uint32_t k) {
  std::vector<double> factors;
  for (;; k = graph.nodes[k].operands[0]) {
    const Node& node = graph.nodes[k];
    if (node.kind == Kind::map && node.operands.size() == 1) continue;
    if (node.kind != Kind::scale && node.kind != Kind::divide) return factors;
    const double first = node.payload[0];
    for (double c : node.payload)  // bit-identical: 0 and -0 differ
      if (c != first || __builtin_signbit(c) != __builtin_signbit(first)) return factors;
    factors.push_back(first);
  }
}

}  // namespace

Structure::Structure(const Graph& g) : graph(g), movable(g.nodes.size()), nonzero(g.nodes.size()) {
  const std::size_t count = g.nodes.size();
  stored.assign(count, 0), inside.assign(count, 0), members.resize(count), leaves.resize(count);
  terms.assign(count, 1), products.assign(count, 0), sites.resize(count), offsets.resize(count);
  std::vector<std::uint32_t> uses(count, 0), reader(count, 0), root(count, 0);
  ++uses[g.output];
  for (std::uint32_t q = 0; q < count; ++q) {
    for (std::uint32_t p : g.nodes[q].operands) ++uses[p], reader[p] = q;
  }
  for (std::uint32_t p = static_cast<std::uint32_t>(count); p-- > 0;) {
    const Kind kind = g.nodes[p].kind;
    const bool linear = is_linear(kind) && kind != Kind::constant;
    const Kind above = g.nodes[reader[p]].kind;
    const bool absorbed = linear && uses[p] == 1 && p != g.output && is_linear(above) &&
                          !is_contraction(above);
    inside[p] = absorbed;
    stored[p] = kind != Kind::constant && !absorbed;
    if (linear) root[p] = absorbed ? root[reader[p]] : p;
  }
  for (std::uint32_t q = 0; q < count; ++q) {
    const Node& node = g.nodes[q];
    if (!is_linear(node.kind) || node.kind == Kind::constant) continue;
    members[root[q]].push_back(q);
    std::uint64_t sum = 0, T = 0, Q = 0;
    for (std::uint32_t p : node.operands) {
      if (!inside[p] && stored[p]) leaves[root[q]].push_back(p);
      const std::uint64_t t = inside[p] ? terms[p] : 1;
      sum += t, T = std::max(T, t), Q = std::max(Q, inside[p] ? products[p] : 0);
    }
    switch (node.kind) {
      case Kind::dense:
      case Kind::conv:
        sites[q] = sites_of(node);
        if (node.kind == Kind::dense) nonzero[q] = few_nonzero(node, sites[q].weights);
        if (!nonzero[q].empty()) sites[q].nonzero = nonzero[q].data();
        multiplications += sites[q].count * sites[q].inputs * sites[q].outputs;
        T = sites[q].inputs + sites[q].has_bias, Q = 1;
        break;
      case Kind::reduce:
        T = static_cast<std::uint64_t>(node.ints[0]), Q = 0;
        for (std::uint64_t i = 0; i < node.size; ++i) Q = node.ints[1 + i] == 1 ? Q : 2;
        break;
      case Kind::bn: T += 2, Q += 6; break;
      case Kind::add: T = sum; break;
      case Kind::shift: T += 1; break;
      case Kind::scale: Q += 1; break;
      case Kind::divide: Q += 2; break;
      default: break;  // map, neg
    }
    if (is_contraction(node.kind)) movable[q] = movable_factors(g, node.operands[0]);
    T += 3 * movable[q].size();
    if (node.kind == Kind::map) {
      offsets[q].push_back(0);
      for (auto p : node.operands) offsets[q].push_back(offsets[q].back() + g.nodes[p].size);
    }
    terms[q] = T, products[q] = Q;
  }
}

}  // namespace outward_check
