// How the benchmarks of number formats time one operation.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "benchmarks/clock.hpp"
#include "formats/rounding.hpp"

namespace outward {

inline constexpr std::size_t count = 256;  // operands
inline constexpr auto nearest = Rounding::nearest_even;
inline std::uint64_t sink = 0;  // takes results, so that none is optimised away

// The least time of a pass over the operands, of the passes of 60 ms: other work on the machine only ever adds.
template <class F>
double nanoseconds(const F& operation) {
  double best = 1e9;
  const double begin = wall();
  for (double from = begin, to = begin; to - begin < 0.06; from = to) {
    for (std::size_t i = 0; i + 2 < count; ++i) operation(i);
    to = wall();
    best = std::min(best, to - from);
  }
  return best * 1e9 / static_cast<double>(count - 2);
}

}  // namespace outward
