// decimal32, decimal64 and decimal128 against the compiler's own types (to nearest even, BID), and decimal64 in 128-bit
// integers against the general path. Prints SKIPPED where the compiler has no such types.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <span>

#include "formats/decimal/codec.hpp"
#include "formats/decimal/fast64.hpp"
#include "formats/number_format.hpp"

namespace {

using namespace outward;
using decimal::Encoding;
using decimal::Number;

// Operands with all lengths of coefficients, near exponents and far ones, and now and then something special.
Number draw(std::mt19937_64& random, const decimal::Context& c) {
  Number x;
  x.negative = random() % 2;
  const unsigned kind = random() % 64;
  if (kind == 0) x.kind = decimal::Kind::infinite;
  if (kind == 1) x.kind = decimal::Kind::quiet_nan;
  if (kind < 2) return x;
  const auto length = static_cast<unsigned>(random() % static_cast<std::uint64_t>(c.precision) + 1);
  for (unsigned i = 0; i < length; ++i)
    x.coefficient = x.coefficient * 10 + (random() % 3 ? random() % 10 : kind % 2 * 9);
  const auto span = static_cast<std::uint64_t>(c.top_exponent() - c.least_exponent() + 1);
  x.exponent = random() % 4 ? static_cast<std::int64_t>(random() % 40) - 20
                            : c.least_exponent() + static_cast<std::int64_t>(random() % span);
  return x;
}

// More in test/long/decimals.
int samples(int normally) {
  const char* factor = std::getenv("OUTWARD_FORMAT_SAMPLES");
  return factor ? normally * std::atoi(factor) : normally;
}

}  // namespace

TEST_CASE("decimal64 in 128-bit integers equals the general path") {
  std::mt19937_64 random(64);
  const auto interface = parse_number_format("decimal64");
  std::size_t checked = 0;
  for (int i = 0; i < samples(40000); ++i) {
    const Number x = draw(random, decimal::decimal64), y = draw(random, decimal::decimal64);
    const Number z = draw(random, decimal::decimal64);
    decimal::Context context = decimal::decimal64;
    context.rounding = static_cast<Rounding>(i % 6);
    const auto code = [](const Number& v) { return decimal::encode(v, 64, Encoding::bid).convert_to<std::uint64_t>(); };
    const auto a = code(x), b = code(y), c = code(z);
    const auto check = [&](const char* name, std::uint64_t fast, const Flags& got, const Number& value,
                           const Flags& want) {
      ++checked;
      const bool same = fast == code(value) && got == want;
      const std::string report = std::string(name) + " " + decimal::scientific_text(x) + " " +
                                 decimal::scientific_text(y) + " " + decimal::scientific_text(z) + " gave " +
                                 decimal::scientific_text(decimal::decode(fast, 64, Encoding::bid)) + ", not " +
                                 decimal::scientific_text(value);
      CHECK_MESSAGE(same, report);
    };
    const auto interface_result = [&](Operation operation, std::array<Integer, 3> codes, std::size_t operands,
                                      Flags& flags) {
      return interface->apply(operation, std::span(codes).first(operands), context.rounding, flags)
          .convert_to<std::uint64_t>();
    };
    Flags g[4];
    check("interface sub", interface_result(Operation::subtract, {a, b, c}, 2, g[0]), g[0],
          decimal::subtract(x, y, context, g[1]), g[1]);
    check("interface fma", interface_result(Operation::fused_multiply_add, {a, b, c}, 3, g[2]), g[2],
          decimal::fused_multiply_add(x, y, z, context, g[3]), g[3]);
    Flags f[10];
    check("add", decimal::add64(a, b, context.rounding, f[0]), f[0], decimal::add(x, y, context, f[1]), f[1]);
    check("mul", decimal::multiply64(a, b, context.rounding, f[2]), f[2], decimal::multiply(x, y, context, f[3]), f[3]);
    check("div", decimal::divide64(a, b, context.rounding, f[4]), f[4], decimal::divide(x, y, context, f[5]), f[5]);
    check("sqrt", decimal::square_root64(a, context.rounding, f[6]), f[6], decimal::square_root(x, context, f[7]),
          f[7]);
    check("fma", decimal::fused_multiply_add64(a, b, c, context.rounding, f[8]), f[8],
          decimal::fused_multiply_add(x, y, z, context, f[9]), f[9]);
  }
  std::cout << "decimal64 in 128-bit integers: " << checked << " results equal to the general path\n";
}

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)

namespace {

typedef float Compiler32 __attribute__((mode(SD)));
typedef float Compiler64 __attribute__((mode(DD)));
typedef float Compiler128 __attribute__((mode(TD)));

template <class T>
T value_of(const Number& x) {
  const int width = static_cast<int>(sizeof(T)) * 8;
  const Integer code = decimal::encode(x, width, Encoding::bid);
  std::uint64_t words[2] = {Integer(code & ~std::uint64_t{0}).convert_to<std::uint64_t>(),
                            Integer(code >> 64).convert_to<std::uint64_t>()};
  T result;
  std::memcpy(&result, words, sizeof result);
  return result;
}

template <class T>
Number number_of(T x) {
  std::uint64_t words[2] = {0, 0};
  std::memcpy(words, &x, sizeof x);
  const Integer code = (Integer(words[1]) << 64) | words[0];
  return decimal::decode(code, static_cast<int>(sizeof(T)) * 8, Encoding::bid);
}

template <class T>
std::size_t compare_with_compiler(int count) {
  const decimal::Context& context = decimal::context_of(static_cast<int>(sizeof(T)) * 8);
  std::mt19937_64 random(sizeof(T));
  std::size_t checked = 0;
  for (int i = 0; i < samples(count); ++i) {
    const Number x = draw(random, context), y = draw(random, context);
    volatile T a = value_of<T>(x), b = value_of<T>(y);
    Flags flags;
    const auto check = [&](const char* name, const Number& theirs, const Number& ours) {
      ++checked;
      const bool same = theirs.is_nan() ? ours.is_nan() : theirs == ours;
      const std::string report = std::string(name) + " " + decimal::scientific_text(x) + " " +
                                 decimal::scientific_text(y) + ": " + decimal::scientific_text(ours) + ", compiler " +
                                 decimal::scientific_text(theirs);
      CHECK_MESSAGE(same, report);
    };
    check("add", number_of<T>(a + b), decimal::add(x, y, context, flags));
    check("sub", number_of<T>(a - b), decimal::subtract(x, y, context, flags));
    check("mul", number_of<T>(a * b), decimal::multiply(x, y, context, flags));
    check("div", number_of<T>(a / b), decimal::divide(x, y, context, flags));
    if (!x.is_nan() && !y.is_nan()) {
      const int theirs = a < b ? -1 : a > b ? 1 : 0;
      ++checked;
      CHECK(theirs == decimal::compare(x, y, false, flags).value());
    }
  }
  return checked;
}

}  // namespace

TEST_CASE("decimal arithmetic equals the compiler's") {
  const std::size_t checked = compare_with_compiler<Compiler32>(8000) + compare_with_compiler<Compiler64>(8000) +
                              compare_with_compiler<Compiler128>(8000);
  std::cout << "decimal32/64/128: " << checked << " results equal to the compiler's\n";
}

#else

TEST_CASE("decimal arithmetic equals the compiler's") {
  std::cout << "SKIPPED: the compiler has no decimal types to compare with\n";
}

#endif
