// Linear forms, see linear.hpp.
#include "importers/vnnlib/linear.hpp"

#include <algorithm>

#include "importers/vnnlib/vnnlib.hpp"

namespace outward::vnnlib {

void LinearForm::normalise() {
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    const std::uint32_t variable = terms[i].first;
    Rational sum = terms[i].second;
    for (++i; i < terms.size() && terms[i].first == variable; ++i) sum += terms[i].second;
    if (!sum.is_zero()) terms[kept++] = {variable, std::move(sum)};
  }
  terms.resize(kept);
}

void LinearForm::negate() {
  constant = -constant;
  for (auto& term : terms) term.second = -term.second;
}

void LinearForm::multiply(const Rational& factor) {
  constant *= factor;
  if (factor.is_zero()) terms.clear();
  for (auto& term : terms) term.second *= factor;
}

void LinearForm::append(const LinearForm& other, bool negated) {
  if (negated) {
    constant -= other.constant;
    for (const auto& [variable, coefficient] : other.terms) terms.emplace_back(variable, -coefficient);
  } else {
    constant += other.constant;
    terms.insert(terms.end(), other.terms.begin(), other.terms.end());
  }
}

std::uint64_t LinearForm::bits() const {
  std::uint64_t greatest = bits_of(constant);
  for (const auto& term : terms) greatest = std::max(greatest, bits_of(term.second));
  return greatest;
}

namespace {

// cpp_int's gcd walks bit by bit; one division first makes it fast when one number is short.
Integer common_divisor(const Integer& a, const Integer& b) {
  if (a.is_zero() || b.is_zero()) return abs(a.is_zero() ? b : a);
  const bool a_longer = abs(a) > abs(b);
  return gcd(a_longer ? Integer(a % b) : a, a_longer ? b : Integer(b % a));
}

}  // namespace

Row scaled_row(const std::vector<std::pair<std::uint32_t, Rational>>& terms, const Rational& constant, bool strict) {
  Integer multiple = denominator(constant);
  for (const auto& term : terms) {
    const Integer d = denominator(term.second);
    multiple *= d / common_divisor(multiple, d);
  }
  Integer divisor = numerator(constant) * (multiple / denominator(constant));
  Row row;
  row.strict = strict;
  row.constant = divisor;
  row.terms.reserve(terms.size());
  for (const auto& [variable, coefficient] : terms) {
    Integer scaled = numerator(coefficient) * (multiple / denominator(coefficient));
    divisor = common_divisor(divisor, scaled);
    row.terms.emplace_back(variable & ~output_bit, std::move(scaled));
  }
  if (divisor.is_zero()) return row;
  divisor = abs(divisor);
  if (divisor == 1) return row;
  row.constant /= divisor;
  for (auto& term : row.terms) term.second /= divisor;
  return row;
}

LiteralStatus make_literal(const LinearForm& form, bool strict, std::uint32_t line, Formula& formula,
                           Literal& literal) {
  literal = Literal{};
  literal.line = line;
  literal.strict = strict;
  if (form.is_constant()) {
    const int sign = form.constant.compare(0);
    literal.kind = sign < 0 || (sign == 0 && !strict) ? Literal::Kind::yes : Literal::Kind::no;
    return LiteralStatus::ok;
  }
  // Outputs come last in the order of variables.
  if ((form.terms.front().first & output_bit) != 0) {
    // The common denominator could be far larger than each denominator only for numbers that are no decimals; all
    // numbers here are sums and products of decimals, whose denominators divide a power of ten.
    Row row = scaled_row(form.terms, form.constant, strict);
    row.line = line;
    literal.kind = Literal::Kind::row;
    literal.index = static_cast<std::uint32_t>(formula.rows.size());
    formula.rows.push_back(std::move(row));
    return LiteralStatus::ok;
  }
  if (form.terms.size() == 1) {
    const auto& [variable, coefficient] = form.terms.front();
    literal.kind = coefficient > 0 ? Literal::Kind::upper : Literal::Kind::lower;
    literal.index = variable;
    const Rational bound = -form.constant / coefficient;
    return formula.numbers.add(bound, literal.value) ? LiteralStatus::ok : LiteralStatus::number_too_large;
  }
  literal.kind = Literal::Kind::unsupported;
  return (form.terms.back().first & output_bit) != 0 ? LiteralStatus::inputs_and_outputs
                                                     : LiteralStatus::several_inputs;
}

}  // namespace outward::vnnlib
