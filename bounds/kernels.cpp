#include "bounds/kernels.hpp"

#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <cmath>

// One copy per instruction set, picked by the loader; none of them contracts (-ffp-contract=off holds for the whole
// program).
#define OUTWARD_VECTOR __attribute__((target_clones("avx512f", "avx2", "default")))

namespace outward {

namespace {

// Eight binary64 numbers; the compiler maps them to what the instruction set of the clone has. Loads may be unaligned.
using Lanes = double __attribute__((vector_size(64), aligned(8)));
using HalfVector = double __attribute__((vector_size(32), aligned(8)));
using Mask = long long __attribute__((vector_size(64)));
constexpr std::size_t lanes = 8;

inline const Lanes& load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline Lanes& at(double* p) { return *reinterpret_cast<Lanes*>(p); }

inline double total(const Lanes& v) {
  double s = 0;
  for (std::size_t i = 0; i < lanes; ++i) s += v[i];
  return s;
}

}  // namespace

namespace {
std::atomic<std::uint64_t> operations{0};
}
std::uint64_t gemm_operations() { return operations; }

void gemm(std::size_t rows, std::size_t n, std::size_t k, const double* a, const double* b, double* c) {
  operations += 2 * rows * n * k;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(rows), static_cast<int>(n),
              static_cast<int>(k), 1.0, a, static_cast<int>(k), b, static_cast<int>(n), 0.0, c, static_cast<int>(n));
}

void gemm_transposed_a(std::size_t m, std::size_t n, std::size_t k, const double* a, std::size_t lda, const double* b,
                       std::size_t ldb, double* c, std::size_t ldc) {
  operations += 2 * m * n * k;
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k),
              1.0, a, static_cast<int>(lda), b, static_cast<int>(ldb), 0.0, c, static_cast<int>(ldc));
}

OUTWARD_VECTOR Products interval_dot(const double* w, const double* centre, const double* radius, const double* sum,
                                     std::size_t n) {
  Lanes c = {}, r = {}, s = {};
  const Lanes zero = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Lanes v = load(w + j);
    const Lanes a = v < zero ? -v : v;
    c += v * load(centre + j);
    r += a * load(radius + j);
    s += a * load(sum + j);
  }
  Products out{total(c), total(r), total(s)};
  for (; j < n; ++j) {
    const double a = std::fabs(w[j]);
    out.centre += w[j] * centre[j];
    out.radius += a * radius[j];
    out.sum += a * sum[j];
  }
  return out;
}

OUTWARD_VECTOR void interval_axpy(double w, const double* c, const double* r, const double* s, std::size_t stride,
                                  double* yc, double* yr, double* ys, std::size_t n) {
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
                                 const double* upper_slope, const double* upper_offset, const double* weight,
                                 double* nu, std::size_t n) {
  Lanes constant = {}, absolute = {}, error = {};
  const Lanes zero = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Lanes m = load(mu + j);
    // Rows that start at neurons of a convolution are zero almost everywhere: such stretches cost one look.
    const Mask nonzero = m != zero;
    long long any = 0;
    for (std::size_t i = 0; i < lanes; ++i) any |= nonzero[i];
    if (any == 0) {
      at(nu + j) = zero;
      continue;
    }
    const Mask positive = m > zero;
    const Lanes slope = positive ? load(lower_slope + j) : load(upper_slope + j);
    const Lanes offset = positive ? load(lower_offset + j) : load(upper_offset + j);
    const Lanes product = m * offset, v = m * slope;
    const Lanes t = m == zero ? zero : product;  // 0·∞ of an unbounded element is 0 here
    at(nu + j) = v;
    constant += t;
    absolute += t < zero ? -t : t;
    error += (v < zero ? -v : v) * load(weight + j);
  }
  RowSums sums{total(constant), total(absolute), total(error)};
  for (; j < n; ++j) {
    const double m = mu[j], slope = m > 0 ? lower_slope[j] : upper_slope[j],
                 offset = m > 0 ? lower_offset[j] : upper_offset[j];
    const double t = m == 0 ? 0.0 : m * offset, v = m * slope;
    nu[j] = v;
    sums.constant += t;
    sums.absolute += std::fabs(t);
    sums.error += std::fabs(v) * weight[j];
  }
  return sums;
}

OUTWARD_VECTOR double weighted_abs(const double* nu, const double* weight, std::size_t n) {
  Lanes sum = {};
  const Lanes zero = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Lanes v = load(nu + j);
    sum += (v < zero ? -v : v) * load(weight + j);
  }
  double out = total(sum);
  for (; j < n; ++j) out += std::fabs(nu[j]) * weight[j];
  return out;
}

OUTWARD_VECTOR void dot_and_abs(const double* nu, const double* c, std::size_t n, double* dot, double* absolute) {
  Lanes d = {}, a = {};
  const Lanes zero = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Lanes t = load(nu + j) * load(c + j);
    d += t;
    a += t < zero ? -t : t;
  }
  *dot = total(d);
  *absolute = total(a);
  for (; j < n; ++j) {
    const double t = nu[j] * c[j];
    *dot += t;
    *absolute += std::fabs(t);
  }
}

OUTWARD_VECTOR double accumulate_row(double* nu, const double* mu, const double* weight, std::size_t n) {
  Lanes error = {};
  const Lanes zero = {};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Lanes v = load(nu + j) + load(mu + j);
    at(nu + j) = v;
    error += (v < zero ? -v : v) * load(weight + j);
  }
  double out = total(error);
  for (; j < n; ++j) {
    nu[j] += mu[j];
    out += std::fabs(nu[j]) * weight[j];
  }
  return out;
}

OUTWARD_VECTOR double plane_sums(const double* plane, std::int64_t lines, std::int64_t width, double* line_absolute,
                                 double* absolute) {
  const Lanes zero = {};
  double sum = 0;
  *absolute = 0;
  for (std::int64_t y = 0; y < lines; ++y) {
    const double* line = plane + y * width;
    Lanes s = {}, a = {};
    std::int64_t x = 0;
    for (; x + static_cast<std::int64_t>(lanes) <= width; x += lanes) {
      const Lanes v = load(line + x);
      s += v;
      a += v < zero ? -v : v;
    }
    double line_sum = total(s), line_abs = total(a);
    for (; x < width; ++x) {
      line_sum += line[x];
      line_abs += std::fabs(line[x]);
    }
    sum += line_sum;
    *absolute += line_abs;
    line_absolute[y] = line_abs;
  }
  return sum;
}

namespace {

// Output columns [first, last] that window column kx takes to columns of the image, and where output column 0 would go.
struct Reach {
  std::int64_t first, last, left;
  Reach(const ConvGeometry& g, std::int64_t kx, std::int64_t x0, std::int64_t x1) : left(g.pl - kx * g.dw) {
    first = std::max(x0, left > 0 ? (left + g.sw - 1) / g.sw : 0);
    last = std::min(x1 - 1, left + g.width - 1 >= 0 ? (left + g.width - 1) / g.sw : -1);
  }
};

__attribute__((always_inline)) inline void add_line(const double* __restrict from, std::int64_t n, std::int64_t stride,
                                                    double* __restrict line) {
  std::int64_t x = 0;
  if (stride == 1)
    for (; x + static_cast<std::int64_t>(lanes) <= n; x += lanes) at(line + x) += load(from + x);
  for (; x < n; ++x) line[x * stride] += from[x];
}

// Two neighbouring window columns with stride 2: their numbers take turns in the image.
__attribute__((always_inline)) inline void add_two_lines(const double* __restrict even, const double* __restrict odd,
                                                         std::int64_t n, double* __restrict line) {
  constexpr Mask low = {0, 8, 1, 9, 2, 10, 3, 11}, high = {4, 12, 5, 13, 6, 14, 7, 15};
  std::int64_t x = 0;
  for (; x + static_cast<std::int64_t>(lanes) <= n; x += lanes) {
    const Lanes a = load(even + x), b = load(odd + x);
    at(line + 2 * x) += __builtin_shuffle(a, b, low);
    at(line + 2 * x + lanes) += __builtin_shuffle(a, b, high);
  }
  if (x + 4 <= n) {  // output planes are often narrower than eight
    const HalfVector a = *reinterpret_cast<const HalfVector*>(even + x),
                     b = *reinterpret_cast<const HalfVector*>(odd + x);
    at(line + 2 * x) += __builtin_shufflevector(a, b, 0, 4, 1, 5, 2, 6, 3, 7);
    x += 4;
  }
  for (; x < n; ++x) {
    line[2 * x] += even[x];
    line[2 * x + 1] += odd[x];
  }
}

}  // namespace

OUTWARD_VECTOR void add_columns(const double* columns, const ConvGeometry& g, std::int64_t y0, std::int64_t y1,
                                std::int64_t x0, std::int64_t x1, double* image) {
  const std::int64_t width = x1 - x0, area = (y1 - y0) * width;
  for (std::int64_t c = 0; c < g.group_channels(); ++c) {
    for (std::int64_t ky = 0; ky < g.kh; ++ky) {
      for (std::int64_t kx = 0; kx < g.kw; ++kx) {
        const double* column = columns + ((c * g.kh + ky) * g.kw + kx) * area;
        const Reach one(g, kx, x0, x1);
        const bool two = g.sw == 2 && g.dw == 1 && kx + 1 < g.kw;
        const Reach next(g, two ? kx + 1 : kx, x0, x1);
        // Both reach the image in the columns between; next.first <= one.first and next.last <= one.last.
        const std::int64_t first = std::max(one.first, next.first), last = std::min(one.last, next.last);
        for (std::int64_t oy = y0; oy < y1; ++oy) {
          const std::int64_t iy = oy * g.sh - g.pt + ky * g.dh;
          if (iy < 0 || iy >= g.height) continue;
          double* line = image + (c * g.height + iy) * g.width;
          const double* from = column + (oy - y0) * width;
          if (!two) {
            add_line(from + (first - x0), last - first + 1, g.sw, line + first * g.sw - one.left);
            continue;
          }
          add_two_lines(from + (first - x0), from + (area + first - x0), last - first + 1, line + 2 * first - one.left);
          const std::int64_t before = std::min(first, next.last + 1), after = std::max(first, last + 1);
          add_line(from + (area + next.first - x0), before - next.first, 2, line + 2 * next.first - next.left);
          add_line(from + (after - x0), one.last + 1 - after, 2, line + 2 * after - one.left);
        }
        kx += two;
      }
    }
  }
}

}  // namespace outward
