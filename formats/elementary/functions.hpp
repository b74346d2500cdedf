// The table of elementary functions and their enclosures at a point, of stated width. Assumes: the point lies in the
// domain of the function. Promises: enclose() contains the value and is tight (below); what it cannot decide it refuses
// by type.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "formats/elementary/enclosure.hpp"

namespace outward {

enum class Function {
  exp,
  expm1,
  exp2,
  exp10,
  log,
  log1p,
  log2,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  sigmoid,
  erf,
  erfc,
  gelu,
  gelu_tanh,
  silu,
  softplus,
  mish,
  elu,
  selu,
  softsign,
  hard_sigmoid,
  hard_swish,
};

// How a function runs over its domain; what interval functions go by.
enum class Shape {
  increasing,  // not necessarily strictly
  decreasing,
  even_valley,  // least at 0
  one_minimum,  // falls (or stays) up to one point, rises after it
  sine,
  cosine,
  tangent,
};

// Where a function is defined.
enum class Domain { all, positive, above_minus_one, from_one, within_one, inside_one };

struct FunctionRow {
  Function function;
  const char* name;
  Shape shape;
  Domain domain;
  elementary::Enclosure (*at)(const Dyadic& x, elementary::Bits w);
  // Of functions with one minimum: a number of the sign of the derivative; nullptr for hard_swish (least at -3/2).
  elementary::Enclosure (*slope)(const Dyadic& x, elementary::Bits w);
  // The value at a dyadic point is dyadic only where `at` returns a point or exact_result a number. Proved for
  // functions algebraic over e^x (Hermite-Lindemann-Weierstrass) and powers (elementary); not known for erf, erfc,
  // gelu, gelu_tanh.
  bool exact_cases_known;
};

std::span<const FunctionRow> function_table();
const FunctionRow& row_of(Function function);
std::optional<Function> function_named(std::string_view name);

bool in_domain(Domain domain, const Dyadic& x);

namespace elementary {

inline constexpr Bits most_bits = Bits{1} << 18;  // enclose gives up (ResourceError) beyond that working precision

// hi - lo <= 2^-bits * min(|lo|, |hi|), ends of at most bits + 2 bits, or lo == hi when the value is exact. That is
// less than one unit of the last of `bits` places: no wider than the best enclosure with ends of `bits` bits (factor
// 1). Beyond 2^(2^40) the outer end is infinite, below 2^-(2^40) the inner end is 0. REQUIRES bits >= 2, x in the
// domain. Throws ResourceError when more than most_bits would be needed, and for sin, cos, tan of 2^(2^17) and more.
Enclosure enclose(Function function, const Dyadic& x, Bits bits);
// The same at a rational point.
Enclosure enclose(Function function, const Rational& x, Bits bits);

// The value if it is a dyadic number for a reason the enclosures cannot see: 10^n, log10 of 10^n, rational functions.
std::optional<Dyadic> exact_result(Function function, const Dyadic& x);

// An enclosure of the place (narrower than 2^-bits) and of the least value (2^-bits relative) of a function with one
// minimum.
struct Minimum {
  Enclosure place, value;
};
Minimum minimum_of(Function function, Bits bits);

// floor(x / (pi/2)).
Integer quarter_turns(const Dyadic& x);

}  // namespace elementary
}  // namespace outward
