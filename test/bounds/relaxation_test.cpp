// Lines of the piecewise-linear nodes against exact values on fine grids, for every slope byte; tightness of the
// offsets; and the choices of max groups.
#include "bounds/relaxation.hpp"

#include <doctest/doctest.h>

#include <random>

#include "bounds/forward.hpp"
#include "formats/directed.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

Graph one_node(Kind kind, std::vector<double> payload, std::size_t n, std::int64_t width = 0) {
  Graph g;
  Node input;
  input.size = n;
  input.origin = "input";
  Node f;
  f.kind = kind;
  f.operands = {0};
  f.size = width ? n / static_cast<std::size_t>(width) : n;
  if (width) f.ints = {width};
  f.payload = std::move(payload);
  f.origin = "f";
  g.nodes = {input, f};
  g.output = 1;
  return g;
}

Rational value(const Graph& g, const Rational& x) { return evaluate_exactly(g, {x})[1][0]; }

}  // namespace

TEST_CASE("both lines hold at the ends, the breakpoints and between them, and touch the function") {
  std::mt19937_64 random(11);
  const std::pair<Kind, std::vector<double>> functions[] = {
      {Kind::relu, {}},        {Kind::leaky, {0.0099999997764825821}},
      {Kind::leaky, {0.0}},    {Kind::leaky, {1.0}},
      {Kind::abs, {}},         {Kind::clip, {-1.0, 1.25}},
      {Kind::clip, {0.5, 0.5}}};
  for (const auto& [kind, payload] : functions) {
    const Graph g = one_node(kind, payload, 1);
    const Network net(g);
    for (int trial = 0; trial < 60; ++trial) {
      double lo = random_weight(random) * 3, hi = random_weight(random) * 3;
      if (trial % 7 == 0) hi = lo;
      if (lo > hi) std::swap(lo, hi);
      State state(net, Semantics::real);
      set_input_range(net, state, {{lo}, {hi}});
      SlopeBytes bytes = adaptive_slopes(net, state, 1);
      if (trial % 2) {
        bytes.lower[0] = static_cast<std::uint8_t>(random() % 129);
        if (kind == Kind::clip) bytes.upper[0] = static_cast<std::uint8_t>(random() % 129);
      }
      set_lines(net, state, 1, bytes);
      const Lines& l = state.lines[1];
      const Rational a = exact(lo), b = exact(hi);
      std::vector<Rational> points;
      for (int i = 0; i <= 40; ++i) points.push_back(a + (b - a) * i / 40);
      for (const Rational& p :
           {Rational(0), exact(kind == Kind::clip ? payload[0] : 0.0), exact(kind == Kind::clip ? payload[1] : 0.0)})
        if (a <= p && p <= b) points.push_back(p);
      Rational least_gap_below = 1000, least_gap_above = 1000;
      for (const Rational& x : points) {
        const Rational below = value(g, x) - exact(l.lower_slope[0]) * x - exact(l.lower_offset[0]);
        const Rational above = exact(l.upper_slope[0]) * x + exact(l.upper_offset[0]) - value(g, x);
        CHECK(below >= 0);
        CHECK(above >= 0);
        least_gap_below = std::min(least_gap_below, below);
        least_gap_above = std::min(least_gap_above, above);
      }
      CHECK(least_gap_below <= exact(1e-12));
      CHECK(least_gap_above <= exact(1e-12));
    }
  }
}

TEST_CASE("stable elements keep their piece exactly, unstable relu has CROWN's slopes") {
  const Graph g = one_node(Kind::relu, {}, 4);
  const Network net(g);
  State state(net, Semantics::real);
  set_input_range(net, state, {{0.0, -2.0, -1.0, -3.0}, {2.0, 0.0, 3.0, 1.0}});
  set_lines(net, state, 1, adaptive_slopes(net, state, 1));
  const Lines& l = state.lines[1];
  CHECK(l.lower_slope == std::vector<double>{1, 0, 1, 0});
  CHECK(l.upper_slope[0] == 1);
  CHECK(l.upper_slope[1] == 0);
  CHECK(l.upper_slope[2] == 0.75);
  CHECK(l.upper_slope[3] == 0.25);
  CHECK(l.upper_offset[2] == doctest::Approx(0.75));
  CHECK(l.lower_offset == std::vector<double>{0, 0, 0, 0});
}

TEST_CASE("unbounded elements give infinite offsets, never a line that could be wrong") {
  const Graph g = one_node(Kind::relu, {}, 2);
  const Network net(g);
  State state(net, Semantics::real);
  set_input_range(net, state, {{-infinity, -1.0}, {1.0, infinity}});
  set_lines(net, state, 1, adaptive_slopes(net, state, 1));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(state.lines[1].lower_offset[i] == -infinity);
    CHECK(state.lines[1].upper_offset[i] == infinity);
  }
}

TEST_CASE("a max group is decided only when one operand dominates everywhere") {
  const Graph g = one_node(Kind::max, {}, 6, 3);
  const Network net(g);
  State state(net, Semantics::real);
  set_input_range(net, state, {{0.0, 2.0, -1.0, 0.0, 0.5, 0.0}, {1.0, 3.0, 2.0, 1.0, 0.75, 0.25}});
  set_lines(net, state, 1, adaptive_slopes(net, state, 1));
  CHECK(state.choice[1].dominating[0] == 1);
  CHECK(state.choice[1].chosen[0] == 1);
  CHECK(state.choice[1].dominating[1] == 0);
  CHECK(state.choice[1].chosen[1] == 1);
  CHECK(state.choice[1].upper[1] == 1.0);
  const SlopeBytes bytes = adaptive_slopes(net, state, 1);
  CHECK(bytes.lower == std::vector<std::uint8_t>{0, 128, 0, 0, 128, 0});
}
