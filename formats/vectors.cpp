// TestFloat-style vectors: see the header.
#include "formats/vectors.hpp"

#include <array>
#include <cctype>

#include "formats/error.hpp"
#include "formats/operations.hpp"

namespace outward {
namespace {

constexpr std::array file_order{Rounding::nearest_even, Rounding::toward_zero, Rounding::down, Rounding::up,
                                Rounding::nearest_away};

struct OperationShape {
  const char* name;
  int operands;
  bool boolean;
};

constexpr std::array shapes = std::to_array<OperationShape>({{"add", 2, false},
                                                             {"sub", 2, false},
                                                             {"mul", 2, false},
                                                             {"div", 2, false},
                                                             {"rem", 2, false},
                                                             {"sqrt", 1, false},
                                                             {"mulAdd", 3, false},
                                                             {"roundToInt", 1, false},
                                                             {"eq", 2, true},
                                                             {"le", 2, true},
                                                             {"lt", 2, true},
                                                             {"eq_signaling", 2, true},
                                                             {"le_quiet", 2, true},
                                                             {"lt_quiet", 2, true}});

[[noreturn]] void refuse(std::string_view line, const std::string& what) {
  throw InputRefused({"vector-line", "", what, "", std::string(line.substr(0, 200)), ""});
}

std::optional<VectorType> type_of(const std::string& name) {
  if (name == "i32") return VectorType{{}, 32, true, false};
  if (name == "i64") return VectorType{{}, 64, true, false};
  if (name == "ui32") return VectorType{{}, 32, false, false};
  if (name == "ui64") return VectorType{{}, 64, false, false};
  try {
    return VectorType{parse_format(name), 0, false, false};
  } catch (const InputRefused&) {
    return std::nullopt;
  }
}

std::optional<Integer> hexadecimal(std::string_view word) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  if (word.empty() || word.size() > 2048) return std::nullopt;
  for (char c : word)
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
  return Integer("0x" + std::string(word));
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0;;) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

Value operand_of(const VectorType& type, const Integer& code) {
  if (type.integer_bits == 0) return decode(type.format, code);
  const Integer modulus = Integer(1) << static_cast<unsigned>(type.integer_bits);
  if (code >= modulus)
    throw InputRefused({"bit-pattern", "", "the bit pattern does not fit the integer type", "", "", ""});
  return exact_value(type.integer_signed && code >= modulus / 2 ? Integer(code - modulus) : code);
}

unsigned flag_bits(const Flags& f) {
  return (f.inexact ? 1U : 0U) | (f.underflow ? 2U : 0U) | (f.overflow ? 4U : 0U) | (f.divide_by_zero ? 8U : 0U) |
         (f.invalid ? 16U : 0U);
}

bool compares(const std::string& operation, const Value& a, const Value& b, Flags& flags) {
  const bool signalling = operation == "eq_signaling" || operation == "le" || operation == "lt";
  const Order order = signalling ? compare_signalling(a, b, flags) : compare_quiet(a, b, flags);
  if (operation.starts_with("eq")) return order == Order::equal;
  return order == Order::less || (operation.starts_with("le") && order == Order::equal);
}

struct Computed {
  Integer code = 0;
  bool is_nan = false;
  bool any = false;  // an integer result out of range: nothing to compare but the flags
};

Computed compute(const VectorFunction& function, const std::array<Value, 3>& x, Rounding rounding, Flags& flags) {
  Computed computed;
  const std::string& op = function.operation;
  const Format& format = function.result.format;
  if (function.result.boolean) {
    computed.code = compares(op, x[0], x[1], flags) ? 1 : 0;
    return computed;
  }
  if (function.result.integer_bits != 0) {
    const int bits = function.result.integer_bits;
    const auto integer = to_integer(x[0], bits, function.result.integer_signed, rounding, true, flags);
    computed.any = !integer;
    if (integer)
      computed.code = *integer < 0 ? Integer(*integer + (Integer(1) << static_cast<unsigned>(bits))) : *integer;
    return computed;
  }
  Value value;
  if (op == "add") value = add(format, x[0], x[1], rounding, flags);
  if (op == "sub") value = subtract(format, x[0], x[1], rounding, flags);
  if (op == "mul") value = multiply(format, x[0], x[1], rounding, flags);
  if (op == "div") value = divide(format, x[0], x[1], rounding, flags);
  if (op == "rem") value = remainder(format, x[0], x[1], rounding, flags);
  if (op == "sqrt") value = square_root(format, x[0], rounding, flags);
  if (op == "mulAdd") value = fused_multiply_add(format, x[0], x[1], x[2], rounding, flags);
  if (op == "roundToInt") value = round_to_integral(format, x[0], rounding, true, flags);
  if (op == "to") value = convert(format, x[0], rounding, flags);
  computed.is_nan = value.is_nan();
  computed.code = encode(format, value);
  return computed;
}

std::string hex(const Integer& x) { return x.str(0, std::ios_base::hex); }

}  // namespace

std::optional<VectorFunction> vector_function(std::string_view name) {
  const std::size_t to = name.find("_to_");
  if (to != std::string_view::npos) {
    const auto from = type_of(std::string(name.substr(0, to))), target = type_of(std::string(name.substr(to + 4)));
    if (!from || !target) return std::nullopt;
    return VectorFunction{"to", *from, *target, 1};
  }
  for (const OperationShape& shape : shapes) {
    const std::string ending = std::string("_") + shape.name;
    if (!name.ends_with(ending)) continue;
    const auto type = type_of(std::string(name.substr(0, name.size() - ending.size())));
    if (type && type->integer_bits == 0) return vector_function(shape.name, type->format);
  }
  return std::nullopt;
}

VectorFunction vector_function(const std::string& operation, const Format& format) {
  for (const OperationShape& shape : shapes) {
    if (operation != shape.name) continue;
    const VectorType type{format, 0, false, false};
    return {operation, type, shape.boolean ? VectorType{format, 0, false, true} : type, shape.operands};
  }
  throw InputRefused({"vector-operation", "", "there are no vectors of this operation",
                      "add, sub, mul, div, rem, sqrt, mulAdd, roundToInt, eq, le, lt", operation, ""});
}

VectorLine compare_vector_line(const VectorFunction& function, std::string_view line, Rounding single) {
  const std::vector<std::string_view> words = words_of(line);
  const std::size_t operands = static_cast<std::size_t>(function.operands);
  if (words.size() != operands + 2 && words.size() != operands + 2 * file_order.size())
    refuse(line,
           "the line must hold " + std::to_string(operands) + " operands and one or five pairs of result and flags");
  std::array<Value, 3> x;
  for (std::size_t i = 0; i < operands; ++i) {
    const auto code = hexadecimal(words[i]);
    if (!code) refuse(line, "an operand is not hexadecimal");
    x[i] = operand_of(function.operand, *code);
  }
  VectorLine result;
  const std::size_t pairs = (words.size() - operands) / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto code = hexadecimal(words[operands + 2 * i]), bits = hexadecimal(words[operands + 2 * i + 1]);
    if (!code || !bits || *bits > 31) refuse(line, "a result or its flags are not hexadecimal");
    const Rounding rounding = pairs == 1 ? single : file_order[i];
    Flags flags;
    const Computed computed = compute(function, x, rounding, flags);
    const bool number = function.result.integer_bits == 0 && !function.result.boolean;
    const bool expects_nan = number && decode(function.result.format, *code).is_nan();
    const bool same = computed.any || (computed.is_nan && expects_nan) || computed.code == *code;
    ++result.compared;
    if (same && flag_bits(flags) == *bits) continue;
    result.mismatches.push_back(rounding_text(rounding) + ": computed " +
                                (computed.any ? "out of range" : "0x" + hex(computed.code)) + " (" + flags_text(flags) +
                                "), the line says 0x" + hex(*code) + " flags 0x" + hex(*bits));
  }
  return result;
}

std::optional<Rounding> rounding_of(std::string_view word) {
  const std::string plain = plain_descriptor(word);
  if (plain == "nearest_even" || plain == "nearest" || plain == "rne") return Rounding::nearest_even;
  if (plain == "nearest_away" || plain == "away" || plain == "rna") return Rounding::nearest_away;
  if (plain == "toward_zero" || plain == "zero" || plain == "rtz") return Rounding::toward_zero;
  if (plain == "up" || plain == "rtp") return Rounding::up;
  if (plain == "down" || plain == "rtn") return Rounding::down;
  if (plain == "to_odd" || plain == "odd") return Rounding::to_odd;
  return std::nullopt;
}

std::string rounding_text(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return "nearest_even";
    case Rounding::nearest_away:
      return "nearest_away";
    case Rounding::toward_zero:
      return "toward_zero";
    case Rounding::up:
      return "up";
    case Rounding::down:
      return "down";
    case Rounding::to_odd:
      return "to_odd";
  }
  return "";
}

std::string flags_text(const Flags& flags) {
  std::string text;
  const auto word = [&text](bool set, const char* name) {
    if (set) text += (text.empty() ? "" : " ") + std::string(name);
  };
  word(flags.invalid, "invalid");
  word(flags.divide_by_zero, "divide_by_zero");
  word(flags.overflow, "overflow");
  word(flags.underflow, "underflow");
  word(flags.inexact, "inexact");
  return text.empty() ? "none" : text;
}

}  // namespace outward
