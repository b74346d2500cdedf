// What the VNN-LIB parser hands to the case expansion: atoms in file order, and the conjunction of all assertions as a
// tree over them.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "checker/readers/readers.hpp"

namespace outward_check {

// Bits of the numerator and the denominator. REQUIRES a reduced fraction, as all below are.
inline std::uint64_t length(const Fraction& f) {
  return f.m.bits() + f.over.bits() + static_cast<std::uint64_t>(f.e < 0 ? -f.e : f.e);
}

// Columns: input i is column i, output j is column inputs + j.
struct Atom {
  enum class Kind : std::uint8_t { lower, upper, row, never };
  Kind kind = Kind::never;
  bool strict = false;
  std::uint32_t index = 0;          // bounds: the column; row: its number
  const Fraction* value = nullptr;  // bounds
};

// A conjunction or disjunction of parts, or (without parts) of the atoms first up to last. It stands for `cases`
// conjunctions of atoms in the order of FORMAT.md section 4, counted from 0; in a disjunction those of a part follow
// the `before` ones of the parts before it. Kept small: whatever has one case has no parts.
struct Formula {
  bool is_or = false;
  std::uint32_t first = 0, last = 0;
  std::uint64_t cases = 1, before = 0;
  std::vector<Formula> parts;
};

struct Assertions {
  std::deque<Fraction> numbers;  // of the bounds; a deque, so that they stay where they are
  std::vector<Atom> atoms;       // a row of one output is followed by the bound that it is
  std::vector<Row> rows;
  Formula all;
};

// FORMAT.md section 4: the cases one by one, empty ones dropped, boxes shared.
Property expand_cases(Assertions assertions, const std::string& name, std::uint64_t inputs, std::uint64_t outputs);

}  // namespace outward_check
