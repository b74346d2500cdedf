// What the FPCore reader accepts, and what it refuses by name and place.
#include "bounds/roundoff/fpcore/parse.hpp"

#include <doctest/doctest.h>

#include <string>

#include "formats/error.hpp"

namespace outward::fpcore {
namespace {

Core only_core(const std::string& text, const ParseOptions& options = {}) {
  const std::vector<Core> cores = parse_cores(text, "t", options);
  REQUIRE(cores.size() == 1);
  return cores[0];
}

// "place code" of every blocker.
std::string refusals(const std::string& text, const ParseOptions& options = {}) {
  std::string out;
  try {
    parse_cores(text, "t", options);
  } catch (const InputRefused& refusal) {
    for (const Blocker& b : refusal.blockers) out += (out.empty() ? "" : " | ") + b.where + " " + b.code;
  }
  return out;
}

Span range(const std::string& condition) {
  return only_core("(FPCore (x) :pre " + condition + " x)").variables.at(0).range;
}

bool is(Span x, double lo, double hi) { return x.lo == lo && x.hi == hi; }

}  // namespace

TEST_CASE("ranges in every usual shape of :pre") {
  CHECK(is(range("(<= 1 x 2)"), 1, 2));
  CHECK(is(range("(< -1 x 2)"), -1, 2));
  CHECK(is(range("(and (<= 1 x) (<= x 2))"), 1, 2));
  CHECK(is(range("(and (>= x 1) (> 2 x))"), 1, 2));
  CHECK(is(range("(>= 2 x 1)"), 1, 2));
  CHECK(is(range("(and (<= (- 3) x (/ 1 2)) (and (<= 0 x)))"), 0, 0.5));
  CHECK(is(range("(<= -0x1.8p1 x 1e2)"), -3, 100));
  CHECK(is(range("(and TRUE (<= (digits 15 -1 10) x (+ 1 (* 2 3))))"), 1.5, 7));
  CHECK(is(range("(== x 4)"), 4, 4));
  const Span third = range("(<= 1/3 x PI)");
  CHECK(third.lo <= 1.0 / 3);
  CHECK(third.lo > 0.3333333333333);
  CHECK(third.hi > 3.14159265358979);
  CHECK(third.hi < 3.1415926535898);
}

TEST_CASE("conditions that give no range are noted, never believed") {
  const Core core = only_core("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 2) (< (+ x y) 1)) (+ x y))");
  CHECK(core.notes.size() == 1);
  CHECK(is(core.variables[1].range, 0, 2));
  // An argument hides the constant of its name, inside of expressions too.
  CHECK(refusals("(FPCore (PI x) :pre (and (<= 1 PI 2) (<= 0 x (* 2 PI))) x)") == "t:1:13 unbounded-argument");
  // A chain bounds a variable by every constant on its side; the relation of the two is dropped.
  const Core chain = only_core("(FPCore (x y) :pre (<= 0 x y 10) (+ x y))");
  CHECK(is(chain.variables[0].range, 0, 10));
  CHECK(chain.notes.size() == 1);
  CHECK(refusals("(FPCore (x) :pre (or (<= 0 x 1) (<= 2 x 3)) x)") == "t:1:10 unbounded-argument");
}

TEST_CASE("names, scopes and properties") {
  CHECK(only_core("(FPCore f (x) :name \"a name\" :pre (<= 0 x 1) x)").name == "a name");
  CHECK(only_core("(FPCore f (x) :pre (<= 0 x 1) x)").name == "f");
  CHECK(format_text(only_core("(FPCore (x) :precision binary32 :pre (<= 0 x 1) x)").formats.at(0)) == "binary32");
  CHECK(format_text(only_core("(FPCore (x) :precision (float 8 16) :pre (<= 0 x 1) x)").formats.at(0)) == "bfloat16");
  CHECK(format_text(only_core("(FPCore (x) :pre (<= 0 x 1) x)", {"binary16", {}, {}}).formats.back()) == "binary16");
  // let binds at once, let* one by one; both end with their body.
  const Core core =
      only_core("(FPCore (x) :pre (<= 0 x 1) (let ([x (+ x 1)] [y (+ x 2)]) (let* ([x (* x y)] [z x]) z)))");
  const Node& root = core.nodes.at(static_cast<std::size_t>(core.root));
  CHECK(root.op == Op::multiply);
  CHECK(core.nodes.at(static_cast<std::size_t>(root.operands[0])).op == Op::add);
  CHECK(core.nodes.at(static_cast<std::size_t>(root.operands[1])).op == Op::add);
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (+ (let ([y x]) y) y))") == "t:1:48 unknown-name");
  const ParseOptions given{"", {{"x", "1/2,3"}}, {}};
  CHECK(is(only_core("(FPCore (x) x)", given).variables.at(0).range, 0.5, 3));
  CHECK(refusals("(FPCore (y) :pre (<= 0 y 1) y)", given) == "t unknown-name");
  CHECK(refusals("(FPCore (x) x)", {"", {{"x", "3,1"}}, {}}) == "t:1:1 malformed-range | t:1:10 unbounded-argument");
}

TEST_CASE("equal computations are one node, constants are folded with their error") {
  const Core core = only_core("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1)) (- (+ x y) (* (+ y x) (/ 1 3))))");
  CHECK(core.nodes.size() == 6);  // x, y, x + y, 1/3, the product, the difference; 1 and 3 are not used any more
  const Core third = only_core("(FPCore (x) :pre (<= 0 x 1) (* x (/ 1 (- 4 1))))");
  const Node& constant =
      third.nodes.at(static_cast<std::size_t>(third.nodes.at(static_cast<std::size_t>(third.root)).operands[1]));
  CHECK(constant.op == Op::constant);
  CHECK(constant.computed.lo == 1.0 / 3);
  CHECK(constant.error.lo < 0);
  CHECK(constant.error.hi <= constant.error.lo * (1 - 1e-12));
  const Core tenth = only_core("(FPCore (x) :pre (<= 0 x 1) (* x 0.1))");
  CHECK(tenth.nodes.at(1).error.lo > 5.5e-18);
  CHECK(tenth.nodes.at(1).error.hi < 5.6e-18);
  CHECK(tenth.nodes.at(1).grid == -55);
  CHECK(only_core("(FPCore (x) :precision binary16 :pre (<= 0 x 1) (* x (+ 2048 1)))").nodes.at(1).computed.lo == 2048);
}

TEST_CASE("everything that is not understood is refused, all at once") {
  CHECK(refusals("") == "t malformed-expression");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (+ x 1)") == "t:1:1 malformed-expression");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (+ x 1]))") == "t:1:35 malformed-expression");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (+ x 1))\n)") == "t:2:1 malformed-expression");
  CHECK(refusals("(+ 1 2)") == "t:1:1 malformed-expression");
  CHECK(refusals("(FPCore)") == "t:1:1 malformed-expression");
  CHECK(refusals("(FPCore x)") == "t:1:1 malformed-expression");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1)\n (if (< x 1) x (hypot x y)))") ==
        "t:2:2 unsupported-operation | t:2:16 unsupported-operation | t:2:25 unknown-name");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1)\n (while (< x 1) ([x 0 1]) x))") == "t:2:2 unsupported-operation");
  CHECK(refusals("(FPCore (x z) :pre (<= 0 x 1)\n (+ (hypot x y)\n (floor z)))") ==
        "t:1:12 unbounded-argument | t:2:5 unsupported-operation | t:2:14 unknown-name | t:3:2 unsupported-operation");
  CHECK(refusals("(FPCore (x x) :pre (<= 0 x 1) x)") == "t:1:12 malformed-expression");
  CHECK(refusals("(FPCore (x) :pre (<= 2 x 1) x)") == "t:1:10 empty-range");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (+ x 1e))") == "t:1:34 malformed-number");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (+ x 1/0))") == "t:1:34 malformed-number");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (+ x NAN))") == "t:1:34 unsupported-constant");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (+ x))") == "t:1:29 malformed-expression");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (sqrt x x))") == "t:1:29 malformed-expression");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (pow x 0.5))") == "t:1:36 unsupported-operation");
  CHECK(refusals("(FPCore (x) :pre (<= 0 x 1) (let ([y]) x))") == "t:1:35 malformed-expression");
  CHECK(refusals("(FPCore (x) :precision posit16 :pre (<= 0 x 1) x)") == "t:1:24 unsupported-precision");
  CHECK(refusals("(FPCore (x) :precision real :pre (<= 0 x 1) x)") == "t:1:24 unsupported-precision");
  CHECK(refusals("(FPCore (x) :round toZero :pre (<= 0 x 1) x)") == "t:1:20 unsupported-rounding");
  CHECK(refusals("(FPCore (x) :round nearestAway :pre (<= 0 x 1) x)") == "t:1:20 unsupported-rounding");
  CHECK(refusals("(FPCore (x) :precision binary16 :pre (<= 0 x 1) (* x 1e6))") == "t:1:54 constant-out-of-range");
  CHECK(refusals("(FPCore ((A 3)) (ref A 0))") ==
        "t:1:10 unsupported-argument | t:1:17 unsupported-operation | t:1:22 unknown-name");
  CHECK(refusals("(FPCore f (x) :pre (<= 0 x 1) x)", {"", {}, {"g"}}) == "t unknown-name");
  const std::string deep(400, '(');
  CHECK(refusals(deep) == "t:1:301 malformed-expression");
}

}  // namespace outward::fpcore
