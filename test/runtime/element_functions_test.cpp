// Functions of one element: values against enclosures, ranges of kernels that are ulps off, codes of other families.
#include "runtime/cpu/element_functions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "formats/error.hpp"
#include "runtime/cpu/exact.hpp"
#include "runtime/cpu/fast_functions.hpp"
#include "runtime/cpu/reference.hpp"
#include "test/runtime/small_graphs.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

constexpr ElementType elements[] = {ElementType::binary32, ElementType::binary64};

double rounded(double x, ElementType element) {
  return element == ElementType::binary32 ? static_cast<double>(static_cast<float>(x)) : x;
}
double next(double x, double towards, ElementType element) {
  return element == ElementType::binary32
             ? static_cast<double>(std::nextafter(static_cast<float>(x), static_cast<float>(towards)))
             : std::nextafter(x, towards);
}

// Where most of the functions have something to show, and some are not defined.
double argument(std::mt19937_64& random, ElementType element) {
  const double unit = std::uniform_real_distribution<double>(-1, 1)(random);
  switch (random() % 4) {
    case 0:
      return rounded(unit, element);
    case 1:
      return rounded(12 * unit, element);
    case 2:
      return rounded(std::ldexp(unit, -static_cast<int>(random() % 60)), element);
    default:
      return std::floor(8 * unit) / 2;
  }
}

// The exact value of f at x, enclosed by the exact run; nothing where it is not defined.
std::optional<ExactRange> exact_at(ElementFunction f, double x) {
  Graph g = graph_of({make(Kind::input, {}, 1), make(Kind::function, {0}, 1, {static_cast<std::int64_t>(f)})},
                     ElementType::binary64);
  try {
    return run_exact_ranges(g, {exact(x)})[0];
  } catch (const ResourceError&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("element functions: names are distinct, and mean what the library's functions mean") {
  for (const ElementFunctionRow& row : element_functions()) {
    CAPTURE(row.name);
    for (const ElementFunctionRow& other : element_functions())
      CHECK((row.function == other.function || std::string_view(row.name) != other.name));
    for (const double x : {0.25, 0.875, 1.5, 2.5, -0.75}) {
      const double about_x = about(row.function, x), value = evaluate(row.function, x, ElementType::binary64);
      CHECK(std::isnan(about_x) == std::isnan(value));
      if (!std::isnan(value)) CHECK(value == doctest::Approx(about_x).epsilon(1e-12));
    }
  }
}

TEST_CASE("element functions: the nearest number to the exact value, no other") {
  std::mt19937_64 random(11);
  int compared = 0;
  for (const ElementFunctionRow& row : element_functions()) {
    CAPTURE(row.name);
    for (const ElementType element : elements) {
      for (int trial = 0; trial < 60; ++trial) {
        const double x = argument(random, element);
        const std::optional<ExactRange> y = exact_at(row.function, x);
        const double value = evaluate(row.function, x, element);
        if (!y) {
          CHECK_FALSE(std::isfinite(value));
          continue;
        }
        CAPTURE(x);
        ++compared;
        const Rational here = abs(exact(value) - y->lo);
        CHECK(here <= abs(exact(next(value, INFINITY, element)) - y->lo));
        CHECK(here <= abs(exact(next(value, -INFINITY, element)) - y->lo));
      }
    }
  }
  CHECK(compared > 2000);
}

TEST_CASE("element functions: ends of the domain, infinities, NaN") {
  const auto at = [](ElementFunction f, double x) { return evaluate(f, x, ElementType::binary32); };
  CHECK(at(ElementFunction::tanh, INFINITY) == 1);
  CHECK(at(ElementFunction::tanh, 9.5) == 1);  // the trap: below 1 over the reals
  CHECK(at(ElementFunction::sigmoid, -INFINITY) == 0);
  CHECK(at(ElementFunction::exp, INFINITY) == INFINITY);
  CHECK(at(ElementFunction::exp, 89) == INFINITY);
  CHECK(at(ElementFunction::log, 0) == -INFINITY);
  CHECK(std::isnan(at(ElementFunction::log, -1)));
  CHECK(std::isnan(at(ElementFunction::sqrt, -1)));
  CHECK(std::isnan(at(ElementFunction::acosh, 0.5)));
  CHECK(std::signbit(at(ElementFunction::floor, -0.0)));
  CHECK(at(ElementFunction::round, 2.5) == 2);
  CHECK(at(ElementFunction::round, -3.5) == -4);
  for (const ElementFunctionRow& row : element_functions()) CHECK(std::isnan(at(row.function, NAN)));
}

TEST_CASE("element functions: the range of a kernel holds everything within its ulps and little more") {
  std::mt19937_64 random(5);
  int inside = 0;
  for (const ElementFunctionRow& row : element_functions()) {
    CAPTURE(row.name);
    for (const ElementType element : elements) {
      for (int trial = 0; trial < 30; ++trial) {
        double lo = argument(random, element), hi = trial % 3 == 0 ? lo : argument(random, element);
        if (lo > hi) std::swap(lo, hi);
        const std::uint32_t k = row.elementary ? static_cast<std::uint32_t>(random() % 4) : 0;
        const auto ends = evaluate(row.function, lo, hi, element, k);
        for (int p = 0; p < 4; ++p) {
          const double share = std::uniform_real_distribution<double>(0, 1)(random);
          const double x = p == 0 ? lo : p == 1 ? hi : std::clamp(rounded(lo + share * (hi - lo), element), lo, hi);
          if (!ends) continue;
          const double value = evaluate(row.function, x, element);
          REQUIRE(std::isfinite(value));
          // Every number within k ulps of the exact value; without ulps, the rounded value alone.
          const ExactRange y = exact_at(row.function, x).value();
          const double size = y.lo > 0 ? round_down(y.lo) : y.hi < 0 ? -round_up(y.hi) : 0.0;  // never too large
          const int bits = element == ElementType::binary32 ? 23 : 52;
          const int least = element == ElementType::binary32 ? -149 : -1074;
          const int exponent = size == 0 ? least : std::max(std::ilogb(size) - bits, least);
          const Rational reach = k * exact(std::ldexp(1.0, exponent));
          for (const double away : {-HUGE_VAL, HUGE_VAL}) {
            for (double v = value; v == value || abs(exact(v) - y.lo) <= reach; v = next(v, away, element)) {
              CHECK(ends->first <= v);
              CHECK(v <= ends->second);
              ++inside;
            }
          }
        }
        if (ends && lo == hi) {  // a point: no more than k + 1 numbers to either side
          double below = evaluate(row.function, lo, element), above = below;
          for (std::uint32_t step = 0; step <= 2 * k; ++step) {
            below = next(below, -INFINITY, element);
            above = next(above, INFINITY, element);
          }
          CHECK(below < ends->first);
          CHECK(ends->second < above);
        }
      }
    }
  }
  CHECK(inside > 10000);
}

TEST_CASE("element functions: no range where the function is not defined or not finite") {
  const auto none = [](ElementFunction f, double lo, double hi) {
    return !evaluate(f, lo, hi, ElementType::binary32, 1).has_value();
  };
  CHECK(none(ElementFunction::log, -1, 2));
  CHECK(none(ElementFunction::log, 0, 2));
  CHECK(none(ElementFunction::sqrt, -0x1p-149, 2));
  CHECK(none(ElementFunction::tan, 1, 2));  // a pole between
  CHECK(none(ElementFunction::exp, 0, 100));
  CHECK(none(ElementFunction::tanh, 0, INFINITY));
  CHECK_FALSE(none(ElementFunction::tan, -1, 1));
}

TEST_CASE("element functions: ulps across a power of two are those of the wider side") {
  // f in [1 - 2^-24, 1 + 2^-23]: one ulp below 1 is 2^-24 at the lower end and 2^-23 from 1 on.
  const auto ends = evaluate(ElementFunction::exp, -0x1p-24, 0x1p-23, ElementType::binary32, 1);
  REQUIRE(ends);
  CHECK(ends->first <= 1 - 0x1p-23);
  CHECK(ends->second >= 1 + 0x1p-22);
}

TEST_CASE("element functions: codes of a binary format agree with its numbers; other families round their own way") {
  std::mt19937_64 random(3);
  const auto binary = parse_number_format("binary32"), decimal = parse_number_format("decimal32"),
             posit = parse_number_format("posit16");
  for (const ElementFunctionRow& row : element_functions()) {
    CAPTURE(row.name);
    for (int trial = 0; trial < 25; ++trial) {
      const double x = argument(random, ElementType::binary32);
      Flags flags;
      const Integer code =
          binary->from_exact({ExactNumber::Kind::number, std::signbit(x), exact(x), 0}, Rounding::nearest_even, flags);
      const ExactNumber y = binary->to_exact(evaluate(row.function, code, *binary, Rounding::nearest_even, flags));
      const double value = evaluate(row.function, x, ElementType::binary32);
      if (std::isnan(value)) {
        CHECK(y.kind == ExactNumber::Kind::nan);
      } else if (std::isfinite(value)) {
        REQUIRE(y.kind == ExactNumber::Kind::number);
        CHECK(round_nearest(y.exponent < 0
                                ? Rational(y.factor / (Integer(1) << static_cast<unsigned>(-y.exponent)))
                                : Rational(y.factor * (Integer(1) << static_cast<unsigned>(y.exponent)))) == value);
      }
    }
  }
  for (const auto& format : {decimal, posit}) {
    Flags flags;
    const Integer half =
        format->from_exact({ExactNumber::Kind::number, false, Rational(1, 2), 0}, Rounding::nearest_even, flags);
    const ExactNumber y =
        format->to_exact(evaluate(ElementFunction::tanh, half, *format, Rounding::nearest_even, flags));
    const double power = std::ldexp(1.0, static_cast<int>(y.exponent));
    CHECK(round_nearest(y.factor) * power == doctest::Approx(std::tanh(0.5)).epsilon(1e-3));
  }
}

TEST_CASE("exact run: products, quotients and floors are exact, functions enclosed") {
  Graph g = graph_of({make(Kind::input, {}, 2), make(Kind::map, {0}, 1, {0}), make(Kind::map, {0}, 1, {1}),
                      make(Kind::quotient, {1, 2}, 1), make(Kind::product, {3, 3}, 1),
                      make(Kind::function, {4}, 1, {static_cast<std::int64_t>(ElementFunction::sqrt)}),
                      make(Kind::function, {4}, 1, {static_cast<std::int64_t>(ElementFunction::floor)}),
                      make(Kind::map, {3, 4, 5, 6}, 4, {0, 1, 2, 3})});
  validate(g);
  const auto y = run_exact_ranges(g, {Rational(5), Rational(3)});
  CHECK(y[0].lo <= Rational(5, 3));
  CHECK(y[0].hi >= Rational(5, 3));
  CHECK(y[2].hi - y[2].lo <= exact(0x1p-250));
  CHECK(y[3].lo == 2);
  CHECK(y[3].hi == 2);
  CHECK_THROWS_AS(run_exact_ranges(g, {Rational(5), Rational(0)}), ResourceError);
  Graph exact_one = graph_of({make(Kind::input, {}, 2), make(Kind::map, {0}, 1, {0}), make(Kind::map, {0}, 1, {1}),
                              make(Kind::quotient, {1, 2}, 1), make(Kind::product, {3, 3}, 1)});
  CHECK((*run_exact(exact_one, {Rational(5), Rational(3)}))[0] == Rational(25, 9));
}
