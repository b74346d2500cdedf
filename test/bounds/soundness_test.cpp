// Bounds against exact rational evaluation: every range of every stored node, and every backward bound of random linear
// forms, on random graphs of all kinds, under real and float claims. The float executions use random orders and
// fusions.
#include <doctest/doctest.h>

#include <cmath>

#include "bounds/backward.hpp"
#include "bounds/forward.hpp"
#include "bounds/relaxation.hpp"
#include "test/bounds/propagate.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::testing;

TEST_CASE("ranges enclose exact and binary32 values on random graphs") {
  Random random(20240601);
  std::size_t points = 0;
  for (int trial = 0; trial < 250; ++trial) {
    const bool with_bn = trial % 5 == 0;
    const Graph graph = random_graph(random, 1 + trial % 4, with_bn);
    REQUIRE_NOTHROW(validate(graph));
    const Network net(graph);
    BackwardEngine engine(net, {1, true, {}});
    const Box box = random_box(random, graph.nodes[0].size, trial % 3 == 0 ? 1e-4 : 0.7);
    const State real = propagate(net, Semantics::real, box, engine);
    const State deployed = propagate(net, Semantics::fp32_any, box, engine);
    REQUIRE(deployed.overflow.empty());
    for (int p = 0; p < 6; ++p) {
      const std::vector<double> x = random_point(random, box);
      if (!with_bn) {
        const auto values = evaluate_exactly(graph, exact_vector(x));
        check_inside(net, real, values);
        check_inside(net, deployed, values);
      }
      std::vector<std::vector<Rational>> values;
      for (const auto& v : evaluate_binary32(graph, x, random)) values.push_back(exact_vector(v));
      check_inside(net, deployed, values);
      ++points;
    }
  }
  CHECK(points == 1500);
}

TEST_CASE("backward bounds of random forms hold at exact points, and the error box is needed") {
  Random random(7);
  for (int trial = 0; trial < 120; ++trial) {
    const Graph graph = random_graph(random, 2 + trial % 3);
    const Network net(graph);
    BackwardEngine engine(net, {1, true, {}});
    const Box box = random_box(random, graph.nodes[0].size, 0.5);
    for (const Semantics semantics : {Semantics::real, Semantics::fp32_any}) {
      const State state = propagate(net, semantics, box, engine);
      const std::size_t n = net.node(graph.output).size;
      Forms forms;
      forms.rows = 5;
      for (std::size_t i = 0; i < 5 * n; ++i) forms.coefficient.push_back(random_weight(random));
      for (std::size_t r = 0; r < 5; ++r) forms.constant.push_back(random_weight(random));
      std::vector<double> bounds(5);
      engine.form_bounds(state, graph.output, forms, bounds);
      for (int p = 0; p < 6; ++p) {
        const std::vector<double> x = random_point(random, box);
        const auto y = evaluate_exactly(graph, exact_vector(x))[graph.output];
        const auto z = evaluate_binary32(graph, x, random)[graph.output];
        for (std::size_t r = 0; r < 5; ++r) {
          Rational value = exact(forms.constant[r]), computed = value;
          for (std::size_t i = 0; i < n; ++i) {
            value += exact(forms.coefficient[r * n + i]) * y[i];
            computed += exact(forms.coefficient[r * n + i]) * exact(z[i]);
          }
          CHECK(exact(bounds[r]) <= value);
          if (semantics == Semantics::fp32_any) CHECK(exact(bounds[r]) <= computed);
        }
      }
    }
  }
}

TEST_CASE("a purely linear network is bounded to within rounding of its exact optimum") {
  Random random(99);
  for (int trial = 0; trial < 100; ++trial) {
    const Graph graph = random_graph(random, 1);
    const Network net(graph);
    BackwardEngine engine(net, {1, true, {}});
    const Box box = random_box(random, graph.nodes[0].size, 0.5);
    const State state = propagate(net, Semantics::real, box, engine);
    // The exact least value of output i: the sign of each input's slope decides the corner.
    const std::size_t inputs = box.lo.size();
    const auto base = evaluate_exactly(graph, std::vector<Rational>(inputs, 0))[graph.output];
    std::vector<Rational> least = base, reach(base.size(), 0);
    for (std::size_t j = 0; j < inputs; ++j) {
      std::vector<Rational> unit(inputs, 0);
      unit[j] = 1;
      const auto value = evaluate_exactly(graph, unit)[graph.output];
      for (std::size_t i = 0; i < base.size(); ++i) {
        const Rational slope = value[i] - base[i];
        least[i] += slope * exact(slope > 0 ? box.lo[j] : box.hi[j]);
        reach[i] += abs(slope) * (abs(exact(box.lo[j])) + abs(exact(box.hi[j])));
      }
    }
    for (std::size_t i = 0; i < base.size(); ++i) {
      CHECK(exact(state.range[graph.output].lo[i]) <= least[i]);
      const Rational gap = least[i] - exact(state.range[graph.output].lo[i]);
      CHECK(gap <= (reach[i] + abs(base[i]) + 10) * exact(0x1p-40));
    }
  }
}

TEST_CASE("results do not depend on the number of threads") {
  Random random(3);
  for (int trial = 0; trial < 10; ++trial) {
    const Graph graph = random_graph(random, 4);
    const Network net(graph);
    const Box box = random_box(random, graph.nodes[0].size, 0.5);
    BackwardEngine one(net, {1, true, {}}), two(net, {2, true, {}});
    const State a = propagate(net, Semantics::fp32_any, box, one), b = propagate(net, Semantics::fp32_any, box, two);
    for (std::uint32_t k = 0; k < net.size(); ++k) {
      CHECK(a.range[k].lo == b.range[k].lo);
      CHECK(a.range[k].hi == b.range[k].hi);
    }
  }
}
