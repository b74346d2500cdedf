// Posits: codes, the one rounding, and arithmetic in 128-bit integers with the long path where those do not reach.
#include "formats/posit/posit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace outward::posit {

Code code_of_bits(std::uint64_t bits, int n) { return static_cast<Code>(bits << (64 - n)) >> (64 - n); }

std::uint64_t bits_of_code(Code code, int n) { return static_cast<std::uint64_t>(code) << (64 - n) >> (64 - n); }

namespace {

// A magnitude as 1.fraction * 2^scale, the significand with its leading one at the top. No branch here and in what
// follows depends on a sign or a digit, which would be guessed wrong half of the time.
struct Magnitude {
  std::uint64_t significand;
  int scale;
};

// REQUIRES 0 < code.
Magnitude magnitude_of(Code code, int n) {
  std::uint64_t bits = static_cast<std::uint64_t>(code) << (65 - n);  // below the sign, left-aligned
  const std::uint64_t ones = -(bits >> 63);                           // all ones for a regime of ones
  const int run = std::min(std::countl_zero(bits ^ ones), n - 1);
  const int regime = (run - 1) ^ static_cast<int>(~ones);  // run - 1 or -run
  bits = bits << run << 1;
  return {bits << 1 | std::uint64_t{1} << 63, 4 * regime + static_cast<int>(bits >> 62)};
}

}  // namespace

Parts decode(Code code, int n) {
  if (code == 0) return {};
  const Code sign = code >> 63;
  const Magnitude x = magnitude_of((code ^ sign) - sign, n);
  const int zeros = std::countr_zero(x.significand);
  return {sign != 0, x.significand >> zeros, x.scale - 63 + zeros};
}

namespace {

__extension__ using Signed = __int128;

int length(Word x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<std::uint64_t>(x));
}

// The posit of 1.fraction * 2^scale; fraction left-aligned in 64 bits, rest: whether more nonzero bits follow. In words
// of 64 bits for n <= 32, of 128 bits for any n.
template <class W>
Code assemble(bool negative, std::int64_t scale, std::uint64_t fraction, bool rest, int n) {
  constexpr int bits = sizeof(W) * 8;
  const std::int64_t last = 4 * n - 8;
  const auto greatest_magnitude = static_cast<std::uint64_t>(greatest(n));
  std::uint64_t magnitude;
  if (scale >= last) {
    magnitude = greatest_magnitude;
  } else if (scale < -last) {
    magnitude = 1;
  } else {
    const std::int64_t regime = scale >> 2, below_one = regime >> 63;
    const auto low = static_cast<W>(scale & 3);
    // Regime, two exponent bits and the fraction behind one another: n - 1 bits are kept, the rest rounds.
    const int run = static_cast<int>(regime ^ below_one) + 1, shift = run + 1;
    W stream = low << (bits - 2);
    bool lost = rest;
    if constexpr (bits == 64) {
      stream |= fraction >> 2;
      lost |= (fraction & 3) != 0;
    } else {
      stream |= W{fraction} << 62;
    }
    lost |= (stream & ((W{1} << shift) - 1)) != 0;
    stream >>= shift;
    const W ones = ~(~W{0} >> run), one = W{1} << (bits - 1 - run), select = static_cast<W>(below_one);
    stream |= (ones & ~select) | (one & select);
    magnitude = static_cast<std::uint64_t>(stream >> (bits - (n - 1)));
    const W below = stream << (n - 1), half = W{1} << (bits - 1);
    magnitude += (below > half) | ((below == half) & (lost | ((magnitude & 1) != 0)));
    magnitude = std::min(magnitude, greatest_magnitude);
  }
  const Code sign = -static_cast<Code>(negative);
  return (static_cast<Code>(magnitude) ^ sign) - sign;
}

Code round_short(bool negative, std::uint64_t significand, std::int64_t exponent, bool sticky, int n) {
  const int zeros = std::countl_zero(significand);
  const std::uint64_t fraction = significand << zeros << 1;  // the leading one shifted out
  return n <= 32 ? assemble<std::uint64_t>(negative, exponent + 63 - zeros, fraction, sticky, n)
                 : assemble<Word>(negative, exponent + 63 - zeros, fraction, sticky, n);
}

}  // namespace

Code round(bool negative, Word significand, std::int64_t exponent, bool sticky, int n) {
  if (significand >> 64 == 0)
    return round_short(negative, static_cast<std::uint64_t>(significand), exponent, sticky, n);
  const int bits = length(significand);
  const Word fraction = significand << (129 - bits);  // the leading one shifted out
  return assemble<Word>(negative, exponent + bits - 1, static_cast<std::uint64_t>(fraction >> 64),
                        sticky || static_cast<std::uint64_t>(fraction) != 0, n);
}

Code round(bool negative, const Integer& significand, std::int64_t exponent, bool sticky, int n) {
  const auto bits = static_cast<std::int64_t>(boost::multiprecision::msb(significand)) + 1;
  if (bits <= 64) return round(negative, Word{significand.convert_to<std::uint64_t>()}, exponent, sticky, n);
  const auto drop = static_cast<unsigned>(bits - 65);
  const Integer top = significand >> drop;
  sticky |= drop > 0 && static_cast<unsigned>(boost::multiprecision::lsb(significand)) < drop;
  const Word word = Word{Integer(top >> 32).convert_to<std::uint64_t>()} << 32 |
                    Integer(top & 0xffffffffu).convert_to<std::uint64_t>();
  return round(negative, word, exponent + drop, sticky, n);
}

Code negate(Code a, int n) { return a == not_a_real(n) ? a : -a; }
Code absolute(Code a, int n) { return a == not_a_real(n) || a >= 0 ? a : -a; }

Code multiply(Code a, Code b, int n) {
  if (a == not_a_real(n) || b == not_a_real(n)) return not_a_real(n);
  if (a == 0 || b == 0) return 0;
  const Parts x = decode(a, n), y = decode(b, n);
  if (n <= 32)  // significands of at most 28 bits
    return round_short(x.negative != y.negative, x.significand * y.significand, std::int64_t{x.exponent} + y.exponent,
                       false, n);
  return round(x.negative != y.negative, Word{x.significand} * y.significand, std::int64_t{x.exponent} + y.exponent,
               false, n);
}

namespace {

// Exact sum, rounded, in words of 64 bits (n <= 32, significands of 1 to 56 bits) or 128 bits (significands of 1 to
// 60).
template <class W>
Code add_parts(Parts x, Parts y, int n) {
  // x the larger magnitude, its significand left-aligned in 62 or 125 bits.
  const int zeros_x = std::countl_zero(x.significand), zeros_y = std::countl_zero(y.significand);
  const int top_x = x.exponent - zeros_x, top_y = y.exponent - zeros_y;
  int zeros = zeros_x;
  if (top_x < top_y || (top_x == top_y && x.significand << zeros_x < y.significand << zeros_y)) {
    std::swap(x, y);
    zeros = zeros_y;
  }
  const int room = zeros + (sizeof(W) == 8 ? -2 : 61);
  const int base = x.exponent - room, shift = y.exponent - base;
  W high = W{x.significand} << room, low;
  bool sticky = false;  // of y below the unit: then x is longer than y by at least 5 bits, and than n bits
  if (shift >= 0) {
    low = W{y.significand} << shift;  // at most high
  } else {
    const int drop = -shift;
    low = drop < 64 ? W{y.significand >> drop} : W{0};
    sticky = drop >= 64 || (y.significand & ((std::uint64_t{1} << drop) - 1)) != 0;
  }
  if (x.negative == y.negative) {
    high += low;
  } else {
    high -= low;
    if (sticky) --high;
  }
  if (high == 0) return 0;
  if constexpr (sizeof(W) == 8)
    return round_short(x.negative, high, base, sticky, n);
  else
    return round(x.negative, high, base, sticky, n);
}

// The sum of posits of at most 32 bits; codes are ordered like the magnitudes. REQUIRES neither NaR nor 0.
Code add_short(Code a, Code b, int n) {
  const Code sign_a = a >> 63, sign_b = b >> 63, all_a = (a ^ sign_a) - sign_a, all_b = (b ^ sign_b) - sign_b;
  const Magnitude x = magnitude_of(std::max(all_a, all_b), n), y = magnitude_of(std::min(all_a, all_b), n);
  // Significands of at most 28 bits, one place free above: what leaves the word below is beyond all that is kept.
  const int shift = x.scale - y.scale, within = std::min(shift, 63);
  const std::uint64_t high = x.significand >> 1, aligned = y.significand >> 1, low = aligned >> within;
  const std::uint64_t lost = low << within != aligned, apart = static_cast<std::uint64_t>(sign_a ^ sign_b);
  const std::uint64_t sum = high + (((low + (lost & apart)) ^ apart) - apart);
  if (sum == 0) return 0;
  const int zeros = std::countl_zero(sum);
  const Code negative = all_a < all_b ? sign_b : sign_a;
  return assemble<std::uint64_t>(negative != 0, x.scale + 1 - zeros, sum << zeros << 1, lost != 0, n);
}

}  // namespace

Code add(Code a, Code b, int n) {
  if (a == not_a_real(n) || b == not_a_real(n)) return not_a_real(n);
  if (a == 0 || b == 0) return a + b;
  if (n <= 32) return add_short(a, b, n);
  return add_parts<Word>(decode(a, n), decode(b, n), n);
}

Code subtract(Code a, Code b, int n) { return add(a, negate(b, n), n); }

Code divide(Code a, Code b, int n) {
  if (a == not_a_real(n) || b == not_a_real(n) || b == 0) return not_a_real(n);
  if (a == 0) return 0;
  const Parts x = decode(a, n), y = decode(b, n);
  if (n <= 32) {  // from 62 bits by at most 28: at least 34 bits of quotient
    const int shift = std::countl_zero(x.significand) - 2;
    const std::uint64_t above = x.significand << shift, quotient = above / y.significand;
    return round_short(x.negative != y.negative, quotient, std::int64_t{x.exponent} - y.exponent - shift,
                       quotient * y.significand != above, n);
  }
  // Significands have at most 60 bits, so the quotient gets at least 65.
  const int room = std::countl_zero(x.significand) + 62;
  const Word above = Word{x.significand} << room, below = y.significand;
  const Word quotient = above / below;
  return round(x.negative != y.negative, quotient, std::int64_t{x.exponent} - y.exponent - room,
               quotient * below != above, n);
}

Code square_root(Code a, int n) {
  if (a < 0) return not_a_real(n);
  if (a == 0) return 0;
  const Parts x = decode(a, n);
  if (n <= 32) {
    // A radicand of 61 or 62 bits: the hardware's root is off by one at most, and 30 bits and the rest round well.
    int shift = std::countl_zero(x.significand) - 2;
    if ((x.exponent - shift) % 2 != 0) --shift;
    const std::uint64_t radicand = x.significand << shift;
    auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(radicand)));
    while (root * root > radicand) --root;
    while ((root + 1) * (root + 1) <= radicand) ++root;
    return round_short(false, root, (x.exponent - shift) / 2, root * root != radicand, n);
  }
  int room = std::countl_zero(x.significand) + 62;
  if ((x.exponent - room) % 2 != 0) --room;
  const Word radicand = Word{x.significand} << room;  // 125 or 126 bits: 63 in the root
  // Hardware's root and a correction by the rest; what counts is the comparison of squares.
  const auto seed = static_cast<std::int64_t>(std::sqrt(static_cast<double>(radicand)));
  const auto left = static_cast<Signed>(radicand - static_cast<Word>(seed) * static_cast<Word>(seed));
  Word root =
      static_cast<Word>(seed + static_cast<std::int64_t>(static_cast<double>(left) / (2 * static_cast<double>(seed))));
  while (root * root > radicand) --root;
  while ((root + 1) * (root + 1) <= radicand) ++root;
  return round(false, root, (x.exponent - room) / 2, root * root != radicand, n);
}

Code fused_multiply_add(Code a, Code b, Code c, int n) {
  if (a == not_a_real(n) || b == not_a_real(n) || c == not_a_real(n)) return not_a_real(n);
  if (a == 0 || b == 0) return c;
  if (c == 0) return multiply(a, b, n);
  const Parts x = decode(a, n), y = decode(b, n), z = decode(c, n);
  if (n <= 32)  // significands of at most 28 bits
    return add_parts<std::uint64_t>({x.negative != y.negative, x.significand * y.significand, x.exponent + y.exponent},
                                    z, n);
  const std::int64_t product = std::int64_t{x.exponent} + y.exponent;
  const std::int64_t base = std::min<std::int64_t>(product, z.exponent);
  Integer left = Integer(x.significand) * y.significand << static_cast<unsigned>(product - base);
  Integer right = Integer(z.significand) << static_cast<unsigned>(z.exponent - base);
  if (x.negative != y.negative) left = -left;
  if (z.negative) right = -right;
  const Integer sum = left + right;
  if (sum.is_zero()) return 0;
  return round(sum < 0, abs(sum), base, false, n);
}

}  // namespace outward::posit
