// Parser of VNN-LIB 1.0 text.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "importers/vnnlib/formula.hpp"

namespace outward::vnnlib {

using Sizes = std::optional<std::pair<std::uint64_t, std::uint64_t>>;  // inputs and outputs of the model

// Declarations, linear arithmetic, comparisons, `and` and `or`. Throws InputRefused at the first thing it does not
// understand; rows that mix inputs and outputs are valid syntax and end in Formula::unsupported.
// With sizes, the declarations must be exactly X_0 … X_{inputs-1} and Y_0 … Y_{outputs-1}; without, gapless from 0.
Formula parse_v1(std::string_view text, const std::string& name, const Sizes& sizes);

}  // namespace outward::vnnlib
