// Nanoseconds per operation of number formats, beside MPFR with the same precision, exponent range and subnormals, and
// beside Boost's cpp_bin_float, all in one run on one core. Prints a table; nothing here is a test.
#include <mpfr.h>

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/operation_time.hpp"
#include "formats/error.hpp"
#include "formats/words/long_arithmetic.hpp"
#include "formats/words/word_format.hpp"

using namespace outward;

namespace {

constexpr int operations = 7;
constexpr std::array names{"add", "sub", "mul", "div", "fma", "sqrt", "rem"};
// Positive numbers within a few binades of 1, full significands.
std::vector<Value> operands(const Format& format) {
  std::mt19937_64 random(1);
  std::vector<Value> values;
  for (std::size_t i = 0; i < count; ++i) {
    Exact x{false, 1, 0, false};
    for (int k = 0; k <= format.fraction_bits / 64; ++k) x.significand = (x.significand << 64) | random();
    x.exponent = static_cast<std::int64_t>(random() % 4) - 2 - static_cast<std::int64_t>(msb(x.significand));
    Flags flags;
    values.push_back(round(format, x, nearest, flags));
  }
  return values;
}

using Row = std::array<std::optional<double>, operations>;

void print(const std::string& name, const char* who, const Row& row, const Row* base = nullptr) {
  std::printf("%-16s %-14s", name.c_str(), who);
  for (std::size_t i = 0; i < operations; ++i) {
    if (!row[i])
      std::printf("  %6s", "-");
    else if (base != nullptr && (*base)[i])
      std::printf("  %6.2f", *row[i] / *(*base)[i]);
    else
      std::printf("  %6.0f", *row[i]);
  }
  std::printf("\n");
}

template <class Arithmetic, class Operand>
Row time_fast(const Arithmetic& f, const std::vector<Operand>& x) {
  Row row;
  Flags flags;
  const auto use = [](const Operand& r) {
    if constexpr (std::is_same_v<Operand, std::uint64_t>)
      sink += r;
    else
      sink += r.words[0];
  };
  row[0] = nanoseconds([&](std::size_t i) { use(f.add(x[i], x[i + 1], nearest, flags)); });
  row[1] = nanoseconds([&](std::size_t i) { use(f.subtract(x[i], x[i + 1], nearest, flags)); });
  row[2] = nanoseconds([&](std::size_t i) { use(f.multiply(x[i], x[i + 1], nearest, flags)); });
  row[3] = nanoseconds([&](std::size_t i) { use(f.divide(x[i], x[i + 1], nearest, flags)); });
  row[4] = nanoseconds([&](std::size_t i) { use(f.fused_multiply_add(x[i], x[i + 1], x[i + 2], nearest, flags)); });
  row[5] = nanoseconds([&](std::size_t i) { use(f.square_root(x[i], nearest, flags)); });
  return row;
}

Row time_generic(const Format& f, const std::vector<Value>& x) {
  Row row;
  Flags flags;
  const auto use = [](const Value& r) { sink += static_cast<std::uint64_t>(r.exponent); };
  row[0] = nanoseconds([&](std::size_t i) { use(add(f, x[i], x[i + 1], nearest, flags)); });
  row[1] = nanoseconds([&](std::size_t i) { use(subtract(f, x[i], x[i + 1], nearest, flags)); });
  row[2] = nanoseconds([&](std::size_t i) { use(multiply(f, x[i], x[i + 1], nearest, flags)); });
  row[3] = nanoseconds([&](std::size_t i) { use(divide(f, x[i], x[i + 1], nearest, flags)); });
  row[4] = nanoseconds([&](std::size_t i) { use(fused_multiply_add(f, x[i], x[i + 1], x[i + 2], nearest, flags)); });
  row[5] = nanoseconds([&](std::size_t i) { use(square_root(f, x[i], nearest, flags)); });
  row[6] = nanoseconds([&](std::size_t i) { use(remainder(f, x[i], x[i + 1], nearest, flags)); });
  return row;
}

Row time_mpfr(const Format& f, const std::vector<Value>& values) {
  mpfr_set_emin(f.least_exponent() - f.fraction_bits + 1);
  mpfr_set_emax(f.greatest_exponent() + 1);
  std::vector<mpfr_t> x(count);
  mpfr_t r;
  mpfr_init2(r, f.precision());
  for (std::size_t i = 0; i < count; ++i) {
    mpfr_init2(x[i], f.precision());
    mpz_t z;
    mpz_init_set_str(z, values[i].significand.str(0, std::ios_base::hex).c_str(), 16);
    mpfr_set_z_2exp(x[i], z, values[i].exponent, MPFR_RNDN);
    mpz_clear(z);
  }
  const auto use = [&](int ternary) { sink += static_cast<std::uint64_t>(mpfr_subnormalize(r, ternary, MPFR_RNDN)); };
  Row row;
  row[0] = nanoseconds([&](std::size_t i) { use(mpfr_add(r, x[i], x[i + 1], MPFR_RNDN)); });
  row[1] = nanoseconds([&](std::size_t i) { use(mpfr_sub(r, x[i], x[i + 1], MPFR_RNDN)); });
  row[2] = nanoseconds([&](std::size_t i) { use(mpfr_mul(r, x[i], x[i + 1], MPFR_RNDN)); });
  row[3] = nanoseconds([&](std::size_t i) { use(mpfr_div(r, x[i], x[i + 1], MPFR_RNDN)); });
  row[4] = nanoseconds([&](std::size_t i) { use(mpfr_fma(r, x[i], x[i + 1], x[i + 2], MPFR_RNDN)); });
  row[5] = nanoseconds([&](std::size_t i) { use(mpfr_sqrt(r, x[i], MPFR_RNDN)); });
  row[6] = nanoseconds([&](std::size_t i) { use(mpfr_remainder(r, x[i], x[i + 1], MPFR_RNDN)); });
  for (auto& one : x) mpfr_clear(one);
  mpfr_clear(r);
  return row;
}

template <unsigned Bits>
Row time_boost(const std::vector<Value>& values) {
  using boost::multiprecision::digit_base_2;
  using Float = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<Bits, digit_base_2>>;
  std::vector<Float> x;
  for (const Value& v : values) x.push_back(ldexp(Float(v.significand), static_cast<int>(v.exponent)));
  const auto use = [](const Float& r) { sink += static_cast<std::uint64_t>(r.backend().exponent()); };
  Row row;
  row[0] = nanoseconds([&](std::size_t i) { use(Float(x[i] + x[i + 1])); });
  row[1] = nanoseconds([&](std::size_t i) { use(Float(x[i] - x[i + 1])); });
  row[2] = nanoseconds([&](std::size_t i) { use(Float(x[i] * x[i + 1])); });
  row[3] = nanoseconds([&](std::size_t i) { use(Float(x[i] / x[i + 1])); });
  row[5] = nanoseconds([&](std::size_t i) { use(Float(sqrt(x[i]))); });
  return row;
}

Row time_by_code(const std::string& name) {
  Row row;
  const auto format = parse_number_format(name);
  Flags flags;
  std::mt19937_64 random(2);
  std::vector<Integer> x;
  for (std::size_t i = 0; i < count; ++i) {
    const Rational value(Integer(random() % 1'000'000'000 + 1), Integer(random() % 1'000'000'000 + 1));
    x.push_back(format->from_exact({ExactNumber::Kind::number, false, value, 0}, nearest, flags));
  }
  const std::array list{Operation::add,      Operation::subtract,           Operation::multiply,
                        Operation::divide,   Operation::fused_multiply_add, Operation::square_root,
                        Operation::remainder};
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::size_t n = k == 4 ? 3 : k == 5 ? 1 : 2;
    try {
      row[k] = nanoseconds([&](std::size_t i) {
        sink += bit_test(format->apply(list[k], std::span(x).subspan(i, n), nearest, flags), 0) ? 1 : 0;
      });
    } catch (const InputRefused&) {
    }
  }
  return row;
}

void compare(const std::string& name, const char* who, const Row& ours, const Row& theirs) {
  print(name, who, ours);
  print(name, "MPFR", theirs);
  print(name, "ratio to MPFR", ours, &theirs);
}

template <unsigned Bits>
void compare_words(const std::string& name) {
  const Format format = parse_format(name);
  const std::vector<Value> x = operands(format);
  std::vector<std::uint64_t> codes;
  for (const Value& v : x) codes.push_back(static_cast<std::uint64_t>(encode(format, v)));
  Row ours = time_fast(WordFormat(format), codes);
  ours[6] = time_generic(format, x)[6];
  compare(name, "one word", ours, time_mpfr(format, x));
  print(name, "cpp_bin_float", time_boost<Bits>(x));
}

template <class Arithmetic, unsigned Bits>
void compare_numbers(const std::string& name, const char* who) {
  const Format format = parse_format(name);
  const std::vector<Value> x = operands(format);
  const Arithmetic arithmetic(format);
  std::vector<typename Arithmetic::Number> numbers;
  for (const Value& v : x) numbers.push_back(arithmetic.number(v));
  const Row generic = time_generic(format, x);
  Row ours = time_fast(arithmetic, numbers);
  ours[6] = generic[6];
  print(name, "generic", generic);
  compare(name, who, ours, time_mpfr(format, x));
  print(name, "cpp_bin_float", time_boost<Bits>(x));
}

}  // namespace

int main() {
  std::printf("ns per operation, to nearest even, with flags; MPFR %s with mpfr_subnormalize\n", mpfr_get_version());
  std::printf("%-16s %-14s", "format", "");
  for (const char* name : names) std::printf("  %6s", name);
  std::printf("\n");
  compare_words<11>("binary16");
  compare_words<8>("bfloat16");
  compare_words<24>("binary32");
  compare_words<53>("binary64");
  compare_numbers<FixedArithmetic<2>, 113>("binary128", "fixed words");
  compare_numbers<FixedArithmetic<4>, 201>("binary(15,200)", "fixed words");
  compare_numbers<FixedArithmetic<4>, 237>("binary256", "fixed words");
  compare_numbers<LongArithmetic, 1025>("binary(20,1024)", "long words");
  compare_numbers<LongArithmetic, 4097>("binary(30,4096)", "long words");
  for (const char* name :
       {"binary16", "binary32", "binary64", "binary128", "binary(15,200)", "binary(30,4096)", "decimal64", "posit32"}) {
    try {
      print(name, "by code", time_by_code(name));
    } catch (const InputRefused&) {
      std::printf("%-16s absent from this build\n", name);
    }
  }
  return sink == 1 ? 1 : 0;
}
