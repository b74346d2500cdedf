// Search for counterexamples: centre, a few corners, then gradient-sign descent (PGD; Madry et al. 2018) from random
// points. Not rigorous; what it finds is replayed by bounds/replay. Deterministic for a seed and a number of rounds.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "bounds/rows.hpp"
#include "runtime/cpu/fast.hpp"
#include "runtime/graph/property.hpp"

namespace outward {

struct AttackOptions {
  std::uint64_t seed = 1;
  int restarts = 1;  // random starting batches per box, after the batch with centre and corners
  int steps = 30;
  std::size_t most_points = 64;  // in one batch: bounds the time between two polls of stop
  std::function<bool()> stop;    // polled between steps
};

// Called with a point (inputs() values inside the binary64 box) that looks unsafe for the case. True: accepted, the
// search ends.
using CandidateSink = std::function<bool(std::uint32_t case_index, const std::vector<double>& x)>;

// True if the sink accepted a candidate.
bool attack(FastNetwork& network, const RowTable& rows, const std::vector<char>& case_open,
            const AttackOptions& options, const CandidateSink& sink);

}  // namespace outward
