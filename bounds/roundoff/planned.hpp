// The arithmetic of every node of a graph that runs through a plan of kernels, from the policies of their capsules.
// Assumes what a plan says: every node is run by its capsule and stored in the element type, unless a policy leaves the
// fusion of sums open.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bounds/roundoff/numerics.hpp"
#include "runtime/graph/graph.hpp"

namespace outward::roundoff {

struct PlannedArithmetic {
  std::vector<Arithmetic> arithmetics;  // each once
  std::vector<std::uint32_t> of_node;   // indices into it, for program_of
};

// policies, kernels (names, for messages): one per node, not looked at for the input and constants. A sum group with a
// policy of any order and fusion is one sum under a policy that covers those of all its members; elsewhere every node
// is on its own, and a policy that adds nothing up rounds once, in the order written. ulps: of elementary functions
// whose policy does not say. Throws InputRefused with every node whose policy has no formula, naming kernel and reason.
PlannedArithmetic arithmetics_of(const Graph& graph, const std::vector<NumericalPolicy>& policies,
                                 const std::vector<std::string>& kernels, double ulps);

}  // namespace outward::roundoff
