// The commands of `audit`, one function each: they print to stdout, return the exit code and throw typed errors.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/common/profiles.hpp"
#include "runtime/capsules/evidence.hpp"

namespace outward::cli {

struct AuditOptions {
  RecordOptions records;
  std::string provider, op, trust, device, name;  // filters; "": all
  std::string file, model, profile;
  std::vector<std::string> shapes;    // NAME=D1,D2,…
  std::string root;                   // lint: source folder
  std::string fail_below;             // a trust level; "": no demand
  std::string evidence;               // of --run: fuzz or exhaustive; "": both
  std::uint64_t cases = 0, seed = 1;  // cases 0: as many as the record says
  bool json = false, sarif = false, cyclonedx = false;
};

// One thing an audit says about a capsule, a plan or a certificate, in the form every renderer takes.
struct Finding {
  std::string rule;     // stable, lower-case words joined by '-'
  std::string subject;  // the capsule, the node, the file
  std::string text;
  bool passed = false;
};

int audit_list(const AuditOptions& options);
int audit_lint(const AuditOptions& options);
int audit_seal(const AuditOptions& options);
int audit_plan(const AuditOptions& options);
int audit_certificate(const AuditOptions& options);
int audit_run(const AuditOptions& options);

// The capsules that the filters leave.
std::vector<Capsule> filtered(const AuditOptions& options, const Registry& registry);

// 0, or 1 if the weakest label is below --fail-below.
int judge_trust(const AuditOptions& options, Trust weakest);

// The same for records as such: a label counts as external if its record is not allowed or at fault. Throws UsageError
// if something is demanded of no capsule.
int judge_records(const AuditOptions& options, const std::vector<Capsule>& capsules, const Registry& registry);

// SARIF 2.1.0, one result per finding. file: where they are located, "" if nowhere.
void print_audit_sarif(const std::vector<Finding>& findings, const std::string& file);
// CycloneDX 1.6 with declarations: one claim per contract of a capsule, its evidence beside it. model: path and
// SHA-256,
// "" if the claims are not about one.
void print_cyclonedx(const std::vector<Capsule>& capsules, const std::string& model, const std::string& sha256);

}  // namespace outward::cli
