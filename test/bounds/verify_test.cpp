// The whole prover on queries whose answer is known.
#include "bounds/verify.hpp"

#include <doctest/doctest.h>

#include "bounds/network.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::testing;

// y_0 = 1, y_{n-1} = x_0 − x_1, the others 0: the last output passes the first one in the corner (0.9, −0.9) alone. The
// executions spent on the centre and on two corners, one for each case, once used up what a run may replay: with more
// than 133 labels nothing was ever refuted, whatever the search found.
TEST_CASE("a counterexample is accepted whatever the number of labels") {
  for (const std::int64_t n : {3, 140, 1000}) {
    for (const Semantics semantics : {Semantics::real, Semantics::fp32_any}) {
      const auto outputs = static_cast<std::uint64_t>(n);
      Graph graph;
      graph.input_shape = {1, 2};
      graph.nodes.push_back({Kind::input, {}, 2, {}, {}, "x", {}});
      std::vector<double> payload(3 * outputs, 0.0);
      payload[2 * outputs - 2] = 1, payload[2 * outputs - 1] = -1, payload[2 * outputs] = 1;
      graph.nodes.push_back({Kind::dense, {0}, outputs, {1, 2, n, 1}, payload, "dense", {}});
      graph.output = 1;
      validate(graph);
      Property property = box_property({{-0.9f, -0.9f}, {0.9f, 0.9f}}, outputs);
      for (std::uint32_t j = 1; j < outputs; ++j) property.cases.push_back({0, {{{{0, 1}, {j, -1}}, 0, false, 0}}});
      const Network net(graph);
      VerifyOptions options;
      options.semantics = semantics;
      options.threads = 1;
      options.timeout_seconds = 20;
      ProofObserver none;
      const Outcome outcome = verify_property(net, property, options, none);
      CHECK(outcome.verdict == Verdict::violated);
      REQUIRE(outcome.counterexample);
      CHECK(outcome.counterexample->case_index == outputs - 2);
    }
  }
}
