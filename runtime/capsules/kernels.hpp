// The kernels of this program behind one signature, and which capsule record each belongs to. Assumes graphs that
// validate() accepts. Promises: a kernel runs only for the record whose operator, provider and device are its own, and
// what this build cannot run is refused by name, never replaced.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "runtime/capsules/planner.hpp"
#include "runtime/capsules/record.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

// Runs a graph of one operator (one_node_graph) on the values of its input. Results are numbers of the record's format.
using KernelFunction = std::function<std::vector<double>(const Graph& graph, const std::vector<double>& input)>;

struct Kernel {
  std::string op, provider, device;
  KernelFunction run;
};

// The kernel of a record, bound: throws InputRefused if this build has none, the record says that it is not executable,
// or op, provider or device differ.
Kernel bind_kernel(const Capsule& capsule);
// What binding compares: throws InputRefused naming every difference.
void require_same_handler(const Kernel& kernel, const Capsule& capsule);

// The node alone behind an input that holds its operands one after the other: sizes of the operands in order.
Graph one_node_graph(const Node& node, const std::vector<std::uint64_t>& sizes, ElementType element);

// Executes a graph through an accepted plan, one kernel after another. input: numbers of the element type. Values of
// all nodes in nodes if it is not null. Throws InputRefused naming every capsule that cannot be executed here.
std::vector<double> run_plan(const Graph& graph, const AcceptedPlan& plan, const std::vector<double>& input,
                             std::vector<std::vector<double>>* nodes = nullptr);

}  // namespace outward
