// Codes of binary formats as Long and back, word by word.
#pragma once
#include <optional>

#include "formats/words/long_arithmetic.hpp"

namespace outward {

// The number of a code; nullopt when it is no normal number (decode and LongArithmetic::number take those). REQUIRES a
// code of the format.
std::optional<Long> number_of_code(const LongArithmetic& arithmetic, const Integer& code);

// The code of a normal number; nullopt for anything else. REQUIRES a value of the format.
std::optional<Integer> code_of_number(const LongArithmetic& arithmetic, const Long& value);

}  // namespace outward
