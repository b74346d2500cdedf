// Random differential test against MPFR, over random formats up to 30 exponent and 4096 fraction bits: add, sub, mul,
// div, fma, sqrt, rem in the four directions MPFR has, gradual underflow by mpfr_subnormalize. Values, and the inexact
// and overflow flags, of the generic functions and of the fast arithmetic on long words. Without MPFR at build time the
// test says SKIPPED.
#include <doctest/doctest.h>

#ifdef OUTWARD_HAVE_MPFR
#include <mpfr.h>

#include <array>
#include <string>
#include <vector>

#include "formats/operations.hpp"
#include "formats/words/long_arithmetic.hpp"
#include "test/formats/words/fast_paths.hpp"

using namespace outward;

namespace {

class Number {
 public:
  explicit Number(long precision) { mpfr_init2(x_, precision); }
  ~Number() { mpfr_clear(x_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return x_; }

  void set(const Value& value) {
    if (value.is_nan()) return mpfr_set_nan(x_);
    if (value.kind == ValueKind::infinite) return mpfr_set_inf(x_, value.negative ? -1 : 1);
    if (value.kind == ValueKind::zero) return mpfr_set_zero(x_, value.negative ? -1 : 1);
    mpz_t z;
    mpz_init_set_str(z, value.significand.str(0, std::ios_base::hex).c_str(), 16);
    if (value.negative) mpz_neg(z, z);
    mpfr_set_z_2exp(x_, z, value.exponent, MPFR_RNDN);
    mpz_clear(z);
  }

  Value value() const {
    const bool negative = mpfr_signbit(x_) != 0;
    if (mpfr_nan_p(x_)) return {ValueKind::quiet_nan, false, 0, 0, 0};
    if (mpfr_inf_p(x_)) return {ValueKind::infinite, negative, 0, 0, 0};
    if (mpfr_zero_p(x_)) return {ValueKind::zero, negative, 0, 0, 0};
    mpz_t z;
    mpz_init(z);
    const long exponent = mpfr_get_z_2exp(z, x_);
    mpz_abs(z, z);
    char* digits = mpz_get_str(nullptr, 16, z);
    const Value result{ValueKind::finite, negative, Integer("0x" + std::string(digits)), exponent, 0};
    void (*release)(void*, std::size_t) = nullptr;
    mp_get_memory_functions(nullptr, nullptr, &release);
    release(digits, std::char_traits<char>::length(digits) + 1);
    mpz_clear(z);
    return result;
  }

 private:
  mpfr_t x_;
};

struct Direction {
  Rounding ours;
  mpfr_rnd_t theirs;
};
constexpr std::array directions = std::to_array<Direction>({{Rounding::nearest_even, MPFR_RNDN},
                                                            {Rounding::toward_zero, MPFR_RNDZ},
                                                            {Rounding::up, MPFR_RNDU},
                                                            {Rounding::down, MPFR_RNDD}});

int apply(int operation, Number& r, Number& a, Number& b, Number& c, mpfr_rnd_t rounding) {
  switch (operation) {
    case 0:
      return mpfr_add(r.get(), a.get(), b.get(), rounding);
    case 1:
      return mpfr_sub(r.get(), a.get(), b.get(), rounding);
    case 2:
      return mpfr_mul(r.get(), a.get(), b.get(), rounding);
    case 3:
      return mpfr_div(r.get(), a.get(), b.get(), rounding);
    case 4:
      return mpfr_fma(r.get(), a.get(), b.get(), c.get(), rounding);
    case 5:
      return mpfr_sqrt(r.get(), a.get(), rounding);
    default:
      return mpfr_remainder(r.get(), a.get(), b.get(), rounding);
  }
}

using fast_paths::Counts;

void compare(const Format& format, int rounds, std::mt19937_64& random, Counts& counts) {
  mpfr_set_emin(format.least_exponent() - format.fraction_bits + 1);
  mpfr_set_emax(format.greatest_exponent() + 1);
  const LongArithmetic arithmetic(format);
  Number a(format.precision()), b(format.precision()), c(format.precision()), r(format.precision());
  for (int i = 0; i < rounds; ++i) {
    const std::array<Integer, 3> code = fast_paths::random_triple(random, format);
    std::array<Value, 3> x;
    std::array<Long, 3> y;
    for (std::size_t k = 0; k < 3; ++k) {
      x[k] = decode(format, code[k]);
      if (x[k].is_nan()) x[k] = {ValueKind::infinite, x[k].negative, 0, 0, 0};
      y[k] = arithmetic.number(x[k]);
    }
    a.set(x[0]);
    b.set(x[1]);
    c.set(x[2]);
    for (int operation = 0; operation < 7; ++operation) {
      // MPFR shifts a remainder into place bit by bit.
      if (operation == 6 && x[0].kind == ValueKind::finite && x[1].kind == ValueKind::finite &&
          floor_log2(x[0]) - floor_log2(x[1]) > 5000)
        continue;
      for (const Direction& direction : directions) {
        mpfr_clear_flags();
        int ternary = apply(operation, r, a, b, c, direction.theirs);
        ternary = mpfr_subnormalize(r.get(), ternary, direction.theirs);
        const Value expected = r.value();
        const auto compared = [&](const Value& computed, const Flags& flags) {
          const bool same = expected.is_nan() ? computed.is_nan() : identical(expected, computed);
          const bool inexact = ternary != 0 && !expected.is_nan();
          counts.compare(same && flags.inexact == inexact && flags.overflow == (mpfr_overflow_p() != 0), format,
                         operation, direction.ours);
        };
        Flags one, two;
        if (operation == 6) {
          compared(remainder(format, x[0], x[1], direction.ours, one), one);
          continue;
        }
        compared(fast_paths::generic(operation, format, x, direction.ours, one), one);
        compared(arithmetic.value(fast_paths::fast(arithmetic, operation, y, direction.ours, two)), two);
      }
    }
  }
}

}  // namespace

TEST_CASE("random operations equal those of MPFR") {
  std::mt19937_64 random(20240611);
  Counts counts;
  for (const char* name : {"e5m2", "binary16", "bfloat16", "tf32", "binary32", "binary64"})
    compare(parse_format(name), 2500, random, counts);
  for (const char* name : {"binary128", "binary256", "binary(15,200)", "binary(30,60)"})
    compare(parse_format(name), 1500, random, counts);
  compare(binary(30, 4096), 25, random, counts);
  compare(binary(2, 4096), 10, random, counts);
  long formats = 12;
  for (int i = 0; i < 300; ++i, ++formats) {
    const int e = 2 + static_cast<int>(random() % 29);
    const int bits = static_cast<int>(random() % 13);
    const int f = 1 + static_cast<int>(random() % (std::uint64_t{1} << bits));
    compare(binary(e, f), f > 500 ? 5 : 50, random, counts);
  }
  MESSAGE("MPFR " << std::string(mpfr_get_version()) << ": " << formats << " formats, " << counts.compared
                  << " results, " << counts.wrong << " wrong");
  CHECK(counts.compared > 1'000'000);
  CHECK(counts.wrong == 0);
  mpfr_free_cache();
}
#else
TEST_CASE("random operations equal those of MPFR") { MESSAGE("SKIPPED: built without MPFR (libmpfr-dev)"); }
#endif
