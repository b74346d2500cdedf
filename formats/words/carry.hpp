// The operations of processors on words that the language has no names for.
#pragma once
#include <cstdint>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace outward::words {

// a + b + carry; the carry out, 0 or 1.
inline unsigned char add_word(unsigned char carry, std::uint64_t a, std::uint64_t b, std::uint64_t& sum) {
#ifdef __x86_64__
  unsigned long long out = 0;
  carry = _addcarry_u64(carry, a, b, &out);
  sum = out;
  return carry;
#else
  const unsigned __int128 total = static_cast<unsigned __int128>(a) + b + carry;
  sum = static_cast<std::uint64_t>(total);
  return static_cast<unsigned char>(total >> 64);
#endif
}

// a - b - borrow; the borrow out, 0 or 1.
inline unsigned char subtract_word(unsigned char borrow, std::uint64_t a, std::uint64_t b, std::uint64_t& difference) {
#ifdef __x86_64__
  unsigned long long out = 0;
  borrow = _subborrow_u64(borrow, a, b, &out);
  difference = out;
  return borrow;
#else
  const unsigned __int128 total = static_cast<unsigned __int128>(a) - b - borrow;
  difference = static_cast<std::uint64_t>(total);
  return static_cast<unsigned char>(total >> 64) & 1;
#endif
}

// floor(x / d). REQUIRES that it is one word: x < d 2^64.
inline std::uint64_t divide_pair(unsigned __int128 x, std::uint64_t d) {
#ifdef __x86_64__  // compilers know only the division whose quotient may have two words, a function of the library
  std::uint64_t low = static_cast<std::uint64_t>(x), high = static_cast<std::uint64_t>(x >> 64);
  asm("divq %[d]" : "+a"(low), "+d"(high) : [d] "r"(d) : "cc");
  return low;
#else
  return static_cast<std::uint64_t>(x / d);
#endif
}

}  // namespace outward::words
