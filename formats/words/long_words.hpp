// Natural numbers of any length as spans of 64-bit words, least significant word first, in memory of the caller: what
// the arithmetic of long significands, long division and long roots are made of. Nothing here allocates.
#pragma once
#include <cstddef>

namespace outward::words {

using Word = unsigned long long;  // the words of Integer are of this type
using Double = unsigned __int128;

// r = a + b, the carry; r = a - b, the borrow. r may be a or b.
Word add(Word* r, const Word* a, const Word* b, std::size_t n);
Word subtract(Word* r, const Word* a, const Word* b, std::size_t n);

// r += x, the carry; r -= x, the borrow.
Word add_word(Word* r, std::size_t n, Word x);
Word subtract_word(Word* r, std::size_t n, Word x);

// r = a << bits, the bits shifted out; r = a >> bits, bits of `in` (left-aligned) shifted in. REQUIRE bits < 64. r may
// be a; that of shift_left may also begin within a, that of shift_right before it.
Word shift_left(Word* r, const Word* a, std::size_t n, int bits);
void shift_right(Word* r, const Word* a, std::size_t n, int bits, Word in = 0);

// -1, 0, 1 as a is below, equal to or above b.
int compare(const Word* a, const Word* b, std::size_t n);
bool any(const Word* a, std::size_t n);
// Any of the lowest bits of a; REQUIRES that many.
bool any_below(const Word* a, std::size_t bits);

// r += a * factor over n words; the word that leaves them. r and a must not overlap.
using ProductRow = Word (*)(Word* r, const Word* a, std::size_t n, Word factor);
// The fastest one the processor has (two carry chains where it has ADX and BMI2), chosen once; and both, for tests.
ProductRow product_row();
Word add_product_portable(Word* r, const Word* a, std::size_t n, Word factor);
bool has_two_carries();
Word add_product_two_carries(Word* r, const Word* a, std::size_t n, Word factor);  // REQUIRES has_two_carries()

// r = a * b, n words each into 2 n: Karatsuba's halves above a length, rows below. scratch: product_scratch(n) words.
// Nothing may overlap but a and b.
constexpr std::size_t product_scratch(std::size_t n) { return 4 * n + 64; }
void multiply(Word* r, const Word* a, const Word* b, std::size_t n, Word* scratch);

}  // namespace outward::words
