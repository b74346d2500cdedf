// Operators by name: random inputs, orders and fusion patterns, faithful elementary functions; never beyond the bound.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "bounds/roundoff/observe.hpp"
#include "bounds/roundoff/specs.hpp"
#include "formats/number_format.hpp"
#include "formats/value.hpp"
#include "runtime/cpu/formatted.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::roundoff;

namespace {

double from_code(const NumberFormat& format, const Integer& code) {
  const ExactNumber x = format.to_exact(code);
  if (x.kind != ExactNumber::Kind::number) return std::nan("");
  return std::ldexp(round_nearest(x.factor), static_cast<int>(x.exponent));
}

}  // namespace

TEST_CASE("rounding by the host is the rounding of the format") {
  outward::testing::Random random(1);
  for (const char* name : {"e4m3fn", "e5m2", "bfloat16", "binary16", "binary32", "e4m3fnuz", "tf32"}) {
    const FormatModel f(parse_format(name));
    REQUIRE(f.emulable);
    for (int trial = 0; trial < 3000; ++trial) {
      const int span = trial % 2 == 0 ? 8 : 170;
      double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63,
                            static_cast<int>(random() % static_cast<unsigned>(2 * span)) - span);
      if (trial % 5 == 0) x = f.round(x) + f.half_ulp_up(std::fabs(f.round(x)));  // near and on ties
      if (!(std::fabs(x) < infinity) || x == 0) continue;
      Flags flags;
      const Value v = outward::round(f.format, exact(x), Rounding::nearest_even, flags);
      const double r = f.round(x);
      if (v.is_finite()) {
        CHECK(r == round_nearest(to_rational(v)));
        CHECK(std::fabs(r - x) <= f.half_ulp_up(std::fabs(x)));
        CHECK(f.conversion_error_up(x) == std::fabs(r - x));
      } else {
        CHECK_FALSE(std::fabs(r) < infinity);
      }
    }
  }
}

TEST_CASE("runs by the host are the runs of runtime/cpu/formatted") {
  outward::testing::Random random(7);
  int compared = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const Graph graph = outward::testing::random_graph(random, 2, trial % 2 == 0);
    for (const auto& [format, sums] : {std::pair("bfloat16", ""), std::pair("e5m2", "binary32"),
                                       std::pair("binary16", ""), std::pair("e4m3fn", "binary16")}) {
      for (const SumOrder order : {SumOrder::sequential, SumOrder::pairwise, SumOrder::fused}) {
        const Arithmetic a(parse_policy(std::string(format) + (*sums != 0 ? " accumulator=" : "") + sums +
                                        (order == SumOrder::pairwise ? " reduction=pairwise"
                                         : order == SumOrder::fused  ? " contraction=fma reduction=sequential"
                                                                     : " reduction=sequential")));
        const Program p = program_of(graph, a);
        const auto box = outward::testing::random_box(random, graph.nodes[0].size, 1);
        const std::vector<double> x = outward::testing::random_point(random, box);
        FormattedRun how;
        how.format = parse_number_format(format);
        if (*sums != 0) how.accumulator = parse_number_format(sums);
        how.order = order;
        const FormattedResult slow = run_in_format(graph, outward::testing::exact_vector(x), how);
        const Run fast = run(p, x, covered_orders(a.policy)[0]);
        if (!slow.finite || !fast.finite) continue;
        ++compared;
        for (std::size_t k = 0; k < graph.nodes.size(); ++k)
          for (std::size_t i = 0; i < graph.nodes[k].size; ++i)
            CHECK(from_code(*how.format, slow.nodes[k][i]) == fast.values[k][i]);
      }
    }
  }
  CHECK(compared > 30);
}

TEST_CASE("every operator by name: no run is beyond its bound") {
  std::set<std::string> bounded;
  for (const Spec& spec : spec_table()) {
    for (const char* format : {"e4m3fn", "e5m2", "bfloat16", "binary16", "binary32"}) {
      for (const char* words :
           {" reduction=any_order_any_fusion", " accumulator=binary32 reduction=any_order_any_fusion",
            " reduction=sequential", " reduction=pairwise"}) {
        const std::string text = std::string(format) + words;
        if (text.starts_with("binary32 accumulator")) continue;
        const Arithmetic a(parse_policy(text));
        const bool large = std::string(spec.name) == "transformer-block" || std::string(spec.name) == "attention";
        for (const std::size_t n : {std::size_t{3}, std::size_t{16}, std::size_t{40}}) {
          if (large && n > 3) continue;
          const SpecProgram s = build_spec(spec, {n, large ? std::size_t{4} : 0, 0, {}}, a);
          const Analysis analysis = analyse(s.program, s.box);
          const EndToEnd end = end_to_end(s.program, analysis);
          const Observed seen = observe(s.program, in_binary64(s.program), analysis, end.best, s.box, {4, 17 + n});
          CHECK_MESSAGE(seen.violations == 0, std::string(spec.name), " ", text, " n ", n);
          CHECK(seen.skipped.empty());
          if (seen.not_finite > 0) CHECK_FALSE(analysis.overflow.empty());
          for (const double b : end.best)
            if (b < infinity) bounded.insert(spec.name);
        }
      }
    }
  }
  CHECK(bounded.size() == spec_table().size());  // none is covered by saying nothing
}

TEST_CASE("bounds are tight: the worst run comes within a stated factor") {
  struct Row {
    const char* name;
    std::size_t n, samples;
    double factor;
  };
  // Elementwise operators reach their bounds; a division may be a product with a reciprocal (three roundings); sums of
  // many terms are further off the random worst case, which grows like their square root (sums_test has witnesses).
  for (const Row& row :
       {Row{"add", 600, 8, 1.1},       Row{"multiply", 600, 8, 1.1},      Row{"shift", 600, 8, 1.1},
        Row{"scale", 600, 8, 1.2},     Row{"divide", 600, 8, 3.3},        Row{"leaky", 600, 8, 1.1},
        Row{"exp", 600, 8, 1.1},       Row{"log", 600, 8, 1.1},           Row{"sqrt", 600, 8, 1.1},
        Row{"sigmoid", 600, 8, 1.1},   Row{"tanh", 600, 8, 1.1},          Row{"erf", 600, 8, 1.1},
        Row{"gelu", 600, 8, 1.1},      Row{"batchnorm", 600, 8, 3},       Row{"softmax", 16, 40, 20},
        Row{"log-softmax", 16, 40, 4}, Row{"online-softmax", 16, 40, 50}, Row{"rmsnorm", 16, 40, 70},
        Row{"sum", 16, 40, 25},        Row{"dense", 16, 40, 15},          Row{"attention", 16, 40, 60}}) {
    const SpecProgram s = build_spec(*spec_named(row.name), {row.n, 0, 0, {}},
                                     Arithmetic(parse_policy("binary16 reduction=any_order_any_fusion")));
    const Analysis a = analyse(s.program, s.box);
    const EndToEnd end = end_to_end(s.program, a);
    const Observed seen = observe(s.program, in_binary64(s.program), a, end.best, s.box, {row.samples, 1});
    double bound = 0, worst = 0;
    for (const double b : end.best) bound = std::max(bound, b);
    for (const double o : seen.output) worst = std::max(worst, o);
    CHECK_MESSAGE(bound <= row.factor * worst, row.name, ": ", bound, " over ", worst);
    CHECK(worst <= bound);
  }
}

TEST_CASE("bounds of exact operators are 0, and names are found") {
  const Arithmetic a(parse_policy("bfloat16 reduction=sequential"));
  for (const char* name : {"map", "neg", "relu", "abs", "max"}) {
    const Spec* spec = spec_named(name);
    REQUIRE(spec != nullptr);
    const SpecProgram s = build_spec(*spec, {}, a);
    for (const double b : end_to_end(s.program, analyse(s.program, s.box)).best) CHECK(b == 0);
  }
  CHECK(spec_named("no such operator") == nullptr);
}

TEST_CASE("a mean with the weights of a softmax stays within its values, and no run is beyond its bound") {
  // 64 scores, 64 values in [2, 3]: without the knowledge that the weights add up to 1 the range was [0.1, 60].
  for (const char* text : {"bfloat16 reduction=any_order_any_fusion", "binary16 reduction=pairwise",
                           "e4m3fn accumulator=binary32 reduction=any_order_any_fusion",
                           "binary32 contraction=fma reduction=sequential"}) {
    for (const double width : {0.5, 4.0}) {
      constexpr std::size_t n = 64;
      Program p;
      p.arithmetics = {Arithmetic(parse_policy(text))};
      p.arithmetic.assign(5, 0);
      std::vector<std::int64_t> first(n), second(n);
      for (std::size_t i = 0; i < n; ++i) {
        first[i] = static_cast<std::int64_t>(i);
        second[i] = static_cast<std::int64_t>(n + i);
      }
      p.operators = {{OpCode::input, {}, 2 * n, {}, {}, "input"},
                     {OpCode::map, {0}, n, first, {}, "scores"},
                     {OpCode::map, {0}, n, second, {}, "values"},
                     {OpCode::softmax, {1}, n, {}, {}, "softmax"},
                     {OpCode::matvec, {2, 3}, 1, {}, {}, "mean"}};
      p.output = 4;
      Box box;
      box.lo.assign(n, -width);
      box.hi.assign(n, width);
      box.lo.insert(box.lo.end(), n, 2);
      box.hi.insert(box.hi.end(), n, 3);
      // Inputs rounded once: the weights inherit an error too.
      box.rounded = std::string(text).starts_with("b");
      const Analysis a = analyse(p, box);
      const Quantity& mean = a.at[4].out[0];
      CHECK(mean.lo >= 2);
      CHECK(mean.hi <= 3);
      CHECK(a.at[3].weights.known);
      const EndToEnd end = end_to_end(p, a);
      const Observed seen = observe(p, in_binary64(p), a, end.best, box, {12, 5, 4});
      CHECK(seen.violations == 0);
      // The sum of |differences| of the weights holds as well.
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        outward::testing::Random random(seed);
        std::vector<double> x(2 * n);
        for (std::size_t i = 0; i < 2 * n; ++i) {
          const double t =
              seed < 4 ? static_cast<double>(random() & 1U) : static_cast<double>(random() >> 11) * 0x1p-53;
          x[i] = box.lo[i] + t * (box.hi[i] - box.lo[i]);
          if (!box.rounded) x[i] = p.arithmetics[0].values.round(x[i]);
        }
        const Program reference = in_binary64(p);
        const Run computed = run(p, x, covered_orders(p)[0], seed, true),
                  exact = run(reference, x, RunOrder::sequential);
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += std::fabs(computed.values[3][i] - exact.values[3][i]);
        CHECK(sum <= a.at[3].weights.error() + 1e-12);
      }
    }
  }
}
