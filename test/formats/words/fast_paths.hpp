// What the tests of fast paths share: every operation by the generic functions and by a fast arithmetic, and their
// comparison in all rounding directions, flags included.
#pragma once
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "formats/number_format.hpp"
#include "formats/operations.hpp"
#include "test/formats/random_codes.hpp"

namespace fast_paths {

using namespace outward;

inline constexpr std::array all_roundings{Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero,
                                          Rounding::up,           Rounding::down,         Rounding::to_odd};

struct Counts {
  long compared = 0, wrong = 0;
  void compare(bool same, const Format& format, int operation, Rounding rounding) {
    ++compared;
    if (same) return;
    if (++wrong <= 5)
      MESSAGE(format_text(format) << " operation " << operation << " rounding " << static_cast<int>(rounding));
  }
};

inline Value generic(int operation, const Format& f, const std::array<Value, 3>& x, Rounding r, Flags& flags) {
  switch (operation) {
    case 0:
      return add(f, x[0], x[1], r, flags);
    case 1:
      return subtract(f, x[0], x[1], r, flags);
    case 2:
      return multiply(f, x[0], x[1], r, flags);
    case 3:
      return divide(f, x[0], x[1], r, flags);
    case 4:
      return fused_multiply_add(f, x[0], x[1], x[2], r, flags);
    default:
      return square_root(f, x[0], r, flags);
  }
}

template <class Arithmetic, class Operand>
Operand fast(const Arithmetic& f, int operation, const std::array<Operand, 3>& x, Rounding r, Flags& flags) {
  switch (operation) {
    case 0:
      return f.add(x[0], x[1], r, flags);
    case 1:
      return f.subtract(x[0], x[1], r, flags);
    case 2:
      return f.multiply(x[0], x[1], r, flags);
    case 3:
      return f.divide(x[0], x[1], r, flags);
    case 4:
      return f.fused_multiply_add(x[0], x[1], x[2], r, flags);
    default:
      return f.square_root(x[0], r, flags);
  }
}

inline std::array<Integer, 3> random_triple(std::mt19937_64& random, const Format& format) {
  std::array<Integer, 3> codes;
  codes[0] = random_codes::code(random, format);
  codes[1] = random_codes::code(random, format, random_codes::exponent_field(format, codes[0]));
  const std::int64_t product =
      random_codes::exponent_field(format, codes[0]) + random_codes::exponent_field(format, codes[1]) - format.bias;
  codes[2] = random_codes::code(random, format, product);
  return codes;
}

// All operations on the values, by an arithmetic on numbers of its own; the same value with the same exponent has the
// same words.
template <class Arithmetic>
void compare_values(const Arithmetic& arithmetic, const std::array<Value, 3>& x, Counts& counts) {
  using Number = typename Arithmetic::Number;
  std::array<Number, 3> y;
  for (std::size_t k = 0; k < 3; ++k) y[k] = arithmetic.number(x[k]);
  for (int operation = 0; operation < 6; ++operation) {
    for (Rounding rounding : all_roundings) {
      Flags one, two;
      const Value expected = generic(operation, arithmetic.format(), x, rounding, one);
      const Number computed = fast(arithmetic, operation, y, rounding, two), same = arithmetic.number(expected);
      const bool alike = expected.kind != ValueKind::finite || computed.exponent == same.exponent;
      counts.compare(alike && identical(expected, arithmetic.value(computed)) && one == two, arithmetic.format(),
                     operation, rounding);
    }
  }
}

template <class Arithmetic>
void compare_codes(const Format& format, int rounds, std::mt19937_64& random, Counts& counts) {
  const Arithmetic arithmetic(format);
  for (int i = 0; i < rounds; ++i) {
    const std::array<Integer, 3> codes = random_triple(random, format);
    std::array<Value, 3> x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = decode(format, codes[k]);
    compare_values(arithmetic, x, counts);
  }
}

}  // namespace fast_paths
