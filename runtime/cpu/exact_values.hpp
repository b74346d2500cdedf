// Numbers of the exact run: integers over one common denominator per node, and the operations all kinds share.
//
// The values of a node are integers n_i that stand for n_i / (odd · 2^shift). Sums and products with dyadic constants
// never need a greatest common divisor; only divisions enlarge `odd`. Behind a batch normalisation every value is a
// pair of integers (lower, upper) with denominator 2^fraction_bits, rounded outward after each node.
#pragma once
#include <utility>
#include <vector>

#include "formats/exact.hpp"

namespace outward::exact_run {

inline constexpr long fraction_bits = 320;

struct Values {
  std::vector<Integer> lo, hi;  // hi is empty while everything is exact
  Integer odd = 1;
  long shift = 0;  // may be negative

  bool is_exact() const { return hi.empty(); }
  std::size_t size() const { return lo.size(); }
};

// m·2^e with m odd, or 0·2^0.
struct Dyadic {
  std::int64_t m = 0;
  long e = 0;
};

Dyadic dyadic(double value);

// Constants as integers over 2^shift.
struct Constants {
  std::vector<Integer> wide;
  std::vector<std::int64_t> narrow;  // used instead of wide if all of them fit
  long shift = 0;
};

// REQUIRES finite values.
Constants integers_of(const double* values, std::size_t count);
Constants integers_of(const std::vector<double>& values);

template <typename F>
void for_each_integer(Values& x, F f) {
  for (Integer& n : x.lo) f(n);
  for (Integer& n : x.hi) f(n);
}

// Raises shift to at least the given one.
void refine(Values& x, long shift);

// Multiplies numerators and denominator.
void multiply_denominator(Values& x, const Integer& factor);

// One denominator for several nodes; all become pairs if one is.
void unify(std::vector<Values>& all);

Integer least_common_multiple(const Integer& a, const Integer& b);
Integer floor_quotient(const Integer& a, const Integer& b);  // REQUIRES b > 0
Integer ceil_quotient(const Integer& a, const Integer& b);   // REQUIRES b > 0

// Keeps numbers short: pairs are rounded outward to fraction_bits, exact numbers lose common factors of two.
void tidy(Values& x);

// The value of one integer of x.
Rational rational(const Integer& n, const Values& x);

// Values of which only this is known: exact where all ranges are points and one denominator of at most longest_odd bits
// (besides powers of two) has room for them, else pairs.
inline constexpr unsigned longest_odd = 4096;
Values of_ranges(const std::vector<std::pair<Rational, Rational>>& ranges);

// Zeros with the denominator of x, pairs if x holds pairs.
Values zeros_like(const Values& x, std::size_t count);

// sum += constant · operand, for pairs with the ends swapped below zero.
template <typename C>
void add_product(Values& out, std::size_t i, const C& constant, const Values& x, std::size_t j, Integer& scratch) {
  if (constant == 0) return;
  scratch = x.lo[j] * constant;
  if (x.is_exact()) {
    out.lo[i] += scratch;
    return;
  }
  (constant > 0 ? out.lo : out.hi)[i] += scratch;
  scratch = x.hi[j] * constant;
  (constant > 0 ? out.hi : out.lo)[i] += scratch;
}

// Adds constants: out[i] += constants[index(i)].
template <typename F>
void add_constants(Values& out, const double* values, std::size_t count, F index) {
  const Constants c = integers_of(values, count);
  refine(out, c.shift);
  std::vector<Integer> scaled(count);
  for (std::size_t i = 0; i < count; ++i) {
    scaled[i] = c.narrow.empty() ? c.wide[i] : Integer(c.narrow[i]);
    scaled[i] = (scaled[i] * out.odd) << static_cast<unsigned long>(out.shift - c.shift);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.lo[i] += scaled[index(i)];
    if (!out.is_exact()) out.hi[i] += scaled[index(i)];
  }
}

}  // namespace outward::exact_run
