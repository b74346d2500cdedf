// Exact replay of a possible counterexample. Nothing an attack says is believed: the point becomes decimals inside the
// decimal box, the network is executed again in the semantics of the claim, and the rows are evaluated in rationals.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bounds/semantics.hpp"
#include "runtime/graph/graph.hpp"
#include "runtime/graph/property.hpp"

namespace outward {

struct Counterexample {
  std::uint32_t case_index = 0;
  std::vector<std::string> decimals;  // exact, inside the box of the case
  std::vector<double> executed;       // what the network receives under a float claim: fl(decimal)
  std::vector<double> outputs;  // of the reference execution (float claim) or nearest doubles of the exact outputs
  double margin = 0;            // least amount by which a row is true, >= 0; each row divided by row_scale
};

// Decimals of the box near x (x itself where it lies in the box and is a number of the element type); nullopt if an end
// of the box has no decimal form that could be used.
std::optional<std::vector<std::string>> decimals_near(const std::vector<double>& x, const std::vector<InputRange>& box,
                                                      ElementType element);

// The counterexample if the decimals make all rows of the case true. Under a float claim: in the reference order
// (FORMAT.md section 5), with every node finite. Under real: in exact arithmetic (nullopt if the outputs are
// irrational and `check` has rules for the graph, or the network is not defined there).
// execution: under capsule, the one to replay (fl(decimal) in; outputs back, and the values of all nodes); REQUIRED
// then. finite: an execution with an infinite or NaN output is a counterexample, too (its margin is infinite).
using Execution = std::function<std::vector<double>(const std::vector<double>&, std::vector<std::vector<double>>*)>;
std::optional<Counterexample> replay(const Graph& graph, const Property& property, std::uint32_t case_index,
                                     const std::vector<std::string>& decimals, Semantics semantics,
                                     const Execution& execution = {}, bool finite = false);

// The greatest absolute coefficient (1 if there is none): rows are integers with gcd 1, people read them divided by
// this.
double row_scale(const Row& row);

// Least and greatest value of a row over exact outputs lo <= y <= hi.
Rational row_lower(const Row& row, const std::vector<double>& lo, const std::vector<double>& hi);
Rational row_upper(const Row& row, const std::vector<double>& lo, const std::vector<double>& hi);

}  // namespace outward
