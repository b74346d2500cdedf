// End-to-end bounds over a box by its parts: the box is halved where the bound is worst, since in a small part fewer
// neurons change sign. Assumes a graph and one arithmetic for all of it. Promises: for every input of the box the error
// of output j is at most bound[j], the greatest of the parts' bounds.
#pragma once
#include <vector>

#include "bounds/network.hpp"
#include "bounds/roundoff/adjoint.hpp"

namespace outward::roundoff {

// Ranges of exact values per node, by CROWN over the real numbers; empty for nodes that are not stored.
std::vector<Quantities> exact_ranges(const Network& net, const Box& box);

struct Parts {
  std::vector<double> bound;  // per output
  std::size_t count = 0;
};

// At most `count` parts, each analysed with at most `work` multiplications before activations.
Parts bound_by_parts(const Network& net, const Program& program, const Box& box, std::size_t count, double work);

}  // namespace outward::roundoff
