// Decimal numbers of every text format: an optional sign, digits with at most one point, an
// optional exponent. Limits: 10,000 digits, exponent 20,000 in size.
#pragma once
#include <cstdint>
#include <string_view>

#include "checker/kernel/bigint.hpp"

namespace outward_check {

// mantissa * 10^exponent. read_decimal gives no factor ten in the mantissa and exponent 0 for zero.
struct Decimal {
  BigInt mantissa;
  std::int64_t exponent = 0;
};

enum class DecimalStatus { ok, malformed, too_many_digits, exponent_too_large };

DecimalStatus read_decimal(std::string_view text, Decimal* out);
Fraction decimal_fraction(const Decimal& value);

// The value rounded to nearest, ties to even, with subnormals; false if it overflows. The bit
// pattern in 32 or 64 bits; zero is +0.
bool round_to_bits(const Fraction& value, bool is_binary64, std::uint64_t* pattern);

}  // namespace outward_check
