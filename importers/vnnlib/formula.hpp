// A VNN-LIB 1.0 query as a flat formula: comparisons (literals) below `and` and `or`, in file order.
#pragma once
#include <cstdint>
#include <vector>

#include "formats/error.hpp"
#include "importers/vnnlib/numbers.hpp"
#include "runtime/graph/property.hpp"

namespace outward::vnnlib {

// One comparison in the form of FORMAT.md section 4.
struct Literal {
  enum class Kind : std::uint8_t {
    lower,       // input `index` >= value (> if strict)
    upper,       // input `index` <= value (< if strict)
    row,         // Formula::rows[index]
    yes,         // true without variables
    no,          // false without variables
    unsupported  // several inputs, or inputs and outputs: only counted
  };
  Kind kind = Kind::yes;
  bool strict = false;
  std::uint32_t index = 0;
  Number value;
  std::uint32_t line = 0;
};

// A child is a literal, or a node if node_bit is set.
inline constexpr std::uint32_t node_bit = std::uint32_t{1} << 31;

struct Node {
  bool disjunction = false;
  std::uint32_t first = 0, count = 0;  // children
  std::uint64_t cases = 1;             // alternatives after expansion
  std::uint64_t terms = 0;             // terms of all literals of all alternatives, saturating
};

struct Formula {
  std::uint64_t inputs = 0, outputs = 0;  // as declared
  std::vector<Literal> literals;
  std::vector<Row> rows;
  std::vector<Node> nodes;
  std::vector<std::uint32_t> children;
  std::vector<std::uint64_t>
      cases_before;  // parallel to children: alternatives of the earlier children of the same `or`
  Node root;         // a conjunction of the assertions
  NumberPool numbers;
  std::vector<Blocker> unsupported;  // the first 20
  std::uint64_t unsupported_count = 0;
};

// Size of a literal in Node::terms.
std::uint64_t literal_terms(const Formula& formula, const Literal& literal);

// FORMAT.md section 4: the alternatives of the formula in order, as boxes and rows. Literals of kind unsupported are
// skipped. Throws InputRefused if an input has no bound somewhere or a size limit is exceeded.
// property->inputs, outputs, path must be set; fills boxes, cases, dropped and vacuous. Consumes the formula.
void expand(Formula&& formula, Property& property);

}  // namespace outward::vnnlib
