// Constants of FPCore: literals and names as exact rationals or enclosures of any width, and arithmetic on them with
// the same operations rounded to a format. Assumes nothing. Promises: lo <= exact value <= hi; `computed` is what the
// program computes, correctly rounded at each operation.
#pragma once
#include <optional>

#include "bounds/roundoff/fpcore/core.hpp"
#include "formats/exact.hpp"

namespace outward::fpcore {

struct ExactRange {
  Rational lo, hi;
};

// A number token, (digits m e b), or a named constant (PI, E, LOG2E, ...): its real value; nullopt when it is none.
// `bits`: how narrow the enclosure of an irrational one is, relatively.
std::optional<ExactRange> literal_value(const Sexp& expression, long bits);
bool is_constant_name(std::string_view name);

// The value of an expression of literals with + - * / and unary minus, over the reals.
std::optional<ExactRange> real_value(const Sexp& expression, long bits);

struct ConstantValue {
  ExactRange exact;
  Rational computed;
};

// The literal rounded once. Throws InputRefused (without place) if it overflows or its rounding is undecided.
ConstantValue rounded_literal(const ExactRange& exact, const Format& format);

// The operation on constants, over the reals and rounded; nullopt where it is not folded (functions, domain errors,
// overflow): the analysis of ranges then says what is wrong.
std::optional<ConstantValue> folded(Op op, const std::vector<const ConstantValue*>& operands, const Format& format);

// The greatest g, at most any_grid, such that the number is a multiple of 2^g. REQUIRES a dyadic number.
int grid_of(const Rational& dyadic);

Span span_of(const Rational& lo, const Rational& hi);

}  // namespace outward::fpcore
