// What the VNN-LIB parser hands to the case expansion: atoms in file order and, for the conjunction
// of all assertions, the atoms common to every case and one factor per disjunction.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/kernel/property.hpp"

namespace outward_check {

constexpr std::uint32_t none = 0xffffffff;

// The distinct numbers of a file; equal values have equal ids.
class Numbers {
 public:
  std::uint32_t id(const Fraction& value);
  const Fraction& operator[](std::uint32_t id) const { return values_[id]; }
  int compare(std::uint32_t a, std::uint32_t b) const {
    return a == b ? 0 : Fraction::compare(values_[a], values_[b]);
  }

 private:
  std::uint32_t* place(const Fraction& value);
  std::deque<Fraction> values_;
  std::vector<std::uint32_t> table_;  // open addressing, at most half full
};

// Columns: input i is column i, output j is column inputs + j.
struct Atom {
  enum class Kind : std::uint8_t { lower, upper, row, never };
  Kind kind = Kind::never;
  bool strict = false;
  std::uint32_t index = 0;  // bounds: the column; row: number in Formula::rows
  std::uint32_t value = 0;  // bounds: the number
};

struct AtomRange {
  std::uint32_t first = 0, last = 0;  // half open
};

// A disjunction of conjunctions: alternative k is ranges[ends[k - 1] .. ends[k]).
struct Alternatives {
  std::vector<AtomRange> ranges;
  std::vector<std::uint32_t> ends;
};

struct Formula {
  Numbers numbers;
  std::vector<Atom> atoms;  // a row of one output is followed by the bound that it is
  std::vector<Row> rows;
  std::vector<AtomRange> common;  // atoms of every case
  std::vector<Alternatives> factors;
};

// FORMAT.md section 4: product of the factors, empty cases dropped, boxes shared.
Property expand_cases(const Formula& formula, const std::string& name, std::uint64_t inputs,
                      std::uint64_t outputs);

}  // namespace outward_check
