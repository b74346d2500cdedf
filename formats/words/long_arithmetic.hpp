// Fast arithmetic of binary formats of any precision on significands of as many machine words as it needs, kept in the
// value itself: no memory is asked for. As in fixed.hpp, what is decided here is the common case, numbers whose result
// is normal and below the greatest exponent; everything else goes to the generic functions of operations.hpp, and every
// result equals theirs. Assumes nothing about the floating-point environment.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>

#include "formats/operations.hpp"
#include "formats/words/long_words.hpp"

namespace outward {

// A value: finite ones are words * 2^(exponent - 64 size + 1) with the top bit of the last word set (least significant
// word first), so `exponent` is floor(log2). Payloads of NaNs lie in the words as an integer; zeros and infinities have
// no words.
struct Long {
  static constexpr std::size_t most = 65;  // two bits more than the longest precision

  ValueKind kind = ValueKind::zero;
  bool negative = false;
  std::uint32_t size = 0;  // words in use
  std::int64_t exponent = 0;
  std::array<words::Word, most> words;

  Long() {}  // the words stay as they are
  Long(const Long& x) { *this = x; }
  Long& operator=(const Long& x) {
    kind = x.kind;
    negative = x.negative;
    size = x.size;
    exponent = x.exponent;
    if (this != &x) std::memcpy(words.data(), x.words.data(), size * sizeof(words::Word));
    return *this;
  }
};

// Arithmetic in one format; operands of that format. Formats without fraction bits are left to the generic functions.
class LongArithmetic {
 public:
  using Number = Long;
  explicit LongArithmetic(const Format& format);

  Long add(const Long& a, const Long& b, Rounding rounding, Flags& flags) const;
  Long subtract(const Long& a, const Long& b, Rounding rounding, Flags& flags) const;
  Long multiply(const Long& a, const Long& b, Rounding rounding, Flags& flags) const;
  Long divide(const Long& a, const Long& b, Rounding rounding, Flags& flags) const;
  Long square_root(const Long& a, Rounding rounding, Flags& flags) const;
  Long fused_multiply_add(const Long& a, const Long& b, const Long& c, Rounding rounding, Flags& flags) const;

  Long number(const Value& value) const;
  Value value(const Long& number) const;
  const Format& format() const { return format_; }
  std::size_t size() const { return n_; }  // words of a finite value

 private:
  using GenericOperation = Value (*)(const Format&, const Value&, const Value&, Rounding, Flags&);
  Long generic(GenericOperation operation, const Long& a, const Long& b, Rounding rounding, Flags& flags) const;
  // x of n_ words, normalised, with what lies below them, rounded in place.
  void round(Long& x, bool sticky, Rounding rounding, Flags& flags) const;
  Long sum(bool negative_a, std::int64_t exponent_a, const words::Word* a, bool negative_b, std::int64_t exponent_b,
           const words::Word* b, std::size_t n, Rounding rounding, Flags& flags) const;

  Format format_;
  std::int64_t least_ = 0, greatest_ = 0;  // exponents of results that are decided here: from least_, below greatest_
  std::size_t n_ = 0, cut_ = 0;            // words; bits of them below the last one of the precision
};

}  // namespace outward
