// Observed errors: runs in the format under several orders beside a run in binary64, whose own error is bounded too.
// Promises: `worst` is never more than the true greatest error over the runs made (the reference's error is taken off),
// so that worst > bound is a defect of the bound.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bounds/roundoff/adjoint.hpp"
#include "bounds/roundoff/execution.hpp"

namespace outward::roundoff {

struct Observed {
  struct Order {
    RunOrder order;
    double worst = 0;  // over outputs and inputs
  };
  std::vector<Order> orders;
  std::vector<double> output, of_operator;  // worst per output; per operator over its elements
  std::uint64_t runs = 0, not_finite = 0;
  std::uint64_t violations = 0;  // outputs of runs, and operators of runs, beyond their bounds
  std::string skipped;           // why there were no runs
};

struct ObserveOptions {
  std::uint64_t inputs = 32, seed = 1;  // inputs: corners and random points of the box
  std::uint64_t trees = 1;              // random trees at each random point
};

// reference: the same program with every arithmetic in binary64 (same operators one by one). bounds: per output.
Observed observe(const Program& program, const Program& reference, const Analysis& analysis,
                 const std::vector<double>& bounds, const Box& box, const ObserveOptions& options);

// The program with every operator in binary64, for references. Casts stay as operators that round nothing.
Program in_binary64(const Program& program);

}  // namespace outward::roundoff
