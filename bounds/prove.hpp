// One input box: ranges by IBP, then CROWN-IBP, then CROWN with every unstable pre-activation bounded backwards
// (adaptive lower slopes, then parallel ones; ranges are intersected), until all cases of the box are refuted or
// nothing is left to try. DESIGN section 4.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bounds/backward.hpp"
#include "bounds/observer.hpp"
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

struct ProveOptions {
  bool one_sweep = false;  // only the full adaptive sweep: plain CROWN, for comparisons
};

class BoxProver {
 public:
  BoxProver(const Network& net, Semantics semantics, EngineOptions options, ProveOptions how = {});

  // Proves box `index` of the property. next_slope_id counts through the certificate.
  BoxResult prove(const Property& property, std::uint32_t index, ProofObserver& observer);

  // Outputs bounds only (claim `bound`): tightest enclosure found, every bound reported to the observer.
  BoxResult enclose(const Property& property, ProofObserver& observer);

  // Interval enclosure of the outputs for a box given directly (no certificate): used for points. Empty overflow:
  // valid.
  BoxResult interval_only(const Range& input);

 private:
  // How one sweep over the network goes: refine = backward bounds of unstable pre-activations; parallel = choice of
  // lower slopes.
  struct Sweep {
    bool refine, parallel;
  };
  void run_sweep(State& state, ProofObserver& observer, Sweep sweep, std::vector<std::uint32_t>& slope_ids);
  void refine_node(State& state, std::uint32_t k, const std::vector<std::uint32_t>& slope_ids, ProofObserver& observer);
  std::vector<std::uint32_t> used_slopes(const std::vector<std::uint32_t>& slope_ids, std::uint32_t top) const;
  void explain_gap(const Property& property, const State& state, BoxResult& result);
  void refute(const Property& property, State& state, const std::vector<std::uint32_t>& slope_ids, BoxResult& result,
              ProofObserver& observer);

  const Network& net_;
  Semantics semantics_;
  ProveOptions how_;
  BackwardEngine engine_;
  std::uint32_t next_slope_id_ = 0;
};

}  // namespace outward
