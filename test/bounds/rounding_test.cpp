// One test per rounding term of bounds/rounding.hpp (DESIGN section 1, terms i–viii). Each builds a computation whose
// error is really there and compares it with exact rationals: with the term deleted (0, or 1 for the inflation) the
// test fails.
#include "bounds/rounding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "bounds/kernels.hpp"
#include "formats/exact.hpp"

using namespace outward;

namespace {

std::vector<double> random_vector(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<double> normal;
  std::vector<double> v(n);
  for (double& x : v) x = normal(random) * std::ldexp(1.0, static_cast<int>(random() % 20) - 10);
  return v;
}

}  // namespace

TEST_CASE(
    "term i: a matrix product computed by OpenBLAS stays within product_term of the exact one, and is not exact") {
  std::mt19937_64 random(1);
  bool some_error = false;
  double worst = 0;
  for (const std::size_t m : {1u, 2u, 7u, 64u, 300u}) {
    const std::size_t rows = 5, n = 9;
    const std::vector<double> a = random_vector(random, rows * m), b = random_vector(random, m * n);
    std::vector<double> c(rows * n);
    gemm(rows, n, m, a.data(), b.data(), c.data());
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < n; ++j) {
        Rational truth = 0, absolute = 0;
        for (std::size_t i = 0; i < m; ++i) {
          const Rational t = exact(a[r * m + i]) * exact(b[i * n + j]);
          truth += t;
          absolute += abs(t);
        }
        const Rational error = abs(exact(c[r * n + j]) - truth);
        CHECK(error <= exact(product_term(m)) * absolute);
        some_error = some_error || error > 0;
        if (absolute > 0) worst = std::max(worst, round_nearest(Rational(error / absolute)) / product_term(m));
      }
    }
  }
  CHECK(some_error);
  MESSAGE("greatest error / allowed: " << worst);
}

TEST_CASE("term i: underflow of products is covered by underflow_term and not by product_term") {
  const double a = 0x1.8p-540, b = 0x1p-534;  // the product is 1.5·2^-1074: half a spacing away from both neighbours
  volatile double product = a * b;
  const Rational error = abs(exact(product) - exact(a) * exact(b));
  CHECK(error > exact(product_term(1)) * exact(a) * exact(b));
  CHECK(error <= exact(underflow_term(1, 0, 1.0)));
}

TEST_CASE("terms ii and iii: one product and one addition, measured on the computed result") {
  std::mt19937_64 random(2);
  bool product_error = false, sum_error = false;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> v = random_vector(random, 2);
    const double p = v[0] * v[1], s = v[0] + v[1];
    const Rational ep = abs(exact(p) - exact(v[0]) * exact(v[1])), es = abs(exact(s) - exact(v[0]) - exact(v[1]));
    CHECK(ep <= exact(slope_term) * abs(exact(p)));
    CHECK(es <= exact(addition_term) * abs(exact(s)));
    product_error = product_error || ep > 0;
    sum_error = sum_error || es > 0;
  }
  CHECK(product_error);
  CHECK(sum_error);
}

TEST_CASE("term v: scalar sums of any sign") {
  std::mt19937_64 random(3);
  bool some_error = false;
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> v = random_vector(random, 200);
    double sum = 0, absolute = 0;
    Rational truth = 0;
    for (double x : v) {
      sum += x;
      absolute += std::fabs(x);
      truth += exact(x);
    }
    const Rational error = abs(exact(sum) - truth);
    CHECK(error <= exact(scalar_sum_term(v.size(), inflate(absolute, v.size()))));
    some_error = some_error || error > 0;
  }
  CHECK(some_error);
}

TEST_CASE("term vi: a nonnegative sum is below the exact one without inflation, and never with it") {
  std::mt19937_64 random(4);
  bool below = false;
  for (int trial = 0; trial < 50; ++trial) {
    double sum = 0;
    Rational truth = 0;
    for (double x : random_vector(random, 300)) {
      sum += std::fabs(x);
      truth += abs(exact(x));
    }
    below = below || exact(sum) < truth;
    CHECK(exact(inflate(sum, 300)) >= truth);
    CHECK(inflate(sum, 300) <= sum * (1 + 1e-12));
  }
  CHECK(below);
}

TEST_CASE("sum_up is at least the exact sum of two products; the plain sum is not") {
  std::mt19937_64 random(6);
  bool below = false;
  const auto draw = [&] {
    const double x = std::fabs(random_vector(random, 1)[0]);
    const int kind = static_cast<int>(random() % 4);
    return kind == 0 ? x * 0x1p-540 : kind == 1 ? 0x1p-1074 * static_cast<double>(random() % 9) : x;
  };
  for (int i = 0; i < 20000; ++i) {
    const double a = draw(), b = draw(), c = draw(), d = draw();
    const Rational truth = exact(a) * exact(b) + exact(c) * exact(d);
    below = below || exact(a * b + c * d) < truth;
    const double up = sum_up(a * b, c * d);
    CHECK(exact(up) >= truth);
    CHECK(exact(up) <= truth * (1 + exact(0x1p-49)) + exact(0x1p-1071));
  }
  CHECK(below);
  CHECK(sum_up(infinity, 1) == infinity);
}

TEST_CASE("term vii: centre and radius cover both ends; without the radius rounding they do not") {
  std::mt19937_64 random(5);
  bool rounding_mattered = false;
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> v = random_vector(random, 2);
    if (v[0] > v[1]) std::swap(v[0], v[1]);
    double c = 0, r = 0;
    centre_radius(v[0], v[1], &c, &r);
    CHECK(exact(c) - exact(r) <= exact(v[0]));
    CHECK(exact(c) + exact(r) >= exact(v[1]));
    const double nearest = std::max(v[1] - c, c - v[0]);
    rounding_mattered =
        rounding_mattered || exact(c) - exact(nearest) > exact(v[0]) || exact(c) + exact(nearest) < exact(v[1]);
  }
  CHECK(rounding_mattered);
}

TEST_CASE("gamma is rounded up and grows with n") {
  for (double n : {1.0, 3.0, 100.0, 1e6}) {
    const Rational nu = exact(n) * exact(unit_roundoff);
    CHECK(exact(gamma_up(n)) >= nu / (1 - nu));
    CHECK(exact(gamma_up(n)) <= nu / (1 - nu) * (1 + exact(0x1p-49)));
  }
  CHECK(gamma_up(10, 0x1p-24) > 10 * 0x1p-24);
}
