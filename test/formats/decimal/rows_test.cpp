// Decimal arithmetic against the decTest rows of the package libpython3.11-testsuite (Debian): every row of the files
// for decimal64, decimal128 and the decimal32 encoding, and the general files with their own precisions and exponents.
// Assumes the package's path; prints SKIPPED without it. Rows in rounding directions that are not of IEEE 754 and rows
// of elementary functions are counted apart. Values, cohort members, NaN payloads, codes and the five flags must agree.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

#include "formats/decimal/codec.hpp"

namespace {

namespace fs = std::filesystem;
using namespace outward;
using outward::decimal::Context;
using outward::decimal::Encoding;
using outward::decimal::Number;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < line.size();) {
    if (std::isspace(static_cast<unsigned char>(line[i]))) {
      ++i;
      continue;
    }
    if (line.compare(i, 2, "--") == 0) break;
    std::string word;
    if (line[i] == '\'' || line[i] == '"') {
      const char quote = line[i++];
      while (i < line.size()) {
        if (line[i] == quote) {
          if (i + 1 < line.size() && line[i + 1] == quote)
            ++i;
          else
            break;
        }
        word += line[i++];
      }
      ++i;
    } else {
      while (i < line.size() && !std::isspace(static_cast<unsigned char>(line[i]))) word += line[i++];
    }
    all.push_back(word);
  }
  return all;
}

struct Skip {};

// The state that directives set, and what one row needs.
struct Runner {
  int width = 0;  // 32, 64, 128 in the files of a format, else 0
  Context context{9, 999999999, -999999999, false, true, Rounding::nearest_even};
  bool ieee_rounding = true;

  void directive(const std::string& name, const std::string& value) {
    if (name == "precision:") context.precision = std::stoll(value);
    if (name == "maxexponent:") context.emax = std::stoll(value);
    if (name == "minexponent:") context.emin = std::stoll(value);
    if (name == "clamp:") context.clamp = value == "1";
    if (name == "rounding:") {
      const std::map<std::string, Rounding> directions{{"half_even", Rounding::nearest_even},
                                                       {"half_up", Rounding::nearest_away},
                                                       {"down", Rounding::toward_zero},
                                                       {"ceiling", Rounding::up},
                                                       {"floor", Rounding::down},
                                                       {"05up", Rounding::to_odd}};
      const auto found = directions.find(lower(value));
      ieee_rounding = found != directions.end();
      if (ieee_rounding) context.rounding = found->second;
    }
  }

  Number operand(const std::string& text, Flags& flags) const {
    if (text == "#" || (text.find('#') != std::string::npos && (width == 0 || text[0] != '#'))) throw Skip{};
    if (text[0] == '#') return decimal::decode(Integer("0x" + text.substr(1)), width, Encoding::dpd);
    const auto x = decimal::parse(text);
    if (x) return *x;
    flags.invalid = true;
    return {decimal::Kind::quiet_nan, false, 0, 0};
  }

  Number zero_like(const Number& x) const { return {decimal::Kind::finite, false, 0, x.exponent}; }

  Number number_result(const std::string& op, const std::vector<Number>& x, Flags& f) const {
    const Context& c = context;
    const auto integer = [](int n) { return Number{decimal::Kind::finite, n < 0, n < 0 ? -n : n, 0}; };
    if (op == "add") return decimal::add(x[0], x[1], c, f);
    if (op == "subtract") return decimal::subtract(x[0], x[1], c, f);
    if (op == "multiply") return decimal::multiply(x[0], x[1], c, f);
    if (op == "divide") return decimal::divide(x[0], x[1], c, f);
    if (op == "divideint") return decimal::divide_integer(x[0], x[1], c, f);
    if (op == "remainder") return decimal::remainder_truncated(x[0], x[1], c, f);
    if (op == "remaindernear") return decimal::remainder_near(x[0], x[1], c, f);
    if (op == "squareroot") return decimal::square_root(x[0], c, f);
    if (op == "fma") return decimal::fused_multiply_add(x[0], x[1], x[2], c, f);
    if (op == "quantize") return decimal::quantize(x[0], x[1], c, f);
    if (op == "rescale") {
      if (x[0].is_nan() || x[1].is_nan() || x[0].is_infinite() || x[1].is_infinite())
        return decimal::quantize(x[0], x[1], c, f);
      if (x[1].exponent > 1000 || x[1].exponent < -1000) throw Skip{};
      const Rational exponent = decimal::to_rational(x[1]);
      if (denominator(exponent) != 1) {
        f.invalid = true;
        return {decimal::Kind::quiet_nan, false, 0, 0};
      }
      return decimal::quantize(
          x[0], {decimal::Kind::finite, false, 1, Integer(numerator(exponent)).convert_to<std::int64_t>()}, c, f);
    }
    if (op == "plus") return decimal::add(zero_like(x[0]), x[0], c, f);
    if (op == "minus") return decimal::subtract(zero_like(x[0]), x[0], c, f);
    if (op == "abs") {
      Number magnitude = x[0];
      if (!magnitude.is_nan()) magnitude.negative = false;
      return decimal::convert(magnitude, c, f);
    }
    if (op == "reduce") {
      Number reduced = decimal::reduce(x[0], c, f);
      return reduced;
    }
    if (op == "max") return decimal::maximum_number(x[0], x[1], false, c, f);
    if (op == "min") return decimal::minimum_number(x[0], x[1], false, c, f);
    if (op == "maxmag") return decimal::maximum_number(x[0], x[1], true, c, f);
    if (op == "minmag") return decimal::minimum_number(x[0], x[1], true, c, f);
    if (op == "nextplus") return decimal::next_up(x[0], c, f);
    if (op == "nextminus") return decimal::next_down(x[0], c, f);
    if (op == "nexttoward") return decimal::next_toward(x[0], x[1], c, f);
    if (op == "logb") return decimal::log_b(x[0], c, f);
    if (op == "scaleb") return decimal::scale_b(x[0], x[1], c, f);
    if (op == "tointegral") return decimal::round_to_integral(x[0], c, f);
    if (op == "tointegralx") return decimal::round_to_integral_exact(x[0], c, f);
    if (op == "and") return decimal::logical(decimal::Logic::conjunction, x[0], x[1], c, f);
    if (op == "or") return decimal::logical(decimal::Logic::disjunction, x[0], x[1], c, f);
    if (op == "xor") return decimal::logical(decimal::Logic::exclusive, x[0], x[1], c, f);
    if (op == "invert") return decimal::invert(x[0], c, f);
    if (op == "shift") return decimal::shift(x[0], x[1], false, c, f);
    if (op == "rotate") return decimal::shift(x[0], x[1], true, c, f);
    if (op == "compare" || op == "comparesig") {
      const auto order = decimal::compare(x[0], x[1], op == "comparesig", f);
      return order ? integer(*order) : decimal::add(x[0], x[1], c, f);
    }
    if (op == "comparetotal") return integer(decimal::total_order(x[0], x[1]));
    if (op == "comparetotmag") return integer(decimal::total_order_magnitude(x[0], x[1]));
    if (op == "samequantum") return integer(decimal::same_quantum(x[0], x[1]) ? 1 : 0);
    Number copy = x[0];
    if (op == "copyabs") copy.negative = false;
    if (op == "copynegate") copy.negative = !copy.negative;
    if (op == "copysign") copy.negative = x[1].negative;
    if (op == "copy" || op == "canonical" || op == "copyabs" || op == "copynegate" || op == "copysign") return copy;
    throw Skip{};
  }

  // The text the row's result is compared with.
  std::string result(const std::string& op, const std::vector<std::string>& operands, bool as_code,
                     Flags& flags) const {
    if (op == "tosci" || op == "toeng" || op == "apply") {
      Number x;
      if (operands[0][0] == '#') {
        x = operand(operands[0], flags);
      } else {
        const auto read = decimal::parse(operands[0], context, flags);
        if (!read) flags.invalid = true;
        x = read.value_or(Number{decimal::Kind::quiet_nan, false, 0, 0});
      }
      if (as_code) return code_text(x);
      return op == "toeng" ? decimal::engineering_text(x) : decimal::scientific_text(x);
    }
    std::vector<Number> x;
    for (const std::string& text : operands) x.push_back(operand(text, flags));
    if (op == "class") return decimal::class_text(x[0], context);
    if (op.starts_with("copy") && as_code && operands[0][0] == '#')
      return copied_code(op, operands[0], x.back().negative);
    const Number value = number_result(op, x, flags);
    return as_code ? code_text(value) : decimal::scientific_text(value);
  }

  // copy, copyabs, copynegate and copysign act on codes: bits that are not canonical stay.
  static std::string copied_code(const std::string& op, std::string code, bool negative_other) {
    int first = std::stoi(code.substr(1, 1), nullptr, 16);
    if (op == "copyabs") first &= 7;
    if (op == "copynegate") first ^= 8;
    if (op == "copysign") first = (first & 7) | (negative_other ? 8 : 0);
    code[1] = "0123456789abcdef"[first];
    return lower(code);
  }

  std::string code_text(const Number& x) const {
    std::string hex = decimal::encode(x, width, Encoding::dpd).str(0, std::ios::hex);
    hex.insert(0, static_cast<std::size_t>(width / 4) - hex.size(), '0');
    return "#" + lower(hex);
  }
};

Flags expected_flags(const std::vector<std::string>& names) {
  Flags flags;
  for (const std::string& raw : names) {
    const std::string name = lower(raw);
    flags.invalid |= name == "invalid_operation" || name == "conversion_syntax" || name == "division_undefined" ||
                     name == "division_impossible";
    flags.divide_by_zero |= name == "division_by_zero";
    flags.overflow |= name == "overflow";
    flags.underflow |= name == "underflow";
    flags.inexact |= name == "inexact";
  }
  return flags;
}

struct Count {
  int rows = 0, equal = 0, other_rounding = 0, not_here = 0;
};

Count run_file(const fs::path& path) {
  Runner runner;
  const std::string stem = path.stem().string();
  if (stem.starts_with("ds")) runner.width = 32;
  if (stem.starts_with("dd")) runner.width = 64;
  if (stem.starts_with("dq")) runner.width = 128;
  Count count;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> all = words(line);
    if (all.empty()) continue;
    if (all.size() >= 2 && all[0].back() == ':') {
      runner.directive(lower(all[0]), all[1]);
      continue;
    }
    const auto arrow = std::find(all.begin(), all.end(), "->");
    if (arrow == all.end() || arrow + 1 == all.end() || all.size() < 4) continue;
    ++count.rows;
    if (!runner.ieee_rounding) {
      ++count.other_rounding;
      continue;
    }
    const std::string op = lower(all[1]), wanted = arrow[1];
    const std::vector<std::string> operands(all.begin() + 2, arrow);
    Flags flags;
    std::string got;
    // Two rows about the 32-bit exponents of the program that the files were written for.
    if (all[0] == "scbx164" || all[0] == "scbx165") {
      ++count.not_here;
      continue;
    }
    try {
      if (wanted == "?" || (wanted.find('#') != std::string::npos && runner.width == 0) ||
          runner.context.precision > 100000)
        throw Skip{};
      got = runner.result(op, operands, wanted[0] == '#', flags);
    } catch (const Skip&) {
      ++count.not_here;
      continue;
    }
    const Flags want = expected_flags({arrow + 2, all.end()});
    const bool same = lower(got) == lower(wanted) && flags == want;
    count.equal += same;
    const std::string report = stem + ": " + line + " | got " + got + (flags == want ? "" : " (other flags)");
    CHECK_MESSAGE(same, report);
  }
  return count;
}

}  // namespace

TEST_CASE("decimal arithmetic equals the decTest rows") {
  const char* asked = std::getenv("OUTWARD_DECTEST");
  const fs::path folder = asked != nullptr ? asked : "/usr/lib/python3.11/test/decimaltestdata";
  if (!fs::exists(folder)) {
    std::cout << "SKIPPED: decTest rows, " << folder.string()
              << " is absent (package libpython3.11-testsuite, or OUTWARD_DECTEST)\n";
    return;
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  Count all;
  for (const fs::path& path : paths) {
    const Count count = run_file(path);
    if (count.rows == 0) continue;
    std::cout << "decTest " << path.stem().string() << ": " << count.equal << " equal of " << count.rows << " rows, "
              << count.other_rounding << " in other rounding directions, " << count.not_here << " not offered here\n";
    all.rows += count.rows;
    all.equal += count.equal;
    all.other_rounding += count.other_rounding;
    all.not_here += count.not_here;
  }
  std::cout << "decTest: " << all.equal << " of " << all.rows << " rows equal; left out " << all.other_rounding
            << " (directions) and " << all.not_here << " (operations)\n";
  CHECK(all.equal == all.rows - all.other_rounding - all.not_here);
  CHECK(all.equal >= 57342);
}
