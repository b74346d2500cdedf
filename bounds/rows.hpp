// The rows of a property as linear forms over the outputs in binary64, computed once per query: a refutation asks for
// their lower bounds again and again.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bounds/backward.hpp"
#include "runtime/graph/property.hpp"

namespace outward {

class RowTable {
 public:
  explicit RowTable(const Property& property);

  const Property& property() const { return property_; }
  std::size_t rows(std::uint32_t case_index) const { return cases_[case_index].size(); }
  // The power of two at or below the greatest absolute coefficient; 1 if there is none.
  double scale(std::uint32_t case_index, std::uint32_t row) const { return cases_[case_index][row].scale; }
  bool strict(std::uint32_t case_index, std::uint32_t row) const {
    return property_.cases[case_index].rows[row].strict;
  }

  // Appends one row.
  void append(std::uint32_t case_index, std::uint32_t row, Forms& forms) const;
  // Appends Σ multipliers[r]·row r of the case, each coefficient exact up to its radius, the constant rounded down.
  void append_sum(std::uint32_t case_index, std::span<const double> multipliers, Forms& forms) const;

  // Adds factor·row/scale(row) to a form over the outputs (and to its constant if given); nearest, for searches.
  void add_scaled(std::uint32_t case_index, std::uint32_t row, double factor, double* form, double* constant) const;
  // The row at outputs y, divided by its scale; nearest.
  double value(std::uint32_t case_index, std::uint32_t row, const double* y) const;
  // Whether every row of the case looks true at outputs y, about: worth an exact replay.
  bool looks_unsafe(std::uint32_t case_index, const double* y) const;

 private:
  struct Term {
    std::uint32_t output;
    double nearest, radius;
  };
  struct FloatRow {
    std::vector<Term> terms;
    double constant_down = 0, scale = 1;
  };
  void append(std::span<const Term> terms, double constant, Forms& forms) const;

  const Property& property_;
  std::vector<std::vector<FloatRow>> cases_;
};

// Multipliers λ >= 0 of planes (rows × inputs) whose weighted sum has a large least value over the box: the weak dual
// of "some row is false at every point". They sum to 1 and are multiples of 2^-10. Subgradient ascent in the
// exponentiated form (Kivinen and Warmuth 1997). Not rigorous: whoever uses them bounds the sum again.
std::vector<double> weigh_planes(const Planes& planes, std::size_t first, std::size_t rows,
                                 std::span<const double> scales, const Range& box);

}  // namespace outward
