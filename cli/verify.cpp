// verify MODEL (PROPERTY.vnnlib | --radius R …): prove or refute a property of a network. One thin file: options, then
// import, bounds, certificate, report. Everything that decides a verdict is in bounds/.
#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>

#include "cli/common/errors.hpp"
#include "cli/verify_batch.hpp"
#include "cli/verify_capsule.hpp"
#include "cli/verify_dataset.hpp"
#include "cli/verify_deploy.hpp"
#include "cli/verify_elaborate.hpp"
#include "cli/verify_options.hpp"
#include "cli/verify_outputs.hpp"
#include "cli/verify_precise.hpp"
#include "cli/verify_radius.hpp"
#include "cli/verify_report.hpp"
#include "cli/verify_solve.hpp"
#include "importers/onnx/onnx.hpp"
#include "importers/vnnlib/witness.hpp"
#include "runtime/cpu/reference.hpp"

namespace outward::cli {

namespace {

void on_interrupt(int) {
  if (interrupted.exchange(true)) std::_Exit(exit_unknown);
}

int exit_code(const Outcome& outcome) {
  switch (outcome.verdict) {
    case Verdict::holds:
    case Verdict::bound:
      return exit_holds;
    case Verdict::violated:
      return exit_violated;
    default:
      return exit_unknown;
  }
}

int verify(const Options& o) {
  Report report;
  const auto start = std::chrono::steady_clock::now();
  auto lap = [&, last = start]() mutable {
    const auto now = std::chrono::steady_clock::now();
    const double s = std::chrono::duration<double>(now - last).count();
    last = now;
    return s;
  };
  const auto used = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const Model model = import_onnx(o.model, o.shapes);
  require_certifiable(o, model);
  report.import_seconds = lap();
  Solved solved;
  std::string bounds;
  if (!o.precision.empty()) {
    Property property = make_property(o, model, report.notes);
    report.property_seconds = lap();
    PreciseRun run = solve_in_format(o, model, std::move(property), used());
    solved = std::move(run.solved);
    report.precision = std::move(run.format);
    report.output_lines = std::move(run.lines);
    bounds = std::move(run.bounds_json);
  } else if (o.radius == "max") {
    RadiusSearch search = search_radius(o, model, Network(model.graph), report.notes);
    report.certified_radius = search.certified;
    report.refuted_radius = search.refuted;
    solved = std::move(search.best);
  } else {
    Property property = make_property(o, model, report.notes);
    report.property_seconds = lap();
    const Network net(model.graph);
    if (!o.deploy.empty()) property = deployed_property(o, model, net, property, report.notes);
    solved = solve(o, model, net, std::move(property), used());
    if (!o.deploy.empty()) weaken_violated(solved.outcome);
  }
  const Outcome& outcome = solved.outcome;
  report.semantics = solved.semantics;
  report.real_only = solved.real_only;
  if (solved.plan) report.plan_lines = summary_lines(*solved.plan);
  if ((!o.certificate.empty() || (!is_certifiable(model.graph) && outcome.verdict != Verdict::unknown)) &&
      !solved.uncertified.empty())
    report.notes.push_back(solved.uncertified);
  if (!outcome.proof_in_memory.empty())
    report.notes.push_back("the proof stayed in memory: " + outcome.proof_in_memory);
  report.total_seconds = used();
  Outputs outputs;
  if (!o.certificate.empty() && !outcome.proof_lost.empty()) outputs.lost(o.certificate, outcome.proof_lost);
  if (!o.certificate.empty() && !solved.certificate.empty() && outputs.save(o.certificate, solved.certificate)) {
    report.certificate_path = o.certificate;
    report.certificate_bytes = solved.certificate.size();
    report.certificate_sha256 = solved.certificate.sha256();
  }
  const bool stated = outcome.verdict == Verdict::violated && all_finite({outcome.counterexample->outputs});
  if (outcome.verdict == Verdict::violated && !stated && (!o.certificate.empty() || !o.witness.empty()))
    report.notes.push_back("nothing is written: an execution that is not finite is no counterexample for `check`");
  if (!o.witness.empty() && stated &&
      outputs.save(o.witness, witness_text(outcome.counterexample->decimals, outcome.counterexample->outputs)))
    report.witness_path = o.witness;
  if (!o.bounds.empty()) outputs.save(o.bounds, bounds.empty() ? bounds_json(outcome, solved.property) : bounds);
  print_report(o, model, solved.property, outcome, report);
  return outputs.finish(exit_code(outcome));
}

}  // namespace

}  // namespace outward::cli

int main(int argc, char** argv) {
  using namespace outward::cli;
  hold_standard_streams();
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of writing
  Options options;
  CLI::App app{"verify: prove or refute a property of a neural network, as it runs in floating point"};
  declare_options(app, options);
  const int parsed = parse_command_line(app, argc, argv);
  if (parsed >= 0) return parsed;
  return report_errors([&] {
    finish_options(options);
    require_outputs(options);
    if (!options.elaborate.empty()) return run_elaborate(options);
    if (!options.dataset.empty() && options.row == -1) return run_dataset(options);
    return options.batch.empty() ? verify(options) : run_batch(options);
  });
}
