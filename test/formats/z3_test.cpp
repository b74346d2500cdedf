// Random differential test against the floating-point theory of Z3, over random formats up to 30 exponent and 4096
// fraction bits, in five directions, NaNs by class. Without Z3 at build time the test says SKIPPED.
#include <doctest/doctest.h>

#ifdef OUTWARD_HAVE_Z3
#include <z3.h>

#include <array>
#include <string>

#include "formats/operations.hpp"
#include "test/formats/random_codes.hpp"

using namespace outward;

namespace {

class Solver {
 public:
  Solver() {
    Z3_config config = Z3_mk_config();
    context_ = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(context_, nullptr);
  }
  ~Solver() { Z3_del_context(context_); }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // The code of the result; -1 for NaN, -2 if the solver does not reduce the term to a numeral.
  Integer compute(const Format& format, int operation, Rounding rounding, const std::array<Integer, 3>& codes) {
    const Z3_sort sort = Z3_mk_fpa_sort(context_, static_cast<unsigned>(format.exponent_bits),
                                        static_cast<unsigned>(format.precision()));
    std::array<Z3_ast, 3> x{};
    for (std::size_t i = 0; i < 3; ++i) {
      const Z3_sort bits = Z3_mk_bv_sort(context_, static_cast<unsigned>(format.width()));
      x[i] = Z3_mk_fpa_to_fp_bv(context_, Z3_mk_numeral(context_, codes[i].str().c_str(), bits), sort);
    }
    const Z3_ast mode = direction(rounding);
    Z3_ast term = nullptr;
    switch (operation) {
      case 0:
        term = Z3_mk_fpa_add(context_, mode, x[0], x[1]);
        break;
      case 1:
        term = Z3_mk_fpa_sub(context_, mode, x[0], x[1]);
        break;
      case 2:
        term = Z3_mk_fpa_mul(context_, mode, x[0], x[1]);
        break;
      case 3:
        term = Z3_mk_fpa_div(context_, mode, x[0], x[1]);
        break;
      case 4:
        term = Z3_mk_fpa_fma(context_, mode, x[0], x[1], x[2]);
        break;
      case 5:
        term = Z3_mk_fpa_sqrt(context_, mode, x[0]);
        break;
      case 6:
        term = Z3_mk_fpa_round_to_integral(context_, mode, x[0]);
        break;
      default:
        term = Z3_mk_fpa_rem(context_, x[0], x[1]);
        break;
    }
    term = Z3_simplify(context_, term);
    if (Z3_get_bool_value(context_, Z3_simplify(context_, Z3_mk_fpa_is_nan(context_, term))) == Z3_L_TRUE) return -1;
    const Z3_ast bits = Z3_simplify(context_, Z3_mk_fpa_to_ieee_bv(context_, term));
    return Z3_is_numeral_ast(context_, bits) ? Integer(Z3_get_numeral_string(context_, bits)) : Integer(-2);
  }

 private:
  Z3_ast direction(Rounding rounding) {
    switch (rounding) {
      case Rounding::nearest_away:
        return Z3_mk_fpa_rna(context_);
      case Rounding::toward_zero:
        return Z3_mk_fpa_rtz(context_);
      case Rounding::up:
        return Z3_mk_fpa_rtp(context_);
      case Rounding::down:
        return Z3_mk_fpa_rtn(context_);
      default:
        return Z3_mk_fpa_rne(context_);
    }
  }
  Z3_context context_;
};

Integer compute(const Format& format, int operation, Rounding rounding, const std::array<Integer, 3>& codes) {
  std::array<Value, 3> x;
  for (std::size_t i = 0; i < 3; ++i) x[i] = decode(format, codes[i]);
  Flags flags;
  Value result;
  switch (operation) {
    case 0:
      result = add(format, x[0], x[1], rounding, flags);
      break;
    case 1:
      result = subtract(format, x[0], x[1], rounding, flags);
      break;
    case 2:
      result = multiply(format, x[0], x[1], rounding, flags);
      break;
    case 3:
      result = divide(format, x[0], x[1], rounding, flags);
      break;
    case 4:
      result = fused_multiply_add(format, x[0], x[1], x[2], rounding, flags);
      break;
    case 5:
      result = square_root(format, x[0], rounding, flags);
      break;
    case 6:
      result = round_to_integral(format, x[0], rounding, true, flags);
      break;
    default:
      result = remainder(format, x[0], x[1], rounding, flags);
      break;
  }
  return result.is_nan() ? Integer(-1) : encode(format, result);
}

constexpr std::array directions{Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero, Rounding::up,
                                Rounding::down};

}  // namespace

TEST_CASE("random operations equal those of Z3") {
  std::mt19937_64 random(4812);
  Solver solver;
  long compared = 0, wrong = 0, undecided = 0, left_out = 0;
  const auto run = [&](const Format& format, int rounds, int operations) {
    for (int i = 0; i < rounds; ++i) {
      std::array<Integer, 3> codes;
      codes[0] = random_codes::code(random, format);
      codes[1] = random_codes::code(random, format, random_codes::exponent_field(format, codes[0]));
      codes[2] = random_codes::code(random, format, random_codes::exponent_field(format, codes[0]));
      for (int operation = 0; operation < operations; ++operation) {
        // Known errors of Z3 4.8.12: fused multiply-adds of at most 2 fraction bits (binary(5,1): 88 * 18 + 123 down),
        // integral values of subnormal numbers with 2 exponent bits (binary(2,6): 3/64 to nearest is not 0).
        // MPFR and small_formats_test.cpp cover those; the cases left out are counted.
        if ((operation == 4 && format.fraction_bits < 3) || (operation == 6 && format.exponent_bits == 2)) {
          ++left_out;
          continue;
        }
        const Rounding rounding = directions[random() % directions.size()];
        const Integer theirs = solver.compute(format, operation, rounding, codes);
        if (theirs == -2) {
          ++undecided;
          continue;
        }
        ++compared;
        if (theirs == compute(format, operation, rounding, codes)) continue;
        if (++wrong <= 5)
          MESSAGE(format_text(format) << " operation " << operation << " on " << codes[0] << " " << codes[1] << " "
                                      << codes[2] << " direction " << static_cast<int>(rounding));
      }
    }
  };
  long formats = 4;
  run(parse_format("binary16"), 250, 8);
  run(parse_format("bfloat16"), 120, 7);
  run(parse_format("binary32"), 120, 7);
  run(binary(30, 4096), 4, 5);
  for (int i = 0; i < 45; ++i, ++formats) {
    const int e = 2 + static_cast<int>(random() % 29), f = 1 + static_cast<int>(random() % (1U << (random() % 9)));
    run(binary(e, f), 10, 7);
  }
  MESSAGE("Z3: " << formats << " formats, " << compared << " results, " << wrong << " wrong, " << undecided
                 << " not reduced, " << left_out << " left out (known errors of Z3)");
  CHECK(compared > 5000);
  CHECK(wrong == 0);
  CHECK(undecided == 0);
}
#else
TEST_CASE("random operations equal those of Z3") { MESSAGE("SKIPPED: built without Z3 (libz3-dev)"); }
#endif
