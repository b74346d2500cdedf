// Bounds computed in number formats: against exact rational evaluation on random graphs, nested as formats grow, in
// agreement with the binary64 engine, and never a verdict from numbers that overflowed.
#include "bounds/precise/precise.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "bounds/prove.hpp"
#include "formats/error.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

Rational value(const ExactNumber& x) {
  const Integer power = Integer(1) << static_cast<unsigned>(x.exponent < 0 ? -x.exponent : x.exponent);
  return x.exponent < 0 ? Rational(x.factor / power) : Rational(x.factor * power);
}
bool bounded(const ExactNumber& x) { return x.kind == ExactNumber::Kind::number; }
// a <= b where an unbounded end is -inf or inf.
bool at_most(const ExactNumber& a, const ExactNumber& b) {
  if (!bounded(a)) return a.negative || (!bounded(b) && !b.negative);
  if (!bounded(b)) return !b.negative;
  return value(a) <= value(b);
}
bool inside(const PreciseRange& inner, const PreciseRange& outer) {
  return at_most(outer.lo, inner.lo) && at_most(inner.hi, outer.hi);
}
bool contains(const PreciseRange& range, const Rational& x) {
  return (!bounded(range.lo) || value(range.lo) <= x) && (!bounded(range.hi) || x <= value(range.hi));
}

PreciseResult bounds_in(const std::string& name, const Graph& graph, const Property& property,
                        Semantics semantics = Semantics::real, std::uint64_t most_domains = 0) {
  PreciseOptions options;
  options.semantics = semantics;
  options.most_domains = most_domains;
  return bound_in_format(graph, property, parse_number_format(name), options);
}

// Random rows over the outputs, one or two in a case.
void add_cases(Random& random, Property& property) {
  for (int c = 0; c < 3; ++c) {
    Case one;
    for (std::uint64_t rows = 1 + random() % 2; rows > 0; --rows) {
      Row row;
      for (std::uint32_t j = 0; j < property.outputs; ++j)
        if (const auto a = static_cast<std::int64_t>(random() % 7) - 3; a != 0) row.terms.emplace_back(j, a);
      row.constant = static_cast<std::int64_t>(random() % 41) - 10;
      row.strict = random() % 2 == 0;
      one.rows.push_back(row);
    }
    property.cases.push_back(one);
  }
}

}  // namespace

TEST_CASE("bounds in formats of every family enclose exact values, and refuted cases have no point") {
  Random random(601);
  std::size_t checks = 0, refuted = 0, unbounded = 0;
  const std::vector<std::string> names = {"bfloat16",  "binary16",  "e5m2",           "binary32",
                                          "binary64",  "binary128", "binary(15,200)", "e4m3fn",
                                          "decimal32", "posit16",   "binary8p3",      "int16(scale=1/64)"};
  for (int trial = 0; trial < 60; ++trial) {
    const Graph graph = random_graph(random, 1 + trial % 4);
    const Box box = random_box(random, graph.nodes[0].size, trial % 2 == 0 ? 0.5 : 0.05);
    Property property = box_property(box, graph.nodes[graph.output].size);
    add_cases(random, property);
    const std::string& name = names[static_cast<std::size_t>(trial) % names.size()];
    CAPTURE(name);
    const PreciseBox result = bounds_in(name, graph, property).boxes.at(0);
    REQUIRE(result.cases.size() == property.cases.size());
    for (int p = 0; p < 6; ++p) {
      const auto y = evaluate_exactly(graph, exact_vector(random_point(random, box))).at(graph.output);
      for (std::size_t i = 0; i < y.size(); ++i) {
        ++checks;
        CHECK(contains(result.intervals[i], y[i]));
        CHECK(contains(result.linear[i], y[i]));
        CHECK(inside(result.linear[i], result.intervals[i]));
        unbounded += bounded(result.linear[i].lo) ? 0 : 1;
      }
      for (const PreciseCase& c : result.cases) {
        CHECK_FALSE((c.refuted && is_unsafe(property.cases[c.case_index], y)));
        refuted += c.refuted ? 1 : 0;
      }
    }
  }
  MESSAGE(checks << " values inside, " << unbounded << " of them without a lower end; " << refuted << " refuted");
  CHECK(checks > 1000);
  CHECK(refuted > 100);
}

TEST_CASE("bounds nest as the format grows, by intervals and backwards") {
  Random random(602);
  const std::vector<std::string> chain = {"e5m2", "binary16", "binary32", "binary64", "binary128", "binary(15,200)"};
  std::size_t narrower = 0, pairs = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Graph graph = random_graph(random, 1 + trial % 4, trial % 4 == 0);
    Property property = box_property(random_box(random, graph.nodes[0].size, trial % 2 == 0 ? 0.5 : 0.02),
                                     graph.nodes[graph.output].size);
    add_cases(random, property);
    std::vector<PreciseBox> results;
    std::vector<std::string> names = chain;
    if (trial % 2 == 1) names[0] = names[1] = "bfloat16";
    const Semantics semantics = trial % 4 < 2 ? Semantics::real : Semantics::fp32_any;
    for (const std::string& name : names) results.push_back(bounds_in(name, graph, property, semantics).boxes.at(0));
    for (std::size_t f = 1; f < results.size(); ++f) {
      CAPTURE(names[f]);
      for (std::size_t i = 0; i < results[f].linear.size(); ++i) {
        ++pairs;
        CHECK(inside(results[f].intervals[i], results[f - 1].intervals[i]));
        CHECK(inside(results[f].linear[i], results[f - 1].linear[i]));
        narrower += inside(results[f - 1].linear[i], results[f].linear[i]) ? 0 : 1;
      }
      for (std::size_t c = 0; c < results[f].cases.size(); ++c) {
        CHECK(at_most(results[f - 1].cases[c].bound, results[f].cases[c].bound));
        CHECK((results[f].cases[c].refuted || !results[f - 1].cases[c].refuted));
      }
    }
  }
  MESSAGE(narrower << " of " << pairs << " bounds are strictly narrower in the larger format");
  CHECK(narrower > pairs / 4);  // many graphs have few bits: their bounds are exact early
}

TEST_CASE("many digits: inside the intervals of the binary64 engine, and nearly as wide") {
  Random random(603);
  for (int trial = 0; trial < 40; ++trial) {
    const Graph graph = random_graph(random, 1 + trial % 4, trial % 4 == 0);
    const Box box = random_box(random, graph.nodes[0].size, 0.25);
    const Property property = box_property(box, graph.nodes[graph.output].size);
    const Network net(graph);
    const Semantics semantics = trial % 2 == 0 ? Semantics::real : Semantics::fp32_any;
    const PreciseBox precise = bounds_in("binary(15,200)", graph, property, semantics).boxes.at(0);
    BoxProver prover(net, semantics, {});
    const Range engine = prover.interval_only({box.lo, box.hi}).output;
    for (std::size_t i = 0; i < engine.lo.size(); ++i) {
      const Rational lo = value(precise.intervals[i].lo), hi = value(precise.intervals[i].hi);
      CHECK(exact(engine.lo[i]) <= lo);
      CHECK(hi <= exact(engine.hi[i]));
      const Rational slack = (hi - lo + abs(lo) + abs(hi) + 1) / 1000000000;
      CHECK(lo - exact(engine.lo[i]) <= slack);
      CHECK(exact(engine.hi[i]) - hi <= slack);
    }
  }
}

namespace {

// y = weight * x, x in [-1, 1]; unsafe when y >= 3000.
Property far_property(Graph& graph, double weight) {
  graph.nodes = {Node{Kind::input, {}, 1, {}, {}, "", {}}, Node{Kind::dense, {0}, 1, {1, 1, 1, 0}, {weight}, "", {}},
                 Node{Kind::relu, {1}, 1, {}, {}, "", {}}};
  graph.output = 2;
  Property property = box_property({{-1}, {1}}, 1);
  Case far;
  far.rows.push_back({{{0, Integer(-1)}}, Integer(3000), false, 0});
  property.cases.push_back(far);
  return property;
}

}  // namespace

TEST_CASE("what a format cannot hold is unbounded and refutes nothing") {
  for (const char* name :
       {"e4m3fn", "e4m3fnuz", "e2m1", "e5m2(saturate)", "int8", "posit8", "binary8p4(satfinite)", "uint8"}) {
    CAPTURE(name);
    Graph graph;
    // 2^30 is beyond all of these: y reaches 2^30 and is unsafe, whatever the format saturates to.
    const Property property = far_property(graph, 0x1p30);
    const PreciseBox box = bounds_in(name, graph, property).boxes.at(0);
    CHECK_FALSE(bounded(box.linear[0].hi));
    CHECK_FALSE(box.linear[0].hi.negative);
    CHECK_FALSE(box.cases[0].refuted);
  }
  for (const char* name : {"binary16", "bfloat16", "binary64", "posit16", "decimal32"}) {
    CAPTURE(name);
    Graph graph;
    const Property property = far_property(graph, 2500);
    CHECK(bounds_in(name, graph, property).boxes.at(0).cases[0].refuted);
  }
}

TEST_CASE("bounds of a format as doubles are outward, whatever its exponents") {
  const auto number = [](Integer n, std::int64_t e) {
    return ExactNumber{ExactNumber::Kind::number, n < 0, Rational(n), e};
  };
  const double greatest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  CHECK(double_below(number(1, 100000000)) == greatest);
  CHECK(std::isinf(double_above(number(1, 100000000))));
  CHECK(double_below(number(-1, -100000000)) == -least);
  CHECK(double_above(number(-1, -100000000)) == 0);
  CHECK(double_below(number((Integer(1) << 60) + 1, -60)) == 1);
  CHECK(double_above(number((Integer(1) << 60) + 1, -60)) == 1 + 0x1p-52);
  CHECK(double_above(ExactNumber{ExactNumber::Kind::infinite, true, 0, 0}) ==
        -double_above(ExactNumber{ExactNumber::Kind::infinite, false, 0, 0}));
}

TEST_CASE("a stop ends the work between backward passes") {
  Random random(604);
  const Graph graph = random_graph(random, 3);
  const Property property = box_property(random_box(random, graph.nodes[0].size, 0.5), graph.nodes[graph.output].size);
  int asked = 0;
  PreciseOptions options;
  options.stop = [&] { return ++asked > 2; };
  const PreciseResult result = bound_in_format(graph, property, parse_number_format("binary32"), options);
  CHECK(result.stopped);
  CHECK(result.boxes.at(0).linear.size() < property.outputs);
}

TEST_CASE("ranges as wide as binary64 and wider") {
  for (const double weight : {0x1p100, 0x1p1000, -0x1p1023, 1e-300}) {
    Graph graph;
    Property property = far_property(graph, weight);
    graph.nodes[2].kind = Kind::leaky;
    graph.nodes[2].payload = {0.5};
    property.boxes[0][0] = {Rational(Integer(-1) << 20), Rational(Integer(1) << 20), false, false};
    for (const char* name : {"binary64", "binary128", "bfloat16", "decimal64"}) {
      CAPTURE(name);
      const PreciseBox box = bounds_in(name, graph, property).boxes.at(0);
      const Rational end = exact(std::fabs(weight)) * (Integer(1) << 20);
      CHECK(contains(box.linear[0], end));
      CHECK(contains(box.linear[0], -end / 2));
      CHECK(box.cases[0].refuted == (end < 3000));
    }
  }
}

TEST_CASE("kinds without a rule are refused by name, all at once") {
  Graph graph;
  const Property property = far_property(graph, 1);
  graph.nodes[1].kind = graph.nodes[2].kind = static_cast<Kind>(200);  // as a kind that the graph got later
  graph.nodes[1].origin = "node 1 'first'";
  graph.nodes[2].origin = "node 2 'second'";
  try {
    bounds_in("binary32", graph, property);
    FAIL("a kind without a rule was bounded");
  } catch (const InputRefused& refusal) {
    REQUIRE(refusal.blockers.size() == 2);
    CHECK(refusal.blockers[0].where == "node 1 'first'");
    CHECK(refusal.blockers[1].code == "precision-operator");
  }
}
