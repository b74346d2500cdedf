// Division of natural numbers on spans of words (long_words.hpp), and of long integers by it.
#pragma once
#include "formats/exact.hpp"
#include "formats/words/long_words.hpp"

namespace outward {

namespace words {

// u = q v + rest: q gets un - vn words, the rest the lowest vn words of u; what was above becomes 0.
// REQUIRES vn >= 1, the top bit of v set, un >= vn, the top vn words of u below v. q may not overlap the others.
void divide(Word* u, std::size_t un, const Word* v, std::size_t vn, Word* q);

// q = floor(a B^n / v), B = 2^64, where half of the work suffices to know it: false, q undefined, where not. When true,
// the division is inexact. REQUIRES the top bit of v set, a < v; work: n + 2 words. Nothing may overlap.
bool short_quotient(const Word* a, const Word* v, std::size_t n, Word* q, Word* work);

}  // namespace words

// dividend = quotient * divisor + rest, 0 <= rest < divisor. REQUIRES dividend >= 0, divisor > 0; quotient and rest are
// apart from the operands and from one another.
void divide_long(const Integer& dividend, const Integer& divisor, Integer& quotient, Integer& rest);

}  // namespace outward
