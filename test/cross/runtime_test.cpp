// The headline, tried out: no deployed binary32 execution leaves the box of the fp32_any claim. Random and adversarial
// networks are run by ONNX Runtime at every optimisation level, in our reference order, in random orders node by node
// and regrouped over whole sum groups; every output must lie in the interval that the prover gives for the very point,
// or for a small box around it. Points are random, corners, and climbed towards the end of the box.
// OUTWARD_CROSS_NETWORKS: how many networks (default 200; test/long runs 1,000). Without ONNX Runtime its part is
// skipped, visibly.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "bounds/prove.hpp"
#include "runtime/cpu/exact.hpp"
#include "runtime/cpu/reference.hpp"
#include "test/cross/networks.hpp"
#include "test/cross/regrouped.hpp"
#include "test/importers/onnx_oracle.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

constexpr int levels[] = {0, 1, 2, 99};
using Point = std::vector<double>;

struct Tally {
  std::size_t networks = 0, points = 0, executions = 0, boxes = 0;
  std::size_t overflow_networks = 0;  // overflow could not be excluded at some point: nothing is claimed there
  std::size_t runtime_networks = 0, differing_networks = 0, refused_networks = 0;
  std::size_t outside_node_boxes = 0;  // networks of which some run leaves the boxes of single nodes
  double greatest_share = 0;           // of the way from the exact output to the end of its box; above 1: outside
  double greatest_runtime_share = 0;
  int greatest_network = 0;
  std::size_t outside = 0;           // executions outside their box
  std::vector<std::string> escapes;  // one text for each network with such an execution
};

// The graph with every node read once more: no sum group has more than one node, so that boxes are those of single
// nodes. The first output elements are those of the original.
Graph with_every_node_stored(const Graph& graph) {
  Graph g = graph;
  Node all;
  all.kind = Kind::map;
  all.origin = "every node";
  all.operands.push_back(graph.output);
  for (std::uint32_t k = 1; k < graph.nodes.size(); ++k) all.operands.push_back(k);
  for (std::uint32_t k : all.operands) all.size += graph.nodes[k].size;
  for (std::uint64_t i = 0; i < all.size; ++i) all.ints.push_back(static_cast<std::int64_t>(i));
  g.output = static_cast<std::uint32_t>(g.nodes.size());
  g.nodes.push_back(std::move(all));
  return g;
}

bool inside(const Range& box, const Point& y) {
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!(box.lo[i] <= y[i] && y[i] <= box.hi[i])) return false;
  return true;
}

// How far from the exact value to the end of the box the outputs reach (computed in binary64: a statistic). An output
// at the very end (to the underflow term of leaky) is left out: clip or relu returned it, and it says nothing about
// sums.
double share(const Range& box, const Point& truth, const Point& y) {
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double end = y[i] > truth[i] ? box.hi[i] : box.lo[i];
    if (y[i] == truth[i] || std::fabs(end - y[i]) <= 0x1p-149) continue;
    worst = std::max(worst, (y[i] - truth[i]) / (end - truth[i]));
  }
  return worst;
}

class Trial {
 public:
  Trial(int number, Random& random, Tally& tally)
      : number_(number),
        random_(random),
        tally_(tally),
        model_(random_runtime_network(random)),
        bytes_(model_.net.bytes()),
        graph_(model_.net.import().graph),
        net_(graph_),
        stored_graph_(with_every_node_stored(graph_)),
        stored_net_(stored_graph_),
        prover_(net_, Semantics::fp32_any, {1, true, {}}),
        stored_prover_(stored_net_, Semantics::fp32_any, {1, true, {}}) {
    if (auto* oracle = onnx_test::Oracle::get())
      for (const int level : levels) sessions_.push_back(oracle->open(bytes_, level));
  }

  void run() {
    ++tally_.networks;
    if (!sessions_.empty()) ++tally_.runtime_networks;
    Point best;
    double greatest = -1;
    const auto consider = [&](const Point& x) {
      const double reached = at_point(x);
      if (reached > greatest) {
        greatest = reached;
        best = x;
      }
    };
    for (int p = 0; p < 5; ++p) consider(start_point(p));
    for (int step = 0; step < 8 && greatest >= 0; ++step) consider(neighbour(best));
    if (number_ % 2 == 0 && greatest >= 0) around(best);
    if (overflow_) ++tally_.overflow_networks;
    if (differs_) ++tally_.differing_networks;
    if (refused_) ++tally_.refused_networks;
    if (outside_node_box_) ++tally_.outside_node_boxes;
  }

 private:
  static double rounded(double v) { return static_cast<double>(static_cast<float>(v)); }
  double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }

  Point start_point(int kind) {
    Point x(graph_.nodes[0].size);
    const double same = rounded(model_.scale * uniform(-1, 1));
    for (double& v : x) {
      const double sign = random_() % 2 == 0 ? 1 : -1;
      switch (kind) {
        case 0:
          v = same;
          break;  // cancellation of equal terms
        case 1:
          v = sign * model_.scale;
          break;  // a corner
        case 2:
          v = rounded(sign * model_.scale * std::exp2(uniform(-20, 4)));
          break;
        default:
          v = rounded(model_.scale * uniform(-1, 1));
      }
    }
    return x;
  }

  Point neighbour(Point x) {
    const std::size_t kind = random_() % 3;
    for (double& v : x) {
      if (random_() % 3 == 0) continue;
      if (kind == 0) {
        v = rounded(v * (1 + 0x1p-23 * std::floor(uniform(-5, 6))));
      } else if (kind == 1) {
        v = rounded(v * uniform(0.5, 1.5));
      } else {
        v = rounded(model_.scale * uniform(-1, 1));
      }
    }
    return x;
  }

  struct Execution {
    std::string name;
    Point outputs;
    bool by_runtime = false;
  };

  std::vector<Execution> execute(const Point& x) {
    std::vector<Execution> all;
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
      auto out = sessions_[i]->run(model_.shape, x);
      if (out.failed) {  // its own rewriting made a model that it refuses (Pad moved into a pool): no execution
        REQUIRE_MESSAGE(i > 0, out.message);
        refused_ = true;
        continue;
      }
      if (i > 0 && out.values != all[0].outputs) differs_ = true;
      all.push_back({"ONNX Runtime, level " + std::to_string(levels[i]), std::move(out.values), true});
    }
    all.push_back({"reference order", run_reference(graph_, x)});
    all.push_back({"random order", evaluate_binary32(graph_, x, random_)[graph_.output]});
    for (int n = 0; n < 2; ++n) all.push_back({"regrouped", evaluate_regrouped(graph_, net_.groups, x, random_)});
    tally_.executions += all.size();
    return all;
  }

  // All executions at a point against its box. The greatest share the runtime reached (ours without runtime), or −1
  // if overflow cannot be excluded.
  double at_point(const Point& x) {
    const BoxResult result = prover_.interval_only({x, x});
    if (!result.overflow.empty()) {
      overflow_ = true;
      return -1;
    }
    ++tally_.points;
    Point truth;
    for (const ExactRange& y : run_exact_ranges(graph_, exact_vector(x))) truth.push_back(round_nearest(y.lo));
    const BoxResult single = stored_prover_.interval_only({x, x});
    const Range stored = single.output;
    double ours = 0, runtime = 0;
    for (const Execution& e : execute(x)) {
      if (!inside(result.output, e.outputs)) {
        escaped(e, x, "the point");
        continue;
      }
      double& greatest = e.by_runtime ? runtime : ours;
      greatest = std::max(greatest, share(result.output, truth, e.outputs));
      if (e.by_runtime && single.overflow.empty() && !inside(stored, e.outputs)) outside_node_box_ = true;
    }
    if (std::max(ours, runtime) > tally_.greatest_share) tally_.greatest_network = number_;
    tally_.greatest_share = std::max({tally_.greatest_share, ours, runtime});
    tally_.greatest_runtime_share = std::max(tally_.greatest_runtime_share, runtime);
    return sessions_.empty() ? ours : runtime;
  }

  // A small box around a point: executions at its centre, at corners and inside.
  void around(const Point& x) {
    Box box;
    const double radius = std::exp2(uniform(-22, -3));
    for (double v : x) {
      const double r = random_() % 4 == 0 ? 0 : radius * std::max(std::fabs(v), model_.scale);
      box.lo.push_back(rounded(v - r));
      box.hi.push_back(rounded(v + r));
    }
    const BoxResult result = prover_.interval_only({box.lo, box.hi});
    if (!result.overflow.empty()) return;
    ++tally_.boxes;
    for (int p = 0; p < 3; ++p) {
      const Point inner = p == 0 ? x : random_point(random_, box);
      for (const Execution& e : execute(inner))
        if (!inside(result.output, e.outputs)) escaped(e, inner, "a small box");
    }
  }

  void escaped(const Execution& e, const Point& x, const char* which) {
    ++tally_.outside;
    if (escaped_by_.empty()) {
      const std::string name = "outward-escape-" + std::to_string(number_) + ".onnx";
      const std::string file = (std::filesystem::temp_directory_path() / name).string();
      std::ofstream(file, std::ios::binary) << bytes_;
      std::string text = "network " + std::to_string(number_) + " (" + model_.patterns + ") leaves the box of " +
                         which + "; model kept as " + file + "; input";
      for (double v : x) text += " " + shortest_decimal(v);
      tally_.escapes.push_back(text + "; by");
    }
    if (escaped_by_.insert(e.name).second) tally_.escapes.back() += " [" + e.name + "]";
  }

  int number_;
  Random& random_;
  Tally& tally_;
  RuntimeNetwork model_;
  std::string bytes_;
  Graph graph_;
  Network net_;
  Graph stored_graph_;
  Network stored_net_;
  BoxProver prover_, stored_prover_;
  std::vector<std::unique_ptr<onnx_test::Oracle::Session>> sessions_;
  std::set<std::string> escaped_by_;
  bool overflow_ = false, differs_ = false, refused_ = false, outside_node_box_ = false;
};

}  // namespace

TEST_CASE("no binary32 execution of a random or adversarial network leaves its fp32_any box") {
  const char* given = std::getenv("OUTWARD_CROSS_NETWORKS");
  const int count = given != nullptr ? std::atoi(given) : 200;
  REQUIRE(count > 0);
  Tally tally;
  for (int n = 0; n < count; ++n) {
    Random random(7919 + static_cast<std::uint64_t>(n));  // each network can be had again by itself
    Trial(n, random, tally).run();
  }
  std::printf("executions in their boxes: %zu networks, %zu points, %zu small boxes, %zu executions, %zu outside\n",
              tally.networks, tally.points, tally.boxes, tally.executions, tally.outside);
  std::printf(
      "  greatest share of the way from the exact output to the end of its box: %.4f (ONNX Runtime: %.4f), network "
      "%d\n",
      tally.greatest_share, tally.greatest_runtime_share, tally.greatest_network);
  std::printf("  networks where overflow could not be excluded at some point: %zu\n", tally.overflow_networks);
  if (tally.runtime_networks > 0)
    std::printf(
        "  ONNX Runtime: optimisation levels differ on %zu of %zu networks; %zu leave boxes of single nodes; "
        "%zu refused after its own rewriting\n",
        tally.differing_networks, tally.runtime_networks, tally.outside_node_boxes, tally.refused_networks);
  for (std::size_t i = 0; i < tally.escapes.size() && i < 10; ++i) MESSAGE(tally.escapes[i]);
  CHECK(tally.escapes.empty());
  CHECK(tally.overflow_networks * 10 < tally.networks);
  if (count >= 100) {
    CHECK(tally.greatest_share > 0.1);
    if (tally.runtime_networks > 0) {
      CHECK(tally.differing_networks * 5 > tally.runtime_networks);
      CHECK(tally.outside_node_boxes > 0);
      CHECK(tally.refused_networks * 20 < tally.runtime_networks);
    }
  }
}
