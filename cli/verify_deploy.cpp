#include "cli/verify_deploy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bounds/roundoff/parts.hpp"
#include "formats/error.hpp"

namespace outward::cli {
namespace {

// Multiplications spent on bounds before activations.
constexpr double deploy_work = 2e9;

roundoff::Arithmetic deployed_arithmetic(const Options& o) {
  NumericalPolicy policy;
  policy.format = parse_format(o.deploy);
  if (!o.accumulate.empty()) policy.accumulator = parse_format(o.accumulate);
  if (policy.accumulator && *policy.accumulator == policy.format) policy.accumulator.reset();
  policy.reduction = Reduction::any_order_any_fusion;
  return roundoff::Arithmetic(policy);
}

// Σ a·y + c <= Σ |a|·E instead of <= 0, as integers with no common factor.
void move_row(Row& row, const std::vector<double>& error) {
  Rational moved = 0;
  for (const auto& [output, coefficient] : row.terms) {
    Rational part = exact(error[output]);
    part *= coefficient;
    if (part < 0) part = -part;
    moved += part;
  }
  const Integer scale = denominator(moved);
  row.constant = row.constant * scale - numerator(moved);
  Integer common = abs(row.constant);
  for (auto& [output, coefficient] : row.terms) {
    coefficient *= scale;
    common = gcd(common, abs(coefficient));
  }
  if (common <= 1) return;
  row.constant /= common;
  for (auto& [output, coefficient] : row.terms) coefficient /= common;
}

}  // namespace

Property deployed_property(const Options& o, const Model& model, const Network& net, const Property& property,
                           std::vector<std::string>& notes) {
  if (property.bound_only || property.cases.empty())
    throw UsageError("--deploy needs a question about the outputs; for bounds of errors alone there is `roundoff`");
  const roundoff::Program program = roundoff::program_of(model.graph, deployed_arithmetic(o));
  std::vector<std::vector<double>> error(property.boxes.size());
  double greatest = 0;
  Property out = property;
  for (Case& c : out.cases) {
    std::vector<double>& mine = error[c.box];
    if (mine.empty()) {
      roundoff::Box box;
      for (const InputRange& r : property.boxes[c.box]) {
        box.lo.push_back(round_down(r.lo));
        box.hi.push_back(round_up(r.hi));
      }
      const auto tight = analyse_tightly(program, box, exact_ranges(net, box), deploy_work);
      mine = end_to_end(program, tight.analysis).best;
      for (const double e : mine) greatest = std::max(greatest, e);
      if (!(greatest < infinity))
        throw InputRefused(Blocker{"no-error-bound", tight.analysis.overflow,
                                   "overflow in " + o.deploy + " is not excluded, so its error has no bound",
                                   "a wider format, or a smaller box", "", "roundoff says more"});
    }
    for (Row& row : c.rows) move_row(row, mine);
  }
  char figure[32];
  std::snprintf(figure, sizeof figure, "%.6g", greatest);
  notes.push_back("unsafe outputs are moved by the rounding error of " + o.deploy + ", at most " + figure +
                  ": `holds` covers its executions, inputs rounded once");
  return out;
}

void weaken_violated(Outcome& outcome) {
  outcome.violated_elsewhere = false;
  if (outcome.verdict != Verdict::violated) return;
  outcome.verdict = Verdict::unknown;
  outcome.counterexample.reset();
  outcome.execution.clear();
  outcome.reason = "some input comes within the rounding error of an unsafe output";
  outcome.next = "without --deploy: whether it is unsafe over the reals";
}

}  // namespace outward::cli
