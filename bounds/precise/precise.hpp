// `verify --precision`: interval bounds and CROWN over the real numbers, computed in any number format with outward
// rounding. For looking at what a format does to bounds, and for bounds sharper than binary64; slow (every operation is
// one of formats/), so for small models.
//
// Promises: bounds contain every exact execution over the closed box; nothing is refuted by a number that was
// saturated, flushed or NaN; where every number of one format is one of another, the bounds in the second lie inside
// those in the first, both kinds (choices are made once, in binary64: plan.hpp). Weights are taken from the model
// exactly.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/number_format.hpp"
#include "runtime/graph/graph.hpp"
#include "runtime/graph/property.hpp"

namespace outward {

// Ends in the format; Kind::infinite where the format has none.
struct PreciseRange {
  ExactNumber lo, hi;
};

struct PreciseCase {
  std::uint32_t case_index = 0, row = 0;
  bool refuted = false;
  // The greatest lower bound of a row, and that row: each row divided by its greatest absolute coefficient.
  ExactNumber bound;
};

struct PreciseBox {
  std::vector<PreciseRange> intervals, linear;  // outputs: by intervals; backwards as well, never wider
  std::vector<PreciseCase> cases;               // of this box, in order
};

struct PreciseOptions {
  std::function<bool()> stop;  // asked before every backward pass
};

struct PreciseResult {
  std::vector<PreciseBox> boxes;  // one per box of the property; those not reached are empty
  bool stopped = false;
};

// Throws InputRefused when the format cannot hold the ends of intervals, and for kinds of nodes without a rule, all at
// once.
PreciseResult bound_in_format(const Graph& graph, const Property& property,
                              const std::shared_ptr<const NumberFormat>& format, const PreciseOptions& options);

// The greatest double not above, the least not below.
double double_below(const ExactNumber& x);
double double_above(const ExactNumber& x);

}  // namespace outward
