// Word arithmetic: see the header. Multi-word numbers are arrays, least significant word first.
#include "formats/words/fixed.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "formats/words/carry.hpp"
#include "formats/words/long_root.hpp"

namespace outward {
namespace {

using Word = std::uint64_t;
using Double = unsigned __int128;
template <int W>
using Words = std::array<Word, W>;

template <int W>
bool any_below(const Words<W>& x, int bits) {
  for (int i = 0; i < bits / 64; ++i)
    if (x[static_cast<std::size_t>(i)] != 0) return true;
  return bits % 64 != 0 && (x[static_cast<std::size_t>(bits / 64)] << (64 - bits % 64)) != 0;
}

// x >> bits; true if a 1 is lost.
template <int W>
[[gnu::noinline]] bool shift_far_right(Words<W>& x, std::int64_t bits) {
  if (bits >= 64 * W) {
    bool lost = false;
    for (Word& word : x) {
      lost = lost || word != 0;
      word = 0;
    }
    return lost;
  }
  const bool lost = any_below<W>(x, static_cast<int>(bits));
  const std::size_t whole = static_cast<std::size_t>(bits / 64);
  const int rest = static_cast<int>(bits % 64);
  for (std::size_t i = 0; i < W; ++i) {
    const Word low = i + whole < W ? x[i + whole] : 0, high = i + whole + 1 < W ? x[i + whole + 1] : 0;
    x[i] = low >> rest | high << 1 << (63 - rest);
  }
  return lost;
}

// Shifts by less than a word come first: no branch depends on the numbers, which would be guessed wrong half of the
// time.
template <int W>
[[gnu::always_inline]] inline bool shift_right(Words<W>& x, std::int64_t bits) {
  if (bits >= 64) [[unlikely]]
    return shift_far_right<W>(x, bits);
  const int by = static_cast<int>(bits);
  const bool lost = x[0] << 1 << (63 - by) != 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i + 1 < W; ++i) x[i] = x[i] >> by | x[i + 1] << 1 << (63 - by);
  x[W - 1] >>= by;
  return lost;
}

// Shifts left until the top bit is set; returns by how much. REQUIRES x != 0.
template <int W>
[[gnu::noinline]] int normalise_far(Words<W>& x) {
  std::size_t top = W - 1;
  while (x[top] == 0) --top;
  const int rest = std::countl_zero(x[top]);
  const std::size_t whole = W - 1 - top;
  for (std::size_t i = W; i-- > 0;) {
    const Word high = i >= whole ? x[i - whole] : 0, low = i >= whole + 1 ? x[i - whole - 1] : 0;
    x[i] = high << rest | low >> 1 >> (63 - rest);
  }
  return static_cast<int>(whole) * 64 + rest;
}

template <int W>
[[gnu::always_inline]] inline int normalise(Words<W>& x) {
  if (x[W - 1] == 0) [[unlikely]]
    return normalise_far<W>(x);
  const int by = std::countl_zero(x[W - 1]);
#pragma GCC unroll 8
  for (std::size_t i = W - 1; i > 0; --i) x[i] = x[i] << by | x[i - 1] >> 1 >> (63 - by);
  x[0] <<= by;
  return by;
}

template <int W>
[[gnu::always_inline]] inline bool less(const Words<W>& x, const Words<W>& y) {
  unsigned char borrow = 0;
  Word ignored = 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < W; ++i) borrow = words::subtract_word(borrow, x[i], y[i], ignored);
  return borrow != 0;
}

// x += y; the carry.
template <int W>
[[gnu::always_inline]] inline bool add_to(Words<W>& x, const Words<W>& y) {
  unsigned char carry = 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < W; ++i) carry = words::add_word(carry, x[i], y[i], x[i]);
  return carry != 0;
}

// x -= y + borrow. REQUIRES that the result is not negative.
template <int W>
[[gnu::always_inline]] inline void subtract_from(Words<W>& x, const Words<W>& y, bool borrow) {
  unsigned char out = borrow ? 1 : 0;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < W; ++i) out = words::subtract_word(out, x[i], y[i], x[i]);
}

template <int N>
[[gnu::always_inline]] inline Words<2 * N> product(const Words<N>& x, const Words<N>& y) {
  Words<2 * N> result{};
#pragma GCC unroll 4
  for (std::size_t i = 0; i < N; ++i) {
    Word carry = 0;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < N; ++j) {
      const Double t = static_cast<Double>(x[i]) * y[j] + result[i + j] + carry;
      result[i + j] = static_cast<Word>(t);
      carry = static_cast<Word>(t >> 64);
    }
    result[i + N] = carry;
  }
  return result;
}

// Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D: u / v with v normalised and the upper half of u below
// v. Leaves the remainder in the lower half of u.
template <int N>
Words<N> quotient(Words<2 * N>& u, const Words<N>& v) {
  Words<N> q{};
  const Word top = v[N - 1];
  for (std::size_t j = N; j-- > 0;) {
    // The window is u[j .. j + N]; the remainder stays below v.
    const Double head = (static_cast<Double>(u[j + N]) << 64) | u[j + N - 1];
    Double guess = u[j + N] >= top ? ~Word{0} : words::divide_pair(head, top);
    if constexpr (N > 1) {
      Double rest = head - guess * top;
      while ((rest >> 64) == 0 && guess * v[N - 2] > ((rest << 64) | u[j + N - 2])) {
        --guess;
        rest += top;
      }
    }
    Word borrow = 0, carry = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const Double t = guess * v[i] + carry;
      carry = static_cast<Word>(t >> 64);
      const Double d = static_cast<Double>(u[i + j]) - static_cast<Word>(t) - borrow;
      u[i + j] = static_cast<Word>(d);
      borrow = (d >> 64) != 0 ? 1 : 0;
    }
    const Double d = static_cast<Double>(u[j + N]) - carry - borrow;
    u[j + N] = static_cast<Word>(d);
    if ((d >> 64) != 0) {
      --guess;
      Word back = 0;
      for (std::size_t i = 0; i < N; ++i) {
        const Double t = static_cast<Double>(u[i + j]) + v[i] + back;
        u[i + j] = static_cast<Word>(t);
        back = static_cast<Word>(t >> 64);
      }
      u[j + N] += back;
    }
    q[j] = static_cast<Word>(guess);
  }
  return q;
}

template <int N>
struct Root {
  Words<N> root;
  Words<N> rest;
  Word above;  // of the rest, beyond its N words
};

// x = root^2 + rest by halves (Zimmermann, Karatsuba Square Root, INRIA RR-3805). Without `exactly` the root may be one
// too large and the rest is none. REQUIRES one of the two top bits of x set.
template <int N, bool exactly>
[[gnu::always_inline]] inline Root<N> root_of(const Words<2 * N>& x) {
  Root<N> out;
  if constexpr (N == 1) {
    Double rest = 0;
    out.root[0] = words::root_of_pair(static_cast<Double>(x[1]) << 64 | x[0], rest);
    out.rest[0] = static_cast<Word>(rest);
    out.above = static_cast<Word>(rest >> 64);
  } else {
    constexpr std::size_t half = N / 2;
    Words<N> top, dividend;
    std::copy(x.begin() + N, x.end(), top.begin());
    const Root<half> upper = root_of<half, true>(top);
    // The rest of the upper half with the next words behind it, halved, by the root of the upper half.
    std::copy(x.begin() + half, x.begin() + N, dividend.begin());
    std::copy(upper.rest.begin(), upper.rest.end(), dividend.begin() + half);
    const Word last = dividend[0] & 1;
    shift_right<N>(dividend, 1);
    dividend[N - 1] |= upper.above << 63;
    Words<half> second, rest;
    std::copy(dividend.begin() + half, dividend.end(), rest.begin());
    Word above = 0;
    if (less<half>(rest, upper.root)) [[likely]] {
      second = quotient<half>(dividend, upper.root);
      std::copy(dividend.begin(), dividend.begin() + half, rest.begin());
    } else {  // all ones, and a rest of one divisor more
      second.fill(~Word{0});
      std::copy(dividend.begin(), dividend.begin() + half, rest.begin());
      above = add_to<half>(rest, upper.root) ? 2 : 0;
    }
    std::copy(second.begin(), second.end(), out.root.begin());
    std::copy(upper.root.begin(), upper.root.end(), out.root.begin() + half);
    if constexpr (exactly) {
      above += rest[half - 1] >> 63;
      for (std::size_t i = half - 1; i > 0; --i) rest[i] = rest[i] << 1 | rest[i - 1] >> 63;
      rest[0] = rest[0] << 1 | last;
      std::copy(x.begin(), x.begin() + half, out.rest.begin());
      std::copy(rest.begin(), rest.end(), out.rest.begin() + half);
      const Words<N> square = product<half>(second, second);
      if (less<N>(out.rest, square)) --above;
      subtract_from<N>(out.rest, square, false);
      if (above == ~Word{0}) {  // below 0: the root is one too large
        Words<N> one{1};
        subtract_from<N>(out.root, one, false);
        for (int k = 0; k < 2; ++k) above += add_to<N>(out.rest, out.root) ? 1 : 0;
        above += add_to<N>(out.rest, one) ? 1 : 0;
      }
      out.above = above;
    }
  }
  return out;
}

template <std::size_t W>
Integer integer_of(const std::array<Word, W>& words) {
  Integer value;
  for (std::size_t i = W; i-- > 0;) value = (value << 64) | words[i];
  return value;
}

}  // namespace

template <int N>
FixedArithmetic<N>::FixedArithmetic(const Format& format) : format_(format) {
  if (format.precision() > 64 * N - 2) throw std::logic_error("FixedArithmetic: the precision needs more words");
  least_ = format.least_exponent();
  // Formats that have codes of the greatest exponent which are no numbers leave that exponent to the generic path; so
  // do formats without fraction bits altogether.
  greatest_ = format.greatest_exponent() - (format.convention == Convention::fn ? 1 : 0);
  if (format.convention == Convention::scale) greatest_ = least_ - 1;
  cut_ = 64 * N - format.precision();
}

template <int N>
Fixed<N> FixedArithmetic<N>::number(const Value& value) const {
  Fixed<N> result{value.kind, value.negative, 0, {}};
  const Integer& number = value.kind == ValueKind::finite ? value.significand : value.payload;
  if (number.is_zero()) return result;
  if (msb(number) >= 64 * N) throw std::logic_error("FixedArithmetic: the value needs more words");
  export_bits(number, result.words.begin(), 64, false);
  if (value.kind == ValueKind::finite) {
    result.exponent = floor_log2(value);
    normalise<N>(result.words);
  }
  return result;
}

template <int N>
Value FixedArithmetic<N>::value(const Fixed<N>& x) const {
  Value result{x.kind, x.negative, 0, 0, 0};
  if (x.is_nan_kind()) result.payload = integer_of(x.words);
  if (x.kind == ValueKind::finite) {
    result.significand = integer_of(x.words);
    const unsigned zeros = lsb(result.significand);
    result.significand >>= zeros;
    result.exponent = x.exponent - (64 * N - 1) + zeros;
  }
  return result;
}

template <int N>
template <int W>
[[gnu::noinline, gnu::cold]] Fixed<N> FixedArithmetic<N>::rounded_generically(bool negative, std::int64_t exponent,
                                                                              Words<W> words, bool sticky,
                                                                              Rounding rounding, Flags& flags) const {
  return number(round(format_, Exact{negative, integer_of(words), exponent - (64 * W - 1), sticky}, rounding, flags));
}

template <int N>
[[gnu::noinline, gnu::cold]] Fixed<N> FixedArithmetic<N>::cancelled(Rounding rounding, Flags& flags) const {
  return number(round(format_, Exact{rounding == Rounding::down}, rounding, flags));
}

// Other directions, and precisions whose last bit is not in the lowest word.
template <int N>
template <int W>
[[gnu::noinline]] Fixed<N> FixedArithmetic<N>::rounded_anyhow(bool negative, std::int64_t exponent,
                                                              const Words<W>& words, bool sticky, Rounding rounding,
                                                              Flags& flags) const {
  Fixed<N> result{ValueKind::finite, negative, exponent, {}};
  std::copy(words.end() - N, words.end(), result.words.begin());
  bool rest = sticky;
  for (std::size_t i = 0; i < W - N; ++i) rest = rest || words[i] != 0;
  const std::size_t at = static_cast<std::size_t>(cut_ / 64);
  const Word unit = Word{1} << (cut_ % 64);
  const int below = cut_ - 1;
  const bool half = (result.words[static_cast<std::size_t>(below / 64)] >> (below % 64) & 1) != 0;
  rest = rest || any_below<N>(result.words, below);
  if (!half && !rest) return result;
  const bool odd = (result.words[at] & unit) != 0;
  for (std::size_t i = 0; i < at; ++i) result.words[i] = 0;
  result.words[at] &= ~(unit - 1);
  if (increments(rounding, negative, odd, half, rest)) {
    std::size_t i = at;
    Word step = unit;
    for (; i < N; ++i, step = 1) {
      result.words[i] += step;
      if (result.words[i] >= step) break;
    }
    if (i == N) {  // all ones: the next power of two
      if (exponent == greatest_) return rounded_generically<W>(negative, exponent, words, sticky, rounding, flags);
      result.words[N - 1] = Word{1} << 63;
      ++result.exponent;
    }
  }
  flags.inexact = true;
  return result;
}

template <int N>
template <int W>
[[gnu::always_inline]] inline Fixed<N> FixedArithmetic<N>::rounded(bool negative, std::int64_t exponent,
                                                                   const Words<W>& words, bool sticky,
                                                                   Rounding rounding, Flags& flags) const {
  if (exponent < least_ || exponent > greatest_) [[unlikely]]
    return rounded_generically<W>(negative, exponent, words, sticky, rounding, flags);
  if (cut_ >= 64 || rounding != Rounding::nearest_even) [[unlikely]]
    return rounded_anyhow<W>(negative, exponent, words, sticky, rounding, flags);
  // Words on their own and one value at the end: a value filled in and copied would wait for its parts to be stored.
  Words<N> out;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < N; ++i) out[i] = words[W - N + i];
  Word lower = sticky ? 1 : 0;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < W - N; ++i) lower |= words[i];
  const Word unit = Word{1} << cut_, half = unit >> 1, low = out[0] & (unit - 1);
  const bool up = (low > half) | ((low == half) & ((lower != 0) | ((out[0] & unit) != 0)));
  unsigned char carry = words::add_word(0, out[0] - low, (up ? 1U : 0U) * unit, out[0]);
#pragma GCC unroll 4
  for (std::size_t i = 1; i < N; ++i) carry = words::add_word(carry, out[i], 0, out[i]);
  if (carry != 0) [[unlikely]] {  // all ones: the next power of two
    if (exponent == greatest_) return rounded_generically<W>(negative, exponent, words, sticky, rounding, flags);
    out[N - 1] = Word{1} << 63;
    ++exponent;
  }
  flags.inexact = flags.inexact | ((low | lower) != 0);
  return {ValueKind::finite, negative, exponent, out};
}

template <int N>
template <int W>
Fixed<N> FixedArithmetic<N>::sum(bool negative_x, std::int64_t exponent_x, const Words<W>& first, bool negative_y,
                                 std::int64_t exponent_y, const Words<W>& second, Rounding rounding,
                                 Flags& flags) const {
  const bool swap = (exponent_x < exponent_y) | ((exponent_x == exponent_y) & less<W>(first, second));
  const Words<W>&larger = swap ? second : first, &smaller = swap ? first : second;
  Words<W> x, y;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < W; ++i) {
    x[i] = larger[i];
    y[i] = smaller[i];
  }
  const std::int64_t apart = exponent_x < exponent_y ? exponent_y - exponent_x : exponent_x - exponent_y;
  exponent_x = std::max(exponent_x, exponent_y);
  const bool negative = swap ? negative_y : negative_x;
  bool sticky = shift_right<W>(y, apart);
  if (negative_x == negative_y) {
    const Word carry = add_to<W>(x, y) ? 1 : 0;
    sticky |= (x[0] & carry) != 0;
#pragma GCC unroll 8
    for (std::size_t i = 0; i + 1 < W; ++i) x[i] = x[i] >> carry | x[i + 1] << 1 << (63 - carry);
    x[W - 1] = x[W - 1] >> carry | carry << 63;
    return rounded<W>(negative, exponent_x + static_cast<std::int64_t>(carry), x, sticky, rounding, flags);
  }
  subtract_from<W>(x, y, sticky);
  if (x[W - 1] == 0 && std::all_of(x.begin(), x.end(), [](Word word) { return word == 0; }))
    return cancelled(rounding, flags);
  exponent_x -= normalise<W>(x);
  return rounded<W>(negative, exponent_x, x, sticky, rounding, flags);
}

template <int N>
[[gnu::noinline, gnu::cold]] Fixed<N> FixedArithmetic<N>::generic(GenericOperation operation, const Fixed<N>& a,
                                                                  const Fixed<N>& b, Rounding rounding,
                                                                  Flags& flags) const {
  return number(operation(format_, value(a), value(b), rounding, flags));
}

template <int N>
Fixed<N> FixedArithmetic<N>::add(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding, Flags& flags) const {
  if (a.kind == ValueKind::finite && b.kind == ValueKind::finite)
    return sum<N>(a.negative, a.exponent, a.words, b.negative, b.exponent, b.words, rounding, flags);
  return generic(outward::add, a, b, rounding, flags);
}

template <int N>
Fixed<N> FixedArithmetic<N>::subtract(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding, Flags& flags) const {
  if (a.kind == ValueKind::finite && b.kind == ValueKind::finite)
    return sum<N>(a.negative, a.exponent, a.words, !b.negative, b.exponent, b.words, rounding, flags);
  return generic(outward::subtract, a, b, rounding, flags);
}

template <int N>
Fixed<N> FixedArithmetic<N>::multiply(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding, Flags& flags) const {
  if (a.kind != ValueKind::finite || b.kind != ValueKind::finite)
    return generic(outward::multiply, a, b, rounding, flags);
  Words<2 * N> words = product<N>(a.words, b.words);
  const std::int64_t exponent = a.exponent + b.exponent + 1 - normalise<2 * N>(words);
  return rounded<2 * N>(a.negative != b.negative, exponent, words, false, rounding, flags);
}

template <int N>
Fixed<N> FixedArithmetic<N>::divide(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding, Flags& flags) const {
  if (a.kind != ValueKind::finite || b.kind != ValueKind::finite)
    return generic(outward::divide, a, b, rounding, flags);
  Words<2 * N> u{};
  std::copy(a.words.begin(), a.words.end(), u.begin() + N);
  std::int64_t exponent = a.exponent - b.exponent;
  if (less<N>(a.words, b.words))
    --exponent;
  else
    shift_right<2 * N>(u, 1);
  const Words<N> q = quotient<N>(u, b.words);
  const bool sticky = std::any_of(u.begin(), u.begin() + N, [](Word word) { return word != 0; });
  return rounded<N>(a.negative != b.negative, exponent, q, sticky, rounding, flags);
}

template <int N>
Fixed<N> FixedArithmetic<N>::square_root(const Fixed<N>& a, Rounding rounding, Flags& flags) const {
  if (a.kind == ValueKind::finite && !a.negative) {
    const bool odd = (a.exponent & 1) != 0;
    const std::int64_t exponent = (a.exponent - (odd ? 1 : 0)) / 2;
    Words<2 * N> x{};
    std::copy(a.words.begin(), a.words.end(), x.begin() + N);
    if (!odd) shift_right<2 * N>(x, 1);
    const Words<N> nearly = root_of<N, false>(x).root;
    // One less has the same bits down to half a unit, and the root is not exact: there are others behind them.
    if ((nearly[0] & ((Word{1} << std::min(cut_ - 1, 63)) - 1)) >= 2) [[likely]]
      return rounded<N>(false, exponent, nearly, true, rounding, flags);
    const Root<N> exactly = root_of<N, true>(x);
    const bool sticky =
        exactly.above != 0 || std::any_of(exactly.rest.begin(), exactly.rest.end(), [](Word w) { return w != 0; });
    return rounded<N>(false, exponent, exactly.root, sticky, rounding, flags);
  }
  return number(outward::square_root(format_, value(a), rounding, flags));
}

template <int N>
Fixed<N> FixedArithmetic<N>::fused_multiply_add(const Fixed<N>& a, const Fixed<N>& b, const Fixed<N>& c,
                                                Rounding rounding, Flags& flags) const {
  if (a.kind != ValueKind::finite || b.kind != ValueKind::finite || c.kind != ValueKind::finite)
    return number(outward::fused_multiply_add(format_, value(a), value(b), value(c), rounding, flags));
  Words<2 *N> words = product<N>(a.words, b.words), addend{};
  const std::int64_t exponent = a.exponent + b.exponent + 1 - normalise<2 * N>(words);
  std::copy(c.words.begin(), c.words.end(), addend.begin() + N);
  return sum<2 * N>(a.negative != b.negative, exponent, words, c.negative, c.exponent, addend, rounding, flags);
}

template class FixedArithmetic<1>;
template class FixedArithmetic<2>;
template class FixedArithmetic<4>;

}  // namespace outward
