// Linear forms over inputs and outputs, and their normal form as a literal (certificates/FORMAT.md section 4).
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "importers/vnnlib/formula.hpp"

namespace outward::vnnlib {

// Variables: inputs are 0, 1, …; outputs have output_bit set.
inline constexpr std::uint32_t output_bit = std::uint32_t{1} << 31;

// Σ coefficient·variable + constant. Normal form: increasing variables, no zero coefficient.
struct LinearForm {
  std::vector<std::pair<std::uint32_t, Rational>> terms;
  Rational constant;

  bool is_constant() const { return terms.empty(); }
  void normalise();
  void negate();
  void multiply(const Rational& factor);
  // Appends without normalising.
  void append(const LinearForm& other, bool negated);
  // Greatest bits_of() of its numbers.
  std::uint64_t bits() const;
};

enum class LiteralStatus { ok, number_too_large, several_inputs, inputs_and_outputs };

// form <= 0 (< 0 if strict) as a literal; a row is appended to formula.rows. form must be normalised.
LiteralStatus make_literal(const LinearForm& form, bool strict, std::uint32_t line, Formula& formula, Literal& literal);

// The row of terms (outputs, normalised) and constant, scaled to coprime integers.
Row scaled_row(const std::vector<std::pair<std::uint32_t, Rational>>& terms, const Rational& constant, bool strict);

}  // namespace outward::vnnlib
