#include "cli/common/json_line.hpp"

#include <cstdio>

namespace outward::cli {

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void print_json(const nlohmann::ordered_json& json) { std::printf("%s\n", json_line(json).c_str()); }

}  // namespace outward::cli
