// VNN-LIB 2.0 queries: syntax and type checking of the standard, and translation of what one network with one input and
// one output can express.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/vnnlib/formula.hpp"
#include "importers/vnnlib/v1.hpp"

namespace outward::vnnlib {

struct V2Summary {
  std::string version;                // the text between < and >
  std::vector<std::string> networks;  // "f: input X real [2], output Y real [1]"
  std::vector<std::string> notes;     // accepted although text and grammar of the standard differ
  std::uint64_t inputs = 0, outputs = 0;  // elements of all inputs and outputs of all networks
};

// Throws InputRefused at the first violation of syntax, scoping or typing.
V2Summary check_v2(std::string_view text, const std::string& name);

// The query as a formula, for a single network with one input and one output of type float32, float64 or real.
// Throws InputRefused with code unsupported-vnnlib-2 and every reason for other (correct) queries.
Formula translate_v2(std::string_view text, const std::string& name, const Sizes& sizes);

}  // namespace outward::vnnlib
