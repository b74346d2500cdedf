// SARIF 2.1.0 and CycloneDX 1.6 of audits; see audit_commands.hpp.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/audit_commands.hpp"
#include "cli/common/json_line.hpp"

namespace outward::cli {

using RenderJson = nlohmann::ordered_json;

namespace {

// A path as an RFC 3986 reference, which is what SARIF asks for.
std::string uri_of(const std::string& path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += {'%', digits[static_cast<unsigned char>(c) >> 4], digits[c & 15]};
  }
  return out;
}

}  // namespace

void print_audit_sarif(const std::vector<Finding>& findings, const std::string& file) {
  RenderJson rules = RenderJson::array(), results = RenderJson::array();
  std::vector<std::string> known;
  for (const Finding& f : findings) {
    if (std::find(known.begin(), known.end(), f.rule) == known.end()) {
      known.push_back(f.rule);
      rules.push_back({{"id", f.rule}});
    }
    RenderJson result = {{"ruleId", f.rule},
                         {"kind", f.passed ? "pass" : "fail"},
                         {"level", f.passed ? "none" : "error"},
                         {"message", {{"text", f.subject + ": " + f.text}}},
                         {"partialFingerprints", {{"outward/v1", f.rule + "/" + f.subject}}}};
    if (!file.empty()) {
      const RenderJson artifact = {{"uri", uri_of(file)}};
      result["locations"] = RenderJson::array({{{"physicalLocation", {{"artifactLocation", artifact}}}}});
    }
    results.push_back(std::move(result));
  }
  const RenderJson driver = {{"name", "outward audit"}, {"version", "0.1.0"}, {"rules", rules}};
  const RenderJson run = {{"tool", {{"driver", driver}}}, {"results", results}};
  print_json({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"version", "2.1.0"},
              {"runs", RenderJson::array({run})}});
}

void print_cyclonedx(const std::vector<Capsule>& capsules, const std::string& model, const std::string& sha256) {
  RenderJson components = RenderJson::array(), claims = RenderJson::array(), evidence = RenderJson::array();
  for (const Capsule& c : capsules) {
    const RenderJson hash = {{"alg", "SHA-256"}, {"content", c.sha256}};
    components.push_back({{"type", "library"},
                          {"bom-ref", "capsule:" + c.name},
                          {"name", c.name},
                          {"description", c.spec + "; " + policy_text(c.policy)},
                          {"hashes", RenderJson::array({hash})}});
    for (const Field f : all_fields) {
      const Contract& k = c.contract(f);
      const std::string id = c.name + "/" + field_text(f);
      std::string where;
      for (const Provenance& p : k.provenance)
        where +=
            (where.empty() ? "" : "; ") + (p.file.empty() ? p.note : p.file + (p.symbol.empty() ? "" : " " + p.symbol));
      evidence.push_back({{"bom-ref", id + "/evidence"},
                          {"propertyName", evidence_text(k.evidence)},
                          {"description", where + (k.cases ? "; cases " + std::to_string(k.cases) : "")}});
      claims.push_back({{"bom-ref", id},
                        {"target", "capsule:" + c.name},
                        {"predicate", std::string(claim_text(k.claim)) + " of " + k.op},
                        {"reasoning", std::string("label ") + trust_text(c.trust) +
                                          (c.assumption.empty() ? "" : "; assumes " + c.assumption)},
                        {"evidence", RenderJson::array({id + "/evidence"})}});
    }
  }
  RenderJson bom = {{"bomFormat", "CycloneDX"}, {"specVersion", "1.6"}, {"version", 1}};
  if (!model.empty()) {
    const RenderJson hash = {{"alg", "SHA-256"}, {"content", sha256}};
    bom["metadata"] = {{"component",
                        {{"type", "machine-learning-model"},
                         {"bom-ref", "model"},
                         {"name", model},
                         {"hashes", RenderJson::array({hash})}}}};
  }
  bom["components"] = components;
  bom["declarations"] = {{"claims", claims}, {"evidence", evidence}};
  print_json(bom);
}

}  // namespace outward::cli
