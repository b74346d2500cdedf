// Networks in any format: binary32 and binary64 runs equal the reference execution, bit for bit; other orders and
// accumulators equal sums written out by hand; exact arithmetic is the limit of wide formats.
#include "runtime/cpu/formatted.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#include "formats/error.hpp"
#include "runtime/cpu/reference.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

// input(n) → dense(n → 1) with the given weights and no bias.
Graph dot_product(std::vector<double> weights) {
  Graph g;
  g.nodes.resize(2);
  g.nodes[0].size = weights.size();
  Node& dense = g.nodes[1];
  dense.kind = Kind::dense;
  dense.operands = {0};
  dense.size = 1;
  dense.ints = {1, static_cast<std::int64_t>(weights.size()), 1, 0};
  dense.payload = std::move(weights);
  g.output = 1;
  return g;
}

// REQUIRES a number; zeros lose their sign.
Rational value_of(const NumberFormat& format, const Integer& code) {
  const ExactNumber y = format.to_exact(code);
  REQUIRE(y.kind == ExactNumber::Kind::number);
  const Integer power = Integer(1) << static_cast<unsigned>(std::abs(y.exponent));
  return y.exponent < 0 ? Rational(y.factor / power) : Rational(y.factor * power);
}
double to_double(const NumberFormat& format, const Integer& code) { return round_nearest(value_of(format, code)); }

std::string run_dot(const std::vector<double>& weights, const std::string& format, const std::string& accumulator,
                    SumOrder order, Rounding rounding = Rounding::nearest_even) {
  const Graph g = dot_product(weights);
  FormattedRun how{parse_number_format(format), nullptr, order, rounding};
  if (!accumulator.empty()) how.accumulator = parse_number_format(accumulator);
  const FormattedResult r = run_in_format(g, std::vector<Rational>(weights.size(), Rational(1)), how);
  return how.format->value_text(r.nodes[1][0]);
}

}  // namespace

TEST_CASE("binary32 and binary64 in sequential order are the reference execution") {
  Random random(31);
  std::size_t values = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Graph graph = random_graph(random, 3, true);
    for (const ElementType element : {ElementType::binary32, ElementType::binary64}) {
      graph.element = element;
      const std::vector<double> x = random_point(random, random_box(random, graph.nodes[0].size, 1.0));
      std::vector<std::vector<double>> nodes;
      run_reference(graph, x, &nodes);
      const auto format = parse_number_format(element == ElementType::binary32 ? "binary32" : "binary64");
      const FormattedResult result =
          run_in_format(graph, exact_vector(x), {format, nullptr, SumOrder::sequential, Rounding::nearest_even});
      CHECK(result.finite == all_finite(nodes));
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        REQUIRE(result.nodes[k].size() == nodes[k].size());
        for (std::size_t i = 0; i < nodes[k].size(); ++i) {
          if (!std::isfinite(nodes[k][i])) continue;
          REQUIRE_MESSAGE(to_double(*format, result.nodes[k][i]) == nodes[k][i], "trial ", trial, " node ", k);
          ++values;
        }
      }
    }
  }
  MESSAGE(values << " values");
  CHECK(values > 5000);
}

TEST_CASE("orders, accumulators and directions") {
  // binary16 has 11 bits: 2048 + 1 is a tie that goes down, so the order decides.
  const std::vector<double> ones = {2048, 1, 1, 1};
  CHECK(run_dot(ones, "binary16", "", SumOrder::sequential) == "2048");
  CHECK(run_dot(ones, "binary16", "", SumOrder::pairwise) == "2050");
  CHECK(run_dot(ones, "binary16", "", SumOrder::sequential, Rounding::up) == "2054");
  CHECK(run_dot(ones, "binary16", "", SumOrder::sequential, Rounding::down) == "2048");
  // With a wide accumulator only the end is rounded: 2051 lies between 2050 and 2052 and ties to the even 2052.
  CHECK(run_dot(ones, "binary16", "binary32", SumOrder::sequential) == "2052");
  CHECK(run_dot({448, 448}, "e4m3fn", "", SumOrder::sequential) == "nan");
  CHECK(run_dot({448, 448}, "e4m3fn(saturate)", "", SumOrder::sequential) == "448");
  CHECK(run_dot({0.1, 0.2}, "decimal32", "", SumOrder::sequential) !=
        run_dot({0.1, 0.2}, "binary32", "", SumOrder::sequential));
}

TEST_CASE("a chain of fma rounds a product and an addition together") {
  // (1 + 2^-10)² = 1 + 2^-9 + 2^-20: binary16 drops the last term before −1 − 2^-9 is added, fma does not.
  Graph g = dot_product({-1.0 - 0x1p-9, 1 + 0x1p-10});
  const std::vector<Rational> x = {Rational(1), exact(1 + 0x1p-10)};
  const auto half = parse_number_format("binary16");
  const auto run = [&](SumOrder order) {
    return to_double(*half, run_in_format(g, x, {half, nullptr, order, Rounding::nearest_even}).nodes[1][0]);
  };
  CHECK(run(SumOrder::sequential) == 0.0);
  CHECK(run(SumOrder::fused) == 0x1p-20);
}

TEST_CASE("wide formats approach the exact value, and flags say what happened") {
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Graph graph = random_graph(random, 2);
    const std::vector<double> x = random_point(random, random_box(random, graph.nodes[0].size, 1.0));
    const std::vector<Rational> truth = evaluate_exactly(graph, exact_vector(x)).back();
    Rational last = -1;
    for (const char* name : {"binary32", "binary128", "binary(15, 400)"}) {
      const auto format = parse_number_format(name);
      const FormattedResult r =
          run_in_format(graph, exact_vector(x), {format, nullptr, SumOrder::pairwise, Rounding::nearest_even});
      Rational error = 0;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        const Rational distance = abs(value_of(*format, r.nodes[graph.output][i]) - truth[i]);
        if (distance > error) error = distance;
      }
      CHECK((last < 0 || error <= last));
      last = error;
      CHECK((r.flags.inexact || error == 0));
    }
    CHECK(last < Rational(Integer(1), Integer(1) << 300U));
  }
  const auto posit = parse_number_format("posit16");
  CHECK_NOTHROW(run_in_format(dot_product({1, 2}), {Rational(1), Rational(1)}, {posit, nullptr}));
  CHECK_THROWS_AS(run_in_format(dot_product({1, 2}), {Rational(1)}, {posit, nullptr}), ResourceError);
}

// A Clip without a lower or upper bound has the end of the element type there. Rounded into a format without infinity
// that end was a NaN, and every output with it; in binary16, bfloat16 and e2m1 it raised overflow, which nothing had.
TEST_CASE("regression: the bound that a Clip does not have takes no part") {
  const double single = std::numeric_limits<float>::max(), wide = std::numeric_limits<double>::max();
  for (const ElementType element : {ElementType::binary32, ElementType::binary64}) {
    const double end = element == ElementType::binary32 ? single : wide;
    for (const char* name : {"e4m3fn", "e4m3fnuz", "e5m2", "e2m1", "binary16", "bfloat16", "binary32", "binary64",
                             "binary128", "decimal32", "posit8", "posit16", "binary8p3"}) {
      const auto format = parse_number_format(name);
      for (const auto& [lo, hi, results] : std::vector<std::tuple<double, double, std::vector<double>>>{
               {-end, 2, {-3, 0.5, 2}}, {0, end, {0, 0.5, 4}}, {-end, end, {-3, 0.5, 4}}, {-1, 2, {-1, 0.5, 2}}}) {
        Graph g;
        g.element = element;
        g.nodes.resize(2);
        g.nodes[0].size = g.nodes[1].size = 3;
        g.nodes[1].kind = Kind::clip;
        g.nodes[1].operands = {0};
        g.nodes[1].payload = {lo, hi};
        g.output = 1;
        const FormattedResult r = run_in_format(g, exact_vector({-3, 0.5, 4}), {format, nullptr});
        INFO(name, lo, hi);
        for (std::size_t i = 0; i < 3; ++i) CHECK(to_double(*format, r.nodes[1][i]) == results[i]);
        const bool own = std::string(name) == (element == ElementType::binary32 ? "binary32" : "binary64");
        CHECK((own || !(r.flags.overflow || r.flags.inexact || r.flags.invalid)));
        CHECK(r.finite);
      }
    }
  }
}

// `finite` looked at the values of nodes only: an infinity in the accumulator that the node's format saturates, or that
// a later operation turns into a number, went unsaid.
TEST_CASE("regression: an infinity in a partial sum is not finite") {
  const auto run = [](const std::vector<double>& weights, const char* format, const char* accumulator) {
    FormattedRun how{parse_number_format(format), nullptr};
    if (*accumulator != '\0') how.accumulator = parse_number_format(accumulator);
    const std::vector<Rational> ones(weights.size(), Rational(1));
    return run_in_format(dot_product(weights), ones, how);
  };
  CHECK(!run({200, 200}, "binary(8,7,saturate)", "e4m3").finite);
  CHECK(run({200, 20}, "binary(8,7,saturate)", "e4m3").finite);
  CHECK(!run({60000, 60000}, "binary(8,7,saturate)", "binary16").finite);
  CHECK(run({60000, 60000}, "binary(8,7,saturate)", "binary32").finite);
  CHECK(!run({60000, 60000}, "binary16", "").finite);
}
