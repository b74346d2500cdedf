// Decimal texts to exact fractions, fractions to the nearest binary32 and binary64. Promises exact
// values, no use of floating-point arithmetic, of the locale or of the rounding mode.
#include <algorithm>
#include <bit>

#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

bool only_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

DecimalStatus read_decimal(std::string_view text, Fraction* out) {
  const auto take_sign = [](std::string_view* from) {
    const bool negative = from->starts_with('-');
    if (negative || from->starts_with('+')) from->remove_prefix(1);
    return negative;
  };
  const bool negative = take_sign(&text);
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  std::string digits(text.substr(0, mark));
  std::int64_t point = 0, exponent = 0;
  if (const std::size_t at = digits.find('.'); at != std::string::npos) {
    digits.erase(at, 1);
    point = static_cast<std::int64_t>(digits.size() - at);
  }
  if (!only_digits(digits)) return DecimalStatus::malformed;
  if (mark < text.size()) {
    text.remove_prefix(mark + 1);
    const bool down = take_sign(&text);
    if (!only_digits(text)) return DecimalStatus::malformed;
    for (char c : text) exponent = std::min<std::int64_t>(exponent * 10 + (c - '0'), 100000000);
    if (exponent > static_cast<std::int64_t>(limit(Limit::exponent)))
      return DecimalStatus::over_limit;
    if (down) exponent = -exponent;
  }
  if (digits.size() > limit(Limit::digits)) return DecimalStatus::over_limit;
  const std::size_t significant = digits.find_last_not_of('0') + 1;  // 0 for zero
  exponent += static_cast<std::int64_t>(digits.size() - significant) - point;
  digits.resize(significant);
  BigInt n = negative ? -BigInt::from_decimal(digits) : BigInt::from_decimal(digits);
  if (significant == 0) exponent = 0;
  const BigInt scale =
      BigInt::power_of_ten(static_cast<unsigned>(exponent < 0 ? -exponent : exponent));
  *out = exponent < 0 ? Fraction(std::move(n), scale) : Fraction(n * scale);
  return DecimalStatus::ok;
}

bool parse_decimal(std::string_view text, Fraction* out) {
  const DecimalStatus status = read_decimal(text, out);
  if (status != DecimalStatus::over_limit) return status == DecimalStatus::ok;
  throw ReadError(ReadError::Class::limit,
                  "the number " + std::string(text.substr(0, 40)) + " has too many digits, " +
                      limit_text(Limit::digits) + ", or too great an exponent, " +
                      limit_text(Limit::exponent));
}

bool round_to_bits(const Fraction& value, bool is_binary64, std::uint64_t* pattern) {
  const std::int64_t precision = is_binary64 ? 53 : 24, bias = is_binary64 ? 1075 : 150;
  const std::uint64_t infinity = is_binary64 ? std::uint64_t{0x7ff} << 52 : 0x7f800000u;
  *pattern = 0;
  if (value.sign() == 0) return true;
  const bool negative = value.sign() < 0;
  const BigInt d = value.denominator(), n = negative ? -value.numerator() : value.numerator();
  // value = q * 2^e with q of precision bits, or fewer at the subnormal exponent 1 - bias.
  const std::int64_t length =
      static_cast<std::int64_t>(n.bits()) - static_cast<std::int64_t>(d.bits());
  std::int64_t e = std::max(length - precision, 1 - bias), m = 0;
  BigInt q, rest, divisor;
  for (;; ++e) {
    divisor = d << static_cast<std::uint64_t>(std::max<std::int64_t>(e, 0));
    BigInt::divide_floor(n << static_cast<std::uint64_t>(std::max<std::int64_t>(-e, 0)), divisor,
                         &q, &rest);
    if (q.bits() <= static_cast<std::uint64_t>(precision)) break;
  }
  const auto half = rest << 1 <=> divisor;
  if (half > 0 || (half == 0 && q.is_odd())) q += 1;
  q.fits_int64(&m);
  if (e > bias) return false;
  // The mantissa carries into the exponent field, also from subnormal to normal and when it reached
  // 2^precision.
  *pattern =
      (static_cast<std::uint64_t>(e + bias - 1) << (precision - 1)) + static_cast<std::uint64_t>(m);
  if (*pattern >= infinity) return false;
  if (negative) *pattern |= std::uint64_t{1} << (is_binary64 ? 63 : 31);
  return true;
}

bool round_to_float(const Fraction& value, bool is_binary64, double* out) {
  std::uint64_t pattern = 0;
  if (!round_to_bits(value, is_binary64, &pattern)) return false;
  *out = is_binary64 ? std::bit_cast<double>(pattern)
                     : std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
  return true;
}

}  // namespace outward_check
