// Square roots of natural numbers on spans of words (long_words.hpp), and of long integers by them.
#pragma once
#include "formats/exact.hpp"
#include "formats/words/long_words.hpp"

namespace outward {

namespace words {

// floor(sqrt(x)) and x less its square. REQUIRES one of the two top bits of x set.
Word root_of_pair(Double x, Double& rest);

// x = s^2 + rest, 0 <= rest <= 2 s: s gets n words, the lowest n words of x the rest modulo B^n (the others nothing of
// use); returns what the rest has above them, 0 or 1. REQUIRES 2 n words of x, one of the two top bits set; scratch:
// root_scratch(n) words. Nothing may overlap.
constexpr std::size_t root_scratch(std::size_t n) { return 4 * n + 64; }
Word square_root(Word* s, Word* x, std::size_t n, Word* scratch);

// The same root or one more, without the rest: the highest product is left out. x is used up.
void square_root_nearly(Word* s, Word* x, std::size_t n, Word* scratch);

}  // namespace words

// floor(sqrt(x)) and whether it is exact. REQUIRES x >= 0.
Integer integer_square_root(const Integer& x, bool& exact);

}  // namespace outward
