// Posits against the definition of the standard, written apart from the library: values from strings of bits, rounding
// by search among the values of (n+1)-bit posits. Exhaustive to 8 bits for operations of two operands, to 5 for three.
#include "formats/posit/posit.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <random>

namespace {

using namespace outward;
using posit::Code;

Rational power_of_two(int e) {
  return e >= 0 ? Rational(Integer(1) << static_cast<unsigned>(e))
                : Rational(1, Integer(1) << static_cast<unsigned>(-e));
}

// The value of a positive code, bit by bit.
Rational value_of_bits(std::uint64_t code, int n) {
  std::string bits;
  for (int i = n - 2; i >= 0; --i) bits += code >> i & 1 ? '1' : '0';
  std::size_t run = 0;
  while (run < bits.size() && bits[run] == bits[0]) ++run;
  const int regime = bits[0] == '1' ? static_cast<int>(run) - 1 : -static_cast<int>(run);
  std::string rest = run + 1 <= bits.size() ? bits.substr(run + 1 > bits.size() ? bits.size() : run + 1) : "";
  int exponent = 0;
  for (std::size_t i = 0; i < 2; ++i) exponent = 2 * exponent + (i < rest.size() && rest[i] == '1' ? 1 : 0);
  Rational value = 1, weight(1, 2);
  for (std::size_t i = 2; i < rest.size(); ++i, weight /= 2)
    if (rest[i] == '1') value += weight;
  return value * power_of_two(4 * regime + exponent);
}

const Rational& spec_value(std::uint64_t code, int n) {
  static std::map<std::pair<int, std::uint64_t>, Rational> known;
  if (n > 16 && known.size() > 200000) known.clear();
  const auto [place, added] = known.try_emplace({n, code});
  if (added) place->second = value_of_bits(code, n);
  return place->second;
}

// The nearest posit of a positive number that is known by comparison: compare(v) is the sign of z - v.
Code spec_round(const std::function<int(const Rational&)>& compare, int n) {
  std::uint64_t low = 1, high = (std::uint64_t{1} << (n - 1)) - 1;  // z in [value(low), value(high)] or clamped
  if (compare(spec_value(low, n)) <= 0) return static_cast<Code>(low);
  if (compare(spec_value(high, n)) >= 0) return static_cast<Code>(high);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (compare(spec_value(middle, n)) >= 0 ? low : high) = middle;
  }
  const int side = compare(spec_value(2 * low + 1, n + 1));
  return static_cast<Code>(side < 0 || (side == 0 && low % 2 == 0) ? low : high);
}

Code spec_round(const Rational& z, int n) {
  if (z.is_zero()) return 0;
  const Rational magnitude = abs(z);
  const Code code = spec_round([&](const Rational& v) { return magnitude.compare(v); }, n);
  return z < 0 ? -code : code;
}

Rational spec_signed(Code code, int n) {
  if (code == 0) return 0;
  return code < 0 ? Rational(-spec_value(static_cast<std::uint64_t>(-code), n))
                  : spec_value(static_cast<std::uint64_t>(code), n);
}

Code spec_sqrt(Code a, int n) {
  if (a < 0) return posit::not_a_real(n);
  if (a == 0) return 0;
  const Rational x = spec_signed(a, n);
  return spec_round([&](const Rational& v) { return x.compare(Rational(v * v)); }, n);
}

long long checked = 0;

// Samples of one width or quire; the variable multiplies them.
int samples(int normally) {
  const char* factor = std::getenv("OUTWARD_FORMAT_SAMPLES");
  return factor ? normally * std::atoi(factor) : normally;
}

void check_pair(Code a, Code b, int n) {
  const Code nar = posit::not_a_real(n);
  const bool none = a == nar || b == nar;
  const Rational x = none ? Rational(0) : spec_signed(a, n), y = none ? Rational(0) : spec_signed(b, n);
  bool good = posit::add(a, b, n) == (none ? nar : spec_round(x + y, n));
  good &= posit::subtract(a, b, n) == (none ? nar : spec_round(x - y, n));
  good &= posit::multiply(a, b, n) == (none ? nar : spec_round(x * y, n));
  good &= posit::divide(a, b, n) == (none || b == 0 ? nar : spec_round(Rational(x / y), n));
  checked += 4;
  CHECK_MESSAGE(good, "operands ", a, " ", b, " width ", n);
}

void check_one(Code a, int n) {
  const Code nar = posit::not_a_real(n);
  bool good = posit::square_root(a, n) == spec_sqrt(a, n);
  good &= posit::code_of_bits(posit::bits_of_code(a, n), n) == a;
  ++checked;
  if (a != nar) {
    const Rational x = spec_signed(a, n);
    good &= posit::to_rational(a, n) == x && posit::from_rational(x, n) == a;
    good &= posit::round_down(x, n) == a && posit::round_up(x, n) == a;
    const int wider = std::min(n + 1, posit::max_width), narrower = std::max(n - 1, posit::min_width);
    good &=
        posit::resize(a, n, wider) == spec_round(x, wider) && posit::resize(a, n, narrower) == spec_round(x, narrower);
  }
  CHECK_MESSAGE(good, "operand ", a, " width ", n);
}

void check_fma(Code a, Code b, Code c, int n) {
  const Code nar = posit::not_a_real(n);
  const bool none = a == nar || b == nar || c == nar;
  const Code want = none ? nar : spec_round(Rational(spec_signed(a, n) * spec_signed(b, n) + spec_signed(c, n)), n);
  ++checked;
  CHECK_MESSAGE(posit::fused_multiply_add(a, b, c, n) == want, "operands ", a, " ", b, " ", c, " width ", n);
}

}  // namespace

TEST_CASE("posits to 8 bits equal the definition, all operands") {
  for (int n = 3; n <= 8; ++n) {
    const Code end = Code{1} << (n - 1);
    for (Code a = -end; a < end; ++a) {
      check_one(a, n);
      for (Code b = -end; b < end; ++b) {
        check_pair(a, b, n);
        if (n <= 5)
          for (Code c = -end; c < end; ++c) check_fma(a, b, c, n);
      }
    }
  }
  std::cout << "posits of 3 to 8 bits: " << checked << " results equal to the definition\n";
}

TEST_CASE("wider posits equal the definition, samples") {
  std::mt19937_64 random(20221);
  checked = 0;
  for (const int n : {8, 9, 10, 13, 16, 24, 32, 33, 48, 63, 64}) {
    const auto draw = [&] {
      // Short runs and long ones: a random number of leading bits is set alike.
      std::uint64_t bits = random();
      const int run = static_cast<int>(random() % static_cast<unsigned>(n));
      if (random() % 2) bits = random() % 2 ? bits | ~std::uint64_t{0} << (64 - run / 2 - 1) : bits >> (run / 2 + 1);
      return static_cast<Code>(bits) >> (64 - n);
    };
    for (int i = 0; i < samples(250); ++i) {
      const Code a = draw(), b = draw(), c = draw();
      check_one(a, n);
      check_pair(a, b, n);
      check_pair(a, a == posit::greatest(n) ? a : a + static_cast<Code>(i % 2), n);
      check_fma(a, b, c, n);
      if (a != posit::not_a_real(n) && b != posit::not_a_real(n))
        check_fma(a, b, posit::negate(posit::multiply(a, b, n), n), n);
    }
  }
  std::cout << "posits of 8 to 64 bits: " << checked << " sampled results equal to the definition\n";
}

TEST_CASE("sums of posits of up to 32 bits: all sizes, sums that cancel but for a few units, long regimes") {
  std::mt19937_64 random(20222);
  long wrong = 0;
  for (int i = 0; i < 200'000; ++i) {
    const int n = 3 + static_cast<int>(random() % 30);
    std::uint64_t a = random(), b = random();
    switch (random() % 5) {
      case 0:
        b = a + random() % 9 - 4;
        break;
      case 1:
        b = 4 - a - random() % 9;
        break;
      case 2:
        b = a >> random() % static_cast<unsigned>(n);
        break;
      case 3:
        a = (std::uint64_t{1} << random() % static_cast<unsigned>(n)) - 1 + random() % 3;
        break;
      default:
        break;
    }
    const Code x = posit::code_of_bits(a, n), y = posit::code_of_bits(b, n);
    if (x == posit::not_a_real(n) || y == posit::not_a_real(n)) continue;
    const Rational sum = posit::to_rational(x, n) + posit::to_rational(y, n);
    wrong += posit::add(x, y, n) == posit::from_rational(sum, n) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("what the standard says about posits in words") {
  CHECK(posit::to_rational(0x7f, 8) == power_of_two(24));
  CHECK(posit::to_rational(0x7e, 8) == power_of_two(20));
  CHECK(posit::from_rational(power_of_two(22), 8) == 0x7e);  // the boundary is 2^22, not the middle; ties to even
  CHECK(posit::from_rational(power_of_two(22) + 1, 8) == 0x7f);
  CHECK(posit::from_rational(power_of_two(1000), 16) == posit::greatest(16));
  CHECK(posit::from_rational(power_of_two(-1000), 16) == 1);
  CHECK(posit::from_rational(-power_of_two(-1000), 16) == -1);
  CHECK(posit::divide(64, 0, 8) == posit::not_a_real(8));
  CHECK(posit::divide(0, 0, 8) == posit::not_a_real(8));
  CHECK(posit::negate(posit::not_a_real(8), 8) == posit::not_a_real(8));
  CHECK(posit::from_integer(1, 32) == 0x40000000);
  CHECK(posit::to_integer(posit::from_integer(-77, 32), 32, 8, true) == Integer(-77));
  CHECK(posit::to_integer(posit::from_integer(128, 32), 32, 8, true) == std::nullopt);
  CHECK(posit::to_integer(posit::from_rational(Rational(5, 2), 32), 32, 8, false) == Integer(2));
  CHECK(posit::to_integer(posit::from_integer(-1, 32), 32, 8, false) == std::nullopt);
  CHECK(posit::to_integer(posit::not_a_real(32), 32, 64, true) == std::nullopt);
  CHECK(posit::nearest_integer(posit::from_rational(Rational(7, 2), 16), 16) == posit::from_integer(4, 16));
}

TEST_CASE("end points of enclosures in posits") {
  CHECK(posit::round_up(power_of_two(24), 8) == posit::Code{0x7f});
  CHECK(posit::round_up(power_of_two(24) + 1, 8) == std::nullopt);
  CHECK(posit::round_down(power_of_two(24) + 1, 8) == std::nullopt);
  CHECK(posit::round_down(Rational(-(power_of_two(24) + 1)), 8) == std::nullopt);
  CHECK(posit::round_down(power_of_two(-100), 8) == posit::Code{0});
  CHECK(posit::round_up(power_of_two(-100), 8) == posit::Code{1});
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    const Rational z(static_cast<int>(random() % 20001) - 10000, static_cast<int>(random() % 999) + 1);
    const auto lower = posit::round_down(z, 12), upper = posit::round_up(z, 12);
    REQUIRE((lower && upper));
    CHECK(spec_signed(*lower, 12) <= z);
    CHECK(z <= spec_signed(*upper, 12));
    CHECK((*lower == *upper || *lower + 1 == *upper));
  }
}

TEST_CASE("the quire adds products exactly and rounds once") {
  std::mt19937_64 random(7);
  for (const int n : {8, 16, 32, 64}) {
    for (int round = 0; round < samples(20); ++round) {
      posit::Quire quire(n);
      Rational exact = 0;
      for (int i = 0; i < 20; ++i) {
        const Code a = static_cast<Code>(random()) >> (64 - n), b = static_cast<Code>(random()) >> (64 - n);
        if (a == posit::not_a_real(n) || b == posit::not_a_real(n)) continue;
        const Rational product = spec_signed(a, n) * spec_signed(b, n);
        if (i % 3 == 0) {
          quire.subtract_product(a, b);
          exact -= product;
        } else {
          quire.add_product(a, b);
          exact += product;
        }
        if (i % 5 == 0) {
          quire.add(b);
          exact += spec_signed(b, n);
        }
      }
      CHECK(quire.value() == exact);
      CHECK(quire.to_posit() == spec_round(exact, n));
    }
  }
  posit::Quire least(8);
  least.add_product(1, 1);  // minPos^2 is the unit
  CHECK(least.bits() == 1);
  least.subtract_product(1, 1);
  CHECK(least.bits() == 0);
  least.subtract_product(1, 1);
  CHECK(least.bits() == (Integer(1) << 128) - 1);
  posit::Quire nar(8);
  nar.add(posit::not_a_real(8));
  nar.add_product(64, 64);
  CHECK(nar.is_nar());
  CHECK(nar.to_posit() == posit::not_a_real(8));
  CHECK(nar.bits() == Integer(1) << 127);
  // 2^7 products of maxPos are far from the 31 carry bits.
  posit::Quire many(8);
  for (int i = 0; i < 128; ++i) many.add_product(127, 127);
  CHECK(many.value() == power_of_two(48 + 7));
  CHECK(posit::dot({64, 127}, {127, -64}, 8) == 0);
}
