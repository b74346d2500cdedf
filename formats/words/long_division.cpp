// Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D, on words of 64 bits.
#include "formats/words/long_division.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace outward {
namespace {

using Word = std::uint64_t;
using Double = unsigned __int128;
using Words = std::vector<Word>;

// The words of x << shift (below 64), and one more than x has.
Words shifted(const Integer& x, int shift) {
  const auto& backend = x.backend();
  Words out(backend.size() + 1);
  Word carry = 0;
  for (std::size_t i = 0; i < backend.size(); ++i) {
    const Word word = backend.limbs()[i];
    out[i] = word << shift | carry;
    carry = shift == 0 ? 0 : word >> (64 - shift);
  }
  out[backend.size()] = carry;
  return out;
}

void assign(Integer& x, const Words& words, std::size_t count, int shift) {
  auto& backend = x.backend();
  backend.resize(static_cast<unsigned>(count), static_cast<unsigned>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const Word above = i + 1 < count ? words[i + 1] : 0;
    backend.limbs()[i] = shift == 0 ? words[i] : words[i] >> shift | above << (64 - shift);
  }
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
  const Words v = shifted(divisor, shift);
  Words u = shifted(dividend, shift);
  Words q(all - n + 1);
  const Word top = v[n - 1], next = v[n - 2];
  for (std::size_t j = q.size(); j-- > 0;) {
    // The window is u[j .. j + n]; its n upper words are at most the divisor's.
    const Double head = static_cast<Double>(u[j + n]) << 64 | u[j + n - 1];
    Double guess = u[j + n] >= top ? ~Word{0} : head / top;
    Double over = head - guess * top;
    while ((over >> 64) == 0 && guess * next > (over << 64 | u[j + n - 2])) {
      --guess;
      over += top;
    }
    const Word factor = static_cast<Word>(guess);
    Word borrow = 0, carry = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Double t = static_cast<Double>(factor) * v[i] + carry;
      carry = static_cast<Word>(t >> 64);
      const Double d = static_cast<Double>(u[i + j]) - static_cast<Word>(t) - borrow;
      u[i + j] = static_cast<Word>(d);
      borrow = static_cast<Word>(d >> 64) & 1;
    }
    const Double d = static_cast<Double>(u[j + n]) - carry - borrow;
    u[j + n] = static_cast<Word>(d);
    q[j] = factor;
    if ((d >> 64) != 0) {  // the guess was one too large
      --q[j];
      Word back = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Double t = static_cast<Double>(u[i + j]) + v[i] + back;
        u[i + j] = static_cast<Word>(t);
        back = static_cast<Word>(t >> 64);
      }
      u[j + n] += back;
    }
  }
  assign(quotient, q, q.size(), 0);
  assign(rest, u, n, shift);
}

}  // namespace outward
