#include "bounds/function_lines.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "formats/directed.hpp"

namespace outward {
namespace {

// A number that the derivative never falls below on [lo, hi], where the function takes values in [least, greatest].
double slope_down(ElementFunction function, double lo, double hi, double least, double greatest) {
  const double reach = std::max(std::fabs(lo), std::fabs(hi)), size = std::max(std::fabs(least), std::fabs(greatest));
  double slope = 0;
  switch (function) {
    case ElementFunction::tanh:  // 1 − f²
      slope = sub_down(1, mul_up(size, size));
      break;
    case ElementFunction::sigmoid:  // f(1 − f), least at an end of what f may be
      slope = std::min(mul_down(least, sub_down(1, least)), mul_down(greatest, sub_down(1, greatest)));
      break;
    case ElementFunction::exp:
      slope = least;
      break;
    case ElementFunction::log:
      slope = div_down(1, hi);
      break;
    case ElementFunction::sqrt:
      slope = greatest > 0 ? div_down(1, mul_up(2, greatest)) : 0;
      break;
    case ElementFunction::atan:
      slope = div_down(1, add_up(1, mul_up(reach, reach)));
      break;
    case ElementFunction::softsign: {
      const double root = add_up(1, reach);
      slope = div_down(1, mul_up(root, root));
      break;
    }
    default:
      break;
  }
  return slope > 0 && std::isfinite(slope) ? slope : 0;
}

enum class Bend { unknown, convex, concave };

Bend bend_of(ElementFunction function, double lo, double hi) {
  switch (function) {
    case ElementFunction::exp:
    case ElementFunction::softplus:
      return Bend::convex;
    case ElementFunction::log:
    case ElementFunction::sqrt:
      return Bend::concave;
    case ElementFunction::tanh:
    case ElementFunction::sigmoid:
    case ElementFunction::atan:
    case ElementFunction::softsign:
    case ElementFunction::erf:
      return hi <= 0 ? Bend::convex : lo >= 0 ? Bend::concave : Bend::unknown;
    default:
      return Bend::unknown;
  }
}

}  // namespace

ElementLines function_lines(ElementFunction function, double lo, double hi, double least, double greatest,
                            double error) {
  const double slope = slope_down(function, lo, hi, least, greatest);
  ElementLines out{slope, sub_down(least, mul_up(slope, lo)), slope, sub_up(greatest, mul_down(slope, hi))};
  const Bend bend = bend_of(function, lo, hi);
  const double chord = std::max((greatest - least) / (hi - lo), 0.0);
  if (bend != Bend::unknown && hi > lo && std::isfinite(chord)) {
    // Any slope will do: the line is put beyond the function at both ends.
    if (bend == Bend::convex) {
      const double first = std::nextafter(least, infinity);  // at least f(lo)
      out.upper_slope = chord;
      out.upper_offset = std::max(sub_up(first, mul_down(chord, lo)), sub_up(greatest, mul_down(chord, hi)));
    } else {
      const double last = std::nextafter(greatest, -infinity);  // at most f(hi)
      out.lower_slope = chord;
      out.lower_offset = std::min(sub_down(least, mul_up(chord, lo)), sub_down(last, mul_up(chord, hi)));
    }
  }
  out.lower_offset = sub_down(out.lower_offset, error);
  out.upper_offset = add_up(out.upper_offset, error);
  return out;
}

}  // namespace outward
