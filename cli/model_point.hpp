// The point that `model run` is asked about.
#pragma once
#include <vector>

#include "cli/model_commands.hpp"
#include "runtime/graph/graph.hpp"

namespace outward::cli {

// --input as values of the model's element type. Throws InputRefused.
std::vector<double> read_point(const ModelOptions& options, const Graph& graph);

}  // namespace outward::cli
