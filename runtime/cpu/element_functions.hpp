// The functions of runtime/graph/element_function.hpp at a number and over intervals. Assumes the default rounding
// mode. Promises: values are the correctly rounded ones (nearest even), NaN outside the domain, limits at infinities;
// nothing here uses the machine's library of functions, whose accuracy nobody states.
#pragma once
#include <optional>
#include <utility>

#include "formats/interval/interval.hpp"
#include "formats/number_format.hpp"
#include "runtime/graph/element_function.hpp"

namespace outward {

// REQUIRES x a number of the element type, NaN or infinite.
double evaluate(ElementFunction function, double x, ElementType element);

// The same on a code of a number format of any family, rounded once; NaN by the family's rules. Throws InputRefused
// where the family lacks the operation, ResourceError for a rounding that stays undecided.
Integer evaluate(ElementFunction function, const Integer& code, const NumberFormat& format, Rounding rounding,
                 Flags& flags);

// Encloses the function over the part of x where it is defined, with ends of the format; nothing if it is not defined
// on all of x, or if the format has no end to enclose it.
std::optional<Interval> evaluate(ElementFunction function, const Interval& x, const Format& format);

// Ends of what a kernel may compute over lo <= x <= hi that is within k_ulp ulps of the function, correctly rounded for
// 0: numbers of the element type, at or beyond every such value. An ulp is the distance from the exact value's binade
// (Muller, Handbook of Floating-Point Arithmetic, 2.3: Goldberg's ulp), never less than the least subnormal. Nothing
// where the function is not defined on all of [lo, hi], or an end is not finite. Functions that are exact or one
// operation of IEEE 754 (no row_of(function).elementary) take no k_ulp.
std::optional<std::pair<double, double>> evaluate(ElementFunction function, double lo, double hi, ElementType element,
                                                  std::uint32_t k_ulp);

}  // namespace outward
