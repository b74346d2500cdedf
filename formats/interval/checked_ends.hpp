// What the files of Interval share: rounded results as ends, or the failure. Assumes results rounded in the direction
// of the end. Promises: nothing saturated passes.
#pragma once
#include "formats/interval/interval.hpp"

namespace outward::interval_detail {

int order(const Value& a, const Value& b);  // -1, 0, 1; throws std::domain_error for NaN
bool has_infinities(const Format& format);

// x as the end of an interval; flags are those of its rounding. Throws EnclosureFailure when x is NaN, or lies on the
// wrong side because the format has nothing further out.
Value lower_end(const Format& format, const Value& x, const Flags& flags);
Value upper_end(const Format& format, const Value& x, const Flags& flags);

// An infinity as an end; throws EnclosureFailure in formats without.
Value unbounded(const Format& format, bool negative);

}  // namespace outward::interval_detail
