// Text of values of binary formats, in both directions. Assumes nothing about the locale. Promises: hexadecimal and
// exact decimal texts name the value exactly; reading rounds once, whatever the number of digits and the exponent.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "formats/value.hpp"

namespace outward {

// "-0x1.8p+3", "0x0p+0", "inf", "nan", "nan(0x12)" (payload), "snan(0x1)".
std::string hexadecimal_text(const Value& x);

// The exact decimal, plain or d.ddde±x; nullopt when |exponent| is over 20000 bits (write the hexadecimal text then).
// Infinities and NaNs as above.
std::optional<std::string> exact_decimal_text(const Value& x);

// A decimal that reads back to the same value in the format to nearest, as short as reasonably possible; the
// hexadecimal text when the exponent is over 20000 bits.
std::string short_text(const Format& format, const Value& x);

// "p/q", reduced, or "m*2^e" with m odd when |exponent| is over 20000 bits. REQUIRES a finite value.
std::string exact_fraction_text(const Value& x);

// Reads a decimal (digits, point, exponent of any size), a hexadecimal number with 'p' exponent, inf, infinity, nan,
// nan(0x..), snan(0x..), each with an optional sign; letters of either case. nullopt when malformed or over 100000
// digits. A NaN payload that the format cannot hold is malformed.
std::optional<Value> parse_value(const Format& format, std::string_view text, Rounding rounding, Flags& flags);

}  // namespace outward
