// Bounds of sums: never below what a random tree with random fusion loses, in any of five formats; and not much above
// what the worst known sums lose.
#include "bounds/roundoff/sums.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "bounds/roundoff/analysis.hpp"
#include "bounds/roundoff/execution.hpp"
#include "formats/error.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::roundoff;

namespace {

constexpr const char* narrow_formats[] = {"e4m3fn", "e5m2", "bfloat16", "binary16", "binary32"};

Arithmetic arithmetic(const std::string& format, const std::string& words) {
  return Arithmetic(parse_policy(format + " " + words));
}

// One scalar product of constants with the input.
Program scalar_product(const std::vector<double>& w, const Arithmetic& a) {
  Program p;
  p.arithmetics = {a};
  p.arithmetic = {0, 0};
  p.operators = {{OpCode::input, {}, w.size(), {}, {}, ""},
                 {OpCode::dense, {0}, 1, {1, static_cast<std::int64_t>(w.size()), 1, 0}, w, ""}};
  p.output = 1;
  return p;
}

Rational exact_product(const std::vector<double>& w, const std::vector<double>& x) {
  Rational sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += exact(w[i]) * exact(x[i]);
  return sum;
}

double error_of(double computed, const Rational& value) { return round_down(abs(exact(computed) - value)); }

}  // namespace

TEST_CASE("scalar products of points: no order and no fusion exceeds the bound") {
  outward::testing::Random random(11);
  for (const char* format : narrow_formats) {
    const FormatModel f(parse_format(format));
    for (const std::size_t n : {2, 3, 16, 100}) {
      double most = 0;
      for (int trial = 0; trial < 12; ++trial) {
        std::vector<double> w, x;
        for (std::size_t i = 0; i < n; ++i) {
          const auto draw = [&] {
            const double t = static_cast<double>(random() >> 11) * 0x1p-53;
            return f.round(std::ldexp(trial % 3 == 0 ? t : 2 * t - 1, static_cast<int>(random() % 5) - 3));
          };
          w.push_back(draw());
          x.push_back(draw());
        }
        const Rational value = exact_product(w, x);
        for (const char* words : {"reduction=any_order_any_fusion", "reduction=sequential",
                                  "contraction=fma reduction=sequential", "reduction=pairwise"}) {
          const Arithmetic a = arithmetic(format, words);
          const Program p = scalar_product(w, a);
          Box box{x, x, false};
          const Analysis analysis = analyse(p, box);
          const double bound = analysis.at[1].out[0].error;
          for (const RunOrder order : covered_orders(a.policy)) {
            for (int repeat = 0; repeat < (order == RunOrder::random_tree ? 6 : 1); ++repeat) {
              const Run r = run(p, x, order, random());
              if (!r.finite) {
                CHECK_FALSE(analysis.overflow.empty());
                continue;
              }
              const double error = error_of(r.values[1][0], value);
              CHECK_MESSAGE(error <= bound, format, " n ", n, " ", run_order_text(order), ": ", error, " > ", bound);
              if (bound < infinity && bound > 0) most = std::max(most, error / bound);
            }
          }
        }
      }
      CHECK(most > 0);  // something was rounded, and bounded
    }
  }
}

TEST_CASE("a wider accumulator: exact products, one rounding at the end") {
  outward::testing::Random random(5);
  for (const char* format : {"e4m3fn", "e5m2", "bfloat16", "binary16"}) {
    const FormatModel f(parse_format(format));
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> w, x;
      for (int i = 0; i < 64; ++i) {
        w.push_back(f.round(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5));
        x.push_back(f.round(static_cast<double>(random() >> 11) * 0x1p-53));
      }
      const Arithmetic a = arithmetic(format, "accumulator=binary32 reduction=any_order_any_fusion");
      CHECK(a.precise_products);
      const Program p = scalar_product(w, a);
      const double bound = analyse(p, {x, x, false}).at[1].out[0].error;
      const Rational value = exact_product(w, x);
      // Half a unit in the last place of the result and little more.
      CHECK(bound <= f.half_ulp_up(std::fabs(round_nearest(value))) * 1.01 + 1e-4);
      for (const RunOrder order : covered_orders(a.policy))
        CHECK(error_of(run(p, x, order, random()).values[1][0], value) <= bound);
    }
  }
}

TEST_CASE("the sum that loses everything: 1 + u + u + …, tight within 1 + (n−1)u") {
  for (const char* format : narrow_formats) {
    const FormatModel f(parse_format(format));
    for (const std::size_t n : {2, 5, 9}) {
      std::vector<double> w(n, 1.0), x(n, f.u);
      x[0] = 1;
      const Arithmetic a = arithmetic(format, "reduction=sequential");
      const Program p = scalar_product(w, a);
      const double bound = analyse(p, {x, x, false}).at[1].out[0].error;
      const double error = error_of(run(p, x, RunOrder::sequential).values[1][0], exact_product(w, x));
      CHECK(error == static_cast<double>(n - 1) * f.u);  // every addition is a tie that goes to 1
      CHECK(error <= bound);
      CHECK(bound <= error * (1 + 1e-9));  // the running bound is the loss itself
      // Any order, any fusion: within the promised factor.
      const Program any = scalar_product(w, arithmetic(format, "reduction=any_order_any_fusion"));
      const double wide = analyse(any, {x, x, false}).at[1].out[0].error;
      CHECK(error <= wide);
      CHECK(wide <= error * (1 + 3 * static_cast<double>(n) * f.u) + (1 + 4 * f.u) * f.u * 2);
    }
  }
}

TEST_CASE("tensor core model: runs of the model stay within its bound") {
  outward::testing::Random random(3);
  for (const auto& [format, model] : {std::pair("binary16", "h100_f16"), std::pair("bfloat16", "h100_bf16"),
                                      std::pair("e4m3fn", "h100_fp8"), std::pair("binary16", "v100_f16")}) {
    const Arithmetic a = arithmetic(format, std::string("accumulator=binary32 reduction=block(") + model + ")");
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> w, x;
      for (int i = 0; i < 200; ++i) {
        w.push_back(a.values.round(static_cast<double>(random() >> 11) * 0x1p-52 - 1));
        x.push_back(a.values.round(static_cast<double>(random() >> 11) * 0x1p-52 - 1));
      }
      const Program p = scalar_product(w, a);
      const double bound = analyse(p, {x, x, false}).at[1].out[0].error;
      const double error = error_of(run(p, x, RunOrder::sequential).values[1][0], exact_product(w, x));
      CHECK(error <= bound);
    }
  }
}

TEST_CASE("what has no formula is refused by name") {
  NumericalPolicy p;
  p.reduction = Reduction::sequential;
  p.rounding = Rounding::up;
  CHECK_THROWS_AS(Arithmetic{p}, InputRefused);
  p.rounding = Rounding::nearest_even;
  p.accumulator = parse_format("bfloat16");  // lacks numbers of binary32
  CHECK_THROWS_AS(Arithmetic{p}, InputRefused);
  p.accumulator.reset();
  p.format = parse_format("e4m3fn(saturate)");
  CHECK_THROWS_AS(Arithmetic{p}, InputRefused);
}
