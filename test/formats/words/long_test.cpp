// Long words: rows, products, quotients and roots on spans of words against the library behind Integer, and the long
// arithmetic against the generic functions, on operands made to hit every branch: long runs of ones and zeros, exact
// results, ties, cancellation, and gaps between exponents from none to 2^30.
#include <algorithm>
#include <string>
#include <vector>

#include "formats/words/long_arithmetic.hpp"
#include "formats/words/long_division.hpp"
#include "formats/words/long_root.hpp"
#include "test/formats/words/fast_paths.hpp"

using namespace outward;
using namespace fast_paths;

namespace {

using Random = std::mt19937_64;
using words::Word;

// Bits in runs of random lengths, or random ones.
Integer runs(Random& random, std::size_t bits) {
  if (random() % 3 == 0) return random_codes::random_bits(random, static_cast<int>(bits));
  Integer x = 0;
  const std::size_t longest = 1 + random() % (2 * bits + 2);
  bool ones = random() % 2 == 0;
  for (std::size_t have = 0; have < bits; ones = !ones) {
    const auto run = static_cast<unsigned>(std::min(bits - have, 1 + random() % longest));
    x <<= run;
    if (ones) x |= (Integer(1) << run) - 1;
    have += run;
  }
  return x;
}

std::vector<Word> words_of(const Integer& x, std::size_t n) {
  std::vector<Word> out(n);
  std::copy(x.backend().limbs(), x.backend().limbs() + std::min<std::size_t>(n, x.backend().size()), out.begin());
  return out;
}

Integer integer_of(const std::vector<Word>& words) {
  Integer x = 0;
  for (std::size_t i = words.size(); i-- > 0;) x = (x << 64) | words[i];
  return x;
}

Integer power(std::size_t bits) { return Integer(1) << static_cast<unsigned>(bits); }

// `bits` bits, the top one set.
Integer normalised(Random& random, std::size_t bits) { return runs(random, bits - 1) | power(bits - 1); }

}  // namespace

TEST_CASE("sums, shifts and rows of words") {
  Random random(1);
  long wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t n = random() % 40;
    const Integer a = n == 0 ? 0 : runs(random, 64 * n), b = n == 0 ? 0 : runs(random, 64 * n);
    const Word factor = i % 3 == 0 ? ~Word{0} : random();
    std::vector<Word> x = words_of(a, n), y = words_of(b, n), r(n), s(n);
    const Word carry = words::add(r.data(), x.data(), y.data(), n);
    wrong += integer_of(r) + carry * power(64 * n) == a + b ? 0 : 1;
    const Word borrow = words::subtract(s.data(), r.data(), y.data(), n);
    wrong += s == x && borrow == carry ? 0 : 1;
    const int bits = static_cast<int>(random() % 64);
    const Word out = words::shift_left(s.data(), x.data(), n, bits);
    wrong += integer_of(s) + out * power(64 * n) == a << bits ? 0 : 1;
    words::shift_right(s.data(), s.data(), n, bits, bits == 0 ? 0 : out << (64 - bits));
    wrong += s == x ? 0 : 1;
    wrong += words::compare(x.data(), y.data(), n) == a.compare(b) ? 0 : 1;
    if (n != 0) {
      const std::size_t below = random() % (64 * n);
      wrong += words::any_below(x.data(), below) == ((a & (power(below) - 1)) != 0) ? 0 : 1;
    }
    std::vector<Word> portable = y;
    const Word over = words::add_product_portable(portable.data(), x.data(), n, factor);
    wrong += integer_of(portable) + over * power(64 * n) == b + a * factor ? 0 : 1;
    if (words::has_two_carries()) {
      const Word same = words::add_product_two_carries(y.data(), x.data(), n, factor);
      wrong += y == portable && same == over ? 0 : 1;
    }
  }
  if (!words::has_two_carries()) MESSAGE("SKIPPED: rows with two carries (no ADX and BMI2 here)");
  CHECK(wrong == 0);
}

TEST_CASE("products of any length") {
  Random random(2);
  long wrong = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t n = 1 + random() % (i % 10 == 0 ? 300 : 140);
    const Integer a = runs(random, 64 * n), b = i % 7 == 0 ? a : runs(random, 64 * n);
    const std::vector<Word> x = words_of(a, n), y = words_of(b, n);
    std::vector<Word> r(2 * n, 7), scratch(words::product_scratch(n) + 1, 7);
    words::multiply(r.data(), x.data(), y.data(), n, scratch.data());
    wrong += integer_of(r) == a * b && scratch.back() == 7 ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("quotients of words, and those that half of the work decides") {
  Random random(3);
  long wrong = 0, decided = 0, exact_ones = 0, random_ones = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::size_t n = 1 + random() % 70, m = n + random() % 70;
    const Integer v = normalised(random, 64 * n);
    const std::vector<Word> divisor = words_of(v, n);
    // A quotient of runs and a rest of runs, or one at either end.
    const Integer q = m == n ? 0 : runs(random, 64 * (m - n));
    const Integer rest = i % 4 == 0 ? Integer(0) : i % 4 == 1 ? Integer(v - 1) : Integer(runs(random, 64 * n) % v);
    std::vector<Word> u = words_of(q * v + rest, m), quotient(m - n);
    words::divide(u.data(), m, divisor.data(), n, quotient.data());
    wrong += integer_of(quotient) == q && integer_of(u) == rest ? 0 : 1;
    // Half of the time a is made from a quotient: exact, or as near to it as can be.
    const bool made = random() % 2 == 0;
    const Integer base = power(64 * n), near = runs(random, 64 * n);
    Integer a = made ? Integer(near * v / base) : Integer(runs(random, 64 * n) % v);
    if (made && i % 2 == 0) a = (v >> 64) * random() >> 64;
    if (i % 50 == 0) a = 0;
    const Integer true_quotient = a * base / v;
    const bool exact = true_quotient * v == a * base;
    std::vector<Word> short_quotient(n), work(n + 3, 7);
    const std::vector<Word> dividend = words_of(a, n);
    if (words::short_quotient(dividend.data(), divisor.data(), n, short_quotient.data(), work.data())) {
      ++decided;
      wrong += integer_of(short_quotient) == true_quotient && !exact ? 0 : 1;
    }
    wrong += work.back() == 7 ? 0 : 1;
    exact_ones += exact ? 1 : 0;
    random_ones += made ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(exact_ones > 100);
  CHECK(2 * decided > random_ones);
}

TEST_CASE("roots of words, at and around squares") {
  Random random(4);
  long wrong = 0, above = 0, larger = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::size_t n = 1 + random() % 70;
    const Integer s = normalised(random, 64 * n);
    Integer x = i % 5 == 0 ? normalised(random, 128 * n) : Integer(s * s);
    if (i % 5 == 1) x += 2 * s;
    if (i % 5 == 2) x += runs(random, 64 * n) % (2 * s + 1);
    if (i % 5 == 3 && msb(x - 1) >= 128 * n - 2) x -= 1;
    std::vector<Word> radicand = words_of(x, 2 * n), root(n), nearly(n), scratch(words::root_scratch(n) + 1, 7);
    words::square_root_nearly(nearly.data(), radicand.data(), n, scratch.data());
    radicand = words_of(x, 2 * n);
    const Word over = words::square_root(root.data(), radicand.data(), n, scratch.data());
    radicand.resize(n);
    const Integer r = integer_of(root), rest = integer_of(radicand) + over * power(64 * n);
    wrong += r * r + rest == x && rest <= 2 * r && scratch.back() == 7 ? 0 : 1;
    const Integer more = integer_of(nearly) - r;
    wrong += more == 0 || more == 1 ? 0 : 1;
    larger += more == 1 ? 1 : 0;
    above += static_cast<long>(over);
  }
  CHECK(wrong == 0);
  CHECK(above > 100);
  CHECK(larger > 100);
}

TEST_CASE("long division: dividend and rest, words of all ones and all zeros among them") {
  std::mt19937_64 random(2048);
  const auto number = [&] {
    const auto bits = 1 + random() % 2000, kind = random() % 3;
    Integer x = 0;
    for (std::uint64_t b = 0; b < bits; b += 64) {
      const std::uint64_t special = random() % 2 == 0 ? ~std::uint64_t{0} : 0;
      x = (x << 64) | (kind == 1 && random() % 3 != 0 ? special : random());
    }
    return x;
  };
  long wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    Integer divisor = number(), dividend = number(), quotient, rest;
    if (divisor.is_zero()) divisor = 1;
    if (i % 4 == 0) dividend = divisor * number() + (i % 8 == 0 ? Integer(divisor - 1) : Integer(0));
    divide_long(dividend, divisor, quotient, rest);
    wrong += quotient * divisor + rest == dividend && rest >= 0 && rest < divisor ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("square roots of integers of any length, at and around squares") {
  std::mt19937_64 random(1024);
  long exact_ones = 0;
  for (int i = 0; i < 6000; ++i) {
    const unsigned bits = 1 + static_cast<unsigned>(random() % 1200);
    Integer x = 0;
    for (unsigned b = 0; b < bits; b += 64) x = (x << 64) | random();
    x &= (Integer(1) << bits) - 1;
    const Integer part = (x >> (bits / 2)) + 1;
    const auto kind = random() % 5;
    if (kind == 1) x = part * part;
    if (kind == 2) x = part * part + 2 * part;
    if (kind == 3) x = part * part - 1;
    bool exact = false;
    const Integer root = integer_square_root(x, exact);
    CHECK(root * root <= x);
    CHECK((root + 1) * (root + 1) > x);
    CHECK(exact == (root * root == x));
    exact_ones += exact ? 1 : 0;
  }
  CHECK(exact_ones > 1000);
}

namespace {

// Operands of one format, near to each other and to what makes rounding hard.
class Operands {
 public:
  Operands(const Format& format, Random& random) : format_(format), random_(random) {}

  std::array<Value, 3> triple() {
    std::array<Value, 3> x{number(exponent()), number(exponent()), number(exponent())};
    const auto p = static_cast<std::size_t>(format_.precision());
    switch (random_() % 8) {
      case 0:  // sums that cancel but for a few units
        x[1] = moved(x[0], 0, below(5) - 2);
        break;
      case 1:  // ties of sums: a few bits half a unit below
        x[1] = rounded(1 + below(3), floor(x[0]) - static_cast<std::int64_t>(p) - below(2));
        break;
      case 2:  // exact products and products that are ties; their opposites as addends
        x[0] = rounded(runs(random_, 1 + p / 2) | 1, below(40) - 20);
        x[1] = rounded(runs(random_, p + 1 - p / 2) | 1, below(40) - 20);
        x[2] = moved(x[0], floor(x[1]), below(5) - 2);
        break;
      case 3: {  // the addend is the rounded product, or a few units or bits off: nearly everything cancels
        Flags flags;
        x[2] = multiply(format_, x[0], x[1], Rounding::nearest_even, flags);
        if (x[2].kind == ValueKind::finite) x[2] = moved(x[2], random_() % 3 == 0 ? below(9) - 4 : 0, below(5) - 2);
        x[2].negative = x[2].kind != ValueKind::quiet_nan && !x[2].negative && format_.has_negative_zero();
        break;
      }
      case 4:  // exact quotients: the dividend is the divisor times a short number
        x[1] = rounded(runs(random_, 1 + p / 2) | 1, below(40) - 20);
        x[0] = rounded(Integer(x[1].kind == ValueKind::finite ? x[1].significand : Integer(1)) *
                           (runs(random_, 1 + (p - 1) / 2) | 1),
                       below(40) - 20);
        break;
      case 5: {  // exact squares, and their neighbours
        const Integer root = runs(random_, std::max<std::size_t>(1, p / 2)) | 1;
        x[0] = moved(rounded(root * root, 2 * below(20) - 20), 0, below(3) - 1);
        x[0].negative = false;
        break;
      }
      case 6:  // gaps of exponents around the precision and beyond twice of it
        x[1] = number(floor(x[0]) - below(3 * format_.precision() + 10));
        x[2] = number(floor(x[0]) + floor(x[1]) - below(4 * format_.precision() + 10));
        break;
      default:
        break;
    }
    if (random_() % 4 == 0) std::swap(x[0], x[1]);
    return x;
  }

 private:
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  std::int64_t floor(const Value& x) { return x.kind == ValueKind::finite ? floor_log2(x) : 0; }

  std::int64_t exponent() {
    const std::int64_t least = format_.least_exponent(), greatest = format_.greatest_exponent();
    switch (random_() % 6) {
      case 0:
        return least - below(format_.precision() + 2);
      case 1:
        return greatest - below(3);
      case 2:
        return least + below(3);
      case 3:  // anywhere: gaps of up to 2^30
        return least + below(greatest - least + 1);
      default:
        return below(20) - 10;
    }
  }

  // The value of the format next to it, of random sign.
  Value rounded(const Integer& significand, std::int64_t exponent) {
    Flags flags;
    return round(format_, Exact{random_() % 2 == 0, significand, exponent, false}, Rounding::toward_zero, flags);
  }

  Value number(std::int64_t exponent) {
    const auto p = static_cast<std::size_t>(format_.precision());
    return rounded(normalised(random_, p), exponent - static_cast<std::int64_t>(p) + 1);
  }

  // x * 2^by and a few units more, of random sign.
  Value moved(const Value& x, std::int64_t by, std::int64_t units) {
    if (x.kind != ValueKind::finite) return x;
    const auto longer =
        std::max<std::int64_t>(0, format_.precision() - 1 - static_cast<std::int64_t>(msb(x.significand)));
    return rounded(abs(Integer((x.significand << static_cast<unsigned>(longer)) + units)), x.exponent - longer + by);
  }

  const Format& format_;
  Random& random_;
};

void compare_operands(const Format& format, int rounds, Random& random, Counts& counts) {
  const LongArithmetic arithmetic(format);
  Operands operands(format, random);
  for (int i = 0; i < rounds; ++i) compare_values(arithmetic, operands.triple(), counts);
}

}  // namespace

TEST_CASE("long words equal the generic path") {
  Random random(4096);
  Counts counts;
  for (const char* name : {"binary(30,4096)", "binary(30,4096,fn)", "binary(20,1024)", "binary(11,4030,saturate)"}) {
    compare_codes<LongArithmetic>(parse_format(name), 40, random, counts);
    compare_operands(parse_format(name), 120, random, counts);
  }
  // Every distance of the last bit of the precision from the end of its word, small formats too.
  for (int f = 1; f <= 4096; f += f < 400 ? 1 : 1 + static_cast<int>(random() % 60)) {
    const int e = 2 + static_cast<int>(random() % 29);
    const auto convention = static_cast<Convention>(random() % 4);
    const Format format{e, f, default_bias(e, convention), convention, random() % 5 == 0, random() % 5 == 0};
    compare_codes<LongArithmetic>(format, 4, random, counts);
    compare_operands(format, 16, random, counts);
  }
  MESSAGE("long words: " << counts.compared << " results, " << counts.wrong << " wrong");
  CHECK(counts.compared > 100'000);
  CHECK(counts.wrong == 0);
  CHECK_THROWS(LongArithmetic(Format{11, 64 * 65, 1023}));
}
