// The report on one FPCore: bounds of its rounding error by several forms, the smallest of them, and where it comes
// from. Assumes what ErrorModel says. Promises: |computed - exact| <= absolute for all inputs in the ranges (inputs are
// reals rounded to their format, unless exact_inputs); relative likewise; infinity with a reason otherwise.
#pragma once
#include <string>
#include <vector>

#include "bounds/roundoff/fpcore/optimise.hpp"

namespace outward::fpcore {

struct OperationReport {
  int node = 0;
  std::string text, format;
  Place place;
  Span range;                  // of the computed value
  double local = 0;            // bound of its own rounding
  double share = 0;            // of the error at the worst point, 0 to 1
  double headroom_bits = 0;    // log2(largest number / largest value), rounded down; negative: overflow possible
  bool may_underflow = false;  // results below the least normal number, zero apart
};

struct Report {
  double absolute = infinity, relative = infinity;
  Span value;                   // of the exact result
  double interval = infinity;   // forms over the whole box: errors times largest partial derivatives
  double affine = infinity;     // first order in affine arithmetic
  double taylor = infinity;     // first order, maximised by branch and bound
  std::string form;             // the one that gave `absolute`
  std::string relative_reason;  // why there is no relative bound
  std::string reason;           // why there is no bound
  Place reason_place;
  std::size_t boxes = 0;  // evaluated
  bool converged = false, out_of_time = false;
  std::vector<std::pair<std::string, double>> point;  // inputs where the bound is largest, as far as found
  double at_point = 0;                                // the bound there
  std::vector<OperationReport> operations;            // that round, inputs and constants included, by share
  std::vector<std::string> assumptions;
};

// `want_relative`: whether to search for the relative bound as well (the same effort again).
Report analyse(const Core& core, const ErrorModel& model, const Effort& effort, bool want_relative = true);

}  // namespace outward::fpcore
