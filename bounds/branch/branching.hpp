// What both ways of branching share: the queue, limits, progress, result.
#pragma once
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bounds/branch/split_guide.hpp"

namespace outward {

// Parts that wait to be bounded. Waiting has `bound` (of the enclosing part, scaled) and `part` (its index). The least
// bound comes first; when more than `most` wait, the greatest: what is nearly done makes room.
template <class Waiting>
class PartQueue {
 public:
  explicit PartQueue(std::size_t most) : most_(most) {}
  void add(Waiting w) { parts_.insert(std::move(w)); }
  Waiting take() {  // REQUIRES !empty()
    return std::move(parts_.extract(parts_.size() > most_ ? std::prev(parts_.end()) : parts_.begin()).value());
  }
  bool empty() const { return parts_.empty(); }
  std::size_t size() const { return parts_.size(); }
  double worst() const { return parts_.empty() ? 0.0 : parts_.begin()->bound; }

 private:
  struct Order {
    bool operator()(const Waiting& a, const Waiting& b) const {
      return a.bound != b.bound ? a.bound < b.bound : a.part < b.part;
    }
  };
  std::size_t most_;
  std::set<Waiting, Order> parts_;
};

struct BranchProgress {
  std::uint64_t done = 0, waiting = 0;  // parts
  double worst = 0;                     // least scaled bound of a waiting part
  double closed_share = 0;              // of the tree that is being grown
};

struct BranchOptions {
  unsigned threads = 2;
  std::uint64_t max_domains = 0;      // parts bounded at most; 0: no limit
  const SplitGuide* guide = nullptr;  // splits to make first
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
  double closed_share = 0;             // of the box, as ProofTree::closed_share; over all trees where there are several
  std::string reason;                  // not proved for another reason than a limit: why
};

}  // namespace outward
