// Ranges of pre-activations by α-CROWN (Xu et al. 2021): each undecided element is bounded below and above by lower
// slopes of its own, or shared by a few elements, improved by gradient steps. Every later bound of the box rests on
// them.
#pragma once
#include <cstdint>

#include "bounds/branch/branching.hpp"
#include "bounds/prove.hpp"

namespace outward {

struct TightenOptions {
  unsigned threads = 2;
  std::function<bool()> stop;  // throw Interrupted
  double seconds = 0;          // after these no further slopes are improved; 0: no clock, the same work everywhere
  int steps = 5;               // of each gradient ascent
  double most_work = 2e12;     // multiplications for one node; nodes that need more are left as they are
};

// One more sweep over the root's ranges. Reports its steps; the root's state, slopes and count are those after it.
// Throws Interrupted, and ResourceError if bounds cross.
void tighten_root(const Network& net, RootProof& root, const TightenOptions& options, ProofObserver& observer);

// The same, then every output bounded below and above with slopes of its own; bounds better than those of `output` are
// reported (FORMAT.md, claim `bound`) and replace them.
void tighten_outputs(const Network& net, RootProof& root, Range& output, const TightenOptions& options,
                     ProofObserver& observer);

}  // namespace outward
