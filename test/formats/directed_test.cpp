// Directed scalar arithmetic against exact rationals: outward always, and by at most one unit in the last place.
#include "formats/directed.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>

#include "formats/exact.hpp"

using namespace outward;

namespace {

double random_double(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0:
      return 0.0;
    case 1:
      return std::ldexp(1.0, static_cast<int>(random() % 200) - 100);
    case 2:
      return std::numeric_limits<double>::denorm_min() * static_cast<double>(random() % 9);
    case 3:
      return -std::ldexp(static_cast<double>(random() % 1000), -1070);
    default: {
      const double v = std::bit_cast<double>((random() & 0x800fffffffffffff) | ((1023 - 60 + random() % 120) << 52));
      return v;
    }
  }
}

struct Operation {
  const char* name;
  double (*down)(double, double);
  double (*up)(double, double);
  Rational (*truth)(const Rational&, const Rational&);
};

}  // namespace

TEST_CASE("add, sub, mul, div enclose the exact result within one ulp on each side") {
  const Operation operations[] = {
      {"add", add_down, add_up, [](const Rational& a, const Rational& b) { return Rational(a + b); }},
      {"sub", sub_down, sub_up, [](const Rational& a, const Rational& b) { return Rational(a - b); }},
      {"mul", mul_down, mul_up, [](const Rational& a, const Rational& b) { return Rational(a * b); }},
      {"div", div_down, div_up, [](const Rational& a, const Rational& b) { return Rational(a / b); }}};
  std::mt19937_64 random(5);
  for (const Operation& op : operations) {
    CAPTURE(op.name);
    for (int i = 0; i < 3000; ++i) {
      const double a = random_double(random), b = random_double(random);
      if (b == 0 && op.truth(1, 1) == 1 && std::string(op.name) == "div") continue;
      const Rational truth = op.truth(exact(a), exact(b));
      const double lo = op.down(a, b), hi = op.up(a, b);
      if (lo > -infinity) CHECK(exact(lo) <= truth);
      if (hi < infinity) CHECK(truth <= exact(hi));
      if (std::fabs(lo) < infinity && std::fabs(hi) < infinity) CHECK(hi <= next_up(next_up(lo)));
    }
  }
}

TEST_CASE("sums that are exact stay exact, others move") {
  CHECK(add_up(1.5, 2.25) == 3.75);
  CHECK(add_down(1.5, 2.25) == 3.75);
  CHECK(add_up(1.0, 0x1p-60) == 1.0 + 0x1p-52);
  CHECK(add_down(1.0, -0x1p-60) == 1.0 - 0x1p-53);
  CHECK(add_up(0.0, -0.0) == 0.0);
}

TEST_CASE("overflow and NaN give the useless bound of the direction, never a wrong one") {
  const double big = std::numeric_limits<double>::max();
  CHECK(add_up(big, big) == infinity);
  CHECK(add_down(big, big) == big);
  CHECK(add_up(-big, -big) == -big);
  CHECK(add_down(-big, -big) == -infinity);
  CHECK(mul_up(big, -2.0) == -big);
  CHECK(mul_up(big, 2.0) == infinity);
  CHECK(mul_down(big, 2.0) == big);
  CHECK(add_up(infinity, -infinity) == infinity);
  CHECK(add_down(infinity, -infinity) == -infinity);
  CHECK(sub_down(infinity, infinity) == -infinity);
}

TEST_CASE("square roots") {
  std::mt19937_64 random(6);
  for (int i = 0; i < 2000; ++i) {
    const double a = std::fabs(random_double(random));
    const Rational lo = exact(sqrt_down(a)), hi = exact(sqrt_up(a));
    CHECK(lo * lo <= exact(a));
    CHECK(hi * hi >= exact(a));
  }
}
