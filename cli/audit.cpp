// audit: list, gate and re-run the evidence of kernel capsules; the trust closure of plans and certificates. Options
// only; the commands are in audit_*.cpp, the meaning of records in certificates/RECORDS.md.
#include <CLI/CLI.hpp>

#include "cli/audit_commands.hpp"
#include "cli/common/errors.hpp"

namespace {

constexpr const char* examples = R"(Examples:
  audit list --provider fast --op dense            what the records say
  audit plan net.onnx --profile checked_cpu        which capsule runs each node, and by what right
  audit certificate proof.jsonl --model net.onnx --profile onnxruntime_cpu --fail-below fuzzed
  audit --run --provider fast --cases 1000000      run the evidence again, here and now
  audit lint --root .                              records against the sources they name

Exit codes: 0 as demanded, 1 a kernel outside its policy, a bad record or trust below --fail-below, 2 nothing could be
run, 3 usage, 4 input or plan refused, 5 internal error or out of resources.)";

std::string fault_of_trust(const std::string& text) {
  return outward::trust_of(text) ? "" : "takes external, fuzzed, checked or proved, found \"" + text + "\"";
}

// Options that a command would not look at are refused: an ignored demand is one that was not met.
void require_meaning(const CLI::App& app, const std::string& command) {
  struct Row {
    const char *option, *commands;
  };
  static constexpr Row rows[] = {{"--provider", "list --run"},
                                 {"--op", "list --run"},
                                 {"--trust", "list --run"},
                                 {"--device", "list --run"},
                                 {"--name", "list --run"},
                                 {"--records", "list lint plan certificate --run"},
                                 {"--allow", "list lint plan certificate --run"},
                                 {"--fail-below", "list plan certificate --run"},
                                 {"--cases", "--run"},
                                 {"--seed", "--run"},
                                 {"--evidence", "--run"},
                                 {"--json", "list lint plan certificate --run"},
                                 {"--sarif", "list lint plan certificate --run"},
                                 {"--cyclonedx", "list plan certificate"}};
  for (const Row& row : rows) {
    const CLI::Option* option = app.get_option(row.option);
    if (option->count() == 0) continue;
    if ((" " + std::string(row.commands) + " ").find(" " + command + " ") == std::string::npos)
      throw outward::UsageError(std::string(row.option) + " goes with " + row.commands + ", not with " + command);
    if (option->results().front().empty()) throw outward::UsageError(std::string(row.option) + " is empty");
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace outward::cli;
  hold_standard_streams();
  CLI::App app{"Audit the kernels that run a network: their records, plans and evidence."};
  app.footer(examples);
  app.require_subcommand(0, 1);
  app.fallthrough();
  AuditOptions o;
  bool run = false;
  app.add_flag("--run", run, "run the evidence of the capsules that the filters leave, as far as this build can");
  app.add_option("--provider", o.provider, "filter: reference, fast, formatted, onnxruntime, libtorch, cublas, …");
  app.add_option("--op", o.op, "filter: an operator, as `audit list` names them");
  app.add_option("--trust", o.trust, "filter: external, fuzzed, checked or proved")->check(fault_of_trust);
  app.add_option("--device", o.device, "filter: cpu, cuda, …");
  app.add_option("--name", o.name, "filter: one capsule");
  app.add_option("--records", o.records.records, "folder of further records (.jsonl)");
  app.add_option("--allow", o.records.allow, "file of digests of further records that may be relied on, one a line");
  app.add_option("--fail-below", o.fail_below, "exit 1 if something weaker is relied on")->check(fault_of_trust);
  app.add_option("--cases", o.cases, "of --run: results to compare per kernel (default: as many as its record says)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  app.add_option("--seed", o.seed, "of --run (default 1)");
  app.add_option("--evidence", o.evidence, "of --run: only fuzz or only exhaustive")
      ->check(CLI::IsMember({"fuzz", "exhaustive"}));
  auto* json = app.add_flag("--json", o.json, "one JSON object on stdout");
  auto* sarif = app.add_flag("--sarif", o.sarif, "SARIF 2.1.0 on stdout")->excludes(json);
  app.add_flag("--cyclonedx", o.cyclonedx, "CycloneDX 1.6 with declarations on stdout (list, plan, certificate)")
      ->excludes(json)
      ->excludes(sarif);

  CLI::App* list = app.add_subcommand("list", "the capsule records");
  CLI::App* lint = app.add_subcommand("lint", "faults of the records");
  lint->add_option("--root", o.root, "source folder: look for the files and symbols that evidence names, too")
      ->check(CLI::ExistingDirectory);
  CLI::App* seal = app.add_subcommand("seal", "a record file with its digests made right");
  seal->add_option("FILE", o.file, "JSON Lines")->required();
  CLI::App* plan = app.add_subcommand("plan", "plan a model and ask the gate");
  plan->add_option("MODEL", o.model, "ONNX model")->required();
  plan->add_option("--profile", o.profile, "a built-in profile or a file")->required();
  plan->add_option("--input-shape", o.shapes, "NAME=D1,D2,...: dimensions the file leaves open")
      ->allow_extra_args(false);
  CLI::App* certificate = app.add_subcommand("certificate", "what a certificate rests on");
  certificate->add_option("FILE", o.file, "certificate")->required();
  auto* model = certificate->add_option("--model", o.model, "the model, to plan it");
  certificate->add_option("--profile", o.profile, "how it is deployed")->needs(model);
  model->needs("--profile");
  certificate->add_option("--input-shape", o.shapes, "NAME=D1,D2,...")->allow_extra_args(false);

  if (const int code = parse_command_line(app, argc, argv); code >= 0) return code;
  return report_errors([&] {
    const bool command = !app.get_subcommands().empty();
    if (run == command) throw outward::UsageError(run ? "--run goes without a command" : "give a command, or --run");
    require_meaning(app, run ? "--run" : app.get_subcommands().front()->get_name());
    if (run) return audit_run(o);
    if (list->parsed()) return audit_list(o);
    if (lint->parsed()) return audit_lint(o);
    if (seal->parsed()) return audit_seal(o);
    return plan->parsed() ? audit_plan(o) : audit_certificate(o);
  });
}
