// `verify --precision`: interval bounds and CROWN over the real numbers or under a float claim (FORMAT.md section 3),
// computed in any number format with outward rounding. For looking at what a format does to bounds, and for bounds
// sharper than binary64; slow (every operation is one of formats/), so for small models.
//
// Promises: bounds contain every execution of the claim over the closed box; nothing is refuted by a number that was
// saturated, flushed or NaN; where every number of one format is one of another, the bounds in the second lie inside
// those in the first, both kinds, and with the same limit of parts it refutes what the first does (choices are made
// once, in binary64: plan.hpp, planning.hpp). Weights are taken from the model exactly.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bounds/semantics.hpp"
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
  // The greatest lower bound of a row over the whole box, and that row, each row divided by its greatest absolute
  // coefficient; or of a sum of them, with these weights.
  ExactNumber bound;
  std::vector<double> weights;
  bool branched = false;  // refuted in parts, not by the bound
};

struct PreciseBox {
  std::vector<PreciseRange> intervals, linear;  // outputs: by intervals; backwards as well, never wider
  std::vector<PreciseCase> cases;               // of this box, in order
  std::string overflow;  // under a float claim: why nothing is known of the whole box; empty if overflow is excluded
};

struct PreciseOptions {
  std::function<bool()> stop;  // asked before every backward pass
  Semantics semantics = Semantics::real;
  // Cases left open are branched on, one after the other, by halving inputs: so many parts in all. 0: none.
  std::uint64_t most_domains = 0;
  // Called with a case and a part in which it is not refuted. True: the case needs no further parts (it is unsafe).
  std::function<bool(std::uint32_t case_index, const std::vector<InputRange>& part)> open_part;
};

struct PreciseResult {
  std::vector<PreciseBox> boxes;  // one per box of the property; those not reached are empty
  bool stopped = false;
  std::uint64_t domains = 0;  // parts bounded while branching
};

// Throws InputRefused when the format cannot hold the ends of intervals, for boxes beyond the element type under a
// float claim, and for kinds of nodes without a rule, all at once. REQUIRES another semantics than capsule, of the
// element type of the graph.
PreciseResult bound_in_format(const Graph& graph, const Property& property,
                              const std::shared_ptr<const NumberFormat>& format, const PreciseOptions& options);

// The greatest double not above, the least not below.
double double_below(const ExactNumber& x);
double double_above(const ExactNumber& x);

}  // namespace outward
