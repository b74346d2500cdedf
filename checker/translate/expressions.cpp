// Expressions over intervals: see expressions.hpp.
#include "checker/readers/readers.hpp"
#include "checker/translate/expressions.hpp"

#include "checker/readers/json.hpp"

namespace outward_check::torchlean {

namespace {

constexpr int most_nested = 100;
constexpr std::uint64_t greatest_power = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

class ExpressionParser {
 public:
  ExpressionParser(const JsonText& at, const ExpressionRules& rules, Expression* to)
      : at_(at), rest_(at.text), rules_(rules), to_(*to) {}

  void whole() {
    additive(0);
    if (peek() != '\0') fail("the end or an operator");
  }

 private:
  using Op = Expression::Op;
  const JsonText& at_;
  std::string_view rest_;
  const ExpressionRules& rules_;
  Expression& to_;

  [[noreturn]] void fail(const std::string& expected) const {
    malformed(at_, "the expression: expected " + expected + " before " + json_string(rest_.substr(0, 20)));
  }
  char peek() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\n')) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::size_t add(Op op, std::size_t left, std::size_t right = 0, const Enclosure& value = {}) {
    if (to_.items_.size() == 10000) fail("no more than 10000 operations");
    to_.items_.push_back({op, left, right, value});
    return to_.items_.size() - 1;
  }
  template <class Accepts>
  std::string word(const Accepts& accepts) {
    std::string out;
    for (; !rest_.empty() && accepts(rest_[0]); rest_.remove_prefix(1)) out += rest_[0];
    return out;
  }

  std::size_t additive(int depth) {
    if (depth > most_nested) fail("no deeper nesting");
    std::size_t left = multiplicative(depth);
    for (;;) {
      if (take('+')) {
        left = add(Op::add, left, multiplicative(depth));
      } else if (take('-')) {
        left = add(Op::subtract, left, multiplicative(depth));
      } else {
        return left;
      }
    }
  }
  std::size_t multiplicative(int depth) {
    std::size_t left = unary(depth);
    for (;;) {
      if (peek() == '/' && !rules_.division) refuse_unsupported("the expression has a division, outside its grammar");
      if (peek() == '=') refuse_unsupported("the expression has an equals sign, outside its grammar");
      if (take('*')) {
        left = add(Op::multiply, left, unary(depth));
      } else if (take('/')) {
        left = add(Op::divide, left, unary(depth));
      } else {
        return left;
      }
    }
  }
  std::size_t unary(int depth) {
    if (depth > most_nested) fail("no deeper nesting");
    if (take('-')) return add(Op::negate, unary(depth + 1));
    const std::size_t base = atom(depth);
    if (!take('^')) return base;
    peek();
    const std::string digits = word(is_digit);
    if (digits.empty()) fail("a natural number");
    if (digits.size() > 3 || std::stoull(digits) > greatest_power)
      refuse_unsupported("the expression has a power above " + std::to_string(greatest_power));
    return add(Op::power, base, std::stoull(digits));
  }
  std::size_t atom(int depth) {
    if (take('(')) {
      const std::size_t inside = additive(depth + 1);
      if (!take(')')) fail("`)`");
      return inside;
    }
    const char c = peek();
    if (is_digit(c) || c == '.') return number();
    if (!is_letter(c)) fail("a number, a name or `(`");
    const std::string name = word([](char x) { return is_letter(x) || is_digit(x); });
    if (const auto v = rules_.variables.find(name); v != rules_.variables.end()) return add(Op::variable, 0, v->second);
    return rules_.functions ? special(name, depth) : unknown(name);
  }
  [[noreturn]] std::size_t unknown(const std::string& name) const {
    refuse_unsupported("the expression has the unknown name " + json_string(name));
  }
  std::size_t number() {
    const std::string text = word([](char x) { return is_digit(x) || x == '.'; });
    Fraction exact;
    if (!parse_decimal(text, &exact)) fail("a decimal number instead of " + text);
    return add(Op::constant, 0, 0, hull(point(exact), point(binary64_nearest(exact))));
  }
  std::size_t special(const std::string& name, int depth) {
    if (name == "pi") {
      const BigInt unit = BigInt::power_of_ten(15);
      return add(Op::constant, 0, 0,
                 {Fraction(BigInt(3141592653589793), unit), Fraction(BigInt(3141592653589794), unit)});
    }
    constexpr std::pair<const char*, Op> known[] = {
        {"sin", Op::sin}, {"cos", Op::cos}, {"exp", Op::exp}, {"log", Op::log}};
    for (const auto& [text, op] : known) {
      if (name != text) continue;
      if (!take('(')) fail("`(` after " + name);
      const std::size_t inside = additive(depth + 1);
      if (!take(')')) fail("`)`");
      return add(op, inside);
    }
    unknown(name);
  }
};

Expression::Expression(const JsonText& at, const ExpressionRules& rules) { ExpressionParser(at, rules, this).whole(); }

bool Expression::uses(std::size_t variable) const {
  for (const Item& item : items_)
    if (item.op == Op::variable && item.right == variable) return true;
  return false;
}

std::optional<Enclosure> Expression::over(const std::vector<Enclosure>& variables, std::uint64_t bits) const {
  std::vector<Enclosure> values;
  const Fraction too_far(1 << 20);
  for (const Item& item : items_) {
    const auto left = [&]() -> const Enclosure& { return values[item.left]; };
    const auto right = [&]() -> const Enclosure& { return values[item.right]; };
    Enclosure value = item.value;
    switch (item.op) {
      case Op::constant:
        break;
      case Op::variable:
        value = variables[item.right];
        break;
      case Op::add:
        value = sum(left(), right());
        break;
      case Op::subtract:
        value = sum(left(), negated(right()));
        break;
      case Op::multiply:
        value = product(left(), right());
        break;
      case Op::divide:
        if (has_zero(right())) return {};
        value = product(left(), reciprocal(right(), bits));
        break;
      case Op::negate:
        value = negated(left());
        break;
      case Op::power:
        value = power(left(), item.right);
        break;
      case Op::sin:
        value = sin(left(), bits);
        break;
      case Op::cos:
        value = cos(left(), bits);
        break;
      case Op::exp:
        if (left().hi > too_far) return {};
        value = exp(left(), bits);
        break;
      case Op::log:
        if (left().lo.sign() <= 0) return {};
        value = log(left(), bits);
        break;
    }
    values.push_back(outward(value, 4 * bits));
  }
  return values.back();
}

}  // namespace outward_check::torchlean
