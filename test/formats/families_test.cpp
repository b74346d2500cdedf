// The families beside the binary ones through the parser of descriptors; P3109 formats against their definition and all
// pairs of 8-bit codes, Microscaling blocks, integer grids, and the rows of the Cast operator of ONNX.
#include <doctest/doctest.h>

#include <iostream>
#include <random>

#include "formats/blocks/blocks.hpp"
#include "formats/error.hpp"
#include "formats/grid/grid.hpp"
#include "formats/number_format.hpp"
#include "formats/onnx_cast.hpp"
#include "formats/operations.hpp"
#include "formats/p3109/p3109.hpp"
#include "formats/text.hpp"

namespace {

using namespace outward;

Rational power_of_two(int e) {
  return e >= 0 ? Rational(Integer(1) << static_cast<unsigned>(e))
                : Rational(1, Integer(1) << static_cast<unsigned>(-e));
}

std::string read(const std::string& descriptor, const std::string& text, Rounding rounding = Rounding::nearest_even) {
  Flags flags;
  const auto format = parse_number_format(descriptor);
  const auto code = format->from_text(text, rounding, flags);
  return code ? format->value_text(*code) : "malformed";
}

std::string computed(const std::string& descriptor, Operation operation, const std::vector<std::string>& operands) {
  Flags flags;
  const auto format = parse_number_format(descriptor);
  std::vector<Integer> codes;
  for (const std::string& text : operands) codes.push_back(*format->from_text(text, Rounding::nearest_even, flags));
  return format->value_text(format->apply(operation, codes, Rounding::nearest_even, flags));
}

}  // namespace

TEST_CASE("descriptors of every family read back") {
  for (const char* text : {"decimal32", "decimal64(dpd)", "decimal128", "posit8", "posit32", "posit(11)", "binary8p3",
                           "binary8p4sf", "binary6p2ue(satfinite)", "binary8p1", "int8", "int4(scale=1/16,zero=3)",
                           "uint8(scale=1/10,zero=128)", "mxfp8e4m3", "mxfp4e2m1(scale=-3)", "mxint8"})
    CHECK(parse_number_format(text)->text() == text);
  CHECK(parse_number_format("Posit(32)")->text() == "posit32");
  CHECK(parse_number_format("binary8p4se")->text() == "binary8p4");
  for (const char* text : {"decimal63", "decimal64(x)", "posit2", "posit65", "posit(x)", "posit8(3)", "binary8p0",
                           "binary8p8", "binary17p4", "binary8p4(saturate)", "int3", "int8(scale=0)", "int8(zero=128)",
                           "int8(bias=1)", "mxfp8", "mxfp8e4m3(scale=200)", "mxint8(x)"})
    CHECK_THROWS_AS(parse_number_format(text), InputRefused);
}

TEST_CASE("codes survive their texts in every small format, and operations come out in them") {
  for (const char* text : {"posit8", "posit(5)", "binary8p3", "binary8p4", "binary8p1", "binary8p7uf",
                           "int8(scale=1/10)", "uint4(scale=3,zero=8)", "mxfp6e3m2(scale=5)", "mxint8"}) {
    const auto format = parse_number_format(text);
    for (Integer code = 0; code < Integer(1) << static_cast<unsigned>(format->width()); ++code) {
      const ExactNumber x = format->to_exact(code);
      Flags flags;
      const std::string written = format->value_text(code);
      const auto again = format->from_text(written == "NaR" ? "nar" : written, Rounding::nearest_even, flags);
      REQUIRE_MESSAGE(again.has_value(), written);
      if (x.kind == ExactNumber::Kind::number && x.factor.is_zero()) continue;  // -0 of element formats
      CHECK(*again == code);
    }
  }
}

TEST_CASE("numbers of the families") {
  CHECK(computed("posit32", Operation::square_root, {"2"}) == "1.41421356");
  CHECK(computed("decimal64", Operation::square_root, {"2"}) == "1.414213562373095");
  CHECK(computed("decimal64", Operation::add, {"1.20", "0.30"}) == "1.50");
  CHECK(computed("decimal64(dpd)", Operation::divide, {"1", "3"}) == "0.3333333333333333");
  CHECK(computed("decimal128", Operation::divide, {"2", "3"}) == "0.6666666666666666666666666666666667");
  CHECK(computed("decimal32", Operation::fused_multiply_add, {"1E+96", "10", "-9E+96"}) == "1.000000E+96");
  CHECK(computed("posit16", Operation::divide, {"1", "0"}) == "NaR");
  CHECK(computed("int8(scale=1/4)", Operation::multiply, {"1.5", "2.25"}) == "3.5");  // 3.375 is halfway: 14 is even
  CHECK(computed("int8", Operation::add, {"100", "100"}) == "127");
  CHECK(computed("uint8(zero=10)", Operation::subtract, {"5", "100"}) == "-10");
  CHECK(computed("mxfp4e2m1", Operation::add, {"6", "6"}) == "6");
  CHECK(read("binary8p4", "232") == "224");
  CHECK(read("binary8p4", "233") == "inf");
  CHECK(read("binary8p4sf", "1000") == "nan");
  CHECK(read("binary8p4sf(satfinite)", "1000") == "240");
  CHECK(read("binary8p4", "1e5", Rounding::toward_zero) == "224");
  CHECK(read("posit8", "1e99") == "16777216");
  Flags flags;
  const auto posit = parse_number_format("posit8");
  CHECK_THROWS_AS(posit->from_text("1e99", Rounding::up, flags), InputRefused);
  const std::vector<Integer> two{1, 2};
  CHECK_THROWS_AS(posit->apply(Operation::add, two, Rounding::up, flags), InputRefused);
  CHECK_THROWS_AS(posit->apply(Operation::remainder, two, Rounding::nearest_even, flags), InputRefused);
  CHECK_THROWS_AS(parse_number_format("int8")->from_text("nan", Rounding::nearest_even, flags), InputRefused);
}

TEST_CASE("P3109: parameters of the report") {
  const p3109::Format extended{8, 4, true, true}, finite{8, 4, true, false};
  CHECK(p3109::decode(extended, 0x7e).number == 224);
  CHECK(p3109::decode(finite, 0x7f).number == 240);
  CHECK(p3109::decode(extended, 8).number == power_of_two(-7));
  CHECK(p3109::decode(extended, 1).number == power_of_two(-10));
  CHECK(p3109::decode(extended, 0x80).kind == p3109::Value::Kind::nan);
  CHECK(p3109::decode(extended, 0x7f) == p3109::Value{p3109::Value::Kind::infinite, false, 0});
  CHECK(p3109::decode(extended, 0xff) == p3109::Value{p3109::Value::Kind::infinite, true, 0});
  CHECK(p3109::decode(finite, 0xff).number == -240);
  CHECK(p3109::decode({8, 3, false, true}, 0xff).kind == p3109::Value::Kind::nan);
  CHECK(p3109::decode({8, 3, false, true}, 0xfe).kind == p3109::Value::Kind::infinite);
  CHECK(p3109::decode({8, 3, true, true}, 64).number == 1);
  CHECK(p3109::decode({8, 1, true, true}, 64).number == 1);
}

TEST_CASE("P3109: saturation") {
  using p3109::Saturation;
  const p3109::Format extended{8, 4, true, true}, finite{8, 4, true, false}, plain{8, 4, false, true};
  const auto number = [](int x) { return p3109::Value{p3109::Value::Kind::number, false, x}; };
  const p3109::Value minus_infinity{p3109::Value::Kind::infinite, true, 0};
  const Rounding nearest = Rounding::nearest_even;
  CHECK(p3109::project(extended, number(-999), nearest, Saturation::finite) == 0xfe);
  CHECK(p3109::project(extended, minus_infinity, nearest, Saturation::finite) == 0xfe);
  CHECK(p3109::project(extended, number(-999), nearest, Saturation::propagate) == 0xfe);
  CHECK(p3109::project(extended, minus_infinity, nearest, Saturation::propagate) == 0xff);
  CHECK(p3109::project(extended, number(-999), nearest, Saturation::overflow) == 0xff);
  CHECK(p3109::project(extended, number(-999), Rounding::up, Saturation::overflow) == 0xfe);
  CHECK(p3109::project(extended, number(999), Rounding::up, Saturation::overflow) == 0x7f);
  CHECK(p3109::project(finite, minus_infinity, nearest, Saturation::propagate) == 0x80);
  CHECK(p3109::project(finite, number(999), nearest, Saturation::overflow) == 0x80);
  CHECK(p3109::project(plain, number(-1), nearest, Saturation::finite) == 0);
  CHECK(p3109::project(plain, number(-1), nearest, Saturation::overflow) == 0xff);
  CHECK(p3109::project(plain, minus_infinity, nearest, Saturation::propagate) == 0xff);
}

// A third of the pairs, each in one direction; with OUTWARD_P3109_ALL set, every pair in every direction
// (test/long/p3109).
TEST_CASE("P3109: pairs of 8-bit codes against a search among the values") {
  const bool all = std::getenv("OUTWARD_P3109_ALL") != nullptr;
  std::size_t checked = 0;
  for (const int precision : {1, 2, 3, 4, 5, 7}) {
    const p3109::Format f{8, precision, true, precision % 2 == 0};
    // The numbers from zero on; in extended formats one place further, where infinity is.
    std::vector<Rational> values;
    for (std::uint32_t code = 0; code <= f.greatest_code(); ++code) values.push_back(p3109::decode(f, code).number);
    const std::size_t top = values.size();
    const int last_exponent = static_cast<int>((top - 1) >> (precision - 1)) - static_cast<int>(f.bias());
    values.push_back(values.back() + power_of_two(last_exponent - precision + 1));
    const auto searched = [&](const Rational& z, Rounding rounding) -> std::uint32_t {
      if (z.is_zero()) return 0;
      const Rational m = abs(z);
      const auto after = std::upper_bound(values.begin(), values.end(), m);
      const auto low = static_cast<std::size_t>(after - values.begin()) - 1;
      std::size_t chosen = low;
      const bool outward_up = rounding == Rounding::up ? z > 0 : rounding == Rounding::down ? z < 0 : false;
      if (after == values.end()) {
        chosen = rounding == Rounding::nearest_even || rounding == Rounding::nearest_away || outward_up ? top : top - 1;
      } else if (values[low] != m) {
        // In P = 1 numbers are powers of two and the middle is that of their values.
        const Rational twice = m * 2, middle = values[low] + values[low + 1];
        const bool above = twice > middle, tie = twice == middle;
        if (rounding == Rounding::nearest_even) chosen += above || (tie && low % 2 == 1);
        if (rounding == Rounding::nearest_away) chosen += above || tie;
        if (rounding == Rounding::to_odd) chosen += low % 2 == 0;
        chosen += outward_up;
        if (rounding == Rounding::to_odd) chosen = std::min(chosen, top - 1);
      }
      if (chosen >= top) return f.extended ? (z < 0 ? 0xff : 0x7f) : 0x80;
      return static_cast<std::uint32_t>(chosen) | (z < 0 && chosen > 0 ? 0x80 : 0);
    };
    for (std::uint32_t a = 0; a < 256; ++a) {
      for (std::uint32_t b = all ? 0 : a % 3; b < 256; b += all ? 1 : 3) {
        const p3109::Value x = p3109::decode(f, a), y = p3109::decode(f, b);
        if (x.kind != p3109::Value::Kind::number || y.kind != p3109::Value::Kind::number) continue;
        for (std::uint32_t direction = 0; direction < 6; ++direction) {
          if (!all && direction != (a + b) % 6) continue;
          const auto rounding = static_cast<Rounding>(direction);
          const auto code = [&](const p3109::Value& v) {
            return p3109::project(f, v, rounding, p3109::Saturation::overflow);
          };
          bool good = code(p3109::add(x, y)) == searched(x.number + y.number, rounding);
          good &= code(p3109::multiply(x, y)) == searched(x.number * y.number, rounding);
          if (!y.number.is_zero())
            good &= code(p3109::divide(x, y)) == searched(Rational(x.number / y.number), rounding);
          checked += 3;
          CHECK_MESSAGE(good, "P ", precision, " codes ", a, " ", b, " direction ", direction);
        }
      }
    }
    for (std::uint32_t a = 0; a < top; ++a) {
      // The root r of x lies between codes as x lies between squares.
      const Rational x = values[a];
      const std::uint32_t down = p3109::project_root(f, x, Rounding::down, p3109::Saturation::overflow);
      const std::uint32_t up = p3109::project_root(f, x, Rounding::up, p3109::Saturation::overflow);
      CHECK(values[down] * values[down] <= x);
      CHECK(values[up] * values[up] >= x);
      CHECK((up == down ? values[up] * values[up] == x : up == down + 1));
    }
  }
  std::cout << "P3109: " << checked << " results equal to a search among the values\n";
}

TEST_CASE("integer grids quantise as QuantizeLinear") {
  Flags flags;
  const Grid grid{8, false, Rational(1, 4), 128};
  CHECK(quantize(grid, Rational(1, 8), Rounding::nearest_even, flags) == 128);  // halfway: even
  CHECK(quantize(grid, Rational(3, 8), Rounding::nearest_even, flags) == 130);
  CHECK(quantize(grid, Rational(-3, 8), Rounding::nearest_even, flags) == 126);
  CHECK_FALSE(flags.overflow);
  CHECK(quantize(grid, 1000, Rounding::nearest_even, flags) == 255);
  CHECK(flags.overflow);
  CHECK(quantize(grid, -1000, Rounding::nearest_even, flags) == 0);
  CHECK(dequantize(grid, 255) == Rational(127, 4));
  const Grid nibble{4, true, 1, 0};
  CHECK(quantize(nibble, 9, Rounding::nearest_even, flags) == 7);
  CHECK(quantize(nibble, -9, Rounding::nearest_even, flags) == -8);
  // Ties look at the integer before the zero point is added.
  CHECK(quantize(Grid{8, true, 1, 1}, Rational(5, 2), Rounding::nearest_even, flags) == 3);
}

TEST_CASE("Microscaling blocks") {
  std::vector<Rational> x(blocks::block_size, 0);
  for (const blocks::Kind& kind : blocks::kinds()) {
    CHECK(blocks::quantize(kind, std::vector<Rational>(blocks::block_size, 0)).scale == 0);
    std::mt19937 random(11);
    for (int round = 0; round < 20; ++round) {
      for (Rational& v : x)
        v = Rational(static_cast<int>(random() % 20001) - 10000, 1 + static_cast<int>(random() % 500));
      const blocks::Block block = blocks::quantize(kind, x);
      const Rational scale = power_of_two(block.scale - 127);
      // The greatest magnitude lies in the last binade of elements, or is one that saturates above it.
      Rational greatest = 0;
      for (const Rational& v : x) greatest = std::max(greatest, Rational(abs(v)));
      CHECK(greatest >= scale * power_of_two(kind.emax));
      CHECK(greatest < scale * power_of_two(kind.emax + 1));
      Rational sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto got = blocks::dequantize(kind, block, i);
        REQUIRE(got.kind == p3109::Value::Kind::number);
        sum += got.number * got.number;
        // No element is nearer.
        for (unsigned code = 0; code < 1u << kind.width; ++code) {
          const auto other = blocks::element_value(kind, static_cast<std::uint8_t>(code));
          if (other.kind == p3109::Value::Kind::number)
            REQUIRE(abs(Rational(other.number * scale - x[i])) >= abs(Rational(got.number - x[i])));
        }
      }
      CHECK(blocks::dot(kind, std::vector{block}, std::vector{block}).number == sum);
    }
    blocks::Block none;
    none.scale = 255;
    CHECK(blocks::dequantize(kind, none, 0).kind == p3109::Value::Kind::nan);
    CHECK(blocks::dot(kind, std::vector{none}, std::vector{none}).kind == p3109::Value::Kind::nan);
  }
  const auto emax = [](std::size_t i) { return blocks::kinds()[i].emax; };
  CHECK((emax(0) == 8 && emax(1) == 15 && emax(2) == 4 && emax(3) == 2 && emax(4) == 2 && emax(5) == 0));
  CHECK(blocks::element_value(blocks::kinds()[5], 0x80).number == -2);
  CHECK(blocks::element_code(blocks::kinds()[5], 7) == 0x7f);
}

TEST_CASE("Cast of ONNX") {
  const Format single = parse_format("binary32"), half = parse_format("binary16");
  const auto cast = [&](const std::string& text, const std::string& to, bool saturate,
                        ScaleRounding mode = ScaleRounding::up) {
    Flags flags;
    const Format target = parse_format(to);
    const Value x = *parse_value(single, text, Rounding::nearest_even, flags);
    return encode(target, onnx_cast(x, target, saturate, mode));
  };
  struct Row {
    const char* text;
    const char* to;
    int saturated, plain;
  };
  const std::vector<Row> rows{
      {"nan", "e4m3fn", 0x7f, 0x7f},
      {"inf", "e4m3fn", 0x7e, 0x7f},
      {"-inf", "e4m3fn", 0xfe, -1},
      {"464", "e4m3fn", 0x7e, 0x7e},
      {"465", "e4m3fn", 0x7e, 0x7f},
      {"-1000", "e4m3fn", 0xfe, -1},
      {"-0", "e4m3fn", 0x80, 0x80},
      {"inf", "e5m2", 0x7b, 0x7c},
      {"-inf", "e5m2", 0xfb, 0xfc},
      {"61439", "e5m2", 0x7b, 0x7b},
      {"61440", "e5m2", 0x7b, 0x7c},
      {"-1e9", "e5m2", 0xfb, 0xfc},
      {"inf", "e4m3fnuz", 0x80, 0x80},
      {"-inf", "e4m3fnuz", 0x80, 0x80},
      {"nan", "e4m3fnuz", 0x80, 0x80},
      {"-0", "e4m3fnuz", 0, 0},
      {"1000", "e4m3fnuz", 0x7f, 0x80},
      {"-1000", "e4m3fnuz", 0xff, 0x80},
      {"inf", "e5m2fnuz", 0x80, 0x80},
      {"nan", "e5m2fnuz", 0x80, 0x80},
      {"-0", "e5m2fnuz", 0, 0},
      {"1e6", "e5m2fnuz", 0x7f, 0x80},
      {"-1e6", "e5m2fnuz", 0xff, 0x80},
      {"1", "e4m3fn", 0x38, 0x38},
      {"1", "e4m3fnuz", 0x40, 0x40},
      {"inf", "e2m1", 7, 7},
      {"-inf", "e2m1", 15, 15},
      {"1e9", "e2m1", 7, 7},
      {"2.5", "e2m1", 4, 4},
      {"inf", "e3m2", 0x1f, 0x1f},
      {"-1e9", "e2m3", 0x3f, 0x3f},
      {"1e9", "binary16", 0x7c00, 0x7c00},
      {"1e9", "bfloat16", 0x4e6e, 0x4e6e},
      {"nan", "e8m0", 255, 255},
  };
  for (const Row& row : rows) {
    CHECK_MESSAGE(cast(row.text, row.to, true) == row.saturated, row.text, " ", row.to);
    const Integer plain = cast(row.text, row.to, false);
    // -1: NaN with either sign.
    CHECK_MESSAGE((row.plain >= 0 ? plain == row.plain : (plain & 0x7f) == 0x7f), row.text, " ", row.to);
  }
  CHECK(cast("3", "e8m0", true) == 129);
  CHECK(cast("3", "e8m0", true, ScaleRounding::down) == 128);
  CHECK(cast("3", "e8m0", true, ScaleRounding::nearest) == 129);  // halfway between 2 and 4: up
  CHECK(cast("2.99", "e8m0", true, ScaleRounding::nearest) == 128);
  CHECK(cast("3e38", "e8m0", true) == 254);
  CHECK(cast("3e38", "e8m0", false) == 255);
  CHECK(cast("1e-45", "e8m0", true) == 0);
  CHECK_THROWS_AS(cast("-1", "e8m0", true), InputRefused);
  CHECK_THROWS_AS(cast("0", "e8m0", true), InputRefused);
  CHECK_THROWS_AS(cast("nan", "e2m1", true), InputRefused);
  CHECK_THROWS_AS(cast("nan", "e3m2", false), InputRefused);
  // A binary16 number and the same in binary32 give the same code.
  for (int code = 0; code < 0x10000; code += 7) {
    const Value x = decode(half, code);
    for (const char* to : {"e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"}) {
      const Format target = parse_format(to);
      Flags flags;
      CHECK(encode(target, onnx_cast(x, target)) ==
            encode(target, onnx_cast(convert(single, x, Rounding::nearest_even, flags), target)));
    }
  }
}
