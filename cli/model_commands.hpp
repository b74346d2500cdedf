// The commands of `model`: one function per command. They print to stdout, return the exit code, and throw typed
// errors.
#pragma once
#include <string>

#include "cli/common/profiles.hpp"
#include "cli/common/shapes.hpp"

namespace outward::cli {

struct ModelOptions {
  std::string file, input, layout, model;
  std::vector<std::string> shapes;  // NAME=D1,D2,...
  bool json = false, nodes = false, exact = false;
  RecordOptions records;
  std::string profile;  // of `run`: "": none
  bool show_plan = false;
  std::string observe;   // of `run`: a library of ONNX Runtime, or "own"
  std::string property;  // where the points to observe come from, instead of --input
  std::string radius = "0.1";
  std::uint64_t points = 16, seed = 1;
  std::string format, accumulator, order = "sequential", rounding = "nearest_even";  // of `run`; format "": the model's
};

int model_info(const ModelOptions& options);
int model_check(const ModelOptions& options);
int model_run(const ModelOptions& options);
int model_run_in_format(const ModelOptions& options);
int model_run_plan(const ModelOptions& options);
int model_observe(const ModelOptions& options);
int model_ops(const ModelOptions& options);

}  // namespace outward::cli
