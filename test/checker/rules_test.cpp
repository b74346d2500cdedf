// Soundness and tightness of the rules: ranges and bounds of random graphs against exact executions, the
// exact profile and both lane engines against each other, error boxes against binary32 executions.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "test/checker/random_sums.hpp"

using namespace proof_tools;

namespace {

constexpr Numerics binary32_any{Semantics::fp32_any, 0x1p-24, 0x1p-149, 0x1p127};

Fraction value(const Exact& x) { return x.value; }

struct Trial {
  Graph graph;
  std::vector<InputRange> box;
  std::vector<Slopes> slopes;
  SlopeSet set;
};

void fill(Trial& t, Random& r) {
  for (std::uint64_t i = 0; i < t.graph.nodes[0].size; ++i) {
    const double lo = r.number(), hi = lo + static_cast<double>(static_cast<float>(std::abs(r.number(1))));
    t.box.push_back({fraction(lo), fraction(hi), false, false});
  }
  t.slopes = random_slopes(r, t.graph);
  for (const Slopes& s : t.slopes) t.set.push_back(&s);
}

// Random points of the box, all its corners' kind included.
std::vector<Fraction> sample(const Trial& t, Random& r) {
  std::vector<Fraction> x;
  for (const InputRange& b : t.box) {
    const std::uint64_t step = r.below(5);  // 0: lower end, 4: upper end
    x.push_back(b.lo + (b.hi - b.lo) * Fraction(BigInt(static_cast<std::int64_t>(step)), BigInt(4)));
  }
  return x;
}

template <class U>
void all_steps(State<U>& state, const Structure& s, const Trial& t) {
  state.start(t.box);
  for (std::uint32_t k = 1; k < t.graph.nodes.size(); ++k) {
    if (!s.stored[k]) continue;
    state.interval(k);
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < t.graph.nodes[k].size; ++i) all.push_back(i);
    state.backward(k, all, all, t.set);
  }
}

LinearForm random_form(Random& r, const Graph& graph) {
  LinearForm form;
  for (std::uint64_t j = 0; j < graph.nodes[graph.output].size; ++j)
    form.terms.emplace(j, Fraction::from_double(r.number()));
  form.constant = Fraction::from_double(r.number());
  return form;
}

// Up to three multiples of range ends: whatever they are, the bound must stay one of the form without them.
void add_multiples(LinearForm& form, const Structure& s, Random& r) {
  for (std::size_t n = 0; n < 3; ++n) {
    const std::uint32_t k = static_cast<std::uint32_t>(r.below(s.graph.nodes.size()));
    if (!s.stored[k] || k > s.graph.output) continue;
    form.multiples.push_back({k, r.below(s.graph.nodes[k].size), Fraction::from_double(r.number())});
  }
}

Fraction evaluate(const LinearForm& form, const std::vector<Fraction>& y) {
  Fraction sum = form.constant;
  for (const auto& [j, a] : form.terms) sum = sum + a * y[j];
  return sum;
}

// Exact values of the stored nodes, or enclosures of relative width 2^-256 behind a bn node.
std::vector<Ranges<Exact>> exact_trace(const Structure& s, const std::vector<Fraction>& x) {
  State<Exact> state(s, {});
  std::vector<Exact> at(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) at[i] = Exact(x[i]);
  state.start(at);
  std::vector<Ranges<Exact>> trace;
  for (std::uint32_t k = 0; k < s.graph.nodes.size(); ++k) {
    if (k > 0 && s.stored[k]) state.interval(k);
    trace.push_back(state.ranges(k));
  }
  return trace;
}

}  // namespace

TEST_CASE("ranges and bounds contain exact executions, in both profiles") {
  Random r(11);
  int bounds = 0;
  for (int round = 0; round < 150; ++round) {
    Trial t;
    t.graph = random_graph(r, 1 + static_cast<int>(r.below(9)));
    REQUIRE(graph_fault(t.graph) == "");
    fill(t, r);
    const Structure s(t.graph);
    State<double> directed(s, {});
    State<Exact> exact(s, {});
    all_steps(directed, s, t);
    all_steps(exact, s, t);
    LinearForm form = random_form(r, t.graph);
    if (round % 2 == 0) add_multiples(form, s, r);
    const auto low = directed.lower_bound(form, t.set), same = directed.exact_lower_bound(form, t.set);
    const auto high = exact.lower_bound(form, t.set);
    REQUIRE(low.has_value());
    REQUIRE(same.has_value());
    REQUIRE(high.has_value());
    CHECK(*low <= *same);
    // Only rounding and slopes that differ by rounding separate the profiles.
    CHECK(std::abs(low->double_up() - same->double_up()) <= 1e-6 * (1 + std::abs(same->double_up())));
    CHECK(std::abs(low->double_up() - high->double_up()) <= 1e-5 * (1 + std::abs(high->double_up())));
    ++bounds;
    for (int point = 0; point < 6; ++point) {
      const std::vector<Fraction> x = sample(t, r);
      const std::vector<Ranges<Exact>> trace = exact_trace(s, x);
      for (std::uint32_t k = 0; k < t.graph.nodes.size(); ++k) {
        if (!s.stored[k]) continue;
        for (std::uint64_t i = 0; i < t.graph.nodes[k].size; ++i) {
          const Fraction above = value(trace[k][i].h), below = -value(trace[k][i].n);  // equal without bn
          const Ranges<double>& z = directed.ranges(k);
          REQUIRE_MESSAGE(below <= Fraction::from_double(z[i].h), "round ", round, " node ", k);
          REQUIRE_MESSAGE(-Fraction::from_double(z[i].n) <= above, "round ", round, " node ", k);
          REQUIRE(-value(exact.ranges(k)[i].n) <= value(trace[k][i].h));
          REQUIRE(-value(trace[k][i].n) <= value(exact.ranges(k)[i].h));
        }
      }
      std::vector<Fraction> y;
      for (std::uint64_t j = 0; j < t.graph.nodes[t.graph.output].size; ++j)
        y.push_back(value(trace[t.graph.output][j].h));
      const Fraction slack(BigInt(1), BigInt(1) << 200);  // the enclosures behind bn
      REQUIRE(*low <= evaluate(form, y) + slack);
    }
  }
  CHECK(bounds == 150);
}

TEST_CASE("linear networks: bounds are attained at a corner") {
  Random r(12);
  for (int round = 0; round < 40; ++round) {
    GraphBuilder b(3);
    std::uint32_t x = b.dense(0, 4, r.numbers(16), true);
    x = b.like(Kind::shift, x, r.numbers(4));
    x = b.like(Kind::scale, x, r.numbers(4));
    const std::uint32_t y = b.dense(0, 4, r.numbers(12), false);
    x = b.add(Kind::add, {x, y}, 4, {1});
    x = b.add(Kind::reduce, {x}, 2, {2, 1, 2});
    Trial t;
    t.graph = b.graph;
    fill(t, r);
    const Structure s(t.graph);
    State<Exact> exact(s, {});
    all_steps(exact, s, t);
    const LinearForm form = random_form(r, t.graph);
    Fraction least;
    for (int corner = 0; corner < 8; ++corner) {
      std::vector<Fraction> at;
      for (int i = 0; i < 3; ++i) at.push_back((corner >> i & 1) != 0 ? t.box[i].hi : t.box[i].lo);
      const Run run = execute(s, Execution::real, at);
      REQUIRE(run.fault == "");
      const Fraction z = evaluate(form, {value(run.outputs[0].h), value(run.outputs[1].h)});
      if (corner == 0 || z < least) least = z;
    }
    CHECK(exact.lower_bound(form, {}) == least);
  }
}

TEST_CASE("a multiple of a range end carries a split into the bound") {
  // y = relu(z) - z with z = x in [-1, 1]. With z >= 0 assumed, y = 0; without the multiple the line of a stable relu
  // is exact already. For y = z alone only the multiple knows the half: the pass goes back to the input.
  GraphBuilder b(1);
  b.like(Kind::scale, 0, {1});
  const Structure s(b.graph);
  State<Exact> state(s, {});
  Trial t;
  t.box = {{Fraction(BigInt(-1)), Fraction(BigInt(1))}};
  state.start(t.box);
  state.interval(1);
  state.assume(1, 0, Fraction(), true);
  LinearForm form;
  form.terms.emplace(0, Fraction::dyadic(1, 0));
  CHECK(state.lower_bound(form, {})->double_up() == -1);
  form.multiples.push_back({1, 0, Fraction::dyadic(1, -1)});
  CHECK(state.lower_bound(form, {})->double_up() == -0.5);
  form.multiples[0].value = Fraction::dyadic(1, 0);
  CHECK(state.lower_bound(form, {})->double_up() == 0);
  form.multiples[0].value = Fraction::dyadic(3, 0);  // too much of it costs
  CHECK(state.lower_bound(form, {})->double_up() == -2);
  form.multiples[0].value = Fraction::dyadic(-1, 0);  // the other end: 2*z - 1 over [-1, 1]
  CHECK(state.lower_bound(form, {})->double_up() == -3);
}

TEST_CASE("lines of single units are as tight as they can be") {
  // relu on [-1, 3]: upper line through the end points, slope 3/4: max over the box of relu(x) - 3/4 x.
  struct Unit {
    Kind kind;
    std::vector<double> payload;
    double lo, hi;
    int lower, upper;     // slope bytes
    double below, above;  // least of f(x) - x/2 and greatest of f(x) - x/2, via the lines
  };
  const Unit units[] = {
      {Kind::relu, {}, -1, 3, 64, 0, 0, 1.5},           // lower x/2, upper (x+1)*3/4
      {Kind::relu, {}, -1, 3, 128, 0, -0.5, 1.5},       // lower x
      {Kind::relu, {}, 1, 3, 0, 0, 0.5, 1.5},           // identity
      {Kind::relu, {}, -3, -1, 0, 0, 0.5, 1.5},         // zero
      {Kind::leaky, {0.5}, -2, 2, 0, 0, 0, 1},          // lower x/2, upper 3/4 x + 1/2
      {Kind::abs, {}, -1, 3, 128, 0, -0.5, 1.5},        // lower x, upper x/2 + 3/2
      {Kind::clip, {-1, 1}, -2, 2, 64, 64, -0.5, 0.5},  // lines x/2 -1/2 and x/2 + 1/2
      {Kind::clip, {-1, 1}, 2, 3, 0, 0, -0.5, 0},       // constant 1
  };
  for (const Unit& u : units) {
    GraphBuilder b(1);
    b.like(u.kind, 0, u.payload);
    const Structure s(b.graph);
    const Slopes slopes{0, 1, std::string(1, static_cast<char>(u.lower)),
                        u.kind == Kind::clip ? std::string(1, static_cast<char>(u.upper)) : ""};
    // f(x) - x/2 needs both: f directly and the input as a second path.
    const std::uint32_t half = b.like(Kind::scale, 0, {0.5});
    b.add(Kind::add, {1, half}, 1, {1});
    const Structure whole(b.graph);
    State<Exact> state(whole, {});
    state.start(box({{u.lo, u.hi}}));
    state.interval(1);
    LinearForm plus, minus;
    plus.terms.emplace(0, Fraction::dyadic(1, 0)), minus.terms.emplace(0, Fraction::dyadic(-1, 0));
    CHECK(state.lower_bound(plus, {&slopes})->double_up() == doctest::Approx(u.below).epsilon(1e-7));
    CHECK(-state.lower_bound(minus, {&slopes})->double_up() == doctest::Approx(u.above).epsilon(1e-7));
  }
}

TEST_CASE("max groups: dominating element, weights, constant") {
  GraphBuilder b(3);
  b.add(Kind::max, {0}, 1, {3});
  const Structure s(b.graph);
  LinearForm plus, minus;
  plus.terms.emplace(0, Fraction::dyadic(1, 0)), minus.terms.emplace(0, Fraction::dyadic(-1, 0));
  State<double> state(s, {});
  const Slopes third{0, 1, std::string({64, 64, 0}), ""};
  state.start(box({{2, 3}, {0, 2}, {-1, 1}}));  // element 0 dominates
  CHECK(state.lower_bound(plus, {})->double_up() == 2);
  CHECK(state.lower_bound(minus, {})->double_up() == -3);
  state.start(box({{2, 3}, {0, 2.5}, {-1, 1}}));
  CHECK(state.lower_bound(plus, {&third})->double_up() == 1);  // (2 + 0)/2
  CHECK(state.lower_bound(minus, {&third})->double_up() == -3);
  CHECK(state.lower_bound(minus, {})->double_up() == -3);  // the upper side needs no byte
  CHECK_THROWS_AS(state.lower_bound(plus, {}), RuleFault);
}

TEST_CASE("without ranges nothing is known") {
  GraphBuilder b(2);
  std::uint32_t x = b.dense(0, 2, {1, 2, 3, 4}, false);
  x = b.like(Kind::relu, x);
  b.dense(x, 1, {1, -1}, false);
  const Structure s(b.graph);
  const Slopes slopes{0, 2, std::string(2, 64), ""};
  LinearForm form;
  form.terms.emplace(0, Fraction::dyadic(1, 0));
  for (const Numerics& numerics : {Numerics(), binary32_any}) {
    State<double> state(s, numerics);
    State<Exact> exact(s, numerics);
    state.start(box({{0, 1}, {0, 1}})), exact.start(box({{0, 1}, {0, 1}}));
    CHECK(!state.lower_bound(form, {&slopes}).has_value());
    CHECK(!exact.lower_bound(form, {&slopes}).has_value());
    CHECK((numerics.semantics == Semantics::real) == state.overflow().empty());
    state.interval(3), exact.interval(3);
    CHECK(state.ranges(3)[0].h == infinity);
    CHECK(is_infinite(exact.ranges(3)[0].h));
    state.interval(1), state.interval(2), state.interval(3);
    CHECK(state.lower_bound(form, {&slopes}).has_value());
    CHECK(state.overflow().empty());
  }
}

namespace {

struct Binary32 {
  float product(float a, float b) { return a * b; }
  float fused(float a, float b, float c) { return std::fma(a, b, c); }
  float sum(float a, float b) { return a + b; }
};

}  // namespace

TEST_CASE("binary32 executions in any order stay in the error box") {
  Random r(13);
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t n = 2 + r.below(30);
    const double size = round % 3 == 0 ? 1e6 : round % 3 == 1 ? 1 : 1e-30;
    const RandomSum sum(r, n, size, round % 3 == 2 ? 1e-12 : 1);
    const std::uint32_t x = sum.root;
    const Structure s(sum.builder.graph);
    State<double> state(s, binary32_any);
    State<Exact> exact(s, binary32_any);
    state.start(box(sum.ends())), exact.start(box(sum.ends()));
    state.interval(x), exact.interval(x);
    const double lo = -state.ranges(x)[0].n, hi = state.ranges(x)[0].h;
    const Exact half = add_up(exact.ranges(x)[0].h, exact.ranges(x)[0].n);
    CHECK(roughly(half) <= hi - lo + 1e-300);
    CHECK(hi - lo <= 1.001 * roughly(half));
    for (int trial = 0; trial < 40; ++trial) {
      const double z = static_cast<double>(sum.execute<float>(Binary32(), r));
      REQUIRE(lo <= z);
      REQUIRE(z <= hi);
    }
  }
}

TEST_CASE("reference executions equal plain loops") {
  Random r(14);
  for (int round = 0; round < 30; ++round) {
    const std::uint64_t n = 1 + r.below(6), m = 1 + r.below(5);
    GraphBuilder b(n);
    const std::vector<double> w = r.numbers(m * n + m);
    std::vector<double> bn = r.numbers(3 * m);
    for (std::uint64_t i = 0; i < m; ++i) bn.push_back(std::abs(r.number()));
    bn.push_back(static_cast<double>(1e-5f));
    std::uint32_t x = b.dense(0, static_cast<std::int64_t>(m), w, true);
    x = b.like(Kind::relu, x);
    x = b.add(Kind::bn, {x}, m, {static_cast<std::int64_t>(m), 1}, bn);
    x = b.like(Kind::leaky, x, {static_cast<double>(0.3f)});
    x = b.like(Kind::divide, x, std::vector<double>(m, 3));
    x = b.add(Kind::reduce, {x}, 1, {static_cast<std::int64_t>(m), 7});
    std::vector<Fraction> at;
    std::vector<float> input;
    for (std::uint64_t i = 0; i < n; ++i) {
      input.push_back(static_cast<float>(r.number()));
      at.push_back(fraction(static_cast<double>(input[i])));
    }
    float sum = 0;
    for (std::uint64_t j = 0; j < m; ++j) {
      float z = static_cast<float>(w[j * n]) * input[0];
      for (std::uint64_t i = 1; i < n; ++i) z = z + static_cast<float>(w[j * n + i]) * input[i];
      z = z + static_cast<float>(w[m * n + j]);
      z = z > 0 ? z : 0;
      const auto c = [&](std::uint64_t part) { return static_cast<float>(bn[part * m + j]); };
      z = (z - c(2)) / std::sqrt(c(3) + static_cast<float>(bn.back())) * c(0) + c(1);
      z = z >= 0 ? z : 0.3f * z;
      z = z / 3;
      sum = j == 0 ? z : sum + z;
    }
    const Run run = execute(Structure(b.graph), Execution::fp32_sequential, at);
    REQUIRE(run.fault == "");
    CHECK(roughly(run.outputs[0].h) == static_cast<double>(sum / 7));
  }
}

TEST_CASE("executions report overflow and keep decimals exact") {
  GraphBuilder b(1);
  std::uint32_t x = b.like(Kind::scale, 0, {0x1p100});
  x = b.like(Kind::scale, x, {0x1p100});
  b.like(Kind::scale, x, {0});
  const Structure s(b.graph);
  CHECK(execute(s, Execution::fp32_sequential, {Fraction(1)}).fault != "");
  CHECK(execute(s, Execution::real, {Fraction(1)}).fault == "");
  GraphBuilder d(2);
  d.add(Kind::add, {0, 0}, 2, {0});
  d.add(Kind::reduce, {1}, 1, {2, 3});
  const Run run =
      execute(Structure(d.graph), Execution::real, {Fraction(BigInt(1), BigInt(10)), Fraction(BigInt(1), BigInt(7))});
  CHECK(value(run.outputs[0].h) == Fraction(BigInt(17), BigInt(105)));
  CHECK(value(run.outputs[0].n) == Fraction(BigInt(-17), BigInt(105)));
}

TEST_CASE("rows in lanes agree with single rows, also where zero weights are skipped") {
  const Engine<double>& one = portable_engine;
  const std::vector<const Engine<double>*> all = engines();
  if (all.size() < 3) MESSAGE("SKIPPED: this CPU has no AVX2 or no AVX-512");
  Random r(15);
  std::size_t sparse = 0;  // networks whose zero weights are skipped
  for (std::size_t round = 0; round < 40 * (all.size() - 1); ++round) {
    const Engine<double>* lanes = all[1 + round % (all.size() - 1)];
    const std::uint64_t n = 1 + r.below(40), m = 1 + r.below(40);
    GraphBuilder b(n);
    std::vector<double> weights = r.numbers(n * m + m);
    for (std::uint64_t w = 0; round % 3 == 0 && w < n * m; ++w) weights[w] *= r.below(20) == 0;
    b.dense(0, static_cast<std::int64_t>(m), weights, true);
    const Structure s(b.graph);
    sparse += s.sites[1].nonzero != nullptr;
    NodeView<double> views[2], every_weight[2];
    std::vector<Interval<double>> range;
    for (std::uint64_t i = 0; i < n; ++i) range.push_back({std::abs(r.number()), r.number() + 2});
    views[0].kind = Kind::input, views[0].size = n, views[0].stored = true;
    views[0].range = range.data();
    views[1].kind = Kind::dense, views[1].size = m, views[1].stored = true, views[1].sites = s.sites[1];
    views[1].operand_count = 1, views[1].operands = b.graph.nodes[1].operands.data();
    views[1].payload = b.graph.nodes[1].payload.data(), views[1].bias = views[1].payload + n * m;
    std::copy(views, views + 2, every_weight);
    every_weight[1].sites.nonzero = nullptr;
    std::vector<Start<double>> starts;
    for (std::uint64_t j = 0; j < m; ++j) {
      for (std::uint32_t lane = 0; lane < lanes->lanes; ++lane) {
        const double c = r.number();
        if (r.below(3) != 0) starts.push_back({1, j, lane, {-c, c + 0x1p-50}});
      }
    }
    const auto run = [&](const Engine<double>& engine, const NodeView<double>* nodes,
                         const std::vector<Start<double>>& from) {
      Job<double> job{nodes, 1, from.data(), from.size()};
      const RoundUp up;
      engine.backward(&job);
      return job;
    };
    const auto close = [](double x, double y) { return std::abs(x - y) <= 1e-11 * (1 + std::abs(y)); };
    const Job<double> together = run(*lanes, views, starts);
    for (std::uint32_t lane = 0; lane < lanes->lanes; ++lane) {
      std::vector<Start<double>> own;
      for (const Start<double>& start : starts) {
        if (start.lane == lane) own.push_back({start.node, start.element, 0, start.coefficient});
      }
      CHECK(close(together.bound[lane], run(one, every_weight, own).bound[0]));
    }
    std::vector<Interval<double>> image(m), reference(m);
    {
      const RoundUp up;
      lanes->range(views[1], range.data(), image.data()), one.range(every_weight[1], range.data(), reference.data());
    }
    for (std::uint64_t j = 0; j < m; ++j) {
      CHECK(close(image[j].n, reference[j].n));
      CHECK(close(image[j].h, reference[j].h));
    }
  }
  CHECK(sparse >= (all.size() - 1) * 10);
}
