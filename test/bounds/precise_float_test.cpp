// Bounds in number formats under float claims, by sums of rows and in parts: against executions in binary32 in random
// order and exact ones, and verdicts that nest as formats grow.
#include <doctest/doctest.h>

#include <cmath>

#include "bounds/precise/precise.hpp"
#include "test/bounds/support.hpp"
#include "test/runtime/small_graphs.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

PreciseResult bounded(const std::string& format, const Graph& graph, const Property& property, Semantics semantics,
                      std::uint64_t most_domains = 0) {
  PreciseOptions options;
  options.semantics = semantics;
  options.most_domains = most_domains;
  return bound_in_format(graph, property, parse_number_format(format), options);
}

bool holds(const PreciseRange& range, const Rational& x) {
  const auto value = [](const ExactNumber& e) {
    const Integer power = Integer(1) << static_cast<unsigned>(std::abs(e.exponent));
    return e.exponent < 0 ? Rational(e.factor / power) : Rational(e.factor * power);
  };
  const bool above = range.lo.kind != ExactNumber::Kind::number || value(range.lo) <= x;
  return above && (range.hi.kind != ExactNumber::Kind::number || x <= value(range.hi));
}

// Cases about to hold: each output (and its negative) at most a little beyond what samples reach, in pairs of rows too.
void add_close_cases(Random& random, const Graph& graph, const Box& box, Property& property) {
  std::vector<Rational> least;
  for (int p = 0; p < 30; ++p) {
    const auto y = evaluate_exactly(graph, exact_vector(random_point(random, box))).at(graph.output);
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (p == 0) least.push_back(y[j]);
      least[j] = std::min(least[j], y[j]);
    }
  }
  for (std::uint32_t j = 0; j < std::min<std::size_t>(least.size(), 2); ++j) {
    // 64 y_j - floor(64 (least - slack)) <= 0
    const Rational level = 64 * (least[j] - Rational(static_cast<int>(random() % 8) + 1, 10));
    Integer floor = numerator(level) / denominator(level);
    if (Rational(floor) > level) --floor;
    Row row;
    row.terms = {{j, Integer(64)}};
    row.constant = -floor;
    property.cases.push_back({0, {row}});
    if (least.size() < 2) continue;
    Row other;  // y_j below its level and the next output above everything seen of it: no single row need be false
    other.terms = {{j, Integer(32)}, {1 - j, Integer(3)}};
    other.constant = row.constant / 2 - 3;
    property.cases.push_back({0, {row, other}});
  }
}

// (x, -x) by a dense node.
Graph mirrored() { return graph_of({make(Kind::input, {}, 1), make(Kind::dense, {0}, 2, {1, 1, 2, 0}, {1, -1})}); }

}  // namespace

TEST_CASE("a float claim in any format holds every execution in binary32, where the reals do not") {
  Random random(611);
  std::size_t checks = 0, outside_reals = 0, refuted = 0;
  const std::vector<std::string> names = {"binary(15,200)", "binary32", "binary64", "bfloat16", "posit32", "decimal32"};
  for (int trial = 0; trial < 60; ++trial) {
    const Graph graph = random_graph(random, 1 + trial % 4, trial % 3 == 0);
    const Box box = random_box(random, graph.nodes[0].size, trial % 2 == 0 ? 0.0 : 0.25);
    Property property = box_property(box, graph.nodes[graph.output].size);
    for (std::uint32_t j = 0; j < property.outputs; ++j) {
      Case one;
      Row row;
      row.terms = {{j, Integer(j % 2 == 0 ? 1 : -1)}};
      row.constant = static_cast<std::int64_t>(random() % 9);
      one.rows = {row};
      property.cases.push_back(one);
    }
    const std::string& name = names[static_cast<std::size_t>(trial) % names.size()];
    CAPTURE(name);
    const PreciseBox result = bounded(name, graph, property, Semantics::fp32_any).boxes.at(0);
    const PreciseBox reals = bounded("binary(15,200)", graph, property, Semantics::real).boxes.at(0);
    REQUIRE(result.overflow == "");
    for (int p = 0; p < 8; ++p) {
      const auto executed = evaluate_binary32(graph, random_point(random, box), random).at(graph.output);
      const std::vector<Rational> y = exact_vector(executed);
      for (std::size_t i = 0; i < y.size(); ++i) {
        ++checks;
        CHECK(holds(result.intervals[i], y[i]));
        CHECK(holds(result.linear[i], y[i]));
        outside_reals += holds(reals.linear[i], y[i]) ? 0 : 1;
      }
      for (const PreciseCase& c : result.cases) {
        CHECK_FALSE((c.refuted && is_unsafe(property.cases[c.case_index], y)));
        refuted += c.refuted ? 1 : 0;
      }
    }
  }
  MESSAGE(checks << " outputs inside, " << outside_reals << " of them outside the bounds over the reals; " << refuted
                 << " refuted");
  CHECK(checks > 1000);
  CHECK(outside_reals > checks / 10);
  CHECK(refuted > 100);
}

TEST_CASE("what binary32 receives of a decimal box is inside: the ends are rounded before") {
  Property property = box_property({{0}, {0}}, 2);
  property.boxes[0][0] = {Rational(1, 10), Rational(1, 10), false, false};
  const PreciseBox found = bounded("binary128", mirrored(), property, Semantics::fp32_any).boxes.at(0);
  CHECK(holds(found.linear[0], exact(static_cast<double>(0.1F))));
  CHECK(holds(found.linear[1], exact(-static_cast<double>(0.1F))));
  const PreciseBox reals = bounded("binary128", mirrored(), property, Semantics::real).boxes.at(0);
  CHECK_FALSE(holds(reals.linear[0], exact(static_cast<double>(0.1F))));
}

TEST_CASE("where overflow cannot be excluded nothing is refuted and nothing bounded") {
  // 2^70 * x, 2^59 <= x <= 2^60: 2^130 overflows binary32; binary64 does not mind. e5m2 ends at 57344 < 2^127.
  Graph graph = mirrored();
  graph.nodes[1].payload = {0x1p70, -0x1p70};
  Property property = box_property({{0x1p59}, {0x1p60}}, 2);
  Row row;
  row.terms = {{0, Integer(1)}};
  property.cases.push_back({0, {row}});  // y_0 <= 0 is never true
  const PreciseBox found = bounded("binary128", graph, property, Semantics::fp32_any).boxes.at(0);
  CHECK_FALSE(found.overflow.empty());
  CHECK_FALSE(found.cases[0].refuted);
  CHECK(found.linear[0].lo.kind == ExactNumber::Kind::infinite);
  CHECK(bounded("binary128", graph, property, Semantics::real).boxes.at(0).cases[0].refuted);
  graph.element = ElementType::binary64;
  CHECK(bounded("binary128", graph, property, Semantics::fp64_any).boxes.at(0).cases[0].refuted);
  CHECK_FALSE(bounded("e5m2", graph, property, Semantics::fp64_any).boxes.at(0).cases[0].refuted);
}

TEST_CASE("a sum of rows refutes a conjunction that no row refutes") {
  // y = (x, -x): y_0 <= -1 and y_1 <= -1 is unsatisfiable, each alone is not.
  Property property = box_property({{-4}, {4}}, 2);
  Case both;
  for (std::uint32_t j = 0; j < 2; ++j) {
    Row row;
    row.terms = {{j, Integer(3 + 4 * j)}};  // scaled apart
    row.constant = 3 + 4 * static_cast<std::int64_t>(j);
    both.rows.push_back(row);
  }
  property.cases.push_back(both);
  for (const std::string name : {"e5m2", "bfloat16", "binary64", "decimal32", "posit16", "binary(15,200)"})
    for (const Semantics semantics : {Semantics::real, Semantics::fp32_any}) {
      CAPTURE(name);
      CAPTURE(semantics_name(semantics));
      const PreciseCase found = bounded(name, mirrored(), property, semantics).boxes.at(0).cases.at(0);
      CHECK(found.refuted);
      REQUIRE(found.weights.size() == 2);
      CHECK(std::fabs(found.weights[0] + found.weights[1] - 1) < 1e-3);
      CHECK(found.bound.factor > 0);
    }
  // With y_0 <= 1 in place of the first the point x = 1 is unsafe.
  property.cases[0].rows[0].constant = -3;
  CHECK_FALSE(bounded("binary64", mirrored(), property, Semantics::real).boxes.at(0).cases.at(0).refuted);
  // Equality at one point: refuted only if a row with weight is strict.
  property.cases[0].rows[0].constant = 0;
  property.cases[0].rows[1].constant = 0;
  CHECK_FALSE(bounded("binary64", mirrored(), property, Semantics::real).boxes.at(0).cases.at(0).refuted);
  property.cases[0].rows[1].strict = true;
  CHECK(bounded("binary64", mirrored(), property, Semantics::real).boxes.at(0).cases.at(0).refuted);
}

TEST_CASE("halving inputs refutes more, never a case that a sample reaches, and no less in a larger format") {
  Random random(612);
  std::size_t at_once = 0, in_parts = 0, open = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Graph graph = random_graph(random, 2 + trial % 2);
    const Box box = random_box(random, graph.nodes[0].size, 0.25);
    Property property = box_property(box, graph.nodes[graph.output].size);
    add_close_cases(random, graph, box, property);
    const Semantics semantics = trial % 2 == 0 ? Semantics::real : Semantics::fp32_any;
    std::vector<PreciseCase> smaller;
    for (const char* name : {"bfloat16", "binary32", "binary128"}) {
      const PreciseResult result = bounded(name, graph, property, semantics, 60);
      CHECK(result.domains <= 60);
      const std::vector<PreciseCase>& cases = result.boxes.at(0).cases;
      for (std::size_t c = 0; c < cases.size(); ++c) {
        at_once += cases[c].refuted && !cases[c].branched ? 1 : 0;
        in_parts += cases[c].branched ? 1 : 0;
        open += cases[c].refuted ? 0 : 1;
        CHECK((smaller.empty() || cases[c].refuted || !smaller[c].refuted));
        if (!cases[c].refuted) continue;
        for (int p = 0; p < 20; ++p) {
          const std::vector<double> x = random_point(random, box);
          CHECK_FALSE(is_unsafe(property.cases[c], evaluate_exactly(graph, exact_vector(x)).at(graph.output)));
          if (semantics == Semantics::fp32_any)
            CHECK_FALSE(
                is_unsafe(property.cases[c], exact_vector(evaluate_binary32(graph, x, random).at(graph.output))));
        }
      }
      smaller = cases;
    }
  }
  MESSAGE(at_once << " refuted at once, " << in_parts << " in parts, " << open << " open");
  CHECK(in_parts > 0);
  CHECK(open > 0);
}

TEST_CASE("a sum that is 0 everywhere is bounded in halves, not at once") {
  // y = relu(x) - relu(-x) - relu(x + 1) + 1 = 0 on [-1, 1]; unsafe from 1/4 on.
  const Graph graph = graph_of({make(Kind::input, {}, 1), make(Kind::dense, {0}, 3, {1, 1, 3, 1}, {1, -1, 1, 0, 0, 1}),
                                make(Kind::relu, {1}, 3), make(Kind::dense, {2}, 1, {1, 3, 1, 1}, {1, -1, -1, 1})});
  Property property = box_property({{-1}, {1}}, 1);
  Row row;
  row.terms = {{0, Integer(-4)}};
  row.constant = 1;
  property.cases.push_back({0, {row}});
  for (const std::string name : {"bfloat16", "binary64", "binary128", "decimal32", "posit16"})
    for (const Semantics semantics : {Semantics::real, Semantics::fp32_any}) {
      CAPTURE(name);
      CHECK_FALSE(bounded(name, graph, property, semantics).boxes.at(0).cases.at(0).refuted);
      CHECK_FALSE(bounded(name, graph, property, semantics, 1).boxes.at(0).cases.at(0).refuted);
      const PreciseResult halves = bounded(name, graph, property, semantics, 10);
      CHECK(halves.boxes.at(0).cases.at(0).refuted);
      CHECK(halves.boxes.at(0).cases.at(0).branched);
      CHECK(halves.domains == 2);
      // A part with an unsafe point is never closed: y < 1/4 everywhere, so 4 y <= 1 is the wrong way round.
      Property wrong = property;
      wrong.cases[0].rows[0].terms = {{0, Integer(4)}};
      wrong.cases[0].rows[0].constant = -1;
      const PreciseResult open = bounded(name, graph, wrong, semantics, 10);
      CHECK_FALSE(open.boxes.at(0).cases.at(0).refuted);
      CHECK(open.domains == 10);
    }
}
