// Error boxes under the words of the claim `capsule` (FORMAT.md sections 3 and 5): executions that round operands,
// round either way and flush stay inside, and the words cost what the formula says and no more.
#include <doctest/doctest.h>

#include "test/checker/capsule_execution.hpp"
#include "test/checker/random_sums.hpp"

using namespace proof_tools;

TEST_CASE("executions under the words of a capsule claim stay in the error box") {
  Random r(17);
  for (const Words& words : all_words) {
    CAPTURE(words.name);
    double share = 0;  // of the box that an execution reaches
    for (int round = 0; round < 90; ++round) {
      const std::uint64_t n = 2 + r.below(24);
      const double size = round % 3 == 0 ? 100 : round % 3 == 1 ? 1 : 1e-20;
      RandomSum group(r, n, size, round % 3 == 2 ? 1e-18 : 1);
      const std::uint32_t x = group.root, y = group.builder.like(Kind::relu, x);
      const Structure s(group.builder.graph);
      State<double> state(s, words.numerics), real(s, {});
      for (State<double>* each : {&state, &real}) each->start(box(group.ends())), each->interval(x), each->interval(y);
      CHECK(state.overflow().empty());
      const double middle = (real.ranges(x)[0].h - real.ranges(x)[0].n) / 2;
      for (int trial = 0; trial < 40; ++trial) {
        Machine m(words, r);
        const double sum = group.execute<double>(m, r);
        CHECK(-state.ranges(x)[0].n <= sum);
        CHECK(sum <= state.ranges(x)[0].h);
        const double output = m.stored(std::max(m.stored(sum), 0.0));
        CHECK(-state.ranges(y)[0].n <= output);
        CHECK(output <= state.ranges(y)[0].h);
        share = std::max(share, std::abs(sum - middle) / (state.ranges(x)[0].h - middle));
      }
    }
    CHECK(share > 0.005);  // the box is not vastly larger than what happens
    CHECK(share <= 1);
  }
}

// A mean over one pixel or a sum over an axis of one element has T = 1 and Q = 0, and the box of such a group once had
// no share for the operands. A kernel that makes it a product with ones rounds them all the same.
TEST_CASE("what a sum of one number adds is rounded like every other operand") {
  const double x = 1 + 0x1p-12, rounded = 1;  // to bfloat16
  for (const bool negates : {false, true}) {
    GraphBuilder b(1);
    std::uint32_t y = b.add(Kind::reduce, {0}, 1, {1, 1});
    if (negates) y = b.like(Kind::neg, y);
    const Structure s(b.graph);
    State<double> state(s, all_words[1].numerics);
    state.start(box({{x, x}})), state.interval(y);
    const double result = negates ? -rounded : rounded;
    CHECK(-state.ranges(y)[0].n <= result);
    CHECK(result <= state.ranges(y)[0].h);
    CHECK(state.ranges(y)[0].h + state.ranges(y)[0].n < 0x1p-5);
  }
  GraphBuilder b(1);  // what only moves is not rounded
  const std::uint32_t y = b.add(Kind::map, {0}, 2, {0, 0});
  const Structure s(b.graph);
  State<double> state(s, all_words[1].numerics);
  state.start(box({{x, x}})), state.interval(y);
  CHECK(state.ranges(y)[0].h + state.ranges(y)[0].n < 0x1p-50);
}

// Whole networks: every kind of group, folded and moved as kernels do, forward and backward.
TEST_CASE("executions of networks under the words of a capsule claim stay in all ranges") {
  Random r(18);
  for (const Words& words : all_words) {
    CAPTURE(words.name);
    int networks = 0;
    double share = 0;  // of half a range that an execution reaches
    for (int round = 0; round < 600; ++round) {
      Graph graph = random_graph(r, 1 + round % 5);
      const auto is_conv = [](const Node& n) { return n.kind == Kind::conv; };
      if (std::any_of(graph.nodes.begin(), graph.nodes.end(), is_conv)) continue;
      if (round % 4 == 0) {  // a sum over an axis of one element
        const std::uint64_t n = graph.nodes[graph.output].size;
        std::vector<std::int64_t> ones(n + 1, 1);
        graph.nodes.push_back({Kind::reduce, {graph.output}, n, ones, {}, ""});
        graph.output = static_cast<std::uint32_t>(graph.nodes.size() - 1);
      }
      const std::vector<double> at = r.numbers(graph.nodes[0].size, round % 3 == 0   ? 1
                                                                    : round % 3 == 1 ? 0x1p-15
                                                                                     : 0x1p-125);
      std::vector<std::pair<double, double>> points;
      for (double v : at) points.emplace_back(v, v);
      const Structure s(graph);
      State<double> state(s, words.numerics), real(s, {});
      const std::vector<Slopes> slopes = random_slopes(r, graph);
      SlopeSet set;
      for (const Slopes& each : slopes) set.push_back(&each);
      for (State<double>* each : {&state, &real}) {
        each->start(box(points));
        for (std::uint32_t k = 1; k < graph.nodes.size(); ++k) {
          if (!s.stored[k]) continue;
          each->interval(k);
          if (round % 2 == 0) continue;
          std::vector<std::uint64_t> elements(graph.nodes[k].size);
          for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = i;
          each->backward(k, elements, elements, set);
        }
      }
      if (!state.overflow().empty()) continue;
      ++networks;
      for (int trial = 0; trial < 20; ++trial) {
        GroupExecution execution(s, words, r);
        const std::vector<std::vector<double>>& values = execution.run(at);
        for (std::uint32_t k = 1; k < graph.nodes.size(); ++k) {
          for (std::size_t i = 0; s.stored[k] && i < values[k].size(); ++i) {
            const Interval<double>&z = state.ranges(k)[i], &exact = real.ranges(k)[i];
            CHECK(-z.n <= values[k][i]);
            CHECK(values[k][i] <= z.h);
            const double middle = (exact.h - exact.n) / 2, width = (z.h + z.n) / 2;
            if (width > 0x1p-140) share = std::max(share, std::abs(values[k][i] - middle) / width);
          }
        }
      }
    }
    CHECK(networks > 100);
    CHECK(share > 0.2);
    MESSAGE(std::string(words.name) << ": " << networks << " networks, up to " << share << " of a range");
  }
}

TEST_CASE("flushed numbers move every stored value, and a flushed divisor or variance excludes nothing") {
  Numerics flush = all_words[3].numerics;
  flush.flushed = 0x1p-14;
  GraphBuilder b(2);
  const std::uint32_t x = b.like(Kind::relu, 0);
  const std::uint32_t y = b.like(Kind::divide, x, {0x1p-15, 1});
  const Structure s(b.graph);
  State<Exact> state(s, flush);
  state.start(box({{1, 2}, {0, 1}}));
  state.interval(x), state.interval(y);
  CHECK(exactly(state.ranges(x)[0].h) == fraction(2) + fraction(0x1p-13));
  CHECK(!state.overflow().empty());
  CHECK(is_infinite(state.ranges(y)[0].h));
  flush.flushed = 0;
  State<Exact> gradual(s, flush);
  gradual.start(box({{1, 2}, {0, 1}}));
  gradual.interval(x), gradual.interval(y);
  CHECK(exactly(gradual.ranges(x)[0].h) == fraction(2));
  CHECK(gradual.overflow().empty());
}
