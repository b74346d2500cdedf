// `audit list`, `audit lint` and `audit seal`; see audit_commands.hpp.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/audit_commands.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"

namespace outward::cli {

std::vector<Capsule> filtered(const AuditOptions& o, const Registry& registry) {
  if (!o.op.empty() && find_op(o.op) == nullptr) throw UsageError("--op " + o.op + ": no operator of that name");
  if (!o.provider.empty() && !is_provider(o.provider))
    throw UsageError("--provider " + o.provider + ": no provider of that name");
  if (!o.device.empty() && !is_device(o.device)) throw UsageError("--device " + o.device + ": no such device");
  if (!o.name.empty() && registry.find(o.name) == nullptr) throw UsageError("--name " + o.name + ": no such capsule");
  std::vector<Capsule> out;
  for (const Capsule& c : registry.capsules()) {
    const bool fits = (o.op.empty() || c.op == o.op) && (o.provider.empty() || c.provider == o.provider) &&
                      (o.device.empty() || c.device == o.device) && (o.name.empty() || c.name == o.name) &&
                      (o.trust.empty() || trust_text(c.trust) == o.trust);
    if (fits) out.push_back(c);
  }
  return out;
}

int judge_trust(const AuditOptions& o, Trust weakest) {
  if (o.fail_below.empty() || weakest >= *trust_of(o.fail_below)) return exit_holds;
  std::fprintf(stderr, "error: the weakest label is %s, --fail-below asks for %s\n", trust_text(weakest),
               o.fail_below.c_str());
  return exit_violated;
}

int judge_records(const AuditOptions& o, const std::vector<Capsule>& capsules, const Registry& registry) {
  if (o.fail_below.empty()) return exit_holds;
  if (capsules.empty()) throw UsageError("--fail-below: the filters leave no capsule that could have a label");
  Trust weakest = Trust::proved;
  for (const Capsule& c : capsules) {
    std::string why;
    weakest = std::min(weakest, counted_trust(c, registry, &why));
    if (!why.empty())
      std::fprintf(stderr, "%s: its label %s does not count: %s\n", c.name.c_str(), trust_text(c.trust), why.c_str());
  }
  return judge_trust(o, weakest);
}

int audit_list(const AuditOptions& o) {
  const Registry registry = registry_of(o.records);
  const std::vector<Capsule> list = filtered(o, registry);
  if (o.cyclonedx) {
    print_cyclonedx(list, "", "");
  } else if (o.sarif) {
    std::vector<Finding> findings;
    for (const Capsule& c : list)
      findings.push_back({"capsule", c.name, policy_text(c.policy) + ", " + trust_text(c.trust), true});
    print_audit_sarif(findings, "");
  } else if (o.json) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const Capsule& c : list) {
      out.push_back(nlohmann::ordered_json::parse(record_text(c)));
      out.back()["sha256"] = c.sha256;  // of the line that was read, whose members may be in another order
    }
    print_json({{"schema", "outward-capsules-1"}, {"capsules", out}});
  } else {
    for (const Capsule& c : list)
      std::printf("%-34s %-8s %-5s %-8s %-12s vjp=%-7s [%s]%s\n", c.name.c_str(), c.op.c_str(), c.device.c_str(),
                  trust_text(c.trust), support_text(c.support), vjp_text(c.vjp), policy_text(c.policy).c_str(),
                  registry.counts(c) ? "" : " NOT ON THE ALLOW-LIST");
    std::fprintf(stderr, "%zu capsules; profiles:", list.size());
    for (const Profile& p : shipped_profiles()) std::fprintf(stderr, " %s", p.name.c_str());
    std::fprintf(stderr, "\n");
  }
  return judge_records(o, list, registry);
}

int audit_lint(const AuditOptions& o) {
  const Registry registry = registry_of(o.records);
  const std::vector<std::string> faults = lint(registry.capsules(), o.root);
  if (o.json) {
    print_json({{"schema", "outward-lint-1"}, {"capsules", registry.capsules().size()}, {"faults", faults}});
  } else if (o.sarif) {
    std::vector<Finding> findings;
    for (const std::string& f : faults) findings.push_back({"record", f.substr(0, f.find(": ")), f, false});
    print_audit_sarif(findings, "");
  } else {
    std::printf("%s (%zu records, %zu faults%s)\n", faults.empty() ? "passed" : "failed", registry.capsules().size(),
                faults.size(), o.root.empty() ? ", files not looked at" : "");
    for (const std::string& f : faults) std::printf("%s\n", f.c_str());
  }
  return faults.empty() ? exit_holds : exit_violated;
}

int audit_seal(const AuditOptions& o) {
  const std::string file = file_text(o.file);
  for (const auto& [number, line] : record_lines(file)) {
    const std::string text = sealed(line);
    if (text.rfind("{\"record\":\"profile\"", 0) == 0)
      parse_profile(text, o.file, number);
    else
      parse_capsule(text, o.file, number);
    std::printf("%s\n", text.c_str());
  }
  return exit_holds;
}

}  // namespace outward::cli
