#include "formats/exact_format.hpp"

namespace outward {

using p3109::Value;

namespace {

Value number(const Rational& x) { return {Value::Kind::number, false, x}; }

Value extreme(const Value& a, const Value& b, bool greater, bool number_wins) {
  const auto order = p3109::compare(a, b);
  if (!order) {
    const bool first = a.kind == Value::Kind::nan;
    return number_wins ? (first ? b : a) : (first ? a : b);
  }
  return (*order < 0) == greater ? b : a;
}

}  // namespace

Rational ExactFormat::root(const Rational& x) const {
  // 64 bits of the root and half a unit for the rest.
  const std::int64_t room = std::max<std::int64_t>(0, 128 - floor_log2(x)) / 2 * 2;
  const Rational radicand = x * Rational(Integer(1) << static_cast<unsigned>(room));
  const Integer below = sqrt(Integer(numerator(radicand) / denominator(radicand)));
  const bool exact = Rational(below * below) == radicand;
  return Rational(exact ? Integer(below * 2) : Integer(below * 2 + 1), Integer(1)
                                                                           << static_cast<unsigned>(room / 2 + 1));
}

Integer ExactFormat::apply(Operation operation, std::span<const Integer> codes, Rounding rounding, Flags& flags) const {
  std::array<Value, 3> x;
  for (std::size_t i = 0; i < codes.size() && i < x.size(); ++i) x[i] = value(codes[i]);
  Value result = x[0];
  const bool nan = x[0].kind == Value::Kind::nan;
  switch (operation) {
    case Operation::add:
      result = p3109::add(x[0], x[1]);
      break;
    case Operation::subtract:
      result = p3109::subtract(x[0], x[1]);
      break;
    case Operation::multiply:
      result = p3109::multiply(x[0], x[1]);
      break;
    case Operation::divide:
      result = p3109::divide(x[0], x[1]);
      break;
    case Operation::fused_multiply_add:
      result = p3109::fused_multiply_add(x[0], x[1], x[2]);
      break;
    case Operation::square_root:
      if (!nan && p3109::compare(x[0], Value{}) < 0) result = {Value::Kind::nan, false, 0};
      if (result.kind == Value::Kind::number && !result.number.is_zero()) result.number = root(result.number);
      break;
    case Operation::minimum:
      result = extreme(x[0], x[1], false, false);
      break;
    case Operation::maximum:
      result = extreme(x[0], x[1], true, false);
      break;
    case Operation::minimum_number:
      result = extreme(x[0], x[1], false, true);
      break;
    case Operation::maximum_number:
      result = extreme(x[0], x[1], true, true);
      break;
    case Operation::round_to_integral:
      if (x[0].kind == Value::Kind::number) result = number(Rational(round_to_integer(x[0].number, rounding)));
      break;
    case Operation::negate:
      if (!nan) result = p3109::negated(x[0]);
      break;
    case Operation::absolute:
      if (!nan && p3109::compare(x[0], Value{}) < 0) result = p3109::negated(x[0]);
      break;
    case Operation::next_up:
    case Operation::next_down:
      return neighbour(codes[0], operation == Operation::next_up);
    case Operation::remainder:
      refuse_operation(family(), operation);
  }
  return code(result, rounding, flags);
}

Integer ExactFormat::from_exact(const ExactNumber& x, Rounding rounding, Flags& flags) const {
  Value operand;
  operand.negative = x.negative && x.kind == ExactNumber::Kind::infinite;
  if (x.kind == ExactNumber::Kind::nan) operand.kind = Value::Kind::nan;
  if (x.kind == ExactNumber::Kind::infinite) operand.kind = Value::Kind::infinite;
  if (x.kind == ExactNumber::Kind::number) operand.number = bounded_rational(x);
  return code(operand, rounding, flags);
}

std::optional<Integer> ExactFormat::from_text(std::string_view text, Rounding rounding, Flags& flags) const {
  const auto exact = exact_literal(text);
  if (!exact) return std::nullopt;
  return from_exact(*exact, rounding, flags);
}

ExactNumber ExactFormat::to_exact(const Integer& code_bits) const {
  const Value x = value(code_bits);
  if (x.kind == Value::Kind::nan) return {ExactNumber::Kind::nan, false, 0, 0};
  if (x.kind == Value::Kind::infinite) return {ExactNumber::Kind::infinite, x.negative, 0, 0};
  return exact_number(x.number);
}

std::string ExactFormat::value_text(const Integer& code_bits) const {
  const Value x = value(code_bits);
  if (x.kind == Value::Kind::nan) return "nan";
  if (x.kind == Value::Kind::infinite) return x.negative ? "-inf" : "inf";
  struct Target {
    const ExactFormat* format;
    const Integer* code;
  } target{this, &code_bits};
  return shortest_text(
      x.number,
      [](const Rational& candidate, const void* context) {
        const auto* wanted = static_cast<const Target*>(context);
        Flags flags;
        return wanted->format->code(number(candidate), Rounding::nearest_even, flags) == *wanted->code;
      },
      &target);
}

}  // namespace outward
