// Recursive descent over + - * / , calls, literals; see the header.
#include "cli/compute_expression.hpp"

#include <cctype>
#include <utility>

#include "cli/compute_grammar.hpp"
#include "formats/format.hpp"
#include "formats/rounded.hpp"

namespace outward::cli {
namespace {

constexpr std::size_t longest_text = 200;
constexpr long greatest_power = 5000;  // exponent of a literal such as 3^-7 (2^n: any)

// Order of two exact numbers that are not NaN.
int order(const ExactNumber& a, const ExactNumber& b) {
  const auto rank = [](const ExactNumber& x) {
    return x.kind == ExactNumber::Kind::infinite ? (x.negative ? -1 : 1) : 0;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (rank(a) != 0) return 0;
  if (a.factor.sign() != b.factor.sign() || a.factor.is_zero())
    return a.factor.sign() < b.factor.sign() ? -1 : a.factor.sign() > b.factor.sign() ? 1 : 0;
  const std::int64_t gap = a.exponent - b.exponent;
  const auto size = [](const Rational& x) {
    return static_cast<std::int64_t>(msb(abs(numerator(x)))) - static_cast<std::int64_t>(msb(denominator(x)));
  };
  // Floor of log2 within one: a difference of more settles it without spelling out 2^gap.
  const std::int64_t tops = size(a.factor) + gap - size(b.factor);
  if (tops > 2 || tops < -2) return (tops > 0) == (a.factor > 0) ? 1 : -1;
  const Integer power = Integer(1) << static_cast<unsigned>(gap < 0 ? -gap : gap);
  const Rational left = gap > 0 ? Rational(a.factor * power) : a.factor,
                 right = gap < 0 ? Rational(b.factor * power) : b.factor;
  return left.compare(right);
}

class Evaluator final : public Grammar<ComputeStep> {
 public:
  Evaluator(const std::string& text, std::shared_ptr<const NumberFormat> format, Rounding rounding)
      : Grammar(text), format_(std::move(format)), rounding_(rounding) {}

 private:
  Step operand() override {
    const auto number_follows = [this] {
      const char next = peek();
      return std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '.' || literal_word(word_ahead());
    };
    if (take('-')) {
      if (number_follows()) return literal("-");  // -0.1 is rounded as one number
      const Step negated = factor();
      return operation(Operation::negate, {negated}, "-" + steps_[negated].text);
    }
    if (take('(')) return parenthesis();
    return number_follows() ? literal("") : call();
  }

  static bool literal_word(const std::string& word) {
    return word == "inf" || word == "infinity" || word == "nan" || word == "snan" || word == "nar";
  }

  // Digits, point and exponent, or a word with an optional "(0x..)" payload; then an optional ^integer.
  std::string scan_literal() {
    skip();
    const std::size_t begin = at_;
    std::string literal;
    const auto is_word = [this](std::size_t at) { return std::isalnum(static_cast<unsigned char>(text_[at])) != 0; };
    const bool letters = std::isalpha(static_cast<unsigned char>(peek())) != 0;
    const bool hexadecimal = text_.compare(at_, 2, "0x") == 0 || text_.compare(at_, 2, "0X") == 0;
    while (at_ < text_.size() && (is_word(at_) || text_[at_] == '.')) {
      literal += text_[at_++];
      const char last = literal.back();
      const bool exponent = hexadecimal ? last == 'p' || last == 'P' : !letters && (last == 'e' || last == 'E');
      if (exponent && at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) literal += text_[at_++];
    }
    if (letters && at_ < text_.size() && text_[at_] == '(') {
      const std::size_t close = text_.find(')', at_);
      if (close == std::string::npos) refuse("a parenthesis is not closed", ")");
      literal += text_.substr(at_, close + 1 - at_);
      at_ = close + 1;
    }
    if (hexadecimal && literal.find_first_of("pP") == std::string::npos)
      refuse_from(begin, "0x needs a binary exponent to be a number",
                  "0x10p0 for the number, bits(0x10) for the bit pattern");
    return literal;
  }

  Step literal(const std::string& sign) {
    skip();
    const std::size_t begin = at_;
    const std::string text = scan_literal();
    ComputeStep step{sign + text, format_, 0, {}, ""};
    if (take('^')) return power(begin, sign, text);
    const auto code = format_->from_text(step.text, rounding_, step.flags);
    if (!code) refuse_from(begin, "this is no number of the format: " + shown_text(step.text));
    step.code = *code;
    return push(std::move(step));
  }

  // base^exponent of integers, exact before it is rounded.
  Step power(std::size_t begin, const std::string& sign, const std::string& base) {
    const bool negative = take('-');
    const std::string digits = word_ahead();
    at_ += digits.size();
    const auto plain = [](const std::string& word, std::size_t most) {
      return !word.empty() && word.size() <= most && word.find_first_not_of("0123456789") == std::string::npos;
    };
    if (!plain(base, 100) || !plain(digits, 10))
      refuse_from(begin, "a power needs an integer base and an integer exponent", "2^-20, 10^6");
    const long exponent = std::stol(digits);
    ExactNumber exact;
    exact.negative = !sign.empty();
    if (base == "2") {
      exact.factor = 1;
      exact.exponent = negative ? -exponent : exponent;
    } else {
      if (exponent > greatest_power)
        refuse_from(begin, "the exponent of this power is too large", "at most 5000, or base 2");
      const Integer value = pow(Integer(base), static_cast<unsigned>(exponent));
      if (negative && value.is_zero()) refuse_from(begin, "zero has no negative power");
      exact.factor = negative ? Rational(Integer(1), value) : Rational(value);
    }
    if (exact.negative) exact.factor = -exact.factor;
    ComputeStep step{sign + base + "^" + (negative ? "-" : "") + digits, format_, 0, {}, ""};
    step.code = format_->from_exact(exact, rounding_, step.flags);
    return push(std::move(step));
  }

  Step call() {
    const std::string name = word_ahead();
    if (name.empty()) refuse("a number, a function or a parenthesis is missing");
    const std::size_t begin = at_;
    at_ += name.size();
    if (!take('(')) {
      refuse_from(begin, "this is neither a number nor a function");
    }
    if (name == "bits") return bits(begin);
    if (name == "cast") return cast();
    for (const OperationRow& row : operation_table()) {
      if (name != row.name) continue;
      const std::vector<Step> operands = arguments(row.operands);
      return operation(row.operation, operands, call_text(name, operands));
    }
    if (name == "compare") return compare(begin);
    if (const auto function = function_named(name)) {
      if (format_->family() != "binary") refuse_from(begin, "elementary functions exist for binary formats only");
      return elementary(*function, name);
    }
    refuse_from(begin, "there is no function of this name");
  }

  Step bits(std::size_t begin) {
    const std::string word = word_ahead();
    at_ += word.size();
    const bool good = word.size() > 2 && word.size() < 1200 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X') &&
                      word.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
    if (!good || !take(')')) refuse_from(begin, "a bit pattern is hexadecimal", "bits(0x3f)");
    const Integer code("0x" + word.substr(2));
    if (!code.is_zero() && msb(code) >= static_cast<unsigned>(format_->width()))
      refuse_from(begin, "the bit pattern has more bits than the format", std::to_string(format_->width()) + " bits");
    return push({"bits(" + word + ")", format_, code, {}, ""});
  }

  Step cast() {
    // The format may contain parentheses and commas of its own: it ends at the first comma outside them.
    std::size_t end = at_;
    for (int open = 0; end < text_.size() && (open > 0 || text_[end] != ','); ++end)
      open += text_[end] == '(' ? 1 : text_[end] == ')' ? -1 : 0;
    if (end == text_.size()) refuse("cast takes a format and an expression", "cast(bfloat16, 0.1)");
    const auto inner = parse_number_format(text_.substr(at_, end - at_));
    at_ = end + 1;
    const auto outer = std::exchange(format_, inner);
    const Step inside = sum();
    format_ = outer;
    if (!take(')')) refuse("a parenthesis is not closed", ")");
    ComputeStep step{"cast(" + inner->text() + ", " + steps_[inside].text + ")", format_, 0, {}, ""};
    step.code = format_->from_exact(inner->to_exact(steps_[inside].code), rounding_, step.flags);
    return push(std::move(step));
  }

  Step compare(std::size_t begin) {
    constexpr const char* alone = "compare gives a word, not a number: it can only be the whole expression";
    if (text_.find_first_not_of(" \t") != begin) refuse_from(begin, alone);
    const std::vector<Step> operands = arguments(2);
    const ExactNumber a = format_->to_exact(steps_[operands[0]].code), b = format_->to_exact(steps_[operands[1]].code);
    ComputeStep step{call_text("compare", operands), format_, 0, {}, "unordered"};
    if (a.kind != ExactNumber::Kind::nan && b.kind != ExactNumber::Kind::nan) {
      const int result = order(a, b);
      step.word = result < 0 ? "less" : result > 0 ? "greater" : "equal";
    }
    if (peek() != '\0') refuse_from(begin, alone);
    return push(std::move(step));
  }

  Step elementary(Function function, const std::string& name) {
    const std::vector<Step> argument = arguments(1);
    const Format format = parse_format(format_->text());
    ComputeStep step{call_text(name, argument), format_, 0, {}, ""};
    const Value x = decode(format, steps_[argument[0]].code);
    step.code = encode(format, elementary_function(format, function, x, rounding_, step.flags));
    return push(std::move(step));
  }

  Step operation(Operation op, const std::vector<Step>& operands, std::string text) override {
    std::vector<Integer> codes;
    for (Step each : operands) codes.push_back(steps_[each].code);
    ComputeStep step{std::move(text), format_, 0, {}, ""};
    step.code = format_->apply(op, codes, rounding_, step.flags);
    return push(std::move(step));
  }

  Step push(ComputeStep step) {
    step.text = shown_text(std::move(step.text));
    steps_.push_back(std::move(step));
    return steps_.size() - 1;
  }

  std::shared_ptr<const NumberFormat> format_;
  Rounding rounding_;
};

}  // namespace

std::string shown_text(std::string text) {
  constexpr std::string_view left_out = " ... ";
  if (text.size() <= longest_text) return text;
  const std::size_t half = (longest_text - left_out.size()) / 2;
  return text.substr(0, half).append(left_out).append(text, text.size() - half);
}

std::vector<ComputeStep> evaluate(const std::string& expression, std::shared_ptr<const NumberFormat> format,
                                  Rounding rounding) {
  return Evaluator(expression, std::move(format), rounding).run();
}

}  // namespace outward::cli
