// Binary number formats by descriptor: any exponent and fraction width, bias and special-value convention.
// Assumes nothing; every function says what it requires. Descriptors made by parse_format are always valid.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outward {

// What the codes with extreme exponent or fraction mean.
enum class Convention {
  ieee,    // all-ones exponent: infinities and NaNs
  fn,      // no infinity; the all-ones magnitude is NaN; two zeros
  fnuz,    // no infinity, no negative zero; the code 10..0 is the only NaN
  finite,  // every code is a number; two zeros
  scale,   // e8m0: unsigned power of two, no zero, all ones is NaN (no fraction bits)
};

// A binary format: value (-1)^s * 2^(E - bias) * (1 + F/2^f), gradual underflow at E = 0. Widths in bits.
struct Format {
  int exponent_bits = 11;
  int fraction_bits = 52;
  std::int64_t bias = 1023;
  Convention convention = Convention::ieee;
  bool saturate = false;  // overflow and infinities are delivered as the largest finite number
  bool flush = false;     // a rounded result below the least normal number is delivered as zero

  bool operator==(const Format&) const = default;

  int precision() const { return fraction_bits + 1; }
  int width() const { return (convention == Convention::scale ? 0 : 1) + exponent_bits + fraction_bits; }
  // Exponents of the least normal and of the greatest finite number (floor of log2).
  std::int64_t least_exponent() const { return convention == Convention::scale ? -bias : 1 - bias; }
  std::int64_t greatest_exponent() const {
    const bool reserved = convention == Convention::ieee || convention == Convention::scale;
    return (std::int64_t{1} << exponent_bits) - (reserved ? 2 : 1) - bias;
  }
  bool has_infinity() const { return convention == Convention::ieee; }
  bool has_nan() const { return convention != Convention::finite; }
  bool has_negative_zero() const { return convention != Convention::fnuz && convention != Convention::scale; }
};

inline constexpr int max_exponent_bits = 30;
inline constexpr int max_fraction_bits = 4096;

// The bias a convention implies: 2^(e-1) - 1, one more for fnuz.
std::int64_t default_bias(int exponent_bits, Convention convention);

// A valid IEEE style format. Throws InputRefused naming the range if e is not in 2..30 or f not in 1..4096.
Format binary(int exponent_bits, int fraction_bits);

// Why a descriptor is impossible ("" if it is not): 2 <= e <= 30, 1 <= f <= 4096, 1 <= bias <= the largest finite
// exponent code, so that 1 is a finite number.
std::string impossible(const Format& format);

// The textual form of a binary format, letters of either case:
//   NAME or NAME(option, ...)                                      e4m3fn, e5m2(saturate)
//   binary(e, f [, bias] [, ieee|fn|fnuz|finite] [, saturate] [, flush])
//   binaryK                                                        K = 16, 32, 64, or a multiple of 32 from 128
// Throws InputRefused with the reason. Formats that are not binary: parse_number_format in number_format.hpp.
Format parse_format(std::string_view text);

// The shortest text that parse_format reads back as the same format.
std::string format_text(const Format& format);

// All names, each with its format, aliases after the name they stand for.
struct NamedFormat {
  std::string name;
  Format format;
  bool alias = false;
};
const std::vector<NamedFormat>& named_formats();

// The descriptor text without blanks, in lower case.
std::string plain_descriptor(std::string_view text);

// "name(a,b)" as name and arguments; without parentheses, no arguments. REQUIRES a plain_descriptor; throws
// InputRefused when parentheses or commas are misplaced.
struct DescriptorParts {
  std::string name;
  std::vector<std::string> arguments;
};
DescriptorParts split_descriptor(const std::string& plain);

}  // namespace outward
