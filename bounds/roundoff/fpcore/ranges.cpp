#include "bounds/roundoff/fpcore/ranges.hpp"

namespace outward::fpcore {
namespace {

constexpr long bits_of_bounds = 200;

void at_least(RealRange& range, const Rational& lo) {
  if (!range.lo || *range.lo < lo) range.lo = lo;
}
void at_most(RealRange& range, const Rational& hi) {
  if (!range.hi || *range.hi > hi) range.hi = hi;
}

bool mentions_variable(const Sexp& expression, const Ranges& ranges) {
  if (expression.kind == Sexp::Kind::symbol) return ranges.contains(expression.text);
  for (const Sexp& item : expression.items)
    if (mentions_variable(item, ranges)) return true;
  return false;
}

// A chain a <= b <= c ... : every constant bounds the variables on either side of it.
bool narrow_chain(const std::vector<Sexp>& arguments, bool rising, Ranges& ranges) {
  bool used = false, complete = true;
  std::vector<std::optional<ExactRange>> values;
  for (const Sexp& argument : arguments) {
    values.push_back(real_value(argument, bits_of_bounds));
    // A variable hides a constant of its name, wherever it stands.
    if (mentions_variable(argument, ranges)) values.back().reset();
    const bool variable = argument.kind == Sexp::Kind::symbol && ranges.contains(argument.text);
    complete = complete && (variable || values.back());
  }
  std::size_t variables = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto entry = arguments[i].kind == Sexp::Kind::symbol ? ranges.find(arguments[i].text) : ranges.end();
    if (entry == ranges.end()) continue;
    ++variables;
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      if (!values[j]) continue;
      used = true;
      if ((j < i) == rising)
        at_least(entry->second, values[j]->lo);
      else
        at_most(entry->second, values[j]->hi);
    }
  }
  return used && complete && variables == 1;
}

}  // namespace

void narrow(const Sexp& condition, Ranges& ranges, std::vector<std::string>& notes) {
  const std::string_view head = condition.head();
  if (condition.is_symbol("TRUE")) return;
  const std::vector<Sexp> arguments(condition.items.empty() ? condition.items.begin() : condition.items.begin() + 1,
                                    condition.items.end());
  if (head == "and") {
    for (const Sexp& part : arguments) narrow(part, ranges, notes);
    return;
  }
  bool whole = false;
  if (head == "<=" || head == "<")
    whole = narrow_chain(arguments, true, ranges);
  else if (head == ">=" || head == ">")
    whole = narrow_chain(arguments, false, ranges);
  else if (head == "==")
    whole = narrow_chain(arguments, true, ranges) && narrow_chain(arguments, false, ranges);
  if (!whole) notes.push_back("a condition is not used beyond ranges of single variables: " + shown(condition));
}

std::optional<std::pair<Rational, Rational>> range_of_text(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return std::nullopt;
  Sexp end;
  end.kind = Sexp::Kind::number;
  end.text = text.substr(0, comma);
  const auto lo = literal_value(end, bits_of_bounds);
  end.text = text.substr(comma + 1);
  const auto hi = literal_value(end, bits_of_bounds);
  if (!lo || !hi || lo->lo > hi->lo) return std::nullopt;
  return std::pair{lo->lo, hi->lo};
}

}  // namespace outward::fpcore
