#include "cli/verify_capsule.hpp"

#include <algorithm>

#include "cli/common/profiles.hpp"
#include "runtime/capsules/execution.hpp"

namespace outward::cli {

namespace {

// True if no case of the property can happen in the ranges of the outputs that the ends of its box give.
bool proved_by_ends(const PlannedQuery& planned, const Graph& graph, const Property& property) {
  const bool single = graph.element == ElementType::binary32;
  std::vector<std::vector<double>> lower(property.boxes.size()), upper(property.boxes.size());
  for (std::size_t b = 0; b < property.boxes.size(); ++b) {
    std::vector<double> lo, hi;
    for (const InputRange& r : property.boxes[b]) {
      lo.push_back(single ? round_nearest_binary32(r.lo) : round_nearest(r.lo));
      hi.push_back(single ? round_nearest_binary32(r.hi) : round_nearest(r.hi));
    }
    if (!ranges_under(graph, planned.policies, lo, hi, lower[b], upper[b])) return false;
  }
  return std::all_of(property.cases.begin(), property.cases.end(), [&](const Case& c) {
    return std::any_of(c.rows.begin(), c.rows.end(), [&](const Row& row) {
      const Rational least = row_lower(row, lower[c.box], upper[c.box]);
      return row.strict ? least >= 0 : least > 0;
    });
  });
}

// Each once, in the order of the nodes.
std::vector<Capsule> capsules_of(const Plan& plan) {
  std::vector<Capsule> used;
  for (const PlannedNode& n : plan.nodes)
    if (std::none_of(used.begin(), used.end(), [&](const Capsule& c) { return c.name == n.capsule.name; }))
      used.push_back(n.capsule);
  return used;
}

// Whether one policy for all kernels rounds operands, flushes or rounds as this kernel does not. Orders of sums have
// nearly the same boxes.
bool allows_more(NumericalPolicy common, const Capsule& kernel) {
  std::optional<NumericalPolicy> own = common_policy(std::span(&kernel.policy, 1), common.format);
  if (!own) return true;
  const bool contracts = kernel.op == "dense" || kernel.op == "conv" || kernel.op == "reduce";
  if (!contracts) common.operands.reset(), own->operands.reset();
  return *own != common;
}

}  // namespace

PlannedQuery plan_query(const Options& o, const Model& model) {
  PlannedQuery q;
  q.plan = accepted_plan(model.graph, profile_of(o.profile), registry_of({o.records, o.allow}));
  q.policies.resize(model.graph.nodes.size());
  q.covered = true;
  bool followed = true;
  for (const PlannedNode& n : q.plan->plan().nodes) {
    q.policies[n.node] = n.capsule.policy;
    q.covered = q.covered && covered_by_any(n.capsule.policy);
    followed = followed && cannot_execute(n.capsule.policy, model.graph.element).empty();
  }
  const bool single = model.graph.element == ElementType::binary32;
  if (q.covered) {
    q.claimed.semantics = single ? "fp32_any" : "fp64_any";
  } else {
    std::vector<NumericalPolicy> used;
    for (const PlannedNode& n : q.plan->plan().nodes) used.push_back(n.capsule.policy);
    q.common =
        common_policy(used, single ? Format{8, 23, 127, Convention::ieee} : Format{11, 52, 1023, Convention::ieee});
  }
  if (q.common) {
    q.claimed.semantics = "capsule";
    q.claimed.format = format_text(q.common->format);
    if (q.common->operands) q.claimed.format += " operands=" + format_text(*q.common->operands);
    q.claimed.rounding = q.common->rounding == Rounding::nearest_even ? "nearest_even" : "any";
    q.claimed.subnormals = subnormals_text(q.common->subnormals);
  }
  if (followed)
    q.execution = [&graph = model.graph, policies = q.policies](const std::vector<double>& input,
                                                                std::vector<std::vector<double>>* nodes) {
      return run_under(graph, policies, input, nodes);
    };
  q.bounded = q.policies;
  if (!q.common || o.certificate.empty() || !is_certifiable(model.graph)) return q;
  q.bounded.assign(q.policies.size(), *q.common);
  for (const PlannedNode& n : q.plan->plan().nodes) q.weakened = q.weakened || allows_more(*q.common, n.capsule);
  return q;
}

void judge_planned(const PlannedQuery& planned, const Model& model, const Property& property, Outcome& outcome,
                   CertificateText& certificate, std::string& uncertified) {
  const bool open = outcome.verdict == Verdict::unknown && !property.bound_only && !property.vacuous;
  if (open && proved_by_ends(planned, model.graph, property)) {
    outcome.verdict = Verdict::holds;
    outcome.reason.clear();
    outcome.next.clear();
    outcome.open_parts = 0;
    outcome.violated_elsewhere = false;
    certificate = CertificateText();
    uncertified =
        "no certificate: proved by executing the plan at the ends of the box, which leaves it no choice; "
        "`check` knows no such claim";
    return;
  }
  if (certificate.empty()) return;
  const bool violated = outcome.verdict == Verdict::violated;
  bool acceptable = planned.covered || (planned.common && !violated);
  if (acceptable && violated)  // the checker replays the reference order
    acceptable = replay(model.graph, property, outcome.counterexample->case_index, outcome.counterexample->decimals,
                        model.graph.element == ElementType::binary32 ? Semantics::fp32_any : Semantics::fp64_any)
                     .has_value();
  if (acceptable) {
    uncertified = "the certificate claims " + planned.claimed.semantics;
    if (planned.common) uncertified += " (" + policy_text(*planned.common) + " for all kernels)";
    uncertified += ", which covers every policy of the plan, and names the records, which `check --trust DIR` looks at";
    if (planned.common)
      uncertified += "; `check --semantics capsule --under '" + policy_text(*planned.common) + "'` asks for that claim";
    return;
  }
  certificate = CertificateText();
  uncertified = violated ? "no certificate: the counterexample is unsafe in an order of the plan, not in the "
                           "reference order that `check` replays"
                         : "no certificate: no claim that `check` knows covers every policy of the plan (operands of "
                           "several formats, accumulators and blocks of tensor cores are not among them)";
}

void name_capsules(const AcceptedPlan& accepted, CertificateWriter& to) {
  std::vector<std::string> names, digests;
  for (const Capsule& c : capsules_of(accepted.plan())) {
    names.push_back(c.name);
    digests.push_back(c.sha256);
  }
  to.capsules(accepted.plan().profile.name, names, digests);
}

std::vector<std::string> summary_lines(const AcceptedPlan& accepted) {
  const Plan& plan = accepted.plan();
  const std::vector<Capsule> used = capsules_of(plan);
  const Closure closure = trust_closure(used);
  std::vector<std::string> lines = {"plan: " + profile_line(plan.profile),
                                    std::string("weakest label: ") + trust_text(closure.weakest)};
  for (const std::string& a : closure.assumptions) lines.push_back("assumes: " + a);
  for (const std::string& r : closure.requires_off) lines.push_back("must be off: " + r);
  for (const Capsule& c : used) lines.push_back("rests on: " + c.name + " [" + policy_text(c.policy) + "] " + c.sha256);
  return lines;
}

}  // namespace outward::cli
