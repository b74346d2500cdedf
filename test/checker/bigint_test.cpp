// BigInt and Fraction against 128-bit machine integers and against identities on long random numbers.
#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "checker/kernel/fraction.hpp"

using outward_check::BigInt;
using outward_check::Fraction;

namespace {

using Wide = __int128;

BigInt from_wide(Wide value) {
  const bool negative = value < 0;
  const unsigned __int128 m = negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  const std::uint64_t limbs[] = {static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(m >> 64)};
  return negative ? -BigInt::load(limbs, 2) : BigInt::load(limbs, 2);
}

// Random numbers of up to `limbs` limbs, with runs of zero and one bits, of either sign.
struct Numbers {
  std::mt19937_64 random{20240607};
  BigInt next(unsigned limbs) {
    BigInt r;
    for (std::uint64_t i = random() % (limbs + 1); i != 0; --i) {
      const std::uint64_t kind = random() % 4, word = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : random();
      r = (r << 64) + BigInt::load(&word, 1);
    }
    r = r >> (random() % 64);
    return random() % 2 == 0 ? r : -r;
  }
  std::int64_t word() {
    const std::int64_t edges[] = {0, 1, -1, std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max()};
    return random() % 8 == 0 ? edges[random() % 5] : static_cast<std::int64_t>(random()) >> (random() % 63);
  }
};

BigInt magnitude(const BigInt& a) { return a.sign() < 0 ? -a : a; }

}  // namespace

TEST_CASE("arithmetic agrees with 128-bit integers") {
  Numbers numbers;
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t x = numbers.word(), y = numbers.word();
    const BigInt a = x, b = y;
    REQUIRE(a + b == from_wide(static_cast<Wide>(x) + y));
    REQUIRE(a - b == from_wide(static_cast<Wide>(x) - y));
    REQUIRE(a * b == from_wide(static_cast<Wide>(x) * y));
    REQUIRE((a <=> b) == (x <=> y));
    const unsigned shift = static_cast<unsigned>(numbers.random() % 100);
    REQUIRE((a >> shift) == BigInt(shift < 64 ? x >> shift : x < 0 ? -1 : 0));
    REQUIRE((a << (shift % 63)) == from_wide(static_cast<Wide>(x) * (static_cast<Wide>(1) << (shift % 63))));
    std::int64_t back = 1;
    REQUIRE(a.fits_int64(&back));
    REQUIRE(back == x);
    if (y > 0) {
      BigInt q, r;
      BigInt::divide_floor(a, b, &q, &r);
      const std::int64_t floor = x / y - (x % y < 0);
      REQUIRE(q == BigInt(floor));
      REQUIRE(r == from_wide(x - static_cast<Wide>(floor) * y));
    }
  }
}

TEST_CASE("long numbers satisfy the identities of integers") {
  Numbers numbers;
  for (int i = 0; i < 20000; ++i) {
    const BigInt a = numbers.next(9), b = numbers.next(i % 3 == 0 ? 3 : 9), c = numbers.next(5);
    REQUIRE((a + b) * c == a * c + b * c);
    REQUIRE(a - b == -(b - a));
    REQUIRE((a + b) - b == a);
    BigInt sum = a;
    sum += b;
    REQUIRE(sum == a + b);
    sum -= b;
    REQUIRE(sum == a);
    sum += sum;
    REQUIRE(sum == a << 1);
    sum -= sum;
    REQUIRE(sum.sign() == 0);
    REQUIRE(BigInt::from_decimal(magnitude(a).decimal()) == magnitude(a));
    const BigInt root = BigInt::isqrt(magnitude(a));
    REQUIRE(root * root <= magnitude(a));
    REQUIRE(magnitude(a) < (root + 1) * (root + 1));
    REQUIRE(BigInt::isqrt(a * a) == magnitude(a));
    const std::uint64_t shift = numbers.random() % 300;
    BigInt q, r;
    BigInt::divide_floor(a, BigInt(1) << shift, &q, &r);
    REQUIRE((a >> shift) == q);
    REQUIRE((q << shift) + r == a);
    if (b.sign() == 0) continue;
    const BigInt d = magnitude(b);
    BigInt::divide_floor(a, d, &q, &r);
    REQUIRE(q * d + r == a);
    REQUIRE(r.sign() >= 0);
    REQUIRE(r < d);
    BigInt::divide_floor(a * d, d, &q, &r);
    REQUIRE(q == a);
    REQUIRE(r.sign() == 0);
  }
}

TEST_CASE("gcd divides both and leaves coprime quotients") {
  Numbers numbers;
  for (int i = 0; i < 2000; ++i) {
    const BigInt c = numbers.next(3), a = numbers.next(6) * c, b = numbers.next(i % 2 == 0 ? 6 : 1) * c;
    const BigInt g = BigInt::gcd(a, b);
    if (a.sign() == 0 && b.sign() == 0) {
      REQUIRE(g.sign() == 0);
      continue;
    }
    BigInt qa, qb, r;
    BigInt::divide_floor(a, g, &qa, &r);
    REQUIRE(r.sign() == 0);
    BigInt::divide_floor(b, g, &qb, &r);
    REQUIRE(r.sign() == 0);
    REQUIRE(BigInt::gcd(qa, qb) == BigInt(1));
  }
  CHECK(BigInt::gcd(0, -6) == BigInt(6));
  CHECK(BigInt::gcd(48, 36) == BigInt(12));
}

TEST_CASE("the quotient digit that is guessed two too large is corrected") {
  // Dividends and divisors of the form 2^a - 2^b + small are the hard ones of algorithm D.
  for (unsigned top = 100; top < 330; top += 23) {
    for (unsigned low = 1; low < top; low += 17) {
      for (int small = -2; small <= 2; ++small) {
        const BigInt d = (BigInt(1) << top) - (BigInt(1) << low) + small;
        for (unsigned more = 0; more < 200; more += 31) {
          const BigInt a = (BigInt(1) << (top + more)) - small - 1;
          BigInt q, r;
          BigInt::divide_floor(a, d, &q, &r);
          REQUIRE(q * d + r == a);
          REQUIRE(r.sign() >= 0);
          REQUIRE(r < d);
        }
      }
    }
  }
}

TEST_CASE("lengths, parity, zeros and texts") {
  CHECK(BigInt().bits() == 0);
  CHECK(BigInt().trailing_zeros() == 0);
  CHECK(BigInt(-8).bits() == 4);
  CHECK((BigInt(3) << 200).trailing_zeros() == 200);
  CHECK((BigInt(3) << 200).bits() == 202);
  CHECK_FALSE((BigInt(1) << 64).is_odd());
  CHECK(((BigInt(1) << 64) + 1).is_odd());
  std::int64_t out = 0;
  CHECK_FALSE((BigInt(1) << 63).fits_int64(&out));
  CHECK((-(BigInt(1) << 63)).fits_int64(&out));
  CHECK(out == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE((-(BigInt(1) << 63) - 1).fits_int64(&out));
  CHECK(BigInt::power_of_ten(25).decimal() == "10000000000000000000000000");
  CHECK((-BigInt::power_of_ten(19)).decimal() == "-10000000000000000000");
  CHECK(BigInt::from_decimal("000").decimal() == "0");
  CHECK((BigInt(-1) >> 1000) == BigInt(-1));
  CHECK(BigInt::isqrt(BigInt::power_of_ten(200)) == BigInt::power_of_ten(100));
  CHECK(BigInt::isqrt(BigInt::power_of_ten(200) - 1) == BigInt::power_of_ten(100) - 1);
}

TEST_CASE("copies and moves keep numbers apart") {
  BigInt a = BigInt(1) << 500, b = a, c = 7;
  b += 1;
  CHECK(b - a == BigInt(1));
  c = a;
  a = 5;
  CHECK(c.bits() == 501);
  c = std::move(b);
  CHECK(c.is_odd());
  b = 3;
  CHECK(b == BigInt(3));
  c = *&c;
  CHECK(c.is_odd());
}

TEST_CASE("fractions are reduced and ordered") {
  CHECK(Fraction(6, -4).text() == "-3/2");
  CHECK(Fraction(0, -7).text() == "0");
  CHECK((Fraction(1, 3) + Fraction(1, 6)).text() == "1/2");
  CHECK((Fraction(1, 3) - Fraction(1, 3)).text() == "0");
  CHECK((Fraction(2, 3) * Fraction(3, 4)).text() == "1/2");
  CHECK((Fraction(2, 3) / Fraction(-4, 9)).text() == "-3/2");
  CHECK(Fraction(-1, 2) < Fraction(1, 3));
  CHECK(Fraction::from_double(0.1).text() == "3602879701896397/36028797018963968");
  CHECK(Fraction::from_double(-3.0).text() == "-3");
  CHECK(Fraction::from_double(5e-324) == Fraction(1, BigInt(1) << 1074));
  CHECK(Fraction::from_double(1.7976931348623157e308).denominator() == BigInt(1));
  Numbers numbers;
  for (int i = 0; i < 2000; ++i) {
    const Fraction a(numbers.next(3), magnitude(numbers.next(3)) + 1),
        b(numbers.next(3), magnitude(numbers.next(2)) + 1);
    REQUIRE((a + b) - b == a);
    REQUIRE(BigInt::gcd(a.numerator(), a.denominator()) == BigInt(1));
    REQUIRE(Fraction::compare(a, b) == (a - b).sign());
    if (b.sign() != 0) REQUIRE(a * b / b == a);
  }
}
