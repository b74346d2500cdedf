// Branching on neurons: parts of a box are halved at breakpoints of piecewise-linear neurons and bounded by α-β-CROWN
// over the root's ranges. For networks with many inputs. Parts are bounded in rounds of fixed batches, so that a run
// does not depend on the number of threads.
#pragma once
#include <cstdint>

#include "bounds/branch/branching.hpp"
#include "bounds/branch/neuron_row.hpp"
#include "bounds/branch/proof_tree.hpp"
#include "bounds/prove.hpp"

namespace outward {

// Refutes one case of a box whose root was bounded before: `root` is what BoxProver::prove left, its steps are in the
// proof with slope ids below root.slope_count. REQUIRES that tree holds one open part, the whole box. When proved, the
// tree is complete.
BranchResult split_neurons(const Network& net, const RowTable& rows, const RootProof& root, std::uint32_t case_index,
                           const BranchOptions& options, ProofTree& tree);

}  // namespace outward
