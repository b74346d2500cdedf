// binary16 and bfloat16 against the processor: + - * / and sqrt in binary64, then rounded to the format by whole
// multiples of its unit. Rounding twice is innocuous here: 53 >= 2 * 11 + 2 bits. Assumes the default rounding mode.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "formats/words/word_format.hpp"

namespace half_oracle {

using outward::Flags;
using outward::Format;
using outward::Rounding;
using outward::WordFormat;

struct Counts {
  long compared = 0, wrong = 0;
};

// The number of a code of 16 bits; the format has infinities and NaNs.
inline double number(const Format& format, unsigned code) {
  const int f = format.fraction_bits, field = static_cast<int>(code >> f) & ((1 << format.exponent_bits) - 1);
  const int fraction = static_cast<int>(code & ((1U << f) - 1));
  const double sign = (code & 0x8000U) != 0 ? -1 : 1;
  if (field == (1 << format.exponent_bits) - 1) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (field == 0) return sign * std::ldexp(fraction, 1 - static_cast<int>(format.bias) - f);
  return sign * std::ldexp((1 << f) + fraction, field - static_cast<int>(format.bias) - f);
}

// The nearest number of the format, ties to even.
inline double nearest(const Format& format, double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int least = 1 - static_cast<int>(format.bias), exponent = std::max(std::ilogb(x), least);
  const int unit = exponent - format.fraction_bits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  const double limit = std::ldexp(1.0, static_cast<int>(format.bias) + 1);
  return std::fabs(rounded) >= limit ? std::copysign(HUGE_VAL, x) : rounded;
}

inline bool same(double expected, double computed) {
  if (std::isnan(expected) || std::isnan(computed)) return std::isnan(expected) && std::isnan(computed);
  return expected == computed && std::signbit(expected) == std::signbit(computed);
}

// Roots and integral values in the directions beside nearest even, of a number and its code. Squares of both formats
// are exact in binary64; a root is never halfway between two numbers.
inline void compare_directed(const Format& format, const WordFormat& words, unsigned code, Counts& counts) {
  const double x = number(format, code);
  if (!std::isfinite(x)) return;
  const auto root = [&](Rounding rounding, Flags& flags) {
    return static_cast<unsigned>(words.square_root(code, rounding, flags));
  };
  const outward::Value value = outward::decode(format, code);
  const auto integral = [&](Rounding rounding) {
    Flags flags;
    const outward::Value out = outward::round_to_integral(format, value, rounding, true, flags);
    return number(format, static_cast<unsigned>(outward::encode(format, out)));
  };
  const double below = std::floor(x), above = std::ceil(x);
  const double odd = below == above ? x : std::fmod(below, 2) != 0 ? below : above;
  counts.wrong += !same(below, integral(Rounding::down)) + !same(above, integral(Rounding::up)) +
                  !same(std::trunc(x), integral(Rounding::toward_zero)) +
                  !same(std::round(x), integral(Rounding::nearest_away)) + !same(odd, integral(Rounding::to_odd));
  counts.compared += 5;
  if (!(x > 0)) return;
  Flags down, up, zero, to_odd, away, even;
  const unsigned least = root(Rounding::down, down), most = root(Rounding::up, up);
  const double r = number(format, least), s = number(format, most);
  const bool exact = r * r == x;
  counts.wrong += exact ? most != least : !(most == least + 1 && r * r < x && x < s * s);
  counts.wrong += (root(Rounding::toward_zero, zero) != least) +
                  (root(Rounding::to_odd, to_odd) != (exact || least % 2 == 1 ? least : most)) +
                  (root(Rounding::nearest_away, away) != root(Rounding::nearest_even, even));
  for (const Flags& flags : {down, up, zero, to_odd, away, even})
    counts.wrong += !(flags == Flags{false, false, false, false, !exact});
  counts.compared += 5;
}

inline Counts compare_unary(const Format& format) {
  const WordFormat words(format);
  Counts counts;
  for (unsigned code = 0; code < 0x10000; ++code) {
    const double x = number(format, code);
    Flags flags;
    const auto root = static_cast<unsigned>(words.square_root(code, Rounding::nearest_even, flags));
    counts.wrong += !same(nearest(format, std::sqrt(x)), number(format, root));
    const outward::Value value = outward::decode(format, code);
    const auto integral = outward::round_to_integral(format, value, Rounding::nearest_even, true, flags);
    const auto integral_code = static_cast<unsigned>(outward::encode(format, integral));
    counts.wrong += !same(std::nearbyint(x), number(format, integral_code));
    // To binary64 and back: exact, and the number itself.
    const Format wide = outward::binary(11, 52);
    const outward::Value widened = outward::convert(wide, value, Rounding::nearest_even, flags);
    const double as_double = std::bit_cast<double>(static_cast<std::uint64_t>(outward::encode(wide, widened)));
    counts.wrong += !same(x, as_double);
    counts.compared += 3;
    compare_directed(format, words, code, counts);
  }
  return counts;
}

inline Counts compare_pairs(const Format& format, long pairs, std::uint64_t seed) {
  const WordFormat words(format);
  std::mt19937_64 random(seed);
  Counts counts;
  for (long i = 0; i < pairs; ++i) {
    const std::uint64_t bits = random();
    const unsigned a = bits & 0xffff;
    unsigned b = bits >> 16 & 0xffff;
    // Half of the pairs have close exponents.
    if ((bits >> 32 & 1) != 0) b = (b & 0x80ffU) | (a & 0x7f00U);
    const double x = number(format, a), y = number(format, b);
    Flags flags;
    const auto check = [&](double expected, std::uint64_t code) {
      ++counts.compared;
      counts.wrong += !same(nearest(format, expected), number(format, static_cast<unsigned>(code)));
    };
    check(x + y, words.add(a, b, Rounding::nearest_even, flags));
    check(x - y, words.subtract(a, b, Rounding::nearest_even, flags));
    check(x * y, words.multiply(a, b, Rounding::nearest_even, flags));
    check(x / y, words.divide(a, b, Rounding::nearest_even, flags));
  }
  return counts;
}

}  // namespace half_oracle
