// What the VNN-LIB parser hands to the case expansion: atoms in file order, and the conjunction of all assertions as a
// tree over them.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "checker/readers/readers.hpp"

namespace outward_check {

// The distinct numbers of a file: equal values have equal addresses.
struct HashValue {
  std::size_t operator()(const Fraction& f) const {
    std::int64_t n = 0, d = 0;
    const bool small = f.numerator().fits_int64(&n) && f.denominator().fits_int64(&d);
    return small ? static_cast<std::size_t>(n) * 0x9e3779b97f4a7c15u + static_cast<std::size_t>(d)
                 : std::hash<std::string>()(f.text());
  }
};
using Numbers = std::unordered_set<Fraction, HashValue>;

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
  Numbers numbers;
  std::vector<Atom> atoms;  // a row of one output is followed by the bound that it is
  std::vector<Row> rows;
  Formula all;
};

// FORMAT.md section 4: the cases one by one, empty ones dropped, boxes shared.
Property expand_cases(Assertions assertions, const std::string& name, std::uint64_t inputs, std::uint64_t outputs);

}  // namespace outward_check
