#include "bounds/roundoff/fpcore/parse.hpp"

#include <algorithm>
#include <set>

#include "bounds/roundoff/fpcore/build.hpp"
#include "bounds/roundoff/fpcore/ranges.hpp"

namespace outward::fpcore {
namespace {

// (FPCore name? (argument ...) property ... body)
class CoreParser {
 public:
  CoreParser(const Sexp& list, const std::string& source, const ParseOptions& options, std::vector<Blocker>& blockers)
      : list_(list), options_(options), builder_(core_, blockers) {
    core_.source = source;
    if (list.items.size() > 1 && list.items[1].kind == Sexp::Kind::symbol) {
      core_.name = list.items[1].text;
      at_ = 2;
    }
    for (std::size_t i = at_ + 1; i + 1 < list.items.size(); ++i)
      if (list.items[i].is_symbol(":name") && (core_.name.empty() || list.items[i + 1].kind == Sexp::Kind::string))
        core_.name = list.items[i + 1].text;
  }

  const std::string& name() const { return core_.name; }

  Core run() {
    if (list_.items.size() < at_ + 2 || !list_.items[at_].is_list()) {
      builder_.refuse(list_.place, "malformed-expression", "an FPCore has arguments and a body",
                      "(FPCore (x) :pre (<= 0 x 1) (+ x 1))");
      return std::move(core_);
    }
    const std::vector<Sexp>& items = list_.items;
    const int written = builder_.rounding_context(items, at_ + 1, items.size() - 1, -2);
    int format = written == -2 ? builder_.format("binary64", list_.place) : written;
    if (!options_.format.empty()) format = builder_.format(options_.format, list_.place);
    Ranges ranges;
    std::vector<std::pair<const Sexp*, int>> arguments = this->arguments(ranges, format);
    for (std::size_t i = at_ + 1; i + 2 < items.size(); i += 2)
      if (items[i].is_symbol(":pre")) narrow(items[i + 1], ranges, core_.notes);
    override_ranges(ranges);
    for (const auto& [symbol, own] : arguments) variable(*symbol, own, ranges.at(symbol->text));
    core_.root = builder_.build(items.back(), format);
    drop_unused_nodes();
    return std::move(core_);
  }

 private:
  std::vector<std::pair<const Sexp*, int>> arguments(Ranges& ranges, int format) {
    std::vector<std::pair<const Sexp*, int>> found;
    for (const Sexp& argument : list_.items[at_].items) {
      const Sexp* symbol = &argument;
      int own = format;
      if (argument.head() == "!" && argument.items.size() >= 2) {
        symbol = &argument.items.back();
        own = builder_.rounding_context(argument.items, 1, argument.items.size() - 1, format);
      }
      if (symbol->kind != Sexp::Kind::symbol) {
        builder_.refuse(argument.place, "unsupported-argument", "an argument is the name of a number", "x",
                        shown(argument));
        continue;
      }
      if (!ranges.try_emplace(symbol->text).second)
        builder_.refuse(symbol->place, "malformed-expression", "two arguments have one name", "", symbol->text);
      else
        found.emplace_back(symbol, own);
    }
    if (found.size() > most_variables)
      builder_.refuse(list_.place, "limit", "more arguments than " + std::to_string(most_variables));
    return found;
  }

  void override_ranges(Ranges& ranges) {
    for (const auto& [name, text] : options_.ranges) {
      const auto entry = ranges.find(name);
      const auto range = range_of_text(text);
      if (entry == ranges.end()) continue;  // perhaps of another core; parse_cores knows
      if (range)
        entry->second = {range->first, range->second};
      else
        builder_.refuse(list_.place, "malformed-range", "a range is two numbers, the lower one first", "x=0,1",
                        name + "=" + text);
    }
  }

  void variable(const Sexp& symbol, int format, const RealRange& range) {
    Variable made;
    made.name = symbol.text;
    made.place = symbol.place;
    made.format = std::max(format, 0);
    if (!range.lo || !range.hi) {
      builder_.refuse(symbol.place, "unbounded-argument",
                      "no " +
                          std::string(range.lo   ? "upper"
                                      : range.hi ? "lower"
                                                 : "lower or upper") +
                          " bound of this argument is known",
                      ":pre (<= 0 " + symbol.text + " 1), or a range on the command line", symbol.text);
    } else if (*range.lo > *range.hi) {
      builder_.refuse(symbol.place, "empty-range", "no number satisfies the bounds of this argument", "", symbol.text);
    } else {
      made.range = span_of(*range.lo, *range.hi);
      made.range_text = "[" + decimal_text(*range.lo) + ", " + decimal_text(*range.hi) + "]";
      if (!made.range.bounded())
        builder_.refuse(symbol.place, "unbounded-argument", "the bounds of this argument are too large", "",
                        symbol.text);
    }
    builder_.define(symbol.text, builder_.add_variable(made));
  }

  // What the result does not depend on, inputs apart, is no part of the computation.
  void drop_unused_nodes() {
    if (core_.root < 0) return;
    const std::size_t count = core_.nodes.size();
    std::vector<char> used(count);
    std::vector<int> renamed(count, -1);
    used[static_cast<std::size_t>(core_.root)] = 1;
    for (std::size_t k = count; k-- > 0;)
      for (int i = 0; used[k] && i < core_.nodes[k].count; ++i)
        used[static_cast<std::size_t>(core_.nodes[k].operands[static_cast<std::size_t>(i)])] = 1;
    std::vector<Node> kept;
    for (std::size_t k = 0; k < count; ++k) {
      if (!used[k] && core_.nodes[k].op != Op::variable) continue;
      renamed[k] = static_cast<int>(kept.size());
      kept.push_back(core_.nodes[k]);
      for (int i = 0; i < kept.back().count; ++i) {
        int& operand = kept.back().operands[static_cast<std::size_t>(i)];
        operand = renamed[static_cast<std::size_t>(operand)];
      }
    }
    core_.root = renamed[static_cast<std::size_t>(core_.root)];
    core_.nodes = std::move(kept);
  }

  static std::string decimal_text(const Rational& x) {
    const std::string decimal = decimal_between(x, x);
    return decimal.empty() ? fraction_text(x) : decimal;
  }

  const Sexp& list_;
  const ParseOptions& options_;
  Core core_;
  Builder builder_;
  std::size_t at_ = 1;
};

void refuse_text(std::vector<Blocker>& blockers, const std::string& place, const std::string& what,
                 const std::string& found) {
  blockers.push_back(Blocker{"malformed-expression", place, what, "(FPCore (x) :pre (<= 0 x 1) (+ x 1))", found, ""});
}

}  // namespace

std::vector<Core> parse_cores(std::string_view text, const std::string& source, const ParseOptions& options) {
  std::vector<Blocker> blockers;
  std::vector<Core> cores;
  std::set<std::string> missing(options.only.begin(), options.only.end());
  std::set<std::string, std::less<>> arguments;
  const std::vector<Sexp> expressions = read_expressions(text, source);
  for (const Sexp& expression : expressions) {
    if (expression.head() != "FPCore") {
      refuse_text(blockers, where(source, expression.place), "this is no FPCore", shown(expression));
      continue;
    }
    CoreParser parser(expression, source, options, blockers);
    missing.erase(parser.name());
    if (!options.only.empty() &&
        std::find(options.only.begin(), options.only.end(), parser.name()) == options.only.end())
      continue;
    cores.push_back(parser.run());
    for (const Variable& variable : cores.back().variables) arguments.insert(variable.name);
  }
  if (expressions.empty()) refuse_text(blockers, source, "there is no expression", "");
  for (const std::string& name : missing)
    blockers.push_back(Blocker{"unknown-name", source, "there is no FPCore of this name", "", name, ""});
  if (blockers.empty())
    for (const auto& [name, range] : options.ranges)
      if (!arguments.contains(name))
        blockers.push_back(Blocker{"unknown-name", source, "there is no argument of this name", "", name, ""});
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
  return cores;
}

}  // namespace outward::fpcore
