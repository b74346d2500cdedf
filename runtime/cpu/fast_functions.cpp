#include "runtime/cpu/fast_functions.hpp"

#include <cmath>

namespace outward {

double about(ElementFunction function, double x) {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const auto softplus = [](double v) { return v > 0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v)); };
  switch (function) {
    case ElementFunction::sqrt:
      return std::sqrt(x);
    case ElementFunction::floor:
      return std::floor(x);
    case ElementFunction::ceil:
      return std::ceil(x);
    case ElementFunction::round:
      return std::nearbyint(x);
    case ElementFunction::exp:
      return std::exp(x);
    case ElementFunction::log:
      return std::log(x);
    case ElementFunction::tanh:
      return std::tanh(x);
    case ElementFunction::sigmoid:
      return sigmoid(x);
    case ElementFunction::erf:
      return std::erf(x);
    case ElementFunction::softplus:
      return softplus(x);
    case ElementFunction::gelu:
      return x / 2 * std::erfc(-x / std::sqrt(2.0));
    case ElementFunction::gelu_tanh:
      return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x));
    case ElementFunction::mish:
      return x * std::tanh(softplus(x));
    case ElementFunction::softsign:
      return x / (1 + std::fabs(x));
    case ElementFunction::hard_swish:
      return x * std::fmin(std::fmax(x / 6 + 0.5, 0.0), 1.0);
    case ElementFunction::sin:
      return std::sin(x);
    case ElementFunction::cos:
      return std::cos(x);
    case ElementFunction::tan:
      return std::tan(x);
    case ElementFunction::asin:
      return std::asin(x);
    case ElementFunction::acos:
      return std::acos(x);
    case ElementFunction::atan:
      return std::atan(x);
    case ElementFunction::sinh:
      return std::sinh(x);
    case ElementFunction::cosh:
      return std::cosh(x);
    case ElementFunction::asinh:
      return std::asinh(x);
    case ElementFunction::acosh:
      return std::acosh(x);
    case ElementFunction::atanh:
      return std::atanh(x);
  }
  return x;
}

double slope_about(ElementFunction function, double x) {
  if (function == ElementFunction::floor || function == ElementFunction::ceil || function == ElementFunction::round)
    return 1;
  const double step = 1e-6 * std::fmax(1, std::fabs(x));
  const double slope = (about(function, x + step) - about(function, x - step)) / (2 * step);
  return std::isfinite(slope) ? slope : 0;
}

}  // namespace outward
