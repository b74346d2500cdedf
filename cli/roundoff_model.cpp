// `roundoff MODEL`; see roundoff_commands.hpp.
#include <algorithm>
#include <bit>
#include <cmath>

#include "bounds/roundoff/margin.hpp"
#include "bounds/roundoff/parts.hpp"
#include "bounds/roundoff/planned.hpp"
#include "bounds/roundoff/recommend.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/shapes.hpp"
#include "cli/roundoff_commands.hpp"
#include "cli/roundoff_policy.hpp"
#include "cli/roundoff_report.hpp"
#include "importers/arrays/arrays.hpp"
#include "importers/onnx/onnx.hpp"
#include "importers/vnnlib/vnnlib.hpp"

namespace outward::cli {
namespace {

roundoff::Box box_of_model(const RoundoffOptions& o, const Graph& graph, std::string& text) {
  roundoff::Box box;
  const std::size_t n = graph.nodes[0].size;
  if (!o.property.empty()) {
    const Property property = read_vnnlib(o.property, n, graph.nodes[graph.output].size);
    if (property.boxes.empty()) throw UsageError("--property: the property has no input box");
    for (std::size_t i = 0; i < n; ++i) {
      double lo = infinity, hi = -infinity;
      for (const auto& one : property.boxes) {
        lo = std::min(lo, round_down(one[i].lo));
        hi = std::max(hi, round_up(one[i].hi));
      }
      box.lo.push_back(lo);
      box.hi.push_back(hi);
    }
    text = "inputs in the boxes of " + o.property;
  } else if (!o.input.empty()) {
    const double radius = o.radius.empty() ? 0 : next_up(option_number("--radius", o.radius));
    if (!(radius >= 0)) throw UsageError("--radius: not below 0");
    for (const std::uint64_t bits : read_array(o.input, {graph.element, n, graph.input_shape, o.layout})) {
      const double x = graph.element == ElementType::binary32
                           ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                           : std::bit_cast<double>(bits);
      box.lo.push_back(o.radius.empty() ? x : sub_down(x, radius));
      box.hi.push_back(o.radius.empty() ? x : add_up(x, radius));
    }
    text = "inputs " + (o.radius.empty() ? "" : "within " + o.radius + " of ") + o.input;
  } else if (!o.range.empty()) {
    const auto [lo, hi] = option_range("--range", o.range);
    box.lo.assign(n, lo);
    box.hi.assign(n, hi);
    text = "inputs in [" + o.range + "]";
  } else {
    throw UsageError("where do the inputs lie: --input FILE [--radius R], --range LO,HI or --property FILE.vnnlib");
  }
  box.rounded = o.input_error != "none";
  if (o.input_error != "none" && o.input_error != "rounded" && !o.input_error.empty())
    throw UsageError("--input-error: rounded (each input is a real number rounded once) or none");
  text += box.rounded ? ", rounded once" : ", numbers of the format";
  for (std::size_t i = 0; i < n; ++i)
    if (!(std::fabs(box.lo[i]) < infinity) || !(std::fabs(box.hi[i]) < infinity))
      throw InputRefused(Blocker{"unbounded-input", "input " + std::to_string(i), "the range of an input is unbounded",
                                 "finite ends", "", ""});
  return box;
}

// The arithmetic of every node: that of the options, or of the kernels that the profile plans.
struct Asked {
  roundoff::PlannedArithmetic nodes;
  std::shared_ptr<const AcceptedPlan> plan;  // null without --profile
  bool in_any_order = false;                 // the float claim of the element type covers all of it
};

Asked planned(const RoundoffOptions& o, const Graph& graph, RoundoffReport& report) {
  if (!o.format.empty() || !o.accumulator.empty() || !o.policy.empty() || o.order != "any")
    throw UsageError("--profile says everything: not together with --format, --accumulate, --order or --policy");
  if (!o.target.empty()) throw UsageError("--target: not with --profile, whose kernels have their formats");
  Asked out;
  out.plan = accepted_plan(graph, profile_of(o.profile), registry_of(o.records));
  const Plan& plan = out.plan->plan();
  std::vector<NumericalPolicy> policies(graph.nodes.size());
  std::vector<std::string> names(graph.nodes.size());
  std::vector<Capsule> used;
  out.in_any_order = true;
  for (const PlannedNode& n : plan.nodes) {
    policies[n.node] = n.capsule.policy;
    names[n.node] = n.capsule.name;
    used.push_back(n.capsule);
    out.in_any_order = out.in_any_order && covered_by_any(n.capsule.policy);
  }
  out.nodes = roundoff::arithmetics_of(graph, policies, names, ulps_of(o));
  const Closure closure = trust_closure(used);
  report.policy = "the policies of a plan";
  report.plan = {plan.profile.name, profile_line(plan.profile), trust_text(closure.weakest), closure.requires_off};
  report.assumptions = closure.assumptions;
  return out;
}

Asked as_given(const RoundoffOptions& o, const Graph& graph, RoundoffReport& report) {
  if (!o.records.records.empty() || !o.records.allow.empty()) throw UsageError("--records, --allow: of --profile");
  Asked out;
  const roundoff::Arithmetic a = arithmetic_of(o);
  report.policy = policy_text(a.policy);
  out.nodes = {{a}, std::vector<std::uint32_t>(graph.nodes.size(), 0)};
  const Format element = parse_format(graph.element == ElementType::binary32 ? "binary32" : "binary64");
  out.in_any_order = covered_by_any(a.policy) && a.any_fusion() && a.values.format == element;
  return out;
}

// Names the kernel of every operator of the report.
void name_kernels(const AcceptedPlan& plan, RoundoffReport& report) {
  for (OperatorLine& line : report.operators) {
    const Capsule* c = line.node < 0 ? nullptr : plan.capsule(static_cast<std::uint32_t>(line.node));
    if (c == nullptr) continue;
    line.capsule = c->name;
    line.trust = trust_text(c->trust);
    line.policy = policy_text(c->policy);
  }
}

}  // namespace

int roundoff_model(const RoundoffOptions& options) {
  const Model model = import_onnx(options.file, parse_shapes(options.shapes));
  const Graph& graph = model.graph;
  const Network net(graph);
  RoundoffReport report;
  report.subject = options.file;
  const Asked asked = options.profile.empty() ? as_given(options, graph, report) : planned(options, graph, report);
  const roundoff::Box box = box_of_model(options, graph, report.inputs);
  const roundoff::Program program = program_of(graph, asked.nodes.arithmetics, asked.nodes.of_node);

  const std::vector<roundoff::Quantities> exact = roundoff::exact_ranges(net, box);
  const roundoff::TightAnalysis tight = analyse_tightly(program, box, exact, options.work);
  if (tight.skipped > 0)
    report.notes.push_back(std::to_string(tight.skipped) +
                           " layers have forward bounds only: their backward passes are beyond --work");
  roundoff::EndToEnd end = end_to_end(program, tight.analysis);
  describe(program, box, tight.analysis, end, report);
  if (options.parts > 1) {
    const roundoff::Parts parts = bound_by_parts(net, program, box, options.parts, options.work);
    report.notes.push_back("bounds of outputs from " + std::to_string(parts.count) +
                           " parts of the box; the operators are those of the whole");
    for (std::size_t j = 0; j < parts.bound.size(); ++j) {
      if (!(parts.bound[j] < end.best[j])) continue;
      report.outputs[j].bound = end.best[j] = parts.bound[j];
      report.outputs[j].form = "parts";
    }
  }
  if (asked.plan) name_kernels(*asked.plan, report);
  for (std::string& a : assumptions_of(program)) report.assumptions.push_back(std::move(a));

  // The lower bounds that `verify` works with, where the policy is the one it covers.
  const bool single = graph.element == ElementType::binary32;
  if (asked.in_any_order)
    for (const roundoff::Margin& m :
         roundoff::margins(net, single ? Semantics::fp32_any : Semantics::fp64_any, box.lo, box.hi))
      report.margins.push_back({m.output, m.real, m.computed, m.difference(), m.shares, m.ranges});

  if (options.observe && options.samples > 0) {
    report.observed = observe(program, roundoff::in_binary64(program), tight.analysis, end.best, box,
                              {options.samples, options.seed});
    if (!report.observed.skipped.empty()) report.notes.push_back("nothing observed: " + report.observed.skipped);
    describe_observed(program, report);
  }
  if (!options.target.empty()) {
    report.has_target = true;
    report.target = option_number("--target", options.target);
    std::vector<double> share(graph.nodes.size(), 0.0);
    for (std::size_t k = 0; k < report.operators.size(); ++k)
      if (program.node[k] >= 0) share[static_cast<std::size_t>(program.node[k])] = report.operators[k].share;
    roundoff::RecommendOptions how;
    how.target = report.target;
    const roundoff::Recommendation r = recommend(graph, asked.nodes.arithmetics[0], box, exact, share, how);
    report.target_reached = r.reached;
    report.target_bound = r.bound;
    report.search_complete = r.complete;
    report.tried = r.tried;
    for (OperatorLine& line : report.operators)
      if (line.node >= 0) line.recommended = r.format[static_cast<std::size_t>(line.node)];
  }
  if (!options.plot.empty()) write_roundoff_plot(report, options.plot);
  print_roundoff(report, options.json);
  return roundoff_exit(report);
}

}  // namespace outward::cli
