// Networks with one input and one output whose exact least output is known: they are piecewise linear in one variable,
// so every breakpoint can be followed in rationals.
#pragma once
#include "runtime/graph/property.hpp"
#include "test/bounds/support.hpp"

namespace outward::testing {

struct CurveNetwork {
  Graph graph;
  Rational least;  // over the box
  Box box;
};

// `layers` hidden relu layers of one to four neurons.
CurveNetwork random_curve_network(Random& random, int layers, double width);

// Unsafe: y <= threshold (or < if strict).
Property below(const CurveNetwork& s, const Rational& threshold, bool strict);

}  // namespace outward::testing
