// What the expressions of `compute numbers` and `compute intervals` have in common: a cursor, sums and products of
// operands, calls with arguments, refusals with the column. An evaluator derives from it, says what an operand is and
// carries out the operations; every step it pushes has a `text`.
#pragma once
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.hpp"
#include "formats/operations.hpp"

namespace outward::cli {

template <class StepData>
class Grammar {
 public:
  // All steps in the order of evaluation, the last one the result. Throws InputRefused.
  std::vector<StepData> run() {
    sum();
    skip();
    if (at_ != text_.size()) refuse("nothing of the expression may follow here");
    return std::move(steps_);
  }

 protected:
  using Step = std::size_t;  // index of the step that holds a result

  explicit Grammar(const std::string& text) : text_(text) {}
  ~Grammar() = default;

  virtual Step operand() = 0;  // reads what stands between + - * /
  virtual Step operation(Operation operation, const std::vector<Step>& operands, std::string text) = 0;

  [[noreturn]] void refuse(const std::string& what, const std::string& expected = "") const {
    const std::string found = at_ < text_.size() ? text_.substr(at_, 40) : "the end";
    throw InputRefused({"expression", "column " + std::to_string(at_ + 1), what, expected, found, "compute --help"});
  }
  // What is refused begins further left than where reading has come to.
  [[noreturn]] void refuse_from(std::size_t begin, const std::string& what, const std::string& expected = "") {
    at_ = begin;
    refuse(what, expected);
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string word_ahead() {
    skip();
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
      ++end;
    return text_.substr(at_, end - at_);
  }

  Step sum() {
    if (++depth_ > deepest) refuse("the expression is nested too deeply");
    Step left = product();
    for (char c = peek(); c == '+' || c == '-'; c = peek())
      left = binary(c == '+' ? Operation::add : Operation::subtract, left, &Grammar::product);
    --depth_;
    return left;
  }
  Step factor() {
    if (++depth_ > deepest) refuse("the expression is nested too deeply");
    const Step result = operand();
    --depth_;
    return result;
  }
  Step parenthesis() {  // its rest
    const Step inner = sum();
    if (!take(')')) refuse("a parenthesis is not closed", ")");
    return inner;
  }

  std::vector<Step> arguments(int count) {
    std::vector<Step> operands;
    for (int i = 0; i < count; ++i) {
      if (i > 0 && !take(',')) refuse("the function takes " + std::to_string(count) + " arguments", ",");
      operands.push_back(sum());
    }
    if (!take(')')) refuse("the function takes " + std::to_string(count) + " arguments", ")");
    return operands;
  }
  std::string call_text(const std::string& name, const std::vector<Step>& operands) const {
    std::string text = name + "(";
    for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? "" : ", ") + steps_[operands[i]].text;
    return text + ")";
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<StepData> steps_;

 private:
  static constexpr int deepest = 200;  // nesting

  Step product() {
    Step left = factor();
    for (char c = peek(); c == '*' || c == '/'; c = peek())
      left = binary(c == '*' ? Operation::multiply : Operation::divide, left, &Grammar::factor);
    return left;
  }
  Step binary(Operation code, Step left, Step (Grammar::*next)()) {
    const char sign = text_[at_++];
    const Step right = (this->*next)();
    return operation(code, {left, right}, "(" + steps_[left].text + " " + sign + " " + steps_[right].text + ")");
  }

  int depth_ = 0;
};

}  // namespace outward::cli
