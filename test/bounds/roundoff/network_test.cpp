// Networks: every execution the policy covers stays within the end-to-end bound, and the margin of a proof falls by the
// shares of the report.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <iostream>

#include "bounds/roundoff/margin.hpp"
#include "bounds/roundoff/observe.hpp"
#include "bounds/roundoff/recommend.hpp"
#include "importers/onnx/onnx.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::roundoff;
using outward::testing::Random;

namespace {

Arithmetic any_order(const std::string& format, const std::string& sums = "") {
  return Arithmetic(
      parse_policy(format + (sums.empty() ? "" : " accumulator=" + sums) + " reduction=any_order_any_fusion"));
}

double most(const std::vector<double>& values) {
  double out = 0;
  for (const double v : values) out = std::max(out, v);
  return out;
}

}  // namespace

TEST_CASE("binary32, random bracketing and fusion, exact rational values beside: within the bound at every node") {
  Random random(21);
  double tightest = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Graph graph = outward::testing::random_graph(random, 1 + trial % 3);
    const auto around = outward::testing::random_box(random, graph.nodes[0].size, trial % 2 == 0 ? 0.01 : 1.0);
    const Program p = program_of(graph, any_order("binary32"));
    const roundoff::Box box{around.lo, around.hi, true};
    const TightAnalysis tight = analyse_tightly(p, box, {}, 1e8);
    const EndToEnd end = end_to_end(p, tight.analysis);
    REQUIRE(tight.analysis.overflow.empty());
    for (int point = 0; point < 6; ++point) {
      const std::vector<double> x = outward::testing::random_point(random, around);
      const auto value = outward::testing::evaluate_exactly(graph, outward::testing::exact_vector(x));
      const auto computed = outward::testing::evaluate_binary32(graph, x, random);
      const Groups groups = find_groups(graph);
      for (std::uint32_t k = 0; k < graph.nodes.size(); ++k) {
        if (groups.root[k] != k) continue;
        for (std::size_t i = 0; i < graph.nodes[k].size; ++i) {
          const Rational error = abs(exact(computed[k][i]) - value[k][i]);
          CHECK(error <= exact(tight.analysis.at[k].out[i].error));
          CHECK(exact(tight.analysis.at[k].out[i].lo) <= value[k][i]);
          CHECK(value[k][i] <= exact(tight.analysis.at[k].out[i].hi));
        }
      }
      for (std::size_t j = 0; j < end.best.size(); ++j) {
        const Rational error = abs(exact(computed[graph.output][j]) - value[graph.output][j]);
        for (const double bound : {end.forward[j], end.mean_value[j], end.difference[j]}) CHECK(error <= exact(bound));
        if (end.best[j] > 0) tightest = std::max(tightest, round_nearest(error) / end.best[j]);
      }
    }
  }
  CHECK(tightest > 0.001);
}

TEST_CASE("narrow formats and batch norms: no run is beyond a bound") {
  Random random(4);
  int finite = 0;
  for (int trial = 0; trial < 24; ++trial) {
    const Graph graph = outward::testing::random_graph(random, 1 + trial % 3, true);
    const auto around = outward::testing::random_box(random, graph.nodes[0].size, 0.1);
    const roundoff::Box box{around.lo, around.hi, trial % 2 == 0};
    for (const auto& [format, sums] :
         {std::pair("e4m3fn", "binary32"), std::pair("e5m2", ""), std::pair("bfloat16", "binary32"),
          std::pair("binary16", ""), std::pair("binary32", "")}) {
      const Program p = program_of(graph, any_order(format, sums));
      const TightAnalysis tight = analyse_tightly(p, box, {}, 1e8);
      const EndToEnd end = end_to_end(p, tight.analysis);
      const Observed seen = observe(p, in_binary64(p), tight.analysis, end.best, box, {5, random()});
      CHECK(seen.violations == 0);
      if (seen.not_finite > 0) CHECK_FALSE(tight.analysis.overflow.empty());
      if (most(end.best) < infinity) ++finite;
    }
  }
  CHECK(finite > 40);
}

TEST_CASE("real margin minus the float one is the sum of the shares") {
  Random random(9);
  int checked = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Graph graph = outward::testing::random_graph(random, 1 + trial % 4, trial % 4 == 3);
    const auto around = outward::testing::random_box(random, graph.nodes[0].size, 0.2);
    const Network net(graph);
    for (const Margin& m : margins(net, Semantics::fp32_any, around.lo, around.hi)) {
      // Below that the rounding of the two margins themselves, about 1e-16 of them, shows.
      if (m.shares < 1e-6 * std::fabs(m.real) || !(std::fabs(m.real) < infinity) || m.shares == 0) continue;
      CHECK(std::fabs(m.difference() - m.shares) <= 1e-9 * m.shares);
      ++checked;
    }
  }
  CHECK(checked > 20);
}

TEST_CASE("mixed formats: a recommendation keeps its target, observed too") {
  Random random(14);
  int narrowed = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const Graph graph = outward::testing::random_graph(random, 2);
    const auto around = outward::testing::random_box(random, graph.nodes[0].size, 0.05);
    const roundoff::Box box{around.lo, around.hi, true};
    const Arithmetic base = any_order("binary32");
    const Program p = program_of(graph, base);
    const double bound = most(end_to_end(p, analyse(p, box)).best);
    RecommendOptions how;
    how.target = 1e4 * bound;
    how.tries = 40;
    const Recommendation r = recommend(graph, base, box, {}, std::vector<double>(graph.nodes.size(), 0.0), how);
    CHECK(r.reached);
    CHECK(r.bound <= how.target);
    std::vector<Arithmetic> arithmetics{base};
    std::vector<std::uint32_t> of_node;
    for (const std::string& name : r.format) {
      if (name == "binary32") {
        of_node.push_back(0);
        continue;
      }
      ++narrowed;
      arithmetics.push_back(any_order(name, "binary32"));
      of_node.push_back(static_cast<std::uint32_t>(arithmetics.size() - 1));
    }
    const Program mixed = program_of(graph, arithmetics, of_node);
    const Analysis a = analyse(mixed, box);
    const EndToEnd end = end_to_end(mixed, a);
    const Observed seen = observe(mixed, in_binary64(mixed), a, end.best, box, {5, 3});
    CHECK(seen.violations == 0);
    how.target = bound / 2;
    CHECK_FALSE(recommend(graph, base, box, {}, std::vector<double>(graph.nodes.size(), 0.0), how).reached);
  }
  CHECK(narrowed > 0);
}

TEST_CASE("an overflow that is not excluded leaves no bound") {
  Graph graph;
  graph.nodes = {{Kind::input, {}, 2, {}, {}, "", {2}}, {Kind::dense, {0}, 1, {1, 2, 1, 0}, {300, 300}, "", {1}}};
  graph.output = 1;
  const Program p = program_of(graph, any_order("e4m3fn", "binary32"));
  const Analysis a = analyse(p, {{0, 0}, {1, 1}, true});
  CHECK_FALSE(a.overflow.empty());
  CHECK_FALSE(end_to_end(p, a).best[0] < infinity);
  CHECK(a.at[1].headroom_bits < 0);
}
