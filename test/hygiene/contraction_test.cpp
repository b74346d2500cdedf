// Asserts at run time what the build promises about arithmetic: a*b + c rounds twice, subnormals are kept, rounding is
// to nearest even. Assumes nothing about the processor; where it has no fused multiply-add, contraction cannot be
// tested and the test says so.
#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <limits>

namespace {

// With contraction the compiler would emit one fused instruction here; the attribute lets it.
[[gnu::target("fma"), gnu::noipa]] double product_plus(double a, double b, double c) { return a * b + c; }

[[gnu::noipa]] double product(double a, double b) { return a * b; }

[[gnu::noipa]] double quotient(double a, double b) { return a / b; }

}  // namespace

TEST_CASE("a product and a sum are rounded separately") {
  if (!__builtin_cpu_supports("fma")) {
    std::puts("SKIPPED: contraction: this processor has no fused multiply-add");
    return;
  }
  // (1 + 2^-52)^2 = 1 + 2^-51 + 2^-104: the last term is lost by a separate product and kept by a fused one.
  const double a = 1 + std::numeric_limits<double>::epsilon();
  const double rounded = 1 + 2 * std::numeric_limits<double>::epsilon();
  CHECK(product_plus(a, a, -rounded) == 0.0);
  CHECK(std::fma(a, a, -rounded) == std::ldexp(1.0, -104));
}

TEST_CASE("subnormal numbers are neither flushed nor read as zero") {
  const double tiny = std::numeric_limits<double>::denorm_min();
  CHECK(product(std::numeric_limits<double>::min(), 0.5) > 0.0);
  CHECK(product(tiny, 4.0) == 4 * tiny);
}

TEST_CASE("rounding is to nearest, ties to even") {
  const double half_step = std::ldexp(1.0, -53);
  volatile double one = 1.0;
  CHECK(one + half_step == 1.0);
  CHECK(one + 3 * half_step == 1.0 + 4 * half_step);
  CHECK(quotient(1.0, 3.0) == 0x1.5555555555555p-2);
  CHECK(quotient(2.0, 3.0) == 0x1.5555555555555p-1);
  CHECK(quotient(-1.0, 3.0) == -0x1.5555555555555p-2);
}

TEST_CASE("expressions are evaluated in their own type") { CHECK(FLT_EVAL_METHOD == 0); }
