// Leaves out of a proof what nothing later rests on: ranges that are narrowed further before anything reads them, and
// refutations of cases that are refuted already. Like dead stores of a compiler: the proof is read backwards and each
// range end is live from where it is read back to where it was written.
#pragma once
#include "bounds/branch/proof_outline.hpp"
#include "bounds/network.hpp"

namespace outward {

struct TrimCounts {
  std::uint64_t steps = 0, ends = 0;  // steps left out; range ends left out of steps that stay
  std::uint64_t refutations = 0;
};

// Shortens the logs. REQUIRES of them what the prover promises: a backward step names the ends that it narrows, and no
// others. What stays computes the same ranges at every place where they are read, rounding apart.
TrimCounts trim_steps(const Network& net, const Outline& outline);

}  // namespace outward
