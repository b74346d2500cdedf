// Choice of the path, the portable path and the generic one: see the header.
#include "formats/interval/vector64.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "formats/interval/interval.hpp"
#include "formats/interval/vector64_kernel.hpp"
#include "formats/interval/vector64_paths.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace outward::vector64 {
namespace {

struct One {
  using D = double;
  using M = bool;
  static constexpr std::size_t width = 1;
  static D load(const double* p) { return *p; }
  static void store(double* p, D x) { *p = x; }
  static D all(double x) { return x; }
  static M none() { return false; }
  static int bits(M m) { return m ? 1 : 0; }
  static M less(D a, D b) { return a < b; }
  static M is_zero(D a) { return a == 0; }
  static M either(M a, M b) { return a || b; }
  static M both(M a, M b) { return a && b; }
  static M opposite(M a) { return !a; }
  static D select(M m, D a, D b) { return m ? a : b; }
  static D least(D a, D b) { return a < b ? a : b; }
  static D greatest(D a, D b) { return a > b ? a : b; }
  static D absolute(D a) { return std::fabs(a); }
  static D opposite_sign(D a) { return -a; }
  static D add(D a, D b) { return a + b; }
  static D subtract(D a, D b) { return a - b; }
  static D multiply(D a, D b) { return a * b; }
  static D divide(D a, D b) { return a / b; }
  static D product_minus(D a, D b, D c) { return std::fma(a, b, -c); }
  static D negated_product_plus(D a, D b, D c) { return std::fma(-a, b, c); }
  static D step(D x, bool up) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return std::bit_cast<double>(up == (x > 0) ? bits + 1 : bits - 1);
  }
};

// Whether a path can be used under the ambient modes: none flushes, and only AVX-512 says its direction itself.
bool modes_allow(Path path) {
#ifdef __SSE2__
  const unsigned modes = _mm_getcsr();
  if ((modes & 0x8040U) != 0) return false;
  return path == Path::avx512 || (modes & 0x6000U) == 0;
#else
  return false;
#endif
}

const Format& binary64() {
  static const Format format = binary(11, 52);
  return format;
}

Value value(double x) { return decode(binary64(), Integer(std::bit_cast<std::uint64_t>(x))); }
double number(const Value& x) {
  if (x.kind == ValueKind::zero) return 0;
  return std::bit_cast<double>(static_cast<std::uint64_t>(encode(binary64(), x)));
}

void generic(Operation operation, const Ends& a, const Ends& b, std::size_t i, double& lo, double& hi) {
  const Interval x(value(a.lo[i]), value(a.hi[i])), y(value(b.lo[i]), value(b.hi[i]));
  const Interval result = operation == Operation::add        ? outward::add(binary64(), x, y)
                          : operation == Operation::subtract ? outward::subtract(binary64(), x, y)
                          : operation == Operation::multiply ? outward::multiply(binary64(), x, y)
                                                             : outward::divide(binary64(), x, y);
  lo = number(result.lower());
  hi = number(result.upper());
}

struct PathRow {
  Path path;
  const char* name;
  std::size_t width;
  detail::Run run;
};
constexpr std::array paths = {
    PathRow{Path::generic, "generic", 1, nullptr}, PathRow{Path::portable, "portable", 1, detail::run_portable},
    PathRow{Path::avx2, "AVX2", 4, detail::run_avx2}, PathRow{Path::avx512, "AVX-512", 8, detail::run_avx512}};

}  // namespace

void detail::run_portable(Operation operation, const double* a_lo, const double* a_hi, const double* b_lo,
                          const double* b_hi, std::size_t n, double* lo, double* hi, std::uint8_t* bad_lanes) {
  run<Nearest<One>>(operation, a_lo, a_hi, b_lo, b_hi, n, lo, hi, bad_lanes);
}

const char* path_name(Path path) { return paths[static_cast<std::size_t>(path)].name; }

bool has_path(Path path) {
#ifdef __x86_64__
  if (path == Path::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (path == Path::avx512) return __builtin_cpu_supports("avx512f");
  return true;
#else
  return path == Path::generic;
#endif
}

Path best_path() {
  static const Path best = [] {
    for (Path path : {Path::avx512, Path::avx2, Path::portable})
      if (has_path(path)) return path;
    return Path::generic;
  }();
  return best;
}

void apply(Operation operation, Ends a, Ends b, std::span<double> lo, std::span<double> hi, Path path) {
  if (!has_path(path)) throw std::logic_error(std::string("this processor lacks ") + path_name(path));
  const std::size_t n = a.lo.size();
  if (path == Path::generic || !modes_allow(path)) {
    for (std::size_t i = 0; i < n; ++i) generic(operation, a, b, i, lo[i], hi[i]);
    return;
  }
  // Blocks through buffers, so that lanes to be done again still find their operands when out is a or b.
  constexpr std::size_t block = 256;
  const PathRow& row = paths[static_cast<std::size_t>(path)];
  std::array<double, block> low, high;
  std::array<std::uint8_t, block> bad;
  for (std::size_t from = 0; from < n; from += block) {
    const std::size_t count = std::min(block, n - from), whole = count - count % row.width;
    row.run(operation, &a.lo[from], &a.hi[from], &b.lo[from], &b.hi[from], whole, low.data(), high.data(), bad.data());
    for (std::size_t i = 0; i < whole; ++i)
      if ((bad[i / row.width] >> i % row.width & 1) != 0) generic(operation, a, b, from + i, low[i], high[i]);
    for (std::size_t i = whole; i < count; ++i) {
      std::uint8_t again = 1;
      if (modes_allow(Path::portable))
        detail::run_portable(operation, &a.lo[from + i], &a.hi[from + i], &b.lo[from + i], &b.hi[from + i], 1, &low[i],
                             &high[i], &again);
      if (again != 0) generic(operation, a, b, from + i, low[i], high[i]);
    }
    std::copy_n(low.begin(), count, lo.begin() + static_cast<std::ptrdiff_t>(from));
    std::copy_n(high.begin(), count, hi.begin() + static_cast<std::ptrdiff_t>(from));
  }
}

}  // namespace outward::vector64
