// Compact exact numbers, see numbers.hpp.
#include "importers/vnnlib/numbers.hpp"

#include <array>

#include "importers/vnnlib/vnnlib.hpp"

namespace outward::vnnlib {
namespace {

constexpr int max_scale = 18;
constexpr std::int64_t mantissa_end = 1'000'000'000'000'000'000;

constexpr std::array<std::int64_t, max_scale + 1> powers_of_ten = [] {
  std::array<std::int64_t, max_scale + 1> table{};
  table[0] = 1;
  for (std::size_t i = 1; i < table.size(); ++i) table[i] = table[i - 1] * 10;
  return table;
}();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Numbers of at most 18 significant digits and a moderate exponent; false: use the general reader.
bool parse_small(std::string_view text, Number& result) {
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++at;
  std::int64_t mantissa = 0;
  int scale = 0, digits = 0;
  bool point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.') {
      if (point) return false;
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    if (mantissa >= mantissa_end / 10) return false;
    mantissa = mantissa * 10 + (c - '0');
    scale += point ? 1 : 0;
    ++digits;
  }
  if (digits == 0) return false;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return false;
    ++at;
    const bool minus = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (at == text.size() || text.size() - at > 4) return false;
    int exponent = 0;
    for (; at < text.size(); ++at) {
      if (!is_digit(text[at])) return false;
      exponent = exponent * 10 + (text[at] - '0');
    }
    scale += minus ? exponent : -exponent;
  }
  if (mantissa == 0) {
    result = Number{};
    return true;
  }
  while (scale > 0 && mantissa % 10 == 0) {
    mantissa /= 10;
    --scale;
  }
  while (scale < 0 && mantissa < mantissa_end / 10) {
    mantissa *= 10;
    ++scale;
  }
  if (scale < 0 || scale > max_scale) return false;
  result = Number{negative ? -mantissa : mantissa, scale};
  return true;
}

// The first form of Number, if the value has it.
bool to_small(const Rational& value, Number& result) {
  Integer d = denominator(value);
  const Integer n = numerator(value);
  if (d > powers_of_ten[max_scale] || abs(n) >= mantissa_end) return false;
  const auto small_d = static_cast<std::int64_t>(d);
  for (int scale = 0; scale <= max_scale; ++scale) {
    if (powers_of_ten[static_cast<std::size_t>(scale)] % small_d != 0) continue;
    const Integer mantissa = n * (powers_of_ten[static_cast<std::size_t>(scale)] / small_d);
    if (abs(mantissa) >= mantissa_end) return false;
    result = Number{static_cast<std::int64_t>(mantissa), scale};
    return true;
  }
  return false;
}

std::uint64_t hash_of(const Rational& value) {
  const Integer n = abs(numerator(value)), d = denominator(value);
  const Integer mask = ~std::uint64_t{0};
  std::uint64_t hash = static_cast<std::uint64_t>(Integer(n & mask)) * 0x9e3779b97f4a7c15U;
  hash ^= static_cast<std::uint64_t>(Integer(d & mask)) + (hash >> 29);
  return hash * 0xbf58476d1ce4e5b9U + bits_of(value) + (value < 0 ? 1 : 0);
}

}  // namespace

bool looks_like_decimal(std::string_view text) {
  std::size_t at = 0, digits = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  for (; at < text.size() && is_digit(text[at]); ++at) ++digits;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at) ++digits;
  }
  if (digits == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  if (at == text.size()) return false;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at == text.size();
}

std::uint64_t bits_of(const Rational& value) {
  if (value.is_zero()) return 2;
  return msb(abs(numerator(value))) + msb(denominator(value)) + 2;
}

NumberStatus NumberPool::parse(std::string_view text, Number& result) {
  if (parse_small(text, result)) return NumberStatus::ok;
  if (!looks_like_decimal(text)) return NumberStatus::malformed;
  const auto value = parse_decimal(text);
  if (!value || !add(*value, result)) return NumberStatus::over_limit;
  return NumberStatus::ok;
}

bool NumberPool::add(const Rational& value, Number& result) {
  if (to_small(value, result)) return true;
  const std::uint64_t hash = hash_of(value);
  const auto [begin, end] = index_.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    if (values_[entry->second] == value) {
      result = Number{entry->second, Number::pooled};
      return true;
    }
  }
  bytes_ += 128 + bits_of(value) / 8;
  if (bytes_ > vnnlib_limits::number_bytes) return false;
  result = Number{static_cast<std::int64_t>(values_.size()), Number::pooled};
  index_.emplace(hash, static_cast<std::uint32_t>(values_.size()));
  values_.push_back(value);
  return true;
}

Rational NumberPool::value(const Number& number) const {
  if (number.scale == Number::pooled) return values_[static_cast<std::size_t>(number.mantissa)];
  if (number.scale == 0) return Rational(number.mantissa);
  return Rational(Integer(number.mantissa), Integer(powers_of_ten[static_cast<std::size_t>(number.scale)]));
}

int NumberPool::compare(const Number& a, const Number& b) const {
  if (a == b) return 0;
  if (a.scale == Number::pooled || b.scale == Number::pooled) return value(a).compare(value(b));
  // Both sides stay below 10^36 < 2^127.
  using Wide = __int128;
  const Wide left = Wide{a.mantissa} * powers_of_ten[static_cast<std::size_t>(b.scale)];
  const Wide right = Wide{b.mantissa} * powers_of_ten[static_cast<std::size_t>(a.scale)];
  return left < right ? -1 : left > right ? 1 : 0;
}

}  // namespace outward::vnnlib
