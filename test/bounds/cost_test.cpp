// What a coefficient pays on its way back (State::cost): a shift or negation hands it on unchanged, so the cost of the
// product below is kept at the group's end, and rows that start at single neurons are charged before the pass.
#include <doctest/doctest.h>

#include <random>

#include "bounds/backward.hpp"
#include "bounds/forward.hpp"
#include "bounds/network.hpp"
#include "bounds/state.hpp"
#include "formats/exact.hpp"
#include "test/bounds/support.hpp"
#include "test/runtime/small_graphs.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

constexpr std::uint32_t inputs = 12, neurons = 3;

// input → dense without bias → shift → neg: one sum group whose product is two nodes below its end.
Graph shifted_product(Random& random) {
  Node dense = make(Kind::dense, {0}, neurons, {1, inputs, neurons, 0}), shift = make(Kind::shift, {1}, neurons);
  for (std::uint32_t i = 0; i < inputs * neurons; ++i) dense.payload.push_back(random_weight(random) / 3);
  for (std::uint32_t i = 0; i < neurons; ++i) shift.payload.push_back(random_weight(random) / 7);
  return graph_of({make(Kind::input, {}, inputs), std::move(dense), std::move(shift), make(Kind::neg, {2}, neurons)});
}

}  // namespace

TEST_CASE("a product below a shift is paid for; without the cost its bound is wrong") {
  Random random(12);
  std::vector<std::uint32_t> elements;
  for (std::uint32_t i = 0; i < neurons; ++i) elements.push_back(i);
  int wrong_without = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Graph graph = shifted_product(random);
    const Network net(graph);
    State state(net, Semantics::real);
    Range point;
    for (std::uint32_t i = 0; i < inputs; ++i) point.lo.push_back(random_weight(random) / 5);
    point.hi = point.lo;
    set_input_range(net, state, point);
    for (std::uint32_t k = 1; k < net.size(); ++k)
      if (net.groups.stored[k]) interval_step(net, state, k);
    REQUIRE(state.cost[graph.output].size() == neurons);
    CHECK(state.cost[1].empty());
    for (std::uint32_t i = 0; i < neurons; ++i)
      CHECK(exact(state.cost[graph.output][i]) >= exact(backward_roundings(net, 1)) * exact(state.sum[1][i]));

    const std::vector<Rational> truth = evaluate_exactly(graph, exact_vector(point.lo)).back();
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> bounds(neurons), plain(neurons);
      BackwardEngine(net, {1, true, {}}).unit_bounds(state, graph.output, elements, sign, bounds);
      BackwardEngine(net, {1, false, {}}).unit_bounds(state, graph.output, elements, sign, plain);
      for (std::uint32_t i = 0; i < neurons; ++i) {
        const Rational value = sign * truth[i];
        CHECK(exact(bounds[i]) <= value);
        CHECK(value - exact(bounds[i]) <= exact(100 * state.cost[graph.output][i] + 0x1p-1000));
        wrong_without += exact(plain[i]) > value;
      }
    }
  }
  MESSAGE("bounds above the exact value when nothing is charged: " << wrong_without << " of " << 600 * neurons);
  CHECK(wrong_without > 100);
}
