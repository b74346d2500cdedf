// `model property FILE [--model MODEL] [--json]`: what a property file says, without verifying anything.
#pragma once
#include <string>

namespace outward::cli {

// model_path "" takes the sizes from the declarations. Returns the exit code 0; errors are thrown.
int model_property(const std::string& file, const std::string& model_path, bool json);

}  // namespace outward::cli
