// Operators by name, as small programs with stated inputs: `roundoff --op softmax --n 1024`.
// Weights are fixed pseudo-random numbers, the same on every machine.
#pragma once
#include <optional>
#include <string_view>

#include "bounds/roundoff/analysis.hpp"

namespace outward::roundoff {

struct SpecSizes {
  std::size_t n = 0, d = 0, block = 0;             // 0: the default of the operator
  std::optional<std::pair<double, double>> range;  // of every input; default: that of the operator
};

struct SpecProgram {
  Program program;
  Box box;  // inputs are numbers of the format
};

struct Spec {
  const char* name;
  const char* what;
  std::size_t n, d, block;  // defaults; 0: the operator has no such size
  double lo, hi;            // default range of the inputs
  SpecProgram (*build)(const Spec&, const SpecSizes&, const Arithmetic&);
};

std::span<const Spec> spec_table();
// nullptr for an unknown name.
const Spec* spec_named(std::string_view name);
// Throws UsageError for sizes that are too large or that the operator does not have, InputRefused for operands= where
// the operator has no formula for it.
SpecProgram build_spec(const Spec& spec, const SpecSizes& sizes, const Arithmetic& arithmetic);

}  // namespace outward::roundoff
