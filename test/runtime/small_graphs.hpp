// Canonical graphs written by hand, node by node.
#pragma once
#include <utility>
#include <vector>

#include "runtime/graph/graph.hpp"

namespace outward::testing {

inline Node make(Kind kind, std::vector<std::uint32_t> operands, std::uint64_t size,
                 std::vector<std::int64_t> ints = {}, std::vector<double> payload = {}) {
  Node node;
  node.kind = kind;
  node.operands = std::move(operands);
  node.size = size;
  node.ints = std::move(ints);
  node.payload = std::move(payload);
  return node;
}

// The last node is the output. Not validated.
inline Graph graph_of(std::vector<Node> nodes, ElementType element = ElementType::binary32) {
  Graph graph;
  graph.element = element;
  graph.nodes = std::move(nodes);
  graph.output = static_cast<std::uint32_t>(graph.nodes.size() - 1);
  return graph;
}

}  // namespace outward::testing
