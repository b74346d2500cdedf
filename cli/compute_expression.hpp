// Expressions of `compute numbers`: read and evaluated in one pass, every literal and every operation rounded once in
// the format in force. Throws InputRefused with the column of what is not understood.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "formats/number_format.hpp"

namespace outward::cli {

// A literal or an operation as it was computed.
struct ComputeStep {
  std::string text;  // "0.1", "fma(0.1, 3, 2^-20)"; the middle of a long one left out
  std::shared_ptr<const NumberFormat> format;
  Integer code;
  Flags flags;       // its own
  std::string word;  // the result of compare(): less, equal, greater, unordered
};

// The text as it is shown: of a long one the beginning and the end, so that the texts of a sum of n terms take a
// multiple of n characters, not of n^2.
std::string shown_text(std::string text);

// All steps in the order of evaluation, the last one the result.
std::vector<ComputeStep> evaluate(const std::string& expression, std::shared_ptr<const NumberFormat> format,
                                  Rounding rounding);

}  // namespace outward::cli
