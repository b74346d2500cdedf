// The commands of `roundoff`: one function per subject. They print to stdout, return the exit code, and throw typed
// errors.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/common/profiles.hpp"

namespace outward::cli {

struct RoundoffOptions {
  std::string file;        // an ONNX model, or an FPCore file (*.fpcore)
  std::string expression;  // --expression TEXT: an FPCore expression on the command line
  std::string op;          // --op NAME: an operator by name, see --operators

  std::string format, accumulator, order = "any", policy;  // the policy
  std::string profile;                                     // of models: the kernels, and so the policies, of every node
  RecordOptions records;                                   // of --profile
  double function_ulps = 1;                                // elementary functions are within so many ulps

  std::string input, radius, range, property, layout;  // of models: where the inputs lie
  std::vector<std::string> ranges;                     // of expressions: NAME=LO,HI
  std::vector<std::string> shapes;                     // NAME=D1,D2,...
  std::vector<std::string> only;                       // of FPCore files with several cores: names of those to report
  std::string input_error;                             // rounded (default), none
  std::uint64_t boxes = 0;                             // of expressions: parts of the input box to try; 0: the default
  double seconds = 60;                                 // of expressions: time for each bound; 0: no limit
  std::string target;                                  // the output error a recommendation has to keep
  std::uint64_t n = 0, d = 0, block = 0;               // of operators by name: sizes; 0: not given
  std::uint64_t samples = 16, seed = 1;                // of the observed errors
  std::uint64_t parts = 1;                             // of models: parts of the input box to bound
  double work = 2e9;                                   // multiplications for bounds before activations
  std::string plot, coverage, baseline;                // files
  bool json = false, operators = false, observe = true;
};

// An ONNX model: roundoff MODEL --format F ...
int roundoff_model(const RoundoffOptions& options);
// An operator by name: roundoff --op softmax --n 1024 --format F ...
int roundoff_operator(const RoundoffOptions& options);
// --operators: their names, with the sources of the formulas.
int roundoff_operators(const RoundoffOptions& options);
// --coverage FILE, --write-baseline FILE: every operator has a rule, and no bound is worse than in the file.
int roundoff_coverage(const RoundoffOptions& options);
// A scalar expression in FPCore: roundoff EXPR.fpcore, or --expression TEXT.
int roundoff_expression(const RoundoffOptions& options);

}  // namespace outward::cli
