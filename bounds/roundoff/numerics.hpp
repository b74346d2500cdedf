// Rounding to nearest in a binary format as figures of binary64, each on the safe side. Assumes nothing; promises that
// the analysis never depends on a number that was itself rounded the wrong way.
// Sources: Jeannerod and Rump 2018 (u/(1+u) for one rounding); IEEE 754-2019 section 3.3.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "formats/directed.hpp"
#include "formats/format.hpp"
#include "runtime/capsules/policy.hpp"

namespace outward::roundoff {

struct FormatModel {
  explicit FormatModel(const Format& format = binary(11, 52));

  Format format;
  int precision;                // bits, with the hidden one
  std::int64_t least_exponent;  // of normal numbers
  double u;                     // 2^-precision, rounded up where binary64 has no such number
  double u_path;                // u/(1+u), rounded up: relative error of one rounding
  double eta;                   // absolute error of one rounding below the least normal number, rounded up
  double omega;                 // greatest finite number, rounded down
  double least_normal;          // rounded up
  double to_shift;              // 1.5·2^(53 − precision), see round()
  bool emulable;                // numbers are binary64 numbers and two roundings are one: see execution.hpp

  // Greatest error of rounding any real number of at most this magnitude. REQUIRES magnitude >= 0; infinity and NaN
  // give infinity. Overflow is not looked at.
  double half_ulp_up(double magnitude) const;
  // Greatest unit in the last place of a number of at most this magnitude, likewise.
  double ulp_up(double magnitude) const;
  // The number of the format nearest to x, ties to even; infinity where the format has no such number. Exact only if
  // emulable; else REQUIRES nothing and returns x.
  double round(double x) const;
  // Whether x is a number of this format.
  bool holds(double x) const;
  // |x − the number of this format nearest to x|, rounded up: 0 where the format holds x.
  double conversion_error_up(double x) const;
};

inline double FormatModel::round(double x) const {
  if (!emulable || x == 0 || !(std::fabs(x) < infinity)) return x;
  // 1.5 times a power of two whose unit in the last place is that of the format at x: runs for observing errors spend
  // their time here. Exponents of emulable formats leave room on both sides; a product beyond them is infinite.
  const auto power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7FF0000000000000U);
  if (power > 0x1p400) return x > 0 ? infinity : -infinity;
  const double shift = std::max(power, least_normal) * to_shift;
  const double r = (x + shift) - shift;
  if (std::fabs(r) > omega) return x > 0 ? infinity : -infinity;
  return r;
}

// Every number of `narrow` is one of `wide`.
bool contains(const FormatModel& wide, const FormatModel& narrow);
// Products of two numbers of `narrow` are numbers of `wide` (overflow apart).
bool holds_products(const FormatModel& wide, const FormatModel& narrow);

// A policy ready for analysis.
struct Arithmetic {
  // Throws InputRefused, all reasons at once, for what no formula here covers: other roundings than to nearest even,
  // flushed subnormal numbers, accumulators that lack numbers of the format or round results of it twice, operands of
  // contractions rounded to a format that the stored one does not contain, block models without binary32.
  explicit Arithmetic(const NumericalPolicy& policy);

  NumericalPolicy policy;
  FormatModel values, sums;  // of stored values; of products and sums inside one operator
  FormatModel factors;       // of both factors of products in contractions, and of what a reduce adds up
  bool converts;             // they are rounded to it first; else it is that of values
  bool exact_products;       // products of factors need no rounding in `sums`
  bool precise_products;     // nor do they where they are normal numbers
  bool narrows;              // results are rounded a second time when they are stored
  double function_ulps = 1;  // elementary functions are within so many ulps of `values`
  bool any_fusion() const { return leaves_fusion_open(policy) || policy.reduction == Reduction::none; }
};

// (1 + u_path)^n − 1 rounded up; infinity where it is useless.
double growth_up(double n, double u_path);

// Upward arithmetic on nonnegative numbers that may be infinite; 0·∞ is 0: what is exactly zero stays zero.
inline double plus(double a, double b) { return add_up(a, b); }
inline double times(double a, double b) { return a == 0 || b == 0 ? 0.0 : mul_up(a, b); }

}  // namespace outward::roundoff
