// Plans and the gate: which capsule runs each node of a graph, and whether a profile admits that. DESIGN section 6.
// Promises: the first admissible capsule in the declared order is chosen, or none and every reason is listed; nothing
// falls back silently to another device or provider; a plan can only be executed or relied on after the gate accepted
// it, and the gate judges it anew, whoever made it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/capsules/profile.hpp"
#include "runtime/capsules/record.hpp"
#include "runtime/capsules/registry.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

struct PlannedNode {
  std::uint32_t node = 0;
  std::string op;
  Capsule capsule;
};

// Nodes lowered together: neighbours that one capsule runs, each with its number, so that an audit still sees every
// one.
struct LoweredGroup {
  std::string capsule;
  std::vector<std::uint32_t> nodes;
};

struct Plan {
  Profile profile;
  ElementType element = ElementType::binary32;
  std::string graph;               // digest
  std::vector<PlannedNode> nodes;  // all but input and constants, in order
  std::vector<LoweredGroup> groups;
};

enum class Failure {
  operation_mismatch,
  forward_unsupported,
  contracts_misaligned,
  trust_rejected,         // weaker than the profile admits
  trust_beyond_evidence,  // labelled stronger than its evidence
  provider_rejected,
  device_mismatch,
  format_mismatch,
  vjp_mismatch,
  missing_evidence,
  evidence_rejected,   // a kind the profile does not admit
  record_not_allowed,  // not built in and not on the allow-list
  record_faulty        // its policy or assumption has no meaning (meaning_faults)
};
const char* failure_text(Failure f);

struct Obligation {
  std::string op, capsule;
  Field field = Field::shape;
  Claim claim = Claim::shape_safety;
  Evidence evidence = Evidence::none;
  std::string disposition;  // guarded, tested, fuzzed, trusted, proved, rechecked, not applicable, missing
};

struct Fault {
  Failure failure;
  std::string capsule, op, text;
};

// Everything that keeps a profile from running an operator of this element type with a capsule.
std::vector<Fault> faults_of(const Capsule& capsule, const std::string& op, ElementType element, const Profile& profile,
                             const Registry& registry);

std::vector<Obligation> obligations_of(const Capsule& capsule);

// The label of a record as far as it counts: external if the record is neither built in nor allowed, or is at fault in
// itself, whatever it calls itself. why: the first reason, if it is given and the label does not count.
Trust counted_trust(const Capsule& capsule, const Registry& registry, std::string* why = nullptr);

// Throws InputRefused: one blocker for every operator without an admissible capsule, which names each candidate of the
// profile's device with its faults, one of each sort, and counts those of other devices.
Plan make_plan(const Graph& graph, const Profile& profile, const Registry& registry);

// A plan that the gate accepted; only the gate makes one.
class AcceptedPlan {
 public:
  const Plan& plan() const { return plan_; }
  // nullptr for input and constants.
  const Capsule* capsule(std::uint32_t node) const;

 private:
  explicit AcceptedPlan(Plan plan) : plan_(std::move(plan)) {}
  friend struct Gate;
  Plan plan_;
};

struct Gate {
  std::vector<Fault> faults;  // empty iff accepted
  std::shared_ptr<const AcceptedPlan> accepted;
  static Gate judge(const Plan& plan, const Graph& graph, const Registry& registry);
};

// make_plan and the gate; throws InputRefused with every fault.
std::shared_ptr<const AcceptedPlan> accepted_plan(const Graph& graph, const Profile& profile, const Registry& registry);

// The weakest label of the plan's capsules (proved if it has none) and the names of those that have it.
struct Closure {
  Trust weakest = Trust::proved;
  std::vector<std::string> weakest_names;
  std::vector<std::string> assumptions;
  std::vector<std::string> requires_off;
};
Closure trust_closure(const std::vector<Capsule>& capsules);

// The lines `--show-plan` and `audit plan` print: the profile, external boundaries, then per node its capsule, policy
// and contracts.
std::vector<std::string> plan_lines(const Plan& plan);

}  // namespace outward
