// The option --input-shape of the programs.
#pragma once
#include <string>
#include <vector>

#include "importers/onnx/onnx.hpp"

namespace outward::cli {

// NAME=D1,D2,... each. Throws UsageError.
ShapeOverrides parse_shapes(const std::vector<std::string>& texts);

}  // namespace outward::cli
