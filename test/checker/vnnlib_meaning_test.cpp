// VNN-LIB 1.0: the property read means what the formula says, on random formulas and random points.
#include <doctest/doctest.h>

#include <functional>
#include <random>

#include "test/checker/vnnlib_tools.hpp"

using namespace outward_check;
using namespace vnnlib_tools;

namespace {

// A random formula as text and as a function of the point (X_0, X_1, Y_0, Y_1); all numbers are halves, so doubles are
// exact.
struct Random {
  using Meaning = std::function<bool(const double*)>;
  struct Made {
    std::string text;
    Meaning meaning;
  };
  std::mt19937 random{99};
  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

  std::string number(double value) {
    char text[32];
    const char* const formats[] = {"%.1f", "%.3e", "%.2f"};
    std::snprintf(text, sizeof text, formats[below(3)], value);
    return text;
  }

  // A linear term over the outputs: text and its value.
  std::pair<std::string, std::function<double(const double*)>> term(int depth) {
    const double c = below(7) - 3, h = c / 2;
    const int kind = below(depth > 0 ? 6 : 2);
    if (kind == 0) return {number(h), [h](const double*) { return h; }};
    if (kind == 1) {
      const int j = below(2);
      return {"Y_" + std::to_string(j), [j](const double* p) { return p[2 + j]; }};
    }
    const auto a = term(depth - 1), b = term(depth - 1);
    const auto f = a.second, g = b.second;
    if (kind == 2) return {"(+ " + a.first + " " + b.first + ")", [f, g](const double* p) { return f(p) + g(p); }};
    if (kind == 3) return {"(- " + a.first + " " + b.first + ")", [f, g](const double* p) { return f(p) - g(p); }};
    if (kind == 4) return {"(- " + a.first + ")", [f](const double* p) { return -f(p); }};
    if (below(2) == 0) return {"(* " + a.first + " " + number(c) + ")", [f, c](const double* p) { return f(p) * c; }};
    return {"(* " + number(c) + " " + a.first + ")", [f, c](const double* p) { return f(p) * c; }};
  }

  Made comparison() {
    const char* const ops[] = {"<=", ">=", "<", ">", "=", "=="};
    const int op = below(6);
    auto left = term(3), right = term(2);
    if (below(2) == 0) {
      const int i = below(2);
      left = {"X_" + std::to_string(i), [i](const double* p) { return p[i]; }};
      const double h = (below(9) - 4) / 2.0;
      right = {number(h), [h](const double*) { return h; }};
      if (below(3) == 0) std::swap(left, right);
    }
    const auto f = left.second, g = right.second;
    return {std::string("(") + ops[op] + " " + left.first + " " + right.first + ")", [f, g, op](const double* p) {
              const double a = f(p), b = g(p);
              return op == 0 ? a <= b : op == 1 ? a >= b : op == 2 ? a < b : op == 3 ? a > b : a == b;
            }};
  }

  Made formula(int depth) {
    if (depth == 0 || below(3) == 0) return comparison();
    const bool is_or = below(2) == 0;
    std::string text = is_or ? "(or" : "(and";
    std::vector<Meaning> parts;
    for (int n = 1 + below(3); n > 0; --n) {
      Made part = formula(depth - 1);
      text += " " + part.text;
      parts.push_back(std::move(part.meaning));
    }
    return {text + ")", [parts, is_or](const double* p) {
              for (const Meaning& part : parts) {
                if (part(p) == is_or) return is_or;
              }
              return !is_or;
            }};
  }
};

bool unsafe(const Property& property, const double* point) {
  for (const Case& c : property.cases) {
    bool inside = true;
    for (std::size_t i = 0; i < 2; ++i) {
      const InputRange& r = property.boxes[c.box][i];
      const Fraction x = Fraction::from_double(point[i]);
      inside = inside && (r.lo_strict ? r.lo < x : r.lo <= x) && (r.hi_strict ? x < r.hi : x <= r.hi);
    }
    for (const Row& row : c.rows) {
      Fraction sum = row.constant;
      for (const auto& [j, a] : row.terms) sum = sum + Fraction(a) * Fraction::from_double(point[2 + j]);
      inside = inside && (row.strict ? sum.sign() < 0 : sum.sign() <= 0);
    }
    if (inside) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the property means what the formula says, on random formulas and points") {
  Random maker;
  int both[2] = {0, 0};
  for (int i = 0; i < 400; ++i) {
    std::string text = two_by_two;
    std::vector<Random::Meaning> assertions;
    const double wide = 1 + maker.below(3);
    const std::string box = "(and (<= X_0 " + maker.number(wide) + ") (>= X_0 -1.5) (< X_1 2) (> X_1 -2))";
    const int at = maker.below(3);
    for (int k = 0; k < 3; ++k) {
      if (k == at) text += "(assert " + box + ")\n";
      Random::Made made = maker.formula(3);
      text += "(assert " + made.text + ")\n";
      assertions.push_back(made.meaning);
    }
    const Property property = read_vnnlib(text, "f", 2, 2);
    for (int n = 0; n < 60; ++n) {
      double point[4];
      for (double& x : point) x = (maker.below(11) - 5) / 2.0;
      bool truth = point[0] <= wide && point[0] >= -1.5 && point[1] < 2 && point[1] > -2;
      for (const Random::Meaning& assertion : assertions) truth = truth && assertion(point);
      CAPTURE(text);
      REQUIRE(unsafe(property, point) == truth);
      ++both[truth];
    }
  }
  CHECK(both[0] > 500);
  CHECK(both[1] > 500);
}
