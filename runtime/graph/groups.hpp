// Sum groups and stored nodes of a graph: certificates/FORMAT.md section 3.
// Everything that depends on the graph alone is here; P, S and δ depend on ranges and belong to bounds/.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/graph/graph.hpp"

namespace outward {

// One entry per node of the graph in each vector.
struct Groups {
  std::vector<bool> stored;              // has a range; never true for a const node
  std::vector<std::uint32_t> root;       // the root of the group a linear node lies in; every other node: itself
  std::vector<std::uint32_t> uses;       // operand slots that read the node, plus one if it is the output
  std::vector<std::uint64_t> terms;      // T of a linear node inside its group; 1 for leaves of any kind
  std::vector<std::uint64_t> roundings;  // Q likewise; 0 for leaves of any kind
  std::vector<std::vector<double>> factors;  // the movable factors of a contraction, f of them; empty otherwise

  // N = T + Q at the root of a group, 0 if the group rounds nothing and at nodes that are no linear root.
  std::vector<std::uint64_t> total;
};

bool is_contraction(Kind kind);

// Kinds 2 to 11: the members of sum groups. const is linear in the words of section 3 but never inside a group.
bool is_group_kind(Kind kind);

// REQUIRES validate(graph). Time linear in nodes, operands and payload.
Groups find_groups(const Graph& graph);

// True if the edge operand -> reader of the graph lies inside a group.
bool inside_group(const Graph& graph, const Groups& groups, std::uint32_t operand, std::uint32_t reader);

}  // namespace outward
