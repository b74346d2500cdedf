// Decimal numbers of every text format: an optional sign, digits with at most one point, an
// optional exponent. Limits: 10,000 digits, exponent 20,000 in size.
#pragma once
#include <cstdint>
#include <string_view>

#include "checker/kernel/bigint.hpp"

namespace outward_check {

enum class DecimalStatus { ok, malformed, too_many_digits, exponent_too_large };
DecimalStatus read_decimal(std::string_view text, Fraction* out);

// The bit pattern of the value rounded to nearest, ties to even, with subnormals; false if it
// overflows. Zero is +0.
bool round_to_bits(const Fraction& value, bool is_binary64, std::uint64_t* pattern);

}  // namespace outward_check
