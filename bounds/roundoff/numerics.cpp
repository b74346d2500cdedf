#include "bounds/roundoff/numerics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "formats/error.hpp"
#include "formats/exact.hpp"
#include "formats/value.hpp"

namespace outward::roundoff {
namespace {

constexpr double least_double = 0x1p-1074;

double power_up(std::int64_t exponent) {
  if (exponent < -1074) return least_double;
  if (exponent > 1023) return infinity;
  return std::ldexp(1.0, static_cast<int>(exponent));
}

// Floor of log2 of a positive finite double.
std::int64_t exponent_of(double x) {
  int e = 0;
  std::frexp(x, &e);
  return e - 1;
}

double greatest(const Format& format) {
  const std::int64_t e = format.greatest_exponent();
  if (e > 1023) return std::numeric_limits<double>::max();
  return round_down(to_rational(greatest_finite(format)));
}

}  // namespace

FormatModel::FormatModel(const Format& f)
    : format(f),
      precision(f.precision()),
      least_exponent(f.least_exponent()),
      u(power_up(-f.precision())),
      u_path(f.precision() > 1000 ? u : div_up(u, add_down(1.0, u))),
      eta(power_up(f.least_exponent() - f.precision())),
      omega(greatest(f)),
      least_normal(power_up(f.least_exponent())),
      to_shift(f.precision() > 53 ? 0 : std::ldexp(1.5, 53 - f.precision())) {
  // Figueroa 1995: results of + − × / √ in p bits are those of 53 bits rounded once more if 53 >= 2p + 2; the exponents
  // leave room for products and their last bits in binary64.
  emulable = 2 * precision + 2 <= 53 && least_exponent >= -200 && f.greatest_exponent() <= 200 && !f.saturate &&
             f.convention != Convention::scale && f.convention != Convention::finite;
}

double FormatModel::half_ulp_up(double magnitude) const {
  if (!(magnitude < infinity)) return infinity;
  if (magnitude == 0) return 0;
  const std::int64_t e = exponent_of(magnitude);
  double half = power_up(std::max(e, least_exponent) - precision);
  if (e > least_exponent && e <= 1023) {
    // Below 2^e the spacing is half as wide, and nothing above it is farther from that number than the excess.
    const double excess = magnitude - std::ldexp(1.0, static_cast<int>(e));  // exact
    half = std::max(power_up(e - 1 - precision), std::min(half, excess));
  }
  return std::min(half, add_up(mul_up(u_path, magnitude), eta));
}

double FormatModel::ulp_up(double magnitude) const {
  if (!(magnitude < infinity)) return infinity;
  if (magnitude == 0) return power_up(least_exponent - precision + 1);
  return power_up(std::max(exponent_of(magnitude), least_exponent) - precision + 1);
}

bool FormatModel::holds(double x) const { return conversion_error_up(x) == 0; }

double FormatModel::conversion_error_up(double x) const {
  if (x == 0) return 0;
  if (!(std::fabs(x) < infinity)) return infinity;
  if (emulable) {
    const double r = round(x);
    return std::fabs(r) < infinity ? std::fabs(r - x) : infinity;  // exact: both within two binades, or r = 0
  }
  // A binary64 number has at most 53 bits: it fits when they do, and its last one is no subnormal of the format.
  Flags flags;
  const Value value = outward::round(format, exact(x), Rounding::nearest_even, flags);
  if (!value.is_finite()) return infinity;
  const Rational difference = abs(to_rational(value) - exact(x));
  return round_up(difference);
}

bool contains(const FormatModel& wide, const FormatModel& narrow) {
  return wide.precision >= narrow.precision && wide.omega >= narrow.omega &&
         wide.least_exponent - wide.precision <= narrow.least_exponent - narrow.precision;
}

bool holds_products(const FormatModel& wide, const FormatModel& narrow) {
  const std::int64_t last = 2 * (narrow.least_exponent - narrow.precision + 1);
  return 2 * narrow.precision <= wide.precision && last >= wide.least_exponent - wide.precision + 1;
}

Arithmetic::Arithmetic(const NumericalPolicy& p)
    : policy(p),
      values(p.format),
      sums(p.accumulator ? *p.accumulator : p.format),
      factors(p.operands ? *p.operands : p.format),
      converts(p.operands.has_value()),
      exact_products(holds_products(sums, factors)),
      precise_products(2 * factors.precision <= sums.precision),
      narrows(p.accumulator && !(*p.accumulator == p.format)) {
  std::vector<Blocker> blockers;
  const auto refuse = [&](const std::string& what, const std::string& expected, const std::string& found) {
    blockers.push_back({"no-rule", "policy", what, expected, found, ""});
  };
  if (const std::string fault = policy_fault(p); !fault.empty())
    refuse(fault, "a policy that makes sense", policy_text(p));
  // Constants are converted to even here: a tie that goes away is another constant, on the other side.
  if (p.rounding != Rounding::nearest_even)
    refuse("only rounding to nearest, ties to even, has formulas here", "rounding=nearest_even", policy_text(p));
  // Operands and constants that are read as zero lose all of themselves, also where they divide or are the argument of
  // a logarithm or a root; the formulas know of results only.
  if (p.subnormals == Subnormals::flush || values.format.flush || sums.format.flush)
    refuse("arithmetic that flushes subnormal numbers has no formulas here", "subnormals=gradual", policy_text(p));
  // Figueroa 1995: with 2p + 2 bits a result that is rounded to the accumulator first is as if rounded once.
  if (narrows && sums.precision < 2 * values.precision + 2)
    refuse("results rounded twice: the accumulator has less than 2p + 2 bits for stored numbers of p bits",
           "the format itself, or an accumulator at least that wide", format_text(sums.format));
  if (!contains(values, factors))
    refuse("operands rounded to a format that the stored one does not contain", "a narrower format", policy_text(p));
  for (const FormatModel* f : {&values, &sums, &factors})
    if (f->format.convention == Convention::scale || f->format.saturate)
      refuse("a format that saturates or has no sign", "a format where overflow is seen", format_text(f->format));
  if (!contains(sums, values))
    refuse("the accumulator lacks numbers of the format", "an accumulator that contains it", format_text(sums.format));
  if (p.reduction == Reduction::block) {
    if (sums.precision != 24) refuse("block models accumulate in binary32", "accumulator=binary32", policy_text(p));
    if (!precise_products) refuse("block models need exact products", "a format of at most 12 bits", policy_text(p));
  }
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
}

double growth_up(double n, double u_path) {
  const double x = mul_up(n, u_path);  // (1 + u)^n <= e^(n·u)
  if (!(x < 700)) return infinity;
  // expm1 of the C library is within a few units of the last place; 2^-40 is a million of them.
  return mul_up(std::expm1(x), 1 + 0x1p-40);
}

}  // namespace outward::roundoff
