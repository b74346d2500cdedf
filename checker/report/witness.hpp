// Counterexample files of VNN-COMP: an optional line `sat`, then ((X_0 v) ... (Y_0 v) ...).
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "checker/kernel/fraction.hpp"

namespace outward_check {

struct WitnessText {
  std::vector<Fraction> inputs;
  std::vector<std::optional<Fraction>> outputs;  // as claimed; never believed
};

bool looks_like_witness(std::string_view text);
// Throws ReadError (malformed) unless every input is given once, outputs at most once, and nothing else.
WitnessText parse_witness(std::string_view text, std::size_t inputs, std::size_t outputs);

}  // namespace outward_check
