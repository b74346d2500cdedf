#include "bounds/roundoff/fpcore/constants.hpp"

#include <algorithm>
#include <cctype>

#include "formats/elementary/functions.hpp"
#include "formats/elementary/kernels.hpp"
#include "formats/error.hpp"
#include "formats/families.hpp"
#include "formats/value.hpp"

namespace outward::fpcore {
namespace {

constexpr long largest_power = 4000;  // exponents of (digits m e b)

// enclose(function(argument)) times or over small numbers.
struct NamedConstant {
  const char* name;
  Function function;
  int argument;
  int numerator, denominator;  // the value is numerator * f / denominator ...
  bool inverse;                // ... or the inverse of that
};
constexpr NamedConstant named_table[] = {
    {"E", Function::exp, 1, 1, 1, false},      {"LN2", Function::log, 2, 1, 1, false},
    {"LN10", Function::log, 10, 1, 1, false},  {"LOG2E", Function::log, 2, 1, 1, true},
    {"LOG10E", Function::log, 10, 1, 1, true}, {"PI", Function::atan, 1, 4, 1, false},
    {"PI_2", Function::atan, 1, 2, 1, false},  {"PI_4", Function::atan, 1, 1, 1, false},
    {"M_1_PI", Function::atan, 1, 4, 1, true}, {"M_2_PI", Function::atan, 1, 2, 1, true},
    {"1_PI", Function::atan, 1, 4, 1, true},   {"2_PI", Function::atan, 1, 2, 1, true},
};

Rational rational(const Dyadic& x) { return to_rational(x); }

ExactRange square_root_range(const ExactRange& x, long bits) {
  const elementary::Enclosure lo = elementary::enclose(x.lo, bits + 8), hi = elementary::enclose(x.hi, bits + 8);
  return {rational(elementary::square_root(lo.lo, bits, -1)), rational(elementary::square_root(hi.hi, bits, 1))};
}

ExactRange inverse(const ExactRange& x) { return {Rational(1) / x.hi, Rational(1) / x.lo}; }

std::optional<ExactRange> named_value(std::string_view name, long bits) {
  for (const NamedConstant& row : named_table) {
    if (name != row.name) continue;
    const elementary::Enclosure x = elementary::enclose(row.function, Dyadic{row.argument, 0}, bits);
    const Rational factor = Rational(Integer(row.numerator), Integer(row.denominator));
    ExactRange out{rational(x.lo) * factor, rational(x.hi) * factor};
    return row.inverse ? inverse(out) : out;
  }
  if (name == "SQRT2") return square_root_range({2, 2}, bits);
  if (name == "SQRT1_2") return square_root_range({Rational(1, 2), Rational(1, 2)}, bits);
  if (name == "2_SQRTPI" || name == "M_2_SQRTPI") {  // 2/sqrt(pi)
    const ExactRange root = square_root_range(*named_value("PI", bits + 8), bits + 4);
    return ExactRange{Rational(2) / root.hi, Rational(2) / root.lo};
  }
  return std::nullopt;
}

std::optional<Rational> fraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view below = text.substr(slash + 1);
  if (below.empty() || below.size() > max_digits || below.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::string_view above = text.substr(0, slash);
  const bool negative = above.starts_with('-');
  if (negative || above.starts_with('+')) above.remove_prefix(1);
  if (above.empty() || above.size() > max_digits || above.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  const Integer denominator = digits_to_integer(below);
  if (denominator.is_zero()) return std::nullopt;
  const Rational value(digits_to_integer(above), denominator);
  return negative ? Rational(-value) : value;
}

std::optional<Rational> number_value(const std::string& text) {
  if (auto value = fraction(text)) return value;
  const bool hexadecimal = text.find("0x") != std::string::npos || text.find("0X") != std::string::npos;
  if (!hexadecimal) return parse_decimal(text);
  const bool has_power = text.find('p') != std::string::npos || text.find('P') != std::string::npos;
  const auto exact = exact_literal(has_power ? text : text + "p0");
  if (!exact || exact->kind != ExactNumber::Kind::number || std::abs(exact->exponent) > max_exponent)
    return std::nullopt;
  return bounded_rational(*exact);
}

// (digits mantissa exponent base)
std::optional<Rational> digits_value(const Sexp& list) {
  if (list.items.size() != 4) return std::nullopt;
  Rational part[3];
  for (std::size_t i = 0; i < 3; ++i) {
    if (list.items[i + 1].kind != Sexp::Kind::number) return std::nullopt;
    const auto value = parse_decimal(list.items[i + 1].text);
    if (!value || denominator(*value) != 1) return std::nullopt;
    part[i] = *value;
  }
  if (abs(part[1]) > largest_power || part[2] < 2 || part[2] > 1000) return std::nullopt;
  const long exponent = static_cast<long>(numerator(part[1]));
  const Rational scale = pow(numerator(part[2]), static_cast<unsigned>(std::abs(exponent)));
  return exponent < 0 ? Rational(part[0] / scale) : Rational(part[0] * scale);
}

std::optional<Rational> rounded(const Rational& x, const Format& format) {
  Flags flags;
  const Value value = round(format, x, Rounding::nearest_even, flags);
  if (flags.overflow || !value.is_finite()) return std::nullopt;
  return to_rational(value);
}

// The rounding of a number between lo and hi; nullopt when undecided or beyond the format.
std::optional<Rational> rounded(const ExactRange& x, const Format& format) {
  const auto lo = rounded(x.lo, format), hi = rounded(x.hi, format);
  return lo && hi && *lo == *hi ? lo : std::nullopt;
}

ExactRange product(const ExactRange& a, const ExactRange& b) {
  const Rational ends[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

bool has_zero(const ExactRange& x) { return x.lo <= 0 && x.hi >= 0; }

std::optional<ExactRange> exactly(Op op, const ExactRange& a, const ExactRange& b, const ExactRange& c, long bits) {
  switch (op) {
    case Op::add:
      return ExactRange{a.lo + b.lo, a.hi + b.hi};
    case Op::subtract:
      return ExactRange{a.lo - b.hi, a.hi - b.lo};
    case Op::multiply:
      return product(a, b);
    case Op::divide:
      if (has_zero(b)) return std::nullopt;
      return product(a, inverse(b));
    case Op::negate:
      return ExactRange{-a.hi, -a.lo};
    case Op::absolute:
      if (a.lo >= 0) return a;
      if (a.hi <= 0) return ExactRange{-a.hi, -a.lo};
      return std::nullopt;
    case Op::square_root:
      if (a.lo < 0) return std::nullopt;
      if (a.hi.is_zero()) return a;
      return square_root_range(a, bits);
    case Op::fused_multiply_add: {
      const ExactRange p = product(a, b);
      return ExactRange{p.lo + c.lo, p.hi + c.hi};
    }
    case Op::cast:
      return a;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_constant_name(std::string_view name) { return named_value(name, 8).has_value(); }

std::optional<ExactRange> literal_value(const Sexp& expression, long bits) {
  if (expression.kind == Sexp::Kind::symbol) return named_value(expression.text, bits);
  std::optional<Rational> value;
  if (expression.kind == Sexp::Kind::number) value = number_value(expression.text);
  if (expression.head() == "digits") value = digits_value(expression);
  if (!value) return std::nullopt;
  return ExactRange{*value, *value};
}

std::optional<ExactRange> real_value(const Sexp& expression, long bits) {
  if (auto value = literal_value(expression, bits)) return value;
  const std::string_view head = expression.head();
  const std::size_t count = expression.items.empty() ? 0 : expression.items.size() - 1;
  if (head.size() != 1 || count < 1 || count > 2) return std::nullopt;
  const auto a = real_value(expression.items[1], bits);
  const auto b = count == 2 ? real_value(expression.items[2], bits) : a;
  if (!a || !b) return std::nullopt;
  Op op = Op::cast;
  if (head == "-") op = count == 1 ? Op::negate : Op::subtract;
  if (count == 2 && head == "+") op = Op::add;
  if (count == 2 && head == "*") op = Op::multiply;
  if (count == 2 && head == "/") op = Op::divide;
  if (op == Op::cast) return std::nullopt;
  return exactly(op, *a, *b, *a, bits);
}

ConstantValue rounded_literal(const ExactRange& exact, const Format& format) {
  const auto computed = rounded(exact, format);
  if (!computed)
    throw InputRefused(Blocker{"constant-out-of-range", "", "a constant cannot be rounded to its format",
                               "a finite number of " + format_text(format), "", ""});
  return {exact, *computed};
}

std::optional<ConstantValue> folded(Op op, const std::vector<const ConstantValue*>& operands, const Format& format) {
  const ConstantValue& a = *operands[0];
  const ConstantValue& b = operands.size() > 1 ? *operands[1] : a;
  const ConstantValue& c = operands.size() > 2 ? *operands[2] : a;
  const long bits = 2 * format.precision() + 160;
  const auto exact = exactly(op, a.exact, b.exact, c.exact, bits);
  const auto point = [](const ConstantValue& x) { return ExactRange{x.computed, x.computed}; };
  const auto before = exactly(op, point(a), point(b), point(c), bits);
  if (!exact || !before) return std::nullopt;
  // Fractions that would grow without end are left to the analysis of ranges.
  const auto size = [](const Rational& x) {
    const Integer& above = numerator(x);
    return (above.is_zero() ? 0 : msb(abs(above))) + msb(denominator(x));
  };
  if (size(exact->lo) > 8000 || size(exact->hi) > 8000) return std::nullopt;
  const auto computed = rounded(*before, format);
  if (!computed) return std::nullopt;
  return ConstantValue{*exact, *computed};
}

int grid_of(const Rational& dyadic) {
  if (dyadic.is_zero()) return any_grid;
  const Integer above = abs(numerator(dyadic));
  return static_cast<int>(lsb(above)) - static_cast<int>(msb(denominator(dyadic)));
}

Span span_of(const Rational& lo, const Rational& hi) { return {round_down(lo), round_up(hi)}; }

}  // namespace outward::fpcore
