// `audit plan` and `audit certificate`; see audit_commands.hpp.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/audit_commands.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/common/shapes.hpp"
#include "importers/onnx/onnx.hpp"
#include "runtime/capsules/json.hpp"

namespace outward::cli {
namespace {

using PlanJson = nlohmann::ordered_json;

std::vector<Capsule> capsules_of(const Plan& plan) {
  std::vector<Capsule> out;
  for (const PlannedNode& n : plan.nodes)
    if (std::none_of(out.begin(), out.end(), [&](const Capsule& c) { return c.name == n.capsule.name; }))
      out.push_back(n.capsule);
  return out;
}

PlanJson closure_json(const std::vector<Capsule>& capsules) {
  const Closure c = trust_closure(capsules);
  return {{"weakest", trust_text(c.weakest)},
          {"weakest_capsules", c.weakest_names},
          {"assumptions", c.assumptions},
          {"requires_off", c.requires_off}};
}

PlanJson node_json(const PlannedNode& n) {
  PlanJson contracts = PlanJson::array();
  for (const Obligation& o : obligations_of(n.capsule))
    contracts.push_back({{"contract", field_text(o.field)},
                         {"claim", claim_text(o.claim)},
                         {"evidence", evidence_text(o.evidence)},
                         {"disposition", o.disposition}});
  return {{"node", n.node},
          {"op", n.op},
          {"capsule", n.capsule.name},
          {"sha256", n.capsule.sha256},
          {"provider", n.capsule.provider},
          {"trust", trust_text(n.capsule.trust)},
          {"policy", policy_text(n.capsule.policy)},
          {"covered_by_any", covered_by_any(n.capsule.policy)},
          {"contracts", contracts}};
}

std::vector<Finding> plan_findings(const Plan& plan) {
  std::vector<Finding> out;
  for (const PlannedNode& n : plan.nodes)
    out.push_back(
        {"planned-node", "node " + std::to_string(n.node),
         n.op + " by " + n.capsule.name + ", " + trust_text(n.capsule.trust) + ", " + policy_text(n.capsule.policy),
         true});
  return out;
}

// What would have to be done for a stronger weakest label.
std::vector<std::string> what_would_raise(const std::vector<Capsule>& capsules) {
  std::vector<std::string> out;
  const Closure closure = trust_closure(capsules);
  for (const Capsule& c : capsules) {
    if (c.trust != closure.weakest || c.trust == Trust::proved) continue;
    std::string fields;
    for (const Field f : all_fields) {
      const std::optional<Trust> s = strength(c.contract(f).evidence);
      if (s && *s == c.trust)
        fields += std::string(fields.empty() ? "" : ", ") + field_text(f) + " (" +
                  evidence_text(c.contract(f).evidence) + ")";
    }
    out.push_back(c.name + ": stronger evidence than " + trust_text(c.trust) + " for " +
                  (fields.empty() ? "its label" : fields));
  }
  return out;
}

// What a certificate says before its proof begins.
struct CertificateHead {
  std::string claim, semantics, graph, sha256;
  NumericalPolicy claimed;                                   // of a float claim
  std::vector<std::pair<std::string, std::string>> records;  // name and digest of the capsule records that it names
};

CertificateHead head_of(const std::string& path) {
  const std::string text = file_text(path);
  CertificateHead head;
  head.sha256 = sha256_hex(text.data(), text.size());
  const auto lines = record_lines(text);
  const auto refuse = [&](const std::string& found) {
    throw InputRefused(Blocker{"no-certificate", path, "this is no certificate of FORMAT.md section 7", "", found, ""});
  };
  if (lines.size() < 4) refuse(std::to_string(lines.size()) + " records");
  const auto member = [&](std::size_t i, const std::string& key) -> std::string {
    const JsonValue v = parse_json(lines[i].second, path, lines[i].first);
    for (const auto& [name, value] : v.members)
      if (name == key) return value.text;
    refuse("line " + std::to_string(i + 1) + " without \"" + key + "\"");
    return "";
  };
  if (member(0, "record") != "header" || member(0, "format") != "outward-certificate") refuse("another first record");
  if (member(1, "record") != "model") refuse("another second record");
  if (member(3, "record") != "numerics") refuse("another fourth record");
  head.claim = member(0, "claim");
  head.semantics = member(0, "semantics");
  head.graph = member(1, "graph");
  // A claim is what its semantics says; words that the semantics does not have are no other claim.
  const std::string format = member(3, "format"), rounding = member(3, "rounding"), flush = member(3, "subnormals"),
                    sums = member(3, "order") + " " + member(3, "fusion");
  const bool gradual = rounding == "nearest_even" && flush == "gradual" && sums == "any any";
  const bool fits = head.semantics == "real"
                        ? format == "real" && rounding == "exact" && flush == "exact" && sums == "exact exact"
                    : head.semantics == "fp32_any" ? format == "binary32" && gradual
                    : head.semantics == "fp64_any"
                        ? format == "binary64" && gradual
                        : head.semantics == "capsule" && (rounding == "any" || rounding == "nearest_even") &&
                              (flush == "flush" || flush == "gradual") && sums == "any any";
  if (!fits) refuse("semantics " + head.semantics + " of " + format + " " + rounding + " " + flush + " " + sums);
  if (head.semantics != "real") {
    std::string words = format;
    if (rounding == "any") words += " rounding=toward_zero";  // as common_policy writes it
    if (flush == "flush") words += " subnormals=flush";
    head.claimed = parse_policy(words);
  }
  for (const auto& [number, line] : lines) {
    if (line.rfind("{\"record\":\"box\"", 0) == 0) break;
    if (line.rfind("{\"record\":\"capsules\"", 0) != 0) continue;
    const JsonValue json = parse_json(line, path, number);
    ClosedObject record(json, path + ":" + std::to_string(number));
    record.text("record");
    record.text("profile");
    const std::vector<std::string> names = record.texts("names"), digests = record.texts("sha256");
    if (names.size() != digests.size()) record.fault("as many names as digests", std::to_string(names.size()));
    record.finish();
    for (std::size_t i = 0; i < names.size(); ++i) head.records.emplace_back(names[i], digests[i]);
  }
  return head;
}

// The records that a certificate names, each once. Throws InputRefused naming those that are unknown, have another
// digest, are on no allow-list or are at fault: the gate would not let them run, so no label of theirs counts.
std::vector<Capsule> named_capsules(const CertificateHead& head, const Registry& registry, const std::string& path) {
  std::vector<Capsule> out;
  std::vector<Blocker> blockers;
  for (const auto& [name, digest] : head.records) {
    const Capsule* c = registry.find(name);
    std::string why;
    if (c != nullptr) counted_trust(*c, registry, &why);
    if (c != nullptr && !c->forward) why = "it does not run forward";
    if (c == nullptr || c->sha256 != digest) {
      blockers.push_back({"unknown-record", path, "the certificate names a record that is not here: " + name,
                          c == nullptr ? "" : c->sha256, digest, "give its folder with --records"});
    } else if (!registry.counts(*c)) {
      blockers.push_back({"record-not-allowed", c->source, name + " is not built in and on no allow-list", "", digest,
                          "give a list with --allow"});
    } else if (!why.empty()) {
      blockers.push_back({"record-faulty", c->source, name + ": " + why, "", digest, "see audit lint"});
    } else if (std::none_of(out.begin(), out.end(), [&](const Capsule& x) { return x.name == c->name; })) {
      out.push_back(*c);
    }
  }
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
  return out;
}

}  // namespace

int audit_plan(const AuditOptions& o) {
  const Model model = import_onnx(o.model, parse_shapes(o.shapes));
  const auto accepted = accepted_plan(model.graph, profile_of(o.profile), registry_of(o.records));
  const Plan& plan = accepted->plan();
  const std::vector<Capsule> used = capsules_of(plan);
  const Closure closure = trust_closure(used);
  if (o.cyclonedx) {
    print_cyclonedx(used, o.model, model.files.front().sha256);
  } else if (o.sarif) {
    print_audit_sarif(plan_findings(plan), o.model);
  } else if (o.json) {
    PlanJson nodes = PlanJson::array(), groups = PlanJson::array();
    for (const PlannedNode& n : plan.nodes) nodes.push_back(node_json(n));
    for (const LoweredGroup& g : plan.groups) groups.push_back({{"capsule", g.capsule}, {"nodes", g.nodes}});
    print_json({{"schema", "outward-plan-1"},
                {"verdict", "accepted"},
                {"model", {{"path", o.model}, {"sha256", model.files.front().sha256}, {"graph", plan.graph}}},
                {"profile", {{"name", plan.profile.name}, {"sha256", plan.profile.sha256}}},
                {"trust", closure_json(used)},
                {"nodes", nodes},
                {"lowered", groups}});
  } else {
    std::printf("accepted (%zu nodes, weakest label %s)\n", plan.nodes.size(), trust_text(closure.weakest));
    for (const std::string& line : plan_lines(plan)) std::printf("%s\n", line.c_str());
  }
  return judge_trust(o, closure.weakest);
}

int audit_certificate(const AuditOptions& o) {
  const CertificateHead head = head_of(o.file);
  std::vector<std::string> notes;
  std::vector<Capsule> used, outside;
  if (head.semantics == "real") {
    notes.push_back("the claim is about real arithmetic: it says nothing about any kernel and rests on no record");
  } else {
    const bool either = head.claimed.rounding != Rounding::nearest_even;
    const std::string operands =
        head.claimed.operands ? ", with operands rounded to " + format_text(*head.claimed.operands) + "," : "";
    notes.push_back(std::string("the claim covers every execution whose kernels") + operands + " round " +
                    (either ? "either way" : "to nearest even") + " with " + subnormals_text(head.claimed.subnormals) +
                    " underflow and evaluate each sum group in some order (" + head.semantics +
                    "); that the deployed kernels do so is not in the certificate");
  }
  notes.push_back(
      "the claim and the records were read, not the proof: whether that is VALID, or a proof at all, says `check` "
      "(certificates/TRUST.md)");
  std::string sha256;
  if (!o.model.empty()) {
    const Model model = import_onnx(o.model, parse_shapes(o.shapes));
    sha256 = model.files.front().sha256;
    if (graph_digest(model.graph) != head.graph)
      throw InputRefused(Blocker{"another-model", o.model, "the certificate is about another graph", head.graph,
                                 graph_digest(model.graph), ""});
    used = capsules_of(accepted_plan(model.graph, profile_of(o.profile), registry_of(o.records))->plan());
  } else {
    used = named_capsules(head, registry_of(o.records), o.file);
  }
  for (const Capsule& c : used)
    if (head.semantics == "real" || !covered_by(head.claimed, c.policy)) outside.push_back(c);
  const Closure closure = trust_closure(used);
  const std::vector<std::string> raise = what_would_raise(used);
  std::vector<Finding> findings;
  for (const Capsule& c : used) {
    const bool in = std::none_of(outside.begin(), outside.end(), [&](const Capsule& x) { return x.name == c.name; });
    findings.push_back({in ? "covered-capsule" : "capsule-outside-the-claim", c.name,
                        policy_text(c.policy) + ", " + trust_text(c.trust), in});
  }
  if (o.cyclonedx) {
    print_cyclonedx(used, o.model, sha256);
  } else if (o.sarif) {
    print_audit_sarif(findings, o.file);
  } else if (o.json) {
    PlanJson records = PlanJson::array();
    for (std::size_t i = 0; i < used.size(); ++i)
      records.push_back({{"name", used[i].name},
                         {"sha256", used[i].sha256},
                         {"trust", trust_text(used[i].trust)},
                         {"policy", policy_text(used[i].policy)},
                         {"covered", findings[i].passed}});
    print_json({{"schema", "outward-closure-1"},
                {"certificate",
                 {{"path", o.file}, {"sha256", head.sha256}, {"claim", head.claim}, {"semantics", head.semantics}}},
                {"notes", notes},
                {"records", records},
                {"trust", used.empty() ? PlanJson(nullptr) : closure_json(used)},
                {"raise", raise}});
  } else {
    std::printf("%s (claim %s, semantics %s%s)\n", outside.empty() ? "covered" : "not covered", head.claim.c_str(),
                head.semantics.c_str(), outside.empty() ? ", if `check` finds the proof VALID" : "");
    for (const std::string& n : notes) std::printf("note: %s\n", n.c_str());
    for (const Finding& f : findings)
      std::printf("%s: %s [%s]\n", f.passed ? "covers" : "OUTSIDE the claim", f.subject.c_str(), f.text.c_str());
    if (!used.empty()) std::printf("weakest label: %s\n", trust_text(closure.weakest));
    for (const std::string& a : closure.assumptions) std::printf("assumes: %s\n", a.c_str());
    for (const std::string& r : closure.requires_off) std::printf("must be off: %s\n", r.c_str());
    for (const std::string& r : raise) std::printf("would raise it: %s\n", r.c_str());
    if (used.empty())
      std::printf("it names no kernels: give --model and --profile to see which a deployment relies on\n");
  }
  if (!outside.empty()) return exit_violated;
  // Without a plan there is nothing that could have a label: a demand is not met.
  if (used.empty() && !o.fail_below.empty())
    throw UsageError("--fail-below needs --model and --profile: the certificate names no kernels");
  return judge_trust(o, closure.weakest);
}

}  // namespace outward::cli
