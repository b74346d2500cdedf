// The graph digest of certificates/FORMAT.md section 1.
// Assumes: a graph that validate() accepts. Promises: the digest depends on nothing but what section 1 lists.
#include <bit>

#include "runtime/graph/graph.hpp"
#include "runtime/graph/sha256.hpp"

namespace outward {

std::string graph_digest(const Graph& graph) {
  const bool single = graph.element == ElementType::binary32;
  Sha256 hash;
  hash.bytes("outward-graph-1\n", 16);
  hash.word(single ? 32 : 64);
  hash.word(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    hash.word(static_cast<std::uint64_t>(node.kind));
    hash.word(node.operands.size());
    for (std::uint32_t operand : node.operands) hash.word(operand);
    hash.word(node.size);
    hash.word(node.ints.size());
    for (std::int64_t value : node.ints) hash.word(static_cast<std::uint64_t>(value));
    hash.word(node.payload.size());
    for (double value : node.payload) {
      if (single)
        hash.word(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4);
      else
        hash.word(std::bit_cast<std::uint64_t>(value));
    }
  }
  hash.word(graph.output);
  return hash.hex();
}

}  // namespace outward
