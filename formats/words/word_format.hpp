// Binary formats whose codes fit one machine word (width up to 64, precision up to 62): arithmetic from code to code.
// Equals decode, the generic operation and encode. Formats of up to 25 bits of precision and 9 of exponent, and
// binary64, use the binary64 operations of the hardware to nearest even where the result and the flags are known to be
// right, after a look at the ambient control register.
#pragma once
#include <cstdint>
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
  enum class Hardware { none, narrow, double_width };
  // The hardware applies: the format is one of those, to nearest even, and the ambient modes are the default ones.
  bool native(Rounding rounding) const;
  // Normal numbers of a narrow format as doubles, exactly; false for others.
  bool widen(std::uint64_t code, double& x) const;
  // The number of a narrow format nearest to an exact result or one rounded to odd; false where it is not certainly a
  // normal number.
  bool narrow(std::uint64_t bits, std::uint64_t& code, Flags& flags) const;
  // The operations by the hardware; false: not decided there, flags as they were.
  bool native_sum(std::uint64_t a, std::uint64_t b, std::uint64_t sign, std::uint64_t& code, Flags& flags) const;
  bool native_product(std::uint64_t a, std::uint64_t b, std::uint64_t& code, Flags& flags) const;
  bool native_quotient(std::uint64_t a, std::uint64_t b, std::uint64_t& code, Flags& flags) const;
  bool native_root(std::uint64_t a, std::uint64_t& code, Flags& flags) const;
  bool native_fused(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t& code, Flags& flags) const;

  // An operation of FixedArithmetic<1>, for all else.
  template <auto operation, class... Codes>
  std::uint64_t by_words(Rounding rounding, Flags& flags, Codes... codes) const;

  FixedArithmetic<1> fixed_;
  int fraction_bits_ = 0, sign_place_ = 0;
  std::uint64_t fields_ = 0, plain_below_ = 0;  // exponent codes; those below plain_below_ mean numbers only
  std::int64_t bias_ = 0;
  Hardware hardware_ = Hardware::none;
  // What the conversions between narrow formats and binary64 need.
  struct Narrow {
    int shift = 0;                                      // fraction bits of binary64 beyond those of the format
    int sign_shift = 0;                                 // of its sign below that of binary64
    std::uint64_t magnitude = 0;                        // the bits below the sign
    std::uint64_t normal_from = 0, normal_count = 0;    // magnitudes that are normal numbers
    std::uint64_t rebias = 0;                           // added to a shifted magnitude it gives that of binary64
    std::uint64_t rest = 0, below_half = 0;             // of binary64: bits that are rounded off; less than half
    std::uint64_t rebias_code = 0;                      // rebias in the exponent field of the format
    std::uint64_t decided_from = 0, decided_count = 0;  // magnitudes of results that are certainly right
  } narrow_;
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
