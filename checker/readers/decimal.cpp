// Decimal texts to exact fractions, fractions to the nearest binary32 and binary64. Promises exact
// values, no use of floating-point arithmetic, of the locale or of the rounding mode.
#include "checker/readers/decimal.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "checker/readers/readers.hpp"

namespace outward_check {

namespace {

constexpr std::size_t max_digits = 10000;
constexpr std::int64_t max_exponent = 20000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::uint64_t small_power_of_five(unsigned n) {  // n <= 27
  std::uint64_t power = 1;
  for (; n != 0; --n) power *= 5;
  return power;
}

// Divides by 5 while that is exact, at most limit times; returns how often.
unsigned drop_fives(BigInt* value, unsigned limit) {
  unsigned dropped = 0;
  BigInt quotient, rest;
  for (unsigned step : {27u, 9u, 3u, 1u}) {
    const BigInt power = BigInt::from_unsigned(small_power_of_five(step));
    while (dropped + step <= limit) {
      BigInt::divide_floor(*value, power, &quotient, &rest);
      if (rest.sign() != 0) break;
      *value = std::move(quotient);
      dropped += step;
    }
  }
  return dropped;
}

// mantissa * 10^exponent.
Fraction scale(const BigInt& mantissa, std::int64_t exponent) {
  if (exponent >= 0) {
    return mantissa * BigInt::power_of_ten(static_cast<unsigned>(exponent));
  }
  // The denominator 2^k 5^k has no other primes: cancelling those is a full reduction.
  const unsigned k = static_cast<unsigned>(-exponent);
  const std::uint64_t twos = std::min<std::uint64_t>(k, mantissa.trailing_zeros());
  Fraction r;
  std::int64_t m = 0;
  if (k <= 18 && mantissa.fits_int64(&m)) {  // both parts fit one limb
    std::uint64_t fives = small_power_of_five(k);
    for (m >>= twos; fives != 1 && m % 5 == 0; m /= 5) fives /= 5;
    r.numerator = m, r.denominator = BigInt::from_unsigned(fives << (k - twos));
    return r;
  }
  r.numerator = mantissa >> twos;
  const unsigned fives = k - drop_fives(&r.numerator, k);
  r.denominator = (BigInt::power_of_ten(fives) >> fives) << (k - twos);
  return r;
}

bool round_value(const Fraction& value, bool is_binary64, double* out) {
  std::uint64_t pattern = 0;
  if (!round_to_bits(value, is_binary64, &pattern)) return false;
  *out = is_binary64 ? std::bit_cast<double>(pattern)
                     : std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
  return true;
}

}  // namespace

DecimalStatus read_decimal(std::string_view text, Fraction* out) {
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++at;
  // Digits without the point; short numbers stay in `small`.
  std::uint64_t small = 0;
  std::size_t digits = 0, fraction_digits = 0, first = at, zeros = 0, significant = 0;
  bool point = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    ++digits, fraction_digits += point;
    significant += significant != 0 || text[at] != '0';
    zeros = text[at] == '0' ? zeros + 1 : 0;
    if (significant <= 19) small = small * 10 + static_cast<std::uint64_t>(text[at] - '0');
  }
  const std::size_t last = at;
  if (digits == 0) return DecimalStatus::malformed;
  std::int64_t exponent = 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool minus = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (at == text.size()) return DecimalStatus::malformed;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      exponent = std::min(exponent * 10 + (text[at] - '0'), max_exponent + 1);
    }
    if (minus) exponent = -exponent;
  }
  if (at != text.size()) return DecimalStatus::malformed;
  if (digits > max_digits) return DecimalStatus::too_many_digits;
  if (exponent > max_exponent || exponent < -max_exponent) return DecimalStatus::exponent_too_large;
  *out = Fraction();
  if (significant == 0) return DecimalStatus::ok;
  exponent += static_cast<std::int64_t>(zeros) - static_cast<std::int64_t>(fraction_digits);
  BigInt mantissa;
  if (significant <= 19) {
    for (; zeros != 0; --zeros) small /= 10;
    mantissa = BigInt::from_unsigned(small);
  } else {
    std::string kept;
    for (std::size_t i = first; i < last; ++i) {
      if (text[i] != '.') kept.push_back(text[i]);
    }
    mantissa = BigInt::from_decimal(std::string_view(kept).substr(0, digits - zeros));
  }
  *out = scale(negative ? -mantissa : mantissa, exponent);
  return DecimalStatus::ok;
}

bool round_to_bits(const Fraction& value, bool is_binary64, std::uint64_t* pattern) {
  const int precision = is_binary64 ? 53 : 24, bias = is_binary64 ? 1075 : 150;
  const std::uint64_t infinity = is_binary64 ? std::uint64_t{0x7ff} << 52 : 0x7f800000u;
  *pattern = 0;
  if (value.sign() == 0) return true;
  const bool negative = value.sign() < 0;
  const BigInt n = negative ? -value.numerator : value.numerator;
  // value = q * 2^e with q of precision bits, or fewer at the subnormal exponent 1 - bias.
  std::int64_t e =
      std::max<std::int64_t>(static_cast<std::int64_t>(n.bits()) -
                                 static_cast<std::int64_t>(value.denominator.bits()) - precision,
                             1 - bias);
  BigInt q, rest, divisor;
  for (;; ++e) {
    divisor = value.denominator << static_cast<std::uint64_t>(std::max<std::int64_t>(e, 0));
    BigInt::divide_floor(n << static_cast<std::uint64_t>(std::max<std::int64_t>(-e, 0)), divisor,
                         &q, &rest);
    if (q.bits() <= static_cast<std::uint64_t>(precision)) break;
  }
  const int half = BigInt::compare(rest << 1, divisor);
  if (half > 0 || (half == 0 && q.is_odd())) q += 1;
  std::int64_t m = 0;
  q.fits_int64(&m);
  if (e + bias > 2 * bias) return false;
  // Adding the mantissa carries into the exponent field, also from subnormal to normal and when
  // rounding reached 2^precision.
  const std::uint64_t field = static_cast<std::uint64_t>(e + bias - 1) << (precision - 1);
  *pattern = field + static_cast<std::uint64_t>(m);
  if (*pattern >= infinity) return false;
  if (negative) *pattern |= std::uint64_t{1} << (is_binary64 ? 63 : 31);
  return true;
}

bool parse_decimal(std::string_view text, Fraction* out) {
  return read_decimal(text, out) == DecimalStatus::ok;
}

bool round_binary32(const Fraction& value, double* out) { return round_value(value, false, out); }
bool round_binary64(const Fraction& value, double* out) { return round_value(value, true, out); }

}  // namespace outward_check
