#include "runtime/capsules/planner.hpp"

#include <algorithm>

#include "formats/error.hpp"

namespace outward {
namespace {

bool is_listed(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// A format that the graph's numbers are in.
bool fits_element(const NumericalPolicy& policy, ElementType element) {
  return policy.format == (element == ElementType::binary32 ? Format{8, 23, 127, Convention::ieee}
                                                            : Format{11, 52, 1023, Convention::ieee});
}

// Candidates for an operator in the order in which they are tried.
std::vector<const Capsule*> candidates(const std::string& op, const Profile& profile, const Registry& registry) {
  std::vector<const Capsule*> list;
  for (const Capsule& c : registry.capsules())
    if (c.op == op) list.push_back(&c);
  const auto rank = [&](const Capsule* c) {
    const auto named = std::find(profile.order.begin(), profile.order.end(), c->name);
    const auto provider = std::find(profile.providers.begin(), profile.providers.end(), c->provider);
    return std::pair(named - profile.order.begin(), provider - profile.providers.begin());
  };
  std::stable_sort(list.begin(), list.end(), [&](const Capsule* a, const Capsule* b) { return rank(a) < rank(b); });
  return list;
}

// By the profile itself: it has the record, or names it in its order.
bool is_named(const Capsule& c, const Profile& profile) {
  return is_listed(profile.order, c.name) || std::any_of(profile.capsules.begin(), profile.capsules.end(),
                                                         [&](const Capsule& own) { return own.name == c.name; });
}

// A fault of the record itself, whatever the graph and the profile are.
bool is_of_record(const Fault& fault) {
  constexpr Failure own[] = {Failure::contracts_misaligned, Failure::trust_beyond_evidence, Failure::missing_evidence,
                             Failure::record_not_allowed, Failure::record_faulty};
  return std::find(std::begin(own), std::end(own), fault.failure) != std::end(own);
}

// The text that the registry has under the digest: a record may be written in another order than record_text writes.
bool is_as_registered(const Capsule& c, const Registry& registry) {
  return std::any_of(registry.capsules().begin(), registry.capsules().end(), [&](const Capsule& known) {
    return known.sha256 == c.sha256 && record_text(known) == record_text(c);
  });
}

std::vector<LoweredGroup> lower(const std::vector<PlannedNode>& nodes, bool coalesced) {
  std::vector<LoweredGroup> groups;
  for (const PlannedNode& n : nodes) {
    if (coalesced && !groups.empty() && groups.back().capsule == n.capsule.name &&
        groups.back().nodes.back() + 1 == n.node)
      groups.back().nodes.push_back(n.node);
    else
      groups.push_back({n.capsule.name, {n.node}});
  }
  return groups;
}

Registry with_profile_capsules(const Profile& profile, const Registry& registry) {
  Registry own = registry;
  for (const Capsule& c : profile.capsules) own.replace(c);
  return own;
}

const char* disposition(Evidence e) {
  switch (e) {
    case Evidence::not_applicable:
      return "not applicable";
    case Evidence::boundary:
      return "trusted";
    case Evidence::test:
      return "tested";
    case Evidence::fuzz:
      return "fuzzed";
    case Evidence::guard:
      return "guarded";
    case Evidence::recheck:
      return "rechecked";
    case Evidence::exhaustive:
    case Evidence::proof:
      return "proved";
    default:
      return "missing";
  }
}

}  // namespace

const char* failure_text(Failure f) {
  static constexpr const char* names[] = {
      "operation-mismatch", "forward-unsupported", "contracts-misaligned", "trust-rejected", "trust-beyond-evidence",
      "provider-rejected",  "device-mismatch",     "format-mismatch",      "vjp-mismatch",   "missing-evidence",
      "evidence-rejected",  "record-not-allowed",  "record-faulty"};
  return names[static_cast<std::size_t>(f)];
}

std::vector<Obligation> obligations_of(const Capsule& c) {
  std::vector<Obligation> out;
  for (const Field f : all_fields)
    out.push_back({c.op, c.name, f, c.contract(f).claim, c.contract(f).evidence, disposition(c.contract(f).evidence)});
  return out;
}

std::vector<Fault> faults_of(const Capsule& c, const std::string& op, ElementType element, const Profile& profile,
                             const Registry& registry) {
  std::vector<Fault> out;
  const auto add = [&](Failure f, const std::string& text) { out.push_back({f, c.name, op, text}); };
  const OpRow* row = find_op(op);
  if (c.op != op || row == nullptr) add(Failure::operation_mismatch, "it runs " + c.op + ", the node is " + op);
  if (!c.forward) add(Failure::forward_unsupported, "it does not run forward");
  for (const std::string& m : misalignments(c)) add(Failure::contracts_misaligned, m);
  if (c.device != profile.device)
    add(Failure::device_mismatch, "it runs on " + c.device + ", the profile on " + profile.device);
  if (profile.preference == Preference::only && !is_listed(profile.providers, c.provider))
    add(Failure::provider_rejected, "the profile admits no provider " + c.provider);
  if (!fits_element(c.policy, element))
    add(Failure::format_mismatch, "it computes in " + format_text(c.policy.format) + ", the graph is in " +
                                      (element == ElementType::binary32 ? "binary32" : "binary64"));
  const bool random = row != nullptr && row->random;
  const bool trains = c.vjp == profile.vjp || (profile.vjp == VjpMode::tape && c.vjp == VjpMode::backend);
  if (profile.vjp != VjpMode::none && !random && !trains)
    add(Failure::vjp_mismatch,
        std::string("the profile trains with VJP mode ") + vjp_text(profile.vjp) + ", it has " + vjp_text(c.vjp));
  if (c.trust < profile.trust)
    add(Failure::trust_rejected, std::string("it is ") + trust_text(c.trust) + ", the profile admits " +
                                     trust_text(profile.trust) + " or stronger");
  if (const std::optional<Trust> most = supported_trust(c); most && c.trust > *most)
    add(Failure::trust_beyond_evidence,
        std::string("it is called ") + trust_text(c.trust) + " and its evidence supports only " + trust_text(*most));
  for (const Obligation& o : obligations_of(c)) {
    const std::string at = std::string("the ") + field_text(o.field) + " contract";
    if (o.evidence == Evidence::none) add(Failure::missing_evidence, at + " has no evidence");
    for (const std::string& f : unstated_evidence(c.contract(o.field))) add(Failure::missing_evidence, at + " " + f);
    const bool exempt = o.evidence == Evidence::not_applicable || o.evidence == Evidence::none;
    if (!exempt && std::find(profile.evidence.begin(), profile.evidence.end(), o.evidence) == profile.evidence.end())
      add(Failure::evidence_rejected,
          at + " rests on " + evidence_text(o.evidence) + ", which the profile does not admit");
  }
  for (const std::string& f : meaning_faults(c)) add(Failure::record_faulty, f);
  if (!registry.counts(c))
    add(Failure::record_not_allowed, "the record is not built in and its digest is on no allow-list: " + c.sha256);
  return out;
}

Trust counted_trust(const Capsule& c, const Registry& registry, std::string* why) {
  Profile any;
  any.device = c.device;
  any.trust = Trust::external;
  const std::vector<Fault> faults = faults_of(c, c.op, ElementType::binary32, any, registry);
  const auto first = std::find_if(faults.begin(), faults.end(), is_of_record);
  if (first == faults.end()) return c.trust;
  if (why) *why = first->text;
  return Trust::external;
}

Plan make_plan(const Graph& graph, const Profile& profile, const Registry& registry) {
  if (!profile.available) throw InputRefused(Blocker{"profile-unavailable", profile.name, profile.reason, "", "", ""});
  const Registry own = with_profile_capsules(profile, registry);
  Plan plan;
  plan.profile = profile;
  plan.element = graph.element;
  plan.graph = graph_digest(graph);
  std::vector<Blocker> blockers;
  std::vector<std::string> refused;
  for (const std::string& name : profile.order)
    if (own.find(name) == nullptr)
      blockers.push_back(
          {"unknown-capsule", profile.name, "the profile's order names a capsule without a record", "", name, ""});
  for (std::uint32_t k = 0; k < graph.nodes.size(); ++k) {
    const Kind kind = graph.nodes[k].kind;
    if (kind == Kind::input || kind == Kind::constant) continue;
    const std::string op = op_name(graph.nodes[k]);
    if (is_listed(refused, op)) continue;
    const Capsule* chosen = nullptr;
    std::string found;
    std::size_t elsewhere = 0;
    for (const Capsule* c : candidates(op, profile, own)) {
      const std::vector<Fault> faults = faults_of(*c, op, graph.element, profile, own);
      if (faults.empty()) {
        chosen = c;
        break;
      }
      if (c->device != profile.device) {
        ++elsewhere;
        continue;
      }
      // One fault of each sort: the contracts repeat each other.
      found += (found.empty() ? "" : "; ") + c->name + ": ";
      for (std::size_t i = 0; i < faults.size(); ++i)
        if (i == 0 || faults[i].failure != faults[i - 1].failure) found += (i ? ", " : "") + faults[i].text;
      // What the user says runs the operator is not exchanged for another kernel because its record is at fault, does
      // not count yet or says that it runs nothing forward.
      if (is_named(*c, profile) && (!c->forward || std::any_of(faults.begin(), faults.end(), is_of_record))) break;
    }
    if (elsewhere > 0)
      found += (found.empty() ? "" : "; ") + std::to_string(elsewhere) + " capsules run on other devices";
    if (chosen) {
      plan.nodes.push_back({k, op, *chosen});
      continue;
    }
    refused.push_back(op);
    blockers.push_back({"no-capsule", graph.nodes[k].origin,
                        "no admissible capsule for operator " + op + " on device " + profile.device,
                        profile_line(profile), found.empty() ? "no record of this operator" : found, ""});
  }
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
  plan.groups = lower(plan.nodes, profile.coalesced);
  return plan;
}

const Capsule* AcceptedPlan::capsule(std::uint32_t node) const {
  for (const PlannedNode& n : plan_.nodes)
    if (n.node == node) return &n.capsule;
  return nullptr;
}

Gate Gate::judge(const Plan& plan, const Graph& graph, const Registry& registry) {
  Gate gate;
  const Registry own = with_profile_capsules(plan.profile, registry);
  const auto fault = [&](Failure f, const std::string& capsule, const std::string& op, const std::string& text) {
    gate.faults.push_back({f, capsule, op, text});
  };
  if (plan.graph != graph_digest(graph) || plan.element != graph.element)
    fault(Failure::operation_mismatch, "", "", "the plan is for another graph");
  std::size_t next = 0;
  for (std::uint32_t k = 0; k < graph.nodes.size(); ++k) {
    const Kind kind = graph.nodes[k].kind;
    if (kind == Kind::input || kind == Kind::constant) continue;
    const std::string op = op_name(graph.nodes[k]);
    if (next == plan.nodes.size() || plan.nodes[next].node != k) {
      fault(Failure::operation_mismatch, "", op, "node " + std::to_string(k) + " is not planned");
      continue;
    }
    const PlannedNode& n = plan.nodes[next++];
    if (n.op != op) fault(Failure::operation_mismatch, n.capsule.name, op, "the plan calls the node " + n.op);
    if (!is_as_registered(n.capsule, own))
      fault(Failure::record_not_allowed, n.capsule.name, op, "the record was changed: its digest is another one");
    for (Fault& f : faults_of(n.capsule, op, graph.element, plan.profile, own)) gate.faults.push_back(std::move(f));
  }
  if (next != plan.nodes.size())
    fault(Failure::operation_mismatch, "", "", "the plan has nodes that the graph does not have");
  std::size_t lowered = 0;
  for (const LoweredGroup& g : plan.groups)
    for (const std::uint32_t k : g.nodes) {
      if (lowered >= plan.nodes.size() || plan.nodes[lowered].node != k ||
          plan.nodes[lowered].capsule.name != g.capsule)
        fault(Failure::operation_mismatch, g.capsule, "",
              "node " + std::to_string(k) + " is lowered by another capsule than planned");
      ++lowered;
    }
  if (lowered != plan.nodes.size()) fault(Failure::operation_mismatch, "", "", "not every node is lowered");
  if (!plan.profile.available)
    fault(Failure::provider_rejected, "", "", "the profile is not available: " + plan.profile.reason);
  if (gate.faults.empty()) gate.accepted = std::shared_ptr<const AcceptedPlan>(new AcceptedPlan(plan));
  return gate;
}

std::shared_ptr<const AcceptedPlan> accepted_plan(const Graph& graph, const Profile& profile,
                                                  const Registry& registry) {
  Gate gate = Gate::judge(make_plan(graph, profile, registry), graph, registry);
  if (gate.accepted) return gate.accepted;
  std::vector<Blocker> blockers;
  for (const Fault& f : gate.faults) blockers.push_back({failure_text(f.failure), f.capsule, f.text, "", "", ""});
  throw InputRefused(std::move(blockers));
}

Closure trust_closure(const std::vector<Capsule>& capsules) {
  Closure out;
  for (const Capsule& c : capsules) out.weakest = std::min(out.weakest, c.trust);
  const auto add = [](std::vector<std::string>& list, const std::string& item) {
    if (!item.empty() && !is_listed(list, item)) list.push_back(item);
  };
  for (const Capsule& c : capsules) {
    if (c.trust == out.weakest) add(out.weakest_names, c.name);
    add(out.assumptions, c.assumption);
    for (const std::string& r : c.requires_off) add(out.requires_off, r);
  }
  return out;
}

std::vector<std::string> plan_lines(const Plan& plan) {
  std::vector<std::string> lines = {profile_line(plan.profile)};
  std::vector<Capsule> used;
  std::string external;
  for (const PlannedNode& n : plan.nodes) {
    used.push_back(n.capsule);
    if (n.capsule.trust == Trust::external && external.find(n.op + " ") == std::string::npos) external += n.op + " ";
  }
  if (!external.empty()) external.pop_back();
  lines.push_back("trusted external boundary: " + (external.empty() ? "none" : external));
  for (const std::string& a : trust_closure(used).assumptions) lines.push_back("assumes: " + a);
  for (const std::string& r : trust_closure(used).requires_off) lines.push_back("must be off: " + r);
  for (const PlannedNode& n : plan.nodes) {
    const Capsule& c = n.capsule;
    lines.push_back("node " + std::to_string(n.node) + " " + n.op + ": " + c.name + " provider=" + c.provider +
                    " trust=" + trust_text(c.trust) + " vjp=" + vjp_text(c.vjp) + " policy=[" + policy_text(c.policy) +
                    "]");
    for (const Obligation& o : obligations_of(c))
      lines.push_back(std::string("  ") + field_text(o.field) + ": " + claim_text(o.claim) + "; " +
                      evidence_text(o.evidence) + " (" + o.disposition + ")");
  }
  if (plan.profile.coalesced) {
    for (const LoweredGroup& g : plan.groups) {
      if (g.nodes.size() < 2) continue;
      std::string ids;
      for (const std::uint32_t k : g.nodes) ids += (ids.empty() ? "" : ",") + std::to_string(k);
      lines.push_back("lowered together: nodes " + ids + " by " + g.capsule);
    }
  }
  return lines;
}

}  // namespace outward
