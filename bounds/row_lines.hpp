// What single rows of a backward pass know beyond the state: narrower ranges of some elements, and with them other
// lines and multiples of range ends. A part of a box that was split at neurons is one row this way, so that many parts
// share one matrix product. The state's error terms stay valid: a part is a subset of the state's scope.
#pragma once
#include <cstdint>
#include <span>

#include "bounds/state.hpp"

namespace outward {

class RowLines {
 public:
  virtual ~RowLines() = default;
  // Changes the lines of piecewise-linear node k for this row; `lines` holds the state's.
  virtual void patch(std::size_t row, std::uint32_t k, Lines& lines) const = 0;

  // value·(end − z[element]) is added to the row's form at stored node k. value > 0: end <= z in the part; value < 0:
  // end >= z.
  struct Multiplier {
    std::uint32_t element;
    double value, end;
  };
  virtual std::span<const Multiplier> multipliers(std::size_t row, std::uint32_t k) const = 0;
};

}  // namespace outward
