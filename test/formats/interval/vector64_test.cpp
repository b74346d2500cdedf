// Interval vectors in binary64: every path equals the generic one bit for bit, under any ambient rounding mode, also
// where lanes overflow, underflow or are unbounded.
#include "formats/interval/vector64.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace outward;
using vector64::Path;

namespace {

constexpr double beyond = std::numeric_limits<double>::infinity();

double random_end(std::mt19937_64& random) {
  switch (random() % 12) {
    case 0:
      return 0;
    case 1:
      return std::ldexp(static_cast<double>(random() >> 11), -1074 + static_cast<int>(random() % 200));
    case 2:
      return std::ldexp(static_cast<double>(random() >> 11), 960 + static_cast<int>(random() % 11));
    case 3:
      return std::numeric_limits<double>::max();
    case 4:
      return static_cast<double>(random() % 9);
    default:
      return std::ldexp(static_cast<double>(random() >> 11), -60 + static_cast<int>(random() % 16));
  }
}

struct Vectors {
  std::vector<double> lo, hi;
  void push(double a, double b) {
    lo.push_back(std::min(a, b));
    hi.push_back(std::max(a, b));
  }
};

Vectors random_intervals(std::mt19937_64& random, std::size_t n) {
  Vectors out;
  for (std::size_t i = 0; i < n; ++i) {
    double a = random_end(random), b = random() % 8 == 0 ? a : random_end(random);
    if (random() % 2 == 0) a = -a;
    if (random() % 2 == 0) b = -b;
    out.push(a, b);
    if (random() % 16 == 0) out.lo[i] = -beyond;
    if (random() % 16 == 0) out.hi[i] = beyond;
  }
  return out;
}

Vectors apply(vector64::Operation operation, const Vectors& a, const Vectors& b, Path path) {
  Vectors out;
  out.lo.resize(a.lo.size());
  out.hi.resize(a.lo.size());
  vector64::apply(operation, {a.lo, a.hi}, {b.lo, b.hi}, out.lo, out.hi, path);
  return out;
}

long differences(const Vectors& a, const Vectors& b) {
  long count = 0;
  for (std::size_t i = 0; i < a.lo.size(); ++i)
    count += std::bit_cast<std::uint64_t>(a.lo[i]) != std::bit_cast<std::uint64_t>(b.lo[i]) ||
                     std::bit_cast<std::uint64_t>(a.hi[i]) != std::bit_cast<std::uint64_t>(b.hi[i])
                 ? 1
                 : 0;
  return count;
}

constexpr vector64::Operation operations[] = {vector64::Operation::add, vector64::Operation::subtract,
                                              vector64::Operation::multiply, vector64::Operation::divide};

}  // namespace

TEST_CASE("interval vectors: all paths equal the generic one bit for bit, in every ambient direction") {
  std::mt19937_64 random(701);
  constexpr std::size_t n = 3007;  // no multiple of any width
  const Vectors a = random_intervals(random, n), b = random_intervals(random, n);
  Vectors divisor = b;
  for (std::size_t i = 0; i < n; ++i)
    if (divisor.lo[i] == 0 && divisor.hi[i] == 0) divisor.hi[i] = 1;
  for (vector64::Operation operation : operations) {
    const Vectors& second = operation == vector64::Operation::divide ? divisor : b;
    const Vectors expected = apply(operation, a, second, Path::generic);
    for (Path path : {Path::portable, Path::avx2, Path::avx512}) {
      const std::string name = vector64::path_name(path);
      CAPTURE(name);
      CAPTURE(static_cast<int>(operation));
      if (!vector64::has_path(path)) {
        MESSAGE("SKIPPED: this processor lacks " << name);
        continue;
      }
      CHECK(differences(expected, apply(operation, a, second, path)) == 0);
      for (int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        const Vectors found = apply(operation, a, second, path);
        std::fesetround(FE_TONEAREST);
        CHECK(differences(expected, found) == 0);
      }
    }
  }
}

TEST_CASE("interval vectors: in place, empty, and known values") {
  std::mt19937_64 random(702);
  for (Path path : {Path::generic, Path::portable, Path::avx2, Path::avx512}) {
    if (!vector64::has_path(path)) continue;
    Vectors a = random_intervals(random, 100);
    const Vectors b = random_intervals(random, 100);
    const Vectors expected = apply(vector64::Operation::multiply, a, b, path);
    vector64::apply(vector64::Operation::multiply, {a.lo, a.hi}, {b.lo, b.hi}, a.lo, a.hi, path);
    CHECK(differences(expected, a) == 0);
    vector64::apply(vector64::Operation::add, {}, {}, {}, {}, path);
    Vectors tenth, three, one, unbounded;
    tenth.push(0.1, 0.1);
    three.push(3, 3);
    one.push(1, 1);
    unbounded.push(0, beyond);
    const Vectors third = apply(vector64::Operation::divide, one, three, path);
    CHECK(third.lo[0] == 1.0 / 3);  // to nearest is down here
    CHECK(third.hi[0] == std::nextafter(1.0 / 3, 1));
    const Vectors sum = apply(vector64::Operation::add, tenth, three, path);
    CHECK(sum.lo[0] < sum.hi[0]);
    CHECK(std::nextafter(sum.lo[0], 4) == sum.hi[0]);
    Vectors zero;
    zero.push(0, 0);
    const Vectors product = apply(vector64::Operation::multiply, zero, unbounded, path);
    CHECK(product.lo[0] == 0);
    CHECK(product.hi[0] == 0);
    CHECK_FALSE(std::signbit(product.lo[0]));
  }
}
