// Branching on inputs: the box is halved along one input until every part is refuted, a counterexample is found or a
// limit is reached. For networks with few inputs. Parts are bounded independently, in rounds of a fixed number of
// parts, so that a run does not depend on the number of threads. DESIGN section 4.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "bounds/branch/proof_tree.hpp"
#include "bounds/prove.hpp"

namespace outward {

struct BranchProgress {
  std::uint64_t done = 0, waiting = 0;  // parts
  double worst = 0;                     // least scaled bound of a waiting part
};

struct BranchOptions {
  unsigned threads = 2;
  std::uint64_t max_domains = 0;  // parts bounded at most; 0: no limit
  std::function<bool()> stop;
  // Called between rounds, from one thread, with a point of the box that may be unsafe for the case. True: accepted.
  std::function<bool(std::uint32_t case_index, const std::vector<double>& x)> candidate;
  std::function<void(const BranchProgress&)> progress;
};

struct BranchResult {
  bool proved = false, found = false;  // found: a candidate was accepted
  bool exhausted = false;              // the limit on parts
  std::uint64_t domains = 0;           // parts bounded
  std::uint64_t waiting = 0;           // parts left
  double worst = 0;                    // least scaled bound of a part left
  std::string reason;                  // not proved for another reason than a limit: why
};

// REQUIRES that tree holds one open part, the whole box. When proved, the tree is complete; slope ids count from 0.
BranchResult split_inputs(const Network& net, Semantics semantics, const RowTable& rows, std::uint32_t box,
                          const BranchOptions& options, ProofTree& tree);

}  // namespace outward
