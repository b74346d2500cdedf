// Binary formats whose codes fit one machine word (width up to 64, precision up to 62): arithmetic from code to code.
// Equals decode, the generic operation and encode. binary32 and binary64 to nearest even use the hardware where its
// result and the flags are known to be right, after a look at the ambient control register.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "formats/number_format.hpp"
#include "formats/words/fixed.hpp"

namespace outward {

class WordFormat {
 public:
  // REQUIRES width <= 64 and precision <= 62 (throws std::logic_error otherwise).
  explicit WordFormat(const Format& format);

  // REQUIRE codes below 2^width.
  std::uint64_t add(std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) const;
  std::uint64_t subtract(std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) const;
  std::uint64_t multiply(std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) const;
  std::uint64_t divide(std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) const;
  std::uint64_t square_root(std::uint64_t a, Rounding rounding, Flags& flags) const;
  std::uint64_t fused_multiply_add(std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding,
                                   Flags& flags) const;

  Fixed<1> decode(std::uint64_t code) const;
  std::uint64_t encode(const Fixed<1>& value) const;
  const Format& format() const { return fixed_.format(); }

 private:
  enum class Hardware { none, single_width, double_width };
  // The hardware applies: the format is one of its own, to nearest even, and the ambient modes are the default ones.
  bool native(Hardware width, Rounding rounding) const;
  // a + b or a - b by the hardware; nullopt: not decided there, flags as they were.
  std::optional<std::uint64_t> native_sum(std::uint64_t a, std::uint64_t b, bool subtract, Rounding rounding,
                                          Flags& flags) const;

  FixedArithmetic<1> fixed_;
  int fraction_bits_ = 0, sign_place_ = 0;
  std::uint64_t fields_ = 0, plain_below_ = 0;  // exponent codes; those below plain_below_ mean numbers only
  std::int64_t bias_ = 0;
  Hardware hardware_ = Hardware::none;
};

// All results of one operation of two operands in a format of at most 8 bits, by table.
class OperationTable {
 public:
  // REQUIRES width <= 8 and an operation of two operands (throws std::logic_error otherwise).
  OperationTable(const Format& format, Operation operation, Rounding rounding);
  std::uint8_t apply(std::uint8_t a, std::uint8_t b, Flags& flags) const {
    const Entry& entry = entries_[static_cast<std::size_t>(a) << width_ | b];
    if (entry.flags != 0) add_flags(entry.flags, flags);
    return entry.code;
  }

 private:
  struct Entry {
    std::uint8_t code = 0, flags = 0;
  };
  static void add_flags(std::uint8_t bits, Flags& flags);
  int width_;
  std::vector<Entry> entries_;
};

}  // namespace outward
