// Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D, with the digits of Moeller and Granlund, Improved
// Division by Invariant Integers (IEEE Trans. Comp. 60(2), 2011), algorithms 4 and 6. The dividend is held
// complemented: subtracting a multiple of the divisor is adding it.
#include "formats/words/long_division.hpp"

#include <bit>
#include <vector>

#include "formats/words/carry.hpp"

namespace outward {
namespace words {
namespace {

Double pair(Word high, Word low) { return static_cast<Double>(high) << 64 | low; }
Word high(Double x) { return static_cast<Word>(x >> 64); }

// The two top words of a divisor, the top bit set, and floor((B^3 - 1) / (top B + next)) - B.
struct Divisor {
  Word top, next, reciprocal;

  Divisor(Word first, Word second) : top(first), next(second) {
    Word v = divide_pair(pair(~top, ~Word{0}), top);
    Word p = top * v + next;
    if (p < next) {
      --v;
      if (p >= top) {
        --v;
        p -= top;
      }
      p -= top;
    }
    const Double t = static_cast<Double>(v) * next;
    p += high(t);
    if (p < high(t)) {
      --v;
      if (pair(p, static_cast<Word>(t)) >= pair(top, next)) --v;
    }
    reciprocal = v;
  }

  // floor((u2 B^2 + u1 B + u0) / (top B + next)). REQUIRES u2 B + u1 < top B + next.
  Word digit(Word u2, Word u1, Word u0) const {
    const Double guess = static_cast<Double>(reciprocal) * u2 + pair(u2, u1), d = pair(top, next);
    Word q = high(guess);
    Double rest = pair(u1 - q * top, u0) - static_cast<Double>(next) * q - d;
    ++q;
    const Word back = high(rest) >= static_cast<Word>(guess) ? ~Word{0} : 0;
    q += back;
    rest += pair(back & top, back & next);
    if (rest >= d) [[unlikely]]
      ++q;
    return q;
  }
};

// A divisor of one word.
void divide_by_word(Word* u, std::size_t un, Word v, Word* q) {
  for (std::size_t j = un - 1; j-- > 0;) {
    q[j] = divide_pair(pair(u[j + 1], u[j]), v);
    u[j] -= q[j] * v;
    u[j + 1] = 0;
  }
}

void complement(Word* u, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) u[i] = ~u[i];
}

// u -= q v for the complemented u of n + 1 words, q lowered until the difference is not negative.
Word subtract_multiple(ProductRow row, Word* u, const Word* v, std::size_t n, Word q) {
  u[n] += row(u, v, n, q);
  while (u[n] != ~Word{0}) [[unlikely]] {
      --q;
      u[n] -= subtract(u, u, v, n);
    }
  return q;
}

}  // namespace

void divide(Word* u, std::size_t un, const Word* v, std::size_t vn, Word* q) {
  if (vn == 1) return divide_by_word(u, un, v[0], q);
  const ProductRow row = product_row();
  const Divisor divisor(v[vn - 1], v[vn - 2]);
  complement(u, un);
  for (std::size_t j = un - vn; j-- > 0;) {
    Word* window = u + j;  // vn + 1 words, the upper vn of them below the divisor
    const Word u2 = ~window[vn], u1 = ~window[vn - 1];
    const bool most = u2 == divisor.top && u1 == divisor.next;
    q[j] = subtract_multiple(row, window, v, vn, most ? ~Word{0} : divisor.digit(u2, u1, ~window[vn - 2]));
  }
  complement(u, un);
}

// Digit j takes the divisor without its lowest n - 2 - j words, so that nothing below B^(n-2) is ever computed. What
// the digits left out makes the rest too large by less than (n - 2) B B^(n-2): where it is larger than that, the
// quotient is the true one and the true rest is above 0.
bool short_quotient(const Word* a, const Word* v, std::size_t n, Word* q, Word* work) {
  if (n < 2) return false;
  const ProductRow row = product_row();
  const Divisor divisor(v[n - 1], v[n - 2]);
  work[0] = work[1] = ~Word{0};
  for (std::size_t i = 0; i < n; ++i) work[i + 2] = ~a[i];
  for (std::size_t j = n; j-- > 0;) {
    const Word u2 = ~work[j + 2], u1 = ~work[j + 1];
    if (pair(u2, u1) >= pair(divisor.top, divisor.next)) return false;
    const Word digit = divisor.digit(u2, u1, ~work[j]);
    q[j] = j == n - 1 ? subtract_multiple(row, work + 1, v, n, digit)
                      : subtract_multiple(row, work, v + (n - 2 - j), j + 2, digit);
  }
  return ~work[1] >= n;
}

}  // namespace words

namespace {

using words::Word;

void assign(Integer& x, const Word* from, std::size_t count) {
  auto& backend = x.backend();
  backend.resize(static_cast<unsigned>(count), static_cast<unsigned>(count));
  for (std::size_t i = 0; i < count; ++i) backend.limbs()[i] = from[i];
  backend.sign(false);
  backend.normalize();
}

}  // namespace

void divide_long(const Integer& dividend, const Integer& divisor, Integer& quotient, Integer& rest) {
  const std::size_t n = divisor.backend().size(), all = dividend.backend().size();
  if (n < 3 || all < n) {
    divide_qr(dividend, divisor, quotient, rest);
    return;
  }
  const int shift = std::countl_zero(divisor.backend().limbs()[n - 1]);
  std::vector<Word> memory(n + (all + 1) + (all + 1 - n));
  Word *v = memory.data(), *u = v + n, *q = u + all + 1;
  words::shift_left(v, divisor.backend().limbs(), n, shift);
  u[all] = words::shift_left(u, dividend.backend().limbs(), all, shift);
  words::divide(u, all + 1, v, n, q);
  words::shift_right(u, u, n, shift);
  assign(quotient, q, all + 1 - n);
  assign(rest, u, n);
}

}  // namespace outward
