// The cases of one box in one format: rows, weighted sums of rows, and halves of the box. Assumes a box whose ranges
// hold what the network receives (input_box of precise.cpp). Promises: a case is refuted only if no execution over the
// box makes all its rows true, by bounds in the format alone; under a float claim only where overflow is excluded.
#pragma once
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "bounds/precise/engine.hpp"
#include "bounds/precise/planning.hpp"
#include "bounds/precise/precise.hpp"

namespace outward::precise {

template <class Ends>
class BoxBounds {
 public:
  using Box = std::vector<InputRange>;

  BoxBounds(const Graph& graph, const Property& property, const Ends& ends, const FloatModel& model,
            const std::function<void()>& check)
      : graph_(graph), property_(property), model_(model), engine_(graph, ends, model, check), check_(check) {}

  // The whole box: outputs and cases. What was reached stays in result when check() throws.
  void run(const Box& box, const std::vector<std::uint32_t>& cases, PreciseBox& result) {
    bound_inputs(box);
    const std::vector<S> intervals = engine_.range(graph_.output);
    std::vector<PreciseRange> outer, linear;
    for (const S& y : intervals) outer.push_back(exact(y));
    plans_ = plan_box(graph_, property_, box, cases, model_, check_);
    engine_.narrow(plans_.plan, false);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const S& now = engine_.range(graph_.output)[i];
      linear.push_back(exact(spans().meet(now, engine_.bound(graph_.output, i, plans_.plan))));
    }
    result.overflow = engine_.overflow();
    if (!result.overflow.empty()) outer = linear = std::vector<PreciseRange>(intervals.size(), exact(spans().whole()));
    result.intervals = std::move(outer);
    result.linear = std::move(linear);
    for (std::size_t c = 0; c < cases.size(); ++c) result.cases.push_back(bound_case(cases[c], plans_.cases[c]));
    root_inputs_.clear();
    for (const CasePlan& plan : plans_.cases) root_inputs_.push_back(plan.input);
  }

  // Halves the box, and halves of it, until `most` parts are bounded, all calls together; depth first. REQUIRES run()
  // on the box, at = the place of the case in it. True: every part is refuted, so the case is.
  bool branch(const Box& box, std::uint32_t index, std::size_t at, const PreciseOptions& options,
              std::uint64_t& domains) {
    std::vector<Box> open;
    if (!halve(box, root_inputs_[at], open)) return false;
    while (!open.empty()) {
      if (domains >= options.most_domains) return false;
      ++domains;
      check_();
      const Box part = std::move(open.back());
      open.pop_back();
      bound_inputs(part);
      plans_ = plan_box(graph_, property_, part, {index}, model_, check_);
      engine_.narrow(plans_.plan, false);
      const CasePlan plan = plans_.cases[0];
      if (bound_case(index, plan).refuted) continue;
      if (options.open_part && options.open_part(index, part)) return false;
      if (!halve(part, plan.input, open)) return false;
    }
    return true;
  }

 private:
  using S = Span<Ends>;
  using Number = typename Ends::Number;
  using Combination = std::vector<std::pair<std::uint32_t, Rational>>;
  const Spans<Ends>& spans() const { return engine_.spans(); }
  PreciseRange exact(const S& x) const { return {spans().ends().exact(x.lo), spans().ends().exact(x.hi)}; }

  void bound_inputs(const Box& box) {
    std::vector<S> input;
    for (const InputRange& range : box) input.push_back(spans().from(range.lo, range.hi));
    engine_.intervals(input);
  }

  // Two parts of the box that cover it, at the double next to the middle of the input where that is inside.
  static bool halve(const Box& box, std::uint32_t input, std::vector<Box>& out) {
    const Rational &lo = box[input].lo, &hi = box[input].hi;
    if (lo == hi) return false;
    const Rational middle = (lo + hi) / 2;
    Rational at = outward::exact(round_nearest(middle));
    if (at <= lo || at >= hi) at = middle;
    Box low = box, high = box;
    low[input].hi = high[input].lo = at;
    low[input].hi_strict = high[input].lo_strict = false;
    out.push_back(std::move(high));
    out.push_back(std::move(low));
    return true;
  }

  PreciseCase bound_case(std::uint32_t index, const CasePlan& plan) {
    PreciseCase out;
    out.case_index = index;
    Number best = spans().ends().unbounded(true);
    if (engine_.overflow().empty()) {
      const std::vector<Row>& rows = property_.cases[index].rows;
      const auto take = [&](const Number& bound, bool strict) {
        const int sign = spans().ends().is_bounded(bound) ? spans().ends().sign(bound) : -1;
        out.refuted = out.refuted || sign > 0 || (sign == 0 && strict);
        if (spans().ends().compare(bound, best) <= 0) return false;
        best = bound;
        return true;
      };
      for (std::uint32_t r = 0; r < rows.size(); ++r) {
        std::vector<double> only(rows.size(), 0.0);
        only[r] = 1;
        if (take(bound_sum(rows, only), rows[r].strict)) out.row = r;
      }
      if (!plan.weights.empty()) {
        bool strict = false;
        for (std::size_t r = 0; r < rows.size(); ++r) strict = strict || (plan.weights[r] > 0 && rows[r].strict);
        if (take(bound_sum(rows, plan.weights), strict)) out.weights = plan.weights;
      }
    }
    out.bound = spans().ends().exact(best);
    return out;
  }

  // Lower bound of Σ weights[r] * row r / its greatest coefficient: backwards, and over the ranges of the outputs, the
  // better of the two.
  Number bound_sum(const std::vector<Row>& rows, const std::vector<double>& weights) {
    std::vector<Rational> sum(graph_.nodes[graph_.output].size, Rational(0));
    Rational rest = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (weights[r] == 0) continue;
      const Rational factor = outward::exact(weights[r]) / greatest_coefficient(rows[r]);
      for (const auto& [output, coefficient] : rows[r].terms) sum[output] += factor * coefficient;
      rest += factor * rows[r].constant;
    }
    const Number constant = spans().from(rest).lo;
    Number over_ranges = constant;
    std::vector<S> form(sum.size(), spans().zero());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (sum[i] == 0) continue;
      form[i] = spans().from(sum[i]);
      over_ranges = spans().fused_lower(form[i], engine_.range(graph_.output)[i], over_ranges);
    }
    return spans().greatest(over_ranges, engine_.lower(graph_.output, std::move(form), constant, plans_.plan));
  }

  const Graph& graph_;
  const Property& property_;
  FloatModel model_;
  Engine<Ends> engine_;
  std::function<void()> check_;
  BoxPlan plans_;
  std::vector<std::uint32_t> root_inputs_;
};

}  // namespace outward::precise
