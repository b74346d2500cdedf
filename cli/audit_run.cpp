// `audit --run`; see audit_commands.hpp.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "cli/audit_commands.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"

namespace outward::cli {
namespace {

volatile std::sig_atomic_t stop_evidence = 0;
void on_evidence_interrupt(int) { stop_evidence = 1; }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

nlohmann::ordered_json run_json(const EvidenceRun& r, const Capsule& c) {
  return {{"capsule", r.capsule},
          {"sha256", c.sha256},
          {"policy", policy_text(c.policy)},
          {"evidence", r.kind},
          {"cases", r.cases},
          {"failures", r.failures},
          {"seed", r.seed},
          {"seconds", r.seconds},
          {"verdict", r.passed()     ? "passed"
                      : r.cases == 0 ? "not run"
                                     : "failed"},
          {"first_failure", r.first_failure}};
}

}  // namespace

int audit_run(const AuditOptions& o) {
  std::signal(SIGINT, on_evidence_interrupt);
  const Registry registry = registry_of(o.records);
  std::vector<Capsule> ran;
  std::vector<EvidenceRun> runs;
  std::size_t skipped = 0, failed = 0;
  std::uint64_t cases = 0;
  const bool text = !o.json && !o.sarif;
  if (text) std::fprintf(stderr, "%s; %s; %s\n", utc_now().c_str(), build_text().c_str(), processor_text().c_str());
  for (const Capsule& c : filtered(o, registry)) {
    const bool exhaustive = c.contract(Field::value).evidence == Evidence::exhaustive;
    const bool asked = o.evidence.empty() || exhaustive == (o.evidence == "exhaustive");
    if (c.support != RuntimeSupport::executable || !asked || stop_evidence != 0) {
      ++skipped;
      continue;
    }
    const EvidenceRun r = run_evidence(c, o.cases > 0 ? o.cases : c.contract(Field::value).cases, o.seed,
                                       [] { return stop_evidence != 0; });
    cases += r.cases;
    if (!r.passed()) ++failed;
    if (text) {
      std::fprintf(stderr, "%s %s: %llu cases, %llu failures, %.1f s\n", r.capsule.c_str(), r.kind.c_str(),
                   static_cast<unsigned long long>(r.cases), static_cast<unsigned long long>(r.failures), r.seconds);
    }
    runs.push_back(r);
    ran.push_back(c);
  }
  std::vector<Finding> findings;
  for (const EvidenceRun& r : runs)
    findings.push_back({r.passed() ? "evidence-holds" : "kernel-outside-its-policy", r.capsule,
                        r.kind + ", " + std::to_string(r.cases) + " cases, seed " + std::to_string(r.seed) +
                            (r.first_failure.empty() ? "" : ": " + r.first_failure),
                        r.passed()});
  if (o.sarif) {
    print_audit_sarif(findings, "");
  } else if (o.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) list.push_back(run_json(runs[i], ran[i]));
    print_json({{"schema", "outward-evidence-1"},
                {"date", utc_now()},
                {"build", build_text()},
                {"processor", processor_text()},
                {"interrupted", stop_evidence != 0},
                {"not_run", skipped},
                {"runs", list}});
  } else {
    std::printf("%s (%zu kernels, %llu cases, %zu failed, %zu capsules not run here)\n",
                failed > 0                           ? "failed"
                : runs.empty() || stop_evidence != 0 ? "not run"
                                                     : "passed",
                runs.size(), static_cast<unsigned long long>(cases), failed, skipped);
    for (const EvidenceRun& r : runs) {
      std::printf("%s %s: %llu cases, %llu failures, seed %llu\n", r.capsule.c_str(), r.kind.c_str(),
                  static_cast<unsigned long long>(r.cases), static_cast<unsigned long long>(r.failures),
                  static_cast<unsigned long long>(r.seed));
      if (!r.first_failure.empty()) std::printf("  outside its policy: %s\n", r.first_failure.c_str());
    }
  }
  if (failed > 0) return exit_violated;
  if (runs.empty() || stop_evidence != 0) return exit_unknown;
  return judge_records(o, ran, registry);
}

}  // namespace outward::cli
