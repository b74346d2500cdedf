// What both ways of branching share: limits, progress, result.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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
  // Called between rounds: a chance to search for counterexamples. True: one was found, branching ends.
  std::function<bool()> between;
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

}  // namespace outward
