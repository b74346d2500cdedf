// Conjunctions whose rows are each reachable, but not together: the linear program that finds their multipliers, and
// proofs by both kinds of splits that rest on it.
#include <doctest/doctest.h>

#include <algorithm>

#include "bounds/linear_program.hpp"
#include "runtime/cpu/fast.hpp"
#include "test/bounds/branched.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

double uniform(Random& random) { return static_cast<double>(random() % 2000001) / 1e6 - 1; }

double least_over_box(const PlaneSet& planes, const std::vector<double>& weights, const std::vector<double>& lo,
                      const std::vector<double>& hi) {
  double value = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) value += weights[k] * planes.offset[k];
  for (std::size_t i = 0; i < planes.inputs; ++i) {
    double a = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) a += weights[k] * planes.coefficient[k * planes.inputs + i];
    value += a * (a > 0 ? lo[i] : hi[i]);
  }
  return value;
}

// One or two hidden relu layers of up to five neurons.
Graph small_network(Random& random, std::int64_t inputs, int layers, std::int64_t outputs) {
  Graph g;
  g.element = ElementType::binary32;
  const auto add = [&](Kind kind, std::int64_t size, std::vector<std::int64_t> ints, std::int64_t weights) {
    Node n;
    n.kind = kind;
    if (!g.nodes.empty()) n.operands = {static_cast<std::uint32_t>(g.nodes.size() - 1)};
    n.size = static_cast<std::uint64_t>(size);
    n.ints = std::move(ints);
    for (std::int64_t i = 0; i < weights; ++i) n.payload.push_back(random_weight(random));
    g.nodes.push_back(n);
  };
  add(Kind::input, inputs, {}, 0);
  std::int64_t last = inputs;
  for (int l = 0; l < layers; ++l) {
    const auto size = 2 + static_cast<std::int64_t>(random() % 4);
    add(Kind::dense, size, {1, last, size, 1}, size * last + size);
    add(Kind::relu, size, {}, 0);
    last = size;
  }
  add(Kind::dense, outputs, {1, last, outputs, 1}, outputs * last + outputs);
  g.output = static_cast<std::uint32_t>(g.nodes.size() - 1);
  return g;
}

// Every output at least its threshold.
Property all_above(const Box& box, const std::vector<Rational>& thresholds) {
  Property p = box_property(box, thresholds.size());
  Case both;
  for (std::uint32_t o = 0; o < thresholds.size(); ++o)
    both.rows.push_back({{{o, -denominator(thresholds[o])}}, numerator(thresholds[o]), false, 0});
  p.cases = {both};
  return p;
}

// Where the least of the outputs' shares (y − from) / width is greatest, about: chance, then small steps.
double greatest_least(Random& random, FastNetwork& net, const Box& box, const std::vector<double>& from,
                      const std::vector<double>& width) {
  std::vector<double> best_x;
  double best = -1e300, radius = 1;
  for (int step = 0; step < 4000; ++step) {
    std::vector<double> x(box.lo.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double middle = step < 1000 ? 0.5 * (box.lo[i] + box.hi[i]) : best_x[i];
      x[i] = std::clamp(middle + 0.5 * radius * uniform(random) * (box.hi[i] - box.lo[i]), box.lo[i], box.hi[i]);
    }
    const std::vector<double> y = net.forward(x, 1);
    double least = 1e300;
    for (std::size_t o = 0; o < y.size(); ++o) least = std::min(least, (y[o] - from[o]) / width[o]);
    if (least > best) {
      best = least;
      best_x = x;
    } else if (step >= 1000) {
      radius = std::max(0.995 * radius, 1e-6);
    }
  }
  return best;
}

}  // namespace

TEST_CASE("no other weights are better than those of the linear program, and its value is theirs") {
  Random random(31);
  for (int t = 0; t < 300; ++t) {
    PlaneSet planes;
    planes.inputs = 1 + t % 5;
    std::vector<double> lo(planes.inputs), hi(planes.inputs), plane(planes.inputs);
    for (std::size_t i = 0; i < planes.inputs; ++i) {
      lo[i] = uniform(random);
      hi[i] = t % 7 == 3 && i == 0 ? lo[i] : lo[i] + 1 + uniform(random);
    }
    const std::size_t count = 1 + random() % 6;
    for (std::size_t k = 0; k < count; ++k) {
      for (double& a : plane) a = random() % 5 == 0 ? 0 : uniform(random);
      planes.add(plane.data(), uniform(random), 1 + 0.5 * uniform(random));
    }
    const PlaneSum sum = highest_sum(planes, lo, hi);
    REQUIRE(sum.weights.size() == count);
    double total = 0;
    for (double w : sum.weights) {
      CHECK(w >= 0);
      total += w;
    }
    CHECK(total == doctest::Approx(1));
    CHECK(least_over_box(planes, sum.weights, lo, hi) == doctest::Approx(sum.value).epsilon(1e-9).scale(1));
    for (int other = 0; other < 50; ++other) {
      std::vector<double> weights(count);
      double all = 0;
      for (double& w : weights) all += w = random() % 3 == 0 ? 0 : 1 + uniform(random);
      if (all == 0) continue;
      for (double& w : weights) w /= all;
      CHECK(least_over_box(planes, weights, lo, hi) <= sum.value + 1e-9);
    }
  }
}

TEST_CASE("outputs that are not reached together: proved by both kinds of splits; those of a point never are") {
  Random random(32);
  int asked = 0, proved[2] = {0, 0};
  for (int t = 0; t < 400 && asked < 40; ++t) {
    const Graph graph = small_network(random, 1 + t % 3, 1 + t % 2, 2 + t % 2);
    const Network net(graph);
    FastNetwork fast(net.fast());
    const Box box = random_box(random, graph.nodes[0].size, 2);
    const std::vector<double> point = random_point(random, box);
    const std::vector<Rational> reached = evaluate_exactly(graph, exact_vector(point))[graph.output];
    const std::size_t outputs = reached.size();
    std::vector<double> from(outputs), greatest(outputs, -1e300), least(outputs, 1e300), width(outputs);
    for (int p = 0; p < 300; ++p) {
      const std::vector<double> y = fast.forward(random_point(random, box), 1);
      for (std::size_t o = 0; o < outputs; ++o) {
        greatest[o] = std::max(greatest[o], y[o]);
        least[o] = std::min(least[o], y[o]);
      }
    }
    bool is_constant = false;
    for (std::size_t o = 0; o < outputs; ++o) {
      from[o] = round_nearest(reached[o]);
      width[o] = greatest[o] - least[o];
      is_constant = is_constant || !(width[o] > 0);
    }
    if (is_constant) continue;
    for (const bool on_inputs : {true, false}) {
      BoxProof proof;
      CHECK_FALSE(branched(net, all_above(box, reached), Semantics::real, on_inputs, 100, 1, proof).proved);
    }
    const double edge = greatest_least(random, fast, box, from, width) + 0.01;
    std::vector<Rational> thresholds;
    bool each_alone = true;
    for (std::size_t o = 0; o < outputs; ++o) {
      thresholds.push_back(exact(from[o] + edge * width[o]));
      each_alone = each_alone && from[o] + edge * width[o] < greatest[o];
    }
    if (!each_alone) continue;
    ++asked;
    for (const bool on_inputs : {true, false}) {
      BoxProof proof;
      proved[on_inputs] += branched(net, all_above(box, thresholds), Semantics::real, on_inputs, 1000, 1, proof).proved;
    }
  }
  MESSAGE(asked << " asked: " << proved[1] << " proved by inputs, " << proved[0] << " by neurons");
  CHECK(asked >= 30);
  CHECK(proved[0] >= asked - 1);
  CHECK(proved[1] >= asked - 3);
}
