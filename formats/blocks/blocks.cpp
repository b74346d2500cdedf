#include "formats/blocks/blocks.hpp"

#include <algorithm>
#include <stdexcept>

#include "formats/families.hpp"
#include "formats/value.hpp"

namespace outward::blocks {

namespace {

Rational power_of_two(int e) {
  const Rational power(Integer(1) << static_cast<unsigned>(e < 0 ? -e : e));
  return e < 0 ? Rational(1 / power) : power;
}

Kind floating(const std::string& name, const std::string& element) {
  const Format format = parse_format(element);
  return {name, format, false, format.width(), static_cast<int>(floor_log2(greatest_finite(format)))};
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table{floating("mxfp8e4m3", "e4m3fn"), floating("mxfp8e5m2", "e5m2"),
                                       floating("mxfp6e3m2", "e3m2"),   floating("mxfp6e2m3", "e2m3"),
                                       floating("mxfp4e2m1", "e2m1"),   {"mxint8", {}, true, 8, 0}};
  return table;
}

Value element_value(const Kind& kind, std::uint8_t code) {
  if (kind.integer) return {Value::Kind::number, false, Rational(static_cast<std::int8_t>(code), 64)};
  const outward::Value x = decode(kind.element, code);
  if (x.is_nan()) return {Value::Kind::nan, false, 0};
  if (x.kind == ValueKind::infinite) return {Value::Kind::infinite, x.negative, 0};
  return {Value::Kind::number, false, x.kind == ValueKind::zero ? Rational(0) : to_rational(x)};
}

std::uint8_t element_code(const Kind& kind, const Rational& x, Rounding rounding) {
  if (kind.integer) {
    const Integer steps = std::clamp(round_to_integer(x * 64, rounding), Integer(-128), Integer(127));
    return static_cast<std::uint8_t>(steps.convert_to<int>());
  }
  Format saturating = kind.element;
  saturating.saturate = true;
  Flags flags;
  return encode(kind.element, round(saturating, x, rounding, flags)).convert_to<std::uint8_t>();
}

Block quantize(const Kind& kind, std::span<const Rational> x) {
  if (x.size() != block_size) throw std::logic_error("a block has 32 elements");
  Rational greatest = 0;
  for (const Rational& v : x) greatest = std::max(greatest, Rational(abs(v)));
  int exponent = -127;
  if (!greatest.is_zero())
    exponent = static_cast<int>(std::clamp<std::int64_t>(outward::floor_log2(greatest) - kind.emax, -127, 127));
  Block block;
  block.scale = static_cast<std::uint8_t>(exponent + 127);
  const Rational scale = power_of_two(exponent);
  for (std::size_t i = 0; i < block_size; ++i) block.elements[i] = element_code(kind, Rational(x[i] / scale));
  return block;
}

Value dequantize(const Kind& kind, const Block& block, std::size_t i) {
  if (block.scale == 255) return {Value::Kind::nan, false, 0};
  return p3109::multiply(element_value(kind, block.elements.at(i)),
                         {Value::Kind::number, false, power_of_two(block.scale - 127)});
}

Value dot(const Kind& kind, std::span<const Block> a, std::span<const Block> b) {
  if (a.size() != b.size()) throw std::logic_error("a dot product of vectors of different lengths");
  Value sum;
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t i = 0; i < block_size; ++i)
      sum = p3109::add(sum, p3109::multiply(dequantize(kind, a[k], i), dequantize(kind, b[k], i)));
  return sum;
}

}  // namespace outward::blocks
