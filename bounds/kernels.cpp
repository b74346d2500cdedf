#include "bounds/kernels.hpp"

#include <cblas.h>

#include <atomic>
#include <cmath>

// One copy per instruction set, picked by the loader; none of them contracts (-ffp-contract=off holds for the whole program).
#define OUTWARD_VECTOR __attribute__((target_clones("avx512f", "avx2", "default")))

namespace outward {

namespace {
constexpr std::size_t lanes = 8;

double total(const double* lane) {
  double s = 0;
  for (std::size_t i = 0; i < lanes; ++i) s += lane[i];
  return s;
}
}  // namespace

namespace {
std::atomic<std::uint64_t> operations{0};
}
std::uint64_t gemm_operations() { return operations; }

void gemm(std::size_t rows, std::size_t n, std::size_t k, const double* a, const double* b, double* c) {
  operations += 2 * rows * n * k;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(rows), static_cast<int>(n), static_cast<int>(k),
              1.0, a, static_cast<int>(k), b, static_cast<int>(n), 0.0, c, static_cast<int>(n));
}

void gemm_transposed_a(std::size_t m, std::size_t n, std::size_t k, const double* a, std::size_t lda, const double* b,
                       std::size_t ldb, double* c, std::size_t ldc) {
  operations += 2 * m * n * k;
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0, a,
              static_cast<int>(lda), b, static_cast<int>(ldb), 0.0, c, static_cast<int>(ldc));
}

OUTWARD_VECTOR Products interval_dot(const double* w, const double* centre, const double* radius, const double* sum,
                                     std::size_t n) {
  double c[lanes] = {}, r[lanes] = {}, s[lanes] = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      const double v = w[j + i], a = std::fabs(v);
      c[i] += v * centre[j + i];
      r[i] += a * radius[j + i];
      s[i] += a * sum[j + i];
    }
  }
  for (; j < n; ++j) {
    const double v = w[j], a = std::fabs(v);
    c[0] += v * centre[j];
    r[0] += a * radius[j];
    s[0] += a * sum[j];
  }
  return {total(c), total(r), total(s)};
}

OUTWARD_VECTOR void interval_axpy(double w, const double* c, const double* r, const double* s, std::size_t stride, double* yc,
                                  double* yr, double* ys, std::size_t n) {
  const double a = std::fabs(w);
  if (stride == 1) {
    for (std::size_t i = 0; i < n; ++i) yc[i] += w * c[i];
    for (std::size_t i = 0; i < n; ++i) yr[i] += a * r[i];
    for (std::size_t i = 0; i < n; ++i) ys[i] += a * s[i];
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    yc[i] += w * c[i * stride];
    yr[i] += a * r[i * stride];
    ys[i] += a * s[i * stride];
  }
}

OUTWARD_VECTOR RowSums relax_row(const double* mu, const double* lower_slope, const double* lower_offset,
                                 const double* upper_slope, const double* upper_offset, const double* weight, double* nu,
                                 std::size_t n) {
  double constant[lanes] = {}, absolute[lanes] = {}, error[lanes] = {};
  auto one = [&](std::size_t j, std::size_t i) {
    const double m = mu[j];
    const double slope = m > 0 ? lower_slope[j] : upper_slope[j];
    const double offset = m > 0 ? lower_offset[j] : upper_offset[j];
    const double t = m == 0 ? 0.0 : m * offset, v = m * slope;
    nu[j] = v;
    constant[i] += t;
    absolute[i] += std::fabs(t);
    error[i] += std::fabs(v) * weight[j];
  };
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes)
    for (std::size_t i = 0; i < lanes; ++i) one(j + i, i);
  for (; j < n; ++j) one(j, 0);
  return {total(constant), total(absolute), total(error)};
}

OUTWARD_VECTOR double weighted_abs(const double* nu, const double* weight, std::size_t n) {
  double s[lanes] = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes)
    for (std::size_t i = 0; i < lanes; ++i) s[i] += std::fabs(nu[j + i]) * weight[j + i];
  for (; j < n; ++j) s[0] += std::fabs(nu[j]) * weight[j];
  return total(s);
}

OUTWARD_VECTOR void dot_and_abs(const double* nu, const double* c, std::size_t n, double* dot, double* absolute) {
  double d[lanes] = {}, a[lanes] = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      const double t = nu[j + i] * c[j + i];
      d[i] += t;
      a[i] += std::fabs(t);
    }
  }
  for (; j < n; ++j) {
    const double t = nu[j] * c[j];
    d[0] += t;
    a[0] += std::fabs(t);
  }
  *dot = total(d);
  *absolute = total(a);
}

OUTWARD_VECTOR double accumulate_row(double* nu, const double* mu, const double* weight, std::size_t n) {
  double e[lanes] = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    for (std::size_t i = 0; i < lanes; ++i) {
      const double v = nu[j + i] + mu[j + i];
      nu[j + i] = v;
      e[i] += std::fabs(v) * weight[j + i];
    }
  }
  for (; j < n; ++j) {
    const double v = nu[j] + mu[j];
    nu[j] = v;
    e[0] += std::fabs(v) * weight[j];
  }
  return total(e);
}

}  // namespace outward
