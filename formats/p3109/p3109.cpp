// The formats of IEEE P3109: see the header.
#include "formats/p3109/p3109.hpp"

#include <algorithm>
#include <charconv>

#include "formats/families.hpp"

namespace outward::p3109 {

namespace {

Rational scaled(const Integer& m, std::int64_t exponent) {
  if (exponent >= 0) return Rational(Integer(m << static_cast<unsigned>(exponent)));
  return Rational(m, Integer(1) << static_cast<unsigned>(-exponent));
}

Rational magnitude_of(const Format& f, std::uint32_t code) {
  const std::int64_t exponent = code >> (f.precision - 1);
  const std::uint32_t hidden = std::uint32_t{1} << (f.precision - 1), fraction = code & (hidden - 1);
  const std::int64_t unit = std::max<std::int64_t>(exponent, 1) - f.bias() - (f.precision - 1);
  return scaled(exponent == 0 ? fraction : hidden | fraction, unit);
}

const Value nan_value{Value::Kind::nan, false, 0};

bool is_nan(const Value& a) { return a.kind == Value::Kind::nan; }
bool is_infinite(const Value& a) { return a.kind == Value::Kind::infinite; }
bool is_negative(const Value& a) { return is_infinite(a) ? a.negative : a.number < 0; }
Value infinity(bool negative) { return {Value::Kind::infinite, negative, 0}; }

}  // namespace

Value decode(const Format& f, std::uint32_t code) {
  if (code == f.nan_code()) return nan_value;
  const std::uint32_t sign = f.is_signed ? std::uint32_t{1} << (f.bits - 1) : 0;
  const bool negative = (code & sign) != 0;
  const std::uint32_t magnitude = code & ~sign;
  if (f.extended && magnitude == f.infinity_code()) return infinity(negative);
  const Rational value = magnitude_of(f, magnitude);
  return {Value::Kind::number, false, negative ? Rational(-value) : value};
}

std::uint32_t project(const Format& f, const Value& x, Rounding rounding, Saturation saturation) {
  if (is_nan(x)) return f.nan_code();
  const bool negative = is_negative(x);
  const std::uint32_t sign = negative ? f.nan_code() : 0;  // of signed formats: the code of NaN is the sign bit
  std::int64_t magnitude = std::int64_t{f.greatest_code()} + 1;
  if (!is_infinite(x)) {
    if (x.number.is_zero()) return 0;
    // The place of |x| among the codes, as if they went on for ever.
    const Rational value = abs(x.number);
    const std::int64_t least = 1 - f.bias(), exponent = std::max(floor_log2(value), least);
    const Rational steps = value / scaled(1, exponent - f.precision + 1);
    const Integer below = numerator(steps) / denominator(steps);
    const Integer offset = Integer(exponent - least) << static_cast<unsigned>(f.precision - 1);
    const Rational place = Rational(offset) + steps;  // below 2^(P-1) steps at the least exponent: subnormal
    Rounding direction = rounding;
    if (negative && rounding == Rounding::up) direction = Rounding::down;
    if (negative && rounding == Rounding::down) direction = Rounding::up;
    const Integer code = round_to_integer(place, direction);
    if (code <= f.greatest_code()) magnitude = code.convert_to<std::int64_t>();
  }
  if (negative && !f.is_signed) {
    if (magnitude == 0) return 0;
    const bool clamps = saturation == Saturation::finite || (saturation == Saturation::propagate && !is_infinite(x));
    return clamps ? 0 : f.nan_code();
  }
  if (magnitude <= std::int64_t{f.greatest_code()}) {
    if (magnitude == 0) return 0;
    return sign | static_cast<std::uint32_t>(magnitude);
  }
  bool clamps = saturation == Saturation::finite;
  if (!is_infinite(x)) {
    clamps |= saturation == Saturation::propagate || rounding == Rounding::toward_zero ||
              rounding == Rounding::to_odd || rounding == (negative ? Rounding::up : Rounding::down);
  }
  if (clamps) return sign | f.greatest_code();
  return f.extended ? sign | f.infinity_code() : f.nan_code();
}

std::uint32_t project_root(const Format& f, const Rational& x, Rounding rounding, Saturation saturation) {
  if (x.is_zero()) return 0;
  // A root to far more bits than any place between codes needs; what is left is replaced by half a unit.
  const std::int64_t room = std::max<std::int64_t>(0, 2 * (f.precision + 4) - floor_log2(x)) / 2 * 2;
  const Rational radicand = x * scaled(1, room);
  const Integer whole = numerator(radicand) / denominator(radicand);
  const Integer root = sqrt(whole);
  const bool exact = Rational(root * root) == radicand;
  const Rational value = scaled(exact ? Integer(root * 2) : Integer(root * 2 + 1), -room / 2 - 1);
  return project(f, {Value::Kind::number, false, value}, rounding, saturation);
}

Value negated(Value a) {
  a.negative = is_infinite(a) && !a.negative;
  a.number = -a.number;
  return a;
}

Value add(const Value& a, const Value& b) {
  if (is_nan(a) || is_nan(b)) return nan_value;
  if (is_infinite(a) && is_infinite(b)) return a.negative == b.negative ? a : nan_value;
  if (is_infinite(a) || is_infinite(b)) return is_infinite(a) ? a : b;
  return {Value::Kind::number, false, a.number + b.number};
}

Value subtract(const Value& a, const Value& b) { return add(a, negated(b)); }

Value multiply(const Value& a, const Value& b) {
  if (is_nan(a) || is_nan(b)) return nan_value;
  if (is_infinite(a) || is_infinite(b)) {
    if ((!is_infinite(a) && a.number.is_zero()) || (!is_infinite(b) && b.number.is_zero())) return nan_value;
    return infinity(is_negative(a) != is_negative(b));
  }
  return {Value::Kind::number, false, a.number * b.number};
}

Value divide(const Value& a, const Value& b) {
  if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_infinite(b))) return nan_value;
  if (is_infinite(b)) return {};
  if (b.number.is_zero()) return nan_value;
  if (is_infinite(a)) return infinity(is_negative(a) != is_negative(b));
  return {Value::Kind::number, false, a.number / b.number};
}

Value fused_multiply_add(const Value& a, const Value& b, const Value& c) { return add(multiply(a, b), c); }

std::optional<int> compare(const Value& a, const Value& b) {
  if (is_nan(a) || is_nan(b)) return std::nullopt;
  const auto rank = [](const Value& x) { return is_infinite(x) ? (x.negative ? -1 : 1) : 0; };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (rank(a) != 0) return 0;
  const int order = a.number.compare(b.number);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

std::optional<Format> parse(const std::string& name) {
  if (!name.starts_with("binary")) return std::nullopt;
  const char *at = name.data() + 6, *const end = name.data() + name.size();
  Format f;
  const auto first = std::from_chars(at, end, f.bits);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != 'p') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, f.precision);
  if (second.ec != std::errc{}) return std::nullopt;
  const std::string suffix(second.ptr, end);
  if (suffix != "" && suffix != "se" && suffix != "sf" && suffix != "ue" && suffix != "uf") return std::nullopt;
  f.is_signed = suffix.empty() || suffix[0] == 's';
  f.extended = suffix.empty() || suffix[1] == 'e';
  return f;
}

std::string text(const Format& f) {
  const std::string kind = std::string(f.is_signed ? "s" : "u") + (f.extended ? "e" : "f");
  return "binary" + std::to_string(f.bits) + "p" + std::to_string(f.precision) + (kind == "se" ? "" : kind);
}

}  // namespace outward::p3109
