// The two encodings of decimal32, decimal64 and decimal128 (IEEE 754-2019 section 3.5.2): BID keeps the coefficient as
// a binary integer, DPD packs three digits into ten bits. Every code decodes; those that are not canonical decode to
// the value the standard gives them (a coefficient or payload that is too large is 0). encode gives canonical codes.
#pragma once
#include "formats/decimal/decimal.hpp"

namespace outward::decimal {

enum class Encoding { bid, dpd };

// REQUIRES width 32, 64 or 128 and 0 <= code < 2^width.
Number decode(const Integer& code, int width, Encoding encoding);
// REQUIRES a number of the format (what operations with its context return); throws std::logic_error otherwise.
Integer encode(const Number& x, int width, Encoding encoding);

// The context of a width.
const Context& context_of(int width);

}  // namespace outward::decimal
