// The semantics `capsule`: values computed under the policies of a plan lie in the ranges of every stored node, forward
// and backward, and each term of the boxes is needed.
#include "bounds/policy_box.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "bounds/backward.hpp"
#include "bounds/forward.hpp"
#include "bounds/relaxation.hpp"
#include "formats/error.hpp"
#include "runtime/capsules/execution.hpp"
#include "test/bounds/propagate.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

// How many values of how many executions under `executed` leave the ranges that `assumed` gives.
struct Escapes {
  std::size_t values = 0, outside = 0;
};
Escapes escapes(const char* executed, const char* assumed, std::uint64_t seed, int trials) {
  Random random(seed);
  Escapes out;
  for (int trial = 0; trial < trials; ++trial) {
    const Graph graph = random_graph(random, 1 + trial % 3, trial % 4 == 0);
    const std::size_t inputs = graph.nodes[0].size, nodes = graph.nodes.size();
    Box box = random_box(random, inputs, trial % 3 == 0 ? 0.0 : 0.5);
    if (trial % 2 == 1)  // down where results are subnormal
      for (std::size_t i = 0; i < inputs; ++i) {
        box.lo[i] = static_cast<double>(static_cast<float>(box.lo[i] * 0x1p-126));
        box.hi[i] = std::max(box.lo[i], static_cast<double>(static_cast<float>(box.hi[i] * 0x1p-126)));
      }
    Network net(graph);
    try {
      net.follow(std::vector<NumericalPolicy>(nodes, parse_policy(assumed)));
    } catch (const InputRefused&) {  // a constant that would be flushed where that has no box
      continue;
    }
    BackwardEngine engine(net, {1, true, {}});
    const State state = propagate(net, Semantics::capsule, box, engine);
    if (!state.overflow.empty()) continue;
    for (int p = 0; p < 4; ++p) {
      std::vector<double> x = random_point(random, box);
      for (std::size_t i = 0; i < inputs; ++i) x[i] = std::min(std::max(x[i], box.lo[i]), box.hi[i]);
      std::vector<std::vector<double>> values;
      run_under(graph, std::vector<NumericalPolicy>(nodes, parse_policy(executed)), x, &values);
      for (std::uint32_t k = 1; k < nodes; ++k) {
        for (std::size_t i = 0; net.groups.stored[k] && i < values[k].size(); ++i) {
          ++out.values;
          if (!(state.range[k].lo[i] <= values[k][i] && values[k][i] <= state.range[k].hi[i])) ++out.outside;
        }
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("capsule: executions under a policy lie in its ranges") {
  for (const char* policy :
       {"binary32 reduction=sequential", "binary32 contraction=fma reduction=sequential", "binary32 reduction=pairwise",
        "binary32 subnormals=flush reduction=sequential",
        "binary32 subnormals=flush contraction=fma reduction=sequential", "binary32 operands=tf32 reduction=sequential",
        "binary32 operands=bfloat16 reduction=pairwise"}) {
    const Escapes e = escapes(policy, policy, 5, 60);
    CAPTURE(policy);
    CHECK(e.values > 500);
    CHECK(e.outside == 0);
  }
  // The wider policies hold what the narrower ones compute, also the block model's what TF32 factors give.
  CHECK(escapes("binary32 reduction=pairwise", "binary32 reduction=implementation_defined", 6, 20).outside == 0);
  CHECK(
      escapes("binary32 operands=tf32 reduction=sequential", "binary32 operands=tf32 reduction=block(h100_tf32)", 7, 20)
          .outside == 0);
  CHECK(escapes("binary32 reduction=sequential", "binary32 rounding=toward_zero reduction=sequential", 8, 20).outside ==
        0);
}

TEST_CASE("capsule: each term of the boxes is needed") {
  CHECK(escapes("binary32 subnormals=flush reduction=sequential", "binary32 reduction=sequential", 9, 60).outside > 0);
  CHECK(escapes("binary32 operands=tf32 reduction=sequential", "binary32 reduction=sequential", 9, 60).outside > 0);
  CHECK(escapes("binary32 operands=bfloat16 reduction=sequential", "binary32 operands=tf32 reduction=sequential", 9, 60)
            .outside > 0);
}

// See the test of the same name in test/checker/capsule_test.cpp.
TEST_CASE("capsule: what a sum of one number adds is rounded like every other operand") {
  Graph g;
  Node input, reduce;
  input.size = reduce.size = 1;
  reduce.kind = Kind::reduce, reduce.operands = {0}, reduce.ints = {1, 1};
  g.nodes = {input, reduce}, g.output = 1;
  Network net(g);
  net.follow(std::vector<NumericalPolicy>(2, parse_policy("binary32 operands=bfloat16 reduction=any_order")));
  BackwardEngine engine(net, {1, true, {}});
  const double x = 1 + 0x1p-12, rounded = 1;
  const State state = propagate(net, Semantics::capsule, {{x}, {x}}, engine);
  CHECK(state.range[1].lo[0] <= rounded);
  CHECK(state.range[1].hi[0] - state.range[1].lo[0] < 0x1p-5);
}

// A kernel that flushes scales x to zero, and the kernel behind it multiplies x by weights and then by the factor, and
// flushes nothing: what it gives is not near what it would make of zero. The box of a contraction once followed the
// policy of its own kernel alone.
TEST_CASE("capsule: a factor that is moved brings the policy of its kernel along") {
  Graph g;
  Node input, scale, turned, dense;
  input.size = scale.size = turned.size = dense.size = 1;
  scale.kind = Kind::scale, scale.operands = {0}, scale.payload = {0.25};
  turned.kind = Kind::map, turned.operands = {1}, turned.ints = {0};
  dense.kind = Kind::dense, dense.operands = {2}, dense.ints = {1, 1, 1, 0}, dense.payload = {1.5};
  g.nodes = {input, scale, turned, dense}, g.output = 3;
  Network net(g);
  const NumericalPolicy gradual = parse_policy("binary32 reduction=any_order"),
                        flush = parse_policy("binary32 subnormals=flush");
  const auto box_of = [&](const NumericalPolicy& of_scale) {
    net.follow({gradual, of_scale, gradual, gradual});
    std::vector<double> delta;
    REQUIRE(policy_box(net, 3, {0.0}, 2.0, delta));
    return delta[0];
  };
  const double result = 0x1p-126 * 1.5 * 0.25;  // of x = 2^-126, scaled to zero
  CHECK(box_of(flush) >= result);
  CHECK(box_of(gradual) < result);
}

TEST_CASE("capsule: covered policies give the boxes of fp32_any") {
  Random random(12);
  for (int trial = 0; trial < 20; ++trial) {
    const Graph graph = random_graph(random, 2, trial % 2 == 0);
    const Box box = random_box(random, graph.nodes[0].size, 0.25);
    Network net(graph);
    net.follow(
        std::vector<NumericalPolicy>(graph.nodes.size(), parse_policy("binary32 reduction=any_order_any_fusion")));
    BackwardEngine engine(net, {1, true, {}});
    const State any = propagate(net, Semantics::fp32_any, box, engine);
    const State capsule = propagate(net, Semantics::capsule, box, engine);
    CHECK(any.overflow == capsule.overflow);
    for (std::uint32_t k = 0; k < net.size(); ++k) CHECK(any.delta[k] == capsule.delta[k]);
  }
}

TEST_CASE("capsule: what has no error box is refused by name") {
  Graph g;
  Node input, divide;
  input.size = 1;
  divide.kind = Kind::divide;
  divide.operands = {0};
  divide.size = 1;
  divide.payload = {0x1p-130};
  divide.origin = "node 0 'quotient' (Div)";
  g.nodes = {input, divide};
  g.output = 1;
  Network net(g);
  const auto with = [&](const char* policy) { net.follow(std::vector<NumericalPolicy>(2, parse_policy(policy))); };
  CHECK_NOTHROW(with("binary32"));
  CHECK_THROWS_AS(with("binary32 subnormals=flush"), InputRefused);
  CHECK_THROWS_AS(with("e4m3fn"), InputRefused);
  CHECK_THROWS_AS(with("binary128"), InputRefused);
  CHECK_THROWS_AS(with("binary32 ulp=1"), InputRefused);
}
