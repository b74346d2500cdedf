// The whole of one query: attack, proof, and the verdict. DESIGN sections 3 and 4.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bounds/prove.hpp"
#include "bounds/replay.hpp"

namespace outward {

enum class Verdict { holds, violated, unknown, bound };

struct VerifyOptions {
  Semantics semantics = Semantics::fp32_any;
  double timeout_seconds = 0;  // 0: none
  bool branch = true;
  std::size_t most_varying_inputs = 16;  // up to so many inputs are halved; with more of them, neurons are
  std::uint64_t max_domains = 0;         // parts bounded while branching, all boxes together; 0: no limit
  unsigned threads = 2;
  std::uint64_t seed = 1;
  bool attack = true;
  bool finite = false;  // under a float claim: an execution with an infinite or NaN output is unsafe, too
  Execution execution;  // under capsule: one that the plan allows, for counterexamples; none are looked for without it
  std::function<bool()> interrupted;                 // Ctrl-C
  std::function<bool()> memory_is_full;              // asked 20 times a second at most; true: end with what there is
  std::function<void(const std::string&)> progress;  // one short line per phase and box
};

struct PhaseTimes {
  double attack = 0, proof = 0, branch = 0;  // seconds
};

struct Outcome {
  Verdict verdict = Verdict::unknown;
  std::string reason;  // unknown: why, one line
  std::string next;    // unknown: what to try, one line
  std::optional<Counterexample> counterexample;
  std::string execution;            // violated under a float claim: "every execution" or "this order"
  bool violated_elsewhere = false;  // unknown, but the other semantics (float for real, real for float) is unsafe
  std::vector<BoxResult> boxes;     // what was proved of each box tried
  std::vector<char> box_tried;
  std::uint64_t domains = 0;     // parts bounded while branching
  std::string proof_lost;        // why the observer did not get the proof of a `holds` or an unfinished one as a whole
  std::string proof_in_memory;   // why the proof was kept in memory although it is long; empty if it was not
  std::uint64_t open_parts = 0;  // unknown: how many parts the incomplete proof leaves open; 0: there is no proof
  PhaseTimes seconds;
};

// Proof events of a `holds` or `bound` go to the observer, and those of an unfinished proof (Outcome::open_parts); for
// other verdicts, and if Outcome::proof_lost is not empty, whatever it got is no proof.
// Throws InputRefused when a box end overflows; an internal inconsistency becomes `unknown`.
Outcome verify_property(const Network& network, const Property& property, const VerifyOptions& options,
                        ProofObserver& observer);

}  // namespace outward
