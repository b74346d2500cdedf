// Whole proofs against exact optima. Networks with one input are piecewise linear in one variable, so their exact least
// output is found by following every breakpoint in rationals. A property exactly at the optimum must never be called
// proved; one a little beyond it must be, where the network is stable.
#include <doctest/doctest.h>

#include <algorithm>

#include "bounds/prove.hpp"
#include "test/bounds/curves.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

bool proved(const CurveNetwork& s, const Rational& threshold, bool strict, Semantics semantics) {
  const Network net(s.graph);
  BoxProver prover(net, semantics, {1, true, {}});
  ProofObserver none;
  const Property property = below(s, threshold, strict);
  return prover.prove(RowTable(property), 0, none).proved();
}

}  // namespace

TEST_CASE("nothing reachable is ever proved unreachable, and stable networks are decided to within rounding") {
  Random random(31);
  int close = 0, trials = 0;
  for (int t = 0; t < 400; ++t) {
    const CurveNetwork s = random_curve_network(random, t % 4, t % 2 ? 1e-3 : 0.5);
    const double scale = 1 + std::fabs(round_nearest(s.least));
    CHECK_FALSE(proved(s, s.least, false, Semantics::real));  // y <= min is reached
    CHECK_FALSE(proved(s, s.least, false, Semantics::fp32_any));
    const Rational above = s.least + exact(1e-9 * scale);
    CHECK_FALSE(proved(s, above, true, Semantics::real));
    CHECK_FALSE(proved(s, above, false, Semantics::fp32_any));
    if (t % 2) {
      ++trials;
      close += proved(s, s.least - exact(1e-2 * scale), false, Semantics::fp32_any);
    }
  }
  MESSAGE("within 1% of the optimum proved: " << close << " of " << trials << " narrow boxes");
  CHECK(close >= trials * 9 / 10);
}

TEST_CASE("a box of one point is decided to within rounding in exact arithmetic") {
  Random random(32);
  for (int t = 0; t < 100; ++t) {
    CurveNetwork s = random_curve_network(random, t % 4, 0.5);
    s.box.hi[0] = s.box.lo[0];
    const Rational y = evaluate_exactly(s.graph, {exact(s.box.lo[0])})[s.graph.output][0];
    CHECK_FALSE(proved(s, y, false, Semantics::real));
    const Rational gap = exact(1e-10) * (1 + abs(y)) * 1000;
    CHECK(proved(s, y - gap, false, Semantics::real));
  }
}
