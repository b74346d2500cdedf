// VNN-LIB 1.0: the property a text means (certificates/FORMAT.md section 4).
#include <doctest/doctest.h>

#include <functional>
#include <random>

#include "importers/vnnlib/vnnlib.hpp"
#include "runtime/graph/graph.hpp"

using namespace outward;

namespace {

std::string declarations(int inputs, int outputs) {
  std::string text;
  for (int i = 0; i < inputs; ++i) text += "(declare-const X_" + std::to_string(i) + " Real)\n";
  for (int j = 0; j < outputs; ++j) text += "(declare-const Y_" + std::to_string(j) + " Real)\n";
  return text;
}

// Two inputs in [-1, 1], two outputs, and the given assertions.
Property unit_box(const std::string& assertions) {
  return parse_vnnlib(declarations(2, 2) +
                          "(assert (<= X_0 1)) (assert (>= X_0 -1)) (assert (<= X_1 1)) (assert (>= X_1 -1))\n" +
                          assertions,
                      "test.vnnlib", 2, 2);
}

// "< 0:1 1:-2 3" as in the digest.
std::string shown(const Row& row) {
  std::string text = row.strict ? "<" : "<=";
  for (const auto& [j, b] : row.terms) text += " " + std::to_string(j) + ":" + b.str();
  return text + " " + row.constant.str();
}

std::string only_row(const std::string& assertion) {
  const Property p = unit_box("(assert " + assertion + ")");
  REQUIRE(p.cases.size() == 1);
  REQUIRE(p.cases[0].rows.size() == 1);
  return shown(p.cases[0].rows[0]);
}

std::string shown(const InputRange& r) {
  return fraction_text(r.lo) + (r.lo_strict ? "!" : "") + " " + fraction_text(r.hi) + (r.hi_strict ? "!" : "");
}

}  // namespace

TEST_CASE("comparisons of outputs become integer rows") {
  CHECK(only_row("(<= Y_0 Y_1)") == "<= 0:1 1:-1 0");
  CHECK(only_row("(>= Y_0 Y_1)") == "<= 0:-1 1:1 0");
  CHECK(only_row("(< Y_0 Y_1)") == "< 0:1 1:-1 0");
  CHECK(only_row("(> Y_0 Y_1)") == "< 0:-1 1:1 0");
  CHECK(only_row("(<= Y_0 0.25)") == "<= 0:4 -1");
  CHECK(only_row("(>= 0.25 Y_0)") == "<= 0:4 -1");
  CHECK(only_row("(<= 0.25 Y_0)") == "<= 0:-4 1");
  CHECK(only_row("(<= Y_1 -1e-06)") == "<= 1:1000000 1");
  CHECK(only_row("(<= (* 2 Y_0) (* 4 Y_1))") == "<= 0:1 1:-2 0");
  CHECK(only_row("(<= (- Y_0 (+ (* 0.5 Y_1) 3 Y_0)) (- 1))") == "<= 1:-1 -4");
  CHECK(only_row("(<= (* -2 3 Y_0 0.5) (- 5 1 1))") == "<= 0:-1 -1");
  CHECK(only_row("(<= (+ Y_0 Y_0 Y_0) 6)") == "<= 0:1 -2");
  CHECK(only_row("(<= (* (- Y_1 Y_1 -2) Y_0) 6)") == "<= 0:1 -3");
  CHECK(only_row("(<= (- (- Y_0)) .5)") == "<= 0:2 -1");
  const Property equal = unit_box("(assert (= Y_0 (* 3 Y_1)))(assert (== Y_1 1.))");
  REQUIRE(equal.cases.size() == 1);
  REQUIRE(equal.cases[0].rows.size() == 4);
  CHECK(shown(equal.cases[0].rows[0]) == "<= 0:1 1:-3 0");
  CHECK(shown(equal.cases[0].rows[1]) == "<= 0:-1 1:3 0");
  CHECK(shown(equal.cases[0].rows[2]) == "<= 1:1 -1");
  CHECK(shown(equal.cases[0].rows[3]) == "<= 1:-1 1");
}

TEST_CASE("comparisons of one input become bounds") {
  const Property p =
      unit_box("(assert (< X_0 0.5)) (assert (<= X_0 0.5)) (assert (>= (* 2 X_1) -0.5)) (assert (<= X_1 0.750))");
  REQUIRE(p.boxes.size() == 1);
  CHECK(shown(p.boxes[0][0]) == "-1 1/2!");
  CHECK(shown(p.boxes[0][1]) == "-1/4 3/4");
  REQUIRE(p.cases.size() == 1);
  CHECK(p.cases[0].rows.empty());
  const Property equality = unit_box("(assert (= X_0 0.1)) (assert (<= (* -3 X_1) 1))");
  CHECK(shown(equality.boxes[0][0]) == "1/10 1/10");
  CHECK(shown(equality.boxes[0][1]) == "-1/3 1");
  CHECK(shown(unit_box("(assert (< (- X_1) 1))").boxes[0][1]) == "-1! 1");
  // Equal numbers written differently are one bound; more digits than 64 bits hold are kept.
  const Property digits = unit_box("(assert (<= X_0 0.1000000000000000000000000000000001))(assert (>= X_0 1000e-4))");
  CHECK(shown(digits.boxes[0][0]) == "1/10 1000000000000000000000000000000001/10000000000000000000000000000000000");
}

TEST_CASE("comparisons without variables are true or false") {
  CHECK(unit_box("(assert (<= 0 1))").cases[0].rows.empty());
  CHECK(unit_box("(assert (<= (- X_0 X_0) (* 0 Y_1)))").cases[0].rows.empty());
  CHECK(unit_box("(assert (< 1 1))").vacuous);
  const Property p = unit_box("(assert (or (and (<= Y_0 0) (> 1 2)) (<= Y_1 0) (= 1 2)))");
  REQUIRE(p.cases.size() == 1);
  CHECK(shown(p.cases[0].rows[0]) == "<= 1:1 0");
  REQUIRE(p.dropped.size() == 2);
  CHECK(p.dropped[0].find("case 0") == 0);
  CHECK(p.dropped[1].find("case 2") == 0);
}

TEST_CASE("and is a product, or a concatenation, the rightmost factor varies fastest") {
  const Property p = unit_box(
      "(assert (or (<= Y_0 1) (<= Y_0 2)))\n(assert (<= Y_1 9))\n(assert (and (or (<= Y_1 3) (and (<= Y_1 4) (or (<= "
      "Y_1 5) (<= Y_1 6))))))");
  std::vector<std::string> cases;
  for (const Case& c : p.cases) {
    std::string text;
    for (const Row& row : c.rows) text += row.constant.str();
    cases.push_back(text);
  }
  CHECK(cases == std::vector<std::string>{"-1-9-3", "-1-9-4-5", "-1-9-4-6", "-2-9-3", "-2-9-4-5", "-2-9-4-6"});
  CHECK(p.cases[0].rows[1].line == 7);
  CHECK(p.boxes.size() == 1);
}

TEST_CASE("boxes are numbered by first appearance and shared") {
  const Property p = unit_box(
      "(assert (or (and (<= X_0 0) (<= Y_0 0)) (and (>= X_0 0) (<= Y_0 1)) (and (<= X_0 0.0) (<= Y_0 2)) (<= Y_0 3) "
      "(and (< X_0 0) (<= Y_0 4))))");
  std::vector<std::uint32_t> boxes;
  for (const Case& c : p.cases) boxes.push_back(c.box);
  CHECK(boxes == std::vector<std::uint32_t>{0, 1, 0, 2, 3});
  REQUIRE(p.boxes.size() == 4);
  CHECK(shown(p.boxes[2][0]) == "-1 1");
  CHECK(shown(p.boxes[3][0]) == "-1 0!");
}

TEST_CASE("empty cases are dropped with a reason, and a property without cases is vacuous") {
  CHECK(unit_box("(assert (<= X_0 -2))").vacuous);
  CHECK(unit_box("(assert (< X_0 -1))").vacuous);
  CHECK_FALSE(unit_box("(assert (<= X_0 -1))").vacuous);
  CHECK(unit_box("(assert (>= Y_0 3)) (assert (<= Y_0 -3))").vacuous);
  CHECK(unit_box("(assert (>= Y_0 3)) (assert (< Y_0 3))").vacuous);
  CHECK(unit_box("(assert (>= Y_0 3)) (assert (<= (* -2 Y_0) -5)) (assert (<= (* 3 Y_0) 8))").vacuous);
  CHECK_FALSE(unit_box("(assert (>= Y_0 3)) (assert (<= Y_0 3))").vacuous);
  CHECK_FALSE(unit_box("(assert (>= Y_0 3)) (assert (<= Y_1 -3))").vacuous);
  const Property p = unit_box("(assert (or (and (>= X_1 0.5) (<= X_1 0.25)) (<= Y_0 0)))");
  CHECK(p.cases.size() == 1);
  REQUIRE(p.dropped.size() == 1);
  CHECK(p.dropped[0] == "case 0 of the file is empty: line 6: X_1 has lower bound 1/2 and upper bound 1/4");
  CHECK(p.boxes.size() == 1);
}

TEST_CASE("the digest is that of the text of section 4") {
  const std::string text =
      declarations(1, 2) +
      "(assert (<= X_0 0.1)) (assert (>= X_0 -1))\n(assert (or (<= Y_0 Y_1) (and (< X_0 0) (< Y_1 0.5))))";
  const Property p = parse_vnnlib(text, "p", 1, 2);
  const std::string expected =
      "outward-property-1\ninputs 1 outputs 2\ncase\n-1 1/10\n<= 0:1 1:-1 0\ncase\n-1 0!\n< 1:2 -1\n";
  CHECK(property_digest(p) == sha256_hex(expected.data(), expected.size()));
  CHECK(p.file_sha256 == sha256_hex(text.data(), text.size()));
  CHECK(p.kind == "vnnlib");
}

TEST_CASE("white space, comments, line ends and declaration styles do not matter") {
  const std::string a = declarations(1, 1) + "(assert (<= X_0 1))(assert (>= X_0 0))(assert (<= Y_0 0))";
  const std::string b =
      "; head ( \r\n(declare-fun Y_0 () Real)\r\n( declare-const\tX_0 Real );)\n(assert(<= X_0 1.)) (assert\n(\n>= X_0 "
      "-0.0 ) ) "
      "(assert (or (and (<= Y_0 0e7))));end";
  CHECK(property_digest(parse_vnnlib(a, "a", 1, 1)) == property_digest(parse_vnnlib(b, "b", 1, 1)));
}

namespace {

// A random formula as text and as a function of a point: the oracle of the next test.
struct RandomFormula {
  std::string text;
  std::function<bool(const std::vector<Rational>&)> holds;  // x0, x1, y0, y1
};

RandomFormula random_formula(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth > 0 && pick(3) != 0) {
    const bool both = pick(2) == 0;
    const int count = 1 + pick(3);
    std::vector<RandomFormula> parts;
    std::string text = both ? "(and" : "(or";
    for (int i = 0; i < count; ++i) {
      parts.push_back(random_formula(random, depth - 1));
      text += " " + parts.back().text;
    }
    return {text + ")", [both, parts](const std::vector<Rational>& point) {
              for (const RandomFormula& part : parts) {
                if (part.holds(point) != both) return !both;
              }
              return both;
            }};
  }
  static const char* names[] = {"X_0", "X_1", "Y_0", "Y_1"};
  static const char* ops[] = {"<=", "<", ">=", ">", "=", "=="};
  const int op = pick(8) < 6 ? pick(4) : 4 + pick(2), constant = pick(7) - 3;
  const auto compare = [op](const Rational& a, const Rational& b) {
    return op == 0 ? a <= b : op == 1 ? a < b : op == 2 ? a >= b : op == 3 ? a > b : a == b;
  };
  const int variable = pick(4);
  if (variable < 2 || pick(2) == 0) {
    const bool swapped = pick(2) == 0;
    const std::string c = std::to_string(constant);
    const std::string operands = swapped ? c + " " + names[variable] : std::string(names[variable]) + " " + c;
    return {std::string("(") + ops[op] + " " + operands + ")", [=](const std::vector<Rational>& point) {
              const Rational& v = point[static_cast<std::size_t>(variable)];
              return swapped ? compare(constant, v) : compare(v, constant);
            }};
  }
  const int a = pick(5) - 2, b = pick(5) - 2;
  return {std::string("(") + ops[op] + " (+ (* " + std::to_string(a) + " Y_0) (* Y_1 " + std::to_string(b) + ")) " +
              std::to_string(constant) + ")",
          [=](const std::vector<Rational>& point) { return compare(a * point[2] + b * point[3], constant); }};
}

bool in_property(const Property& p, const std::vector<Rational>& point) {
  for (const Case& c : p.cases) {
    bool inside = true;
    for (std::size_t i = 0; i < 2; ++i) {
      const InputRange& r = p.boxes[c.box][i];
      inside = inside && (r.lo_strict ? point[i] > r.lo : point[i] >= r.lo) &&
               (r.hi_strict ? point[i] < r.hi : point[i] <= r.hi);
    }
    for (const Row& row : c.rows) {
      Rational sum = row.constant;
      for (const auto& [j, coefficient] : row.terms) sum += coefficient * point[2 + j];
      inside = inside && (row.strict ? sum < 0 : sum <= 0);
    }
    if (inside) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("random formulas: a point satisfies the text iff it lies in some case") {
  std::mt19937 random(4);
  std::uint64_t inside = 0, points = 0;
  for (int round = 0; round < 300; ++round) {
    const RandomFormula f = random_formula(random, 4), g = random_formula(random, 3);
    const std::string text = declarations(2, 2) + "(assert (<= X_0 3)) (assert (>= X_0 -3)) (assert " + f.text +
                             ")\n(assert (<= X_1 3)) (assert (>= X_1 -3)) (assert " + g.text + ")";
    CAPTURE(text);
    Property p;
    try {
      p = parse_vnnlib(text, "random", 2, 2);
    } catch (const InputRefused& refused) {
      CHECK(refused.blockers[0].code.rfind("too-many", 0) == 0);
      continue;
    }
    for (int k = 0; k < 40; ++k) {
      std::vector<Rational> point;
      for (int i = 0; i < 4; ++i) point.push_back(Rational(static_cast<int>(random() % 17) - 8, i < 2 ? 3 : 2));
      const bool expected = abs(point[0]) <= 3 && abs(point[1]) <= 3 && f.holds(point) && g.holds(point);
      CHECK(in_property(p, point) == expected);
      inside += expected ? 1 : 0;
      ++points;
    }
  }
  CHECK(inside > points / 20);  // the test would be empty if no point satisfied anything
}
