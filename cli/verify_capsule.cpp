#include "cli/verify_capsule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/common/profiles.hpp"
#include "runtime/capsules/execution.hpp"

namespace outward::cli {

namespace {

// Proves cases by running the ends of a box, and of halves of it.
class EndsProof {
 public:
  EndsProof(const PlannedQuery& planned, const Graph& graph, const Property& property)
      : planned_(planned), graph_(graph), property_(property), single_(graph.element == ElementType::binary32) {}

  // True if no case of the property can happen, by at most so many parts of each box. stop: asked for every part.
  bool run(std::uint64_t most_parts, const std::function<bool()>& stop) const {
    for (std::uint32_t b = 0; b < property_.boxes.size(); ++b) {
      Part root;
      for (const InputRange& r : property_.boxes[b]) {
        root.lo.push_back(single_ ? round_nearest_binary32(r.lo) : round_nearest(r.lo));
        root.hi.push_back(single_ ? round_nearest_binary32(r.hi) : round_nearest(r.hi));
      }
      std::vector<Part> open = {root};
      for (std::uint64_t parts = 0; !open.empty(); ++parts) {
        if (parts == most_parts || stop()) return false;
        const Part part = std::move(open.back());
        open.pop_back();
        std::vector<double> lower, upper;
        if (!ranges_under(graph_, planned_.policies, part.lo, part.hi, lower, upper)) return false;
        if (!refutes(b, lower, upper) && !halve(root, part, open)) return false;
      }
    }
    return true;
  }

 private:
  struct Part {
    std::vector<double> lo, hi;  // numbers of the element type: the network sees no others
  };

  bool refutes(std::uint32_t box, const std::vector<double>& lower, const std::vector<double>& upper) const {
    return std::all_of(property_.cases.begin(), property_.cases.end(), [&](const Case& c) {
      return c.box != box || std::any_of(c.rows.begin(), c.rows.end(), [&](const Row& row) {
               const Rational least = row_lower(row, lower, upper);
               return row.strict ? least >= 0 : least > 0;
             });
    });
  }

  // The input that is widest beside its whole range. False for a point.
  bool halve(const Part& root, const Part& part, std::vector<Part>& open) const {
    std::size_t widest = 0;
    double most = 0;
    for (std::size_t i = 0; i < part.lo.size(); ++i) {
      const double share = part.lo[i] == part.hi[i] ? 0 : (part.hi[i] - part.lo[i]) / (root.hi[i] - root.lo[i]);
      if (share > most) most = share, widest = i;
    }
    if (!(most > 0)) return false;
    double middle = part.lo[widest] / 2 + part.hi[widest] / 2;
    if (single_) middle = static_cast<float>(middle);
    if (middle >= part.hi[widest] || middle < part.lo[widest]) middle = part.lo[widest];
    Part low = part, high = part;
    low.hi[widest] = middle;
    high.lo[widest] = single_ ? std::nextafter(static_cast<float>(middle), std::numeric_limits<float>::infinity())
                              : std::nextafter(middle, infinity);
    open.push_back(std::move(high));
    open.push_back(std::move(low));
    return true;
  }

  const PlannedQuery& planned_;
  const Graph& graph_;
  const Property& property_;
  bool single_;
};

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
  if (!multiplies_rounded_factors(kernel.op)) common.operands.reset(), own->operands.reset();
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

bool proved_by_ends(const PlannedQuery& planned, const Model& model, const Property& property, std::uint64_t most_parts,
                    const std::function<bool()>& stop, Outcome& outcome, std::string& uncertified) {
  if (property.bound_only || property.vacuous) return false;
  if (!EndsProof(planned, model.graph, property).run(most_parts, stop)) return false;
  outcome.verdict = Verdict::holds;
  outcome.reason.clear();
  outcome.next.clear();
  outcome.open_parts = 0;
  outcome.violated_elsewhere = false;
  uncertified =
      "no certificate: proved by executing the plan at the ends of the box or of parts of it, in every order that it "
      "allows; `check` knows no such claim";
  return true;
}

void judge_planned(const PlannedQuery& planned, const Model& model, const Property& property, const Outcome& outcome,
                   CertificateText& certificate, std::string& uncertified) {
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
                           "several formats, narrower accumulators and blocks of tensor cores are not among them)";
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
