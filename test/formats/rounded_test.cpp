// Correctly rounded elementary functions against MPFR: binary16 (every argument when OUTWARD_ELEMENTARY_POINTS is set,
// every 7th otherwise), binary32, binary64 and binary128 at random, every rounding direction; and known hard cases.
#include "formats/rounded.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "formats/error.hpp"
#include "formats/text.hpp"
#include "test/formats/mpfr_reference.hpp"

using namespace outward;

namespace {

constexpr Rounding directions[] = {Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero,
                                   Rounding::up,           Rounding::down,         Rounding::to_odd};

Value number(const Format& format, const std::string& text) {
  Flags flags;
  return *parse_value(format, text, Rounding::nearest_even, flags);
}

std::string rounded_text(const Format& format, Function f, const std::string& x, Rounding rounding) {
  Flags flags;
  return hexadecimal_text(elementary_function(format, f, number(format, x), rounding, flags));
}

}  // namespace

TEST_CASE("exact cases, poles, limits and signed zeros of elementary functions") {
  const Format f64;
  const Rounding near = Rounding::nearest_even;
  CHECK(rounded_text(f64, Function::exp, "0", near) == "0x1p+0");
  CHECK(rounded_text(f64, Function::exp, "-inf", near) == "0x0p+0");
  CHECK(rounded_text(f64, Function::log, "0", near) == "-inf");
  CHECK(rounded_text(f64, Function::log, "-1", near) == "nan");
  CHECK(rounded_text(f64, Function::sin, "-0", near) == "-0x0p+0");
  CHECK(rounded_text(f64, Function::sin, "inf", near) == "nan");
  CHECK(rounded_text(f64, Function::atan, "inf", Rounding::down) == "0x1.921fb54442d18p+0");
  CHECK(rounded_text(f64, Function::atan, "inf", Rounding::up) == "0x1.921fb54442d19p+0");
  CHECK(rounded_text(f64, Function::exp10, "22", Rounding::up) == hexadecimal_text(number(f64, "1e22")));
  CHECK(rounded_text(f64, Function::log10, "1e22", Rounding::up) == "0x1.6p+4");
  CHECK(rounded_text(f64, Function::log2, "0x1p-1074", Rounding::up) == "-0x1.0c8p+10");
  CHECK(rounded_text(f64, Function::tanh, "inf", near) == "0x1p+0");
  CHECK(rounded_text(f64, Function::sigmoid, "0", Rounding::up) == "0x1p-1");
  CHECK(rounded_text(f64, Function::hard_sigmoid, "-2.5", Rounding::up) == "0x0p+0");
  Flags flags;
  elementary_function(f64, Function::log, Value(), near, flags);
  CHECK(flags == Flags{false, true, false, false, false});
  flags = {};
  elementary_function(f64, Function::exp, number(f64, "1"), near, flags);
  CHECK(flags == Flags{false, false, false, false, true});
}

TEST_CASE("arguments at the ends of the widest formats take no exponent gap") {
  const Format wide = binary(30, 4096);
  Flags flags;
  const Value least = least_positive(wide), greatest = greatest_finite(wide);
  for (const FunctionRow& row : function_table())
    for (const Rounding rounding : {Rounding::down, Rounding::up, Rounding::nearest_even})
      for (const bool negative : {false, true})
        for (Value x : {least, greatest}) {
          x.negative = negative;
          if (!in_domain(row.domain, dyadic_of(x))) continue;
          const bool angle = row.shape == Shape::sine || row.shape == Shape::cosine || row.shape == Shape::tangent;
          if (angle && x.exponent > 0) {
            CHECK_THROWS_AS(elementary_function(wide, row.function, x, rounding, flags), ResourceError);
            continue;
          }
          CHECK_FALSE(elementary_function(wide, row.function, x, rounding, flags).is_nan());
        }
  // e^x of the greatest number overflows; of its negative, rounds to 0 or to the least number.
  Value far = greatest;
  CHECK(elementary_function(wide, Function::exp, far, Rounding::down, flags).kind == ValueKind::finite);
  CHECK(elementary_function(wide, Function::exp, far, Rounding::up, flags).kind == ValueKind::infinite);
  far.negative = true;
  CHECK(identical(elementary_function(wide, Function::exp, far, Rounding::up, flags), least));
  CHECK(elementary_function(wide, Function::exp, far, Rounding::nearest_even, flags).kind == ValueKind::zero);
  // sin x < x for the least number, exactly: the next one down is 0.
  CHECK(elementary_function(wide, Function::sin, least, Rounding::down, flags).kind == ValueKind::zero);
  CHECK(identical(elementary_function(wide, Function::sin, least, Rounding::up, flags), least));
}

#ifdef OUTWARD_HAVE_MPFR
namespace {

// The value by MPFR at 64 bits more than the format (or as many as the composite needs), cut off with a sticky bit,
// then rounded once by the same rounding of exact numbers that arithmetic uses (tested on its own).
std::optional<Value> expected(const Format& format, Function f, const Value& x, Rounding rounding, Flags& flags) {
  reference::Real at(2), out(format.precision() + 120);
  reference::set(at, dyadic_of(x));
  const bool native = reference::evaluate(f, out, at, MPFR_RNDZ);
  if (!mpfr_regular_p(static_cast<mpfr_ptr>(out))) return std::nullopt;
  const Dyadic d = reference::get(out);
  if (!native) {  // within 2^-90 relative of the format's precision: both sides must agree
    const elementary::Bits apart = floor_log2(d) - format.precision() - 90, bits = 4 * format.precision() + 400;
    const elementary::Enclosure around{elementary::add(d, {-1, apart}, bits, -1),
                                       elementary::add(d, {1, apart}, bits, 1)};
    return round_enclosure(format, around, {}, rounding, flags);
  }
  mpfr_clear_flags();
  reference::evaluate(f, out, at, MPFR_RNDZ);
  const bool inexact = mpfr_inexflag_p() != 0;
  Exact exact{d.mantissa.sign() < 0, abs(d.mantissa), d.exponent, inexact};
  const elementary::Bits more = format.precision() + 100 - elementary::length(exact.significand);
  if (more > 0) {
    exact.significand <<= static_cast<unsigned>(more);
    exact.exponent -= more;
  }
  return round(format, exact, rounding, flags);
}

bool is_native(Function function) {
  reference::Real at(2), out(53);
  mpfr_set_d(at, 0.5, MPFR_RNDN);
  return reference::evaluate(function, out, at, MPFR_RNDN);
}

long compared = 0, undecided = 0;

void compare_at(const Format& format, const FunctionRow& row, const Value& x, Rounding rounding) {
  if (!x.is_finite() || x.kind == ValueKind::zero || !in_domain(row.domain, dyadic_of(x))) return;
  Flags want_flags, flags;
  const Value got = elementary_function(format, row.function, x, rounding, flags);
  const auto want = expected(format, row.function, x, rounding, want_flags);
  if (!flags.inexact &&
      !is_native(row.function)) {  // elu and selu of positive numbers, fractions: exact, so nearest too
    Flags near;
    const auto nearest = expected(format, row.function, x, Rounding::nearest_even, near);
    ++(nearest ? compared : undecided);
    CHECK((!nearest || identical(got, *nearest)));
    return;
  }
  ++(want ? compared : undecided);
  if (!want || (identical(got, *want) && flags == want_flags)) return;
  FAIL_CHECK(std::string(row.name) << " of " << hexadecimal_text(x) << " in " << format_text(format) << ", direction "
                                   << static_cast<int>(rounding) << ": " << hexadecimal_text(got) << ", MPFR "
                                   << hexadecimal_text(*want));
}

}  // namespace

TEST_CASE("rounded elementary functions equal MPFR in binary16") {
  const Format f16 = binary(5, 10);
  const bool all = std::getenv("OUTWARD_ELEMENTARY_POINTS") != nullptr;
  compared = undecided = 0;
  for (const FunctionRow& row : function_table())
    for (unsigned code = all ? 0 : static_cast<unsigned>(row.function) % 7; code < 65536; code += all ? 1 : 7) {
      const Value x = decode(f16, code);
      for (std::size_t r = 0; r < std::size(directions); ++r)
        if (all || r == (code / 7) % std::size(directions)) compare_at(f16, row, x, directions[r]);
    }
  std::printf(
      "binary16 against MPFR: %ld results equal, %ld left out (zero, or too close to a boundary for a composite "
      "reference)\n",
      compared, undecided);
  CHECK(undecided * 10 < compared);
}

TEST_CASE("rounded elementary functions equal MPFR in binary32, binary64 and binary128") {
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  compared = undecided = 0;
  std::mt19937_64 random(29);
  const bool all = std::getenv("OUTWARD_ELEMENTARY_POINTS") != nullptr;
  for (const Format& format : {binary(8, 23), binary(11, 52), binary(15, 112)})
    for (const FunctionRow& row : function_table())
      for (int i = 0; i < (all ? 10000 : 500); ++i) {
        const int range = i % 10 == 0 ? static_cast<int>(format.bias) : 40;
        Value x = decode(format, 0);
        x.kind = ValueKind::finite;
        x.negative = random() % 2 == 0;
        for (int k = 0; k < format.precision(); k += 32) x.significand = (x.significand << 32) + (random() >> 32);
        x.significand >>= static_cast<unsigned>(elementary::length(x.significand)) > 0
                              ? static_cast<unsigned>(std::max<elementary::Bits>(
                                    0, elementary::length(x.significand) - format.precision()))
                              : 0U;
        x.exponent = static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range - format.precision();
        if (row.domain != Domain::all && i % 2 == 0) x.exponent = -format.precision();
        Flags flags;
        x = convert(format, x, Rounding::nearest_even, flags);
        const bool angle = row.shape == Shape::sine || row.shape == Shape::cosine || row.shape == Shape::tangent;
        if (angle && x.is_finite() && x.exponent > 2000) continue;
        compare_at(format, row, x, directions[i % std::size(directions)]);
      }
  std::printf("binary32/64/128 against MPFR: %ld results equal, %ld left out (the same)\n", compared, undecided);
  CHECK(undecided * 10 < compared);
}

TEST_CASE("hard cases of rounding in binary64") {
  // Worst cases of Lefevre and Muller (Table maker's dilemma, 2001; Handbook of Floating-Point Arithmetic, chapter 10),
  // angles near multiples of pi/2 (Kahan's 6381956970095103 * 2^797), and the edges of overflow and underflow.
  const Format f64;
  const std::pair<Function, const char*> cases[] = {
      {Function::exp, "-0x1.12d9b3b0dce5p-1"},
      {Function::exp, "0x1.62e42fefa39efp+9"},
      {Function::exp, "0x1.62e42fefa39fp+9"},
      {Function::exp, "-0x1.74910d52d3051p+9"},
      {Function::exp, "-0x1.74910d52d3053p+9"},
      {Function::exp, "0x1.fffffffffffffp-53"},
      {Function::exp, "-0x1.5d589f2fe5107p-1022"},
      {Function::log, "0x1.62a88613629b6p+678"},
      {Function::log, "0x1.0000000000001p+0"},
      {Function::log, "0x1.fffffffffffffp-1"},
      {Function::log1p, "-0x1.fffffffffffffp-1"},
      {Function::sin, "0x1.6ac5b262ca1ffp+849"},
      {Function::cos, "0x1.6ac5b262ca1ffp+849"},
      {Function::tan, "0x1.6ac5b262ca1ffp+849"},
      {Function::sin, "0x1.921fb54442d18p+1"},
      {Function::cos, "0x1.921fb54442d18p+0"},
      {Function::tan, "0x1.921fb54442d18p+0"},
      {Function::sin, "0x1.fffffffffffffp+1023"},
      {Function::sin, "0x1.1p-1073"},
      {Function::atan, "0x1p-1074"},
      {Function::atan, "0x1.fffffffffffffp+1023"},
      {Function::acos, "0x1.fffffffffffffp-1"},
      {Function::asin, "0x1.fffffffffffffp-1"},
      {Function::acosh, "0x1.0000000000001p+0"},
      {Function::atanh, "0x1.fffffffffffffp-1"},
      {Function::tanh, "0x1.3p+4"},
      {Function::erf, "0x1.7afb48dc96626p+2"},
      {Function::erfc, "0x1.b39dc41e48bfcp+4"},
      {Function::erfc, "0x1.b39dc41e48bfdp+4"},
      {Function::gelu, "-0x1.3p+5"},
      {Function::exp2, "0x1.fffffffffffffp+9"},
      {Function::exp10, "0x1.34413509f79fep+8"},
      {Function::sinh, "0x1.633ce8fb9f87dp+9"},
      {Function::cosh, "0x1.633ce8fb9f87ep+9"},
  };
  for (const auto& [function, text] : cases)
    for (const Rounding rounding : directions) compare_at(f64, row_of(function), number(f64, text), rounding);
}
#else
TEST_CASE("rounded elementary functions equal MPFR") { std::puts("SKIPPED: MPFR is absent: rounded functions"); }
#endif
