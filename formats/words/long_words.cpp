// Spans of words: see the header.
#include "formats/words/long_words.hpp"

#include <algorithm>

#include "formats/words/carry.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace outward::words {
namespace {

#ifdef __x86_64__
// r = a + b or a - b, four words a turn: compilers do not keep the carry in its flag from one turn to the next. `step`
// is adc or sbb; the last sbb makes 0 or -1 of the flag.
#define OUTWARD_PASS(step)                                                                                            \
  asm volatile(                                                                                                       \
      "add $-1, %[carry]\n" /* sets the flag as carry says */                                                         \
      "1:\n"                                                                                                          \
      "mov (%[a]), %[x]\n" step                                                                                       \
      " (%[b]), %[x]\n"                                                                                               \
      "mov 8(%[a]), %[y]\n" step                                                                                      \
      " 8(%[b]), %[y]\n"                                                                                              \
      "mov %[x], (%[r])\n"                                                                                            \
      "mov %[y], 8(%[r])\n"                                                                                           \
      "mov 16(%[a]), %[x]\n" step                                                                                     \
      " 16(%[b]), %[x]\n"                                                                                             \
      "mov 24(%[a]), %[y]\n" step                                                                                     \
      " 24(%[b]), %[y]\n"                                                                                             \
      "mov %[x], 16(%[r])\n"                                                                                          \
      "mov %[y], 24(%[r])\n"                                                                                          \
      "lea 32(%[a]), %[a]\n"                                                                                          \
      "lea 32(%[b]), %[b]\n"                                                                                          \
      "lea 32(%[r]), %[r]\n"                                                                                          \
      "dec %[blocks]\n"                                                                                               \
      "jnz 1b\n"                                                                                                      \
      "sbb %[carry], %[carry]\n"                                                                                      \
      "neg %[carry]\n"                                                                                                \
      : [a] "+r"(a), [b] "+r"(b), [r] "+r"(r), [blocks] "+r"(blocks), [carry] "+r"(carry), [x] "=&r"(x), [y] "=&r"(y) \
      :                                                                                                               \
      : "cc", "memory")
#endif

// r = a + b, or a - b if minus; the carry or borrow out.
template <bool minus>
Word combine(Word* r, const Word* a, const Word* b, std::size_t n) {
  std::size_t singly = n;
#ifdef __x86_64__
  singly = n % 4;
#endif
  unsigned char out = 0;
  for (std::size_t i = 0; i < singly; ++i) {
    std::uint64_t word = 0;
    out = minus ? subtract_word(out, a[i], b[i], word) : add_word(out, a[i], b[i], word);
    r[i] = word;
  }
  Word carry = out;
#ifdef __x86_64__
  std::size_t blocks = n / 4;
  if (blocks == 0) return carry;
  r += singly;
  a += singly;
  b += singly;
  Word x, y;
  if constexpr (minus) {
    OUTWARD_PASS("sbb");
  } else {
    OUTWARD_PASS("adc");
  }
#undef OUTWARD_PASS
#endif
  return carry;
}

}  // namespace

Word add(Word* r, const Word* a, const Word* b, std::size_t n) { return combine<false>(r, a, b, n); }

Word subtract(Word* r, const Word* a, const Word* b, std::size_t n) { return combine<true>(r, a, b, n); }

Word add_word(Word* r, std::size_t n, Word x) {
  for (std::size_t i = 0; i < n && x != 0; ++i) {
    r[i] += x;
    x = r[i] < x ? 1 : 0;
  }
  return x;
}

Word subtract_word(Word* r, std::size_t n, Word x) {
  for (std::size_t i = 0; i < n && x != 0; ++i) {
    const Word before = r[i];
    r[i] = before - x;
    x = before < x ? 1 : 0;
  }
  return x;
}

Word shift_left(Word* r, const Word* a, std::size_t n, int bits) {
  if (n == 0) return 0;
  const Word out = a[n - 1] >> 1 >> (63 - bits);
  std::size_t i = n - 1;
#ifdef __SSE2__
  const __m128i left = _mm_cvtsi32_si128(bits), right = _mm_cvtsi32_si128(64 - bits);  // shifts by 64 give 0
  for (; i >= 2; i -= 2) {
    const __m128i upper = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i - 1)),
                  lower = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i - 2));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(r + i - 1),
                     _mm_or_si128(_mm_sll_epi64(upper, left), _mm_srl_epi64(lower, right)));
  }
#endif
  for (; i > 0; --i) r[i] = a[i] << bits | a[i - 1] >> 1 >> (63 - bits);
  r[0] = a[0] << bits;
  return out;
}

void shift_right(Word* r, const Word* a, std::size_t n, int bits, Word in) {
  if (n == 0) return;
  std::size_t i = 0;
#ifdef __SSE2__
  const __m128i right = _mm_cvtsi32_si128(bits), left = _mm_cvtsi32_si128(64 - bits);
  for (; i + 2 < n; i += 2) {
    const __m128i lower = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i)),
                  upper = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i + 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(r + i),
                     _mm_or_si128(_mm_srl_epi64(lower, right), _mm_sll_epi64(upper, left)));
  }
#endif
  for (; i + 1 < n; ++i) r[i] = a[i] >> bits | a[i + 1] << 1 << (63 - bits);
  r[n - 1] = a[n - 1] >> bits | (bits == 0 ? 0 : in & ~(~Word{0} >> bits));
}

int compare(const Word* a, const Word* b, std::size_t n) {
  while (n-- > 0)
    if (a[n] != b[n]) return a[n] < b[n] ? -1 : 1;
  return 0;
}

bool any(const Word* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (a[i] != 0) return true;
  return false;
}

bool any_below(const Word* a, std::size_t bits) {
  return any(a, bits / 64) || (bits % 64 != 0 && a[bits / 64] << (64 - bits % 64) != 0);
}

Word add_product_portable(Word* r, const Word* a, std::size_t n, Word factor) {
  Word carry = 0;
  std::size_t i = 0;
  const auto step = [&](std::size_t k) {
    const Double t = static_cast<Double>(a[k]) * factor + r[k] + carry;
    r[k] = static_cast<Word>(t);
    carry = static_cast<Word>(t >> 64);
  };
  for (; i + 4 <= n; i += 4) {
    step(i);
    step(i + 1);
    step(i + 2);
    step(i + 3);
  }
  for (; i < n; ++i) step(i);
  return carry;
}

#ifdef __x86_64__
bool has_two_carries() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  return (b >> 8 & 1) != 0 && (b >> 19 & 1) != 0;  // BMI2, ADX
}

// One carry chain (CF) takes the upper halves of products to the next lower ones, the other (OF) adds what r holds.
Word add_product_two_carries(Word* r, const Word* a, std::size_t n, Word factor) {
  Word carry = add_product_portable(r, a, n % 8, factor);
  std::size_t blocks = n / 8;
  if (blocks == 0) return carry;
  r += n % 8;
  a += n % 8;
  Word low, high;
#define OUTWARD_STEP(place, in, out)   \
  "mulx " place "(%[a]), %[low], " out \
  "\n"                                 \
  "adcx " in                           \
  ", %[low]\n"                         \
  "adox " place                        \
  "(%[r]), %[low]\n"                   \
  "mov %[low], " place "(%[r])\n"
  asm volatile(
      "xor %k[low], %k[low]\n"  // clears both carries
      "1:\n" OUTWARD_STEP("0", "%[carry]", "%[high]") OUTWARD_STEP("8", "%[high]", "%[carry]")
          OUTWARD_STEP("16", "%[carry]", "%[high]") OUTWARD_STEP("24", "%[high]", "%[carry]")
              OUTWARD_STEP("32", "%[carry]", "%[high]") OUTWARD_STEP("40", "%[high]", "%[carry]")
                  OUTWARD_STEP("48", "%[carry]", "%[high]") OUTWARD_STEP("56", "%[high]", "%[carry]")
      "lea 64(%[a]), %[a]\n"
      "lea 64(%[r]), %[r]\n"
      "lea -1(%[blocks]), %[blocks]\n"
      "jrcxz 2f\n"
      "jmp 1b\n"
      "2:\n"
      "mov $0, %k[low]\n"
      "adcx %[low], %[carry]\n"
      "adox %[low], %[carry]\n"
      : [a] "+r"(a), [r] "+r"(r), [blocks] "+c"(blocks), [carry] "+r"(carry), [low] "=&r"(low), [high] "=&r"(high)
      : "d"(factor)
      : "cc", "memory");
#undef OUTWARD_STEP
  return carry;
}
#else
bool has_two_carries() { return false; }
Word add_product_two_carries(Word* r, const Word* a, std::size_t n, Word factor) {
  return add_product_portable(r, a, n, factor);
}
#endif

ProductRow product_row() {
  static const ProductRow chosen = has_two_carries() ? add_product_two_carries : add_product_portable;
  return chosen;
}

namespace {

constexpr std::size_t rows_up_to = 33;

// r = |a - b|, b of one word fewer with `shorter`; whether a < b.
bool distance(Word* r, const Word* a, const Word* b, std::size_t n, bool shorter) {
  const std::size_t m = n - (shorter ? 1 : 0);
  const bool negative = !(shorter && a[m] != 0) && compare(a, b, m) < 0;
  const Word borrow = negative ? subtract(r, b, a, m) : subtract(r, a, b, m);
  if (shorter) r[m] = negative ? 0 : a[m] - borrow;
  return negative;
}

void multiply_by(ProductRow row, Word* r, const Word* a, const Word* b, std::size_t n, Word* scratch) {
  if (n <= rows_up_to) {
    std::fill(r, r + n, Word{0});
    for (std::size_t j = 0; j < n; ++j) r[n + j] = row(r + j, a, n, b[j]);
    return;
  }
  // a = a1 B^h + a0, b likewise: a b = a1 b1 B^2h + (a0 b0 + a1 b1 - (a0 - a1)(b0 - b1)) B^h + a0 b0.
  const std::size_t h = (n + 1) / 2, upper = n - h;
  const bool shorter = upper < h;
  const bool a_negative = distance(r, a, a + h, h, shorter), b_negative = distance(r + h, b, b + h, h, shorter);
  Word *crossed = scratch, *middle = scratch + 2 * h;
  multiply_by(row, crossed, r, r + h, h, middle);
  multiply_by(row, r, a, b, h, middle);
  multiply_by(row, r + 2 * h, a + h, b + h, upper, middle);
  Word carry = add(middle, r, r + 2 * h, 2 * upper);
  if (shorter) {
    std::copy(r + 2 * upper, r + 2 * h, middle + 2 * upper);
    carry = add_word(middle + 2 * upper, 2, carry);
  }
  if (a_negative == b_negative)
    carry -= subtract(middle, middle, crossed, 2 * h);
  else
    carry += add(middle, middle, crossed, 2 * h);
  carry += add(r + h, r + h, middle, 2 * h);
  add_word(r + 3 * h, 2 * n - 3 * h, carry);
}

}  // namespace

void multiply(Word* r, const Word* a, const Word* b, std::size_t n, Word* scratch) {
  multiply_by(product_row(), r, a, b, n, scratch);
}

}  // namespace outward::words
