// Codes of binary formats as Fixed and back, word by word: what lies between NumberFormat and the fast arithmetic.
#pragma once
#include <optional>

#include "formats/words/fixed.hpp"

namespace outward {

// The number of a code; nullopt when it is no normal number (decode and FixedArithmetic::fixed take those). REQUIRES
// a code of the format and format.precision() <= 64 N - 2.
template <int N>
std::optional<Fixed<N>> fixed_of_code(const Format& format, const Integer& code);

// The code of a normal number; nullopt for anything else. REQUIRES a value of the format.
template <int N>
std::optional<Integer> code_of_fixed(const Format& format, const Fixed<N>& value);

extern template std::optional<Fixed<2>> fixed_of_code<2>(const Format&, const Integer&);
extern template std::optional<Fixed<4>> fixed_of_code<4>(const Format&, const Integer&);
extern template std::optional<Integer> code_of_fixed<2>(const Format&, const Fixed<2>&);
extern template std::optional<Integer> code_of_fixed<4>(const Format&, const Fixed<4>&);

}  // namespace outward
