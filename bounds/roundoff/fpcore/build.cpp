#include "bounds/roundoff/fpcore/build.hpp"

#include <algorithm>

#include "bounds/roundoff/fpcore/parse.hpp"
#include "formats/number_format.hpp"

namespace outward::fpcore {
namespace {

struct OperatorRow {
  const char* name;
  Op op;
  std::size_t least, most;  // operands
};
constexpr OperatorRow operator_table[] = {
    {"+", Op::add, 2, 1000},      {"-", Op::subtract, 1, 1000},
    {"*", Op::multiply, 2, 1000}, {"/", Op::divide, 2, 1000},
    {"fabs", Op::absolute, 1, 1}, {"fmin", Op::minimum, 2, 2},
    {"fmax", Op::maximum, 2, 2},  {"sqrt", Op::square_root, 1, 1},
    {"cast", Op::cast, 1, 1},     {"fma", Op::fused_multiply_add, 3, 3},
};

constexpr long greatest_exponent_of_power = 1000;

}  // namespace

void Builder::refuse(Place place, const std::string& code, const std::string& what, const std::string& expected,
                     const std::string& found) {
  blockers_.push_back(Blocker{code, where(core_.source, place), what, expected, found, ""});
}

int Builder::format(const Sexp& precision) {
  if (precision.kind == Sexp::Kind::symbol) return format(precision.text, precision.place);
  // (float ES BITS), with BITS the width.
  if (precision.head() == "float" && precision.items.size() == 3) {
    const auto number = [&](std::size_t i) {
      const std::string& text = precision.items[i].text;
      const bool plain = !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string::npos;
      return plain ? std::stol(text) : -1;
    };
    const long exponent = number(1), bits = number(2);
    if (exponent > 0 && bits > 0)
      return format("binary(" + std::to_string(exponent) + "," + std::to_string(bits - exponent - 1) + ")",
                    precision.place);
  }
  refuse(precision.place, "unsupported-precision", "a precision that is not known here",
         "binary64, (float 11 64), bfloat16, or another binary format", shown(precision));
  return -1;
}

int Builder::format(const std::string& name, Place place) {
  try {
    const auto number_format = parse_number_format(name);
    if (number_format->family() != "binary") {
      refuse(place, "unsupported-precision", "rounding errors of expressions are known for binary formats",
             "binary64, bfloat16, e4m3fn, ...", name);
      return -1;
    }
    const Format found = parse_format(number_format->text());
    if (found.convention == Convention::scale || found.flush) {
      refuse(place, "unsupported-precision", "the format has no sign, or flushes small numbers to zero", "", name);
      return -1;
    }
    for (std::size_t i = 0; i < core_.formats.size(); ++i)
      if (core_.formats[i] == found) return static_cast<int>(i);
    core_.formats.push_back(found);
    return static_cast<int>(core_.formats.size()) - 1;
  } catch (const InputRefused& refusal) {
    refuse(place, "unsupported-precision", refusal.blockers[0].what, refusal.blockers[0].expected, name);
    return -1;
  }
}

int Builder::rounding_context(const std::vector<Sexp>& items, std::size_t from, std::size_t to, int outer) {
  for (std::size_t i = from; i < to; i += 2) {
    if (items[i].kind != Sexp::Kind::symbol || !items[i].text.starts_with(':') || i + 1 >= to) {
      refuse(items[i].place, "malformed-expression", "a property is a name and a value", ":precision binary64",
             shown(items[i]));
      return outer;
    }
    const Sexp& value = items[i + 1];
    if (items[i].text == ":precision") {
      outer = format(value);
    } else if (items[i].text == ":round" && !value.is_symbol("nearestEven")) {
      refuse(value.place, "unsupported-rounding", "only rounding to nearest, ties to even, is analysed", "nearestEven",
             shown(value));
    } else if (items[i].text == ":math-library" || items[i].text == ":overflow") {
      core_.notes.push_back("a property is not used: " + items[i].text + " " + shown(value));
    }
  }
  return outer;
}

int Builder::add_variable(const Variable& variable) {
  Node made;
  made.op = Op::variable;
  made.format = variable.format;
  made.variable = static_cast<int>(core_.variables.size());
  made.text = variable.name;
  made.place = variable.place;
  core_.variables.push_back(variable);
  core_.nodes.push_back(made);
  return static_cast<int>(core_.nodes.size()) - 1;
}

int Builder::build(const Sexp& expression, int format) {
  switch (expression.kind) {
    case Sexp::Kind::symbol:
      return symbol(expression, format);
    case Sexp::Kind::number:
      return literal(expression, format);
    case Sexp::Kind::string:
      refuse(expression.place, "malformed-expression", "a text is no number");
      return -1;
    case Sexp::Kind::list:
      break;
  }
  const std::string_view head = expression.head();
  if (head == "let") return let(expression, format, false);
  if (head == "let*") return let(expression, format, true);
  if (head == "digits") return literal(expression, format);
  if (head == "!") {
    if (expression.items.size() < 2) {
      refuse(expression.place, "malformed-expression", "! takes properties and an expression");
      return -1;
    }
    const int inner = rounding_context(expression.items, 1, expression.items.size() - 1, format);
    return inner < 0 ? -1 : build(expression.items.back(), inner);
  }
  return application(expression, format);
}

int Builder::symbol(const Sexp& expression, int format) {
  const auto entry = scope_.find(expression.text);
  if (entry != scope_.end() && !entry->second.empty()) return entry->second.back();
  if (is_constant_name(expression.text)) return literal(expression, format);
  const bool special = expression.text == "INFINITY" || expression.text == "NAN" || expression.text == "TRUE" ||
                       expression.text == "FALSE";
  refuse(expression.place, special ? "unsupported-constant" : "unknown-name",
         special ? "this is no real number" : "there is no variable or constant of this name", "", expression.text);
  return -1;
}

int Builder::literal(const Sexp& expression, int format) {
  if (format < 0) return -1;
  const Format& target = core_.formats[static_cast<std::size_t>(format)];
  const auto value = literal_value(expression, 2 * target.precision() + 160);
  if (!value) {
    refuse(expression.place, "malformed-number", "this is no number", "1.5, 1e-3, 0x1.8p-3, 1/3, (digits 15 -1 10)",
           shown(expression));
    return -1;
  }
  try {
    return constant(rounded_literal(*value, target), format, expression);
  } catch (const InputRefused& refusal) {
    refuse(expression.place, refusal.blockers[0].code, refusal.blockers[0].what, refusal.blockers[0].expected,
           shown(expression));
    return -1;
  }
}

int Builder::constant(const ConstantValue& value, int format, const Sexp& expression) {
  const auto [entry, fresh] =
      known_constants_.try_emplace({fraction_text(value.exact.lo) + "~" + fraction_text(value.computed), format}, -1);
  if (!fresh) return entry->second;
  Node made;
  made.op = Op::constant;
  made.format = format;
  made.exact = span_of(value.exact.lo, value.exact.hi);
  made.computed = span_of(value.computed, value.computed);
  made.error = span_of(value.computed - value.exact.hi, value.computed - value.exact.lo);
  made.grid = grid_of(value.computed);
  made.text = shown(expression);
  made.place = expression.place;
  core_.nodes.push_back(made);
  entry->second = static_cast<int>(core_.nodes.size()) - 1;
  constants_.emplace(entry->second, value);
  return entry->second;
}

int Builder::let(const Sexp& expression, int format, bool sequential) {
  if (expression.items.size() != 3 || !expression.items[1].is_list()) {
    refuse(expression.place, "malformed-expression", "let takes a list of bindings and a body",
           "(let ([x 1] [y 2]) (+ x y))");
    return -1;
  }
  std::vector<std::pair<std::string, int>> bound;
  for (const Sexp& binding : expression.items[1].items) {
    if (!binding.is_list() || binding.items.size() != 2 || binding.items[0].kind != Sexp::Kind::symbol) {
      refuse(binding.place, "malformed-expression", "a binding is a name and an expression", "[x 1]", shown(binding));
      continue;
    }
    bound.emplace_back(binding.items[0].text, build(binding.items[1], format));
    if (sequential) define(bound.back().first, bound.back().second);
  }
  if (!sequential)
    for (const auto& [name, node] : bound) define(name, node);
  const int body = build(expression.items[2], format);
  for (const auto& [name, node] : bound) scope_[name].pop_back();
  return body;
}

int Builder::application(const Sexp& expression, int format) {
  const std::string head(expression.head());
  const std::size_t count = expression.items.empty() ? 0 : expression.items.size() - 1;
  if (head == "pow") return power(expression, format);
  Node made;
  made.format = format;
  std::size_t least = 0, most = 0;
  for (const OperatorRow& row : operator_table)
    if (head == row.name) made.op = row.op, least = row.least, most = row.most;
  for (const Function function : functions_of_fpcore)
    if (head == row_of(function).name) made.op = Op::function, made.function = function, least = most = 1;
  if (least == 0) {
    const bool control = head == "if" || head == "while" || head == "while*" || head == "for" || head == "tensor";
    refuse(expression.place, "unsupported-operation",
           control ? "programs with branches or loops are not analysed" : "this operation is not analysed", "",
           head.empty() ? shown(expression) : head);
    // What stands inside may have reasons of its own; conditions and loop variables are not read.
    for (std::size_t i = head == "if" ? 2 : 1; i <= count && (!control || head == "if"); ++i)
      build(expression.items[i], format);
    return -1;
  }
  if (count < least || count > most) {
    refuse(expression.place, "malformed-expression", head + " does not take " + std::to_string(count) + " operands",
           least == most ? std::to_string(least) : std::to_string(least) + " or more", shown(expression));
    return -1;
  }
  std::vector<int> operands;
  for (std::size_t i = 1; i <= count; ++i) operands.push_back(build(expression.items[i], format));
  if (format < 0 || std::find(operands.begin(), operands.end(), -1) != operands.end()) return -1;
  if (made.op == Op::subtract && count == 1) made.op = Op::negate;
  if (count > 2 && made.op != Op::fused_multiply_add) return sum_of_two_or_more(expression, made.op, operands, format);
  std::copy(operands.begin(), operands.end(), made.operands.begin());
  made.count = static_cast<int>(count);
  return node(made, expression);
}

// (+ a b c) is ((a + b) + c), and so for - * /.
int Builder::sum_of_two_or_more(const Sexp& expression, Op op, std::vector<int> operands, int format) {
  int left = operands[0];
  for (std::size_t i = 1; i < operands.size() && left >= 0; ++i) {
    Node made;
    made.op = op;
    made.format = format;
    made.operands = {left, operands[i], 0};
    made.count = 2;
    left = node(made, expression);
  }
  return left;
}

int Builder::power(const Sexp& expression, int format) {
  if (expression.items.size() != 3) {
    refuse(expression.place, "malformed-expression", "pow takes two operands", "", shown(expression));
    return -1;
  }
  const int base = build(expression.items[1], format);
  const auto exponent = real_value(expression.items[2], 100);
  const bool integer = exponent && exponent->lo == exponent->hi && denominator(exponent->lo) == 1 &&
                       abs(exponent->lo) <= greatest_exponent_of_power;
  if (!integer) {
    refuse(expression.items[2].place, "unsupported-operation", "pow is analysed for integer exponents", "-1000 to 1000",
           shown(expression.items[2]));
    return -1;
  }
  if (base < 0 || format < 0) return -1;
  Node made;
  made.op = Op::power;
  made.format = format;
  made.operands[0] = base;
  made.count = 1;
  made.exponent = static_cast<long>(numerator(exponent->lo));
  return node(made, expression);
}

int Builder::node(Node made, const Sexp& expression) {
  std::vector<const ConstantValue*> values;
  for (int i = 0; i < made.count; ++i) {
    const auto entry = constants_.find(made.operands[static_cast<std::size_t>(i)]);
    if (entry != constants_.end()) values.push_back(&entry->second);
  }
  if (values.size() == static_cast<std::size_t>(made.count))
    if (const auto value = folded(made.op, values, core_.formats[static_cast<std::size_t>(made.format)]))
      return constant(*value, made.format, expression);
  // a + b and b + a are the same number.
  if (made.op == Op::add || made.op == Op::multiply || made.op == Op::fused_multiply_add)
    if (made.operands[0] > made.operands[1]) std::swap(made.operands[0], made.operands[1]);
  const Key key{made.op, made.operands, made.format, made.function, made.exponent, made.count};
  const auto [entry, fresh] = known_.try_emplace(key, static_cast<int>(core_.nodes.size()));
  if (!fresh) return entry->second;
  if (core_.nodes.size() >= most_nodes) {
    if (core_.nodes.size() == most_nodes) {
      refuse(expression.place, "limit", "more operations than " + std::to_string(most_nodes));
      core_.nodes.push_back(made);
    }
    return -1;
  }
  made.text = shown(expression);
  made.place = expression.place;
  core_.nodes.push_back(made);
  return entry->second;
}

}  // namespace outward::fpcore
