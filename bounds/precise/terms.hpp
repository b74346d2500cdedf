// Which elements of its operands an element of a node reads. Assumes a valid graph.
#pragma once
#include <cstdint>
#include <utility>

#include "bounds/network.hpp"

namespace outward::precise {

// Calls f(weight, operand element) for every term of an output of a dense or conv node.
template <class F>
void for_each_term(const Node& node, std::size_t out, F f) {
  if (node.kind == Kind::dense) {
    const auto k = static_cast<std::size_t>(node.ints[1]), n = static_cast<std::size_t>(node.ints[2]);
    for (std::size_t i = 0; i < k; ++i) f(out % n * k + i, out / n * k + i);
    return;
  }
  const ConvGeometry g = conv_geometry(node);
  const auto o = static_cast<std::int64_t>(out);
  const std::int64_t column = o % g.ow, line = o / g.ow % g.oh, m = o / g.positions() % g.filters,
                     image = o / g.positions() / g.filters;
  const std::int64_t first = image * g.channels + m / g.group_filters() * g.group_channels();
  for (std::int64_t e = 0; e < g.window(); ++e) {
    const std::int64_t y = line * g.sh - g.pt + e / g.kw % g.kh * g.dh, x = column * g.sw - g.pl + e % g.kw * g.dw;
    if (y < 0 || y >= g.height || x < 0 || x >= g.width) continue;
    const std::int64_t plane = (first + e / (g.kh * g.kw)) * g.height * g.width;
    f(static_cast<std::size_t>(m * g.window() + e), static_cast<std::size_t>(plane + y * g.width + x));
  }
}

inline constexpr std::size_t no_bias = static_cast<std::size_t>(-1);
// Where the payload of a dense or conv node has the bias of an output; no_bias without one.
inline std::size_t bias_index(const Node& node, std::size_t out) {
  if (node.ints.back() == 0) return no_bias;
  if (node.kind == Kind::dense) {
    const auto n = static_cast<std::size_t>(node.ints[2]);
    return n * static_cast<std::size_t>(node.ints[1]) + out % n;
  }
  const ConvGeometry g = conv_geometry(node);
  const std::int64_t m = static_cast<std::int64_t>(out) / g.positions() % g.filters;
  return static_cast<std::size_t>(g.filters * g.window() + m);
}

// The channel of an element of a bn node.
inline std::size_t channel(const Node& node, std::size_t element) {
  return element / static_cast<std::size_t>(node.ints[1]) % static_cast<std::size_t>(node.ints[0]);
}

// The operand and element behind element i of a map node.
inline std::pair<std::uint32_t, std::size_t> source(const Graph& graph, const Node& node, std::size_t i) {
  auto at = static_cast<std::size_t>(node.ints[i]);
  std::size_t operand = 0;
  while (at >= graph.nodes[node.operands[operand]].size) at -= graph.nodes[node.operands[operand++]].size;
  return {node.operands[operand], at};
}

}  // namespace outward::precise
