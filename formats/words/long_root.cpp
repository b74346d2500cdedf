// Zimmermann, Karatsuba Square Root (INRIA RR-3805, 1999).
#include "formats/words/long_root.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "formats/words/long_division.hpp"

namespace outward {

namespace words {

// A root to 50 bits from the upper half of x, and what is missing from the rest that it leaves: the result is off by a
// unit or two at most, in any rounding mode, and the corrections make it independent of that.
Word root_of_pair(Double x, Double& rest) {
  constexpr double half_unit = 0x1.6a09e667f3bcdp+31;  // 2^31.5
  const double upper = static_cast<double>(static_cast<std::int64_t>(x >> 65));
  const double half = std::min(std::sqrt(upper) * half_unit, 0x1.fffffffffffffp+62);
  const double per_unit = 0x1p18 / half;  // early: nothing has to wait for the division
  Word root = static_cast<Word>(static_cast<std::int64_t>(half)) << 1;
  // The error of the root is below 2^14, so that the rest, of either sign, fits a word without its lowest bits.
  const auto missing = static_cast<std::int64_t>(static_cast<__int128>(x - static_cast<Double>(root) * root) >> 20);
  const auto correction = static_cast<std::int64_t>(static_cast<double>(missing) * per_unit);
  root =
      correction > 0 && root + static_cast<Word>(correction) < root ? ~Word{0} : root + static_cast<Word>(correction);
  Double left = x - static_cast<Double>(root) * root;
  while (static_cast<__int128>(left) < 0) left += 2 * static_cast<Double>(--root) + 1;
  while (left > 2 * static_cast<Double>(root)) left -= 2 * static_cast<Double>(root++) + 1;
  rest = left;
  return root;
}

namespace {

// The root or one more; in the words of x above the lowest half of n, the rest before the square of its lower half is
// taken off, and returned what it has above them.
Word root_and_rest_before(Word* s, Word* x, std::size_t n, Word* scratch) {
  if (n == 1) {
    Double rest = 0;
    s[0] = root_of_pair(static_cast<Double>(x[1]) << 64 | x[0], rest);
    x[0] = static_cast<Word>(rest);
    return static_cast<Word>(rest >> 64);
  }
  const std::size_t l = n / 2, h = n - l;
  Word *upper = s + l, *quotient = s;
  const Word above = square_root(upper, x + 2 * l, h, scratch);
  // The rest of the upper half and the next l words, halved, by the root of the upper half.
  Word* dividend = scratch;
  const Word last = x[l] & 1;
  shift_right(dividend, x + l, n, 1, above << 63);
  Word over = 0;  // what u = 2 * (rest of this division) + last has above its h words
  if (compare(dividend + l, upper, h) < 0) {
    divide(dividend, n, upper, h, quotient);
    over = shift_left(x + l, dividend, h, 1);
  } else {  // the quotient is B^l: B^l - 1 and a rest of one divisor more will do
    for (std::size_t i = 0; i < l; ++i) quotient[i] = ~Word{0};
    for (std::size_t i = l; i < h; ++i) dividend[i] = 0;
    over = 2 * add(dividend, dividend, upper, h);
    over += shift_left(x + l, dividend, h, 1);
  }
  x[l] |= last;
  return over;
}

}  // namespace

Word square_root(Word* s, Word* x, std::size_t n, Word* scratch) {
  Word over = root_and_rest_before(s, x, n, scratch);
  if (n == 1) return over;
  const std::size_t l = n / 2, h = n - l;
  // (u B^l + the lowest l words) - quotient^2, and where that is below 0 the root is one too large.
  Word* square = scratch;
  multiply(square, s, s, l, scratch + 2 * l);
  Word borrow = subtract(x, x, square, 2 * l);
  if (h > l) borrow = subtract_word(x + 2 * l, 1, borrow);
  if (over < borrow) {
    subtract_word(s, n, 1);
    over += product_row()(x, s, n, 2);
    over += add_word(x, n, 1);
  }
  return over - borrow;
}

void square_root_nearly(Word* s, Word* x, std::size_t n, Word* scratch) { root_and_rest_before(s, x, n, scratch); }

}  // namespace words

Integer integer_square_root(const Integer& x, bool& exact) {
  const auto& from = x.backend();
  if (x.is_zero()) {
    exact = true;
    return 0;
  }
  // An even shift to an even number of words; the root is shifted by half as much.
  const std::size_t n = (from.size() + 1) / 2, missing = 2 * n - from.size();
  const int zeros = std::countl_zero(from.limbs()[from.size() - 1]) & ~1;
  std::vector<words::Word> memory(2 * n + words::root_scratch(n));
  words::Word* radicand = memory.data();
  words::shift_left(radicand + missing, from.limbs(), from.size(), zeros);
  Integer root;
  auto& to = root.backend();
  to.resize(static_cast<unsigned>(n), static_cast<unsigned>(n));
  const words::Word above = words::square_root(to.limbs(), radicand, n, radicand + 2 * n);
  exact = above == 0 && !words::any(radicand, n);
  to.normalize();
  const unsigned shift = static_cast<unsigned>(missing) * 32 + static_cast<unsigned>(zeros) / 2;
  if (shift == 0) return root;
  const Integer out = root >> shift;
  exact = exact && (out << shift) == root;
  return out;
}

}  // namespace outward
