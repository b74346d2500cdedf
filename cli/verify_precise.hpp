// `verify --precision FORMAT`: interval bounds and CROWN in a number format, over the real numbers or under a float
// claim, with branching on small inputs.
#pragma once
#include <string>
#include <vector>

#include "cli/verify_solve.hpp"

namespace outward::cli {

struct PreciseRun {
  Solved solved;
  std::string format;              // as parse_number_format reads it back
  std::vector<std::string> lines;  // Y_i in [lo, hi], in decimals rounded outward; of the box of a `bound`
  std::string bounds_json;         // what --bounds writes: exact ends
};

// Throws UsageError for options that need what this mode has not: see finish_options. seconds_used as for solve().
PreciseRun solve_in_format(const Options& o, const Model& model, Property property, double seconds_used);

}  // namespace outward::cli
