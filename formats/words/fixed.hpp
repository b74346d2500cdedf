// Fast arithmetic of binary formats on significands of one, two or four machine words (precision up to 62, 126 and 254
// bits). What is decided here is the common case: numbers whose result is normal; NaN, infinity, results below the
// least normal number and overflow go to the generic functions of operations.hpp, and every result equals theirs.
// Assumes nothing about the floating-point environment, except the ambient direction and flush modes that the hardware
// path of word_format.hpp tests first.
#pragma once
#include <array>
#include <cstdint>

#include "formats/operations.hpp"

namespace outward {

// A value: finite ones are words * 2^(exponent - 64N + 1) with the top bit of the last word set (least significant word
// first), so `exponent` is floor(log2). Payloads of NaNs lie in the words as an integer.
template <int N>
struct Fixed {
  ValueKind kind = ValueKind::zero;
  bool negative = false;
  std::int64_t exponent = 0;
  std::array<std::uint64_t, N> words{};

  bool is_nan_kind() const { return kind == ValueKind::quiet_nan || kind == ValueKind::signalling_nan; }
};

// Arithmetic in one format. REQUIRES format.precision() <= 64 N - 2 (throws std::logic_error otherwise), and operands
// of that format.
template <int N>
class FixedArithmetic {
 public:
  using Number = Fixed<N>;
  explicit FixedArithmetic(const Format& format);

  Fixed<N> add(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding, Flags& flags) const;
  Fixed<N> subtract(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding, Flags& flags) const;
  Fixed<N> multiply(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding, Flags& flags) const;
  Fixed<N> divide(const Fixed<N>& a, const Fixed<N>& b, Rounding rounding, Flags& flags) const;
  Fixed<N> square_root(const Fixed<N>& a, Rounding rounding, Flags& flags) const;
  Fixed<N> fused_multiply_add(const Fixed<N>& a, const Fixed<N>& b, const Fixed<N>& c, Rounding rounding,
                              Flags& flags) const;

  Fixed<N> number(const Value& value) const;
  Value value(const Fixed<N>& number) const;
  const Format& format() const { return format_; }

 private:
  using GenericOperation = Value (*)(const Format&, const Value&, const Value&, Rounding, Flags&);
  Fixed<N> generic(GenericOperation operation, const Fixed<N>& a, const Fixed<N>& b, Rounding rounding,
                   Flags& flags) const;
  Fixed<N> cancelled(Rounding rounding, Flags& flags) const;
  template <int W>
  Fixed<N> rounded_generically(bool negative, std::int64_t exponent, std::array<std::uint64_t, W> words, bool sticky,
                               Rounding rounding, Flags& flags) const;
  template <int W>
  Fixed<N> rounded(bool negative, std::int64_t exponent, const std::array<std::uint64_t, W>& words, bool sticky,
                   Rounding rounding, Flags& flags) const;
  template <int W>
  Fixed<N> rounded_anyhow(bool negative, std::int64_t exponent, const std::array<std::uint64_t, W>& words, bool sticky,
                          Rounding rounding, Flags& flags) const;
  template <int W>
  Fixed<N> sum(bool negative_x, std::int64_t exponent_x, const std::array<std::uint64_t, W>& first, bool negative_y,
               std::int64_t exponent_y, const std::array<std::uint64_t, W>& second, Rounding rounding,
               Flags& flags) const;

  Format format_;
  std::int64_t least_ = 0, greatest_ = 0;  // exponents of results that are decided here
  int cut_ = 0;                            // bits of N words below the last one of the precision
};

extern template class FixedArithmetic<1>;
extern template class FixedArithmetic<2>;
extern template class FixedArithmetic<4>;

}  // namespace outward
