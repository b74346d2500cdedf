#include "bounds/roundoff/fpcore/analyse.hpp"

#include <algorithm>
#include <cmath>

namespace outward::fpcore {
namespace {

// Floor of log2(largest number / magnitude), from below.
double headroom(const FormatModel& format, double magnitude) {
  if (!(magnitude < infinity)) return -infinity;
  if (magnitude == 0) return infinity;
  return floor_log2_of(format.greatest) - floor_log2_of(magnitude) - (magnitude > format.greatest ? 1 : 0);
}

bool may_be_subnormal(const FormatModel& format, Span range) {
  const bool positive = range.hi > 0 && range.lo < format.least_normal;
  const bool negative = range.lo < 0 && range.hi > -format.least_normal;
  return positive || negative;
}

// Sums of subnormal numbers are exact, roots are larger; products, quotients and functions lose bits there.
bool loses_when_small(Op op) {
  return op != Op::add && op != Op::subtract && op != Op::constant && op != Op::negate && op != Op::absolute &&
         op != Op::minimum && op != Op::maximum && op != Op::square_root;
}

std::vector<OperationReport> operations_of(const Core& core, BoxAnalysis& analysis, const std::vector<Span>& box,
                                           const std::vector<Span>& point) {
  std::vector<OperationReport> found;
  const BoxBound whole = analysis.bound(box);
  const int last = whole.failed >= 0 ? whole.failed - 1 : core.root;
  for (int k = 0; k <= last; ++k) {
    const Node& node = core.nodes[static_cast<std::size_t>(k)];
    const NodeState& at = analysis.state(k);
    OperationReport report;
    report.node = k;
    report.text = node.text;
    report.place = node.place;
    report.format = format_text(core.formats[static_cast<std::size_t>(node.format)]);
    report.range = at.computed;
    report.local = node.op == Op::constant ? node.error.magnitude() : at.local;
    report.headroom_bits = headroom(analysis.format(k), at.computed.magnitude());
    report.may_underflow = loses_when_small(node.op) && may_be_subnormal(analysis.format(k), at.before);
    found.push_back(std::move(report));
  }
  if (point.size() == box.size() && analysis.bound(point).failed < 0) {
    double sum = 0;
    for (OperationReport& report : found) sum += analysis.share(report.node);
    for (OperationReport& report : found) report.share = sum > 0 ? analysis.share(report.node) / sum : 0;
  }
  std::erase_if(found,
                [](const OperationReport& r) { return r.local == 0 && r.headroom_bits > 4 && !r.may_underflow; });
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return found;
}

std::string ulps_text(double ulps) {
  std::string text = std::to_string(ulps);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

void add_assumptions(const Core& core, const ErrorModel& model, Report& out) {
  out.assumptions.push_back("every operation is rounded to nearest once, with subnormal numbers, in the order written");
  out.assumptions.push_back(model.exact_inputs ? "inputs are numbers of their formats"
                                               : "inputs are real numbers, rounded to nearest on entry");
  std::vector<std::string> names;
  for (const Node& node : core.nodes) {
    std::string name;
    if (node.op == Op::function) name = row_of(node.function).name;
    if (node.op == Op::power) name = "pow";
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  out.assumptions.push_back("library functions (" + list + ") are within " + ulps_text(model.function_ulps) +
                            " ulp of the exact value");
}

}  // namespace

Report analyse(const Core& core, const ErrorModel& model, const Effort& effort, bool want_relative) {
  Report out;
  BoxAnalysis analysis(core, model);
  std::vector<Span> box;
  for (const Variable& variable : core.variables) box.push_back(variable.range);
  const BoxBound whole = analysis.bound(box);
  out.interval = whole.failed >= 0 ? infinity : std::min(whole.interval, whole.hull);
  out.affine = whole.failed >= 0 ? infinity : whole.taylor;
  const Optimum best = maximise(analysis, box, Objective::absolute, effort);
  out.taylor = best.bound;
  out.value = whole.failed >= 0 ? best.value : intersection(best.value, whole.value);
  out.absolute = std::min({out.interval, out.affine, out.taylor});
  out.form = out.absolute == out.taylor ? "taylor" : out.absolute == out.affine ? "affine" : "interval";
  out.boxes = best.boxes;
  out.converged = best.converged;
  out.out_of_time = best.out_of_time;
  out.at_point = best.at_point;
  for (std::size_t i = 0; i < best.point.size(); ++i) out.point.emplace_back(core.variables[i].name, best.point[i].lo);
  if (!(out.absolute < infinity)) {
    out.form = "none";
    const Node& node = core.nodes[static_cast<std::size_t>(std::max(best.failed, 0))];
    out.reason = best.failed >= 0 ? std::string(best.reason) + ": " + node.text : "the bound is infinite";
    out.reason_place = node.place;
  }
  if (!(out.value.least_magnitude() > 0)) {
    out.relative_reason = out.value.bounded() ? "the exact result may be zero" : "the exact result has no bound";
  } else if (out.absolute < infinity && want_relative) {
    const Optimum relative = maximise(analysis, box, Objective::relative, effort);
    out.boxes += relative.boxes;
    out.relative = std::min(relative.bound, div_up(out.absolute, out.value.least_magnitude()));
  }
  out.operations = operations_of(core, analysis, box, best.point);
  add_assumptions(core, model, out);
  return out;
}

}  // namespace outward::fpcore
