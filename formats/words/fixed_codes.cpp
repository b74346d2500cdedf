// Codes as words: see the header. Words are least significant first, as in Integer.
#include "formats/words/fixed_codes.hpp"

#include <array>

namespace outward {
namespace {

using Word = std::uint64_t;

// Bits [from, from + 64) of words.
template <std::size_t W>
Word bits_from(const std::array<Word, W>& words, int from) {
  const auto at = static_cast<std::size_t>(from / 64);
  const int rest = from % 64;
  const Word low = at < W ? words[at] >> rest : 0;
  return rest == 0 || at + 1 >= W ? low : low | words[at + 1] << (64 - rest);
}

// words |= value << by.
template <std::size_t W>
void add_bits(std::array<Word, W>& words, Word value, int by) {
  const auto at = static_cast<std::size_t>(by / 64);
  const int rest = by % 64;
  if (at < W) words[at] |= value << rest;
  if (rest != 0 && at + 1 < W) words[at + 1] |= value >> (64 - rest);
}

}  // namespace

template <int N>
std::optional<Fixed<N>> number_of_code(const FixedArithmetic<N>& arithmetic, const Integer& code) {
  const Format& format = arithmetic.format();
  constexpr std::size_t W = N + 1;  // a sign and up to 30 bits of exponent beside the fraction
  std::array<Word, W> words{};
  const auto& backend = code.backend();
  if (backend.size() > W) return std::nullopt;
  for (std::size_t i = 0; i < backend.size(); ++i) words[i] = backend.limbs()[i];
  const int f = format.fraction_bits, e = format.exponent_bits;
  const Word fields = Word{1} << e, field = bits_from(words, f) & (fields - 1);
  const Word plain_below = format.convention == Convention::finite ? fields : fields - 1;
  if (field == 0 || field >= plain_below || format.convention == Convention::scale) return std::nullopt;
  Fixed<N> out;
  out.kind = ValueKind::finite;
  out.negative = (bits_from(words, f + e) & 1) != 0;
  out.exponent = static_cast<std::int64_t>(field) - format.bias;
  // The f bits of the fraction below the leading bit.
  const int by = 64 * N - 1 - f;
  for (int i = 0; 64 * i < f; ++i) {
    Word word = words[static_cast<std::size_t>(i)];
    if (f - 64 * i < 64) word &= (Word{1} << (f - 64 * i)) - 1;
    add_bits(out.words, word, 64 * i + by);
  }
  out.words[N - 1] |= Word{1} << 63;
  return out;
}

template <int N>
std::optional<Integer> code_of_number(const FixedArithmetic<N>& arithmetic, const Fixed<N>& value) {
  const Format& format = arithmetic.format();
  constexpr std::size_t W = N + 1;
  const int f = format.fraction_bits, e = format.exponent_bits, by = 64 * N - 1 - f;
  if (value.kind != ValueKind::finite || value.exponent <= -format.bias || format.convention == Convention::scale)
    return std::nullopt;
  std::array<Word, W> words{};
  for (int i = 0; 64 * i < f; ++i) {
    Word word = bits_from(value.words, 64 * i + by);
    if (f - 64 * i < 64) word &= (Word{1} << (f - 64 * i)) - 1;
    words[static_cast<std::size_t>(i)] = word;
  }
  add_bits(words, static_cast<Word>(value.exponent + format.bias), f);
  if (value.negative) add_bits(words, 1, f + e);
  Integer out;
  auto& backend = out.backend();
  backend.resize(W, W);
  for (std::size_t i = 0; i < W; ++i) backend.limbs()[i] = words[i];
  backend.normalize();
  return out;
}

template std::optional<Fixed<2>> number_of_code<2>(const FixedArithmetic<2>&, const Integer&);
template std::optional<Fixed<4>> number_of_code<4>(const FixedArithmetic<4>&, const Integer&);
template std::optional<Integer> code_of_number<2>(const FixedArithmetic<2>&, const Fixed<2>&);
template std::optional<Integer> code_of_number<4>(const FixedArithmetic<4>&, const Fixed<4>&);

}  // namespace outward
