// The arithmetics of the checker against exact fractions: directed binary64, dyadics, exact rationals.
#include "checker/kernel/number.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <vector>

#include "checker/kernel/engine.hpp"
#include "checker/report/self_test.hpp"

using namespace outward_check;

namespace {

// Finite doubles of all sizes, many of them special.
double any_double(std::mt19937_64& r) {
  static const double special[] = {0,
                                   -0.0,
                                   1,
                                   -1,
                                   0x1p-1074,
                                   -0x1p-1074,
                                   0x1p-1022,
                                   0x1.fffffffffffffp1023,
                                   -0x1.fffffffffffffp1023,
                                   3,
                                   0x1.0000000000001p0};
  if (r() % 4 == 0) return special[r() % std::size(special)];
  for (;;) {
    const double x = std::bit_cast<double>(r());
    if (x - x == 0) return r() % 2 == 0 ? x : static_cast<double>(static_cast<std::int64_t>(r() % 2000) - 1000) / 64;
  }
}

// The double before x, for -infinity < x <= infinity.
double before(double x) {
  if (x == infinity) return 0x1.fffffffffffffp1023;
  if (x == 0) return -0x1p-1074;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits - 1 : bits + 1);
}

// result is the least double that is not below the exact value.
bool is_least_above(double result, const Fraction& exact) {
  if (result != infinity && Fraction::from_double(result) < exact) return false;
  const double previous = before(result);
  return previous == -infinity || Fraction::from_double(previous) < exact;
}

// The same number, not in lowest terms.
Fraction over_powers(const Fraction& x) {
  const Fraction power = BigInt::power_of_ten(25);
  return x * power / power;
}

}  // namespace

TEST_CASE("directed operations round to the least double above") {
  CHECK(self_test_fault() == "");
  std::mt19937_64 r(1);
  for (int i = 0; i < 20000; ++i) {
    const double a = any_double(r), b = any_double(r);
    const Fraction x = Fraction::from_double(a), y = Fraction::from_double(b);
    double sum, product, quotient = 0;
    {
      const RoundUp up;
      sum = add_up(a, b), product = mul_up(a, b);
      if (b > 0) quotient = div_up(a, b);
    }
    REQUIRE(is_least_above(sum, x + y));
    REQUIRE(is_least_above(product, x * y));
    if (b > 0) REQUIRE(is_least_above(quotient, x / y));
  }
}

TEST_CASE("conversion of dyadics and fractions to double rounds up") {
  std::mt19937_64 r(2);
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t m = static_cast<std::int64_t>(r()) >> (r() % 64);
    const std::int64_t e = static_cast<std::int64_t>(r() % 2300) - 1200;
    const Fraction d = Fraction::dyadic(m, e);
    const double up = d.double_up();
    if (up == -0x1.fffffffffffffp1023) continue;  // below all doubles
    REQUIRE(is_least_above(up, d));
    const Fraction f(BigInt(m), BigInt(static_cast<std::int64_t>(r() % 1000) + 1));
    REQUIRE(is_least_above(rounded_up<double>(f), f));
  }
  CHECK(Fraction::dyadic(1, 1024).double_up() == infinity);
  CHECK(Fraction::dyadic(-1, 1024).double_up() == -0x1.fffffffffffffp1023);
  CHECK(Fraction::dyadic(1, -20000).double_up() == 0x1p-1074);
  CHECK(Fraction::dyadic(-1, -20000).double_up() == 0);
  CHECK(Fraction::dyadic((BigInt(1) << 1024) - BigInt(1), 0).double_up() == infinity);
}

TEST_CASE("dyadics: text, order, roots") {
  Fraction d;
  for (const char* good : {"0", "1*2^0", "-3*2^-5", "12345678901234567890123456789*2^20000"}) {
    REQUIRE(Fraction::parse(good, &d));
    CHECK((d.sign() == 0 ? "0" : d.m.decimal() + "*2^" + std::to_string(d.e)) == good);
  }
  for (const char* bad : {"", "1", "2*2^0", "0*2^0", "01*2^0", "+1*2^0", "1*2^+1", "1*2^-0", "1*2^01", "1*2^20001",
                          "1*2^99999999999", "-0", "1e3", " 1*2^0", "1*2^0 ", "--1*2^0", "1*2^"}) {
    CHECK_MESSAGE(!Fraction::parse(bad, &d), bad);
  }
  CHECK(!Fraction::parse(std::string(10001, '1') + "*2^0", &d));
  std::mt19937_64 r(3);
  for (int i = 0; i < 3000; ++i) {
    const Fraction a = Fraction::from_double(any_double(r)), b = Fraction::from_double(any_double(r));
    const Fraction c = over_powers(a), same = over_powers(b);  // the same with long divisors
    REQUIRE(Fraction::compare(a, b) == Fraction::compare(c, same));
    REQUIRE(a + b == c + same);
    REQUIRE(a + b - b == a);
    REQUIRE(a * b == c * same);
    REQUIRE((a + b).text() == (c + same).text());
    REQUIRE(!(a.up(20) < a));
    REQUIRE(a.up(20).m.bits() <= 21);
    if (b.sign() <= 0) continue;
    Fraction low, high;
    Fraction::inverse_root(b, 100, &low, &high);  // low^2*b <= 1 <= high^2*b, and they are close
    REQUIRE(low * low * b <= Fraction::dyadic(1, 0));
    REQUIRE(Fraction::dyadic(1, 0) <= high * high * b);
    REQUIRE((high - low) * Fraction::dyadic(1, 99) <= low);
  }
}

TEST_CASE("exact numbers are exact until they are long, then above") {
  std::mt19937_64 r(4);
  const auto value = [](const Exact& x) { return x.value; };
  for (int i = 0; i < 2000; ++i) {
    const Exact a(Fraction(BigInt(static_cast<std::int64_t>(r())), BigInt(static_cast<std::int64_t>(r() % 997) + 1)));
    const Exact b(
        Fraction(BigInt(static_cast<std::int64_t>(r() >> 20)), BigInt(static_cast<std::int64_t>(r() % 100) + 1)));
    REQUIRE(value(add_up(a, b)) == value(a) + value(b));
    REQUIRE(value(mul_up(a, b)) == value(a) * value(b));
    if (Exact(0) < b) REQUIRE(value(div_up(a, b)) == value(a) / value(b));
    REQUIRE((a < b) == (value(a) < value(b)));
  }
  Exact power(0x1.123456789abcdp0), third(Fraction(BigInt(-1), BigInt(3)));
  Fraction exact = value(power), exact_third = value(third);
  for (int i = 0; i < 700; ++i) {
    third = mul_up(third, Exact(0x1.3p-1)), exact_third = exact_third * Fraction::from_double(0x1.3p-1);
    if (i < 60)
      power = mul_up(power, Exact(0x1.123456789abcdp0)), exact = exact * Fraction::from_double(0x1.123456789abcdp0);
  }
  CHECK(exact < value(power));
  CHECK(value(power).numerator().bits() < 1200);
  CHECK(exact_third < value(third));
  CHECK(is_infinite(add_up(Exact(infinity), Exact(-infinity))));
}
