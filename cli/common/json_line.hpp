// One JSON value as one line: what every program prints and writes. Text that is no UTF-8 is replaced, never an error.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace outward::cli {

// Without a line break at the end.
std::string json_line(const nlohmann::ordered_json& json);
// With one, to stdout.
void print_json(const nlohmann::ordered_json& json);

}  // namespace outward::cli
