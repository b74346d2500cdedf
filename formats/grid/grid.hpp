// Quantised integer grids: a code q of n bits (signed or not) stands for (q - zero) * scale, exactly. Quantising is
// that of ONNX QuantizeLinear: round(x / scale) to an integer, plus zero, saturated to the range of the type.
#pragma once
#include <cstdint>

#include "formats/exact.hpp"
#include "formats/rounding.hpp"

namespace outward {

struct Grid {
  int bits = 8;
  bool is_signed = true;
  Rational scale = 1;     // positive
  std::int64_t zero = 0;  // a code of the type

  std::int64_t least() const { return is_signed ? -(std::int64_t{1} << (bits - 1)) : 0; }
  std::int64_t greatest() const { return (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1; }
};

// nearest_even is QuantizeLinear; other directions round x / scale so. overflow: the value lies beyond the last code,
// inexact: it is not the value of the result.
std::int64_t quantize(const Grid& grid, const Rational& x, Rounding rounding, Flags& flags);
// DequantizeLinear: (q - zero) * scale.
Rational dequantize(const Grid& grid, std::int64_t q);

}  // namespace outward
