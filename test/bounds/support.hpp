// Random canonical graphs of every kind, and an exact evaluator of our own to judge bounds by (rational arithmetic,
// straight from FORMAT.md section 1; shares nothing with runtime/cpu). Float executions in random order with random
// fusion likewise.
#pragma once
#include <random>
#include <vector>

#include "formats/exact.hpp"
#include "runtime/graph/graph.hpp"
#include "runtime/graph/property.hpp"

namespace outward::testing {

using Random = std::mt19937_64;

// A binary32 number of moderate size; sometimes 0, a power of two, or tiny.
double random_weight(Random& random);

// A graph with `layers` random linear blocks separated by random piecewise-linear nodes, residual additions now and
// then. Sizes stay below about 40 elements per node. bn is left out where exactness is needed.
Graph random_graph(Random& random, int layers, bool with_bn = false);

// All node values at a rational input, exactly. bn: REQUIRES none in the graph.
std::vector<std::vector<Rational>> evaluate_exactly(const Graph& graph, const std::vector<Rational>& input);

// All node values of one binary32 execution: every sum in a random bracketing, products fused into additions now and
// then. Inner nodes are computed as written (each linear node by itself). Input values must be binary32 numbers.
std::vector<std::vector<double>> evaluate_binary32(const Graph& graph, const std::vector<double>& input,
                                                   Random& random);

struct Box {
  std::vector<double> lo, hi;  // binary32 numbers
};
Box random_box(Random& random, std::size_t n, double width);
// A point of the box; corners and centre come up often. Always a binary32 number.
std::vector<double> random_point(Random& random, const Box& box);

// A VNN-LIB property with the box and no cases yet.
Property box_property(const Box& box, std::size_t outputs);

std::vector<Rational> exact_vector(const std::vector<double>& values);

// Whether all rows of a case are true at outputs y.
bool is_unsafe(const Case& unsafe, const std::vector<Rational>& y);

}  // namespace outward::testing
