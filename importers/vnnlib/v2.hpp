// VNN-LIB 2.0 queries: syntax, scoping and type checking of the standard.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.hpp"

namespace outward::vnnlib {

struct V2Summary {
  std::string version;                    // the text between < and >
  std::vector<std::string> networks;      // "f: input X real [2], output Y real [1]"
  std::vector<std::string> notes;         // accepted although text and grammar of the standard differ
  std::uint64_t inputs = 0, outputs = 0;  // elements of all inputs and outputs of all networks
  std::uint64_t assertions = 0;
};

// Throws InputRefused at the first violation of syntax, scoping or typing. Codes follow the error classes of the
// standard: syntax, missing-version, missing-network, multiple-declaration, undeclared-variable, type-mismatch,
// untypable, variable-shape-mismatch, index-out-of-bounds, not-enough-indices, too-many-indices, invalid-scalar-access,
// …
V2Summary check_v2(std::string_view text, const std::string& name);

}  // namespace outward::vnnlib
