// Codes as long words: see the header. A number is its code shifted left until the lowest bit of the exponent field
// would be the top bit, which is the leading bit there.
#include "formats/words/long_codes.hpp"

namespace outward {
namespace {

using words::Word;

std::size_t bits_below(const LongArithmetic& arithmetic) {
  return 64 * arithmetic.size() - static_cast<std::size_t>(arithmetic.format().precision());
}

// Bits [from, from + 64) of n words.
template <class From>
Word bits_from(const From* words, std::size_t n, std::size_t from) {
  const std::size_t at = from / 64;
  const int rest = static_cast<int>(from % 64);
  const Word low = at < n ? words[at] : 0, high = at + 1 < n ? words[at + 1] : 0;
  return low >> rest | high << 1 << (63 - rest);
}

}  // namespace

std::optional<Long> number_of_code(const LongArithmetic& arithmetic, const Integer& code) {
  const Format& format = arithmetic.format();
  const auto& backend = code.backend();
  const std::size_t n = arithmetic.size(), below = bits_below(arithmetic), m = backend.size();
  const auto f = static_cast<std::size_t>(format.fraction_bits), e = static_cast<std::size_t>(format.exponent_bits);
  const Word fields = Word{1} << e, field = bits_from(backend.limbs(), m, f) & (fields - 1);
  const Word plain_below = format.convention == Convention::finite ? fields : fields - 1;
  if (field == 0 || field >= plain_below || format.convention == Convention::scale) return std::nullopt;
  Long out;
  out.kind = ValueKind::finite;
  out.negative = (bits_from(backend.limbs(), m, f + e) & 1) != 0;
  out.exponent = static_cast<std::int64_t>(field) - format.bias;
  out.size = static_cast<std::uint32_t>(n);
  const std::size_t whole = below / 64;
  for (std::size_t i = 0; i < whole; ++i) out.words[i] = 0;
  for (std::size_t i = whole; i < n; ++i) out.words[i] = i - whole < m ? backend.limbs()[i - whole] : 0;
  words::shift_left(out.words.data() + whole, out.words.data() + whole, n - whole, static_cast<int>(below % 64));
  out.words[n - 1] |= Word{1} << 63;
  return out;
}

std::optional<Integer> code_of_number(const LongArithmetic& arithmetic, const Long& value) {
  const Format& format = arithmetic.format();
  if (value.kind != ValueKind::finite || value.exponent <= -format.bias || format.convention == Convention::scale)
    return std::nullopt;
  const std::size_t n = arithmetic.size(), below = bits_below(arithmetic);
  const auto f = static_cast<std::size_t>(format.fraction_bits), e = static_cast<std::size_t>(format.exponent_bits);
  const std::size_t m = (f + e) / 64 + 1;
  Integer out;
  auto& backend = out.backend();
  backend.resize(static_cast<unsigned>(m), static_cast<unsigned>(m));
  Word* code = backend.limbs();
  for (std::size_t i = 0; i < m; ++i) code[i] = bits_from(value.words.data(), n, below + 64 * i);
  // The leading bit adds one to the exponent field.
  const Word field = static_cast<Word>(value.exponent + format.bias - 1);
  const std::size_t at = f / 64;
  const int rest = static_cast<int>(f % 64);
  words::add_word(code + at, m - at, field << rest);
  if (at + 1 < m) words::add_word(code + at + 1, m - at - 1, field >> 1 >> (63 - rest));
  if (value.negative) code[(f + e) / 64] |= Word{1} << (f + e) % 64;
  backend.normalize();
  return out;
}

}  // namespace outward
