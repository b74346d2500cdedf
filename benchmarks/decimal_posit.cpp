// Nanoseconds per operation of decimal64 and posit32 in 128-bit integers, beside the compiler's own decimal64 and MPFR
// with the precision that holds the significands, in one run on one core. Prints a table; nothing here is a test.
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "benchmarks/operation_time.hpp"
#include "formats/decimal/codec.hpp"
#include "formats/decimal/fast64.hpp"
#include "formats/posit/posit.hpp"

using namespace outward;

namespace {

using Row = std::array<double, 6>;

void print(const char* format, const char* who, const Row& row) {
  std::printf("%-10s %-14s", format, who);
  for (const double ns : row) ns > 0 ? std::printf("  %6.1f", ns) : std::printf("  %6s", "-");
  std::printf("\n");
}

std::vector<double> values() {
  std::mt19937_64 random(3);
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i)
    x.push_back(static_cast<double>(random() % 1'000'000'007 + 1) / static_cast<double>(random() % 1'000'000'007 + 1));
  return x;
}

Row time_mpfr(int precision, const std::vector<double>& numbers) {
  std::vector<mpfr_t> x(count);
  mpfr_t r;
  mpfr_init2(r, precision);
  for (std::size_t i = 0; i < count; ++i) {
    mpfr_init2(x[i], precision);
    mpfr_set_d(x[i], numbers[i], MPFR_RNDN);
    mpfr_div_ui(x[i], x[i], 3, MPFR_RNDN);
  }
  const auto use = [](int ternary) { sink += static_cast<std::uint64_t>(ternary); };
  const Row row{nanoseconds([&](std::size_t i) { use(mpfr_add(r, x[i], x[i + 1], MPFR_RNDN)); }),
                nanoseconds([&](std::size_t i) { use(mpfr_sub(r, x[i], x[i + 1], MPFR_RNDN)); }),
                nanoseconds([&](std::size_t i) { use(mpfr_mul(r, x[i], x[i + 1], MPFR_RNDN)); }),
                nanoseconds([&](std::size_t i) { use(mpfr_div(r, x[i], x[i + 1], MPFR_RNDN)); }),
                nanoseconds([&](std::size_t i) { use(mpfr_fma(r, x[i], x[i + 1], x[i + 2], MPFR_RNDN)); }),
                nanoseconds([&](std::size_t i) { use(mpfr_sqrt(r, x[i], MPFR_RNDN)); })};
  for (auto& one : x) mpfr_clear(one);
  mpfr_clear(r);
  return row;
}

void decimal64(const std::vector<double>& numbers) {
  std::vector<decimal::Code64> x;
  std::vector<decimal::Number> general;
  Flags flags;
  for (const double v : numbers) {
    general.push_back(decimal::from_rational(exact(v) / 3, decimal::decimal64, flags));
    x.push_back(decimal::encode(general.back(), 64, decimal::Encoding::bid).convert_to<decimal::Code64>());
  }
  const auto opposite = [](decimal::Code64 code) { return code ^ std::uint64_t{1} << 63; };
  print("decimal64", "128-bit",
        {nanoseconds([&](std::size_t i) { sink += decimal::add64(x[i], x[i + 1], nearest, flags); }),
         nanoseconds([&](std::size_t i) { sink += decimal::add64(x[i], opposite(x[i + 1]), nearest, flags); }),
         nanoseconds([&](std::size_t i) { sink += decimal::multiply64(x[i], x[i + 1], nearest, flags); }),
         nanoseconds([&](std::size_t i) { sink += decimal::divide64(x[i], x[i + 1], nearest, flags); }),
         nanoseconds(
             [&](std::size_t i) { sink += decimal::fused_multiply_add64(x[i], x[i + 1], x[i + 2], nearest, flags); }),
         nanoseconds([&](std::size_t i) { sink += decimal::square_root64(x[i], nearest, flags); })});
  const auto use = [](const decimal::Number& r) { sink += static_cast<std::uint64_t>(r.exponent); };
  const decimal::Context& c = decimal::decimal64;
  const auto& g = general;
  print("decimal64", "general",
        {nanoseconds([&](std::size_t i) { use(decimal::add(g[i], g[i + 1], c, flags)); }),
         nanoseconds([&](std::size_t i) { use(decimal::subtract(g[i], g[i + 1], c, flags)); }),
         nanoseconds([&](std::size_t i) { use(decimal::multiply(g[i], g[i + 1], c, flags)); }),
         nanoseconds([&](std::size_t i) { use(decimal::divide(g[i], g[i + 1], c, flags)); }),
         nanoseconds([&](std::size_t i) { use(decimal::fused_multiply_add(g[i], g[i + 1], g[i + 2], c, flags)); }),
         nanoseconds([&](std::size_t i) { use(decimal::square_root(g[i], c, flags)); })});
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  typedef float Compiler __attribute__((mode(DD)));
  std::vector<Compiler> d(count);
  std::memcpy(d.data(), x.data(), count * sizeof(Compiler));
  const auto take = [](Compiler r) {
    std::uint64_t bits;
    std::memcpy(&bits, &r, sizeof bits);
    sink += bits;
  };
  print("decimal64", "compiler",
        {nanoseconds([&](std::size_t i) { take(d[i] + d[i + 1]); }),
         nanoseconds([&](std::size_t i) { take(d[i] - d[i + 1]); }),
         nanoseconds([&](std::size_t i) { take(d[i] * d[i + 1]); }),
         nanoseconds([&](std::size_t i) { take(d[i] / d[i + 1]); }), 0, 0});
#endif
  print("", "MPFR 54", time_mpfr(54, numbers));
}

void posit32(const std::vector<double>& numbers) {
  std::vector<posit::Code> x;
  for (const double v : numbers) x.push_back(posit::from_rational(exact(v) / 3, 32));
  const auto use = [](posit::Code r) { sink += static_cast<std::uint64_t>(r); };
  print("posit32", "128-bit",
        {nanoseconds([&](std::size_t i) { use(posit::add(x[i], x[i + 1], 32)); }),
         nanoseconds([&](std::size_t i) { use(posit::subtract(x[i], x[i + 1], 32)); }),
         nanoseconds([&](std::size_t i) { use(posit::multiply(x[i], x[i + 1], 32)); }),
         nanoseconds([&](std::size_t i) { use(posit::divide(x[i], x[i + 1], 32)); }),
         nanoseconds([&](std::size_t i) { use(posit::fused_multiply_add(x[i], x[i + 1], x[i + 2], 32)); }),
         nanoseconds([&](std::size_t i) { use(posit::square_root(x[i], 32)); })});
  print("", "MPFR 28", time_mpfr(28, numbers));
}

}  // namespace

int main() {
  std::printf("ns per operation, to nearest even\n%-10s %-14s", "format", "");
  for (const char* name : {"add", "sub", "mul", "div", "fma", "sqrt"}) std::printf("  %6s", name);
  std::printf("\n");
  const std::vector<double> numbers = values();
  decimal64(numbers);
  posit32(numbers);
  return sink == 1 ? 1 : 0;
}
