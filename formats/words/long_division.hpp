// Division of long integers, several times as fast as that of the library behind Integer.
#pragma once
#include "formats/exact.hpp"

namespace outward {

// dividend = quotient * divisor + rest, 0 <= rest < divisor. REQUIRES dividend >= 0, divisor > 0; quotient and rest are
// apart from the operands and from one another.
void divide_long(const Integer& dividend, const Integer& divisor, Integer& quotient, Integer& rest);

}  // namespace outward
