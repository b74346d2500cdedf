// Intervals with ends in any number format, one interface for all families. Binary formats:
// formats/interval/interval.hpp. All others: exact rational arithmetic, then the neighbours in the format; elementary
// functions through a binary format of more than twice the width, so that their ends may lie one number further out
// than the least. Promises as there: outward by construction; where the format has no number beyond an end,
// EnclosureFailure.
#pragma once
#include <memory>
#include <span>

#include "formats/elementary/functions.hpp"
#include "formats/interval/interval.hpp"
#include "formats/number_format.hpp"

namespace outward {

struct AnyInterval {
  bool is_empty = false;
  ExactNumber lo, hi;  // numbers of the format, or infinities where it has them
};

class IntervalFormat {
 public:
  virtual ~IntervalFormat() = default;
  // The least interval around [lo, hi]. REQUIRES lo <= hi, no NaN, not twice the same infinity.
  virtual AnyInterval enclose(const ExactNumber& lo, const ExactNumber& hi) const = 0;
  // add, subtract, multiply, divide, square_root, fused_multiply_add, minimum, maximum, negate, absolute; throws
  // InputRefused for the others.
  virtual AnyInterval apply(Operation operation, std::span<const AnyInterval> x) const = 0;
  virtual AnyInterval apply(Function function, const AnyInterval& x) const = 0;
  virtual AnyInterval power(const AnyInterval& x, std::int64_t n) const = 0;
};

// Throws InputRefused for formats that cannot hold ends (unsigned ones, flush to zero).
std::unique_ptr<IntervalFormat> interval_format(const std::shared_ptr<const NumberFormat>& format);

}  // namespace outward
