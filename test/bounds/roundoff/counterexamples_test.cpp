// Executions that were once beyond the bounds reported for them: each line of story says what the bound had overlooked.
// A bound may be infinite, or the policy refused by name; it may not be below the error that is stated here.
#include <doctest/doctest.h>

#include <cmath>

#include "bounds/roundoff/observe.hpp"
#include "bounds/roundoff/specs.hpp"
#include "formats/error.hpp"

using namespace outward;
using namespace outward::roundoff;

namespace {

Arithmetic arithmetic(const std::string& format, const std::string& sums,
                      const std::string& reduction = "any_order_any_fusion") {
  return Arithmetic(parse_policy(format + (sums.empty() ? "" : " accumulator=" + sums) + " reduction=" + reduction));
}

struct Reported {
  double bound = 0;
  std::string overflow;
  Observed seen;
};

Reported report(const Program& p, const Box& box) {
  Reported out;
  const Analysis a = analyse(p, box);
  const EndToEnd end = end_to_end(p, a);
  for (const double b : end.best) out.bound = std::max(out.bound, b);
  out.overflow = a.overflow;
  out.seen = observe(p, in_binary64(p), a, end.best, box, {8, 1});
  return out;
}

Reported report_named(const char* name, std::size_t n, double lo, double hi, const Arithmetic& a) {
  SpecSizes sizes;
  sizes.n = n;
  sizes.range = {lo, hi};
  const SpecProgram s = build_spec(*spec_named(name), sizes, a);
  return report(s.program, s.box);
}

// One input through the nodes, in this order.
Graph chain(std::uint64_t inputs, std::vector<Node> nodes) {
  Graph graph;
  graph.nodes.resize(1);
  graph.nodes[0].size = inputs;
  for (Node& node : nodes) {
    node.operands = {static_cast<std::uint32_t>(graph.nodes.size() - 1)};
    graph.nodes.push_back(std::move(node));
  }
  graph.output = static_cast<std::uint32_t>(graph.nodes.size() - 1);
  return graph;
}
Node node(Kind kind, std::vector<std::int64_t> ints = {}, std::vector<double> payload = {}) {
  Node out;
  out.kind = kind;
  out.size = 1;
  out.ints = std::move(ints);
  out.payload = std::move(payload);
  return out;
}
Node batch_norm(double variance, double eps) { return node(Kind::bn, {1, 1}, {1, 0, 0, variance, eps}); }
Node scalar_product(const std::vector<double>& w) {
  return node(Kind::dense, {1, static_cast<std::int64_t>(w.size()), 1, 0}, w);
}

Reported at_point(const Graph& graph, const std::vector<double>& x, const Arithmetic& a) {
  return report(program_of(graph, a), {x, x, false});
}

std::string refusal(const std::string& policy) {
  try {
    const Arithmetic a(parse_policy(policy));
  } catch (const InputRefused& refused) {
    return refused.blockers[0].what;
  }
  return "";
}

}  // namespace

TEST_CASE("intermediate results that are stored overflow in the format they are stored in") {
  // The mean of squares, 10^6, is infinite in binary16: results of 0 for 1.95.
  const Reported norm = report_named("rmsnorm", 4, -1000, 1000, arithmetic("binary16", "binary32"));
  CHECK(norm.bound >= 1.95);
  CHECK_FALSE(norm.overflow.empty());
  CHECK(norm.seen.violations == 0);
  CHECK(report_named("rmsnorm", 1, 100, 400, arithmetic("e4m3fn", "binary32")).bound >= 1);
  // The sum of 10^5 exponentials is: every entry 0 for 10^-5.
  CHECK(report_named("softmax", 100000, -0.001, 0.001, arithmetic("binary16", "binary32")).bound >= 1e-5);
  // The running numerator, 1000 times 100: infinite results were below a bound of 8.25, and not counted either.
  const Reported online = report_named("online-softmax", 1000, 100, 100, arithmetic("binary16", "binary32"));
  CHECK_FALSE(online.bound < infinity);
  CHECK_FALSE(online.overflow.empty());
}

TEST_CASE("a run that overflows where the analysis excludes it is a violation") {
  const SpecProgram s = build_spec(*spec_named("exp"), {3, 0, 0, std::pair(15.0, 16.0)}, arithmetic("binary16", ""));
  Analysis a = analyse(s.program, s.box);
  const std::vector<double> none(3, infinity);
  const Observed honest = observe(s.program, in_binary64(s.program), a, none, s.box, {4, 1});
  REQUIRE(honest.not_finite > 0);
  CHECK(honest.violations == 0);
  a.overflow.clear();
  CHECK(observe(s.program, in_binary64(s.program), a, none, s.box, {4, 1}).violations > 0);
}

TEST_CASE("constants that are converted to subnormal numbers divide, or are under a root") {
  // 8.94e-8 is 2^-23·1.5 - or 2^-24·1 or ·2 in binary16.
  const Graph quotient = chain(1, {node(Kind::relu), node(Kind::divide, {}, {8.94e-8}), node(Kind::shift, {}, {1.0})});
  CHECK(report(program_of(quotient, arithmetic("binary16", "binary32")), {{0x1p-10}, {1e-3}, false}).bound >= 5600);
  // 10^-7 under the root of a batch norm is 2^-23: a quarter more; 8.94e-8 is 2^-24 or 2^-23; 2.1·10^-8 in all is 0.
  for (const auto& [variance, eps, error] :
       {std::tuple(0.0, 1e-7, 5.31), std::tuple(8.94e-8, 1e-12, 15.0), std::tuple(2e-8, 1e-9, infinity)}) {
    const Graph graph = chain(1, {batch_norm(variance, eps), node(Kind::relu)});
    for (const char* sums : {"", "binary32"}) {
      const Reported r = report(program_of(graph, arithmetic("binary16", sums)), {{0}, {0.03125}, false});
      CHECK_MESSAGE(r.bound >= error, variance, " ", eps, " ", std::string(sums), ": ", r.bound);
      CHECK(r.seen.violations == 0);
    }
  }
  // Folded, the factor 521/sqrt(7.1e-5) = 61900 is beyond e5m2: infinite for a bound of 750.
  Node steep = batch_norm(6.51767e-05, 5.56406e-06);
  steep.payload[0] = 521.162;
  CHECK_FALSE(at_point(chain(1, {steep, node(Kind::relu)}), {0x1p-9}, arithmetic("e5m2", "")).bound < infinity);
  // A divisor that the format holds well costs what it did: a few roundings.
  const Graph plain = chain(1, {node(Kind::relu), node(Kind::divide, {}, {3.1}), node(Kind::shift, {}, {1.0})});
  CHECK(report(program_of(plain, arithmetic("binary16", "binary32")), {{0.5}, {1.0}, false}).bound < 0.01);
}

TEST_CASE("terms with weight 0 have their places in orders that go by position") {
  // Pairwise in bfloat16: 1 + 2^-8 loses 2^-8 at each of four levels, which fewer terms do not have.
  std::vector<double> w(16, 0.0);
  w[0] = 1;
  for (const std::size_t i : {1U, 2U, 4U, 8U}) w[i] = 0x1p-8;
  const Reported pairwise =
      at_point(chain(16, {scalar_product(w)}), std::vector<double>(16, 1.0), arithmetic("bfloat16", "", "pairwise"));
  CHECK(pairwise.bound >= 0.015625);
  CHECK(pairwise.seen.violations == 0);
  // Blocks of 16 of a tensor core with one small product each: each is cut off, 257 steps for 17.
  std::vector<double> weights(4097, 0.0), x(4097, 0.0);
  weights[0] = x[0] = x[4096] = 1;
  weights[4096] = -1;
  for (std::size_t i = 16; i < 4096; i += 16) {
    weights[i] = (2 - 0x1p-10) * 0x1p-12;
    x[i] = 0x1p-12;
  }
  const Reported block =
      at_point(chain(4097, {scalar_product(weights)}), x, arithmetic("binary16", "binary32", "block(h100_f16)"));
  CHECK(block.bound >= 3.04e-5);
  CHECK(block.seen.violations == 0);
}

TEST_CASE("a reciprocal below the least normal number has lost bits that the dividend multiplies") {
  for (const auto& [format, divisor, x, error] :
       {std::tuple("binary16", 65408.0, 37248.0, 1.33e-3), std::tuple("e4m3fn", 352.0, 448.0, 0.398)}) {
    const Graph graph = chain(1, {node(Kind::relu), node(Kind::divide, {}, {divisor}), node(Kind::relu)});
    CHECK(at_point(graph, {x}, arithmetic(format, "")).bound >= error);
  }
}

TEST_CASE("what has no formula is refused by name") {
  // Ties away make 1 + 2^-8 and 1 + 3·2^-8 other bfloat16 constants than the ones that were assumed: 0.0156 for 0.0078.
  CHECK(refusal("bfloat16 rounding=nearest_away").find("ties to even") != std::string::npos);
  // A weight of 10^-39 is read as 0: 10^-9 for 9.3·10^-17.
  CHECK(refusal("binary32 subnormals=flush").find("flushes subnormal") != std::string::npos);
  // 1.0625·1.890625 is rounded to 11 bits and then to 8: 0.00879 for 0.0078125.
  CHECK(refusal("bfloat16 accumulator=tf32").find("rounded twice") != std::string::npos);
  CHECK(refusal("binary16 accumulator=binary32").empty());
}

TEST_CASE("both roundings of a squared difference are those of the stored format") {
  // -1, 0 and 1, whose mean is 0: the other roundings of bfloat16 count. The difference, half of two differences and of
  // what is stored under the root twice, and the root are 4u of sqrt(2), the quotient is u; that of two differences was
  // lost when binary32 sums their squares.
  Program p;
  p.arithmetics = {arithmetic("bfloat16", "binary32")};
  p.arithmetic = {0, 0};
  p.operators = {{OpCode::input, {}, 3, {}, {}, ""}, {OpCode::layernorm, {0}, 3, {}, {1e-5, 1}, ""}};
  p.output = 1;
  const Reported r = report(p, {{-1, 0, 1}, {-1, 0, 1}, false});
  CHECK(r.seen.violations == 0);
  CHECK(r.bound >= (4 * std::sqrt(2.0) + 0.9) * 0x1p-8);
}

TEST_CASE("taps on the padding of a convolution have places in its order, and no part in its value") {
  // One 3 × 3 kernel on a 2 × 2 image of ones, padding 1: the first output has the taps 4, 5, 7 and 8. Pairwise with
  // the zeros of the padding it is w4 + ((w5 + 0) + (w7 + w8)): 2^-8 is lost three times, where w4 + w5 would be exact.
  std::vector<double> w(9, 100.0);
  w[4] = w[5] = w[8] = 0x1p-8;
  w[7] = 1;
  const auto convolution = [&](const Arithmetic& a) {
    Program p;
    p.arithmetics = {a};
    p.arithmetic = {0, 0};
    p.operators = {{OpCode::input, {}, 4, {}, {}, ""},
                   {OpCode::conv, {0}, 4, {1, 1, 2, 2, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 0}, w, ""}};
    p.output = 1;
    return p;
  };
  const auto product = [&](const std::vector<double>& weights, const Arithmetic& a) {
    return program_of(chain(weights.size(), {scalar_product(weights)}), a);
  };
  const Box ones{std::vector<double>(4, 1.0), std::vector<double>(4, 1.0), false};
  const double value = 1 + 3 * 0x1p-8;

  const Arithmetic pairwise = arithmetic("bfloat16", "", "pairwise");
  const std::vector<double> padded_input{0, 0, 0, 0, 1, 1, 0, 1, 1};
  const Run padded = run(product(w, pairwise), padded_input, RunOrder::pairwise);
  REQUIRE(value - padded.values[1][0] == 3 * 0x1p-8);
  const Analysis with_places = analyse(convolution(pairwise), ones);
  CHECK(with_places.at[1].out[0].error >= 3 * 0x1p-8);
  CHECK(with_places.at[1].out[0].lo == value);
  CHECK(with_places.at[1].out[0].hi == value);

  // Where no place counts the bound is that of the four taps alone: the weights of 100 are not in it.
  for (const char* reduction : {"sequential", "any_order_any_fusion"}) {
    const Arithmetic a = arithmetic("bfloat16", "", reduction);
    const Analysis conv = analyse(convolution(a), ones), taps = analyse(product({w[4], w[5], w[7], w[8]}, a), ones);
    CHECK(conv.at[1].out[0].error == taps.at[1].out[0].error);
    CHECK(conv.at[1].out[0].error < 0.1);
    const Observed seen = observe(convolution(a), in_binary64(convolution(a)), conv,
                                  end_to_end(convolution(a), conv).best, ones, {1, 1, 20});
    CHECK(seen.violations == 0);
  }
}

TEST_CASE("folded batch normalisation loses what the written order does not") {
  // (x − 8)·1 in bfloat16 where x and the mean are close: the written difference is exact, x·a − mean·a is not.
  Program p;
  p.arithmetics = {arithmetic("bfloat16", "", "sequential")};
  p.arithmetic = {0, 0};
  const double variance = 3;  // a = 1/sqrt(3) is rounded, and so are the product and mean·a
  for (const OpCode code : {OpCode::bn, OpCode::bn_folded}) {
    p.operators = {{OpCode::input, {}, 1, {}, {}, ""}, {code, {0}, 1, {1, 1}, {1, 0, 8, variance, 0}, ""}};
    p.output = 1;
    const Reported r = report(p, {{8.0625}, {8.0625}, false});
    CHECK(r.seen.violations == 0);
    REQUIRE(r.seen.runs > 0);
    if (code == OpCode::bn) {
      CHECK(r.bound < 1e-3);
    } else {
      CHECK(r.seen.output[0] > 4e-3);
      CHECK(r.bound < 0.1);
    }
  }
}
