// The prover's own rounding, one function per term (DESIGN section 1). Everything the engine computes in binary64 is
// rounded to nearest in an unspecified order (OpenBLAS); these terms, added outward, make the results bounds again.
// Sources: Jeannerod & Rump 2013 (dot products in any order), Higham, Accuracy and Stability, section 3.1 (gamma).
#pragma once
#include <cmath>
#include <cstdint>

#include "formats/directed.hpp"

namespace outward {

inline constexpr double unit_roundoff = 0x1p-53;  // of binary64
inline constexpr double smallest = 0x1p-1074;     // spacing of binary64 subnormals: a product loses at most half of it

// gamma_n = n·u/(1 − n·u), rounded up. REQUIRES n·u < 1/2 (n < 2^51).
inline double gamma_up(double n, double u = unit_roundoff) {
  double nu = mul_up(n, u);
  return div_up(nu, sub_down(1.0, nu));
}

// (i) A sum of m products in any order, with or without FMA: |fl(νW) − νW| <= product_term(m)·|ν||W| (underflow apart).
// Two more roundings are counted: adding the result to a constant, and a fused bias.
inline double product_term(std::uint64_t m) { return gamma_up(static_cast<double>(m) + 3); }

// Underflow of the m products of one sum, each at most `smallest`/2, when `consumers` such sums are multiplied by
// values up to `magnitude`.
inline double underflow_term(std::uint64_t m, std::uint64_t consumers, double magnitude) {
  double count = mul_up(static_cast<double>(m) + 1, static_cast<double>(consumers) + 1);
  return mul_up(mul_up(count, smallest), magnitude > 1 ? magnitude : 1.0);
}

// (ii) A slope product s·μ rounded once: |fl(μs) − μs| <= slope_term·|fl(μs)|, so it costs slope_term·|ν|·|z|max.
inline constexpr double slope_term = 0x1p-53;

// (iii) One addition at a node with several readers: |fl(a+b) − (a+b)| <= addition_term·|fl(a+b)|.
inline constexpr double addition_term = 0x1p-53;

// (v) A scalar sum of n terms errs by at most this times the sum of their absolute values (itself already inflated).
inline double scalar_sum_rounding(std::uint64_t n) { return gamma_up(static_cast<double>(n) + 2); }
inline double scalar_sum_term(std::uint64_t n, double absolute) { return mul_up(scalar_sum_rounding(n), absolute); }

// (vi) A sum of n nonnegative terms computed to nearest, times this, is at least the true one.
inline double inflation_up(std::uint64_t n) { return next_up(1.0 + 0x1p-52 * (static_cast<double>(n) + 4)); }
inline double inflate(double nonnegative_sum, std::uint64_t n) { return mul_up(nonnegative_sum, inflation_up(n)); }

// At least a + b, where each of the two is a nonnegative number or the product of two such, rounded to nearest: three
// roundings and two underflows, paid by one multiplication and one addition. For loops, where next_up costs more than
// the last bit is worth.
inline double sum_up(double a, double b) { return (a + b) * (1 + 0x1p-50) + 0x1p-1072; }

// (vii) Centre and radius of [lo, hi]: every point lies within radius of centre. REQUIRES finite lo <= hi.
inline void centre_radius(double lo, double hi, double* centre, double* radius) {
  double c = lo + 0.5 * (hi - lo);
  if (!(std::fabs(c) < infinity)) c = 0.5 * lo + 0.5 * hi;
  double above = sub_up(hi, c), below = sub_up(c, lo);
  *centre = c;
  *radius = above > below ? above : below;
}

}  // namespace outward
