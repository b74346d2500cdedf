// Formats of one machine word: see the header. The hardware is asked only where the result is far from both ends of the
// exponent range, so that overflow and underflow cannot happen and the rounding error is a number of the format.
#include "formats/words/word_format.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace outward {
namespace {

// Rounding to nearest, no flush to zero, subnormal operands taken as they are.
bool default_modes() {
#ifdef __SSE2__
  return (_mm_getcsr() & 0xe040U) == 0;
#else
  return false;
#endif
}

// Well inside the range: products, quotients and rounding errors of such numbers are normal numbers.
bool safe(double x) { return std::fabs(x) > 0x1p-450 && std::fabs(x) < 0x1p450; }
bool safe(float x) { return std::fabs(x) > 0x1p-50F && std::fabs(x) < 0x1p50F; }

template <class T>
bool sum_is_inexact(T a, T b, T s) {
  const T part = s - a;
  return (a - (s - part)) + (b - part) != 0;
}

std::uint64_t code(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint64_t code(double x) { return std::bit_cast<std::uint64_t>(x); }
float single_of(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

}  // namespace

WordFormat::WordFormat(const Format& format) : fixed_(format) {
  if (format.width() > 64) throw std::logic_error("WordFormat: the format is wider than a word");
  fraction_bits_ = format.fraction_bits;
  sign_place_ = format.exponent_bits + format.fraction_bits;
  fields_ = std::uint64_t{1} << format.exponent_bits;
  plain_below_ = format.convention == Convention::scale    ? 0
                 : format.convention == Convention::finite ? fields_
                                                           : fields_ - 1;
  bias_ = format.bias;
  static const Format single = binary(8, 23), twice = binary(11, 52);
  if (format == single) hardware_ = Hardware::single_width;
  if (format == twice) hardware_ = Hardware::double_width;
}

Fixed<1> WordFormat::decode(std::uint64_t bits) const {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits_) - 1);
  const std::uint64_t field = (bits >> fraction_bits_) & (fields_ - 1);
  const bool negative = sign_place_ < 64 && (bits >> sign_place_ & 1) != 0;
  if (field != 0 && field < plain_below_)
    return {ValueKind::finite,
            negative,
            static_cast<std::int64_t>(field) - bias_,
            {std::uint64_t{1} << 63 | fraction << (63 - fraction_bits_)}};
  if (field == 0 && fraction != 0 && plain_below_ != 0) {
    const int zeros = std::countl_zero(fraction);
    return {ValueKind::finite, negative, 63 - zeros + 1 - bias_ - fraction_bits_, {fraction << zeros}};
  }
  return fixed_.fixed(outward::decode(fixed_.format(), Integer(bits)));
}

std::uint64_t WordFormat::encode(const Fixed<1>& value) const {
  if (value.kind == ValueKind::finite && value.exponent > -bias_ && plain_below_ != 0)
    return (value.negative ? std::uint64_t{1} << sign_place_ : 0) |
           (static_cast<std::uint64_t>(value.exponent + bias_) << fraction_bits_) |
           ((value.words[0] << 1) >> (64 - fraction_bits_));
  return static_cast<std::uint64_t>(outward::encode(fixed_.format(), fixed_.value(value)));
}

bool WordFormat::native(Hardware width, Rounding rounding) const {
  return hardware_ == width && rounding == Rounding::nearest_even && default_modes();
}

std::optional<std::uint64_t> WordFormat::native_sum(std::uint64_t a, std::uint64_t b, bool subtract, Rounding rounding,
                                                    Flags& flags) const {
  const auto sum = [&](auto x, auto y) -> std::optional<std::uint64_t> {
    if (subtract) y = -y;
    const auto s = x + y;
    if (!safe(x) || !safe(y) || !safe(s)) return std::nullopt;
    if (sum_is_inexact(x, y, s)) flags.inexact = true;
    return code(s);
  };
  if (native(Hardware::double_width, rounding)) return sum(std::bit_cast<double>(a), std::bit_cast<double>(b));
  if (native(Hardware::single_width, rounding)) return sum(single_of(a), single_of(b));
  return std::nullopt;
}

std::uint64_t WordFormat::add(std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) const {
  if (const auto sum = native_sum(a, b, false, rounding, flags)) return *sum;
  return encode(fixed_.add(decode(a), decode(b), rounding, flags));
}

std::uint64_t WordFormat::subtract(std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) const {
  if (const auto difference = native_sum(a, b, true, rounding, flags)) return *difference;
  return encode(fixed_.subtract(decode(a), decode(b), rounding, flags));
}

std::uint64_t WordFormat::multiply(std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) const {
  if (native(Hardware::double_width, rounding)) {
    const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b), p = x * y;
    if (safe(x) && safe(y) && safe(p)) {
      if (std::fma(x, y, -p) != 0) flags.inexact = true;
      return code(p);
    }
  }
  if (native(Hardware::single_width, rounding)) {
    const float x = single_of(a), y = single_of(b);
    const double exact = static_cast<double>(x) * static_cast<double>(y);
    const float p = static_cast<float>(exact);
    if (safe(x) && safe(y) && safe(p)) {
      if (static_cast<double>(p) != exact) flags.inexact = true;
      return code(p);
    }
  }
  return encode(fixed_.multiply(decode(a), decode(b), rounding, flags));
}

std::uint64_t WordFormat::divide(std::uint64_t a, std::uint64_t b, Rounding rounding, Flags& flags) const {
  if (native(Hardware::double_width, rounding)) {
    const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b), q = x / y;
    if (safe(x) && safe(y) && safe(q)) {
      if (std::fma(q, y, -x) != 0) flags.inexact = true;
      return code(q);
    }
  }
  if (native(Hardware::single_width, rounding)) {
    const float x = single_of(a), y = single_of(b), q = x / y;
    if (safe(x) && safe(y) && safe(q)) {
      if (static_cast<double>(q) * static_cast<double>(y) != static_cast<double>(x)) flags.inexact = true;
      return code(q);
    }
  }
  return encode(fixed_.divide(decode(a), decode(b), rounding, flags));
}

std::uint64_t WordFormat::square_root(std::uint64_t a, Rounding rounding, Flags& flags) const {
  if (native(Hardware::double_width, rounding)) {
    const double x = std::bit_cast<double>(a);
    if (x > 0 && safe(x)) {
      const double r = std::sqrt(x);
      if (std::fma(r, r, -x) != 0) flags.inexact = true;
      return code(r);
    }
  }
  if (native(Hardware::single_width, rounding)) {
    const float x = single_of(a);
    if (x > 0 && safe(x)) {
      const float r = std::sqrt(x);
      if (static_cast<double>(r) * static_cast<double>(r) != static_cast<double>(x)) flags.inexact = true;
      return code(r);
    }
  }
  return encode(fixed_.square_root(decode(a), rounding, flags));
}

std::uint64_t WordFormat::fused_multiply_add(std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding,
                                             Flags& flags) const {
  return encode(fixed_.fused_multiply_add(decode(a), decode(b), decode(c), rounding, flags));
}

OperationTable::OperationTable(const Format& format, Operation operation, Rounding rounding) : width_(format.width()) {
  const auto generic = parse_number_format(format_text(format));
  bool binary_operation = false;
  for (const OperationRow& row : operation_table())
    binary_operation = binary_operation || (row.operation == operation && row.operands == 2);
  if (width_ > 8 || !binary_operation) throw std::logic_error("OperationTable: at most 8 bits and two operands");
  const int codes = 1 << width_;
  for (int a = 0; a < codes; ++a) {
    for (int b = 0; b < codes; ++b) {
      Flags flags;
      const std::array<Integer, 2> operands{a, b};
      const Integer result = generic->apply(operation, operands, rounding, flags);
      const int bits = (flags.inexact ? 1 : 0) | (flags.underflow ? 2 : 0) | (flags.overflow ? 4 : 0) |
                       (flags.divide_by_zero ? 8 : 0) | (flags.invalid ? 16 : 0);
      entries_.push_back({static_cast<std::uint8_t>(result), static_cast<std::uint8_t>(bits)});
    }
  }
}

void OperationTable::add_flags(std::uint8_t bits, Flags& flags) {
  flags |= {(bits & 16) != 0, (bits & 8) != 0, (bits & 4) != 0, (bits & 2) != 0, (bits & 1) != 0};
}

}  // namespace outward
