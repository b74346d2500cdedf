// The interval tests of ITF1788 (IEEE 1788) over binary64. Every undecorated row of an operation that exists here is
// run; the others are counted by name. Results must be equal: the rows state the least enclosure.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "formats/interval/interval.hpp"
#include "formats/text.hpp"

using namespace outward;

namespace {

const Format f64;

struct Statement {
  std::string operation;
  std::vector<std::string> operands, results;  // words; an interval is one word without blanks
};

std::string cases_folder() {
  const char* set = std::getenv("OUTWARD_CASES");
  std::string folder = set != nullptr ? set : OUTWARD_SOURCE_DIR "/../shared/cases";
  return folder.append("/itf1788");
}

std::string without_comments(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "/*") == 0) {
      i = text.find("*/", i) + 1;
    } else if (text.compare(i, 2, "//") == 0) {
      i = text.find('\n', i);
      if (i == std::string::npos) break;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<Statement> statements(const std::string& path) {
  std::ifstream in(path);
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string text = without_comments(buffer.str());
  std::vector<Statement> out;
  Statement now;
  std::string word;
  bool after = false, bracket = false;
  const auto flush = [&] {
    if (word.empty()) return;
    if (word == "testcase") {
      now = {};
    } else if (now.operation.empty()) {
      now.operation = word;
    } else {
      (after ? now.results : now.operands).push_back(word);
    }
    word.clear();
  };
  for (const char c : text) {
    if (c == '[') bracket = true;
    if (c == ']') bracket = false;
    if (c == '{') {
      now = {};
      word.clear();
    } else if (c == ';') {
      flush();
      out.push_back(now);
      now = {};
      after = false;
    } else if (c == '}') {
      word.clear();
    } else if (c == '=' && !bracket) {
      flush();
      after = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!bracket) flush();
    } else {
      word += c;
    }
  }
  return out;
}

// Literals that are no binary64 number mean the nearest one.
std::optional<Value> number(const std::string& text) {
  Flags flags;
  return parse_value(f64, text, Rounding::nearest_even, flags);
}

std::optional<Interval> interval(const std::string& word) {
  if (word.size() < 2 || word.front() != '[' || word.back() != ']') return std::nullopt;  // decorated: ends otherwise
  const std::string inside = word.substr(1, word.size() - 2);
  if (inside == "empty") return Interval();
  if (inside == "entire") return entire(f64);
  const std::size_t comma = inside.find(',');
  const std::string left = inside.substr(0, comma),
                    right = comma == std::string::npos ? left : inside.substr(comma + 1);
  const auto lo = number(left), hi = number(right);
  if (!lo || !hi || lo->is_nan() || hi->is_nan()) return std::nullopt;
  return Interval(*lo, *hi);
}

using Operands = std::vector<Interval>;
std::map<std::string, std::function<Interval(const Operands&)>> operations() {
  std::map<std::string, std::function<Interval(const Operands&)>> out;
  out["pos"] = [](const Operands& x) { return x[0]; };
  out["neg"] = [](const Operands& x) { return negate(f64, x[0]); };
  out["add"] = [](const Operands& x) { return add(f64, x[0], x[1]); };
  out["sub"] = [](const Operands& x) { return subtract(f64, x[0], x[1]); };
  out["mul"] = [](const Operands& x) { return multiply(f64, x[0], x[1]); };
  out["div"] = [](const Operands& x) { return divide(f64, x[0], x[1]); };
  out["recip"] = [](const Operands& x) { return reciprocal(f64, x[0]); };
  out["sqr"] = [](const Operands& x) { return square(f64, x[0]); };
  out["sqrt"] = [](const Operands& x) { return square_root(f64, x[0]); };
  out["fma"] = [](const Operands& x) { return fused_multiply_add(f64, x[0], x[1], x[2]); };
  out["abs"] = [](const Operands& x) { return absolute(f64, x[0]); };
  out["min"] = [](const Operands& x) { return minimum(x[0], x[1]); };
  out["max"] = [](const Operands& x) { return maximum(x[0], x[1]); };
  out["sign"] = [](const Operands& x) { return sign(f64, x[0]); };
  out["intersection"] = [](const Operands& x) { return intersection(x[0], x[1]); };
  out["convexHull"] = [](const Operands& x) { return hull(x[0], x[1]); };
  const std::pair<const char*, Rounding> integral[] = {{"ceil", Rounding::up},
                                                       {"floor", Rounding::down},
                                                       {"trunc", Rounding::toward_zero},
                                                       {"roundTiesToEven", Rounding::nearest_even},
                                                       {"roundTiesToAway", Rounding::nearest_away}};
  for (const auto& [name, rounding] : integral)
    out[name] = [rounding = rounding](const Operands& x) { return round_to_integral(f64, x[0], rounding); };
  for (const FunctionRow& row : function_table())
    out[row.name] = [function = row.function](const Operands& x) { return apply(f64, function, x[0]); };
  return out;
}

using Relation = std::function<bool(const Operands&)>;
std::map<std::string, Relation> relations() {
  return {{"isEmpty", [](const Operands& x) { return x[0].is_empty(); }},
          {"isSingleton", [](const Operands& x) { return x[0].is_point(); }},
          {"isEntire", [](const Operands& x) { return same(x[0], entire(f64)); }},
          {"isCommonInterval", [](const Operands& x) { return !x[0].is_empty() && x[0].is_bounded(); }},
          {"equal", [](const Operands& x) { return same(x[0], x[1]); }},
          {"subset", [](const Operands& x) { return subset(x[0], x[1]); }},
          {"disjoint", [](const Operands& x) { return intersection(x[0], x[1]).is_empty(); }}};
}

std::string text_of(const Interval& x) {
  if (x.is_empty()) return "[empty]";
  return "[" + hexadecimal_text(x.lower()) + ", " + hexadecimal_text(x.upper()) + "]";
}

}  // namespace

TEST_CASE("ITF1788 rows over binary64") {
  if (!std::filesystem::exists(cases_folder())) {
    MESSAGE("SKIPPED: no ITF1788 cases at " << cases_folder());
    return;
  }
  const auto table = operations();
  const auto relation_table = relations();
  std::map<std::string, long> run, skipped;
  long rows = 0, equal = 0;
  for (const char* file : {"elem", "set", "num", "bool", "cancel", "overlap", "rec_bool", "reduction"}) {
    for (const Statement& s : statements(cases_folder() + "/libieeep1788_" + file + ".itl")) {
      ++rows;
      const bool power_row = s.operation == "pown" && s.operands.size() == 2;
      const auto operation = table.find(s.operation);
      Operands operands;
      for (std::size_t i = 0; i < s.operands.size() - (power_row ? 1 : 0); ++i)
        if (const auto x = interval(s.operands[i])) operands.push_back(*x);
      const bool plain = operands.size() + (power_row ? 1 : 0) == s.operands.size();
      const auto relation = relation_table.find(s.operation);
      if (plain && relation != relation_table.end() && s.results.size() == 1) {
        ++run[s.operation];
        const bool right = relation->second(operands) == (s.results[0] == "true");
        CHECK_MESSAGE(right, s.operation << " " << s.operands[0]);
        equal += right ? 1 : 0;
        continue;
      }
      const auto expected = s.results.size() == 1 ? interval(s.results[0]) : std::nullopt;
      if (!plain || !expected || (operation == table.end() && !power_row)) {
        const bool decorated = s.operands.size() > 0 && s.operands[0].find("]_") != std::string::npos;
        ++skipped[decorated ? "decorated rows" : s.operation];
        continue;
      }
      ++run[s.operation];
      const Interval got = power_row ? power(f64, operands[0], std::stol(s.operands[1])) : operation->second(operands);
      std::string words;
      for (const std::string& w : s.operands) words += " " + w;
      CHECK_MESSAGE(same(got, *expected), s.operation << words << " = " << s.results[0] << " but got " << text_of(got));
      equal += same(got, *expected) ? 1 : 0;
    }
  }
  long done = 0;
  std::string names;
  for (const auto& [name, count] : run) {
    done += count;
    names += " " + name + " " + std::to_string(count);
  }
  std::string left;
  for (const auto& [name, count] : skipped) left += " " + name + " " + std::to_string(count);
  std::printf("ITF1788: %ld rows, %ld run, %ld equal:%s\nITF1788 skipped:%s\n", rows, done, equal, names.c_str(),
              left.c_str());
  CHECK(done >= 1700);
}
