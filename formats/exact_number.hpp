// Numbers of binary formats in the form that is common to all families.
#pragma once
#include "formats/number_format.hpp"
#include "formats/value.hpp"

namespace outward {

// Exactly x; of a NaN the sign only.
ExactNumber exact_number(const Value& x);

}  // namespace outward
