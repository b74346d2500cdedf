// Interval vectors in binary64: ns per interval for every operation and every path of formats/interval/vector64.hpp
// that the processor has, in one run.
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "benchmarks/clock.hpp"
#include "formats/interval/vector64.hpp"

using namespace outward;
using vector64::Operation;
using vector64::Path;

int main() {
  constexpr std::size_t n = 4096;
  std::mt19937_64 random(1);
  std::vector<double> a_lo, a_hi, b_lo, b_hi, lo(n), hi(n);
  const auto number = [&] { return static_cast<double>(random() >> 11) * 0x1p-50; };
  for (std::size_t i = 0; i < n; ++i) {
    a_lo.push_back(number() - 4);
    a_hi.push_back(a_lo.back() + number());
    b_lo.push_back(number() + 1);
    b_hi.push_back(b_lo.back() + number());
  }
  std::printf("ns per interval, vectors of %zu; best of 5\n%-10s %8s %8s %8s %8s\n", n, "path", "add", "sub", "mul",
              "div");
  for (Path path : {Path::generic, Path::portable, Path::avx2, Path::avx512}) {
    if (!vector64::has_path(path)) {
      std::printf("%-10s this processor lacks it\n", vector64::path_name(path));
      continue;
    }
    std::printf("%-10s", vector64::path_name(path));
    for (Operation operation : {Operation::add, Operation::subtract, Operation::multiply, Operation::divide}) {
      const int repeat = path == Path::generic ? 1 : 200;
      double best = 1e300;
      for (int round = 0; round < 5; ++round) {
        const double from = cpu();
        for (int r = 0; r < repeat; ++r) vector64::apply(operation, {a_lo, a_hi}, {b_lo, b_hi}, lo, hi, path);
        best = std::min(best, (cpu() - from) * 1e9 / (static_cast<double>(n) * repeat));
      }
      std::printf(" %8.2f", best);
    }
    std::printf("\n");
  }
  return hi[0] < lo[0] ? 1 : 0;
}
