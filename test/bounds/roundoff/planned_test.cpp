// Arithmetic of plans: which nodes are one sum, what is refused and by which name, and random plans whose runs stay
// within their bounds.
#include "bounds/roundoff/planned.hpp"

#include <doctest/doctest.h>

#include "bounds/roundoff/observe.hpp"
#include "formats/error.hpp"
#include "runtime/graph/groups.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::roundoff;

namespace {

// x (3) -> dense -> shift -> relu -> dense
Graph small_graph() {
  Graph graph;
  graph.nodes.push_back({Kind::input, {}, 3, {}, {}, "input", {3}});
  graph.nodes.push_back({Kind::dense, {0}, 2, {1, 3, 2, 0}, {0.5, -0.25, 1.5, 2, 0.75, -1}, "node 0 'first'", {2}});
  graph.nodes.push_back({Kind::shift, {1}, 2, {}, {0.3, -0.7}, "node 1 'bias'", {2}});
  graph.nodes.push_back({Kind::relu, {2}, 2, {}, {}, "node 2 'relu'", {2}});
  graph.nodes.push_back({Kind::dense, {3}, 1, {1, 2, 1, 0}, {1.25, -3}, "node 3 'last'", {1}});
  graph.output = 4;
  return graph;
}
const roundoff::Box small_box{{-1, 0.5, -1}, {1, 1, 2}, true};

Program planned(const Graph& graph, const std::vector<std::string>& policies) {
  std::vector<NumericalPolicy> parsed;
  std::vector<std::string> kernels;
  for (const std::string& text : policies) {
    parsed.push_back(parse_policy(text));
    kernels.push_back("kernel" + std::to_string(kernels.size()));
  }
  PlannedArithmetic p = arithmetics_of(graph, parsed, kernels, 1);
  return program_of(graph, std::move(p.arithmetics), std::move(p.of_node));
}

double bound_of(const Program& p) { return end_to_end(p, analyse(p, small_box)).best[0]; }

std::string refusal(const std::vector<std::string>& policies) {
  try {
    planned(small_graph(), policies);
  } catch (const InputRefused& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace

TEST_CASE("kernels that say how they sum are on their own, as --order says for all") {
  const Graph graph = small_graph();
  const std::string sums = "binary32 reduction=sequential", none = "binary32";
  const Program alone = planned(graph, {none, sums, none, none, sums});
  CHECK(alone.root[1] == 1);
  CHECK(bound_of(alone) == bound_of(program_of(graph, Arithmetic(parse_policy(sums)))));
}

TEST_CASE("one kernel of any order and fusion makes its whole sum one") {
  const Graph graph = small_graph();
  const std::string open = "binary32 reduction=any_order_any_fusion", none = "binary32";
  const double any = bound_of(program_of(graph, Arithmetic(parse_policy(open))));
  for (const char* words : {" reduction=any_order_any_fusion", " reduction=implementation_defined"}) {
    const Program p = planned(graph, {none, none + words, none, none, none + words});
    CHECK(p.root[1] == 2);
    CHECK(bound_of(p) == any);
  }
  // The sum of the other matrix is not open: it keeps its own, sharper bound.
  const Program mixed = planned(graph, {none, open, none, none, "binary32 reduction=sequential"});
  CHECK(mixed.root[1] == 2);
  CHECK_FALSE(mixed.arithmetic_of(4).any_fusion());
  CHECK(mixed.arithmetic_of(2).any_fusion());
  CHECK(bound_of(mixed) <= any);
}

TEST_CASE("what has no formula is refused with node and kernel, all at once") {
  const std::string none = "binary32", sums = "binary32 reduction=sequential";
  const std::string two = refusal({none, sums + " subnormals=flush", none + " rounding=nearest_away", none, sums});
  for (const char* word : {"'first'", "kernel1", "flushes subnormal", "'bias'", "kernel2", "ties to even"})
    CHECK_MESSAGE(two.find(word) != std::string::npos, two);
  CHECK(two.find("kernel4") == std::string::npos);
  const std::string open = "binary32 reduction=any_order_any_fusion";
  CHECK(refusal({none, open + " operands=binary64", none, none, open}).find("does not contain") != std::string::npos);
  // A sum that may be fused with one of another accumulator: no kernel says in which one the terms are added then.
  Graph graph = small_graph();
  graph.nodes[2] = {Kind::dense, {1}, 2, {1, 2, 2, 0}, {1, 0, 0.5, 1}, "node 1 'second'", {2}};
  graph.nodes[3] = {Kind::add, {1, 2}, 2, {0}, {}, "node 2 'sum'", {2}};
  const Groups groups = find_groups(graph);
  REQUIRE(groups.root[2] == groups.root[3]);
  std::vector<NumericalPolicy> policies(5, parse_policy(open));
  policies[2] = parse_policy("binary32 accumulator=binary64 reduction=sequential");
  try {
    arithmetics_of(graph, policies, std::vector<std::string>(5, "kernel"), 1);
    FAIL("accepted");
  } catch (const InputRefused& refused) {
    CHECK(std::string(refused.what()).find("accumulator is another one") != std::string::npos);
  }
}

TEST_CASE("random plans: no run is beyond its bound") {
  outward::testing::Random random(23);
  const std::vector<std::string> sums = {"reduction=sequential",
                                         "contraction=fma reduction=sequential",
                                         "reduction=pairwise",
                                         "reduction=any_order",
                                         "reduction=any_order_any_fusion",
                                         "accumulator=binary64 reduction=pairwise",
                                         "operands=tf32 reduction=sequential",
                                         "operands=bfloat16 reduction=any_order_any_fusion",
                                         "operands=bfloat16 reduction=block(h100_bf16)",
                                         "reduction=implementation_defined"};
  int planned_graphs = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const Graph graph = outward::testing::random_graph(random, 2, trial % 2 == 0);
    std::vector<NumericalPolicy> policies;
    for (const Node& node : graph.nodes) {
      const bool adds = is_contraction(node.kind) || node.kind == Kind::bn;
      policies.push_back(parse_policy("binary32" + (adds ? " " + sums[random() % sums.size()] : "")));
    }
    PlannedArithmetic plan;
    try {
      plan = arithmetics_of(graph, policies, std::vector<std::string>(graph.nodes.size(), "kernel"), 1);
    } catch (const InputRefused&) {
      continue;  // an open sum with one of another accumulator
    }
    ++planned_graphs;
    const Program p = program_of(graph, plan.arithmetics, plan.of_node);
    const auto around = outward::testing::random_box(random, graph.nodes[0].size, 1);
    const roundoff::Box box{around.lo, around.hi, true};
    const Analysis a = analyse(p, box);
    const EndToEnd end = end_to_end(p, a);
    const Observed seen = observe(p, in_binary64(p), a, end.best, box, {6, random(), 3});
    CHECK(seen.skipped.empty());
    CHECK(seen.violations == 0);
  }
  CHECK(planned_graphs > 15);
}

TEST_CASE("operands that are rounded first: the bound covers it, and is reached") {
  // 1 + 2^-9 and 1 + 2^-8 are 1 in bfloat16 (ties to even, or nearer): 1·1 for a product of 1.0058….
  Graph graph;
  graph.nodes.push_back({Kind::input, {}, 1, {}, {}, "input", {1}});
  graph.nodes.push_back({Kind::dense, {0}, 1, {1, 1, 1, 1}, {1 + 0x1p-8, 0x1p-9}, "node 0 'product'", {1}});
  graph.nodes.push_back({Kind::relu, {1}, 1, {}, {}, "node 1 'relu'", {1}});
  graph.output = 2;
  const double x = 1 + 0x1p-9, lost = (1 + 0x1p-8) * x - 1;
  for (const char* words :
       {" reduction=sequential", " reduction=any_order_any_fusion", " reduction=block(h100_bf16)"}) {
    const std::string policy = std::string("binary32 operands=bfloat16") + words;
    const Program p = planned(graph, {"binary32", policy, "binary32"});
    const roundoff::Box point{{x}, {x}, false};
    const Analysis a = analyse(p, point);
    const Run r = run(p, {x}, covered_orders(p)[0]);
    // The bias is no factor of a product: it keeps its last bit.
    CHECK(r.values[1][0] == 1 + 0x1p-9);
    CHECK(a.at[1].out[0].error >= lost);
    CHECK(a.at[1].out[0].error <= 1.6 * lost);
    const Observed seen = observe(p, in_binary64(p), a, end_to_end(p, a).best, point, {1, 1});
    CHECK(seen.violations == 0);
    CHECK(seen.of_operator[1] > 0.99 * lost);
  }
  // 70000 is a number of binary32, and infinite in binary16.
  for (const char* words : {" reduction=sequential", " reduction=any_order_any_fusion"}) {
    const Program p = planned(graph, {"binary32", std::string("binary32 operands=binary16") + words, "binary32"});
    const Analysis a = analyse(p, {{70000}, {70000}, false});
    CHECK_FALSE(a.at[2].out[0].error < infinity);
    CHECK(analyse(p, {{60000}, {60000}, false}).at[2].out[0].error < 200);
  }
  // A sum of numbers that are rounded first, and of some that are not.
  Graph mean;
  mean.nodes.push_back({Kind::input, {}, 2, {}, {}, "input", {2}});
  mean.nodes.push_back({Kind::reduce, {0}, 1, {2, 1}, {}, "node 0 'sum'", {1}});
  mean.output = 1;
  for (const char* words :
       {" operands=bfloat16 reduction=sequential", " operands=bfloat16 reduction=any_order_any_fusion"}) {
    const Program p = planned(mean, {"binary32", std::string("binary32") + words});
    const roundoff::Box point{{x, x}, {x, x}, false};
    CHECK(run(p, {x, x}, covered_orders(p)[0]).values[1][0] == 2);
    CHECK(analyse(p, point).at[1].out[0].error >= 0x1p-8);
  }
}

TEST_CASE("a group takes the operands of its matrix products; products of two kinds are refused") {
  const Graph graph = small_graph();
  const std::string none = "binary32", tf32 = "binary32 operands=tf32 reduction=any_order_any_fusion";
  const Program p = planned(graph, {none, tf32, none, none, tf32});
  CHECK(p.arithmetic_of(2).converts);
  CHECK_FALSE(p.arithmetic_of(3).converts);
  const double narrow = bound_of(p),
               wide = bound_of(planned(graph, {none, "binary32 reduction=any_order_any_fusion", none, none,
                                               "binary32 reduction=any_order_any_fusion"}));
  CHECK(narrow > 100 * wide);
  Graph two = small_graph();
  two.nodes[2] = {Kind::dense, {0}, 2, {1, 3, 2, 0}, {1, 0, 0.5, 1, 2, 3}, "node 1 'second'", {2}};
  two.nodes[3] = {Kind::add, {1, 2}, 2, {0}, {}, "node 2 'sum'", {2}};
  try {
    planned(two, {none, tf32, "binary32 operands=bfloat16 reduction=sequential", none, tf32});
    FAIL("accepted");
  } catch (const InputRefused& refused) {
    CHECK(std::string(refused.what()).find("operands are of another format") != std::string::npos);
  }
}
