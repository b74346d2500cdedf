// Codes of binary formats as Fixed and back, word by word: what lies between NumberFormat and the fast arithmetic.
#pragma once
#include <optional>

#include "formats/words/fixed.hpp"

namespace outward {

// The number of a code; nullopt when it is no normal number (decode and FixedArithmetic::number take those). REQUIRES
// a code of the format.
template <int N>
std::optional<Fixed<N>> number_of_code(const FixedArithmetic<N>& arithmetic, const Integer& code);

// The code of a normal number; nullopt for anything else. REQUIRES a value of the format.
template <int N>
std::optional<Integer> code_of_number(const FixedArithmetic<N>& arithmetic, const Fixed<N>& value);

extern template std::optional<Fixed<2>> number_of_code<2>(const FixedArithmetic<2>&, const Integer&);
extern template std::optional<Fixed<4>> number_of_code<4>(const FixedArithmetic<4>&, const Integer&);
extern template std::optional<Integer> code_of_number<2>(const FixedArithmetic<2>&, const Fixed<2>&);
extern template std::optional<Integer> code_of_number<4>(const FixedArithmetic<4>&, const Fixed<4>&);

}  // namespace outward
