// Executions of single points (FORMAT.md section 5) and what they say about a case.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "checker/kernel/property.hpp"
#include "checker/kernel/state.hpp"

namespace outward_check {

enum class Execution : std::uint8_t { real, fp32_sequential, fp64_sequential };

struct Run {
  std::string fault;                     // not empty: there is no result, e.g. for an overflow
  std::vector<Interval<Exact>> outputs;  // points, or tight enclosures where a root is irrational
};
// inputs: exact; the float executions receive them rounded to nearest even.
Run execute(const Structure& structure, Execution kind, const std::vector<Fraction>& inputs);

struct Witness {
  bool proved = false;             // the point is in the box of a case and all its rows are true
  std::size_t which = 0;           // that case
  std::string reason;              // if not proved
  std::vector<std::string> notes;  // the value of every row of that or the last case
  std::vector<Interval<Exact>> outputs;
};
// Tries the cases first ... last - 1.
Witness check_witness(const Structure& structure, const Property& property, std::size_t first,
                      std::size_t last, const std::vector<Fraction>& point, Execution kind);

}  // namespace outward_check
