#include "cli/common/shapes.hpp"

#include <algorithm>

#include "formats/error.hpp"

namespace outward::cli {

ShapeOverrides parse_shapes(const std::vector<std::string>& texts) {
  ShapeOverrides shapes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    const auto bad = [&] {
      throw UsageError("--input-shape takes NAME=D1,D2,... with positive dimensions; found \"" + text + "\"");
    };
    if (equals == std::string::npos || equals == 0) bad();
    std::vector<std::int64_t> dims;
    for (std::size_t start = equals + 1; start <= text.size();) {
      const std::size_t end = std::min(text.find(',', start), text.size());
      const std::string item = text.substr(start, end - start);
      if (item.empty() || item.size() > 12 || item.find_first_not_of("0123456789") != std::string::npos ||
          std::stoll(item) == 0)
        bad();
      dims.push_back(std::stoll(item));
      start = end + 1;
    }
    if (!shapes.emplace(text.substr(0, equals), std::move(dims)).second)
      throw UsageError("--input-shape gives " + text.substr(0, equals) + " twice");
  }
  return shapes;
}

}  // namespace outward::cli
