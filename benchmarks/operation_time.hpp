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

// Best of three runs of at least 30 ms.
template <class F>
double nanoseconds(const F& operation) {
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    long done = 0;
    const double begin = wall();
    double elapsed = 0;
    do {
      for (std::size_t i = 0; i + 2 < count; ++i) operation(i);
      done += count - 2;
      elapsed = wall() - begin;
    } while (elapsed < 0.03);
    best = std::min(best, elapsed * 1e9 / static_cast<double>(done));
  }
  return best;
}

}  // namespace outward
