// Branch and bound over the box of inputs: the largest error bound of all parts. Assumes nothing. Promises: `bound`
// holds for every point of the whole box, whenever the search stops; the same result for the same effort (unless the
// time ends first).
#pragma once
#include <cstddef>
#include <vector>

#include "bounds/roundoff/fpcore/box.hpp"

namespace outward::fpcore {

struct Effort {
  std::size_t boxes = 30000;  // evaluations
  double seconds = 60;        // 0: no limit
  double tolerance = 1e-3;    // stop when the bound is within this of the bound at a point
};

enum class Objective { absolute, relative };

struct Optimum {
  double bound = infinity;
  double at_point = 0;      // the bound at the worst point found: no search can get below
  std::vector<Span> point;  // that point
  Span value;               // of the exact result, over the whole box
  std::size_t boxes = 0;    // evaluations
  bool converged = false;   // within the tolerance
  bool out_of_time = false;
  int failed = -1;  // with an infinite bound: a node without bound somewhere, and why
  const char* reason = "";
};

Optimum maximise(BoxAnalysis& analysis, const std::vector<Span>& box, Objective objective, const Effort& effort);

}  // namespace outward::fpcore
