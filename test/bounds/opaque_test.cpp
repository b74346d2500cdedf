// Products and quotients of computed values and functions: ranges and backward bounds against exact values and
// executions in binary32, also of kernels that flush, round to a neighbour or are some ulps off.
#include "bounds/opaque.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "bounds/verify.hpp"
#include "formats/error.hpp"
#include "runtime/capsules/execution.hpp"
#include "runtime/cpu/element_functions.hpp"
#include "runtime/cpu/exact.hpp"
#include "test/bounds/propagate.hpp"
#include "test/bounds/support.hpp"
#include "test/runtime/small_graphs.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

double to_float(double x) { return static_cast<double>(static_cast<float>(x)); }

std::int64_t number_of(ElementFunction f) { return static_cast<std::int64_t>(f); }

Node dense(Random& random, std::uint32_t from, std::int64_t inputs, std::int64_t outputs) {
  std::vector<double> payload;
  for (std::int64_t i = 0; i < (inputs + 1) * outputs; ++i) payload.push_back(random_weight(random));
  return make(Kind::dense, {from}, static_cast<std::uint64_t>(outputs), {1, inputs, outputs, 1}, payload);
}

// Dense, the functions of its elements, a product, a quotient whose divisor stays away from 0, a ReLU, dense.
Graph random_opaque_graph(Random& random, const std::vector<ElementFunction>& functions) {
  const auto any = [&] { return functions[random() % functions.size()]; };
  std::vector<Node> n = {make(Kind::input, {}, 3)};
  n.push_back(dense(random, 0, 3, 4));                               // 1
  n.push_back(make(Kind::abs, {1}, 4));                              // 2
  n.push_back(make(Kind::shift, {2}, 4, {}, {1, 0.5, 1, 2}));        // 3: at least 0.5
  n.push_back(make(Kind::function, {3}, 4, {number_of(any())}));     // 4
  n.push_back(make(Kind::product, {4, random() % 2 ? 4u : 1u}, 4));  // 5
  n.push_back(make(Kind::quotient, {5, 3}, 4));                      // 6
  n.push_back(make(Kind::add, {6, 1}, 4, {static_cast<std::int64_t>(random() % 2)}));
  n.push_back(make(Kind::relu, {7}, 4));
  n.push_back(make(Kind::function, {8}, 4, {number_of(ElementFunction::floor)}));
  n.push_back(make(Kind::add, {9, 8}, 4, {1}));
  n.push_back(dense(random, 10, 4, 2));
  return graph_of(n);
}

}  // namespace

TEST_CASE("opaque: ranges and bounds hold exact values and executions in binary32") {
  Random random(17);
  int points = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const Graph graph =
        random_opaque_graph(random, {ElementFunction::floor, ElementFunction::ceil, ElementFunction::round});
    REQUIRE_NOTHROW(validate(graph));
    const Network net(graph);
    BackwardEngine engine(net, {1, true, {}});
    const Box box = random_box(random, 3, trial % 3 == 0 ? 0 : trial % 3 == 1 ? 1e-3 : 0.5);
    const State real = propagate(net, Semantics::real, box, engine);
    const State deployed = propagate(net, Semantics::fp32_any, box, engine);
    REQUIRE(deployed.overflow.empty());
    for (int p = 0; p < 5; ++p, ++points) {
      const std::vector<double> x = random_point(random, box);
      const auto values = evaluate_exactly(graph, exact_vector(x));
      check_inside(net, real, values);
      check_inside(net, deployed, values);
      std::vector<std::vector<Rational>> executed;
      for (const auto& v : evaluate_binary32(graph, x, random)) executed.push_back(exact_vector(v));
      check_inside(net, deployed, executed);
    }
  }
  CHECK(points == 600);
}

TEST_CASE("opaque: a point is bounded to within rounding") {
  Random random(23);
  for (int trial = 0; trial < 40; ++trial) {
    const Graph graph =
        random_opaque_graph(random, {ElementFunction::tanh, ElementFunction::exp, ElementFunction::sqrt});
    const Network net(graph);
    BackwardEngine engine(net, {1, true, {}});
    const Box box = random_box(random, 3, 0);
    const State real = propagate(net, Semantics::real, box, engine);
    for (const std::uint32_t k : {4u, 5u, 6u})
      for (std::size_t i = 0; i < 4; ++i) {
        const double size = std::max(std::fabs(real.range[k].lo[i]), std::fabs(real.range[k].hi[i]));
        CHECK(real.range[k].hi[i] - real.range[k].lo[i] <= 0x1p-40 * (1 + size));
      }
  }
}

TEST_CASE("opaque: under a plan, kernels that are ulps off, flush, or round to a neighbour") {
  Random random(31);
  const std::vector<ElementFunction> functions = {ElementFunction::tanh, ElementFunction::sigmoid, ElementFunction::exp,
                                                  ElementFunction::sqrt, ElementFunction::gelu};
  for (int trial = 0; trial < 80; ++trial) {
    const Graph graph = random_opaque_graph(random, functions);
    const bool flush = trial % 2 == 1;
    const std::uint32_t ulps = 1 + trial % 5;
    std::vector<NumericalPolicy> policies(graph.nodes.size());
    for (std::size_t k = 1; k < policies.size(); ++k) {
      NumericalPolicy& p = policies[k];
      if (flush) p.subnormals = Subnormals::flush;
      const Node& node = graph.nodes[k];
      if (node.kind == Kind::dense) p.reduction = Reduction::sequential;
      if (node.kind == Kind::function && row_of(element_function(node)).elementary) p.k_ulp = ulps;
    }
    Network net(graph);
    net.follow(policies);
    BackwardEngine engine(net, {1, true, {}});
    const Box box = random_box(random, 3, trial % 3 == 0 ? 0.3 : 1e-3);
    const State state = propagate(net, Semantics::capsule, box, engine);
    REQUIRE(state.overflow.empty());
    // Executions whose functions are moved by a random number of ulps, node by node.
    for (int p = 0; p < 5; ++p) {
      const std::vector<double> x = random_point(random, box);
      std::vector<std::vector<double>> nodes;
      Graph moved = graph;
      run_under(graph, policies, x, &nodes);
      for (std::size_t i = 0; i < 4; ++i) {
        float v = static_cast<float>(nodes[4][i]);
        for (std::uint32_t step = 1; step < ulps && policies[4].k_ulp != 0; ++step)
          v = std::nextafter(v, random() % 2 ? 1e30f : -1e30f);
        CHECK(state.range[4].lo[i] <= v);
        CHECK(v <= state.range[4].hi[i]);
      }
      std::vector<std::vector<Rational>> values;
      for (const auto& v : nodes) values.push_back(exact_vector(v));
      check_inside(net, state, values);
    }
    // The kernel of such a function may not be silent about its ulps.
    if (policies[4].k_ulp == 0) continue;
    policies[4].k_ulp = 0;
    Network silent(graph);
    silent.follow(policies);
    const State nothing = propagate(silent, Semantics::capsule, box, engine);
    CHECK(nothing.overflow.find("no standard says") != std::string::npos);
  }
}

TEST_CASE("opaque: lines hold at every point and close in with the range") {
  Random random(41);
  std::uniform_real_distribution<double> draw(-1, 1);
  int checked = 0;
  for (const ElementFunctionRow& row : element_functions()) {
    CAPTURE(row.name);
    for (int trial = 0; trial < 60; ++trial) {
      const double centre = (trial % 2 ? 8 : 1) * draw(random), width = trial % 3 ? std::fabs(draw(random)) : 1e-3;
      double lo = to_float(centre - width), hi = to_float(centre + width);
      if (row.function == ElementFunction::log || row.function == ElementFunction::sqrt) {
        lo = std::fabs(lo) + 0x1p-20;
        hi = lo + width;
      }
      const Graph graph = graph_of({make(Kind::input, {}, 1), make(Kind::function, {0}, 1, {number_of(row.function)})},
                                   ElementType::binary64);
      const Network net(graph);
      State state(net, Semantics::real);
      set_input_range(net, state, {{lo}, {hi}});
      interval_step(net, state, 1);
      const Lines& lines = state.lines[1];
      if (!(state.range[1].hi[0] - state.range[1].lo[0] < INFINITY)) continue;
      for (int p = 0; p < 6; ++p) {
        const double x = p == 0 ? lo : p == 1 ? hi : std::clamp(centre + width * draw(random), lo, hi);
        const ExactRange y = run_exact_ranges(graph, {exact(x)})[0];
        CHECK(exact(lines.lower_slope[0]) * exact(x) + exact(lines.lower_offset[0]) <= y.lo);
        CHECK(exact(lines.upper_slope[0]) * exact(x) + exact(lines.upper_offset[0]) >= y.hi);
        ++checked;
      }
      // Where the derivative is bounded from below well, the gap is of second order.
      const bool bends_little = row.function == ElementFunction::tanh || row.function == ElementFunction::sigmoid ||
                                row.function == ElementFunction::exp || row.function == ElementFunction::softplus;
      if (!bends_little || width != 1e-3) continue;
      const double gap =
          (lines.upper_slope[0] - lines.lower_slope[0]) * lo + lines.upper_offset[0] - lines.lower_offset[0];
      const double size = std::max(1.0, std::fabs(state.range[1].hi[0]));
      if (row.function != ElementFunction::softplus) CHECK(gap < 1e-5 * size);
    }
  }
  CHECK(checked > 5000);
}

TEST_CASE("opaque: lines leave room for the ulps of a kernel") {
  Random random(47);
  for (const ElementFunction f :
       {ElementFunction::tanh, ElementFunction::exp, ElementFunction::atan, ElementFunction::sqrt}) {
    CAPTURE(row_of(f).name);
    const bool by_ulps = row_of(f).elementary.has_value();
    const Graph graph = graph_of({make(Kind::input, {}, 1), make(Kind::function, {0}, 1, {number_of(f)})});
    std::vector<NumericalPolicy> policies(2);
    policies[1].k_ulp = by_ulps ? 3 : 0;
    Network net(graph);
    net.follow(policies);
    for (int trial = 0; trial < 200; ++trial) {
      const double lo = to_float(0.5 + std::uniform_real_distribution<double>(0, 1)(random));
      const double hi = to_float(lo + 0x1p-20 * static_cast<double>(random() % 3));
      State state(net, Semantics::capsule);
      set_input_range(net, state, {{lo}, {hi}});
      interval_step(net, state, 1);
      const Lines& lines = state.lines[1];
      for (const double x : {lo, hi})
        for (const float away : {-9.0f, 9.0f}) {
          float v = static_cast<float>(evaluate(f, x, ElementType::binary32));
          for (int step = 0; step < 2 && by_ulps; ++step) v = std::nextafter(v, away);
          CHECK(exact(lines.lower_slope[0]) * exact(x) + exact(lines.lower_offset[0]) <= exact(static_cast<double>(v)));
          CHECK(exact(lines.upper_slope[0]) * exact(x) + exact(lines.upper_offset[0]) >= exact(static_cast<double>(v)));
        }
    }
  }
}

TEST_CASE("opaque: backward bounds of forms hold for exact values and for kernels some ulps off") {
  Random random(43);
  const std::vector<ElementFunction> functions = {
      ElementFunction::tanh, ElementFunction::sigmoid, ElementFunction::exp,      ElementFunction::log,
      ElementFunction::sqrt, ElementFunction::atan,    ElementFunction::softplus, ElementFunction::softsign};
  for (int trial = 0; trial < 80; ++trial) {
    const Graph graph = random_opaque_graph(random, functions);
    std::vector<NumericalPolicy> policies(graph.nodes.size());
    for (std::size_t k = 1; k < policies.size(); ++k) {
      if (graph.nodes[k].kind == Kind::dense) policies[k].reduction = Reduction::sequential;
      if (graph.nodes[k].kind == Kind::function && row_of(element_function(graph.nodes[k])).elementary)
        policies[k].k_ulp = 4;
    }
    Network net(graph);
    net.follow(policies);
    BackwardEngine engine(net, {1, true, {}});
    const Box box = random_box(random, 3, trial % 2 == 0 ? 0.2 : 1e-4);
    for (const Semantics semantics : {Semantics::real, Semantics::capsule}) {
      const State state = propagate(net, semantics, box, engine);
      Forms forms;
      forms.rows = 4;
      for (std::size_t i = 0; i < 8; ++i) forms.coefficient.push_back(random_weight(random));
      for (std::size_t r = 0; r < 4; ++r) forms.constant.push_back(random_weight(random));
      std::vector<double> bounds(4);
      engine.form_bounds(state, graph.output, forms, bounds);
      for (int p = 0; p < 6; ++p) {
        const std::vector<double> x = random_point(random, box);
        const std::vector<ExactRange> y = run_exact_ranges(graph, exact_vector(x));
        const std::vector<double> z = run_under(graph, policies, x);
        for (std::size_t r = 0; r < 4; ++r) {
          Rational value = exact(forms.constant[r]), computed = value;
          for (std::size_t i = 0; i < 2; ++i) {
            const Rational c = exact(forms.coefficient[r * 2 + i]);
            value += c * (c > 0 ? y[i].hi : y[i].lo);
            computed += c * exact(z[i]);
          }
          CHECK(exact(bounds[r]) <= value);
          if (semantics == Semantics::capsule) CHECK(exact(bounds[r]) <= computed);
        }
      }
    }
  }
}

TEST_CASE("opaque: a flushed operand or result stays in the range") {
  // 2^-100 · 2^-30 is subnormal in binary32: 0 where results are flushed. 2^-130 as an operand is 0 already.
  for (const double second : {0x1p-30, 0x1p-130}) {
    const Graph graph = graph_of({make(Kind::input, {}, 2), make(Kind::map, {0}, 1, {0}), make(Kind::map, {0}, 1, {1}),
                                  make(Kind::product, {1, 2}, 1)});
    std::vector<NumericalPolicy> policies(graph.nodes.size());
    for (NumericalPolicy& p : policies) p.subnormals = Subnormals::flush;
    Network net(graph);
    net.follow(policies);
    State state(net, Semantics::capsule);
    set_input_range(net, state, {{0x1p-100, second}, {0x1p-100, second}});
    for (std::uint32_t k = 1; k < 4; ++k) interval_step(net, state, k);
    CHECK(state.range[3].lo[0] <= 0);
  }
}

TEST_CASE("opaque: what is not defined is not bounded, and no policy of sums runs it") {
  const Graph graph =
      graph_of({make(Kind::input, {}, 2), make(Kind::map, {0}, 1, {0}), make(Kind::map, {0}, 1, {1}),
                make(Kind::quotient, {1, 2}, 1), make(Kind::function, {1}, 1, {number_of(ElementFunction::log)}),
                make(Kind::add, {3, 4}, 1, {0})});
  Network net(graph);
  State state(net, Semantics::real);
  set_input_range(net, state, {{-1, -1}, {1, 1}});
  BackwardEngine engine(net, {1, true, {}});
  for (std::uint32_t k = 1; k < 6; ++k) interval_step(net, state, k);
  CHECK(state.range[3].lo[0] == -INFINITY);
  CHECK(state.range[4].hi[0] == INFINITY);
  double bound = 0;
  const std::uint32_t element = 0;
  engine.unit_bounds(state, 5, {&element, 1}, 1.0, {&bound, 1});
  CHECK(bound == -INFINITY);
  State floating(net, Semantics::fp32_any);
  set_input_range(net, floating, {{-1, -1}, {1, 1}});
  for (std::uint32_t k = 1; k < 6; ++k) interval_step(net, floating, k);
  CHECK_FALSE(floating.overflow.empty());
  std::vector<NumericalPolicy> policies(graph.nodes.size());
  policies[3].accumulator = Format{11, 52, 1023, Convention::ieee};
  CHECK_THROWS_AS(net.follow(policies), InputRefused);
}

TEST_CASE("opaque: a difference of equal products is proved by splitting, and a violation is found") {
  // x·x - x on [0, 1]: at least -1/4; intervals alone say -1.
  Graph graph = graph_of({make(Kind::input, {}, 1), make(Kind::product, {0, 0}, 1), make(Kind::add, {1, 0}, 1, {1})});
  const Network net(graph);
  Property property;
  property.inputs = 1;
  property.outputs = 1;
  property.boxes = {{InputRange{Rational(0), Rational(1), false, false}}};
  Row row;
  row.terms = {{0, Integer(1)}};
  row.constant = 0;
  property.cases = {Case{0, {row}}};
  ProofObserver nobody;
  VerifyOptions options;
  options.semantics = Semantics::real;
  options.timeout_seconds = 20;
  row.terms = {{0, Integer(10)}};
  row.constant = 3;  // unsafe: 10 y + 3 <= 0
  property.cases[0].rows = {row};
  CHECK(verify_property(net, property, options, nobody).verdict == Verdict::holds);
  row.constant = 2;  // unsafe: y <= -1/5
  property.cases[0].rows = {row};
  CHECK(verify_property(net, property, options, nobody).verdict == Verdict::violated);
  options.semantics = Semantics::fp32_any;
  row.constant = 3;
  property.cases[0].rows = {row};
  CHECK(verify_property(net, property, options, nobody).verdict == Verdict::holds);
}
