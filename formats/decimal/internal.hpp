// What the files of decimal arithmetic share: powers of ten, the one rounding step, NaN operands.
#pragma once
#include <initializer_list>

#include "formats/decimal/decimal.hpp"

namespace outward::decimal {

// 10^n. REQUIRES 0 <= n <= 10^7.
const Integer& power_of_ten(std::int64_t n);
// Decimal digits of value >= 0; 1 for zero.
std::int64_t digits_of(const Integer& value);

// The one rounding step: (-1)^negative * coefficient * 10^exponent, plus less than one unit of 10^exponent away from
// zero if sticky. REQUIRES with sticky that coefficient has at least precision digits, or exponent <= least_exponent.
Number finish(bool negative, Integer coefficient, std::int64_t exponent, bool sticky, const Context& context,
              Flags& flags);

// coefficient / 10^cut rounded to an integer; sets inexact. Any cut >= 0: nothing larger than the operand is built.
Integer rounded_quotient(const Integer& coefficient, std::int64_t cut, bool negative, Rounding rounding, bool& inexact);

// Removes trailing zeros while exponent < preferred.
void strip_zeros(Integer& coefficient, std::int64_t& exponent, std::int64_t preferred);

Number zero(bool negative, std::int64_t exponent, const Context& context);
Number infinity_of(bool negative);
Number invalid_operation(Flags& flags);
// The NaN result if one of the operands is a NaN.
std::optional<Number> nan_among(std::initializer_list<const Number*> operands, const Context& context, Flags& flags);

// The exact sum, or one that rounds like it: x + y with sticky, wide enough for finish. REQUIRES finite operands.
Number add_finite(const Number& x, const Number& y, const Context& context, Flags& flags);

// Order of finite magnitudes; any exponents.
int compare_magnitude(const Number& x, const Number& y);

}  // namespace outward::decimal
