#include "cli/roundoff_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "formats/exact.hpp"

namespace outward::cli {
namespace {

using Json = nlohmann::ordered_json;

// Three digits, to nearest: what was observed or asked for, and ratios.
std::string short_figure(double x) {
  if (x < 0) return "-";
  if (!(x < HUGE_VAL)) return "unbounded";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

// JSON has no infinity: null.
Json finite_number(double x) { return std::fabs(x) < HUGE_VAL ? Json(x) : Json(nullptr); }
Json observed_number(double x) { return x < 0 ? Json(nullptr) : finite_number(x); }
Json bound_ratio(double bound, double observed) {
  return observed > 0 && bound < HUGE_VAL ? Json(bound / observed) : Json(nullptr);
}

std::string kind_words(const OperatorLine& line) {
  std::string text = line.kind;
  if (line.fused) text += " +";  // its error is counted at the end of the sum
  return text;
}

void print_operator_table(const RoundoffReport& r) {
  std::printf("%s\n  %s, %s\n", r.subject.c_str(), r.policy.c_str(), r.inputs.c_str());
  std::size_t name_width = 8;
  for (const OperatorLine& o : r.operators) name_width = std::max(name_width, std::min<std::size_t>(o.name.size(), 32));
  const bool planned = !r.plan.profile.empty();
  if (planned) std::printf("  plan: %s\n  weakest label: %s\n", r.plan.line.c_str(), r.plan.weakest.c_str());
  for (const std::string& off : r.plan.requires_off) std::printf("  must be off: %s\n", off.c_str());
  std::printf("\n%-*s %-12s %8s %10s %10s %10s %10s %7s %9s %6s %9s%s%s\n", static_cast<int>(name_width), "operator",
              "kind", "elements", "range", "local", "relative", "total", "share", "headroom", "subn.", "observed",
              r.has_target ? "  format" : "", planned ? "  kernel (label)" : "");
  for (const OperatorLine& o : r.operators) {
    const std::string name = o.name.size() > 32 ? o.name.substr(0, 29) + "..." : o.name;
    std::printf("%-*s %-12s %8llu %10s %10s %10s %10s %6.1f%% %9s %6llu %9s%s%s\n", static_cast<int>(name_width),
                name.c_str(), kind_words(o).c_str(), static_cast<unsigned long long>(o.elements),
                short_figure_up(std::fmax(std::fabs(o.lo), std::fabs(o.hi))).c_str(), short_figure_up(o.local).c_str(),
                short_figure_up(o.relative).c_str(), short_figure_up(o.total).c_str(), 100 * o.share,
                std::fabs(o.headroom_bits) < 1e6
                    ? (std::to_string(static_cast<long>(std::floor(o.headroom_bits))) + " bits").c_str()
                    : "-",
                static_cast<unsigned long long>(o.subnormal), short_figure(o.observed).c_str(),
                r.has_target ? ("  " + o.recommended).c_str() : "",
                o.capsule.empty() ? "" : ("  " + o.capsule + " (" + o.trust + ")").c_str());
  }
  std::printf("\n%-8s %12s %10s %10s %10s %10s %-11s %9s %7s\n", "output", "range", "forward", "mean-value",
              "difference", "bound", "by", "observed", "ratio");
  for (std::size_t j = 0; j < r.outputs.size(); ++j) {
    const OutputLine& y = r.outputs[j];
    std::printf("Y_%-6zu %12s %10s %10s %10s %10s %-11s %9s %7s\n", j,
                short_figure_up(std::fmax(std::fabs(y.lo), std::fabs(y.hi))).c_str(),
                short_figure_up(y.forward).c_str(), short_figure_up(y.mean_value).c_str(),
                short_figure_up(y.difference).c_str(), short_figure_up(y.bound).c_str(), y.form.c_str(),
                short_figure(y.observed).c_str(), y.observed > 0 ? short_figure(y.bound / y.observed).c_str() : "-");
  }
  if (!r.observed.orders.empty()) {
    std::printf("\nobserved in %llu runs:", static_cast<unsigned long long>(r.observed.runs));
    for (const auto& o : r.observed.orders)
      std::printf(" %s %s;", roundoff::run_order_text(o.order), short_figure(o.worst).c_str());
    std::printf(" bound / worst %s\n",
                [&] {
                  double worst = 0;
                  for (const OutputLine& y : r.outputs) worst = std::max(worst, y.observed);
                  return worst > 0 ? short_figure(r.bound() / worst) : std::string("-");
                }()
                    .c_str());
  }
  for (const MarginLine& m : r.margins)
    std::printf(
        "margin of Y_%llu: real %.9g, in the format %.9g; the difference %.9g is the shares' sum %.9g; own ranges: "
        "%+.3g\n",
        static_cast<unsigned long long>(m.output), m.real, m.computed, m.difference, m.shares, m.ranges);
  if (r.has_target)
    std::printf("target %s: %s\n", short_figure(r.target).c_str(),
                r.target_reached ? ("kept with the formats above, bound " + short_figure_up(r.target_bound)).c_str()
                                 : "missed in this format");
  for (const std::string& a : r.assumptions) std::printf("assumes: %s\n", a.c_str());
  for (const std::string& n : r.notes) std::fprintf(stderr, "note: %s\n", n.c_str());
  if (!r.overflow.empty())
    std::fprintf(stderr, "overflow is not excluded at %s: no bound behind it\n", r.overflow.c_str());
  if (r.observed.violations > 0)
    std::fprintf(stderr, "ERROR: %llu observed errors are beyond their bounds: please report this\n",
                 static_cast<unsigned long long>(r.observed.violations));
}

Json report_json(const RoundoffReport& r) {
  Json operators = Json::array(), outputs = Json::array(), orders = Json::array(), margins = Json::array();
  for (const OperatorLine& o : r.operators)
    operators.push_back({{"name", o.name},
                         {"node", o.node < 0 ? Json(nullptr) : Json(o.node)},
                         {"kind", o.kind},
                         {"format", o.format},
                         {"accumulator", o.accumulator},
                         {"elements", o.elements},
                         {"range", {finite_number(o.lo), finite_number(o.hi)}},
                         {"local", finite_number(o.local)},
                         {"local_relative", finite_number(o.relative)},
                         {"propagated", finite_number(o.propagated)},
                         {"total", finite_number(o.total)},
                         {"share", o.share},
                         {"headroom_bits", finite_number(o.headroom_bits)},
                         {"subnormal_elements", o.subnormal},
                         {"underflow", finite_number(o.underflow)},
                         {"fused", o.fused},
                         {"constants_converted", o.constants_converted},
                         {"observed", observed_number(o.observed)},
                         {"recommended", o.recommended.empty() ? Json(nullptr) : Json(o.recommended)},
                         {"capsule", o.capsule.empty() ? Json(nullptr) : Json(o.capsule)},
                         {"trust", o.trust.empty() ? Json(nullptr) : Json(o.trust)},
                         {"policy", o.policy.empty() ? Json(nullptr) : Json(o.policy)},
                         {"source", o.source}});
  for (const OutputLine& y : r.outputs)
    outputs.push_back({{"range", {finite_number(y.lo), finite_number(y.hi)}},
                       {"forward", finite_number(y.forward)},
                       {"mean_value", observed_number(y.mean_value)},
                       {"difference", observed_number(y.difference)},
                       {"bound", finite_number(y.bound)},
                       {"form", y.form},
                       {"observed", observed_number(y.observed)},
                       {"ratio", bound_ratio(y.bound, y.observed)}});
  for (const auto& o : r.observed.orders)
    orders.push_back({{"order", roundoff::run_order_text(o.order)}, {"worst", finite_number(o.worst)}});
  for (const MarginLine& m : r.margins)
    margins.push_back({{"output", m.output},
                       {"real", m.real},
                       {"computed", m.computed},
                       {"difference", m.difference},
                       {"shares", m.shares},
                       {"ranges", m.ranges}});
  Json target = nullptr;
  if (r.has_target)
    target = {{"error", r.target},
              {"reached", r.target_reached},
              {"bound", finite_number(r.target_bound)},
              {"tried", r.tried},
              {"complete", r.search_complete}};
  Json plan = nullptr;
  if (!r.plan.profile.empty())
    plan = {{"profile", r.plan.profile}, {"weakest", r.plan.weakest}, {"requires_off", r.plan.requires_off}};
  return {{"subject", r.subject},
          {"policy", r.policy},
          {"plan", plan},
          {"inputs", r.inputs},
          {"bound", finite_number(r.bound())},
          {"overflow", r.overflow.empty() ? Json(nullptr) : Json(r.overflow)},
          {"operators", operators},
          {"outputs", outputs},
          {"observed",
           {{"runs", r.observed.runs},
            {"not_finite", r.observed.not_finite},
            {"violations", r.observed.violations},
            {"skipped", r.observed.skipped.empty() ? Json(nullptr) : Json(r.observed.skipped)},
            {"orders", orders}}},
          {"margins", margins},
          {"target", target},
          {"assumptions", r.assumptions},
          {"notes", r.notes}};
}

}  // namespace

std::string short_figure_up(double x) {
  if (!(x > 0 && x < HUGE_VAL)) return short_figure(x);
  for (double y = x;; y += x * 1e-3) {
    std::string text = short_figure(y);
    const auto printed = parse_decimal(text);
    if (!printed || *printed >= exact(x)) return text;
  }
}

double RoundoffReport::bound() const {
  double most = 0;
  for (const OutputLine& y : outputs) most = std::max(most, y.bound);
  return most;
}

void describe(const roundoff::Program& p, const roundoff::Box& box, const roundoff::Analysis& a,
              const roundoff::EndToEnd& end, RoundoffReport& report) {
  report.overflow = a.overflow;
  std::size_t worst = 0;
  for (std::size_t j = 0; j < end.best.size(); ++j)
    if (end.best[j] > end.best[worst]) worst = j;
  for (std::uint32_t k = 0; k < p.operators.size(); ++k) {
    const roundoff::OperatorErrors& e = a.at[k];
    OperatorLine line;
    const auto& row = roundoff::row_of(p.operators[k].code);
    line.name = p.operators[k].name.empty() ? row.name : p.operators[k].name;
    line.kind = row.name;
    line.source = row.source;
    line.node = p.node.empty() ? -1 : p.node[k];
    line.format = format_text(p.arithmetic_of(k).values.format);
    line.accumulator = format_text(p.arithmetic_of(k).sums.format);
    line.elements = e.out.size();
    line.lo = HUGE_VAL;
    line.hi = -HUGE_VAL;
    double size = 0;
    for (std::size_t i = 0; i < e.out.size(); ++i) {
      line.lo = std::min(line.lo, e.out[i].lo);
      line.hi = std::max(line.hi, e.out[i].hi);
      size = std::max(size, e.out[i].magnitude());
      line.local = std::max(line.local, e.local[i]);
      line.total = std::max(line.total, e.out[i].error);
      if (e.out[i].error < HUGE_VAL) line.propagated = std::max(line.propagated, e.out[i].error - e.local[i]);
    }
    line.propagated = std::max(0.0, line.propagated);
    line.relative = line.local == 0 ? 0 : line.local / size;
    line.headroom_bits = e.headroom_bits;
    line.subnormal = e.subnormal;
    line.underflow = e.underflow;
    line.fused = !p.root.empty() && p.root[k] != k;
    line.constants_converted = e.constants_converted;
    if (!end.best.empty() && end.best[worst] > 0 && end.best[worst] < HUGE_VAL) {
      if (!end.part.empty()) {
        const auto& part = end.part[worst];
        double sum = 0;
        for (const double x : part) sum += x;
        line.share = sum > 0 && k < part.size() ? part[k] / sum : 0;
      } else if (line.local > 0) {
        const roundoff::Analysis without = analyse(p, box, {}, [&](std::uint32_t at, roundoff::Analysis& so_far) {
          if (at != k) return;
          for (std::size_t i = 0; i < so_far.at[k].out.size(); ++i)
            so_far.at[k].out[i].error = std::max(0.0, so_far.at[k].out[i].error - so_far.at[k].local[i]);
        });
        line.share = std::max(0.0, 1 - without.at[p.output].out[worst].error / end.forward[worst]);
      }
    }
    report.operators.push_back(std::move(line));
  }
  for (std::size_t j = 0; j < end.best.size(); ++j) {
    const roundoff::Quantity& y = a.at[p.output].out[j];
    OutputLine line;
    line.lo = y.lo;
    line.hi = y.hi;
    line.forward = end.forward[j];
    if (!end.mean_value.empty()) {
      line.mean_value = end.mean_value[j];
      line.difference = end.difference[j];
    }
    line.bound = end.best[j];
    line.form = end.form[j];
    report.outputs.push_back(line);
  }
}

void describe_observed(const roundoff::Program& program, RoundoffReport& report) {
  const roundoff::Observed& o = report.observed;
  if (o.runs == o.not_finite) return;
  for (std::size_t j = 0; j < report.outputs.size(); ++j) report.outputs[j].observed = o.output[j];
  for (std::size_t k = 0; k < program.operators.size(); ++k)
    if (!report.operators[k].fused) report.operators[k].observed = o.of_operator[k];
}

std::vector<std::string> assumptions_of(const roundoff::Program& p) {
  std::vector<std::string> out{"rounding to nearest; no Winograd or FFT convolution, no approximate division"};
  double functions = 0;
  bool rewritten_softmax = false, sums = false, unfolded = false;
  std::vector<std::string> blocks;
  for (std::uint32_t k = 0; k < p.operators.size(); ++k) {
    const roundoff::OpCode code = p.operators[k].code;
    const roundoff::Arithmetic& a = p.arithmetic_of(k);
    const bool norm = code == roundoff::OpCode::layernorm || code == roundoff::OpCode::rmsnorm;
    const bool elementary = code >= roundoff::OpCode::exp && code <= roundoff::OpCode::online_softmax;
    if (elementary && code != roundoff::OpCode::sqrt) functions = std::max(functions, a.function_ulps);
    sums = sums || norm;
    rewritten_softmax =
        rewritten_softmax ||
        (a.any_fusion() && (code == roundoff::OpCode::softmax || code == roundoff::OpCode::online_softmax));
    unfolded =
        unfolded || (code == roundoff::OpCode::bn && a.any_fusion() && (p.roundings.empty() || p.roundings[k] == 0));
    if (a.policy.reduction == Reduction::block &&
        std::find(blocks.begin(), blocks.end(), a.policy.block) == blocks.end())
      blocks.push_back(a.policy.block);
  }
  if (functions > 0) {
    char text[96];
    std::snprintf(text, sizeof text, "elementary functions are within %g ulp (--ulps), exp(0) is 1", functions);
    out.emplace_back(text);
  }
  if (rewritten_softmax) out.emplace_back("softmax divides by the sum: no product with its rounded reciprocal");
  if (sums) out.emplace_back("normalisation in two passes, as written; no one-pass variance, no Welford");
  for (const std::string& model : blocks)
    out.push_back("tensor core model " + model + ": a model of measurements, no promise of the vendor");
  if (unfolded)
    out.emplace_back("batch normalisation as written: root, difference, quotient, product, sum; not folded");
  return out;
}

void print_roundoff(const RoundoffReport& report, bool json) {
  if (json)
    print_json(report_json(report));
  else
    print_operator_table(report);
}

int roundoff_exit(const RoundoffReport& report) {
  if (report.observed.violations > 0) return exit_resource;
  if (!(report.bound() < HUGE_VAL)) return exit_unknown;
  return report.has_target && !report.target_reached ? exit_unknown : exit_holds;
}

}  // namespace outward::cli
