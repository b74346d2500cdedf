// Zimmermann, Karatsuba Square Root (INRIA RR-3805, 1999).
#include "formats/words/long_root.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "formats/words/long_division.hpp"

namespace outward {

std::uint64_t square_root_128(unsigned __int128 x, bool& exact) {
  // The seed is off by a few units at most; the corrections make the result independent of it.
  const long double seed = std::sqrt(static_cast<long double>(x));
  std::uint64_t root = seed >= 18446744073709551615.0L ? ~std::uint64_t{0} : static_cast<std::uint64_t>(seed);
  const auto square = [](std::uint64_t r) { return static_cast<unsigned __int128>(r) * r; };
  while (square(root) > x) --root;
  while (root != ~std::uint64_t{0} && square(root + 1) <= x) ++root;
  exact = square(root) == x;
  return root;
}

namespace words {

Word square_root(Word* s, Word* x, std::size_t n, Word* scratch) {
  if (n == 1) {
    bool exact = false;
    const Double value = static_cast<Double>(x[1]) << 64 | x[0];
    s[0] = square_root_128(value, exact);
    const Double rest = value - static_cast<Double>(s[0]) * s[0];
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
  // (u B^l + the lowest l words) - quotient^2, and where that is below 0 the root is one too large.
  Word* square = scratch;
  multiply(square, quotient, quotient, l, scratch + 2 * l);
  Word borrow = subtract(x, x, square, 2 * l);
  if (h > l) borrow = subtract_word(x + 2 * l, 1, borrow);
  if (over < borrow) {
    subtract_word(s, n, 1);
    over += product_row()(x, s, n, 2);
    over += add_word(x, n, 1);
  }
  return over - borrow;
}

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
