// The commands of `compute`; each returns an exit code and throws typed errors.
#pragma once
#include <string>

namespace outward::cli {

struct ComputeOptions {
  std::string expression, format = "binary64", rounding = "nearest_even";
  std::string file, operation, function;
  int show = 10;
  bool json = false;
};

int compute_numbers(const ComputeOptions& options);
int compute_intervals(const ComputeOptions& options);
int compute_vectors(const ComputeOptions& options);
int compute_formats(const ComputeOptions& options);

}  // namespace outward::cli
