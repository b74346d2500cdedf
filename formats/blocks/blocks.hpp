// OCP Microscaling formats (MX v1.0): blocks of 32 elements under one power of two, an E8M0 scale. Element i stands for
// 2^(scale - 127) * P_i, exactly; scale 255 makes the whole block NaN. Elements: FP8 (e4m3, e5m2), FP6 (e3m2, e2m3),
// FP4 (e2m1) of formats/format.hpp, and int8 with six fraction bits.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/format.hpp"
#include "formats/p3109/p3109.hpp"

namespace outward::blocks {

inline constexpr std::size_t block_size = 32;

struct Kind {
  std::string name;      // mxfp8e4m3
  Format element;        // unless integer
  bool integer = false;  // mxint8
  int width = 8;         // bits of an element
  int emax = 0;          // floor(log2) of the greatest element
};
const std::vector<Kind>& kinds();

struct Block {
  std::uint8_t scale = 0;
  std::array<std::uint8_t, block_size> elements{};
};

using p3109::Value;

// One element without scale, and the code of a number: nearest, ties to even, saturated. Other directions round so.
Value element_value(const Kind& kind, std::uint8_t code);
std::uint8_t element_code(const Kind& kind, const Rational& x, Rounding rounding = Rounding::nearest_even);

// The conversion that the specification suggests: scale exponent floor(log2 max|x|) - emax, clamped to -127..127 (the
// least of a block of zeros), elements rounded to nearest even and saturated. REQUIRES 32 numbers.
Block quantize(const Kind& kind, std::span<const Rational> x);
Value dequantize(const Kind& kind, const Block& block, std::size_t i);

// The exact dot product of vectors of blocks; infinities and NaNs as in arithmetic. REQUIRES equal lengths.
Value dot(const Kind& kind, std::span<const Block> a, std::span<const Block> b);

}  // namespace outward::blocks
