// Every fast path equals the generic one: word formats, tables, fixed numbers of words, the hardware. binary16 and
// bfloat16 in addition against the processor's binary64 arithmetic, rounded once more by a few lines of this file.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "formats/error.hpp"
#include "formats/words/word_format.hpp"
#include "test/formats/half_oracle.hpp"
#include "test/formats/words/fast_paths.hpp"

using namespace outward;
using namespace fast_paths;

namespace {

void compare_words(const Format& format, int rounds, std::mt19937_64& random, Counts& counts) {
  const WordFormat words(format);
  const bool all = rounds == 0;
  const int codes = all ? 1 << format.width() : 0;
  const long count = all ? static_cast<long>(codes) * codes : rounds;
  for (long i = 0; i < count; ++i) {
    std::array<Integer, 3> code =
        all ? std::array<Integer, 3>{i / codes, i % codes, random() % static_cast<unsigned>(codes)}
            : random_triple(random, format);
    std::array<Value, 3> x;
    std::array<std::uint64_t, 3> y{};
    for (std::size_t k = 0; k < 3; ++k) {
      x[k] = decode(format, code[k]);
      y[k] = static_cast<std::uint64_t>(code[k]);
    }
    for (int operation = 0; operation < 6; ++operation) {
      for (Rounding rounding : all_roundings) {
        if (all && operation != 4 && rounding == Rounding::to_odd) continue;
        Flags one, two;
        const Integer expected = encode(format, generic(operation, format, x, rounding, one));
        const std::uint64_t computed = fast(words, operation, y, rounding, two);
        counts.compare(expected == computed && one == two, format, operation, rounding);
      }
    }
  }
}

}  // namespace

TEST_CASE("formats of one machine word equal the generic path") {
  std::mt19937_64 random(64);
  Counts counts;
  for (const char* name : {"e4m3fn", "e5m2", "e4m3fnuz", "e2m1", "e8m0"})
    compare_words(parse_format(name), 0, random, counts);
  for (const char* name : {"binary16", "bfloat16", "tf32", "binary32", "binary64", "e5m2(saturate)", "e3m4(flush)"})
    compare_words(parse_format(name), 6000, random, counts);
  for (int i = 0; i < 60; ++i) {
    const int e = 2 + static_cast<int>(random() % 29),
              f = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(61, 63 - e)));
    const auto convention = static_cast<Convention>(random() % 4);
    compare_words({e, f, default_bias(e, convention), convention}, 200, random, counts);
  }
  for (int i = 0; i < 40; ++i) {  // what binary64 serves: up to 25 bits of precision, any bias
    const int e = 3 + static_cast<int>(random() % 7), f = 1 + static_cast<int>(random() % 24);
    const auto convention = static_cast<Convention>(random() % 4);
    const int bias = 1 + static_cast<int>(random() % ((1U << e) - 2));
    compare_words({e, f, bias, convention}, 200, random, counts);
  }
  MESSAGE("one word: " << counts.compared << " results, " << counts.wrong << " wrong");
  CHECK(counts.wrong == 0);
}

TEST_CASE("fixed numbers of words equal the generic path") {
  std::mt19937_64 random(256);
  Counts counts;
  compare_codes<FixedArithmetic<1>>(parse_format("binary64"), 3000, random, counts);
  compare_codes<FixedArithmetic<2>>(parse_format("binary64"), 1000, random, counts);
  compare_codes<FixedArithmetic<2>>(parse_format("binary128"), 5000, random, counts);
  compare_codes<FixedArithmetic<4>>(parse_format("binary256"), 5000, random, counts);
  compare_codes<FixedArithmetic<4>>(parse_format("binary(15,200)"), 3000, random, counts);
  for (int i = 0; i < 60; ++i) {
    const int e = 2 + static_cast<int>(random() % 29);
    const auto convention = static_cast<Convention>(random() % 4);
    const auto format = [&](unsigned most) {
      return Format{e, 1 + static_cast<int>(random() % most), default_bias(e, convention), convention};
    };
    compare_codes<FixedArithmetic<1>>(format(61), 100, random, counts);
    compare_codes<FixedArithmetic<2>>(format(125), 100, random, counts);
    compare_codes<FixedArithmetic<4>>(format(253), 100, random, counts);
  }
  MESSAGE("fixed words: " << counts.compared << " results, " << counts.wrong << " wrong");
  CHECK(counts.wrong == 0);
}

TEST_CASE("the interface of all formats takes the fast paths and equals the generic one") {
  std::mt19937_64 random(512);
  Counts counts;
  const std::array operations{Operation::add,    Operation::subtract,           Operation::multiply,
                              Operation::divide, Operation::fused_multiply_add, Operation::square_root};
  const auto compare = [&](const Format& format, int rounds) {
    const auto interface = parse_number_format(format_text(format));
    for (int i = 0; i < rounds; ++i) {
      const std::array<Integer, 3> codes = random_triple(random, format);
      std::array<Value, 3> x;
      for (std::size_t k = 0; k < 3; ++k) x[k] = decode(format, codes[k]);
      for (int operation = 0; operation < 6; ++operation) {
        const std::size_t operands = operation == 4 ? 3 : operation == 5 ? 1 : 2;
        for (Rounding rounding : all_roundings) {
          Flags one, two;
          const Integer expected = encode(format, generic(operation, format, x, rounding, one));
          const Integer computed = interface->apply(operations[static_cast<std::size_t>(operation)],
                                                    std::span(codes).first(operands), rounding, two);
          counts.compare(expected == computed && one == two, format, operation, rounding);
        }
      }
    }
  };
  for (const char* name : {"e4m3fn", "e2m1", "binary16", "binary32", "binary64", "binary128", "binary256",
                           "binary(15,200)", "binary(30,253)", "binary(20,254)", "binary(20,255)", "binary(9,318,fn)"})
    compare(parse_format(name), 500);
  compare(binary(30, 4096), 100);
  for (int i = 0; i < 60; ++i) {
    const int e = 2 + static_cast<int>(random() % 29), f = 1 + static_cast<int>(random() % (i % 2 == 0 ? 260 : 1000));
    const auto convention = static_cast<Convention>(random() % 4);
    compare({e, f, default_bias(e, convention), convention}, 50);
  }
  MESSAGE("codes: " << counts.compared << " results, " << counts.wrong << " wrong");
  CHECK(counts.wrong == 0);
  // What is no code is refused as before.
  Flags flags;
  for (const char* name : {"binary16", "binary128"}) {
    const auto interface = parse_number_format(name);
    const std::array<Integer, 2> codes{Integer(1) << static_cast<unsigned>(interface->width()), 0};
    CHECK_THROWS_AS(interface->apply(Operation::add, codes, Rounding::up, flags), InputRefused);
  }
}

TEST_CASE("tables of 8-bit formats equal the generic path") {
  long compared = 0, wrong = 0;
  for (const char* name : {"e4m3fn", "e2m3"}) {
    const Format format = parse_format(name);
    for (Operation operation : {Operation::add, Operation::divide}) {
      const OperationTable table(format, operation, Rounding::up);
      for (int a = 0; a < 1 << format.width(); ++a) {
        for (int b = 0; b < 1 << format.width(); ++b, ++compared) {
          Flags one, two;
          const Value x = decode(format, a), y = decode(format, b);
          const Value expected = operation == Operation::add ? add(format, x, y, Rounding::up, one)
                                                             : divide(format, x, y, Rounding::up, one);
          const int code = table.apply(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), two);
          wrong += encode(format, expected) != code || !(one == two);
        }
      }
    }
  }
  MESSAGE("tables: " << compared << " results, " << wrong << " wrong");
  CHECK(wrong == 0);
  CHECK_THROWS(OperationTable(parse_format("binary16"), Operation::add, Rounding::up));
}

TEST_CASE("binary16 and bfloat16: unary operations on all codes, binary ones on 10^6 pairs, against the processor") {
  const char* asked = std::getenv("OUTWARD_HALF_PAIRS");  // test/long/half_pairs asks for 10^8
  const long count = asked != nullptr ? std::atol(asked) : 1'000'000;
  REQUIRE(count > 0);
  for (const char* name : {"binary16", "bfloat16"}) {
    const half_oracle::Counts unary = half_oracle::compare_unary(parse_format(name));
    const half_oracle::Counts pairs = half_oracle::compare_pairs(parse_format(name), count, 2026);
    MESSAGE(std::string(name) << ": " << unary.compared << " unary and " << pairs.compared << " binary results, "
                              << unary.wrong + pairs.wrong << " wrong");
    CHECK(unary.compared >= 10 * 65536);
    CHECK(pairs.compared == 4 * count);
    CHECK(unary.wrong == 0);
    CHECK(pairs.wrong == 0);
  }
}
