// Proving a property along trees of splits that somebody else proposes, one per box: bounding without branching, then
// their splits, then our own below their leaves. No search for counterexamples.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bounds/branch/split_guide.hpp"
#include "bounds/observer.hpp"
#include "bounds/prove.hpp"

namespace outward {

struct GuidedOptions {
  Semantics semantics = Semantics::fp32_any;
  unsigned threads = 2;
  std::uint64_t max_domains = 0;  // parts bounded, all boxes together; 0: no limit
  std::function<bool()> stop;
};

struct GuidedResult {
  bool proved = false;
  std::uint64_t domains = 0;  // parts bounded while branching
  std::uint64_t splits = 0;   // in the proof
  std::string reason;         // not proved: why, one line
};

// guides[b] is for box b of the property: its splits are all of inputs (node 0) or all of neurons. When proved, the
// observer got the proof; otherwise nothing. Throws InputRefused when a box end overflows.
// REQUIRES guides.size() == property.boxes.size().
GuidedResult prove_along(const Network& net, const Property& property, const std::vector<SplitGuide>& guides,
                         const GuidedOptions& options, ProofObserver& observer);

}  // namespace outward
