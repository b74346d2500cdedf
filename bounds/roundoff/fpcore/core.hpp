// FPCore programs as the analysis takes them: variables with ranges, and a graph of operations in which equal
// subexpressions are one node (the same computation gives the same bits). Plain data; parse.hpp makes it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bounds/roundoff/fpcore/reader.hpp"
#include "bounds/roundoff/fpcore/span.hpp"
#include "formats/elementary/functions.hpp"
#include "formats/format.hpp"

namespace outward::fpcore {

enum class Op : std::uint8_t {
  variable,  // a real of its range, rounded to the format
  constant,  // a literal, a named constant, or operations on such, folded
  add,
  subtract,
  multiply,
  divide,
  negate,
  absolute,
  minimum,
  maximum,
  square_root,
  fused_multiply_add,
  function,  // an elementary function of a library
  power,     // x^n, n an integer, by a library function
  cast,      // rounds to the format
};

// The elementary functions of FPCore, of those of formats/elementary; their names are the same.
inline constexpr Function functions_of_fpcore[] = {
    Function::exp,  Function::expm1, Function::exp2,  Function::log,   Function::log1p, Function::log2, Function::log10,
    Function::sin,  Function::cos,   Function::tan,   Function::asin,  Function::acos,  Function::atan, Function::sinh,
    Function::cosh, Function::tanh,  Function::asinh, Function::acosh, Function::atanh, Function::erf,  Function::erfc};

struct Variable {
  std::string name;
  Span range;  // around the real range
  std::string range_text;
  int format = 0;
  Place place;
};

// Numbers are multiples of 2^grid; this for zero.
inline constexpr int any_grid = 1 << 28;

struct Node {
  Op op = Op::constant;
  std::array<int, 3> operands{};  // earlier nodes
  int count = 0;
  int format = 0;  // the rounding of the result: index in Core::formats
  Function function = Function::exp;
  long exponent = 0;  // of power
  int variable = 0;
  // Of constants: the exact value, the computed one, and computed - exact; and a power of two that divides the computed
  // one.
  Span exact, computed, error;
  int grid = 0;
  std::string text;
  Place place;
};

struct Core {
  std::string name;    // "" if it has none
  std::string source;  // file, or "expression"
  std::vector<Variable> variables;
  std::vector<Node> nodes;  // operands before their users
  int root = 0;
  std::vector<Format> formats;
  std::vector<std::string> notes;  // conditions that were not used, and the like
};

}  // namespace outward::fpcore
