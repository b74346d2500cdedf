// Long significands: see the header.
#include "formats/words/long_arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "formats/words/long_division.hpp"
#include "formats/words/long_root.hpp"

namespace outward {
namespace {

using words::Word;
constexpr Word top_bit = Word{1} << 63;

Integer integer_of(const Word* words, std::size_t n) {
  Integer out;
  auto& backend = out.backend();
  backend.resize(static_cast<unsigned>(n), static_cast<unsigned>(n));
  std::copy(words, words + n, backend.limbs());
  backend.normalize();
  return out;
}

// Shifts x left until the top bit is set; by how much. REQUIRES x != 0.
std::int64_t normalise(Word* x, std::size_t n) {
  std::size_t zeros = 0;
  while (x[n - 1 - zeros] == 0) ++zeros;
  const int bits = std::countl_zero(x[n - 1 - zeros]);
  if (zeros == 0 && bits == 0) return 0;
  words::shift_left(x + zeros, x, n - zeros, bits);
  std::fill(x, x + zeros, Word{0});
  return static_cast<std::int64_t>(64 * zeros) + bits;
}

// r = x + y / 2^apart of n words each, cut off: the carry, and whether a 1 was cut off.
Word add_shifted(Word* r, const Word* x, const Word* y, std::size_t n, std::int64_t apart, bool& sticky) {
  if (apart >= static_cast<std::int64_t>(64 * n)) {
    sticky = true;
    std::copy(x, x + n, r);
    return 0;
  }
  const std::size_t whole = static_cast<std::size_t>(apart) / 64, over = n - whole;
  sticky = words::any_below(y, static_cast<std::size_t>(apart));
  words::shift_right(r, y + whole, over, static_cast<int>(apart % 64));
  const Word carry = words::add(r, r, x, over);
  std::copy(x + over, x + n, r + over);
  return words::add_word(r + over, whole, carry);
}

// r = x - y / 2^apart, rounded down. REQUIRES that it is not negative.
void subtract_shifted(Word* r, const Word* x, const Word* y, std::size_t n, std::int64_t apart, bool& sticky) {
  if (apart >= static_cast<std::int64_t>(64 * n)) {
    sticky = true;
    std::copy(x, x + n, r);
    words::subtract_word(r, n, 1);
    return;
  }
  const std::size_t whole = static_cast<std::size_t>(apart) / 64, over = n - whole;
  sticky = words::any_below(y, static_cast<std::size_t>(apart));
  words::shift_right(r, y + whole, over, static_cast<int>(apart % 64));
  const Word borrow = words::subtract(r, x, r, over);
  std::copy(x + over, x + n, r + over);
  words::subtract_word(r + over, whole, borrow);
  if (sticky) words::subtract_word(r, n, 1);
}

}  // namespace

LongArithmetic::LongArithmetic(const Format& format) : format_(format) {
  n_ = (static_cast<std::size_t>(format.precision()) + 2 + 63) / 64;
  if (n_ > Long::most) throw std::logic_error("LongArithmetic: the precision needs more words");
  cut_ = 64 * n_ - static_cast<std::size_t>(format.precision());
  least_ = format.least_exponent();
  greatest_ = format.convention == Convention::scale ? least_ : format.greatest_exponent();
}

Long LongArithmetic::number(const Value& value) const {
  Long out;
  out.kind = value.kind;
  out.negative = value.negative;
  const Integer& number = value.kind == ValueKind::finite ? value.significand : value.payload;
  const auto& backend = number.backend();
  if (number.is_zero()) return out;
  if (backend.size() > n_) throw std::logic_error("LongArithmetic: the value needs more words");
  out.size = static_cast<std::uint32_t>(n_);
  std::copy(backend.limbs(), backend.limbs() + backend.size(), out.words.begin());
  std::fill(out.words.begin() + backend.size(), out.words.begin() + n_, Word{0});
  if (value.kind == ValueKind::finite) {
    out.exponent = floor_log2(value);
    normalise(out.words.data(), n_);
  }
  return out;
}

Value LongArithmetic::value(const Long& x) const {
  Value out{x.kind, x.negative, 0, 0, 0};
  if (x.size == 0) return out;
  Integer number = integer_of(x.words.data(), x.size);
  if (x.kind != ValueKind::finite) {
    out.payload = number;
    return out;
  }
  const unsigned zeros = lsb(number);
  out.significand = number >> zeros;
  out.exponent = x.exponent - (static_cast<std::int64_t>(64 * x.size) - 1) + zeros;
  return out;
}

[[gnu::noinline, gnu::cold]] Long LongArithmetic::generic(GenericOperation operation, const Long& a, const Long& b,
                                                          Rounding rounding, Flags& flags) const {
  return number(operation(format_, value(a), value(b), rounding, flags));
}

void LongArithmetic::round(Long& x, bool sticky, Rounding rounding, Flags& flags) const {
  Word* words = x.words.data();
  if (x.exponent < least_ || x.exponent >= greatest_) [[unlikely]] {
    const Exact exact{x.negative, integer_of(words, n_), x.exponent - (static_cast<std::int64_t>(64 * n_) - 1), sticky};
    x = number(outward::round(format_, exact, rounding, flags));
    return;
  }
  const std::size_t at = cut_ / 64, below = cut_ - 1;
  const Word unit = Word{1} << cut_ % 64;
  const bool half = (words[below / 64] >> below % 64 & 1) != 0;
  const bool rest = sticky || words::any_below(words, below);
  if (!half && !rest) return;
  const bool odd = (words[at] & unit) != 0;
  std::fill(words, words + at, Word{0});
  words[at] &= ~(unit - 1);
  if (increments(rounding, x.negative, odd, half, rest) && words::add_word(words + at, n_ - at, unit) != 0) {
    words[n_ - 1] = top_bit;  // all ones: the next power of two
    ++x.exponent;
  }
  flags.inexact = true;
}

Long LongArithmetic::sum(bool negative_a, std::int64_t exponent_a, const Word* a, bool negative_b,
                         std::int64_t exponent_b, const Word* b, std::size_t n, Rounding rounding, Flags& flags) const {
  const bool swap = exponent_a < exponent_b || (exponent_a == exponent_b && words::compare(a, b, n) < 0);
  if (swap) {
    std::swap(a, b);
    std::swap(exponent_a, exponent_b);
    std::swap(negative_a, negative_b);
  }
  Long out;
  out.kind = ValueKind::finite;
  out.negative = negative_a;
  out.exponent = exponent_a;
  out.size = static_cast<std::uint32_t>(n_);
  std::array<Word, 2 * Long::most> wide;
  Word* r = n == n_ ? out.words.data() : wide.data();
  bool sticky = false;
  if (negative_a == negative_b) {
    if (add_shifted(r, a, b, n, exponent_a - exponent_b, sticky) != 0) {
      sticky = sticky || (r[0] & 1) != 0;
      words::shift_right(r, r, n, 1, top_bit);
      ++out.exponent;
    }
  } else {
    subtract_shifted(r, a, b, n, exponent_a - exponent_b, sticky);
    if (r[n - 1] == 0 && !words::any(r, n)) {
      out = number(outward::round(format_, Exact{rounding == Rounding::down}, rounding, flags));
      return out;
    }
    if ((r[n - 1] & top_bit) == 0) out.exponent -= normalise(r, n);
  }
  if (n != n_) {
    sticky = sticky || words::any(r, n - n_);
    std::copy(r + (n - n_), r + n, out.words.begin());
  }
  round(out, sticky, rounding, flags);
  return out;
}

Long LongArithmetic::add(const Long& a, const Long& b, Rounding rounding, Flags& flags) const {
  if (a.kind != ValueKind::finite || b.kind != ValueKind::finite) return generic(outward::add, a, b, rounding, flags);
  return sum(a.negative, a.exponent, a.words.data(), b.negative, b.exponent, b.words.data(), n_, rounding, flags);
}

Long LongArithmetic::subtract(const Long& a, const Long& b, Rounding rounding, Flags& flags) const {
  if (a.kind != ValueKind::finite || b.kind != ValueKind::finite)
    return generic(outward::subtract, a, b, rounding, flags);
  return sum(a.negative, a.exponent, a.words.data(), !b.negative, b.exponent, b.words.data(), n_, rounding, flags);
}

Long LongArithmetic::multiply(const Long& a, const Long& b, Rounding rounding, Flags& flags) const {
  if (a.kind != ValueKind::finite || b.kind != ValueKind::finite)
    return generic(outward::multiply, a, b, rounding, flags);
  std::array<Word, 2 * Long::most> product;
  std::array<Word, words::product_scratch(Long::most)> scratch;
  words::multiply(product.data(), a.words.data(), b.words.data(), n_, scratch.data());
  Long out;
  out.kind = ValueKind::finite;
  out.negative = a.negative != b.negative;
  out.size = static_cast<std::uint32_t>(n_);
  out.exponent = a.exponent + b.exponent + 1;
  Word below = 0;
  if ((product[2 * n_ - 1] & top_bit) != 0) {
    std::copy(product.data() + n_, product.data() + 2 * n_, out.words.data());
  } else {
    --out.exponent;
    words::shift_left(out.words.data(), product.data() + n_, n_, 1);
    out.words[0] |= product[n_ - 1] >> 63;
    below = product[n_ - 1] << 1;
    product[n_ - 1] = 0;
  }
  round(out, below != 0 || words::any(product.data(), n_), rounding, flags);
  return out;
}

Long LongArithmetic::divide(const Long& a, const Long& b, Rounding rounding, Flags& flags) const {
  if (a.kind != ValueKind::finite || b.kind != ValueKind::finite)
    return generic(outward::divide, a, b, rounding, flags);
  Long out;
  out.kind = ValueKind::finite;
  out.negative = a.negative != b.negative;
  out.size = static_cast<std::uint32_t>(n_);
  out.exponent = a.exponent - b.exponent;
  // Half of a where the quotient would reach 1; the bit it may lose lies below those of the precision.
  std::array<Word, Long::most> half;
  const Word* dividend = a.words.data();
  if (words::compare(dividend, b.words.data(), n_) < 0) {
    --out.exponent;
  } else {
    words::shift_right(half.data(), dividend, n_, 1);
    dividend = half.data();
  }
  std::array<Word, 2 * Long::most> work;
  bool sticky = true;
  if (!words::short_quotient(dividend, b.words.data(), n_, out.words.data(), work.data())) {
    std::fill(work.begin(), work.begin() + n_, Word{0});
    std::copy(dividend, dividend + n_, work.begin() + n_);
    words::divide(work.data(), 2 * n_, b.words.data(), n_, out.words.data());
    sticky = words::any(work.data(), n_);
  }
  round(out, sticky, rounding, flags);
  return out;
}

Long LongArithmetic::square_root(const Long& a, Rounding rounding, Flags& flags) const {
  if (a.kind != ValueKind::finite || a.negative)
    return number(outward::square_root(format_, value(a), rounding, flags));
  std::array<Word, 2 * Long::most> radicand;
  std::array<Word, words::root_scratch(Long::most)> scratch;
  const bool odd = (a.exponent & 1) != 0;
  const auto fill_radicand = [&] {
    std::fill(radicand.begin(), radicand.begin() + n_, Word{0});
    words::shift_right(radicand.data() + n_, a.words.data(), n_, odd ? 0 : 1);
  };
  Long out;
  out.kind = ValueKind::finite;
  out.size = static_cast<std::uint32_t>(n_);
  out.exponent = (a.exponent - (odd ? 1 : 0)) / 2;
  fill_radicand();
  words::square_root_nearly(out.words.data(), radicand.data(), n_, scratch.data());
  // One less has the same bits down to half a unit, and the root is not exact, where there are others behind them.
  bool sticky = true;
  if ((out.words[0] & ((Word{1} << std::min<std::size_t>(cut_ - 1, 63)) - 1)) < 2) {
    fill_radicand();
    const Word above = words::square_root(out.words.data(), radicand.data(), n_, scratch.data());
    sticky = above != 0 || words::any(radicand.data(), n_);
  }
  round(out, sticky, rounding, flags);
  return out;
}

Long LongArithmetic::fused_multiply_add(const Long& a, const Long& b, const Long& c, Rounding rounding,
                                        Flags& flags) const {
  if (a.kind != ValueKind::finite || b.kind != ValueKind::finite || c.kind != ValueKind::finite)
    return number(outward::fused_multiply_add(format_, value(a), value(b), value(c), rounding, flags));
  std::array<Word, 2 * Long::most> product, addend;
  std::array<Word, words::product_scratch(Long::most)> scratch;
  words::multiply(product.data(), a.words.data(), b.words.data(), n_, scratch.data());
  const std::int64_t exponent = a.exponent + b.exponent + 1 - normalise(product.data(), 2 * n_);
  std::fill(addend.begin(), addend.begin() + n_, Word{0});
  std::copy(c.words.begin(), c.words.begin() + n_, addend.begin() + n_);
  return sum(a.negative != b.negative, exponent, product.data(), c.negative, c.exponent, addend.data(), 2 * n_,
             rounding, flags);
}

}  // namespace outward
