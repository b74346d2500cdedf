// Reference-order execution of a graph: certificates/FORMAT.md section 5 (fp32_sequential, fp64_sequential).
// Every operation is one IEEE 754 operation in the element type of the graph, round to nearest even, unfused.
// Functions (kind 17) are the correctly rounded ones.
// Assumes the default rounding mode and gradual underflow (the caller's environment), -ffp-contract=off.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/graph/graph.hpp"

namespace outward {

// input: one value per element of node 0; each must be a number of the element type (ResourceError if not, or if the
// count is wrong). Returns the values of the output node; NaN and infinity are passed on as they arise.
// If nodes is not null it receives the values of all nodes, so that a caller can refuse runs with a NaN or an infinity
// anywhere.
std::vector<double> run_reference(const Graph& graph, const std::vector<double>& input,
                                  std::vector<std::vector<double>>* nodes = nullptr);

// False if some node of the run has a NaN or an infinity (such a run is never safe, FORMAT.md section 5).
bool all_finite(const std::vector<std::vector<double>>& nodes);

}  // namespace outward
