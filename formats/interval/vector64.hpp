// Vectors of intervals with binary64 ends: the arithmetic of formats/interval for many at a time, on the widest vectors
// that the processor has. Assumes intervals that are not empty (lo <= hi, no NaN, not both ends the same infinity).
// Promises: bit for bit what the operations on Interval give (zeros are +0), on every path; the ambient rounding
// direction is never changed nor relied on, and modes that flush subnormal numbers send everything to the generic path.
#pragma once
#include <cstddef>
#include <span>

namespace outward::vector64 {

enum class Path {
  generic,   // Interval, one by one
  portable,  // to nearest with an exact error term, then moved by a unit where needed
  avx2,      // the same, four at a time
  avx512,    // rounding directions in the instructions, eight at a time
};

enum class Operation { add, subtract, multiply, divide };

const char* path_name(Path path);
bool has_path(Path path);  // on this processor
Path best_path();

struct Ends {
  std::span<const double> lo, hi;
};

// out[i] = a[i] op b[i]. REQUIRES equal lengths, out apart from a and b or equal to one of them, and with divide no
// b[i] = [0, 0]. Throws std::logic_error for a path that the processor lacks.
void apply(Operation operation, Ends a, Ends b, std::span<double> lo, std::span<double> hi, Path path = best_path());

}  // namespace outward::vector64
