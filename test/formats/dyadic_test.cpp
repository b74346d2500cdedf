// Exact dyadic numbers against rationals, and at exponents no rational could hold.
#include "formats/dyadic.hpp"

#include <doctest/doctest.h>

#include <random>
#include <stdexcept>

using namespace outward;

TEST_CASE("dyadic operations equal rational ones") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto draw = [&] {
      return Dyadic{Integer(static_cast<std::int64_t>(random() >> (random() % 64)) * (random() % 2 ? 1 : -1)),
                    static_cast<std::int64_t>(random() % 80) - 40};
    };
    const Dyadic a = draw(), b = draw();
    const Rational x = to_rational(a), y = to_rational(b);
    CHECK(to_rational(add(a, b)) == x + y);
    CHECK(to_rational(subtract(a, b)) == x - y);
    CHECK(to_rational(multiply(a, b)) == x * y);
    CHECK((compare(a, b) < 0) == (x < y));
    CHECK((compare(a, b) == 0) == (x == y));
    const Dyadic n = normalised(a);
    CHECK(to_rational(n) == x);
    CHECK((n.mantissa == 0 ? n.exponent == 0 : bit_test(abs(n.mantissa), 0)));
  }
}

TEST_CASE("far exponents are compared and refused to be added") {
  const Dyadic huge{1, std::int64_t{1} << 40}, tiny{-3, -(std::int64_t{1} << 40)};
  CHECK(compare(huge, tiny) > 0);
  CHECK(compare(negated(huge), tiny) < 0);
  CHECK(compare(tiny, negated(huge)) > 0);
  CHECK(compare({4, std::int64_t{1} << 40}, {1, (std::int64_t{1} << 40) + 2}) == 0);
  CHECK(floor_log2(huge) == std::int64_t{1} << 40);
  CHECK_THROWS_AS(add(huge, tiny), std::length_error);
  CHECK_THROWS_AS(to_rational(huge), std::length_error);
  CHECK(compare(add(huge, {}), huge) == 0);
}
