// Branching on inputs: the box is halved along one input until every part is refuted, a counterexample is found or a
// limit is reached. For networks with few inputs. Parts are bounded independently, in rounds of a fixed number of
// parts, so that a run does not depend on the number of threads. DESIGN section 4.
#pragma once
#include <cstdint>

#include "bounds/branch/branching.hpp"
#include "bounds/branch/proof_tree.hpp"
#include "bounds/prove.hpp"

namespace outward {

// REQUIRES that tree holds one open part, the whole box. When proved, the tree is complete; slope ids count from 0.
BranchResult split_inputs(const Network& net, Semantics semantics, const RowTable& rows, std::uint32_t box,
                          const BranchOptions& options, ProofTree& tree);

}  // namespace outward
