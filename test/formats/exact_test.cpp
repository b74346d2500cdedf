// Exact numbers: every rounding is checked against its definition (exact neighbours), and against the C library's
// correctly rounded strtod/strtof; decimal texts are read back exactly.
#include "formats/exact.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

using namespace outward;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Rational rational(const std::string& text) {
  const auto value = parse_decimal(text);
  REQUIRE_MESSAGE(value.has_value(), text);
  return *value;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// The definition: the greatest double <= value, the least >= value, and the nearer of the two, ties to the even one.
void check_roundings(const Rational& value) {
  const double down = round_down(value), up = round_up(value), nearest = round_nearest(value);
  CAPTURE(fraction_text(value));
  CHECK(down <= up);
  if (down == -infinity) {
    CHECK(value < exact(std::numeric_limits<double>::lowest()));
  } else {
    CHECK(exact(down) <= value);
    const double next = std::nextafter(down, infinity);
    CHECK((next == infinity || exact(next) > value));
  }
  if (up == infinity) {
    CHECK(value > exact(std::numeric_limits<double>::max()));
  } else {
    CHECK(exact(up) >= value);
    const double next = std::nextafter(up, -infinity);
    CHECK((next == -infinity || exact(next) < value));
  }
  CHECK((nearest == down || nearest == up));
  if (down != up && std::isfinite(down) && std::isfinite(up)) {
    const Rational below = value - exact(down), above = exact(up) - value;
    if (below < above) CHECK(nearest == down);
    if (below > above) CHECK(nearest == up);
    if (below == above) CHECK((bits(nearest) & 1U) == 0);
  }
}

void check_binary32(const Rational& value) {
  const double nearest = round_nearest_binary32(value);
  CAPTURE(fraction_text(value));
  const float f = static_cast<float>(nearest);
  CHECK(static_cast<double>(f) == nearest);
  const Rational overflow = (Rational(Integer(1) << 25) - 1) * Rational(Integer(1) << 103);  // halfway to 2^128
  if (abs(value) >= overflow) {
    CHECK(nearest == (value < 0 ? -infinity : infinity));
    return;
  }
  REQUIRE(std::isfinite(nearest));
  const Rational error = abs(value - exact(nearest));
  for (float neighbour : {std::nextafterf(f, INFINITY), std::nextafterf(f, -INFINITY)}) {
    if (!std::isfinite(neighbour)) continue;
    const Rational other = abs(value - exact(static_cast<double>(neighbour)));
    CHECK(error <= other);
    if (error == other) CHECK((std::bit_cast<std::uint32_t>(f) & 1U) == 0);
  }
}

double random_double(std::mt19937_64& random) {
  for (;;) {
    const double x = std::bit_cast<double>(random());
    if (std::isfinite(x)) return x;
  }
}

}  // namespace

TEST_CASE("decimal texts are read exactly") {
  CHECK(rational("0") == 0);
  CHECK(rational("-0.0e5") == 0);
  CHECK(rational("+1.") == 1);
  CHECK(rational("-.5") == Rational(-1, 2));
  CHECK(rational("00012.500") == Rational(25, 2));
  CHECK(rational("0.1") == Rational(1, 10));
  CHECK(rational("2E+3") == 2000);
  CHECK(rational("-1.5e-03") == Rational(-3, 2000));
  CHECK(rational("123456789012345678901234567890") == Rational(Integer("123456789012345678901234567890")));
  CHECK(rational("1e999") > rational("9.99e998"));
  CHECK(rational("1e0000000000000000000005") == 100000);
  CHECK(fraction_text(rational("-0.75")) == "-3/4");
  CHECK(fraction_text(rational("1e3")) == "1000");
  CHECK(fraction_text(rational("0.000")) == "0");
  std::string many(9999, '7');
  CHECK(rational(many) == Rational(Integer(many)));
}

TEST_CASE("malformed numbers and numbers over the limits are not numbers") {
  for (const char* text : {"",
                           "-",
                           "+",
                           ".",
                           "-.",
                           "1.0.0",
                           "--1",
                           "+-1",
                           "1,0",
                           "nan",
                           "inf",
                           "0x10",
                           "1e",
                           "1e+",
                           "1e-",
                           "e5",
                           ".e5",
                           "1e5.0",
                           " 1",
                           "1 ",
                           "1f",
                           "1e5e5",
                           "-e1",
                           "1_0",
                           "\xe2\x88\x92"
                           "1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_decimal(text).has_value());
  }
  CHECK_FALSE(parse_decimal("1e20001").has_value());
  CHECK_FALSE(parse_decimal("1e-20001").has_value());
  CHECK_FALSE(parse_decimal("1e99999999999999999999999").has_value());
  CHECK(parse_decimal("1e20000").has_value());
  CHECK(parse_decimal("1e-20000").has_value());
  CHECK(parse_decimal(std::string(max_digits, '1')).has_value());
  CHECK_FALSE(parse_decimal(std::string(max_digits + 1, '1')).has_value());
  CHECK_FALSE(parse_decimal(std::string_view("1\0"
                                             "2",
                                             3))
                  .has_value());
}

TEST_CASE("exact values of doubles") {
  CHECK(exact(0.0) == 0);
  CHECK(exact(-0.0) == 0);
  CHECK(exact(0.5) == Rational(1, 2));
  CHECK(exact(-3.0) == -3);
  CHECK(exact(std::numeric_limits<double>::denorm_min()) == Rational(Integer(1), Integer(1) << 1074));
  CHECK(exact(std::numeric_limits<double>::max()) == Rational(((Integer(1) << 53) - 1) << 971));
  CHECK_THROWS(exact(infinity));
  CHECK_THROWS(exact(std::nan("")));
  CHECK(dyadic_text(0.0) == "0");
  CHECK(dyadic_text(-0.0) == "0");
  CHECK(dyadic_text(3.0) == "3*2^0");
  CHECK(dyadic_text(-0.75) == "-3*2^-2");
  CHECK(dyadic_text(1024.0) == "1*2^10");
  CHECK(dyadic_text(std::numeric_limits<double>::denorm_min()) == "1*2^-1074");
}

TEST_CASE("rounding is correct on random, tie, subnormal and overflowing values") {
  std::mt19937_64 random(20260101);
  for (int i = 0; i < 400; ++i) {
    const double x = random_double(random), y = std::nextafter(x, infinity);
    check_roundings(exact(x));
    check_binary32(exact(x));
    const float f = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(f) && std::isfinite(std::nextafterf(f, INFINITY))) {
      const Rational a = exact(static_cast<double>(f)), b = exact(static_cast<double>(std::nextafterf(f, INFINITY)));
      check_binary32((a + b) / 2);
      check_binary32((a + 2 * b) / 3);
    }
    if (!std::isfinite(y)) continue;
    const Rational middle = (exact(x) + exact(y)) / 2, tiny(Integer(1), Integer(1) << 3000U);
    check_roundings(middle);
    check_roundings(middle + tiny);
    check_roundings(middle - tiny);
    check_roundings(exact(x) * Rational(Integer(random()) + 1, Integer(random()) + 1));
    check_binary32(Rational(Integer(random()) + 1, Integer(random()) + 1));
  }
  const double least = std::numeric_limits<double>::denorm_min(), greatest = std::numeric_limits<double>::max();
  for (const Rational& sign : {Rational(1), Rational(-1)}) {
    for (const Rational& value :
         {exact(least) / 2, exact(least) / 3, exact(least) * Rational(2, 3), exact(least) * Rational(3, 2),
          exact(std::numeric_limits<double>::min()) - exact(least) / 2, exact(greatest), exact(greatest) + 1,
          exact(greatest) + Rational(Integer(1) << 970), exact(greatest) + Rational(Integer(1) << 970) - 1,
          rational("1e999"), rational("1e-999"), rational("1e-45"), rational("7e-46"),
          rational("3.4028235677973366e38"), rational("3.4028236e38")}) {
      check_roundings(value * sign);
      check_binary32(value * sign);
    }
  }
  // IEEE 754 overflow: a directed mode stops at the greatest finite number on one side.
  CHECK(round_down(rational("1e999")) == greatest);
  CHECK(round_up(rational("1e999")) == infinity);
  CHECK(round_down(rational("-1e999")) == -infinity);
  CHECK(round_up(rational("-1e999")) == -greatest);
  CHECK(round_nearest(exact(greatest) + Rational(Integer(1) << 970)) == infinity);
  CHECK(round_nearest(exact(greatest) + Rational(Integer(1) << 970) - 1) == greatest);
  CHECK(round_nearest_binary32(rational("1e-46")) == 0.0);
  CHECK(round_nearest(exact(least) / 2) == 0.0);
}

// Numerators and denominators of one machine word take a shorter way: both sides of that border, ties and the longest
// shifts.
TEST_CASE("rounding is correct on both sides of a machine word") {
  std::mt19937_64 random(7);
  const auto of_length = [&](unsigned bits) {
    Integer v = (Integer(random()) << 64U) + random();
    v >>= 128 - bits;
    bit_set(v, bits - 1);
    return v;
  };
  for (unsigned n = 1; n <= 67; ++n) {
    for (unsigned d = 1; d <= 67; d += n % 3 + 1) {
      const Rational value(of_length(n), of_length(d));
      check_roundings(value);
      check_roundings(-value);
      check_binary32(value);
    }
    const Integer power = Integer(1) << n;
    for (const Rational& value : {Rational(power - 1, power + 1), Rational(power + 1, power - 1), Rational(power - 1),
                                  Rational(Integer(1), power - 1), Rational((Integer(1) << 54) + 1, power),
                                  Rational((Integer(1) << 54) + 2, power), Rational((Integer(1) << 25) + 1, power)}) {
      check_roundings(value);
      check_binary32(-value);
    }
  }
}

TEST_CASE("rounding agrees with strtod and strtof and ignores the ambient rounding mode") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    const int exponent = static_cast<int>(random() % 80) - 50;
    const std::string text = std::to_string(static_cast<std::int64_t>(random())) + "." + std::to_string(random()) +
                             "e" + std::to_string(exponent);
    const double expected = std::strtod(text.c_str(), nullptr);
    const float expected32 = std::strtof(text.c_str(), nullptr);
    const Rational value = rational(text);
    for (int mode : {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const double got = round_nearest(value), got32 = round_nearest_binary32(value), down = round_down(value);
      const Rational back = exact(got);
      std::fesetround(FE_TONEAREST);
      CHECK(got == expected);
      CHECK(got32 == static_cast<double>(expected32));
      CHECK(down == round_down(value));
      CHECK(back == exact(expected));
    }
  }
}

TEST_CASE("decimal_between stays inside and is short") {
  using Pair = std::pair<Rational, Rational>;
  std::mt19937_64 random(11);
  CHECK(decimal_between(-1, 1) == "0");
  CHECK(decimal_between(rational("0.1"), rational("0.1")) == "0.1");
  CHECK(decimal_between(rational("-0.1"), rational("-0.1")) == "-0.1");
  CHECK(decimal_between(rational("120"), rational("120")) == "120");
  CHECK(decimal_between(rational("1e-30"), rational("1e-30")) == "1e-30");
  CHECK(decimal_between(rational("0.999"), rational("1.001")) == "1");
  CHECK(decimal_between(Rational(1, 3), Rational(1, 3) + Rational(1, 1000)) == "0.334");
  CHECK(decimal_between(Rational(1, 3), Rational(1, 3)) == "");
  CHECK(decimal_between(Rational(-1, 3), Rational(-1, 3)) == "");
  CHECK(decimal_between(Rational(-1, 3), Rational(-1, 3) + Rational(1, 1000)) == "-0.333");
  CHECK_THROWS(decimal_between(1, 0));
  for (int i = 0; i < 300; ++i) {
    const double x = random_double(random);
    const double y = std::nextafter(x, infinity);
    if (!std::isfinite(y)) continue;
    const Rational lo = exact(x), hi = exact(y);
    for (const auto& [a, b] : {Pair{lo, hi}, Pair{lo, lo}, Pair{(lo * 2 + hi) / 3, (lo + hi * 2) / 3}}) {
      const std::string text = decimal_between(a, b);
      const auto back = parse_decimal(text);
      REQUIRE_MESSAGE(back.has_value(), text);
      CHECK(*back >= a);
      CHECK(*back <= b);
      if (a != b) CHECK(text.size() <= 26);
    }
    CHECK(std::strtod(shortest_decimal(x).c_str(), nullptr) == x);
    CHECK(round_nearest(rational(shortest_decimal(x))) == x);
  }
  CHECK(shortest_decimal(0.1) == "0.1");
}
