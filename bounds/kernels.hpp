// The loops that carry the arithmetic: matrix products (OpenBLAS) and own vector loops, compiled for several
// instruction sets and chosen at run time. All to nearest, in no promised order: callers add the terms of rounding.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include "bounds/network.hpp"

namespace outward {

// C[rows×n] = A[rows×k]·B[k×n], all row-major.
void gemm(std::size_t rows, std::size_t n, std::size_t k, const double* a, const double* b, double* c);
// C[m×n] = Aᵀ·B with A[k×m], B[k×n], row-major; ldb and ldc are row strides.
void gemm_transposed_a(std::size_t m, std::size_t n, std::size_t k, const double* a, std::size_t lda, const double* b,
                       std::size_t ldb, double* c, std::size_t ldc);

// Floating-point operations asked of OpenBLAS so far, by all threads: for benchmarks.
std::uint64_t gemm_operations();

// The three products of interval arithmetic over one weight (or coefficient) row: Σ w·c, Σ |w|·r, Σ |w|·s.
struct Products {
  double centre, radius, sum;
};
Products interval_dot(const double* w, const double* centre, const double* radius, const double* sum, std::size_t n);

// y += a·x and, for the radius and sum planes, |a|·x. n elements, x with stride.
void interval_axpy(double w, const double* c, const double* r, const double* s, std::size_t stride, double* yc,
                   double* yr, double* ys, std::size_t n);

// One row through the lines of a piecewise-linear node: ν = μ·slope; returns Σ μ·offset, Σ |μ·offset| and Σ
// |ν_i|·weight_i.
struct RowSums {
  double constant = 0, absolute = 0, error = 0;
};
RowSums relax_row(const double* mu, const double* lower_slope, const double* lower_offset, const double* upper_slope,
                  const double* upper_offset, const double* weight, double* nu, std::size_t n);

// Σ |ν_i|·weight_i.
double weighted_abs(const double* nu, const double* weight, std::size_t n);
// Σ ν_i·c_i and Σ |ν_i|·|c_i|.
void dot_and_abs(const double* nu, const double* c, std::size_t n, double* dot, double* absolute);
// ν += μ; returns Σ |result_i|·weight_i (the cost of rounding the additions, times addition_term).
double accumulate_row(double* nu, const double* mu, const double* weight, std::size_t n);

// One output plane (lines × width) of a convolution's coefficients: Σ ν, Σ |ν|, and Σ |ν| of each line.
double plane_sums(const double* plane, std::int64_t lines, std::int64_t width, double* line_absolute, double* absolute);
// Transposed im2col over the output rectangle [y0, y1) × [x0, x1): columns[window][rectangle] is added into the image
// planes of one group (row-major [group_channels][height][width]).
void add_columns(const double* columns, const ConvGeometry& g, std::int64_t y0, std::int64_t y1, std::int64_t x0,
                 std::int64_t x1, double* image);

}  // namespace outward
