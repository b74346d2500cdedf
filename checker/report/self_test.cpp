// Self-test of the arithmetic: see self_test.hpp. Wrong rounding, flushed subnormals, a lost sign or a lost infinity
// must not get past it. The operands are volatile, so that the compiler computes nothing itself.
#include "checker/report/self_test.hpp"

#include <emmintrin.h>

#include <initializer_list>
#include <limits>
#include <vector>

#include "checker/kernel/engine.hpp"

namespace outward_check {

namespace {

constexpr double third = 0x1.5555555555555p-2, tiny = 0x1p-60, least = 0x1p-1074;

// Sums of products, left to right, every product and every sum rounded upward.
const volatile struct {
  double a, b, c, d, sum;  // a*b + c*d
} sums[] = {{1, 1, tiny, 1, 0x1.0000000000001p0},
            {-1, 1, tiny, 1, -0x1.fffffffffffffp-1},
            {-1, 1, -tiny, 1, -1},
            {0x1p-1022, 1, -0x1.8p-1022, 1, -0x1p-1023},
            {third, third, 0, 0, 0x1.c71c71c71c71cp-4},
            {-third, third, 0, 0, -0x1.c71c71c71c71bp-4},
            {least, 1, 0, 0, least},
            {least, tiny, 0, 0, least},
            {1, 1, tiny, tiny, 0x1.0000000000001p0},
            {1, 1, -tiny, tiny, 1}};

// The engine's upper bound of minus a form over one stored node with point ranges, in every lane.
class Trial {
 public:
  explicit Trial(const Engine<double>& engine) : engine_(engine) {}

  // a*b + c*d as coefficients of inputs.
  bool inputs(double a, double b, double c, double d, double sum) {
    const Interval<double> range[] = {{-b, b}, {-d, d}};
    NodeView<double> input;
    input.stored = true, input.size = 2, input.range = range;
    return bounds({&input, 1}, 0, {point(-a), point(-c)}, sum);
  }
  // The same sum as weights of a contraction times the coefficients of its outputs, seen from either end.
  bool weights(double a, double b, double c, double d, double sum) {
    bool good = true;
    for (const double z : {1.0, -1.0}) {  // upper bound of -nu*z: of nu for z = -1, of -nu for z = 1
      const Interval<double> range = point(z);
      const double payload[] = {-z * a, -z * c};
      const std::uint32_t operand = 0;
      NodeView<double> nodes[2];
      nodes[0].stored = true, nodes[0].size = 1, nodes[0].range = &range;
      nodes[1].kind = Kind::dense, nodes[1].stored = true, nodes[1].size = 2;
      nodes[1].operand_count = 1, nodes[1].operands = &operand, nodes[1].payload = payload;
      nodes[1].sites.count = nodes[1].sites.inputs = 1;
      nodes[1].sites.outputs = nodes[1].sites.weights = 2;
      nodes[1].sites.ints = {1, 1, 1, 1, 2, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0};
      good &= bounds({nodes, 2}, 1, {point(b), point(d)}, sum);
    }
    return good;
  }
  // A relu between the lines lower*x and upper*x at x, with a coefficient of either sign: minima and maxima with 0.
  // What is no number must not end in them.
  bool lines(double lower, double upper, double x, double expected) {
    const Interval<double> range = point(x);
    LinePair<double> line;
    line.lower = lower, line.upper = upper;
    const std::uint32_t operand = 0;
    NodeView<double> nodes[2];
    nodes[0].stored = true, nodes[0].size = 1, nodes[0].range = &range;
    nodes[1].kind = Kind::relu, nodes[1].stored = true, nodes[1].size = 1;
    nodes[1].operand_count = 1, nodes[1].operands = &operand, nodes[1].lines = &line;
    const volatile double none = std::numeric_limits<double>::quiet_NaN();
    return bounds({nodes, 2}, 1, {{1, 1}}, expected) && bounds({nodes, 2}, 1, {{none, 1}}, infinity) &&
           bounds({nodes, 2}, 1, {{1, none}}, infinity) && bounds({nodes, 2}, 1, {{infinity, 1}}, infinity);
  }

 private:
  struct Nodes {
    const NodeView<double>* first;
    std::size_t count;
  };
  bool bounds(Nodes nodes, std::uint32_t target, std::initializer_list<Interval<double>> form, double expected) {
    std::vector<Start<double>> starts;
    for (std::uint32_t lane = 0; lane < engine_.lanes; ++lane) {
      std::uint64_t element = 0;
      for (const Interval<double>& c : form) starts.push_back({target, element++, lane, c});
    }
    Job<double> job;
    job.nodes = nodes.first, job.target = target;
    job.starts = starts.data(), job.start_count = starts.size();
    engine_.backward(&job);
    bool good = job.missing < 0;
    for (std::uint32_t lane = 0; lane < engine_.lanes; ++lane) good &= job.bound[lane] == expected;
    return good;
  }

  const Engine<double>& engine_;
};

bool scalars_are_sound() {
  bool good = true;
  for (const auto& t : sums) {
    const double a = t.a, b = t.b, c = t.c, d = t.d;
    good &= add_up(mul_up(a, b), mul_up(c, d)) == t.sum;
  }
  const volatile double three = 3;
  good &= div_up(1, three) == 0x1.5555555555556p-2 && div_up(-1, three) == -0x1.5555555555555p-2;
  return good && add_up(infinity, -infinity) == infinity && mul_up(0, infinity) == infinity;
}

}  // namespace

std::string self_test_fault() {
  const volatile double one = 1, small = tiny;
  if ((_mm_getcsr() & 0xffc0) != 0x1f80) return "MXCSR is not in its default state";
  if (one + small != one) return "default arithmetic does not round to nearest";
  const RoundUp up;
  if (!scalars_are_sound()) return "directed operations do not round upward";
  for (const Engine<double>* e : engines()) {
    Trial trial(*e);
    for (const auto& t : sums) {
      const double a = t.a, b = t.b, c = t.c, d = t.d, sum = t.sum;
      if (!trial.inputs(a, b, c, d, sum)) return "a bound over inputs is not rounded up";
      if (!trial.weights(a, b, c, d, sum)) return "a scalar product is not rounded up";
    }
    for (const double x : {3.0, -3.0}) {
      const bool good = trial.lines(0, 1, x, x > 0 ? 3 : 0) && trial.lines(1, 0, x, x > 0 ? 0 : 3);
      if (!good) return "a minimum or maximum is wrong, or what is no number is lost";
    }
  }
  return "";
}

}  // namespace outward_check
