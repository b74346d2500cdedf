// `compute vectors`; see compute_commands.hpp. An input without a single row is refused, not passed.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/compute_commands.hpp"
#include "formats/error.hpp"
#include "formats/number_format.hpp"
#include "formats/vectors.hpp"

namespace outward::cli {
namespace {

using Json = nlohmann::ordered_json;

// The name of the file up to its first dot.
std::string stem(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.substr(0, name.find('.'));
}

VectorFunction function_of(const ComputeOptions& options) {
  if (!options.operation.empty()) {
    const auto format = parse_number_format(options.format);
    if (format->family() != "binary")
      throw InputRefused({"number-format", "", "vectors are compared in binary formats", "a binary format",
                          format->text() + ", which is " + format->family(), "`compute formats` lists the families"});
    return vector_function(options.operation, parse_format(options.format));
  }
  const std::string name = options.function.empty() ? stem(options.file) : options.function;
  if (const auto function = vector_function(name)) return *function;
  throw UsageError("'" + name + "' does not say what the lines compute; give --op and --format, or --function f32_add");
}

}  // namespace

int compute_vectors(const ComputeOptions& options) {
  const VectorFunction function = function_of(options);
  const auto rounding = rounding_of(options.rounding);
  if (!rounding) throw UsageError("--rounding " + options.rounding + ": unknown direction");
  std::ifstream file;
  if (options.file != "-") file.open(options.file);
  if (options.file != "-" && !file) throw InputRefused({"file", options.file, "the file cannot be read", "", "", ""});
  std::istream& input = options.file == "-" ? std::cin : file;
  long rows = 0, results = 0, wrong_rows = 0, wrong = 0, number = 0;
  Json shown = Json::array();
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
    VectorLine compared;
    try {
      compared = compare_vector_line(function, line, *rounding);
    } catch (InputRefused& refused) {
      for (Blocker& blocker : refused.blockers) blocker.where = options.file + ":" + std::to_string(number);
      throw InputRefused(refused.blockers);
    }
    ++rows;
    results += compared.compared;
    wrong += static_cast<long>(compared.mismatches.size());
    wrong_rows += compared.mismatches.empty() ? 0 : 1;
    for (const std::string& mismatch : compared.mismatches)
      if (static_cast<int>(shown.size()) < options.show)
        shown.push_back({{"line", number}, {"row", line}, {"difference", mismatch}});
  }
  if (rows == 0) throw InputRefused({"vectors", options.file, "there is not a single row", "", "", ""});
  if (options.json) {
    const Json json = {{"file", options.file},     {"rows", rows},   {"results", results},
                       {"wrong_rows", wrong_rows}, {"wrong", wrong}, {"differences", shown}};
    print_json(json);
  } else {
    std::printf("%s: %ld rows, %ld results, %ld wrong\n", wrong == 0 ? "equal" : "different", rows, results, wrong);
    for (const Json& one : shown)
      std::printf("line %ld: %s\n  %s\n", one["line"].get<long>(), one["row"].get<std::string>().c_str(),
                  one["difference"].get<std::string>().c_str());
  }
  return wrong == 0 ? exit_holds : exit_violated;
}

}  // namespace outward::cli
