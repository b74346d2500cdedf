// Error boxes under the words of the claim `capsule` (FORMAT.md sections 3 and 5): executions that round operands,
// round either way and flush stay inside, and the words cost what the formula says and no more.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "test/checker/random_sums.hpp"

using namespace proof_tools;

namespace {

struct Words {
  const char* name;
  Numerics numerics;
  int operand_bits;      // of precision; 24: not rounded
  double operand_least;  // the least normal number among them
  bool any;              // either neighbour
};
constexpr double least32 = 0x1p-126;
const Words all_words[] = {
    {"tf32", {Semantics::capsule, 0x1p-24, 0x1p-149, 0x1p127, 0x1p-11, 0x1p-136, 0}, 11, least32, false},
    {"bfloat16", {Semantics::capsule, 0x1p-24, 0x1p-149, 0x1p127, 0x1p-8, 0x1p-133, 0}, 8, least32, false},
    {"binary16 any", {Semantics::capsule, 0x1p-23, 0x1p-148, 0x1p15, 0x1p-10, 0x1p-23, 0}, 11, 0x1p-14, true},
    {"flush", {Semantics::capsule, 0x1p-24, 0x1p-149, 0x1p127, 0, 0, 0x1p-126}, 24, least32, false},
    {"tf32 any flush",
     {Semantics::capsule, 0x1p-23, 0x1p-148, 0x1p127, 0x1p-10, 0x1p-135, 0x1p-126},
     11,
     least32,
     true}};

// One execution under the words, its choices random.
class Machine {
 public:
  Machine(const Words& words, Random& r) : words_(words), r_(r) {}

  double operand(double x) { return flushed(to_bits(flushed(x), words_.operand_bits, words_.operand_least)); }
  double result(double exact) { return flushed(to_bits(exact, 24, least32)); }
  double stored(double x) { return flushed(x); }
  double product(double a, double b) { return result(operand(a) * operand(b)); }
  // A product of rounded operands may be added without being rounded first.
  double fused(double a, double b, double c) { return result(std::fma(operand(a), operand(b), flushed(c))); }
  double sum(double a, double b) { return result(flushed(a) + flushed(b)); }

 private:
  const Words& words_;
  Random& r_;

  double flushed(double x) {
    return words_.numerics.flushed > 0 && std::abs(x) < words_.numerics.flushed && r_.below(3) != 0 ? 0 : x;
  }
  // To so many bits, or the spacing of subnormals; to nearest or to a random neighbour.
  double to_bits(double x, int bits, double least) {
    const double unit = std::ldexp(1, std::max(std::ilogb(std::max(std::abs(x), least)), std::ilogb(least)) + 1 - bits);
    const double q = x / unit;  // a power of two: exact
    if (words_.any) return unit * (r_.below(2) == 0 ? std::floor(q) : std::ceil(q));
    return unit * std::nearbyint(q);
  }
};

}  // namespace

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
