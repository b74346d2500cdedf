// Choices made in binary64: see the header.
#include "bounds/precise/planning.hpp"

#include <algorithm>
#include <cmath>

#include "bounds/precise/double_ends.hpp"
#include "bounds/precise/engine.hpp"
#include "bounds/rows.hpp"

namespace outward::precise {
namespace {

double middle(const Span<DoubleEnds>& x) { return 0.5 * x.lo + 0.5 * x.hi; }

// The input whose halving promises most: by the slopes of the rows (their signs never cancel) times its width, with a
// tenth of the mean slope for inputs that only bend the network.
std::uint32_t input_to_halve(const Planes& planes, const std::vector<double>& weights, const Range& box) {
  const std::size_t n = box.lo.size();
  std::vector<double> slope(n, 0.0);
  double mean = 0;
  for (std::size_t r = 0; r < weights.size(); ++r)
    for (std::size_t i = 0; i < n; ++i) slope[i] += weights[r] * std::fabs(planes.coefficient[r * n + i]);
  for (double s : slope) mean += s / static_cast<double>(n);
  if (!(mean < DoubleEnds::beyond) || mean == 0) std::fill(slope.begin(), slope.end(), mean = 1);
  std::uint32_t best = 0;
  double most = -1;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double score = (slope[i] + 0.1 * mean) * (box.hi[i] - box.lo[i]);
    if (score > most) most = score, best = i;
  }
  return best;
}

}  // namespace

Integer greatest_coefficient(const Row& row) {
  Integer greatest = 1;
  for (const auto& [output, coefficient] : row.terms) greatest = std::max(greatest, Integer(abs(coefficient)));
  return greatest;
}

BoxPlan plan_box(const Graph& graph, const Property& property, const std::vector<InputRange>& box,
                 const std::vector<std::uint32_t>& cases, const FloatModel& model, const std::function<void()>& check) {
  Engine<DoubleEnds> engine(graph, DoubleEnds(), model, check);
  using S = Span<DoubleEnds>;
  const auto& spans = engine.spans();
  std::vector<S> input;
  Range range;
  for (const InputRange& r : box) {
    input.push_back(spans.from(r.lo, r.hi));
    range.lo.push_back(input.back().lo);
    range.hi.push_back(input.back().hi);
  }
  BoxPlan out;
  engine.intervals(input);
  engine.narrow(out.plan, true);
  for (const std::uint32_t c : cases) {
    const std::vector<Row>& rows = property.cases[c].rows;
    Planes planes;
    bool finite = true;
    for (const Row& row : rows) {
      const Integer greatest = greatest_coefficient(row);
      std::vector<S> form(graph.nodes[graph.output].size, spans.zero());
      for (const auto& [output, coefficient] : row.terms) form[output] = spans.from(Rational(coefficient, greatest));
      std::pair<std::vector<S>, double> plane;
      engine.lower(graph.output, std::move(form), spans.from(Rational(row.constant, greatest)).lo, out.plan, &plane);
      plane.first.resize(box.size(), spans.zero());
      for (const S& a : plane.first) planes.coefficient.push_back(middle(a));
      planes.offset.push_back(plane.second);
      finite = finite && std::isfinite(plane.second);
    }
    for (const double a : planes.coefficient) finite = finite && std::isfinite(a);
    CasePlan plan;
    const std::vector<double> ones(rows.size(), 1.0);
    std::vector<double> weights = ones;
    if (finite && rows.size() > 1) {
      plan.weights = weights = weigh_planes(planes, 0, rows.size(), ones, range);
      const auto used = std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; });
      if (used < 2) plan.weights.clear();  // bounded as a row anyway
    }
    plan.input = input_to_halve(planes, weights, range);
    out.cases.push_back(std::move(plan));
  }
  return out;
}

}  // namespace outward::precise
