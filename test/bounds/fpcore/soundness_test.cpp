// Bounds of FPCore expressions against runs of them: no run may leave a bound, of the whole or of any node.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "bounds/roundoff/fpcore/analyse.hpp"
#include "bounds/roundoff/fpcore/parse.hpp"
#include "formats/error.hpp"
#include "test/bounds/fpcore/fpbench_table.hpp"
#include "test/bounds/fpcore/sampling.hpp"

namespace outward {
namespace {

using fpcore_test::NodeValue;

bool inside(const Rational& x, const fpcore::Span& span) {
  return (span.lo == -infinity || x >= exact(span.lo)) && (span.hi == infinity || x <= exact(span.hi));
}

struct Observed {
  int samples = 0;
  double largest = 0;
};

// Samples the core against its report; and against what the analysis says of each node over a random part of the box.
Observed sample(const fpcore::Core& core, const fpcore::Report& report, const fpcore::ErrorModel& model, int samples,
                std::mt19937_64& random) {
  Observed observed;
  fpcore::BoxAnalysis analysis(core, model);
  std::vector<fpcore::Span> whole;
  for (const fpcore::Variable& variable : core.variables) whole.push_back(variable.range);
  for (int i = 0; i < samples; ++i) {
    std::vector<Rational> inputs;
    std::vector<fpcore::Span> part = whole;
    for (std::size_t v = 0; v < whole.size(); ++v) {
      const fpcore::Variable& variable = core.variables[v];
      const Format& format = core.formats[static_cast<std::size_t>(variable.format)];
      const bool near = i % 2 == 1 && v < report.point.size();  // where the bound is largest
      inputs.push_back(fpcore_test::random_input(variable, format, random, near ? &report.point[v].second : nullptr));
      if (model.exact_inputs) {
        // A number of the format next to it, in the range.
        Flags flags;
        const Rational up = to_rational(round(format, inputs.back(), Rounding::up, flags));
        const Rational down = to_rational(round(format, inputs.back(), Rounding::down, flags));
        inputs.back() = inside(up, whole[v]) ? up : down;
        if (!inside(inputs.back(), whole[v])) return observed;  // there is none
      }
      // A part of the box around the point, of any size.
      const double reach = std::ldexp(whole[v].hi - whole[v].lo, -static_cast<int>(random() % 40));
      part[v].lo = std::max(whole[v].lo, round_down(inputs.back()) - reach * 0.7);
      part[v].hi = std::min(whole[v].hi, round_up(inputs.back()) + reach * 0.3);
    }
    const auto values = fpcore_test::run(core, inputs);
    const fpcore::BoxBound local = analysis.bound(part);
    if (!values) {
      // Where the program has no finite value there must be no bound.
      CHECK_FALSE(report.absolute < infinity);
      CHECK(local.failed >= 0);
      continue;
    }
    ++observed.samples;
    const NodeValue& result = (*values)[static_cast<std::size_t>(core.root)];
    const Rational error = fpcore_test::error_below(result);
    if (report.absolute < infinity) {
      CHECK_MESSAGE(error <= exact(report.absolute), core.name);
      CHECK(to_rational(result.exact.hi) >= exact(report.value.lo));
      CHECK(to_rational(result.exact.lo) <= exact(report.value.hi));
    }
    if (report.relative < infinity) {
      const Rational lo = abs(to_rational(result.exact.lo)), hi = abs(to_rational(result.exact.hi));
      CHECK(error <= exact(report.relative) * (lo > hi ? lo : hi));
    }
    observed.largest = std::max(observed.largest, round_down(error));
    const int last = local.failed >= 0 ? local.failed - 1 : core.root;
    if (local.failed < 0) {
      CHECK(error <= exact(local.absolute));
      if (local.taylor < infinity) CHECK(error <= exact(local.taylor));
      CHECK(error <= exact(local.interval));
    }
    for (int k = 0; k <= last; ++k) {
      const NodeValue& value = (*values)[static_cast<std::size_t>(k)];
      const fpcore::NodeState& state = analysis.state(k);
      const fpcore::Node& node = core.nodes[static_cast<std::size_t>(k)];
      CAPTURE(node.text);
      CHECK(inside(value.computed_number, state.computed));
      CHECK(to_rational(value.exact.hi) >= exact(state.exact.range.lo));
      CHECK(to_rational(value.exact.lo) <= exact(state.exact.range.hi));
      const Rational rounding = abs(value.computed_number - value.before);
      if (node.op != fpcore::Op::constant) CHECK(rounding <= exact(state.local) * Rational(1000001, 1000000));
      if (state.grid > -2000 && state.grid < fpcore::any_grid) {
        const Rational scaled =
            value.computed_number /
            (state.grid >= 0 ? Rational(Integer(1) << state.grid) : Rational(Integer(1), Integer(1) << -state.grid));
        CHECK(denominator(scaled) == 1);
      }
      CHECK(fpcore_test::error_below(value) <= exact(state.forward));
    }
  }
  return observed;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string core() {
    static const char* const formats[] = {"binary64", "binary64",     "binary32", "binary16",
                                          "bfloat16", "(float 6 20)", "e4m3fn",   "e5m2"};
    const int variables = 1 + static_cast<int>(random_() % 3);
    std::string arguments, condition;
    names_.clear();
    for (int i = 0; i < variables; ++i) {
      static const char* const ranges[] = {"-1 %s 1", "1 %s 2",     "0.1 %s 10",  "-3 %s 1.5",
                                           "0 %s 1",  "1/3 %s 4/3", "-8 %s -0.25"};
      const std::string name(1, static_cast<char>('x' + i));
      std::string range = ranges[random_() % 7];
      range.replace(range.find("%s"), 2, name);
      arguments += name + " ";
      condition += "(<= " + range + ")";
      names_.push_back(name);
    }
    std::string body = expression(4);
    if (random_() % 2 == 0) {
      const std::string bound = expression(3);
      names_.push_back("t");
      body = "(let ([t " + bound + "]) " + expression(4) + ")";
    }
    return "(FPCore (" + arguments + ") :precision " + formats[random_() % 8] + " :pre (and " + condition + ") " +
           body + ")";
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::string expression(int depth) {
    static const char* const numbers[] = {"0.1", "2", "1/3", "0.5", "3", "4", "1.5", "PI", "0x1.8p-2", "100", "-1"};
    if (depth == 0 || random_() % 8 == 0)
      return random_() % 4 == 0 ? numbers[random_() % 11] : names_[random_() % names_.size()];
    const std::string a = expression(depth - 1);
    switch (random_() % 22) {
      case 0:
      case 1:
      case 2:
        return "(+ " + a + " " + expression(depth - 1) + ")";
      case 3:
      case 4:
      case 5:
        return "(- " + a + " " + expression(depth - 1) + ")";
      case 6:
      case 7:
      case 8:
        return "(* " + a + " " + expression(depth - 1) + ")";
      case 9:
        return "(/ " + a + " (+ 1.5 (* " + names_[0] + " " + names_[0] + ")))";
      case 10:
        return "(/ " + a + " " + expression(depth - 1) + ")";
      case 11:
        return "(- " + a + ")";
      case 12:
        return "(sqrt (fabs " + a + "))";
      case 13:
        return "(fma " + a + " " + expression(depth - 1) + " " + expression(depth - 1) + ")";
      case 14:
        return "(fmin " + a + " " + expression(depth - 1) + ")";
      case 15:
        return "(fmax " + a + " " + expression(depth - 1) + ")";
      case 16:
        return "(* " + a + " " + a + ")";
      case 17:
        return "(sin " + a + ")";
      case 18:
        return "(exp (sin " + a + "))";
      case 19:
        return "(! :precision binary32 (+ " + a + " " + expression(depth - 1) + "))";
      case 20:
        return random_() % 2 == 0 ? "(atan " + a + ")" : "(pow " + a + " 3)";
      default:
        return "(log (+ 1.25 (fabs " + a + ")))";
    }
  }
  std::mt19937_64 random_;
  std::vector<std::string> names_;
};

}  // namespace

TEST_CASE("no run of a published expression leaves its bound") {
  const auto rows = fpbench::table(OUTWARD_SOURCE_DIR);
  if (rows.empty()) {
    std::printf("SKIPPED: the table of published bounds is not there (OUTWARD_CASES)\n");
    return;
  }
  CHECK(rows.size() >= 20);
  std::mt19937_64 random(7);
  for (const fpbench::Row& row : rows) {
    CAPTURE(row.at("name"));
    for (const bool exact_inputs : {false, true}) {
      const fpcore::ErrorModel model{1, exact_inputs};
      const fpcore::Core core = fpcore::parse_cores(row.at("fpcore"), row.at("name")).at(0);
      const fpcore::Report report = fpcore::analyse(core, model, {3000, 0, 1e-3});
      REQUIRE(report.absolute < infinity);
      const Observed observed = sample(core, report, model, 60, random);
      CHECK(observed.samples > 0);
      CHECK(observed.largest > 0.02 * report.absolute);
      const std::string& published = row.at("observed_max");
      if (!published.empty()) CHECK(report.absolute >= std::stod(published));
    }
  }
}

TEST_CASE("no run of a random expression leaves its bound") {
  // OUTWARD_FPCORE_SEEDS: more of them, for a long run.
  const char* const given = std::getenv("OUTWARD_FPCORE_SEEDS");
  const int seeds = given ? std::max(1, std::atoi(given)) : 120;
  int bounded = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
    Generator generator(seed);
    const std::string text = generator.core();
    CAPTURE(text);
    std::vector<fpcore::Core> cores;
    try {
      cores = fpcore::parse_cores(text, "random");
    } catch (const InputRefused&) {
      ++refused;
      continue;
    }
    const fpcore::ErrorModel model{1, seed % 4 == 0};
    const fpcore::Report report = fpcore::analyse(cores[0], model, {300, 0, 1e-2});
    bounded += report.absolute < infinity;
    sample(cores[0], report, model, 30, generator.random());
  }
  CHECK(bounded > seeds / 3);
  CHECK(refused < seeds / 4);
}

TEST_CASE("formats wider than binary64") {
  const fpcore::Core core = fpcore::parse_cores(
      "(FPCore (x y) :precision binary128 :pre (and (<= 1 x 3) (<= -2 y 5)) (- (* (+ x y) (+ x y)) (/ y (sqrt x))))",
      "wide")[0];
  const fpcore::ErrorModel model{1, false};
  const fpcore::Report report = fpcore::analyse(core, model, {2000, 0, 1e-3});
  CHECK(report.absolute < 1e-31);
  std::mt19937_64 random(3);
  const Observed observed = sample(core, report, model, 100, random);
  CHECK(observed.samples == 100);
  CHECK(observed.largest > 0.1 * report.absolute);
}

TEST_CASE("bounds that are known on paper") {
  const auto bound = [](const std::string& text, bool exact_inputs = true) {
    return fpcore::analyse(fpcore::parse_cores(text, "paper")[0], {1, exact_inputs}, {4000, 0, 1e-6}).absolute;
  };
  const double u = 0x1p-53;
  // One rounding: half a unit of the binade below the largest value.
  CHECK(bound("(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (* x y))") == 2 * u);
  CHECK(bound("(FPCore (x) :pre (<= 1 x 2) x)", false) == u);
  // Exact: Sterbenz, scaling by a power of two, differences on a common grid, sums of few bits, the same twice.
  CHECK(bound("(FPCore (x y) :pre (and (<= 2 x 4) (<= 3 y 4)) (- x y))") == 0);
  CHECK(bound("(FPCore (x) :pre (<= 1 x 2) (/ (* 8 x) 32))") == 0);
  CHECK(bound("(FPCore (x) :pre (<= 16 x 32) (- x 11))") == 0);
  CHECK(bound("(FPCore (x) :pre (<= 1 x 2) (- (* x x) (* x x)))") == 0);
  CHECK(bound("(FPCore (x) :pre (<= 1 x 2) (fmax (fabs (- x)) x))") == 0);
  CHECK(bound("(FPCore (x) :precision binary32 :pre (<= 1 x 2) (! :precision binary64 (* x x)))") == 0);
  // Not exact any more beyond the grid, nor where the scaled number is subnormal.
  CHECK(bound("(FPCore (x) :precision binary16 :pre (<= 0.0001 x 0.001) (* x 0.25))") == 0x1p-25);
  CHECK(bound("(FPCore (x) :pre (<= 16 x 32) (+ x 11))") == 32 * u);
  // A constant with a known error counts with that, not with half a unit.
  const double tenth = bound("(FPCore () 0.1)");
  CHECK(tenth >= 5.5511151231257e-18);
  CHECK(tenth < 5.56e-18);
  // Errors of constants cancel with their sign: here only the two products are rounded.
  const char* const difference = "(FPCore (x y) :pre (and (<= 1 x 1) (<= 1 y 1)) (- (* x 0.1) (* y 0.1)))";
  CHECK(bound(difference) <= 2 * 0x1p-57 * (1 + 1e-9));
  // Nothing is promised where something may go wrong.
  CHECK(bound("(FPCore (x) :pre (<= -1 x 1) (/ 1 x))") == infinity);
  CHECK(bound("(FPCore (x) :pre (<= -1 x 1) (sqrt x))") == infinity);
  CHECK(bound("(FPCore (x) :pre (<= 1 x 2) (/ (- x x) (- x x)))") == infinity);
  CHECK(bound("(FPCore (x) :pre (<= 1 x 2) (* 0 (pow (- x x) -1)))") == infinity);
  CHECK(bound("(FPCore (x) :pre (<= 0 x 1) (log x))") == infinity);
  CHECK(bound("(FPCore (x) :precision binary16 :pre (<= 1 x 300) (* x x))") == infinity);
  CHECK(bound("(FPCore (x) :pre (<= 1 x 1e300) (* x x))") == infinity);
  // The divisor is positive, which takes splitting to see.
  CHECK(bound("(FPCore (x) :pre (<= -1 x 2) (/ 1 (+ (- (* x x) x) 1)))") < 1e-14);
  CHECK(bound("(FPCore (x) :pre (<= 0 x 1) (sqrt x))", false) < 1e-16);
}

}  // namespace outward
