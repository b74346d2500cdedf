// Decimal arithmetic: text in both directions, and exact rationals.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "formats/decimal/internal.hpp"

namespace outward::decimal {

namespace {

constexpr std::int64_t far_exponent = 1'000'000'000'000'000;

std::string special_text(const Number& x) {
  const std::string sign = x.negative ? "-" : "";
  if (x.is_infinite()) return sign + "Infinity";
  return sign + (x.kind == Kind::signaling_nan ? "sNaN" : "NaN") + (x.coefficient.is_zero() ? "" : x.coefficient.str());
}

std::string exponent_text(std::int64_t exponent) {
  if (exponent == 0) return "";
  return (exponent < 0 ? "E-" : "E+") + std::to_string(exponent < 0 ? -exponent : exponent);
}

// The digits without an exponent, exponent in -5..0 places from the point.
std::string plain_text(std::string digits, std::int64_t exponent) {
  if (exponent == 0) return digits;
  const auto places = static_cast<std::size_t>(-exponent);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, 1, '.');
  return digits;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether text begins with the word (lower case), letters of either case; removes it.
bool take_word(std::string_view& text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (lower(text[i]) != word[i]) return false;
  text.remove_prefix(word.size());
  return true;
}

// Digits only, at least one; leading zeros are dropped so that the value is read as a decimal.
std::optional<Integer> digits_value(std::string digits) {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return Integer(digits);
}

std::optional<std::int64_t> exponent_value(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = std::min(value * 10 + (c - '0'), far_exponent);
  }
  return negative ? -value : value;
}

}  // namespace

std::string scientific_text(const Number& x) {
  if (!x.is_finite()) return special_text(x);
  std::string digits = x.coefficient.str();
  const std::int64_t adjusted = x.exponent + static_cast<std::int64_t>(digits.size()) - 1;
  const std::string sign = x.negative ? "-" : "";
  if (x.exponent <= 0 && adjusted >= -6) return sign + plain_text(std::move(digits), x.exponent);
  if (digits.size() > 1) digits.insert(1, 1, '.');
  return sign + digits + (adjusted == 0 ? "E+0" : exponent_text(adjusted));
}

std::string engineering_text(const Number& x) {
  if (!x.is_finite()) return special_text(x);
  std::string digits = x.coefficient.str();
  const std::int64_t adjusted = x.exponent + static_cast<std::int64_t>(digits.size()) - 1;
  const std::string sign = x.negative ? "-" : "";
  if (x.exponent <= 0 && adjusted >= -6) return sign + plain_text(std::move(digits), x.exponent);
  std::int64_t above = ((adjusted % 3) + 3) % 3;  // digits before the point, less one
  std::int64_t exponent = adjusted - above;
  if (x.coefficient.is_zero()) {  // zeros: the exponent is kept by places behind the point
    if (above == 0) return sign + "0" + exponent_text(exponent);
    return sign + (above == 1 ? "0.00" : "0.0") + exponent_text(exponent + 3);
  }
  const auto before = static_cast<std::size_t>(above + 1);
  if (digits.size() < before) digits.append(before - digits.size(), '0');
  if (digits.size() > before) digits.insert(before, 1, '.');
  return sign + digits + exponent_text(exponent);
}

std::optional<Number> parse(std::string_view text) {
  Number x;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    x.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (take_word(text, "inf")) {
    if (!text.empty() && !(take_word(text, "inity") && text.empty())) return std::nullopt;
    x.kind = Kind::infinite;
    return x;
  }
  const bool signaling = take_word(text, "snan");
  if (signaling || take_word(text, "nan")) {
    x.kind = signaling ? Kind::signaling_nan : Kind::quiet_nan;
    if (text.empty()) return x;
    const auto payload = digits_value(std::string(text));
    if (!payload) return std::nullopt;
    x.coefficient = *payload;
    return x;
  }
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  if (mark < text.size()) {
    const auto exponent = exponent_value(text.substr(mark + 1));
    if (!exponent) return std::nullopt;
    x.exponent = *exponent;
  }
  std::string digits(text.substr(0, mark));
  const std::size_t point = digits.find('.');
  if (point != std::string::npos) {
    digits.erase(point, 1);
    x.exponent -= static_cast<std::int64_t>(digits.size() - point);
  }
  if (digits.size() > max_digits) return std::nullopt;
  const auto coefficient = digits_value(std::move(digits));
  if (!coefficient) return std::nullopt;
  x.coefficient = *coefficient;
  return x;
}

std::optional<Number> parse(std::string_view text, const Context& context, Flags& flags) {
  auto x = parse(text);
  if (!x) return std::nullopt;
  if (x->is_nan()) {
    if (digits_of(x->coefficient) > context.precision - (context.clamp ? 1 : 0)) return invalid_operation(flags);
    return x;
  }
  return convert(*x, context, flags);
}

Rational to_rational(const Number& x) {
  if (x.exponent > max_exponent || x.exponent < -max_exponent)
    throw std::length_error("the exponent is too large for a rational");
  const Integer signed_coefficient = x.negative ? Integer(-x.coefficient) : x.coefficient;
  if (x.exponent >= 0) return Rational(Integer(signed_coefficient * power_of_ten(x.exponent)));
  return Rational(signed_coefficient, power_of_ten(-x.exponent));
}

}  // namespace outward::decimal
