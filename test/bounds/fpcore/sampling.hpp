// Runs a Core at one point: every node in its format, correctly rounded, and over the reals to some hundred bits. The
// reference that the bounds of bounds/roundoff/fpcore are compared with; shares with them the graph only.
#pragma once
#include <random>
#include <vector>

#include "bounds/roundoff/fpcore/core.hpp"
#include "formats/elementary/enclosure.hpp"
#include "formats/exact.hpp"
#include "formats/value.hpp"

namespace outward::fpcore_test {

struct NodeValue {
  Value computed;
  Rational computed_number;
  Rational before;              // the operation on computed operands, exactly or (functions, roots) to 300 bits
  elementary::Enclosure exact;  // over the reals
};

// nullopt where some node has no finite value. Inputs: reals of the ranges.
std::optional<std::vector<NodeValue>> run(const fpcore::Core& core, const std::vector<Rational>& inputs);

// A lower bound of |computed - exact|.
Rational error_below(const NodeValue& value);

// A real in the range: near `centre` if given; otherwise near the ends, near powers of two, or anywhere. Mostly next to
// a tie of the format.
Rational random_input(const fpcore::Variable& variable, const Format& format, std::mt19937_64& random,
                      const double* centre = nullptr);

}  // namespace outward::fpcore_test
