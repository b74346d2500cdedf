// Every format of at most 8 bits: all operands, all operations of two, all rounding directions, against exact
// arithmetic written apart from the kernels (small_spec.hpp). Products and sums of three: all operands up to 5 bits.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "formats/operations.hpp"
#include "test/formats/small_spec.hpp"

using namespace outward;
using small_spec::Answer;
using small_spec::Spec;

namespace {

constexpr std::array all_roundings{Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero,
                                   Rounding::up,           Rounding::down,         Rounding::to_odd};

// All formats of at most `bits` bits, with the bias their convention implies.
std::vector<Format> formats_up_to(int bits) {
  std::vector<Format> formats;
  for (int e = 2; e <= 6; ++e)
    for (int f = 1; 1 + e + f <= bits; ++f)
      for (Convention convention : {Convention::ieee, Convention::fn, Convention::fnuz, Convention::finite})
        formats.push_back({e, f, default_bias(e, convention), convention});
  return formats;
}

// Counts comparisons; the first differences are shown.
struct Tally {
  const Spec& spec;
  const std::vector<Value>& values;
  const Format& format;
  long compared = 0, wrong = 0;

  void compare(const char* operation, int a, int b, Rounding rounding, const Value& value, const Flags& flags,
               const Answer& answer) {
    ++compared;
    if (flags == answer.flags && identical(value, values[static_cast<std::size_t>(answer.code)])) return;
    if (++wrong <= 3)
      MESSAGE(format_text(format) << " " << operation << " " << a << " " << b << " rounding "
                                  << static_cast<int>(rounding) << ": expected code " << answer.code << ", got "
                                  << encode(format, value) << (flags == answer.flags ? "" : ", flags differ"));
  }
};

std::vector<Value> values_of(const Format& format) {
  std::vector<Value> values;
  for (int code = 0; code < 1 << format.width(); ++code) values.push_back(decode(format, code));
  return values;
}

void all_pairs(const Format& format, long& compared, long& wrong) {
  const Spec spec(format);
  const std::vector<Value> values = values_of(format);
  Tally tally{spec, values, format};
  const int codes = spec.codes();
  for (int a = 0; a < codes; ++a) {
    const Value& x = values[static_cast<std::size_t>(a)];
    CHECK(encode(format, x) == a);
    for (Rounding rounding : all_roundings) {
      Flags flags;
      const Value root = square_root(format, x, rounding, flags);
      tally.compare("sqrt", a, 0, rounding, root, flags, spec.square_root(a, rounding));
    }
    for (int b = 0; b < codes; ++b) {
      const Value& y = values[static_cast<std::size_t>(b)];
      for (Rounding rounding : all_roundings) {
        const auto check = [&](const char* name, const auto& operation, const Answer& answer) {
          Flags flags;
          const Value value = operation(format, x, y, rounding, flags);
          tally.compare(name, a, b, rounding, value, flags, answer);
        };
        check("add", add, spec.add(a, b, false, rounding));
        check("sub", subtract, spec.add(a, b, true, rounding));
        check("mul", multiply, spec.multiply(a, b, rounding));
        check("div", divide, spec.divide(a, b, rounding));
      }
      Flags flags;
      const Value rest = remainder(format, x, y, Rounding::nearest_even, flags);
      tally.compare("rem", a, b, Rounding::nearest_even, rest, flags, spec.remainder(a, b));
      Flags quiet;
      const Order order = compare_quiet(x, y, quiet);
      const int expected = spec.compare(a, b);
      tally.wrong += order != (expected == 2  ? Order::unordered
                               : expected < 0 ? Order::less
                               : expected > 0 ? Order::greater
                                              : Order::equal);
      tally.wrong += quiet.invalid != (spec.number(a).signalling || spec.number(b).signalling);
      ++tally.compared;
      if (expected == 2) continue;
      // Minimum and maximum: by value, -0 below +0.
      const bool less = expected < 0 || (expected == 0 && spec.number(a).negative && !spec.number(b).negative);
      const bool equal_codes = expected == 0 && spec.number(a).negative == spec.number(b).negative;
      Flags none;
      const Value least = minimum(format, x, y, Rounding::nearest_even, none);
      const Value most = maximum_number(format, x, y, Rounding::nearest_even, none);
      if (!format.saturate && !format.flush) {
        tally.wrong += !identical(least, less || equal_codes ? x : y);
        tally.wrong += !identical(most, less && !equal_codes ? y : x);
      }
    }
  }
  compared += tally.compared;
  wrong += tally.wrong;
}

}  // namespace

TEST_CASE("all formats of at most 8 bits: all pairs of operands, all rounding directions") {
  long formats = 0, compared = 0, wrong = 0;
  for (const Format& format : formats_up_to(8)) {
    all_pairs(format, compared, wrong);
    ++formats;
  }
  MESSAGE("small formats: " << formats << " formats, " << compared << " results, " << wrong << " wrong");
  CHECK(formats == 60);
  CHECK(compared > 30'000'000);
  CHECK(wrong == 0);
}

TEST_CASE("small formats with other biases, saturation and flush to zero: all pairs") {
  long compared = 0, wrong = 0;
  std::vector<Format> formats;
  for (Format format : formats_up_to(6)) {
    for (std::int64_t bias : {std::int64_t{1}, format.bias + 1}) {
      format.bias = bias;
      if (impossible(format).empty()) formats.push_back(format);
    }
    format.bias = default_bias(format.exponent_bits, format.convention);
    for (int options = 1; options < 4; ++options) {
      format.saturate = options % 2 == 1;
      format.flush = options >= 2;
      formats.push_back(format);
    }
  }
  formats.push_back(parse_format("e4m3b11fnuz"));
  for (const Format& format : formats) all_pairs(format, compared, wrong);
  MESSAGE("biases and options: " << formats.size() << " formats, " << compared << " results, " << wrong << " wrong");
  CHECK(wrong == 0);
}

TEST_CASE("fused multiply-add: all triples up to 5 bits, random ones up to 8") {
  long compared = 0, wrong = 0;
  std::mt19937_64 random(5);
  for (const Format& format : formats_up_to(8)) {
    const Spec spec(format);
    const std::vector<Value> values = values_of(format);
    Tally tally{spec, values, format};
    const int codes = spec.codes();
    const bool all = format.width() <= 5;
    const long triples = all ? static_cast<long>(codes) * codes * codes : 10000;
    for (long i = 0; i < triples; ++i) {
      const auto number = all ? static_cast<std::uint64_t>(i) : random();
      const int a = static_cast<int>(number % static_cast<unsigned>(codes));
      const int b = static_cast<int>(number / static_cast<unsigned>(codes) % static_cast<unsigned>(codes));
      const int c = static_cast<int>(number / static_cast<unsigned>(codes) / static_cast<unsigned>(codes) %
                                     static_cast<unsigned>(codes));
      for (Rounding rounding : all_roundings) {
        Flags flags;
        const Value value =
            fused_multiply_add(format, values[static_cast<std::size_t>(a)], values[static_cast<std::size_t>(b)],
                               values[static_cast<std::size_t>(c)], rounding, flags);
        tally.compare("fma", a * codes + b, c, rounding, value, flags, spec.fused(a, b, c, rounding));
      }
    }
    compared += tally.compared;
    wrong += tally.wrong;
  }
  MESSAGE("fused multiply-add of small formats: " << compared << " results, " << wrong << " wrong");
  CHECK(wrong == 0);
}
