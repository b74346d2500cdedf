// Text of binary values: see the header. Powers of ten too large to be written out are enclosed by truncated powers of
// five, with more bits until both ends round alike (they always do: such a power is no tie and not representable).
#include "formats/text.hpp"

#include <algorithm>
#include <utility>

#include "formats/operations.hpp"

namespace outward {
namespace {

constexpr std::int64_t most_bits = 20000;                // of the exponents of numbers that are spelt out in decimal
constexpr std::size_t most_digits = 100000;              // read
constexpr std::int64_t endless = std::int64_t{1} << 33;  // decimal exponents beyond every format of 30 exponent bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string hex(const Integer& x) { return "0x" + x.str(0, std::ios_base::hex); }

std::optional<std::string> special_text(const Value& x) {
  const std::string sign = x.negative ? "-" : "";
  if (x.kind == ValueKind::infinite) return sign + "inf";
  if (x.kind == ValueKind::signalling_nan) return sign + "snan(" + hex(x.payload) + ")";
  if (x.kind == ValueKind::quiet_nan) return sign + "nan" + (x.payload.is_zero() ? "" : "(" + hex(x.payload) + ")");
  return std::nullopt;
}

bool spelt_out(const Value& x) { return x.exponent <= most_bits && x.exponent >= -most_bits - max_fraction_bits; }

// low * 2^shift < 5^k < high * 2^shift, with about `bits` bits.
struct Power {
  Integer low = 1, high = 1;
  std::int64_t shift = 0;
};

Power power_of_five(std::int64_t k, std::int64_t bits) {
  Power power;
  for (int bit = 62; bit >= 0; --bit) {
    power.low *= power.low;
    power.high *= power.high;
    power.shift *= 2;
    if ((k >> bit & 1) != 0) {
      power.low *= 5;
      power.high *= 5;
    }
    const std::int64_t excess = static_cast<std::int64_t>(msb(power.low)) + 1 - bits;
    if (excess <= 0) continue;
    power.low >>= static_cast<unsigned>(excess);
    power.high = (power.high >> static_cast<unsigned>(excess)) + 1;
    power.shift += excess;
  }
  return power;
}

struct Result {
  Value value;
  Flags flags;
};

// digits * 10^k with |k| so large that 5^|k| exceeds the digits and every precision: no tie, not representable.
Value round_large_power(const Format& format, bool negative, const Integer& digits, std::int64_t k, Rounding rounding,
                        Flags& flags) {
  for (std::int64_t bits = format.precision() + 64;; bits *= 2) {
    const Power power = power_of_five(k < 0 ? -k : k, bits);
    Exact low{negative, 0, 0, true}, high{negative, 0, 0, true};
    if (k > 0) {
      low.exponent = high.exponent = k + power.shift;
      low.significand = digits * power.low;
      high.significand = digits * power.high - 1;
    } else {
      // digits / (5^-k * 2^-k), both quotients rounded down; the true one lies strictly above the first and below the
      // second plus one unit.
      const std::int64_t shift = 2 * bits + 8;
      low.exponent = high.exponent = k - power.shift - shift;
      const Integer scaled = digits << static_cast<unsigned>(shift);
      low.significand = scaled / power.high;
      high.significand = scaled / power.low;
    }
    Result first, second;
    first.value = round(format, low, rounding, first.flags);
    second.value = round(format, high, rounding, second.flags);
    if (!identical(first.value, second.value) || !(first.flags == second.flags)) continue;
    flags |= first.flags;
    return first.value;
  }
}

// Digits before and after an optional point; at advances past them. False if there is none.
bool scan_digits(std::string_view text, std::size_t& at, bool hexadecimal, std::string& digits, std::int64_t& after) {
  const auto is = [hexadecimal](char c) { return hexadecimal ? hex_digit(c) >= 0 : is_digit(c); };
  while (at < text.size() && is(text[at])) digits += text[at++];
  if (at < text.size() && text[at] == '.') {
    ++at;
    for (; at < text.size() && is(text[at]); ++at, ++after) digits += text[at];
  }
  return !digits.empty() && digits.size() <= most_digits;
}

// An exponent with optional sign up to the end of the text; clamped to ±endless.
std::optional<std::int64_t> scan_exponent(std::string_view text, std::size_t at) {
  bool negative = false;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
  if (at == text.size()) return std::nullopt;
  std::int64_t value = 0;
  for (; at < text.size(); ++at) {
    if (!is_digit(text[at])) return std::nullopt;
    value = std::min(endless, value * 10 + (text[at] - '0'));
  }
  return negative ? -value : value;
}

std::optional<Value> parse_nan(const Format& format, std::string_view text, bool negative) {
  Value nan{ValueKind::quiet_nan, negative, 0, 0, 0};
  if (text.starts_with("snan")) {
    nan.kind = ValueKind::signalling_nan;
    nan.payload = 1;
    text.remove_prefix(1);
  }
  text.remove_prefix(3);
  if (!text.empty()) {
    if (!text.starts_with("(0x") || !text.ends_with(')') || text.size() < 5) return std::nullopt;
    nan.payload = 0;
    for (char c : text.substr(3, text.size() - 4)) {
      if (hex_digit(c) < 0 || msb(Integer(nan.payload + 1)) > static_cast<unsigned>(max_fraction_bits))
        return std::nullopt;
      nan.payload = nan.payload * 16 + hex_digit(c);
    }
  }
  if (nan.kind == ValueKind::signalling_nan &&
      (!format.has_infinity() || format.fraction_bits < 2 || nan.payload.is_zero()))
    return std::nullopt;
  if (!nan.payload.is_zero() &&
      (!format.has_infinity() || msb(nan.payload) + 1 > static_cast<unsigned>(format.fraction_bits - 1)))
    return std::nullopt;
  return nan;
}

}  // namespace

std::string hexadecimal_text(const Value& x) {
  if (const auto special = special_text(x)) return *special;
  const std::string sign = x.negative ? "-" : "";
  if (x.kind == ValueKind::zero) return sign + "0x0p+0";
  // 1.xxxx with the fraction a whole number of hexadecimal digits.
  const unsigned top = msb(x.significand), padding = (4 - top % 4) % 4;
  Integer fraction = x.significand;
  bit_unset(fraction, top);
  fraction <<= padding;
  std::string digits = fraction.str(0, std::ios_base::hex);
  const std::size_t count = (top + padding) / 4;
  digits = count == 0 ? "" : std::string(count - std::min(count, digits.size()), '0') + digits;
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  const std::int64_t exponent = floor_log2(x);
  return sign + "0x1" + (digits.empty() ? "" : "." + digits) + "p" + (exponent < 0 ? "" : "+") +
         std::to_string(exponent);
}

std::optional<std::string> exact_decimal_text(const Value& x) {
  if (const auto special = special_text(x)) return special;
  const std::string sign = x.negative ? "-" : "";
  if (x.kind == ValueKind::zero) return sign + "0";
  if (!spelt_out(x)) return std::nullopt;
  const unsigned zeros = lsb(x.significand);
  Integer m = x.significand >> zeros;
  const std::int64_t exponent = x.exponent + zeros;
  if (exponent >= 0) return sign + decimal_notation(Integer(m << static_cast<unsigned>(exponent)).str(), 0);
  m *= pow(Integer(5), static_cast<unsigned>(-exponent));
  return sign + decimal_notation(m.str(), exponent);
}

std::string short_text(const Format& format, const Value& x) {
  if (x.kind != ValueKind::finite) return *exact_decimal_text(x);
  if (!spelt_out(x)) return hexadecimal_text(x);
  const Rational value = abs(to_rational(x));
  // Half the distance to the next smaller number on both sides stays within the numbers that round to x.
  const std::int64_t unit = std::max(floor_log2(x), format.least_exponent()) - format.fraction_bits;
  const Rational half = to_rational({ValueKind::finite, false, 1, unit - 3, 0});
  std::string text = decimal_between(value - half, value + half);
  // The full half unit allows fewer digits when its end is not needed.
  const Rational nearly = half * Rational(4095, 1024);
  const std::string shorter = decimal_between(value - nearly, value + nearly);
  Flags ignored;
  if (shorter.size() < text.size()) {
    const auto back = parse_value(format, shorter, Rounding::nearest_even, ignored);
    Value positive = x;
    positive.negative = false;
    if (back && identical(*back, positive)) text = shorter;
  }
  return (x.negative ? "-" : "") + text;
}

std::string exact_fraction_text(const Value& x) {
  if (x.kind == ValueKind::zero) return "0";
  if (spelt_out(x)) return fraction_text(to_rational(x));
  const unsigned zeros = lsb(x.significand);
  return (x.negative ? "-" : "") + Integer(x.significand >> zeros).str() + "*2^" + std::to_string(x.exponent + zeros);
}

std::optional<Value> parse_value(const Format& format, std::string_view given, Rounding rounding, Flags& flags) {
  const std::string lower = plain_descriptor(given);
  if (lower.size() != given.size()) return std::nullopt;  // blanks inside
  std::string_view text = lower;
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  // An infinity or a NaN that the format lacks becomes what a conversion makes of it, with its flags.
  if (text == "inf" || text == "infinity") return convert(format, infinite_value(negative), rounding, flags);
  if (text.starts_with("nan") || text.starts_with("snan")) {
    const std::optional<Value> nan = parse_nan(format, text, negative);
    return nan && nan->kind == ValueKind::quiet_nan ? convert(format, *nan, rounding, flags) : nan;
  }
  const bool hexadecimal = text.starts_with("0x");
  std::size_t at = hexadecimal ? 2 : 0;
  std::string digits;
  std::int64_t after = 0, exponent = 0;
  if (!scan_digits(text, at, hexadecimal, digits, after)) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != (hexadecimal ? 'p' : 'e')) return std::nullopt;
    const auto scanned = scan_exponent(text, at + 1);
    if (!scanned) return std::nullopt;
    exponent = *scanned;
  }
  if (hexadecimal) {
    const Integer significand("0x" + digits);
    return round(format, Exact{negative, significand, exponent - 4 * after, false}, rounding, flags);
  }
  const Integer significand = digits_to_integer(digits);
  const std::int64_t k = exponent - after;
  if (significand.is_zero()) return round(format, Exact{negative}, rounding, flags);
  const std::int64_t exact_power = std::max<std::int64_t>(20000, 2 * static_cast<std::int64_t>(digits.size()));
  if (k > exact_power || k < -exact_power) return round_large_power(format, negative, significand, k, rounding, flags);
  const Integer power = pow(Integer(10), static_cast<unsigned>(k < 0 ? -k : k));
  return k >= 0 ? round_quotient(format, negative, significand * power, 1, 0, rounding, flags)
                : round_quotient(format, negative, significand, power, 0, rounding, flags);
}

}  // namespace outward
