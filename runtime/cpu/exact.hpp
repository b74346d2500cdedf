// Execution of a graph in exact arithmetic: the semantics `real`.
// Method: integers over one common denominator per node, so that no operation needs a greatest common divisor; square
// roots of batch normalisation and functions (kind 17) are enclosed. Assumes a valid graph; promises exact values or
// enclosures, never a rounding.
#pragma once
#include <optional>
#include <vector>

#include "formats/exact.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

// lo <= value <= hi; lo == hi when the value is known exactly.
struct ExactRange {
  Rational lo, hi;
};

// The outputs at a point, one per element of the output node. Enclosures are exact unless the path to the output holds
// an irrational number (bn, functions) or quotients with long denominators; then they are narrower than about 2^-200
// relative to the terms of the last sums. Throws ResourceError if the number of inputs is wrong, and naming the node
// where a function is not defined or a divisor may be zero.
std::vector<ExactRange> run_exact_ranges(const Graph& graph, const std::vector<Rational>& input);

// The same where every output is exact; nullopt if some output is only enclosed.
std::optional<std::vector<Rational>> run_exact(const Graph& graph, const std::vector<Rational>& input);

}  // namespace outward
