// Writes the counterexample text of the VNN-COMP rules: ((X_0 v)\n(X_1 v)\n…(Y_0 v)…).
#pragma once
#include <string>
#include <vector>

namespace outward {

// x_decimals: one exact decimal text per input; y: the outputs at that point, written as the shortest decimals that
// read back to the same numbers. Throws std::invalid_argument if a text is no decimal number.
std::string witness_text(const std::vector<std::string>& x_decimals, const std::vector<double>& y);

}  // namespace outward
