// decimal64 in 128-bit integers: the operations that inner loops use, for finite operands. Each gives exactly what the
// general path (decimal.hpp, context decimal64) gives, value, cohort member and flags; anything it does not cover
// (special values, results that leave the normal range, far apart exponents) goes there.
#pragma once
#include <cstdint>

#include "formats/rounding.hpp"

namespace outward::decimal {

// A BID code: see decimal_codec.hpp.
using Code64 = std::uint64_t;

Code64 add64(Code64 x, Code64 y, Rounding rounding, Flags& flags);
Code64 multiply64(Code64 x, Code64 y, Rounding rounding, Flags& flags);
Code64 divide64(Code64 x, Code64 y, Rounding rounding, Flags& flags);
Code64 square_root64(Code64 x, Rounding rounding, Flags& flags);
Code64 fused_multiply_add64(Code64 x, Code64 y, Code64 z, Rounding rounding, Flags& flags);

}  // namespace outward::decimal
