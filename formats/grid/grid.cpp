#include "formats/grid/grid.hpp"

#include <cstdint>

#include "formats/families.hpp"

namespace outward {

std::int64_t quantize(const Grid& grid, const Rational& x, Rounding rounding, Flags& flags) {
  const Integer rounded = round_to_integer(Rational(x / grid.scale), rounding) + grid.zero;
  const bool below = rounded<grid.least(), above = rounded> grid.greatest();
  const std::int64_t code = below ? grid.least() : above ? grid.greatest() : rounded.convert_to<std::int64_t>();
  flags.overflow |= below || above;
  flags.inexact |= dequantize(grid, code) != x;
  return code;
}

Rational dequantize(const Grid& grid, std::int64_t q) { return Rational(Integer(q) - grid.zero) * grid.scale; }

}  // namespace outward
