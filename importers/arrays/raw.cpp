// Common parts of the array readers, see raw.hpp.
// Conversions work on bit patterns and integers, so that flush-to-zero or the rounding mode cannot change a number.
#include "importers/arrays/raw.hpp"

#include <bit>

#include "formats/exact.hpp"

namespace outward::arrays {
namespace {

constexpr std::uint64_t sign_bit64 = std::uint64_t{1} << 63;

std::string element_text(std::uint64_t index) { return "element " + std::to_string(index); }

[[noreturn]] void refuse_inexact(double value, const std::string& name, std::uint64_t index) {
  refuse(name, "inexact-number", element_text(index) + " is not a binary32 number",
         "a number that binary32 holds exactly", shortest_decimal(value),
         "convert the array to binary32 yourself, so that the rounding is yours");
}

}  // namespace

void refuse(const std::string& where, const std::string& code, const std::string& what, const std::string& expected,
            const std::string& found, const std::string& next) {
  throw InputRefused(Blocker{code, where, what, expected, found, next});
}

std::uint64_t from_double(double value, ElementType element, const std::string& name, std::uint64_t index) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t field = (bits >> 52) & 0x7ffU;
  if (field == 0x7ff)
    refuse(name, "not-finite", element_text(index) + " is not finite", "finite numbers", "NaN or infinity");
  if (element == ElementType::binary64) return bits;
  const std::uint64_t sign = (bits & sign_bit64) >> 32;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (field == 0 && fraction == 0) return sign;
  if (field >= 1023 - 126 && field <= 1023 + 127 && (fraction & ((1U << 29) - 1)) == 0) {
    return sign | ((field - 1023 + 127) << 23) | (fraction >> 29);
  }
  if (field >= 1023 - 149 && field < 1023 - 126) {  // binary32 subnormals: an integer number of units 2^-149
    const std::uint64_t mantissa = fraction | (std::uint64_t{1} << 52);
    const std::uint64_t drop = 52 - (field - (1023 - 149));
    if ((mantissa & ((std::uint64_t{1} << drop) - 1)) == 0) return sign | (mantissa >> drop);
  }
  refuse_inexact(value, name, index);
}

std::uint64_t from_binary32_bits(std::uint32_t bits, ElementType element, const std::string& name,
                                 std::uint64_t index) {
  const std::uint32_t field = (bits >> 23) & 0xffU;
  if (field == 0xff)
    refuse(name, "not-finite", element_text(index) + " is not finite", "finite numbers", "NaN or infinity");
  if (element == ElementType::binary32) return bits;
  const std::uint64_t sign = std::uint64_t{bits >> 31} << 63;
  std::uint64_t fraction = bits & 0x7fffffU;
  if (field != 0) return sign | (std::uint64_t{field + 1023 - 127} << 52) | (fraction << 29);
  if (fraction == 0) return sign;
  const int shift = 53 - static_cast<int>(std::bit_width(fraction));  // the leading bit becomes the hidden one
  fraction = (fraction << shift) & ((std::uint64_t{1} << 52) - 1);
  return sign | (static_cast<std::uint64_t>(1023 - 149 + 52 - shift) << 52) | fraction;
}

std::uint64_t from_integer(std::uint64_t magnitude, bool negative, ElementType element, const std::string& name,
                           std::uint64_t index) {
  if (magnitude == 0) return 0;
  const int width = static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude);
  const int precision = element == ElementType::binary32 ? 24 : 53;
  if (width > precision) {
    refuse(name, "inexact-number", element_text(index) + " is an integer with more bits than the element type",
           "at most " + std::to_string(precision) + " significant bits",
           (negative ? "-" : "") + std::to_string(magnitude),
           "convert the array to floating point yourself, so that the rounding is yours");
  }
  return from_double(negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude), element, name, index);
}

std::uint64_t from_decimal(std::string_view text, ElementType element, const std::string& where) {
  const auto value = parse_decimal(text);
  if (!value) {
    refuse(where, "bad-number", "not a decimal number",
           "digits with at most one sign, one point and one exponent, within the limits",
           "'" + std::string(text.substr(0, 60)) + "'");
  }
  const double rounded = element == ElementType::binary32 ? round_nearest_binary32(*value) : round_nearest(*value);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(rounded);
  if (((bits >> 52) & 0x7ffU) == 0x7ff) {
    refuse(where, "overflow", "the number is beyond the element type", "a number that does not round to infinity",
           "'" + std::string(text.substr(0, 60)) + "'");
  }
  return from_double(rounded, element, where, 0);
}

std::uint64_t element_count(const std::vector<std::uint64_t>& shape, const std::string& name) {
  if (shape.size() > max_rank) {
    refuse(name, "rank-too-large", "the array has too many dimensions", "at most " + std::to_string(max_rank),
           std::to_string(shape.size()));
  }
  bool empty = false;
  for (std::uint64_t dim : shape) empty = empty || dim == 0;
  if (empty) return 0;
  std::uint64_t count = 1;
  for (std::uint64_t dim : shape) {
    if (dim > max_elements / count) {
      refuse(name, "too-many-elements", "the array has too many elements", "at most " + std::to_string(max_elements),
             "shape " + shape_text(shape));
    }
    count *= dim;
  }
  return count;
}

void check_count(std::uint64_t found, const ArrayRequest& request, const std::string& name) {
  if (found == request.count || (request.rows && found > 0 && found % request.count == 0)) return;
  refuse(name, "wrong-count", "the array does not have the size of the model's input",
         (request.rows ? "a multiple of " : "") + std::to_string(request.count) + " numbers", std::to_string(found));
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + "]";
}

}  // namespace outward::arrays
