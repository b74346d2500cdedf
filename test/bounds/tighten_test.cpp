// Ranges improved by slopes of their own: they hold for every execution, are never wider than before, and on deep
// networks they are much narrower.
#include "bounds/branch/tighten.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "test/bounds/branched.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

struct Tightened {
  std::optional<RootProof> before, after;
};

Tightened tighten(const Network& net, const Property& property, Semantics semantics, unsigned threads) {
  const RowTable rows(property);
  BoxProver prover(net, semantics, {1, true, {}});
  ProofObserver none;
  Tightened t;
  prover.prove(rows, 0, none, &t.after);
  if (!t.after) return t;
  t.before = t.after;
  TightenOptions options;
  options.threads = threads;
  tighten_root(net, *t.after, options, none);
  return t;
}

double width(const Range& r) {
  double sum = 0;
  for (std::size_t i = 0; i < r.lo.size(); ++i) sum += r.hi[i] - r.lo[i];
  return sum;
}

// Layers of dense and relu, `n` wide, weights like those of a trained network; its own box around a random point.
Graph deep_network(Random& random, std::size_t layers, std::size_t n) {
  std::normal_distribution<double> normal(0, std::sqrt(2.0 / static_cast<double>(n)));
  Graph g;
  g.input_shape = {static_cast<std::int64_t>(n)};
  const auto size = static_cast<std::int64_t>(n);
  g.nodes.push_back({Kind::input, {}, n, {}, {}, "x", {}});
  for (std::size_t l = 0; l < layers; ++l) {
    const auto last = static_cast<std::uint32_t>(g.nodes.size() - 1);
    std::vector<double> weights(n * n + n);
    for (double& w : weights) w = static_cast<float>(normal(random));
    g.nodes.push_back({Kind::dense, {last}, n, {1, size, size, 1}, std::move(weights), "dense", {}});
    if (l + 1 < layers) g.nodes.push_back({Kind::relu, {last + 1}, n, {}, {}, "relu", {}});
  }
  g.output = static_cast<std::uint32_t>(g.nodes.size() - 1);
  return g;
}

Property unsafe_everywhere(const Box& box, std::size_t outputs) {
  Property p = box_property(box, outputs);
  p.cases = {{0, {{{{0, 1}}, -1000000, false, 0}}}};
  return p;
}

}  // namespace

TEST_CASE("improved ranges hold for every execution and are never wider") {
  Random random(611);
  int networks = 0, narrower = 0, points = 0;
  for (int n = 0; n < 150; ++n) {
    const Graph graph = random_graph(random, 2 + static_cast<int>(random() % 4));
    const Network net(graph);
    const Box box = random_box(random, graph.nodes[0].size, 2);
    const Semantics semantics = n % 2 == 0 ? Semantics::fp32_any : Semantics::real;
    const Tightened t = tighten(net, unsafe_everywhere(box, graph.nodes[graph.output].size), semantics, 1);
    if (!t.after) continue;
    ++networks;
    bool some = false;
    for (std::uint32_t k = 0; k < net.size(); ++k) {
      if (!net.groups.stored[k]) continue;
      const Range &old = t.before->state.range[k], &now = t.after->state.range[k];
      for (std::size_t i = 0; i < now.lo.size(); ++i) {
        REQUIRE(now.lo[i] >= old.lo[i]);
        REQUIRE(now.hi[i] <= old.hi[i]);
        some = some || now.lo[i] > old.lo[i] || now.hi[i] < old.hi[i];
      }
    }
    narrower += some;
    for (int p = 0; p < 30; ++p) {
      const std::vector<double> x = random_point(random, box);
      const auto y = evaluate_exactly(graph, exact_vector(x));
      const auto y32 = evaluate_binary32(graph, x, random);
      ++points;
      for (std::uint32_t k = 0; k < net.size(); ++k) {
        if (!net.groups.stored[k]) continue;
        const Range& r = t.after->state.range[k];
        for (std::size_t i = 0; i < r.lo.size(); ++i) {
          REQUIRE(exact(r.lo[i]) <= y[k][i]);
          REQUIRE(y[k][i] <= exact(r.hi[i]));
          if (semantics == Semantics::real) continue;
          REQUIRE(r.lo[i] <= y32[k][i]);
          REQUIRE(y32[k][i] <= r.hi[i]);
        }
      }
    }
  }
  MESSAGE(networks << " networks, " << narrower << " of them narrower than by CROWN, " << points << " points");
  CHECK(networks > 60);
  CHECK(narrower > 20);
}

TEST_CASE("improved outputs hold for every execution and are never wider") {
  Random random(613);
  int narrower = 0;
  for (int n = 0; n < 80; ++n) {
    const Graph graph = random_graph(random, 2 + static_cast<int>(random() % 3));
    const Network net(graph);
    const Box box = random_box(random, graph.nodes[0].size, 2);
    const Semantics semantics = n % 2 == 0 ? Semantics::fp32_any : Semantics::real;
    Recorder proof;
    std::optional<RootProof> root;
    BoxProver prover(net, semantics, {1, true, {}});
    const Range before = prover.enclose(box_property(box, graph.nodes[graph.output].size), proof, &root).output;
    REQUIRE(root);
    const std::string by_crown = proof.text;
    Range now = before;
    tighten_outputs(net, *root, now, {}, proof);
    CHECK((now.lo == before.lo && now.hi == before.hi) ==
          (proof.text.find("bound", by_crown.size()) == std::string::npos));
    narrower += now.lo != before.lo || now.hi != before.hi;
    for (int p = 0; p < 30; ++p) {
      const std::vector<double> x = random_point(random, box);
      const std::vector<Rational> y = evaluate_exactly(graph, exact_vector(x))[graph.output];
      const std::vector<double> y32 = evaluate_binary32(graph, x, random)[graph.output];
      for (std::size_t i = 0; i < now.lo.size(); ++i) {
        REQUIRE(before.lo[i] <= now.lo[i]);
        REQUIRE(now.hi[i] <= before.hi[i]);
        REQUIRE(exact(now.lo[i]) <= y[i]);
        REQUIRE(y[i] <= exact(now.hi[i]));
        if (semantics == Semantics::real) continue;
        REQUIRE(now.lo[i] <= y32[i]);
        REQUIRE(y32[i] <= now.hi[i]);
      }
    }
  }
  MESSAGE(narrower << " of 80 networks have narrower outputs than by CROWN");
  CHECK(narrower > 20);
}

TEST_CASE("deep networks: narrower by far, and the same for any number of threads") {
  Random random(612);
  for (int n = 0; n < 3; ++n) {
    const Graph graph = deep_network(random, 7, 24);
    const Network net(graph);
    Box box;
    for (std::size_t i = 0; i < 24; ++i) {
      const auto centre = static_cast<float>(std::normal_distribution<double>(0, 1)(random));
      box.lo.push_back(centre - 0.5f), box.hi.push_back(centre + 0.5f);
    }
    const Property property = unsafe_everywhere(box, 24);
    const Tightened one = tighten(net, property, Semantics::fp32_any, 1);
    const Tightened two = tighten(net, property, Semantics::fp32_any, 2);
    REQUIRE(one.after);
    const std::uint32_t last = graph.output - 2;  // the last pre-activation
    const double before = width(one.before->state.range[last]), after = width(one.after->state.range[last]);
    MESSAGE("last pre-activation: width " << before << " by CROWN, " << after << " now");
    CHECK(after < 0.75 * before);
    for (std::uint32_t k = 0; k < net.size(); ++k) {
      CHECK(one.after->state.range[k].lo == two.after->state.range[k].lo);
      CHECK(one.after->state.range[k].hi == two.after->state.range[k].hi);
    }
    CHECK(one.after->slope_count == two.after->slope_count);
  }
}
