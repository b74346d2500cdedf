// Rounding to nearest in a binary format, as far as bounds need it: sizes in binary64, rounded outward. Assumes a
// format with a sign, without flush. Source: IEEE 754-2019 section 4.3; half a unit of the binade below |x|.
#pragma once
#include "bounds/roundoff/fpcore/core.hpp"

namespace outward::fpcore {

// floor(log2 x). REQUIRES x > 0, finite.
int floor_log2_of(double x);

// An upper bound of 2^n, at least the least positive binary64 number.
double power_of_two_up(int n);

struct FormatModel {
  int precision = 53;        // bits of the significand
  int least_exponent = 0;    // of normal numbers
  int lowest_grid = 0;       // every number is a multiple of 2^lowest_grid
  double greatest = 0;       // the largest finite number, or a smaller bound
  double least_normal = 0;   // an upper bound
  bool wider_than_binary64;  // every binary64 number is a number of the format

  explicit FormatModel(const Format& format);

  // |round(z) - z| <= half_unit(M) for every |z| <= M, barring overflow. Where M is a power of two, z = M is exact and
  // everything below lies in the binade below.
  double half_unit(double magnitude) const;
  // The numbers that the points of the span can be rounded to.
  Span rounded(Span z) const;
  // The greatest g such that numbers of at least this magnitude are multiples of 2^g.
  int grid(double least_magnitude) const;
  // Whether multiples of 2^grid of at most this magnitude are all numbers of the format.
  bool holds(int grid, double magnitude) const;
};

}  // namespace outward::fpcore
