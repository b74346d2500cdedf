// Binary32 executions that regroup whole sum groups, straight from certificates/FORMAT.md sections 3 and 5: one sum per
// element in a random bracketing, products fused into additions now and then, constant factors and batch norm as
// written, folded into the weights or spread over the terms, divisions as products with the reciprocal, factors moved
// behind the contraction that reads them. More freedom than one runtime takes.
#pragma once
#include <vector>

#include "runtime/graph/groups.hpp"
#include "test/bounds/support.hpp"

namespace outward::testing {

// The outputs. input: binary32 numbers. REQUIRES validate(graph) and the groups of that graph.
std::vector<double> evaluate_regrouped(const Graph& graph, const Groups& groups, const std::vector<double>& input,
                                       Random& random);

}  // namespace outward::testing
