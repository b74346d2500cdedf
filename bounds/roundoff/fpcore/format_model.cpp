#include "bounds/roundoff/fpcore/format_model.hpp"

#include <bit>
#include <cstdint>

namespace outward::fpcore {

int floor_log2_of(double x) {
  const int stored = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff;
  return stored == 0 ? std::ilogb(x) : stored - 1023;
}

double power_of_two_up(int n) {
  if (n < -1074) return std::numeric_limits<double>::denorm_min();
  if (n > 1023) return infinity;
  if (n >= -1022) return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
  return std::ldexp(1.0, n);
}

FormatModel::FormatModel(const Format& format) : precision(format.precision()) {
  const auto clamped = [](std::int64_t n) {
    return static_cast<int>(std::clamp<std::int64_t>(n, -(1 << 27), 1 << 27));
  };
  least_exponent = clamped(format.least_exponent());
  lowest_grid = clamped(format.least_exponent() - format.fraction_bits);
  wider_than_binary64 = precision >= 53 && lowest_grid <= -1074;
  least_normal = power_of_two_up(least_exponent);
  // Largest finite: in fn formats all fraction bits but the last may be set at the top.
  const std::int64_t top = format.greatest_exponent();
  if (top > 1023) {
    greatest = std::numeric_limits<double>::max();
  } else {
    const int bits = std::min(precision, 53) - (format.convention == Convention::fn ? 1 : 0);
    greatest = bits < 1 ? std::ldexp(1.0, static_cast<int>(top))
                        : std::ldexp(2.0 - std::ldexp(1.0, 1 - bits), static_cast<int>(top));
  }
}

double FormatModel::half_unit(double magnitude) const {
  if (!(magnitude < infinity)) return infinity;
  if (magnitude == 0) return 0;
  int exponent = floor_log2_of(magnitude);
  if (magnitude == power_of_two_up(exponent)) --exponent;
  return power_of_two_up(std::max(exponent, least_exponent) - precision);
}

Span FormatModel::rounded(Span z) const {
  if (wider_than_binary64 || !z.bounded()) return z;
  // Ties go outward, so that either rule of ties is covered.
  const auto upper = [this](double x) {
    if (x == 0) return x;
    const int unit = std::max(floor_log2_of(std::fabs(x)), least_exponent) - precision + 1;
    const double scaled = std::ldexp(x, -unit);
    if (!(std::fabs(scaled) < 0x1p53)) return x;  // already a number of the format
    // Scaling a tiny number down may lose bits: then the number above.
    if (std::ldexp(scaled, unit) != x) return next_up(x);
    const double below = std::floor(scaled);
    return std::ldexp(scaled - below >= 0.5 ? below + 1 : below, unit);
  };
  return {-upper(-z.lo), upper(z.hi)};
}

int FormatModel::grid(double least_magnitude) const {
  if (!(least_magnitude > 0)) return lowest_grid;
  return std::max(lowest_grid, floor_log2_of(least_magnitude) - precision + 1);
}

bool FormatModel::holds(int grid, double magnitude) const {
  if (grid < lowest_grid) return false;
  const int top = grid + precision;
  if (top > 1023) return magnitude < infinity;
  return top >= -1074 && magnitude <= power_of_two_up(top);
}

}  // namespace outward::fpcore
