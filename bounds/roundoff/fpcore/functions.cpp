#include "bounds/roundoff/fpcore/functions.hpp"

namespace outward::fpcore {
namespace {

constexpr Span one_span{1, 1};

Span value_at(Function function, double x) {
  switch (function) {
    case Function::exp:
      return exp_at(x);
    case Function::log:
      return log_at(x);
    case Function::sin:
      return sin_at(x);
    case Function::cos:
      return cos_at(x);
    case Function::tan:
      return std::fabs(x) < 0x1p-20 ? slow_at(function, x) : divide(sin_at(x), cos_at(x));
    case Function::atan:
      return atan_at(x);
    default:
      return slow_at(function, x);
  }
}

// Whole numbers that may be floor(x / (pi/2)).
struct Turns {
  double least, most;
};
Turns quarter_turns(double x) {
  const Span turns = divide({x, x}, {pi_span.lo / 2, pi_span.hi / 2});
  return {std::floor(turns.lo), std::floor(turns.hi)};
}

// sin (peak = 1) or cos (peak = 0): greatest at quarter turns that are `peak` modulo 4, least two further on.
Span wave(Function function, Span x, double peak) {
  if (!(x.magnitude() < 0x1p40) || width_up(x) >= 7) return {-1, 1};
  const double first = quarter_turns(x.lo).least, last = quarter_turns(x.hi).most;
  const auto passes = [&](double quarter) {
    // The first whole number after `first` that is `quarter` modulo 4. One at x.lo itself is an end, not between; but
    // where the division cannot tell, it counts.
    const double from = first + 1, distance = quarter - from;
    return from + (distance - 4 * std::floor(distance / 4)) <= last;
  };
  const Span a = value_at(function, x.lo), b = value_at(function, x.hi);
  return {passes(peak + 2) ? -1 : std::min(a.lo, b.lo), passes(peak) ? 1 : std::max(a.hi, b.hi)};
}

Span tangent(Span x) {
  if (!(x.magnitude() < 0x1p40) || width_up(x) >= 3.2) return everything;
  const Turns first = quarter_turns(x.lo), last = quarter_turns(x.hi);
  // No pole when all points lie in one branch: quarters 2 j - 1 and 2 j.
  const auto branch = [](double quarter) { return std::floor((quarter + 1) / 2); };
  if (branch(first.least) != branch(last.most)) return everything;
  return {value_at(Function::tan, x.lo).lo, value_at(Function::tan, x.hi).hi};
}

}  // namespace

bool inside_domain(Function function, Span x) {
  switch (function) {
    case Function::log:
    case Function::log2:
    case Function::log10:
      return x.lo > 0;
    case Function::log1p:
      return x.lo > -1;
    case Function::asin:
    case Function::acos:
      return x.lo >= -1 && x.hi <= 1;
    case Function::acosh:
      return x.lo >= 1;
    case Function::atanh:
      return x.lo > -1 && x.hi < 1;
    case Function::tan:
      return tangent(x).bounded();
    default:
      return true;
  }
}

const char* domain_text(Function function) {
  switch (function) {
    case Function::log:
    case Function::log2:
    case Function::log10:
      return "positive numbers";
    case Function::log1p:
      return "numbers above -1";
    case Function::asin:
    case Function::acos:
      return "[-1, 1]";
    case Function::acosh:
      return "numbers from 1";
    case Function::atanh:
      return "(-1, 1)";
    case Function::tan:
      return "angles without odd multiples of pi/2";
    default:
      return "all numbers";
  }
}

Span function_range(Function function, Span x) {
  if (!x.bounded() || !inside_domain(function, x)) return everything;
  switch (function) {
    case Function::sin:
      return wave(function, x, 1);
    case Function::cos:
      return wave(function, x, 0);
    case Function::tan:
      return tangent(x);
    case Function::acos:
    case Function::erfc:
      return {value_at(function, x.hi).lo, value_at(function, x.lo).hi};
    case Function::cosh: {
      const Span magnitudes = absolute(x);
      return {value_at(function, magnitudes.lo).lo, value_at(function, magnitudes.hi).hi};
    }
    default:
      if (row_of(function).shape != Shape::increasing) return everything;  // none of FPCore's
      return {value_at(function, x.lo).lo, value_at(function, x.hi).hi};
  }
}

Span function_slope(Function function, Span x, Span range) {
  if (!x.bounded() || !range.bounded()) return everything;
  switch (function) {
    case Function::exp:
      return range;
    case Function::expm1:
      return add(range, one_span);
    case Function::exp2:
      return multiply(range, ln2_span);
    case Function::log:
      return reciprocal(x);
    case Function::log1p:
      return reciprocal(add(x, one_span));
    case Function::log2:
      return reciprocal(multiply(x, ln2_span));
    case Function::log10:
      return reciprocal(multiply(x, ln10_span));
    case Function::sin:
      return function_range(Function::cos, x);
    case Function::cos:
      return -function_range(Function::sin, x);
    case Function::tan:
      return add(square(range), one_span);
    case Function::asin:
      return reciprocal(square_root(subtract(one_span, square(x))));
    case Function::acos:
      return -reciprocal(square_root(subtract(one_span, square(x))));
    case Function::atan:
      return reciprocal(add(square(x), one_span));
    case Function::sinh:
      return function_range(Function::cosh, x);
    case Function::cosh:
      return function_range(Function::sinh, x);
    case Function::tanh:
      return intersection(subtract(one_span, square(range)), {0, 1});
    case Function::asinh:
      return reciprocal(square_root(add(square(x), one_span)));
    case Function::acosh:
      return reciprocal(square_root(subtract(square(x), one_span)));
    case Function::atanh:
      return reciprocal(subtract(one_span, square(x)));
    case Function::erf:
    case Function::erfc: {
      // 2/sqrt(pi) e^(-x^2)
      const Span factor = divide({2, 2}, square_root(pi_span));
      const Span slope = multiply(factor, function_range(Function::exp, -square(x)));
      return function == Function::erf ? slope : -slope;
    }
    default:
      return everything;  // none of FPCore's
  }
}

}  // namespace outward::fpcore
