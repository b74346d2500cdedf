// Arithmetic of IEEE 754-2019 on values of binary formats. Operands may be values of any binary format; the result is a
// value of `format`, exact result rounded once. Flags are added to. Assumes nothing about the floating-point
// environment. NaN rule: an invalid operation without NaN operand gives the canonical NaN; otherwise a signalling
// operand wins over a quiet one, else the leftmost; quieted, sign and payload kept if the format can hold them.
// Signalling operands raise invalid; so does fma(0, inf, NaN). In finite formats the result of an invalid operation is
// +0. Zeros: a sum that cancels is +0, -0 when rounding down; sign of products and quotients by xor; sqrt(-0) = -0.
#pragma once
#include <optional>

#include "formats/value.hpp"

namespace outward {

Value add(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags);
Value subtract(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags);
Value multiply(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags);
Value divide(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags);
Value square_root(const Format& format, const Value& a, Rounding rounding, Flags& flags);
// a * b + c with one rounding.
Value fused_multiply_add(const Format& format, const Value& a, const Value& b, const Value& c, Rounding rounding,
                         Flags& flags);
// a - b * n, n the integer nearest to a/b (ties to even): exact in a format that holds a and b. By modular powering,
// whatever the exponents.
Value remainder(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags);

// Changes the format: inf and NaN by the conventions of the target (an infinity that the target lacks raises invalid
// when it becomes NaN, overflow and inexact when it becomes a finite number; a NaN that it lacks becomes +0, invalid).
Value convert(const Format& format, const Value& a, Rounding rounding, Flags& flags);

// The sign operations take any value, raise nothing, and leave the zero and the NaN of fnuz formats alone.
Value negate(const Format& format, Value a);
Value absolute(const Format& format, Value a);

// To an integral value; inexact is raised only if `exact`.
Value round_to_integral(const Format& format, const Value& a, Rounding rounding, bool exact, Flags& flags);

// To an integer of `bits` bits (two's complement, or unsigned). nullopt, with invalid, for NaN, infinity and what is
// out of range; inexact is raised only if `exact`.
std::optional<Integer> to_integer(const Value& a, int bits, bool is_signed, Rounding rounding, bool exact,
                                  Flags& flags);

enum class Order { less, equal, greater, unordered };
// Quiet: invalid for signalling NaNs only. Signalling: for every NaN.
Order compare_quiet(const Value& a, const Value& b, Flags& flags);
Order compare_signalling(const Value& a, const Value& b, Flags& flags);
// IEEE 754-2019 totalOrder(a, b), for values of one format.
bool total_order(const Value& a, const Value& b);

// IEEE 754-2019 section 9.6: -0 < +0. minimum/maximum give NaN for a NaN operand; the _number variants the other
// operand (a signalling NaN raises invalid all the same).
Value minimum(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags);
Value maximum(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags);
Value minimum_number(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags);
Value maximum_number(const Format& format, const Value& a, const Value& b, Rounding rounding, Flags& flags);

// The neighbours in the order of values (nextUp, nextDown). An infinite result where the format has none saturates:
// nullopt. Signalling NaNs raise invalid. -0 and +0 have the same neighbours.
std::optional<Value> next_up(const Format& format, const Value& a, Flags& flags);
std::optional<Value> next_down(const Format& format, const Value& a, Flags& flags);

}  // namespace outward
