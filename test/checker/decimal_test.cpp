// Decimal texts: exact values, what is no number, limits; roundings against the C library.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "checker/readers/readers.hpp"

using namespace outward_check;

namespace {
std::string value(const std::string& text) {
  Fraction f;
  return parse_decimal(text, &f) ? f.text() : "none";
}
}  // namespace

TEST_CASE("values of decimal texts") {
  CHECK(value("0") == "0");
  CHECK(value("-0.0e7") == "0");
  CHECK(value("9.") == "9");
  CHECK(value("-.5") == "-1/2");
  CHECK(value("+1.50") == "3/2");
  CHECK(value("2E+0") == "2");
  CHECK(value("-1.5e-03") == "-3/2000");
  CHECK(value("007") == "7");
  CHECK(value("0.1") == "1/10");
  CHECK(value("1200e-2") == "12");
  CHECK(value("12.00e2") == "1200");
  CHECK(value("12345678901234567890") == "12345678901234567890");
  CHECK(value("0.00000000000000000001") == "1/100000000000000000000");
  CHECK(value("123456789012345678901234567890e-30") == "12345678901234567890123456789/100000000000000000000000000000");
  CHECK(value("9999999999999999999") == "9999999999999999999");
  CHECK(value("18446744073709551616") == "18446744073709551616");
  CHECK(value("1e30") == "1000000000000000000000000000000");
}

TEST_CASE("texts that are no decimal number") {
  for (const char* text : {"",      "+",   "-",     ".",    "-.",    "e5",  "1e",    "1e+",      "1e-",
                           "1.0.0", "--1", "+-1",   "1,0",  "0x10",  "nan", "inf",   "-inf",     "Infinity",
                           " 1",    "1 ",  "1e5.0", "1e 5", "1_000", "1f",  "1e5e5", "\xd9\xa1", "1\n"}) {
    CAPTURE(text);
    CHECK(value(text) == "none");
  }
  CHECK(value(std::string("1\0", 2)) == "none");
}

TEST_CASE("limits of 10000 digits and exponent 20000") {
  Fraction f;
  CHECK(read_decimal(std::string(10000, '7'), &f) == DecimalStatus::ok);
  CHECK(f.numerator().decimal() == std::string(10000, '7'));
  CHECK(read_decimal(std::string(10001, '0'), &f) == DecimalStatus::over_limit);
  CHECK(read_decimal("1e20000", &f) == DecimalStatus::ok);
  CHECK(f.numerator() == BigInt::power_of_ten(20000));
  CHECK(read_decimal("1e-20000", &f) == DecimalStatus::ok);
  CHECK(f.denominator() == BigInt::power_of_ten(20000));
  CHECK(read_decimal("1e20001", &f) == DecimalStatus::over_limit);
  CHECK(read_decimal("0e-20001", &f) == DecimalStatus::over_limit);
  CHECK(read_decimal("1e99999999999999999999999999", &f) == DecimalStatus::over_limit);
  CHECK(read_decimal("1e+00000000000000000000000002", &f) == DecimalStatus::ok);
  CHECK(f.text() == "100");
}

TEST_CASE("fractions are reduced, long ones too") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string digits = std::to_string(random() % 1000000);
    for (std::uint64_t k = random() % 4; k != 0; --k) digits += std::to_string(random());
    if (i % 3 == 0) digits = BigInt::power_of_ten(static_cast<unsigned>(random() % 60)).decimal();
    if (i % 5 == 0) digits = (BigInt(1) << (random() % 200)).decimal();
    const unsigned k = static_cast<unsigned>(random() % 80);
    Fraction f;
    REQUIRE(parse_decimal(digits + "e-" + std::to_string(k), &f));
    REQUIRE(f == Fraction(BigInt::from_decimal(digits), BigInt::power_of_ten(k)));
    REQUIRE(BigInt::gcd(f.numerator(), f.denominator()) == BigInt(1));
  }
}

TEST_CASE("rounding agrees with strtod and strtof") {
  std::mt19937_64 random(3);
  char text[400];
  for (int i = 0; i < 30000; ++i) {
    const std::uint64_t pattern = random();
    double d;
    std::memcpy(&d, &pattern, sizeof d);
    if (i % 3 == 0)
      d = std::ldexp(static_cast<double>(static_cast<float>(random())), -static_cast<int>(random() % 240));
    if (!std::isfinite(d)) continue;
    std::snprintf(text, sizeof text, "%.*e", static_cast<int>(random() % 25), d);
    // Midpoints of neighbouring binary32 numbers, written exactly.
    if (i % 7 == 0) std::snprintf(text, sizeof text, "%.70e", static_cast<double>((random() >> 39) * 2 + 1) * 0x1p-20);
    CAPTURE(text);
    Fraction f;
    REQUIRE(parse_decimal(text, &f));
    double rounded = 0;
    const double want = std::strtod(text, nullptr);
    REQUIRE(round_to_float(f, true, &rounded) == std::isfinite(want));
    if (std::isfinite(want)) REQUIRE(rounded == want);
    const float want32 = std::strtof(text, nullptr);
    REQUIRE(round_to_float(f, false, &rounded) == std::isfinite(want32));
    if (std::isfinite(want32)) REQUIRE(rounded == static_cast<double>(want32));
  }
}

TEST_CASE("ends of the ranges") {
  double r = 1;
  const Fraction half_least(1, BigInt(1) << 150);
  CHECK(round_to_float(half_least, false, &r));
  CHECK(r == 0.0);  // the tie goes to the even zero
  CHECK(round_to_float(half_least * Fraction(3), false, &r));
  CHECK(r == 0x1p-148);
  CHECK(round_to_float(half_least + Fraction(1, BigInt(1) << 300), false, &r));
  CHECK(r == 0x1p-149);
  const Fraction overflow = Fraction((BigInt(1) << 128) - (BigInt(1) << 103));
  CHECK_FALSE(round_to_float(overflow, false, &r));
  CHECK(round_to_float(overflow - Fraction(1, 3), false, &r));
  CHECK(r == 0x1.fffffep127);
  CHECK_FALSE(round_to_float(-Fraction(BigInt(1) << 1024), true, &r));
  CHECK_FALSE(round_to_float(Fraction(BigInt::power_of_ten(20000)), true, &r));
  CHECK(round_to_float(Fraction(1, BigInt::power_of_ten(20000)), true, &r));
  CHECK(r == 0.0);
  std::uint64_t pattern = 0;
  CHECK(round_to_bits(Fraction(-1, 3), false, &pattern));
  CHECK(pattern == 0xbeaaaaab);
}
