// The exact sums of products against the same sums by fractions, one operation after the other: weights of all sizes,
// numbers over several denominators, points and intervals, and what must fall back to the general way.
#include "checker/kernel/sums.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>

using namespace outward_check;

namespace {

struct Trial {
  std::mt19937_64 random{4};
  std::vector<Interval<Exact>> cells;
  std::vector<double> weights;

  double weight(int spread) {
    if (random() % 16 == 0) return random() % 2 == 0 ? 0.0 : -0.0;
    const double m = static_cast<double>(static_cast<std::int64_t>(random()) >> random() % 60);
    return std::ldexp(m, static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2);
  }
  Fraction number() {
    const BigInt m = BigInt(static_cast<std::int64_t>(random()) >> random() % 60) << random() % 70;
    static constexpr std::int64_t below[] = {1, 1, 125, 16777213, 40};
    return Fraction(m, BigInt(below[random() % 5]) << random() % 40);
  }
  // What ExactSums gives is not below the exact ends, and is them unless they are too long for Exact.
  void compare() {
    ExactSums sums{Sites()};
    CHECK(sums.empty());
    for (std::size_t i = 0; i < cells.size(); ++i) sums.add(&cells[i], i);
    CHECK(sums.empty() == cells.empty());
    Interval<Exact> found[2];
    sums.sum<2>(weights.data(), cells.size(), found);
    for (std::size_t row = 0; row < 2; ++row) {
      Fraction n, h;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const Fraction w = Fraction::from_double(weights[row * cells.size() + i]);
        const Fraction size = w.sign() < 0 ? -w : w;
        n = n + size * (w.sign() < 0 ? cells[i].h : cells[i].n).value;
        h = h + size * (w.sign() < 0 ? cells[i].n : cells[i].h).value;
      }
      compare(found[row].n, n);
      compare(found[row].h, h);
    }
  }
  void compare(const Exact& found, const Fraction& exact) {
    CHECK_FALSE(found.infinite);
    if (exact.reduced().m.bits() <= 1024) {
      CHECK(found.value == exact);
    } else {
      ++rounded;
      CHECK(found.value > exact);
      const Fraction size = exact.sign() < 0 ? -exact : exact;
      CHECK(found.value - exact < size * Fraction::dyadic(1, -600));
    }
  }
  int rounded = 0;
};

}  // namespace

TEST_CASE("exact sums of products are those of fractions") {
  Trial t;
  for (int round = 0; round < 300; ++round) {
    const bool points = round % 3 == 0;
    const int spread = round % 5 == 0 ? 500 : 60;
    t.cells.clear(), t.weights.clear();
    for (std::uint64_t n = t.random() % 12; n != 0; --n) {
      const Fraction low = t.number(), more = points ? Fraction() : t.number();
      t.cells.push_back({Exact(-low), Exact(low + (more.sign() < 0 ? -more : more))});
    }
    for (std::size_t i = 0; i < 2 * t.cells.size(); ++i) t.weights.push_back(t.weight(spread));
    CAPTURE(round);
    t.compare();
  }
}

TEST_CASE("the least and the greatest weights are in the sums") {
  Trial t;
  t.cells = {point(Exact(3)), point(Exact(-0x1p-1074)), {Exact(-1), Exact(0x1.fp10)}};
  t.weights = {0x1p-1074, 0x1.fffffffffffffp-1023, -0x1.8p-1040, 0x1p-1022, -0x1p-1074, 0x1.8p-30};
  t.compare();
  t.weights = {0x1.fffffffffffffp1023, 0x1p1023, -0x1p1000, 0x1p900, -0x1p-60, 0x1.8p-1023};
  t.compare();
  t.cells.pop_back(), t.weights = {0x1p-1074, 0x1p1023, 0x1p1023, 0x1.8p-30};
  t.compare();
  CHECK(t.rounded == 10);  // all ends are too long but two
}

TEST_CASE("sums of nothing but zeros are plain zeros") {
  const Interval<Exact> nothing;
  ExactSums sums{Sites()};
  sums.add(&nothing, 0);
  const double weight = 0x1p1023;
  Interval<Exact> sum;
  sums.sum<1>(&weight, 1, &sum);
  CHECK((is_zero(sum.n) && is_zero(sum.h)));
  CHECK(is_zero(mul_up(sum.h, Exact(0x1p1000))));
  CHECK(sum.h.value.e == 0);
}

TEST_CASE("infinite ends, and numbers far apart, are added up in the general way") {
  const Interval<Exact> half{Exact(infinity), Exact(2)}, whole{Exact(1), Exact(2)};
  ExactSums mixed{Sites()};
  mixed.add(&half, 0), mixed.add(&whole, 1);
  const double weights[] = {1, 2, -1, 2};
  Interval<Exact> ends[2];
  mixed.sum<2>(weights, 2, ends);
  CHECK(ends[0].n.infinite);
  CHECK(ends[0].h.value == Fraction(6));
  CHECK(ends[1].n.value == Fraction(4));
  CHECK(ends[1].h.infinite);
  Trial t;
  t.cells = {point(Exact(Fraction::dyadic(1, 9000))), point(Exact(Fraction::dyadic(3, -9000)))};
  t.weights = {1, 0, 0, -0.5};
  t.compare();
  std::vector<Interval<Exact>> many;  // denominators that share no factor
  for (std::int64_t d = 1; many.size() < 200; ++d)
    many.push_back(point(Exact(Fraction(1, (BigInt(1) << 20) + 2 * d + 1))));
  ExactSums sums{Sites()};
  for (std::size_t i = 0; i < many.size(); ++i) sums.add(&many[i], i);
  const std::vector<double> ones(many.size(), 1);
  Interval<Exact> sum;
  sums.sum<1>(ones.data(), 1, &sum);
  Fraction exact;
  for (const Interval<Exact>& z : many) exact = exact + z.h.value;
  CHECK(sum.h.value >= exact);  // rounded up on the way
  CHECK(sum.h.value - exact < Fraction::dyadic(1, -600));
}
