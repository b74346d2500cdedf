// `roundoff --op NAME`, `--operators` and `--coverage`; see roundoff_commands.hpp.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "bounds/roundoff/specs.hpp"
#include "certificates/output_file.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/roundoff_commands.hpp"
#include "cli/roundoff_policy.hpp"
#include "cli/roundoff_report.hpp"

namespace outward::cli {
namespace {

using Json = nlohmann::ordered_json;

double greatest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, v);
  return most;
}

// The bounds that a baseline holds: every operator by name, in these formats and sizes.
struct Row {
  std::string op, format, accumulator, order;
  std::size_t n = 0;
  double bound = 0;
  std::string key() const { return op + " " + format + " " + accumulator + " " + order + " " + std::to_string(n); }
};

std::vector<Row> all_rows() {
  struct Way {
    const char *format, *accumulator, *order;
  };
  static constexpr Way ways[] = {{"binary32", "", "any"},       {"binary32", "", "sequential"},
                                 {"binary16", "", "any"},       {"bfloat16", "binary32", "any"},
                                 {"e4m3fn", "binary32", "any"}, {"bfloat16", "binary32", "pairwise"}};
  std::vector<Row> rows;
  for (const roundoff::Spec& spec : roundoff::spec_table()) {
    for (const Way& way : ways) {
      for (const std::size_t n : {std::size_t{0}, std::size_t{64}}) {
        if (n > 0 && (spec.n == n || std::string(spec.name) == "transformer-block")) continue;
        RoundoffOptions o;
        o.format = way.format;
        o.accumulator = way.accumulator;
        o.order = way.order;
        const roundoff::SpecProgram s = build_spec(spec, {n, 0, 0, {}}, arithmetic_of(o));
        const roundoff::Analysis a = analyse(s.program, s.box);
        rows.push_back({spec.name, way.format, way.accumulator, way.order, n == 0 ? spec.n : n,
                        greatest(end_to_end(s.program, a).best)});
      }
    }
  }
  return rows;
}

// Operators of the table, and kinds of graphs, that no operator by name uses.
std::vector<std::string> uncovered() {
  std::set<roundoff::OpCode> seen;
  NumericalPolicy policy;
  policy.reduction = Reduction::any_order_any_fusion;
  for (const roundoff::Spec& spec : roundoff::spec_table())
    for (const roundoff::Operator& op : build_spec(spec, {}, roundoff::Arithmetic(policy)).program.operators)
      seen.insert(op.code);
  std::vector<std::string> out;
  for (const roundoff::OperatorRow& row : roundoff::operator_table())
    if (!seen.contains(row.code) && row.code != roundoff::OpCode::constant) out.emplace_back(row.name);
  for (int kind = 0; kind <= static_cast<int>(Kind::max); ++kind) {
    const roundoff::OperatorRow& row = roundoff::row_of(roundoff::code_of(static_cast<Kind>(kind)));
    if (row.rule == nullptr && row.code != roundoff::OpCode::input && row.code != roundoff::OpCode::constant)
      out.emplace_back(row.name);
  }
  return out;
}

}  // namespace

int roundoff_operator(const RoundoffOptions& options) {
  const roundoff::Spec* spec = roundoff::spec_named(options.op);
  if (spec == nullptr) throw UsageError("--op " + options.op + ": unknown; --operators lists them");
  if (!options.file.empty()) throw UsageError("--op: not together with a file");
  const roundoff::Arithmetic arithmetic = arithmetic_of(options);
  roundoff::SpecSizes sizes{options.n, options.d, options.block, {}};
  if (!options.range.empty()) sizes.range = option_range("--range", options.range);
  roundoff::SpecProgram s = build_spec(*spec, sizes, arithmetic);
  s.box.rounded = options.input_error == "rounded";
  const roundoff::Analysis a = analyse(s.program, s.box);
  const roundoff::EndToEnd end = end_to_end(s.program, a);
  RoundoffReport report;
  report.subject = std::string(spec->name) + ": " + spec->what;
  report.policy = policy_text(arithmetic.policy);
  char text[160];
  std::snprintf(text, sizeof text, "%zu inputs in [%g, %g], %s", s.box.lo.size(), s.box.lo[0], s.box.hi[0],
                s.box.rounded ? "rounded once" : "numbers of the format");
  report.inputs = text;
  describe(s.program, s.box, a, end, report);
  report.assumptions = assumptions_of(s.program);
  if (options.observe && options.samples > 0) {
    report.observed =
        observe(s.program, roundoff::in_binary64(s.program), a, end.best, s.box, {options.samples, options.seed});
    if (!report.observed.skipped.empty()) report.notes.push_back("nothing observed: " + report.observed.skipped);
    describe_observed(s.program, report);
  }
  if (!options.plot.empty()) write_roundoff_plot(report, options.plot);
  if (!options.json && report.outputs.size() > 1) {
    // The outputs of an operator are alike: the worst one stands for all.
    std::size_t worst = 0;
    for (std::size_t j = 0; j < report.outputs.size(); ++j)
      if (report.outputs[j].bound > report.outputs[worst].bound) worst = j;
    for (const OutputLine& y : report.outputs)
      report.outputs[worst].observed = std::max(report.outputs[worst].observed, y.observed);
    report.outputs = {report.outputs[worst]};
  }
  print_roundoff(report, options.json);
  return roundoff_exit(report);
}

int roundoff_operators(const RoundoffOptions& options) {
  Json list = Json::array();
  for (const roundoff::Spec& spec : roundoff::spec_table()) {
    if (options.json)
      list.push_back({{"name", spec.name}, {"what", spec.what}, {"n", spec.n}, {"range", {spec.lo, spec.hi}}});
    else
      std::printf("%-18s %s; n = %zu, inputs in [%g, %g]\n", spec.name, spec.what, spec.n, spec.lo, spec.hi);
  }
  Json rules = Json::array();
  if (!options.json) std::printf("\nrules (operators of models and of the programs above), and their sources:\n");
  for (const roundoff::OperatorRow& row : roundoff::operator_table()) {
    if (options.json)
      rules.push_back({{"name", row.name}, {"source", row.source}});
    else
      std::printf("%-18s %s\n", row.name, row.source);
  }
  if (options.json) print_json({{"operators", list}, {"rules", rules}});
  return exit_holds;
}

int roundoff_coverage(const RoundoffOptions& options) {
  const std::vector<Row> rows = all_rows();
  if (!options.baseline.empty()) {
    std::string text;
    for (const Row& r : rows)
      text += json_line({{"op", r.op},
                         {"format", r.format},
                         {"accumulator", r.accumulator},
                         {"order", r.order},
                         {"n", r.n},
                         {"bound", std::isfinite(r.bound) ? Json(r.bound) : Json(nullptr)}}) +
              "\n";
    save_file(options.baseline, text);
    if (options.coverage.empty()) return exit_holds;
  }
  std::ifstream file(options.coverage);
  if (!file)
    throw InputRefused(Blocker{"unreadable-file", options.coverage, "the baseline cannot be read", "", "", ""});
  std::map<std::string, double> before;
  std::string line;
  std::size_t number = 0;
  while (std::getline(file, line)) {
    ++number;
    const Json j = Json::parse(line, nullptr, false);
    const bool good = j.is_object() && j.contains("op") && j["op"].is_string() && j.contains("format") &&
                      j["format"].is_string() && j.contains("accumulator") && j["accumulator"].is_string() &&
                      j.contains("order") && j["order"].is_string() && j.contains("n") && j["n"].is_number_unsigned() &&
                      j.contains("bound") && (j["bound"].is_number() || j["bound"].is_null());
    if (!good)
      throw InputRefused(Blocker{"malformed-baseline", options.coverage + ":" + std::to_string(number),
                                 "a line of the baseline is not one", "what --write-baseline writes", "", ""});
    const Row r{j["op"], j["format"], j["accumulator"], j["order"], j["n"], 0};
    before[r.key()] = j["bound"].is_null() ? HUGE_VAL : j["bound"].get<double>();
  }
  std::vector<std::string> faults;
  for (const std::string& name : uncovered()) faults.push_back("no operator by name uses the rule of " + name);
  std::size_t better = 0;
  for (const Row& r : rows) {
    const auto found = before.find(r.key());
    if (found == before.end()) {
      faults.push_back("not in the baseline: " + r.key());
      continue;
    }
    // The last bits may differ between C libraries.
    if (!(r.bound <= found->second * (1 + 1e-9)) && !(found->second == HUGE_VAL)) {
      std::ostringstream text;
      text << "worse than in the baseline: " << r.key() << ": " << r.bound << ", was " << found->second;
      faults.push_back(text.str());
    }
    if (r.bound < found->second * (1 - 1e-9)) ++better;
    before.erase(found);
  }
  for (const auto& [key, bound] : before) faults.push_back("in the baseline but gone: " + key);
  if (options.json) {
    print_json({{"rows", rows.size()}, {"better", better}, {"faults", faults}});
  } else {
    std::printf("%s: %zu bounds, %zu better than the baseline, %zu faults\n", faults.empty() ? "covered" : "FAULTS",
                rows.size(), better, faults.size());
    for (const std::string& fault : faults) std::printf("  %s\n", fault.c_str());
  }
  return faults.empty() ? exit_holds : exit_violated;
}

}  // namespace outward::cli
