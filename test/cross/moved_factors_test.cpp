// A runtime may move a constant factor behind the contraction that reads it (ONNX Runtime makes Mul, MatMul one product
// with a factor alpha by default). The products then have another size: a great factor magnifies what underflowed in
// them, a small one leaves them so great that they overflow. Boxes once knew the sizes of the graph as written only:
// MatMul(7e-44 * 1e30, 0.0099) was held at 6.9e-16 where ONNX Runtime gives 0, and 1e30 * 1e-30 * 1e10 at 1e10 where it
// gives infinity.
#include <doctest/doctest.h>

#include <cmath>

#include "bounds/prove.hpp"
#include "formats/directed.hpp"
#include "test/cross/regrouped.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

// x -> factor -> (transposed if two rows) -> dense or reduce.
Graph scaled_product(Random& random, Kind kind, float factor, double weight_size) {
  const std::uint64_t n = 1 + random() % 4;
  const auto size = static_cast<std::int64_t>(n);
  Graph g;
  g.input_shape = {1, size};
  g.nodes.push_back({Kind::input, {}, n, {}, {}, "x", {}});
  g.nodes.push_back({kind, {0}, n, {}, std::vector<double>(n, factor), "factor", {}});
  std::vector<std::int64_t> reversed;
  for (std::int64_t i = size; i-- > 0;) reversed.push_back(i);
  g.nodes.push_back({Kind::map, {1}, n, reversed, {}, "map", {}});
  if (random() % 4 == 0) {
    g.nodes.push_back({Kind::reduce, {2}, 1, {size, 1 + static_cast<std::int64_t>(random() % 2)}, {}, "reduce", {}});
  } else {
    std::vector<double> weights(n);
    for (double& w : weights) w = static_cast<float>(weight_size * (1 + static_cast<double>(random() % 1000) / 1000));
    g.nodes.push_back({Kind::dense, {2}, 1, {1, size, 1, 0}, weights, "dense", {}});
  }
  g.output = 3;
  validate(g);
  return g;
}

struct Seen {
  int inside = 0, outside = 0, refused = 0, zeros = 0, infinite = 0;
};

// Executions at one point against the box of the point.
void run(const Graph& g, const std::vector<double>& x, Random& random, Seen& seen) {
  const Network net(g);
  BoxProver prover(net, Semantics::fp32_any, {1, true, {}});
  const BoxResult box = prover.interval_only({x, x});
  for (int order = 0; order < 20; ++order) {
    const double y = evaluate_regrouped(g, net.groups, x, random)[0];
    seen.infinite += !std::isfinite(y);
    if (!box.overflow.empty()) {
      ++seen.refused;
      continue;
    }
    const bool good = y >= box.output.lo[0] && y <= box.output.hi[0];
    seen.zeros += good && y == 0 && box.output.lo[0] <= 0 && evaluate_exactly(g, exact_vector(x))[3][0] != 0;
    ++(good ? seen.inside : seen.outside);
  }
}

}  // namespace

TEST_CASE("what under- or overflows behind a contraction to which a factor was moved is in the box") {
  Random random(1201);
  Seen seen;
  for (int n = 0; n < 3000; ++n) {
    const bool divides = n % 2 == 1, is_great = n % 3 != 0;
    const int bits = 30 + static_cast<int>(random() % 90);
    // The factor's effect is 2^bits or 2^-bits whether it multiplies or divides.
    const float factor = std::ldexp(1.5f, is_great != divides ? bits : -bits);
    const double weight = std::ldexp(1.0, static_cast<int>(random() % 60) - 40);
    const Graph g = scaled_product(random, divides ? Kind::divide : Kind::scale, factor, weight);
    std::vector<double> x;
    const int at = is_great ? -149 + static_cast<int>(random() % 40) : 127 - static_cast<int>(random() % 60);
    for (std::uint64_t i = 0; i < g.nodes[0].size; ++i)
      x.push_back(std::ldexp(static_cast<double>(1 + random() % 7) / (is_great ? 1 : 8), at));
    run(g, x, random, seen);
  }
  MESSAGE(seen.inside << " executions inside, " << seen.outside << " outside, " << seen.refused << " not claimed, "
                      << seen.infinite << " overflowed; " << seen.zeros << " lost everything to underflow");
  CHECK(seen.outside == 0);
  CHECK(seen.inside > 10000);
  CHECK(seen.infinite > 100);
  CHECK(seen.zeros > 100);
}

// The scaled value s has two readers, one of which gets the factor behind it: W·s − W·relu(s) is 0 up to rounding, and
// the two no longer see the same bits of s. ONNX Runtime does this too.
TEST_CASE("a factor is moved for one reader of a value that others read as well") {
  Random random(1202);
  int inside = 0, moved_away = 0;
  for (int n = 0; n < 400; ++n) {
    const auto number = [&] {
      return static_cast<double>(static_cast<float>(1 + static_cast<double>(random() % 100000) / 1e5));
    };
    const std::uint64_t terms = 1 + random() % 4;
    const auto size = static_cast<std::int64_t>(terms);
    const Kind kind = n % 2 == 0 ? Kind::scale : Kind::divide;
    std::vector<double> weights(terms), x(terms);
    for (double& w : weights) w = number();
    for (double& v : x) v = number();
    Graph g;
    g.input_shape = {1, size};
    g.nodes.push_back({Kind::input, {}, terms, {}, {}, "x", {}});
    g.nodes.push_back({kind, {0}, terms, {}, std::vector<double>(terms, number()), "factor", {}});
    g.nodes.push_back({Kind::relu, {1}, terms, {}, {}, "relu", {}});
    g.nodes.push_back({Kind::dense, {1}, 1, {1, size, 1, 0}, weights, "moved", {}});
    g.nodes.push_back({Kind::relu, {3}, 1, {}, {}, "stored", {}});
    g.nodes.push_back({Kind::dense, {2}, 1, {1, size, 1, 0}, weights, "as written", {}});
    g.nodes.push_back({Kind::add, {4, 5}, 1, {1}, {}, "difference", {}});
    g.output = 6;
    validate(g);
    const Network net(g);
    Property property = box_property({x, x}, 1);
    property.bound_only = true;
    BoxProver prover(net, Semantics::fp32_any, {1, true, {}});
    ProofObserver none;
    const BoxResult box = prover.enclose(property, none);
    REQUIRE(box.overflow.empty());
    REQUIRE(box.output.hi[0] < 1e-4);
    for (int order = 0; order < 20; ++order) {
      const double y = evaluate_regrouped(g, net.groups, x, random)[0];
      REQUIRE(y >= box.output.lo[0]);
      REQUIRE(y <= box.output.hi[0]);
      ++inside;
      moved_away += y != 0;
    }
  }
  MESSAGE(inside << " executions inside, " << moved_away << " with another value than zero");
  CHECK(moved_away > 500);
}
