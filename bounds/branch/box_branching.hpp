// Which way to branch on a box, and doing it.
#pragma once
#include "bounds/branch/box_proof.hpp"
#include "bounds/branch/branching.hpp"

namespace outward {

struct BoxPlan {
  std::size_t most_varying_inputs =
      16;                       // up to so many inputs are halved; with more than four times as many neurons are
  double trial_seconds = 10;    // in between: neurons and inputs, for so long each, to see which gets further
  double tighten_seconds = 10;  // where neurons are halved: improving slopes for the ranges before, for so long
};

std::size_t varying_inputs(const Property& property, std::uint32_t box);

// One tree of split neurons for each case that is open, the limit on parts shared by all; closes the box when all are
// proved. REQUIRES proof.root.
BranchResult branch_cases(const Network& net, const RowTable& rows, const std::vector<CaseBound>& cases,
                          const BranchOptions& options, BoxProof& proof);

// Proves what bounding without branching left of the box (`cases` of its result; proof.root if inputs are many).
// options.max_domains counts the parts of this box. When proved, the proof is complete.
BranchResult branch_box(const Network& net, Semantics semantics, const RowTable& rows, std::uint32_t box,
                        const std::vector<CaseBound>& cases, const BoxPlan& plan, const BranchOptions& options,
                        BoxProof& proof);

}  // namespace outward
