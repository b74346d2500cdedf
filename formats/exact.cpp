// Exact numbers: decimal text, and rounding of rationals to binary64 and binary32.
// Assumes: nothing about the ambient rounding mode, flush-to-zero state or locale; floats are taken apart and put
// together as bit patterns, all arithmetic is on integers.
// Promises: every rounding is the correctly rounded one (gradual underflow, IEEE 754 overflow); no text is rounded.
#include "formats/exact.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace outward {
namespace {

enum class Direction { down, up, nearest };

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Integer power_of_ten(unsigned exponent) { return boost::multiprecision::pow(Integer(10), exponent); }

// mantissa * 2^exponent, the rounded value of a nonnegative rational; mantissa <= 2^precision.
struct Rounded {
  std::uint64_t mantissa = 0;
  long exponent = 0;
  bool overflow = false;     // the rounded value is 2^max_exponent or more
  bool to_infinity = false;  // only meaningful with overflow
};

// What rounding needs of an integer: the place of its leading bit, and division. Words for numbers of one machine word,
// as the decimals of properties are; Integer for all others.
using Word = unsigned __int128;

long leading_bit(Word v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<std::uint64_t>(v));
}
long leading_bit(const Integer& v) { return static_cast<long>(msb(v)); }

void divide(Word n, Word d, Word& quotient, Word& remainder) {
  quotient = n / d;
  remainder = n % d;
}
void divide(const Integer& n, const Integer& d, Integer& quotient, Integer& remainder) {
  divide_qr(n, d, quotient, remainder);
}

// Rounds n/d > 0 to precision bits with the unit in the last place never below 2^lsb_min.
// away: what a directed mode does with the magnitude (towards zero or away from it).
// Words: REQUIRES n, d < 2^64 and precision <= 53; no shift below passes 2^118 then.
template <class Wide>
Rounded round_quotient(const Wide& n, const Wide& d, int precision, long lsb_min, long overflow_exponent,
                       Direction mode, bool away) {
  // floor(log2(n/d)) is either the difference of the bit lengths or one less.
  long exponent = leading_bit(n) - leading_bit(d);
  const bool below =
      exponent >= 0 ? n < Wide(d << static_cast<unsigned>(exponent)) : Wide(n << static_cast<unsigned>(-exponent)) < d;
  if (below) --exponent;
  const long lsb = std::max(exponent - (precision - 1), lsb_min);
  const Wide scaled_n = lsb >= 0 ? n : Wide(n << static_cast<unsigned>(-lsb));
  const Wide scaled_d = lsb >= 0 ? Wide(d << static_cast<unsigned>(lsb)) : d;
  Wide quotient, remainder;
  divide(scaled_n, scaled_d, quotient, remainder);
  Rounded result;
  result.exponent = lsb;
  result.mantissa = static_cast<std::uint64_t>(quotient);
  bool increment = false;
  if (remainder != 0) {
    const Wide twice(remainder << 1U);
    increment =
        mode == Direction::nearest ? twice > scaled_d || (twice == scaled_d && (result.mantissa & 1U) != 0) : away;
  }
  if (increment) ++result.mantissa;
  const long top = static_cast<long>(std::bit_width(result.mantissa)) + lsb;  // value < 2^top
  result.overflow = top > overflow_exponent;
  result.to_infinity = mode == Direction::nearest || away;
  return result;
}

// |value| for value != 0.
Rounded round_magnitude(const Rational& value, int precision, long lsb_min, long overflow_exponent, Direction mode,
                        bool away) {
  const Integer n = abs(numerator(value)), d = denominator(value);
  if (msb(n) < 64 && msb(d) < 64)
    return round_quotient(static_cast<Word>(n), static_cast<Word>(d), precision, lsb_min, overflow_exponent, mode,
                          away);
  return round_quotient(n, d, precision, lsb_min, overflow_exponent, mode, away);
}

double with_sign(std::uint64_t bits, bool negative) {
  return std::bit_cast<double>(bits | (negative ? std::uint64_t{1} << 63 : 0));
}

constexpr std::uint64_t infinity_bits = std::uint64_t{0x7ff} << 52;

double round_binary64(const Rational& value, Direction mode) {
  if (value.is_zero()) return 0.0;
  const bool negative = numerator(value).sign() < 0;
  const bool away = negative ? mode == Direction::down : mode == Direction::up;
  const Rounded r = round_magnitude(value, 53, -1074, 1024, mode, away);
  if (r.overflow) return with_sign(r.to_infinity ? infinity_bits : infinity_bits - 1, negative);
  // The hidden bit of the mantissa adds one to the exponent field; a carry to 2^53 or out of the subnormals works
  // alike.
  return with_sign((static_cast<std::uint64_t>(r.exponent + 1074) << 52) + r.mantissa, negative);
}

// m / 10^k as text; plain notation for moderate exponents.
std::string decimal_text(const Integer& m, long k) { return decimal_notation(m.str(), -k); }

// value * 10^k as a rational.
Rational times_ten_to(const Rational& value, long k) {
  if (k >= 0) return value * power_of_ten(static_cast<unsigned>(k));
  return value / power_of_ten(static_cast<unsigned>(-k));
}

Integer floor_of(const Rational& nonnegative) { return numerator(nonnegative) / denominator(nonnegative); }

Integer ceil_of(const Rational& nonnegative) {
  const Integer d = denominator(nonnegative);
  return (numerator(nonnegative) + d - 1) / d;
}

// The exact decimal of a positive rational; "" unless its denominator is 2^a 5^b.
std::string exact_decimal(const Rational& value) {
  Integer d = denominator(value);
  const unsigned twos = lsb(d);
  d >>= twos;
  unsigned fives = 0;
  while (d % 5 == 0) {
    d /= 5;
    ++fives;
  }
  if (d != 1) return "";
  const long k = std::max(twos, fives);
  return decimal_text(floor_of(times_ten_to(value, k)), k);
}

std::string positive_decimal_between(const Rational& lo, const Rational& hi) {
  if (lo == hi) return exact_decimal(lo);
  const auto fits = [&](long k) { return ceil_of(times_ten_to(lo, k)) <= floor_of(times_ten_to(hi, k)); };
  // fits(k) implies fits(k + 1). No multiple of 10^-least lies in (0, hi] …
  long least = -static_cast<long>(floor_of(hi).str().size()) - 1;
  // … and one of 10^-most lies in any interval of width hi - lo > 0.
  const Rational width = hi - lo;
  long most = static_cast<long>(ceil_of(1 / width).str().size());
  while (most - least > 1) {
    const long middle = least + (most - least) / 2;
    (fits(middle) ? most : least) = middle;
  }
  const Integer first = ceil_of(times_ten_to(lo, most)), last = floor_of(times_ten_to(hi, most));
  Integer nearest_middle = floor_of(times_ten_to((lo + hi) / 2, most) + Rational(1, 2));
  if (nearest_middle < first) nearest_middle = first;
  if (nearest_middle > last) nearest_middle = last;
  return decimal_text(nearest_middle, most);
}

}  // namespace

// cpp_int's own reader is quadratic, so long strings are halved.
Integer digits_to_integer(std::string_view digits) {
  if (digits.size() <= 18) {
    std::uint64_t small = 0;
    for (char c : digits) small = small * 10 + static_cast<std::uint64_t>(c - '0');
    return small;
  }
  const std::size_t low = digits.size() / 2;
  return digits_to_integer(digits.substr(0, digits.size() - low)) * power_of_ten(static_cast<unsigned>(low)) +
         digits_to_integer(digits.substr(digits.size() - low));
}

std::string decimal_notation(std::string digits, std::int64_t exponent) {
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  const std::int64_t count = static_cast<std::int64_t>(digits.size()), point = count + exponent;
  if (point > 21 || point < -6) {
    std::string text = digits.substr(0, 1);
    if (count > 1) text += "." + digits.substr(1);
    return text + "e" + std::to_string(point - 1);
  }
  if (point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (point >= count) return digits + std::string(static_cast<std::size_t>(point - count), '0');
  return digits.substr(0, static_cast<std::size_t>(point)) + "." + digits.substr(static_cast<std::size_t>(point));
}

std::optional<Rational> parse_decimal(std::string_view text) {
  std::size_t at = 0;
  bool negative = false;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
  const std::size_t whole_begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  std::string digits(text.substr(whole_begin, at - whole_begin));
  long scale = 0;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction_begin = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    digits += text.substr(fraction_begin, at - fraction_begin);
    scale = static_cast<long>(at - fraction_begin);
  }
  if (digits.empty() || digits.size() > max_digits) return std::nullopt;
  long exponent = 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    bool exponent_negative = false;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) exponent_negative = text[at++] == '-';
    if (at == text.size()) return std::nullopt;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      exponent = exponent * 10 + (text[at] - '0');
      if (exponent > max_exponent) return std::nullopt;
    }
    if (!is_digit(text[at - 1])) return std::nullopt;
    if (exponent_negative) exponent = -exponent;
  }
  if (at != text.size()) return std::nullopt;
  Integer mantissa = digits_to_integer(digits);
  if (mantissa.is_zero()) return Rational(0);
  if (negative) mantissa = -mantissa;
  const long total = exponent - scale;
  if (total >= 0) return Rational(mantissa * power_of_ten(static_cast<unsigned>(total)));
  return Rational(mantissa, power_of_ten(static_cast<unsigned>(-total)));
}

std::string fraction_text(const Rational& value) {
  const Integer d = denominator(value);
  std::string text = numerator(value).str();
  return d == 1 ? text : text + "/" + d.str();
}

Rational exact(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>((bits >> 52) & 0x7ffU);
  if (field == 0x7ff) throw std::domain_error("exact: not a finite number");
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (field != 0) mantissa |= std::uint64_t{1} << 52;
  if (mantissa == 0) return 0;
  const int zeros = std::countr_zero(mantissa);
  mantissa >>= zeros;
  const int exponent = (field == 0 ? 1 : field) - 1075 + zeros;
  Integer n = mantissa;
  if ((bits >> 63) != 0) n = -n;
  if (exponent >= 0) return Rational(n << static_cast<unsigned>(exponent));
  return Rational(n, Integer(1) << static_cast<unsigned>(-exponent));
}

double round_down(const Rational& value) { return round_binary64(value, Direction::down); }
double round_up(const Rational& value) { return round_binary64(value, Direction::up); }
double round_nearest(const Rational& value) { return round_binary64(value, Direction::nearest); }

double round_nearest_binary32(const Rational& value) {
  if (value.is_zero()) return 0.0;
  const bool negative = numerator(value).sign() < 0;
  const Rounded r = round_magnitude(value, 24, -149, 128, Direction::nearest, false);
  if (r.overflow) return with_sign(infinity_bits, negative);
  if (r.mantissa == 0) return with_sign(0, negative);
  // Every binary32 number is a normal binary64 number: move the leading bit to place 52.
  const int shift = 53 - static_cast<int>(std::bit_width(r.mantissa));
  const std::uint64_t field = static_cast<std::uint64_t>(r.exponent - shift + 1074);
  return with_sign((field << 52) + (r.mantissa << shift), negative);
}

std::string decimal_between(const Rational& lo, const Rational& hi) {
  if (lo > hi) throw std::domain_error("decimal_between: lo > hi");
  if (lo <= 0 && hi >= 0) return "0";
  if (lo > 0) return positive_decimal_between(lo, hi);
  const std::string text = positive_decimal_between(-hi, -lo);
  return text.empty() ? text : "-" + text;
}

std::string shortest_decimal(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

std::string dyadic_text(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const int field = static_cast<int>((bits >> 52) & 0x7ffU);
  if (field == 0x7ff) throw std::domain_error("dyadic_text: not a finite number");
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (field != 0) mantissa |= std::uint64_t{1} << 52;
  if (mantissa == 0) return "0";
  const int zeros = std::countr_zero(mantissa);
  const int exponent = (field == 0 ? 1 : field) - 1075 + zeros;
  return ((bits >> 63) != 0 ? "-" : "") + std::to_string(mantissa >> zeros) + "*2^" + std::to_string(exponent);
}

}  // namespace outward
