// Bounds of a property in a format: see the header.
#include "bounds/precise/precise.hpp"

#include <cmath>

#include "bounds/precise/double_ends.hpp"
#include "bounds/precise/engine.hpp"
#include "formats/error.hpp"

namespace outward {
namespace {

struct Stopped {};

// The plan of a box, from binary64.
precise::Plan plan_of(const Graph& graph, const std::vector<InputRange>& box, const std::function<void()>& check) {
  precise::Engine<precise::DoubleEnds> engine(graph, precise::DoubleEnds(), check);
  std::vector<Span<precise::DoubleEnds>> input;
  for (const InputRange& range : box) input.push_back(engine.spans().from(range.lo, range.hi));
  precise::Plan plan;
  engine.intervals(input);
  engine.narrow(plan, true);
  return plan;
}

template <class Ends>
class BoxBounds {
 public:
  BoxBounds(const Graph& graph, const Property& property, const Ends& ends, const std::function<void()>& check)
      : graph_(graph), property_(property), engine_(graph, ends, check), check_(check) {}

  void run(std::uint32_t index, PreciseBox& result) {
    const std::vector<InputRange>& box = property_.boxes[index];
    std::vector<S> input;
    for (const InputRange& range : box) input.push_back(spans().from(range.lo, range.hi));
    engine_.intervals(input);
    const std::vector<S> intervals = engine_.range(graph_.output);
    for (const S& y : intervals) result.intervals.push_back(exact(y));
    precise::Plan plan = plan_of(graph_, box, check_);
    engine_.narrow(plan, false);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const S& now = engine_.range(graph_.output)[i];
      result.linear.push_back(exact(spans().meet(now, engine_.bound(graph_.output, i, plan))));
    }
    for (std::uint32_t c = 0; c < property_.cases.size(); ++c)
      if (property_.cases[c].box == index) result.cases.push_back(bound_case(c, intervals, plan));
  }

 private:
  using S = Span<Ends>;
  using Number = typename Ends::Number;
  const Spans<Ends>& spans() const { return engine_.spans(); }
  PreciseRange exact(const S& x) const { return {spans().ends().exact(x.lo), spans().ends().exact(x.hi)}; }

  PreciseCase bound_case(std::uint32_t index, const std::vector<S>& intervals, const precise::Plan& plan) {
    PreciseCase out;
    out.case_index = index;
    Number best = spans().ends().unbounded(true);
    const std::vector<Row>& rows = property_.cases[index].rows;
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      const Number bound = bound_row(rows[r], intervals, plan);
      const int sign = spans().ends().is_bounded(bound) ? spans().ends().sign(bound) : -1;
      out.refuted = out.refuted || sign > 0 || (sign == 0 && rows[r].strict);
      if (spans().ends().compare(bound, best) <= 0) continue;
      best = bound;
      out.row = r;
    }
    out.bound = spans().ends().exact(best);
    return out;
  }

  // Backwards from the row, and over the ranges of the outputs: the better of the two.
  Number bound_row(const Row& row, const std::vector<S>& intervals, const precise::Plan& plan) {
    Integer greatest = 1;
    for (const auto& [output, coefficient] : row.terms) greatest = std::max(greatest, Integer(abs(coefficient)));
    const Number constant = spans().from(Rational(row.constant, greatest)).lo;
    Number over_ranges = constant;
    std::vector<S> form(intervals.size(), spans().zero());
    for (const auto& [output, coefficient] : row.terms) {
      form[output] = spans().from(Rational(coefficient, greatest));
      over_ranges = spans().fused_lower(form[output], engine_.range(graph_.output)[output], over_ranges);
    }
    return spans().greatest(over_ranges, engine_.lower(graph_.output, std::move(form), constant, plan));
  }

  const Graph& graph_;
  const Property& property_;
  precise::Engine<Ends> engine_;
  std::function<void()> check_;
};

// x * 2^e as a double, moved outward.
double directed(const ExactNumber& x, bool up) {
  if (x.kind == ExactNumber::Kind::infinite)
    return x.negative ? -precise::DoubleEnds::beyond : precise::DoubleEnds::beyond;
  if (x.factor.is_zero()) return 0;
  const std::int64_t size = static_cast<std::int64_t>(msb(abs(numerator(x.factor)))) -
                            static_cast<std::int64_t>(msb(denominator(x.factor))) + x.exponent;
  constexpr std::int64_t far = 5000;
  // Beyond binary64 any number of the same sign rounds the same way.
  const std::int64_t exponent = size > far ? far : size < -far ? -far : x.exponent;
  const Rational factor = std::abs(size) > far ? Rational(x.factor < 0 ? -1 : 1) : x.factor;
  const Integer power = Integer(1) << static_cast<unsigned>(std::abs(exponent));
  const Rational value = exponent < 0 ? Rational(factor / power) : Rational(factor * power);
  return up ? round_up(value) : round_down(value);
}

}  // namespace

PreciseResult bound_in_format(const Graph& graph, const Property& property,
                              const std::shared_ptr<const NumberFormat>& format, const PreciseOptions& options) {
  std::vector<Blocker> blockers;
  for (const Node& node : graph.nodes)
    if (!precise::is_covered(node.kind))
      blockers.push_back({"precision-operator", node.origin,
                          std::string("bounds in a number format have no rule for ") + kind_name(node.kind), "", "",
                          "leave out --precision"});
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
  return with_ends(format, [&](auto ends) {
    PreciseResult result;
    result.boxes.resize(property.boxes.size());
    const std::function<void()> check = [&] {
      if (options.stop && options.stop()) throw Stopped();
    };
    BoxBounds<decltype(ends)> bounds(graph, property, ends, check);
    for (std::uint32_t b = 0; b < property.boxes.size(); ++b) {
      try {
        check();
        bounds.run(b, result.boxes[b]);
      } catch (const Stopped&) {
        result.stopped = true;
        break;
      }
    }
    return result;
  });
}

double double_below(const ExactNumber& x) { return directed(x, false); }
double double_above(const ExactNumber& x) { return directed(x, true); }

}  // namespace outward
