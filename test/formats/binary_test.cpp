// Binary formats: descriptors and their refusals, worked examples, the traps of rounding and overflow, NaN and zero
// rules, conversions, and exponents of 30 bits.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "formats/error.hpp"
#include "formats/number_format.hpp"
#include "formats/operations.hpp"
#include "formats/text.hpp"
#include "formats/words/long_root.hpp"

using namespace outward;

namespace {

constexpr auto nearest = Rounding::nearest_even;

Value value(const Format& format, const std::string& text, Rounding rounding = nearest) {
  Flags flags;
  const auto parsed = parse_value(format, text, rounding, flags);
  REQUIRE_MESSAGE(parsed.has_value(), text.substr(0, 80));
  return *parsed;
}

// A literal kept exactly: rounded into a format that holds it.
Value wide(const std::string& text) { return value(parse_format("binary(30,4096)"), text); }

std::string code_of(const Format& format, const Value& x) { return encode(format, x).str(0, std::ios_base::hex); }

std::string converted(const char* format_name, const std::string& number, Rounding rounding = nearest) {
  const Format format = parse_format(format_name);
  Flags flags;
  return *exact_decimal_text(convert(format, wide(number), rounding, flags));
}

std::string refusal(const std::string& descriptor) {
  try {
    parse_number_format(descriptor);
  } catch (const InputRefused& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace

TEST_CASE("descriptors are read and written back") {
  for (const NamedFormat& named : named_formats()) {
    CAPTURE(named.name);
    CHECK(impossible(named.format).empty());
    CHECK(parse_format(named.name) == named.format);
    CHECK(parse_format(format_text(named.format)) == named.format);
    if (!named.alias) CHECK(format_text(named.format) == named.name);
  }
  CHECK(parse_format("binary(8,23)") == parse_format("float32"));
  CHECK(parse_format("BINARY( 4, 3, 11, fnuz )") == parse_format("e4m3b11fnuz"));
  CHECK(parse_format("binary(4,3,fn)") == parse_format("e4m3fn"));
  CHECK(format_text(parse_format("binary(5,2,ieee,flush,saturate)")) == "e5m2(saturate,flush)");
  CHECK(format_text(parse_format("binary(5,3,14,finite)")) == "binary(5,3,14,finite)");
  CHECK(parse_format("e5m2(saturate)").saturate);
  // Interchange formats by width: 128, 256, 512, 1024 bits have 15, 19, 23, 27 exponent bits.
  CHECK(parse_format("binary128") == binary(15, 112));
  CHECK(parse_format("binary160") == binary(16, 143));
  CHECK(parse_format("binary256") == binary(19, 236));
  CHECK(parse_format("binary512") == binary(23, 488));
  CHECK(parse_format("binary1024") == binary(27, 996));
}

TEST_CASE("impossible descriptors are refused with the reason") {
  CHECK(refusal("binary(31,10)").find("2 to 30") != std::string::npos);
  CHECK(refusal("binary(1,10)").find("2 to 30") != std::string::npos);
  CHECK(refusal("binary(8,4097)").find("1 to 4096") != std::string::npos);
  CHECK(refusal("binary(8,0)").find("1 to 4096") != std::string::npos);
  CHECK(refusal("binary(4,3,0)").find("bias must be from 1 to 14") != std::string::npos);
  CHECK(refusal("binary(4,3,16,fn)").find("bias must be from 1 to 15") != std::string::npos);
  CHECK(refusal("binary(4,3,15,fn)").empty());
  CHECK(refusal("binary(4,3,fn,ieee)").find("two conventions") != std::string::npos);
  CHECK(refusal("binary(4,3,7,8)").find("not understood") != std::string::npos);
  CHECK(refusal("binary(4)").find("exponent and fraction bits") != std::string::npos);
  CHECK(refusal("binary(4,3").find("misplaced") != std::string::npos);
  CHECK(refusal("binary(4,,3)").find("empty") != std::string::npos);
  CHECK(refusal("binary(9999999999999999999,3)").find("2 to 30") != std::string::npos);
  CHECK(refusal("binary100").find("multiple of 32") != std::string::npos);
  CHECK(refusal("binary2048").find("at most 30 and 4096") != std::string::npos);
  CHECK(refusal("e4m3xx").find("no number format of this name") != std::string::npos);
  CHECK(refusal("e4m3fn(fast)").find("takes no such option") != std::string::npos);
  CHECK(refusal("e4m3fn(flush,flush)").find("twice") != std::string::npos);
  CHECK(!refusal("").empty());
}

TEST_CASE("worked examples") {
  const Format bf16 = parse_format("bfloat16"), f16 = parse_format("binary16"), f32 = parse_format("binary32");
  const Format f64 = parse_format("binary64"), f128 = parse_format("binary128");
  CHECK(code_of(bf16, value(bf16, "0.1")) == "3dcd");
  CHECK(exact_fraction_text(value(bf16, "0.1")) == "205/2048");
  CHECK(exact_fraction_text(value(f16, "0.1")) == "819/8192");
  Flags flags;
  const Value big = value(f16, "2048"), one = value(f16, "1");
  CHECK(subtract(f16, add(f16, big, one, nearest, flags), big, nearest, flags).kind == ValueKind::zero);
  CHECK(identical(add(f16, subtract(f16, big, big, nearest, flags), one, nearest, flags), one));
  // Rounding twice.
  const std::string trap = "0x1.0000010000001p0";  // 1 + 2^-24 + 2^-52
  const Value near_tie = add(parse_format("binary(15,200)"), wide("0x1.000001p0"), wide("0x1p-53"), nearest, flags);
  CHECK(hexadecimal_text(convert(f32, near_tie, nearest, flags)) == "0x1.000002p+0");
  CHECK(hexadecimal_text(convert(f32, convert(f64, near_tie, nearest, flags), nearest, flags)) == "0x1p+0");
  // To odd in between, once is enough.
  CHECK(hexadecimal_text(convert(f32, convert(f64, near_tie, Rounding::to_odd, flags), nearest, flags)) ==
        "0x1.000002p+0");
  CHECK(hexadecimal_text(value(f64, trap)) == "0x1.0000010000001p+0");
  const Value x = add(f128, value(f128, "1"), value(f128, "0x1p-100"), nearest, flags);
  CHECK(hexadecimal_text(multiply(f128, x, x, nearest, flags)) == "0x1.0000000000000000000000002p+0");
  CHECK(hexadecimal_text(multiply(f64, convert(f64, x, nearest, flags), value(f64, "1"), nearest, flags)) == "0x1p+0");
  for (const char* root : {"3", "5"}) {
    const Value r = value(f128, root);
    CHECK(*exact_decimal_text(multiply(f128, r, r, nearest, flags)) == (root[0] == '3' ? "9" : "25"));
  }
  CHECK(f32.precision() == 24);
  CHECK(identical(least_positive(f32), value(f32, "0x1p-149")));
}

TEST_CASE("the tie at the top depends on the last bit of the greatest number") {
  CHECK(converted("e5m2", "61440") == "inf");
  CHECK(converted("e5m2", "61439") == "57344");
  CHECK(converted("e4m3fnuz", "248") == "nan");
  CHECK(converted("e4m3fnuz", "247") == "240");
  CHECK(converted("e4m3fn", "464") == "448");
  CHECK(converted("e4m3fn", "465") == "nan");
  CHECK(converted("e4m3fn", "-465") == "-nan");
  CHECK(converted("e4m3fn(saturate)", "465") == "448");
  CHECK(converted("e4m3fn", "1e9", Rounding::toward_zero) == "448");
  CHECK(converted("e4m3fn", "-1e9", Rounding::up) == "-448");
  CHECK(converted("e4m3fn", "449", Rounding::up) == "nan");
  CHECK(converted("e2m1", "1e30") == "6");
  CHECK(converted("e2m1", "-1e30", Rounding::down) == "-6");
  CHECK(converted("e3m2", "30", Rounding::nearest_away) == "28");
  CHECK(converted("e2m1", "0.25") == "0");
  CHECK(converted("e2m1", "0.75") == "1");
  CHECK(converted("e2m1", "5") == "4");
}

TEST_CASE("fully finite and saturating formats replace infinities and NaNs") {
  Flags flags;
  const Value inf{ValueKind::infinite, true, 0, 0, 0}, nan{ValueKind::quiet_nan, false, 0, 0, 0};
  const auto code = [&](const char* name, const Value& x) {
    const Format format = parse_format(name);
    flags = {};
    return code_of(format, convert(format, x, nearest, flags));
  };
  CHECK(code("e4m3fn", inf) == "ff");
  CHECK(flags.invalid);
  CHECK(code("e4m3fn(saturate)", inf) == "fe");
  CHECK(code("e5m2(saturate)", inf) == "fb");
  CHECK(flags.overflow);
  CHECK(code("e5m2", inf) == "fc");
  CHECK(code("e4m3fnuz(saturate)", inf) == "80");
  CHECK(code("e2m3", inf) == "3f");
  CHECK(code("e2m3", nan) == "0");
  CHECK(flags.invalid);
  CHECK(code("e4m3fn", nan) == "7f");
  CHECK(code("e5m2fnuz", nan) == "80");
  // Division by zero by convention.
  for (const auto& [name, expected] : {std::pair{"e5m2", "7c"}, {"e4m3fn", "7f"}, {"e4m3fnuz", "80"}, {"e2m3", "1f"}}) {
    const Format format = parse_format(name);
    flags = {};
    CHECK(code_of(format, divide(format, value(format, "1"), value(format, "0"), nearest, flags)) == expected);
    CHECK(flags.divide_by_zero);
    CHECK(!flags.invalid);
  }
}

TEST_CASE("scale format: powers of two, parity of the stored exponent") {
  CHECK(converted("e8m0", "3") == "2");  // tie of 2^1 and 2^2: stored 128 (even) and 129
  CHECK(converted("e8m0", "6") == "8");  // tie of 2^2 and 2^3: stored 129 and 130 (even)
  CHECK(converted("e8m0", "3", Rounding::nearest_away) == "4");
  CHECK(converted("e8m0", "3.9", Rounding::down) == "2");
  CHECK(converted("e8m0", "2.1", Rounding::up) == "4");
  CHECK(converted("e8m0", "1e60") == "nan");
  CHECK(converted("e8m0", "-1") == "nan");
  CHECK(converted("e8m0", "0") == "nan");
  const Format e8m0 = parse_format("e8m0");
  Flags flags;
  CHECK(code_of(e8m0, convert(e8m0, wide("1e-60"), nearest, flags)) == "0");
  CHECK(flags.underflow);
}

TEST_CASE("NaN operands") {
  const Format f16 = parse_format("binary16"), f32 = parse_format("binary32");
  const Value quiet1 = value(f16, "nan(0x1)"), quiet2 = value(f16, "-nan(0x2)"), signalling = value(f16, "snan(0x3)");
  Flags flags;
  CHECK(hexadecimal_text(add(f16, quiet1, quiet2, nearest, flags)) == "nan(0x1)");
  CHECK(!flags.invalid);
  CHECK(hexadecimal_text(subtract(f16, value(f16, "1"), quiet2, nearest, flags)) == "-nan(0x2)");
  CHECK(hexadecimal_text(add(f16, quiet1, signalling, nearest, flags)) == "nan(0x3)");
  CHECK(flags.invalid);
  flags = {};
  const Value inf = value(f16, "inf"), zero = value(f16, "0");
  CHECK(hexadecimal_text(fused_multiply_add(f16, zero, inf, quiet1, nearest, flags)) == "nan(0x1)");
  CHECK(flags.invalid);
  CHECK(hexadecimal_text(subtract(f16, inf, inf, nearest, flags)) == "nan");
  // Wider and back keeps the payload; a payload that does not fit becomes 0.
  CHECK(hexadecimal_text(convert(f16, convert(f32, quiet2, nearest, flags), nearest, flags)) == "-nan(0x2)");
  CHECK(hexadecimal_text(convert(f16, value(f32, "-nan(0x3fffff)"), nearest, flags)) == "-nan");
  // One fraction bit leaves no room for signalling NaNs.
  CHECK(decode(parse_format("binary(3,1)"), 15).kind == ValueKind::quiet_nan);
}

TEST_CASE("zeros") {
  const Format f16 = parse_format("binary16"), fnuz = parse_format("e4m3fnuz");
  Flags flags;
  const Value minus = value(f16, "-0"), plus = value(f16, "0"), one = value(f16, "1");
  CHECK(subtract(f16, one, one, nearest, flags).negative == false);
  CHECK(subtract(f16, one, one, Rounding::down, flags).negative);
  CHECK(add(f16, minus, minus, nearest, flags).negative);
  CHECK(add(f16, minus, plus, Rounding::down, flags).negative);
  CHECK(square_root(f16, minus, nearest, flags).negative);
  CHECK(fused_multiply_add(f16, one, one, value(f16, "-1"), Rounding::down, flags).negative);
  CHECK(minimum(f16, plus, minus, nearest, flags).negative);
  CHECK(!maximum(f16, minus, plus, nearest, flags).negative);
  CHECK(!subtract(fnuz, value(fnuz, "1"), value(fnuz, "1"), Rounding::down, flags).negative);
  CHECK(!convert(fnuz, minus, nearest, flags).negative);
  CHECK(encode(fnuz, negate(fnuz, value(fnuz, "0"))) == 0);
  CHECK(encode(fnuz, negate(fnuz, value(fnuz, "nan"))) == 0x80);
  CHECK(code_of(f16, multiply(f16, value(f16, "-0x1p-24"), value(f16, "0x1p-24"), nearest, flags)) == "8000");
  CHECK(flags.underflow);
  CHECK(total_order(minus, plus));
  CHECK(!total_order(plus, minus));
  CHECK(total_order(value(f16, "-nan"), value(f16, "-inf")));
  CHECK(total_order(value(f16, "inf"), value(f16, "snan(0x1)")));
}

TEST_CASE("rounding twice through a wider format is wrong for fused multiply-add") {
  const Format f16 = parse_format("binary16"), f32 = parse_format("binary32");
  Flags flags;
  const Value a = value(f16, "0x1.004p-5"), b = value(f16, "0x1.ff8p-7"), c = value(f16, "0x1.004p0");
  CHECK(hexadecimal_text(b) == "0x1.ff8p-7");
  CHECK(hexadecimal_text(fused_multiply_add(f16, a, b, c, nearest, flags)) == "0x1.004p+0");
  const Value through = fused_multiply_add(f32, a, b, c, nearest, flags);
  CHECK(hexadecimal_text(convert(f16, through, nearest, flags)) == "0x1.008p+0");
}

TEST_CASE("exponents of 30 bits: no gap is materialised") {
  const Format format = parse_format("binary(30,4096)");
  Flags flags;
  const Value huge = greatest_finite(format), tiny = least_positive(format);
  CHECK(identical(add(format, huge, tiny, nearest, flags), huge));
  CHECK(flags.inexact);
  CHECK(add(format, huge, tiny, Rounding::up, flags).kind == ValueKind::infinite);
  CHECK(identical(add(format, huge, negate(format, tiny), Rounding::up, flags), huge));
  CHECK(!identical(add(format, huge, negate(format, tiny), Rounding::down, flags), huge));
  CHECK(compare_quiet(huge, tiny, flags) == Order::greater);
  CHECK(multiply(format, huge, huge, nearest, flags).kind == ValueKind::infinite);
  CHECK(multiply(format, tiny, tiny, nearest, flags).kind == ValueKind::zero);
  CHECK(divide(format, tiny, huge, nearest, flags).kind == ValueKind::zero);
  CHECK(identical(fused_multiply_add(format, tiny, tiny, huge, nearest, flags), huge));
  // The remainder of 2^(2^29 - 1) by 3 * 2^-(2^29): odd powers of two leave -1.
  const Value power = value(format, "0x1p536870911"), three = value(format, "0x3p-536870900");
  CHECK(identical(remainder(format, power, three, nearest, flags), value(format, "-0x1p-536870900")));
  CHECK(identical(remainder(format, value(format, "0x1p536870910"), three, nearest, flags),
                  value(format, "0x1p-536870900")));
  CHECK(remainder(format, huge, tiny, nearest, flags).kind == ValueKind::zero);
  CHECK(hexadecimal_text(tiny) == "0x1p-536875006");
  CHECK(identical(value(format, hexadecimal_text(huge)), huge));
}

TEST_CASE("decimal exponents of any size are read with one rounding") {
  const Format format = parse_format("binary(30,60)"), f64 = parse_format("binary64");
  CHECK(value(f64, "1e400").kind == ValueKind::infinite);
  CHECK(value(f64, "1e-400").kind == ValueKind::zero);
  CHECK(value(f64, "1e99999999999999999999").kind == ValueKind::infinite);
  CHECK(value(f64, "-1e-99999999999999999999").kind == ValueKind::zero);
  CHECK(value(format, "1e200000000000").kind == ValueKind::infinite);
  // 10^25000 both as a power and written out by multiplication of exact halves.
  Flags flags;
  const Format large = parse_format("binary(30,4096)");
  for (Rounding rounding : {Rounding::up, Rounding::down, nearest}) {
    const Value power = value(format, "1e25000", rounding);
    const Integer exact = pow(Integer(10), 25000);
    CHECK(identical(power, round(format, Exact{false, exact, 0, false}, rounding, flags)));
    const Value inverse = value(large, "-7e-25000", rounding);
    CHECK(identical(inverse, round_quotient(large, true, 7, exact, 0, rounding, flags)));
  }
}

TEST_CASE("texts read back") {
  std::mt19937_64 random(7);
  for (const char* name : {"binary16", "binary32", "binary64", "e4m3fn", "e2m1", "binary(15,200)", "binary(30,300)"}) {
    const Format format = parse_format(name);
    CAPTURE(name);
    for (int i = 0; i < 300; ++i) {
      Integer code = 0;
      for (int k = 0; k < format.width(); k += 64) code = (code << 64) | random();
      code &= (Integer(1) << static_cast<unsigned>(format.width())) - 1;
      const Value x = decode(format, code);
      CHECK(identical(value(format, hexadecimal_text(x)), x));
      CHECK(identical(value(format, short_text(format, x)), x));
      if (const auto decimal = exact_decimal_text(x)) CHECK(identical(value(format, *decimal), x));
    }
  }
  CHECK(short_text(parse_format("binary64"), value(parse_format("binary64"), "0.1")) == "0.1");
  CHECK(short_text(parse_format("binary32"), value(parse_format("binary32"), "16777216")) == "16777216");
  Flags flags;
  for (const char* bad :
       {"", "-", "1e", "0x", "0x1p", "1 2", "nan(", "nan(0x)", "snan(0x0)", "1.2.3", "--1", "1e+-3", "0xgp0"})
    CHECK_MESSAGE(!parse_value(parse_format("binary32"), bad, nearest, flags).has_value(), bad);
}

TEST_CASE("integers and integral values") {
  const Format f32 = parse_format("binary32");
  Flags flags;
  CHECK(*to_integer(value(f32, "-128.5"), 8, true, nearest, true, flags) == -128);
  CHECK(flags.inexact);
  CHECK(!to_integer(value(f32, "127.5"), 8, true, nearest, true, flags));
  CHECK(flags.invalid);
  CHECK(*to_integer(value(f32, "255.5"), 8, false, Rounding::down, false, flags) == 255);
  CHECK(*to_integer(value(f32, "-0.5"), 8, false, nearest, false, flags) == 0);
  CHECK(!to_integer(value(f32, "-1"), 8, false, nearest, false, flags));
  CHECK(!to_integer(value(f32, "1e30"), 64, true, nearest, false, flags));
  CHECK(hexadecimal_text(round_to_integral(f32, value(f32, "-0.4"), nearest, true, flags)) == "-0x0p+0");
  CHECK(*exact_decimal_text(round_to_integral(f32, value(f32, "2.5"), nearest, true, flags)) == "2");
  CHECK(*exact_decimal_text(round_to_integral(f32, value(f32, "2.5"), Rounding::nearest_away, true, flags)) == "3");
  CHECK(*exact_decimal_text(round_to_integral(f32, value(f32, "2.1"), Rounding::up, true, flags)) == "3");
  bool exact = false;
  for (int bits = 1; bits < 3000; bits += 37) {
    const Integer root = (Integer(1) << static_cast<unsigned>(bits)) - 1;
    CHECK(integer_square_root(root * root, exact) == root);
    CHECK(exact);
    CHECK(integer_square_root(root * root + 2 * root, exact) == root);
    CHECK(!exact);
    CHECK(integer_square_root(root * root - 1, exact) == root - 1);
  }
}

TEST_CASE("neighbours are the adjacent codes") {
  for (const char* name : {"e4m3fn", "e5m2", "e4m3fnuz", "e2m3"}) {
    const Format format = parse_format(name);
    CAPTURE(name);
    for (int code = 0; code < 1 << format.width(); ++code) {
      const Value x = decode(format, code);
      if (!x.is_finite()) continue;
      Flags flags;
      const auto up = next_up(format, x, flags);
      if (!up || !up->is_finite()) continue;
      CHECK(compare_quiet(x, *up, flags) == Order::less);
      const auto down = next_down(format, *up, flags);
      REQUIRE(down.has_value());
      CHECK(compare_quiet(*down, x, flags) == Order::equal);
    }
  }
}
