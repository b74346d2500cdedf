// The table of families and the binary family; see the header.
#include "formats/number_format.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "formats/error.hpp"
#include "formats/exact_number.hpp"
#include "formats/families.hpp"
#include "formats/operations.hpp"
#include "formats/text.hpp"
#include "formats/words/fixed_codes.hpp"
#include "formats/words/long_codes.hpp"
#include "formats/words/word_format.hpp"

namespace outward {

ExactNumber exact_number(const Value& x) {
  ExactNumber exact;
  exact.negative = x.negative;
  if (x.is_nan()) exact.kind = ExactNumber::Kind::nan;
  if (x.kind == ValueKind::infinite) exact.kind = ExactNumber::Kind::infinite;
  if (x.kind == ValueKind::finite) {
    exact.factor = Rational(x.negative ? Integer(-x.significand) : x.significand);
    exact.exponent = x.exponent;
  }
  return exact;
}
namespace {

constexpr std::array operations = std::to_array<OperationRow>({
    {Operation::add, "add", 2},
    {Operation::subtract, "sub", 2},
    {Operation::multiply, "mul", 2},
    {Operation::divide, "div", 2},
    {Operation::square_root, "sqrt", 1},
    {Operation::fused_multiply_add, "fma", 3},
    {Operation::remainder, "rem", 2},
    {Operation::minimum, "min", 2},
    {Operation::maximum, "max", 2},
    {Operation::minimum_number, "minnum", 2},
    {Operation::maximum_number, "maxnum", 2},
    {Operation::round_to_integral, "rint", 1},
    {Operation::negate, "neg", 1},
    {Operation::absolute, "abs", 1},
    {Operation::next_up, "nextup", 1},
    {Operation::next_down, "nextdown", 1},
});

// The operations that the fast arithmetics have; false for the others.
template <class Arithmetic, class Operand>
bool fast_operation(const Arithmetic& f, Operation operation, const std::array<Operand, 3>& x, Rounding rounding,
                    Flags& flags, Operand& result) {
  switch (operation) {
    case Operation::add:
      result = f.add(x[0], x[1], rounding, flags);
      return true;
    case Operation::subtract:
      result = f.subtract(x[0], x[1], rounding, flags);
      return true;
    case Operation::multiply:
      result = f.multiply(x[0], x[1], rounding, flags);
      return true;
    case Operation::divide:
      result = f.divide(x[0], x[1], rounding, flags);
      return true;
    case Operation::square_root:
      result = f.square_root(x[0], rounding, flags);
      return true;
    case Operation::fused_multiply_add:
      result = f.fused_multiply_add(x[0], x[1], x[2], rounding, flags);
      return true;
    default:
      return false;
  }
}

// The fastest arithmetic for a format.
using Fast = std::variant<WordFormat, FixedArithmetic<2>, FixedArithmetic<4>, LongArithmetic>;

Fast fast_arithmetic(const Format& format) {
  if (format.width() <= 64 && format.precision() <= 62) return WordFormat(format);
  if (format.precision() <= 126) return FixedArithmetic<2>(format);
  if (format.precision() <= 254) return FixedArithmetic<4>(format);
  return LongArithmetic(format);
}

// nullopt: not decided here, flags as they were.
std::optional<Integer> fast_result(const WordFormat& f, Operation operation, std::span<const Integer> codes,
                                   Rounding rounding, Flags& flags) {
  std::array<std::uint64_t, 3> x{};
  for (std::size_t i = 0; i < codes.size() && i < x.size(); ++i) {
    if (codes[i].sign() < 0 || codes[i].backend().size() > 1) return std::nullopt;
    x[i] = *codes[i].backend().limbs();
    if (f.format().width() < 64 && x[i] >> f.format().width() != 0) return std::nullopt;
  }
  std::uint64_t result = 0;
  if (!fast_operation(f, operation, x, rounding, flags, result)) return std::nullopt;
  return Integer(result);
}

template <class Arithmetic>
std::optional<Integer> fast_result(const Arithmetic& f, Operation operation, std::span<const Integer> codes,
                                   Rounding rounding, Flags& flags) {
  std::array<typename Arithmetic::Number, 3> x;
  for (std::size_t i = 0; i < codes.size() && i < x.size(); ++i) {
    if (codes[i].sign() < 0 || (!codes[i].is_zero() && msb(codes[i]) >= static_cast<unsigned>(f.format().width())))
      return std::nullopt;
    const auto number = number_of_code(f, codes[i]);
    if (!number) return std::nullopt;
    x[i] = *number;
  }
  typename Arithmetic::Number result;
  if (!fast_operation(f, operation, x, rounding, flags, result)) return std::nullopt;
  if (auto code = code_of_number(f, result)) return code;
  return encode(f.format(), f.value(result));
}

class BinaryFormat : public NumberFormat {
 public:
  explicit BinaryFormat(const Format& format) : format_(format), fast_(fast_arithmetic(format)) {}

  std::string text() const override { return format_text(format_); }
  std::string family() const override { return "binary"; }
  int width() const override { return format_.width(); }

  std::vector<std::pair<std::string, std::string>> parameters() const override {
    const auto power = [](std::int64_t exponent) { return "2^" + std::to_string(exponent); };
    const Value greatest = greatest_finite(format_);
    const std::string cut = std::to_string((format_.convention == Convention::fn ? 1 : 0) - format_.fraction_bits);
    std::string most = "(2-2^" + cut + ")*" + power(format_.greatest_exponent());
    if (format_.fraction_bits == 0) most = power(format_.greatest_exponent());
    if (greatest.exponent < 64 && format_.fraction_bits < 64) most = *exact_decimal_text(greatest);
    return {
        {"e", std::to_string(format_.exponent_bits)},
        {"f", std::to_string(format_.fraction_bits)},
        {"bias", std::to_string(format_.bias)},
        {"max", most},
        {"least normal", power(format_.least_exponent())},
        {"least subnormal", format_.fraction_bits == 0 ? "-" : power(format_.least_exponent() - format_.fraction_bits)},
        {"unit roundoff", power(-format_.precision())}};
  }

  Integer apply(Operation operation, std::span<const Integer> codes, Rounding rounding, Flags& flags) const override {
    const auto known =
        std::visit([&](const auto& f) { return fast_result(f, operation, codes, rounding, flags); }, fast_);
    if (known) return *known;
    std::array<Value, 3> x;
    for (std::size_t i = 0; i < codes.size() && i < x.size(); ++i) x[i] = decode(format_, codes[i]);
    return encode(format_, result(operation, x, rounding, flags));
  }

  Integer from_exact(const ExactNumber& x, Rounding rounding, Flags& flags) const override {
    Value operand{ValueKind::zero, x.negative, 0, 0, 0};
    if (x.kind == ExactNumber::Kind::nan) operand.kind = ValueKind::quiet_nan;
    if (x.kind == ExactNumber::Kind::infinite) operand.kind = ValueKind::infinite;
    if (x.kind != ExactNumber::Kind::number || x.factor.is_zero())
      return encode(format_, convert(format_, operand, rounding, flags));
    const Integer n = numerator(x.factor);
    return encode(format_, round_quotient(format_, n < 0, abs(n), denominator(x.factor), x.exponent, rounding, flags));
  }

  std::optional<Integer> from_text(std::string_view text, Rounding rounding, Flags& flags) const override {
    const auto value = parse_value(format_, text, rounding, flags);
    if (!value) return std::nullopt;
    return encode(format_, *value);
  }

  ExactNumber to_exact(const Integer& code) const override { return exact_number(decode(format_, code)); }

  std::string value_text(const Integer& code) const override {
    const Value x = decode(format_, code);
    // Numbers of narrow formats are short when they are written out.
    const auto decimal = x.exponent > -64 && x.exponent < 64 ? exact_decimal_text(x) : std::nullopt;
    return decimal && decimal->size() <= 14 ? *decimal : short_text(format_, x);
  }

 private:
  Value result(Operation operation, const std::array<Value, 3>& x, Rounding rounding, Flags& flags) const {
    switch (operation) {
      case Operation::add:
        return outward::add(format_, x[0], x[1], rounding, flags);
      case Operation::subtract:
        return outward::subtract(format_, x[0], x[1], rounding, flags);
      case Operation::multiply:
        return outward::multiply(format_, x[0], x[1], rounding, flags);
      case Operation::divide:
        return divide(format_, x[0], x[1], rounding, flags);
      case Operation::square_root:
        return square_root(format_, x[0], rounding, flags);
      case Operation::fused_multiply_add:
        return fused_multiply_add(format_, x[0], x[1], x[2], rounding, flags);
      case Operation::remainder:
        return remainder(format_, x[0], x[1], rounding, flags);
      case Operation::minimum:
        return minimum(format_, x[0], x[1], rounding, flags);
      case Operation::maximum:
        return maximum(format_, x[0], x[1], rounding, flags);
      case Operation::minimum_number:
        return minimum_number(format_, x[0], x[1], rounding, flags);
      case Operation::maximum_number:
        return maximum_number(format_, x[0], x[1], rounding, flags);
      case Operation::round_to_integral:
        return round_to_integral(format_, x[0], rounding, true, flags);
      case Operation::negate:
        return negate(format_, x[0]);
      case Operation::absolute:
        return absolute(format_, x[0]);
      case Operation::next_up:
        return next_up(format_, x[0], flags).value_or(greatest_finite(format_));
      case Operation::next_down:
        return next_down(format_, x[0], flags)
            .value_or(format_.convention == Convention::scale ? least_positive(format_)
                                                              : greatest_finite(format_, true));
    }
    return x[0];
  }

  Format format_;
  Fast fast_;
};

// The family that takes every descriptor the others leave: its refusals name the unknown ones.
std::shared_ptr<const NumberFormat> binary_family(const std::string& plain) {
  return std::make_shared<BinaryFormat>(parse_format(plain));
}

std::vector<std::string> binary_names() {
  std::vector<std::string> names;
  for (const NamedFormat& named : named_formats())
    if (!named.alias) names.push_back(named.name);
  return names;
}

// One row per family, binary last.
struct Family {
  std::shared_ptr<const NumberFormat> (*parse)(const std::string& plain);
  std::vector<std::string> (*names)();
};

constexpr std::array families = std::to_array<Family>({
    {decimal_family, decimal_names},
    {posit_family, posit_names},
    {p3109_family, p3109_names},
    {block_family, block_names},
    {grid_family, grid_names},
    {binary_family, binary_names},
});

}  // namespace

std::span<const OperationRow> operation_table() { return operations; }

std::shared_ptr<const NumberFormat> parse_number_format(std::string_view text) {
  const std::string plain = plain_descriptor(text);
  for (const Family& family : families)
    if (auto format = family.parse(plain)) return format;
  throw InputRefused({"number-format", "", "there is no number format of this name", "", std::string(text), ""});
}

std::vector<std::string> number_format_names() {
  std::vector<std::string> all;
  for (auto family = families.rbegin(); family != families.rend(); ++family) {
    const std::vector<std::string> names = family->names();
    all.insert(all.end(), names.begin(), names.end());
  }
  return all;
}

}  // namespace outward
