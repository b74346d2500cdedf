// decimal64 in 128-bit integers: see the header.
#include "formats/decimal/fast64.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "formats/decimal/codec.hpp"
#include "formats/words/carry.hpp"
#include "formats/words/long_root.hpp"

namespace outward::decimal {

namespace {

__extension__ using Word = unsigned __int128;

constexpr int digits64 = 16;
constexpr int bias64 = 398, least_exponent64 = -398, top_exponent64 = 369;

constexpr auto powers = [] {
  std::array<Word, 39> table{};
  table[0] = 1;
  for (std::size_t i = 1; i < table.size(); ++i) table[i] = table[i - 1] * 10;
  return table;
}();

struct Fields {
  bool negative = false;
  std::uint64_t coefficient = 0;
  int exponent = 0;
};

// nullopt for infinities, NaNs and codes that are not canonical.
std::optional<Fields> unpack(Code64 code) {
  Fields x{code >> 63 != 0, 0, 0};
  if ((code >> 61 & 3) != 3) {
    x.coefficient = code & ((std::uint64_t{1} << 53) - 1);
    x.exponent = static_cast<int>(code >> 53 & 1023) - bias64;
    return x;
  }
  if ((code >> 59 & 15) == 15) return std::nullopt;
  x.coefficient = (code & ((std::uint64_t{1} << 51) - 1)) | std::uint64_t{1} << 53;
  x.exponent = static_cast<int>(code >> 51 & 1023) - bias64;
  if (x.coefficient >= powers[digits64]) return std::nullopt;
  return x;
}

Code64 pack(bool negative, std::uint64_t coefficient, int exponent) {
  const Code64 sign = Code64{negative} << 63;
  const auto biased = static_cast<Code64>(exponent + bias64);
  if (coefficient < std::uint64_t{1} << 53) return sign | biased << 53 | coefficient;
  return sign | Code64{3} << 61 | biased << 51 | (coefficient & ((std::uint64_t{1} << 51) - 1));
}

int length(Word x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<std::uint64_t>(x));
}

int length(std::uint64_t x) { return 64 - std::countl_zero(x); }

// Decimal digits of x > 0: 1233/4096 is just above log10(2).
template <class W>
int digits_of(W x) {
  const int estimate = length(x) * 1233 >> 12;
  return estimate + (x >= static_cast<W>(powers[static_cast<std::size_t>(estimate)]) ? 1 : 0);
}

// Quotient and rest by a power of ten: one word, by a power up to 10^19, most often those that quotients and roots are
// cut by, which are multiplications then.
std::pair<std::uint64_t, std::uint64_t> divided(std::uint64_t x, int power) {
  const auto by = [x](std::uint64_t unit) { return std::pair{x / unit, x % unit}; };
  if (power == 2) return by(100);
  if (power == 3) return by(1000);
  return by(static_cast<std::uint64_t>(powers[static_cast<std::size_t>(power)]));
}

// Any number, by a power up to 10^38; the hardware divides when both fit in 64 bits.
std::pair<Word, Word> divided(Word x, int power) {
  const Word unit = powers[static_cast<std::size_t>(power)];
  if (x >> 64 == 0) {
    if (unit >> 64) return {0, x};
    return divided(static_cast<std::uint64_t>(x), power);
  }
  const Word quotient = x / unit;
  return {quotient, x - quotient * unit};
}

// finish() of decimal_internal.hpp for x > 0 below 10^38; nullopt when the result is not a plain normal number.
template <class W>
std::optional<Code64> finished(bool negative, W coefficient, int exponent, bool sticky, Rounding rounding,
                               Flags& flags) {
  const int digits = digits_of(coefficient);
  if (exponent + digits - 1 < least_exponent64 + digits64 - 1) return std::nullopt;  // tiny
  const int cut = digits - digits64;
  if (cut <= 0) {
    if (sticky || exponent > top_exponent64 || exponent < least_exponent64) return std::nullopt;
    return pack(negative, static_cast<std::uint64_t>(coefficient), exponent);
  }
  auto [kept_word, rest] = divided(coefficient, cut);
  auto kept = static_cast<std::uint64_t>(kept_word);
  exponent += cut;
  const bool inexact = rest != 0 || sticky;
  if (inexact) {
    const W half = static_cast<W>(powers[static_cast<std::size_t>(cut)] / 2);
    bool away = false;
    switch (rounding) {
      case Rounding::nearest_even:
        away = rest > half || (rest == half && (sticky || (kept & 1)));
        break;
      case Rounding::nearest_away:
        away = rest >= half;
        break;
      case Rounding::toward_zero:
        break;
      case Rounding::up:
        away = !negative;
        break;
      case Rounding::down:
        away = negative;
        break;
      case Rounding::to_odd:
        away = kept % 5 == 0;
        break;
    }
    if (away && ++kept == powers[digits64]) {
      kept = static_cast<std::uint64_t>(powers[digits64 - 1]);
      ++exponent;
    }
  }
  if (exponent > top_exponent64) return std::nullopt;
  flags.inexact |= inexact;
  return pack(negative, kept, exponent);
}

Context context_for(Rounding rounding) {
  Context context = decimal64;
  context.rounding = rounding;
  return context;
}

Number general(Code64 code) { return decode(Integer(code), 64, Encoding::bid); }
Code64 code_of(const Number& x) { return encode(x, 64, Encoding::bid).convert_to<Code64>(); }

// Exact sum of x (below 10^32, not zero) and y, rounded; nullopt when 128 bits do not hold it.
std::optional<Code64> sum(bool x_negative, Word x, int x_exponent, bool y_negative, Word y, int y_exponent,
                          Rounding rounding, Flags& flags) {
  if (x_exponent < y_exponent) {
    std::swap(x, y);
    std::swap(x_exponent, y_exponent);
    std::swap(x_negative, y_negative);
  }
  if (x == 0 || y == 0) return std::nullopt;
  const int gap = x_exponent - y_exponent;
  if (gap > 37 - digits_of(x)) return std::nullopt;
  const Word left = x * powers[static_cast<std::size_t>(gap)];
  if (x_negative == y_negative) {
    if (digits_of(y) > 37) return std::nullopt;
    return finished(x_negative, left + y, y_exponent, false, rounding, flags);
  }
  if (left == y) return std::nullopt;
  return left > y ? finished(x_negative, left - y, y_exponent, false, rounding, flags)
                  : finished(y_negative, y - left, y_exponent, false, rounding, flags);
}

}  // namespace

Code64 add64(Code64 a, Code64 b, Rounding rounding, Flags& flags) {
  const auto x = unpack(a), y = unpack(b);
  if (x && y)
    if (const auto code =
            sum(x->negative, x->coefficient, x->exponent, y->negative, y->coefficient, y->exponent, rounding, flags))
      return *code;
  return code_of(add(general(a), general(b), context_for(rounding), flags));
}

Code64 multiply64(Code64 a, Code64 b, Rounding rounding, Flags& flags) {
  const auto x = unpack(a), y = unpack(b);
  if (x && y && x->coefficient && y->coefficient)
    if (const auto code = finished(x->negative != y->negative, Word{x->coefficient} * y->coefficient,
                                   x->exponent + y->exponent, false, rounding, flags))
      return *code;
  return code_of(multiply(general(a), general(b), context_for(rounding), flags));
}

Code64 divide64(Code64 a, Code64 b, Rounding rounding, Flags& flags) {
  const auto x = unpack(a), y = unpack(b);
  if (x && y && x->coefficient && y->coefficient) {
    // At least 18 digits of quotient from at most 34 digits of dividend.
    const int scale = std::max(0, 18 + digits_of(y->coefficient) - digits_of(x->coefficient));
    const Word dividend = x->coefficient * powers[static_cast<std::size_t>(scale)];
    std::uint64_t quotient = words::divide_pair(dividend, y->coefficient);  // below 10^19
    const bool sticky = Word{quotient} * y->coefficient != dividend;
    int exponent = x->exponent - y->exponent - scale;
    if (!sticky) {  // trailing zeros go up to the preferred exponent
      for (int zeros = 0; zeros < scale; ++zeros, ++exponent) {
        const auto [shorter, rest] = divided(quotient, 1);
        if (rest != 0) break;
        quotient = shorter;
      }
    }
    if (const auto code = finished(x->negative != y->negative, quotient, exponent, sticky, rounding, flags))
      return *code;
  }
  return code_of(divide(general(a), general(b), context_for(rounding), flags));
}

Code64 square_root64(Code64 a, Rounding rounding, Flags& flags) {
  const auto x = unpack(a);
  if (x && x->coefficient && !x->negative) {
    int scale = 35 - digits_of(x->coefficient);
    if ((x->exponent - scale) % 2 != 0) ++scale;
    const Word radicand = x->coefficient * powers[static_cast<std::size_t>(scale)];
    // The root of 4^by times as much, which has the top bits that the function of words asks for.
    const int by = (128 - length(radicand)) / 2;
    Word rest = 0;
    const std::uint64_t root = words::root_of_pair(radicand << 2 * by, rest) >> by;
    // Exact roots have a preferred exponent of their own: the general path.
    if (Word{root} * root != radicand)
      if (const auto code = finished(false, root, (x->exponent - scale) / 2, true, rounding, flags)) return *code;
  }
  return code_of(square_root(general(a), context_for(rounding), flags));
}

Code64 fused_multiply_add64(Code64 a, Code64 b, Code64 c, Rounding rounding, Flags& flags) {
  const auto x = unpack(a), y = unpack(b), z = unpack(c);
  if (x && y && z && x->coefficient && y->coefficient)
    if (const auto code = sum(x->negative != y->negative, Word{x->coefficient} * y->coefficient,
                              x->exponent + y->exponent, z->negative, z->coefficient, z->exponent, rounding, flags))
      return *code;
  return code_of(fused_multiply_add(general(a), general(b), general(c), context_for(rounding), flags));
}

}  // namespace outward::decimal
