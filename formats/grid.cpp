#include "formats/grid.hpp"

#include <algorithm>

#include "formats/families.hpp"

namespace outward {

std::int64_t quantize(const Grid& grid, const Rational& x, Rounding rounding, Flags& flags) {
  const Integer rounded = round_to_integer(Rational(x / grid.scale), rounding) + grid.zero;
  const Integer clamped = std::clamp(rounded, Integer(grid.least()), Integer(grid.greatest()));
  const auto code = clamped.convert_to<std::int64_t>();
  flags.overflow |= clamped != rounded;
  flags.inexact |= dequantize(grid, code) != x;
  return code;
}

Rational dequantize(const Grid& grid, std::int64_t q) { return Rational(Integer(q) - grid.zero) * grid.scale; }

}  // namespace outward
