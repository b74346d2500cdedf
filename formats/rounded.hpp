// Correctly rounded elementary functions into any binary format: enclosures of growing precision until both ends round
// to the same value (Ziv 1991). Assumes nothing. Promises: the result is the correctly rounded one; when that cannot be
// certified, ResourceError, never a guess.
#pragma once
#include "formats/elementary/functions.hpp"
#include "formats/operations.hpp"

namespace outward {

// f(x) in the format, with the flags of IEEE 754-2019 section 9.2: NaN operands are quieted; outside the domain invalid
// and the canonical NaN; poles (log 0, log1p -1, atanh +-1) divide_by_zero and the infinity of the format; infinite
// operands give the limit (sin, cos, tan: invalid). f(+-0) = +-0 where f is odd or behaves like x at 0. Throws
// ResourceError for sin, cos and tan of 2^(2^17) and more, and when a rounding stays undecided (not seen, not excluded
// for erf, erfc, gelu).
Value elementary_function(const Format& format, Function function, const Value& x, Rounding rounding, Flags& flags);

// x^n: IEEE 754-2019 pown. Throws ResourceError for |n| over 2^30.
Value power(const Format& format, const Value& x, std::int64_t n, Rounding rounding, Flags& flags);

// The exact dyadic of a finite value, and back (the value of no particular format).
Dyadic dyadic_of(const Value& x);
Value value_of(const Dyadic& x);

// A real known to lie strictly between the ends (open) or between them, rounded: nullopt when the ends round
// differently. Infinite ends count as beyond every format.
struct OpenEnds {
  bool lo = false, hi = false;
};
std::optional<Value> round_enclosure(const Format& format, const elementary::Enclosure& x, OpenEnds open,
                                     Rounding rounding, Flags& flags);

}  // namespace outward
