// `compute intervals`: an expression over intervals, every literal and every operation enclosed outward in one format;
// see compute_commands.hpp. Fails where an end cannot be enclosed; never saturates.
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/common/number_text.hpp"
#include "cli/compute_commands.hpp"
#include "cli/compute_expression.hpp"
#include "cli/compute_grammar.hpp"
#include "formats/error.hpp"
#include "formats/families.hpp"
#include "formats/interval/any_interval.hpp"

namespace outward::cli {
namespace {

using Json = nlohmann::ordered_json;

struct IntervalStep {
  std::string text;
  AnyInterval value;
};

// "[0.1, 0.2]": each end as a number that reads back to it; and as exact fractions.
std::string value_text(const NumberFormat& format, const AnyInterval& x, bool exact) {
  if (x.is_empty) return "empty";
  const auto end = [&](const ExactNumber& e) {
    if (exact) return exact_text(e);
    if (e.kind == ExactNumber::Kind::infinite) return std::string(e.negative ? "-inf" : "inf");
    Flags flags;
    return format.value_text(format.from_exact(e, Rounding::nearest_even, flags));
  };
  return "[" + end(x.lo) + ", " + end(x.hi) + "]";
}

class IntervalEvaluator final : public Grammar<IntervalStep> {
 public:
  IntervalEvaluator(const std::string& text, const IntervalFormat& format) : Grammar(text), format_(format) {}

 private:
  // Enclosures that do not exist are told with the operation that would need them.
  template <class F>
  Step push(std::string text, F f) {
    text = shown_text(std::move(text));
    try {
      steps_.push_back({text, f()});
    } catch (const EnclosureFailure& failure) {
      throw InputRefused({"enclosure", text, failure.what(), "", "", "use a format with a wider range"});
    }
    return steps_.size() - 1;
  }
  Step operation(Operation code, const std::vector<Step>& operands, std::string text) override {
    std::vector<AnyInterval> x;
    for (Step i : operands) x.push_back(steps_[i].value);
    return push(std::move(text), [&] { return format_.apply(code, x); });
  }

  Step operand() override {
    const char next = peek();
    if (next == '[') return interval();
    if (starts_number()) {
      const std::size_t begin = at_;
      const auto [text, value] = number();
      if (value.kind != ExactNumber::Kind::number)
        refuse_from(begin, "an infinity is an end of an interval only", "[1, inf]");
      return push(text, [&, &point = value] { return format_.enclose(point, point); });
    }
    if (take('-')) {
      const Step negated = factor();
      return operation(Operation::negate, {negated}, "-" + steps_[negated].text);
    }
    return take('(') ? parenthesis() : call();
  }

  // A digit or a point, or a minus before one: -0.1 is one number.
  bool starts_number() {
    const char next = peek();
    const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; };
    return digit(next) || (next == '-' && digit(after));
  }
  // An exact number: decimal, hexadecimal, inf, with an optional sign.
  std::pair<std::string, ExactNumber> number() {
    skip();
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    const bool hexadecimal = text_.compare(at_, 2, "0x") == 0;
    while (at_ < text_.size()) {
      const char c = text_[at_], before = text_[at_ - (at_ > begin ? 1 : 0)];
      const bool sign = (c == '-' || c == '+') && at_ > begin &&
                        (hexadecimal ? before == 'p' || before == 'P' : before == 'e' || before == 'E');
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && !sign) break;
      ++at_;
    }
    const std::string literal = text_.substr(begin, at_ - begin);
    const auto exact = exact_literal(literal);
    if (!exact || exact->kind == ExactNumber::Kind::nan)
      refuse_from(begin, "this is no number", "0.1, -1e-3, 0x1.8p-3, or inf as an end");
    return {literal, *exact};
  }
  Step interval() {
    const std::size_t begin = at_;
    take('[');
    const auto [low, lo] = number();
    if (!take(',')) refuse("an interval has two ends", "[0.1, 0.2]");
    const auto [high, hi] = number();
    if (!take(']')) refuse("an interval ends with ]", "[0.1, 0.2]");
    const auto rank = [](const ExactNumber& x) {
      return x.kind == ExactNumber::Kind::number ? 0 : x.negative ? -1 : 1;
    };
    const bool reversed =
        rank(lo) == 0 && rank(hi) == 0 ? bounded_rational(lo) > bounded_rational(hi) : rank(lo) > 0 || rank(hi) < 0;
    if (reversed) refuse_from(begin, "the lower end of an interval is at most the upper one");
    return push("[" + low + ", " + high + "]", [&, &lower = lo, &upper = hi] { return format_.enclose(lower, upper); });
  }

  Step call() {
    const std::string name = word_ahead();
    if (name.empty()) refuse("a number, an interval, a function or a parenthesis is missing");
    const std::size_t begin = at_;
    at_ += name.size();
    if (!take('(')) refuse_from(begin, "this is neither a number nor a function");
    if (name == "pow") return power();
    static constexpr std::pair<const char*, Operation> rows[] = {
        {"add", Operation::add},     {"sub", Operation::subtract},     {"mul", Operation::multiply},
        {"div", Operation::divide},  {"sqrt", Operation::square_root}, {"fma", Operation::fused_multiply_add},
        {"min", Operation::minimum}, {"max", Operation::maximum},      {"neg", Operation::negate},
        {"abs", Operation::absolute}};
    for (const auto& [word, code] : rows) {
      if (name != word) continue;
      int count = 0;
      for (const OperationRow& row : operation_table())
        if (row.operation == code) count = row.operands;
      const std::vector<Step> operands = arguments(count);
      return operation(code, operands, call_text(name, operands));
    }
    if (const auto function = function_named(name)) {
      const std::vector<Step> argument = arguments(1);
      return push(call_text(name, argument), [&] { return format_.apply(*function, steps_[argument[0]].value); });
    }
    refuse_from(begin, "there is no function of this name on intervals");
  }
  // pow(x, n), n an integer.
  Step power() {
    const Step base = sum();
    if (!take(',')) refuse("pow takes an interval and an integer", "pow(x, 3)");
    const bool negative = take('-');
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string digits = text_.substr(begin, at_ - begin);
    if (digits.empty() || digits.size() > 6) refuse("the power is an integer of up to 6 digits", "pow(x, 3)");
    if (!take(')')) refuse("a parenthesis is not closed", ")");
    const std::int64_t n = (negative ? -1 : 1) * std::stol(digits);
    return push("pow(" + steps_[base].text + ", " + std::to_string(n) + ")",
                [&] { return format_.power(steps_[base].value, n); });
  }

  const IntervalFormat& format_;
};

}  // namespace

int compute_intervals(const ComputeOptions& options) {
  const auto format = parse_number_format(options.format);
  const auto intervals = interval_format(format);
  const std::vector<IntervalStep> steps = IntervalEvaluator(options.expression, *intervals).run();
  const AnyInterval& result = steps.back().value;
  if (options.json) {
    const auto interval_json = [&](const AnyInterval& x) {
      if (x.is_empty) return Json(nullptr);
      return Json::array({exact_text(x.lo), exact_text(x.hi)});
    };
    Json list = Json::array();
    for (const IntervalStep& step : steps)
      list.push_back({{"text", step.text},
                      {"value", value_text(*format, step.value, false)},
                      {"exact", interval_json(step.value)}});
    print_json({{"expression", options.expression},
                {"format", format->text()},
                {"value", value_text(*format, result, false)},
                {"exact", interval_json(result)},
                {"steps", list}});
    return exit_holds;
  }
  std::printf("%s\n", value_text(*format, result, false).c_str());
  if (!result.is_empty) std::printf("exact  %s\n", value_text(*format, result, true).c_str());
  std::printf("in     %s, ends rounded outward\n", format->text().c_str());
  for (const IntervalStep& step : steps)
    std::printf("  %s = %s\n", step.text.c_str(), value_text(*format, step.value, false).c_str());
  return exit_holds;
}

}  // namespace outward::cli
