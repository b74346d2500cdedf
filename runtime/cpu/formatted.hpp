// Execution of a graph in any number format, in a declared order and with a declared accumulator: what the network
// computes on such arithmetic, one correctly rounded operation after another. Slow: for looking, not for serving.
#pragma once
#include <memory>
#include <vector>

#include "formats/number_format.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

// How sums of products are computed; bias last.
enum class SumOrder {
  sequential,  // ((w0·x0 + w1·x1) + w2·x2) + …, every product and every addition rounded
  pairwise,    // products rounded, then the two halves of the list added, recursively (the first half is the longer)
  fused        // fma(w2, x2, fma(w1, x1, w0·x0)) …
};

struct FormattedRun {
  std::shared_ptr<const NumberFormat> format;       // of inputs, constants and node values
  std::shared_ptr<const NumberFormat> accumulator;  // of products and sums inside one node; null: `format`
  SumOrder order = SumOrder::sequential;
  Rounding rounding = Rounding::nearest_even;
};

struct FormattedResult {
  std::vector<std::vector<Integer>> nodes;  // codes of `format`, per node
  Flags flags;                              // of all operations together
  bool finite = true;                       // no NaN or infinity anywhere, in no partial sum either
};

// input: exact values of node 0, rounded into the format first, as constants are (flags of both are counted). With an
// accumulator, operands of dense, conv and reduce nodes are converted to it, and each output once back. Bounds that a
// Clip does not have take no part, except in the graph's own element type.
// Throws InputRefused when the format's family lacks an operation that the graph needs, ResourceError for a wrong
// number of inputs.
FormattedResult run_in_format(const Graph& graph, const std::vector<Rational>& input, const FormattedRun& how);

}  // namespace outward
