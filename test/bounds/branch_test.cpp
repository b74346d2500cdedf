// Branching, both kinds: nothing reachable is ever refuted; what exact enumeration knows to be unreachable is refuted
// within a budget; runs do not depend on the number of threads; logs come back as they were written.
#include <doctest/doctest.h>

#include <cmath>

#include "test/bounds/branched.hpp"
#include "test/bounds/curves.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

struct Run {
  bool proved = false;
  std::uint64_t parts = 0;
  std::string text;
  int splits = 0;
};

Run branch(const Network& net, const Property& property, Semantics semantics, bool on_inputs, std::uint64_t parts,
           unsigned threads = 1) {
  BoxProof proof;
  const BranchResult r = branched(net, property, semantics, on_inputs, parts, threads, proof);
  Run out;
  out.proved = r.proved;
  out.parts = r.domains;
  if (r.proved) {
    Recorder recorder;
    std::uint32_t next = 0;
    proof.write(net, recorder, next);
    out.text = recorder.text;
    out.splits = recorder.splits;
  }
  return out;
}

}  // namespace

TEST_CASE("one input, exact optima: never past the optimum, and close to it") {
  Random random(71);
  int branched[2] = {0, 0}, decided[2] = {0, 0};
  for (int t = 0; t < 120; ++t) {
    const CurveNetwork s = random_curve_network(random, 2 + t % 3, 6);
    const Network net(s.graph);
    const Rational scale = 1 + abs(s.least);
    for (const bool on_inputs : {true, false}) {
      for (const Semantics semantics : {Semantics::real, Semantics::fp32_any}) {
        CHECK_FALSE(branch(net, below(s, s.least, false), semantics, on_inputs, 300).proved);
        CHECK_FALSE(branch(net, below(s, s.least + scale * exact(1e-7), true), semantics, on_inputs, 300).proved);
      }
      const Run near = branch(net, below(s, s.least - scale / 10000, false), Semantics::real, on_inputs, 3000);
      decided[on_inputs] += near.proved;
      branched[on_inputs] += near.splits > 0;
    }
  }
  MESSAGE("within 0.01% of the optimum: " << decided[1] << " by inputs, " << decided[0] << " by neurons, of 120; "
                                          << branched[1] << " and " << branched[0] << " of them needed splits");
  CHECK(decided[1] == 120);
  CHECK(decided[0] >= 110);
  CHECK(branched[1] > 30);
  CHECK(branched[0] > 10);
}

TEST_CASE("random networks of every kind: no value that some execution takes is refuted") {
  Random random(72);
  int proved = 0, split = 0;
  for (int t = 0; t < 150; ++t) {
    const Graph graph = random_graph(random, 2 + static_cast<int>(random() % 3));
    const Network net(graph);
    const Box box = random_box(random, graph.nodes[0].size, 3);
    Rational least = 0, least32 = 0;
    for (int p = 0; p < 40; ++p) {
      const std::vector<double> x = random_point(random, box);
      const Rational y = evaluate_exactly(graph, exact_vector(x))[graph.output][0];
      const Rational y32 = exact(evaluate_binary32(graph, x, random)[graph.output][0]);
      if (p == 0 || y < least) least = y;
      if (p == 0 || y32 < least32) least32 = y32;
    }
    const std::size_t outputs = graph.nodes[graph.output].size;
    for (const bool on_inputs : {true, false}) {
      CHECK_FALSE(branch(net, output_below(box, outputs, least), Semantics::real, on_inputs, 200).proved);
      CHECK_FALSE(branch(net, output_below(box, outputs, least32), Semantics::fp32_any, on_inputs, 200).proved);
      const Rational far = least - (1 + abs(least)) / 10;
      const Run r = branch(net, output_below(box, outputs, far), Semantics::fp32_any, on_inputs, 400);
      proved += r.proved;
      split += r.splits > 0;
    }
  }
  MESSAGE(proved << " of 300 proved a tenth below the least sample, " << split << " of them with splits");
  CHECK(proved > 60);
  CHECK(split > 10);
}

TEST_CASE("the same parts and the same proof for any number of threads") {
  Random random(73);
  int compared = 0;
  for (int t = 0; t < 30; ++t) {
    const Graph graph = random_graph(random, 4);
    const Network net(graph);
    const Box box = random_box(random, graph.nodes[0].size, 4);
    const Rational y = evaluate_exactly(graph, exact_vector(box.lo))[graph.output][0];
    const Property p = output_below(box, graph.nodes[graph.output].size, y - (1 + abs(y)) / 2);
    for (const bool on_inputs : {true, false}) {
      const Run one = branch(net, p, Semantics::fp32_any, on_inputs, 250, 1);
      const Run three = branch(net, p, Semantics::fp32_any, on_inputs, 250, 3);
      CHECK(one.proved == three.proved);
      CHECK(one.parts == three.parts);
      CHECK(one.text == three.text);
      compared += one.parts > 3;
    }
  }
  CHECK(compared > 5);
}

TEST_CASE("a log comes back as it was written, with its slopes renumbered") {
  SlopeBytes bytes;
  bytes.lower = {0, 64, 128};
  bytes.upper = {1};
  const std::vector<std::uint32_t> lower = {3, 200, 70000}, upper, ids = {1, 5, 6}, rows = {0, 2};
  const std::vector<double> multipliers = {0.5, 1e-300};
  const std::vector<RangeMultiplier> ranges = {{7, 1, -0.1}, {9, 0, 3}};
  const auto write = [&](ProofObserver& to, std::uint32_t first_own, std::span<const std::uint32_t> used) {
    to.slopes(first_own, 4, bytes);
    to.slopes(first_own + 1, 8, bytes);
    to.interval(300);
    to.backward(4, lower, upper, used);
    to.refute(2, rows, multipliers, used, ranges);
  };
  ProofLog log;
  write(log, 5, ids);
  log.begin_attempt();
  log.interval(1);
  log.drop_attempt();
  Recorder found, expected;
  std::uint32_t next = 40;
  log.replay(found, {5, 10}, next);
  const std::vector<std::uint32_t> renumbered = {11, 40, 41};
  write(expected, 40, renumbered);
  CHECK(found.text == expected.text);
  CHECK(next == 42);
}

TEST_CASE("rows that are each reachable but not together are refuted by their sum, on inputs and on neurons") {
  Random random(74);
  int asked = 0, proved[2] = {0, 0}, alone = 0;
  for (int t = 0; t < 160; ++t) {
    CurveNetwork s = random_curve_network(random, 2 + t % 2, 6);
    const std::vector<double> x = random_point(random, s.box);
    const Rational reached = evaluate_exactly(s.graph, exact_vector(x))[s.graph.output][0], gap(1, 4);
    if (s.least > reached - gap) continue;
    Node& last = s.graph.nodes[s.graph.output];  // a second output, the first one negated
    const std::size_t depth = last.payload.size() - 1;
    std::vector<double> both(last.payload.begin(), last.payload.end() - 1);
    for (std::size_t k = 0; k < depth; ++k) both.push_back(-last.payload[k]);
    both.push_back(last.payload[depth]);
    both.push_back(-last.payload[depth]);
    last.payload = both;
    last.size = 2;
    last.ints[2] = 2;
    const Network net(s.graph);
    // Unsafe: y0 >= reached and y1 >= distance - reached, that is reached <= y0 <= reached - distance.
    const auto property = [&](const Rational& distance) {
      const Rational below_it = distance - reached;
      Property p = box_property(s.box, 2);
      p.cases = {{0,
                  {{{{0, -denominator(reached)}}, numerator(reached), false, 0},
                   {{{1, -denominator(below_it)}}, numerator(below_it), false, 0}}}};
      return p;
    };
    ++asked;
    for (const bool on_inputs : {true, false}) {
      for (const Semantics semantics : {Semantics::real, Semantics::fp32_any})
        CHECK_FALSE(branch(net, property(0), semantics, on_inputs, 200).proved);  // x is such a point
      proved[on_inputs] += branch(net, property(gap), Semantics::real, on_inputs, 400).proved;
      for (const std::size_t row : {0, 1}) {
        Property one = property(gap);
        one.cases[0].rows = {one.cases[0].rows[row]};
        alone += branch(net, one, Semantics::real, on_inputs, 200).proved;
      }
    }
  }
  MESSAGE(asked << " asked: " << proved[1] << " proved on inputs, " << proved[0] << " on neurons");
  CHECK(asked > 30);
  CHECK(proved[1] == asked);
  CHECK(proved[0] == asked);
  CHECK(alone == 0);
}
