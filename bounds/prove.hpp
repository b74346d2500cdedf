// One input box: ranges by IBP, then CROWN-IBP, then CROWN with every unstable pre-activation bounded backwards
// (adaptive lower slopes, then parallel ones; ranges are intersected), until all cases of the box are refuted or
// nothing is left to try. DESIGN section 4.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bounds/rows.hpp"
#include "bounds/sweep.hpp"
#include "formats/directed.hpp"
#include "runtime/graph/property.hpp"

namespace outward {

// FORMAT.md section 4 "Input range", outward in binary64. InputRefused if an end overflows the element type under a
// float claim.
Range input_range(const std::vector<InputRange>& box, Semantics semantics, ElementType element);

// What is known about one case of the box when proving ends.
struct CaseBound {
  std::uint32_t case_index = 0;
  bool refuted = false;
  double bound =
      -infinity;  // best lower bound of a row (scaled to integers, FORMAT.md section 4); refuted: > 0 or >= 0 if strict
  std::uint32_t row = 0;  // the row that gave it
};

struct BoxResult {
  std::vector<CaseBound> cases;
  Range output;          // enclosure of the outputs; empty if never computed
  std::string overflow;  // under a float claim: why nothing can be claimed; empty if fine
  bool interrupted = false;
  // For the open case with the least bound: how much of the gap is the error boxes of the float claim. Not rigorous,
  // for messages.
  double error_box_part = 0;
  bool proved() const {
    if (!overflow.empty() || cases.empty()) return false;
    for (const CaseBound& c : cases)
      if (!c.refuted) return false;
    return true;
  }
};

// A part of a box while branching on inputs.
struct Part {
  Range input;
  // Ranges of the nodes in an enclosing part whose steps are in the proof: they hold here too, and the checker has
  // them.
  std::shared_ptr<const std::vector<Range>> known;
  std::vector<std::uint32_t> open;  // cases still to be refuted
};

// What is cut off a part, one input after the other: beyond `at` the form that describes the part's open case is above
// its margin, with the part's own lines.
struct Clip {
  std::uint32_t input = 0;
  double at = 0;
  bool keep_lower = false;  // what is left is x <= at; else x >= at
};

struct PartResult {
  std::vector<CaseBound> cases;  // of part.open, in that order
  std::string overflow;
  std::vector<Range> ranges;  // of all nodes; empty unless some but not all cases were refuted, or clips are given
  // Of the open case with the least bound: that bound, scaled, and the plane below its form (inputs() coefficients).
  double worst = infinity;
  std::vector<double> plane;
  // The form: rows of a case and their multipliers, and the ids of the slopes of the bound.
  std::uint32_t case_index = 0;
  std::vector<std::uint32_t> rows, slopes;
  std::vector<double> multipliers;
  double bound = -infinity;  // of the form, not scaled
  std::vector<Clip> clips;   // only if one case is open
  std::vector<double> loss;  // per input: how much of what the relaxation loses there its width is to blame for, about
};

// What proving a box without branching ends with, for branching on neurons. The steps behind it are in the log.
struct RootProof {
  State state;
  std::vector<std::uint32_t> slope_ids;  // per node: of the last sweep, or no_slopes
  std::uint32_t slope_count = 0;         // ids used so far
};

struct ProveOptions {
  bool one_sweep = false;  // only the full adaptive sweep: plain CROWN, for comparisons
};

// A lower bound of an output as a certificate states it: the bound itself, relaxed a little, because the checker
// recomputes it with other roundings.
double claimable(double bound);

class BoxProver {
 public:
  BoxProver(const Network& net, Semantics semantics, EngineOptions options, ProveOptions how = {});

  // Ids of the next slopes reported by prove and enclose.
  void number_slopes_from(std::uint32_t id) { sweeper_.next_id = id; }

  // Proves box `index` of the property.
  // root (may be null) is set unless the box was proved or the run was interrupted.
  BoxResult prove(const RowTable& rows, std::uint32_t index, ProofObserver& observer,
                  std::optional<RootProof>* root = nullptr);

  // One full adaptive sweep over a part of a box; slope ids count from 0. Throws Interrupted.
  PartResult prove_part(const RowTable& rows, const Part& part, ProofObserver& observer);

  // Outputs bounds only (claim `bound`): tightest enclosure found, every bound reported to the observer.
  // root (may be null) is set unless the run was interrupted or a float claim overflows.
  BoxResult enclose(const Property& property, ProofObserver& observer, std::optional<RootProof>* root = nullptr);

  // Interval enclosure of the outputs for a box given directly (no certificate): used for points. Empty overflow:
  // valid.
  BoxResult interval_only(const Range& input);

 private:
  void explain_gap(const RowTable& rows, const State& state, BoxResult& result);
  std::vector<double> relaxation_loss(const State& state, const Forms& form);
  struct Attempt {
    double bound = -infinity;  // scaled
    std::uint32_t row = 0;
    std::vector<std::uint32_t> rows = {};  // of a sum
    std::vector<double> multipliers = {};
  };
  Attempt refute_by_row(const RowTable& rows, std::span<const double> bounds, CaseBound& c, bool branching,
                        std::span<const std::uint32_t> ids, ProofObserver& observer) const;
  Attempt refute_by_sum(const RowTable& rows, const State& state, const Planes& planes, std::size_t first, CaseBound& c,
                        std::span<const std::uint32_t> ids, ProofObserver& observer, Forms& form, Planes& sum_planes);
  void clip(const RowTable& rows, State& state, PartResult& part);
  void refute(const RowTable& rows, State& state, const std::vector<std::uint32_t>& slope_ids,
              std::vector<CaseBound>& cases, ProofObserver& observer, PartResult* part);

  const Network& net_;
  Semantics semantics_;
  ProveOptions how_;
  Sweeper sweeper_;
  State part_state_;
};

}  // namespace outward
