// `compute numbers` and `compute formats`; see compute_commands.hpp.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/common/number_text.hpp"
#include "cli/compute_commands.hpp"
#include "cli/compute_expression.hpp"
#include "formats/error.hpp"
#include "formats/vectors.hpp"

namespace outward::cli {
namespace {

using Json = nlohmann::ordered_json;

Json step_json(const ComputeStep& step) {
  Json json = {{"text", step.text}, {"format", step.format->text()}};
  if (!step.word.empty()) {
    json["value"] = step.word;
  } else {
    json["value"] = step.format->value_text(step.code);
    json["bits"] = bits_text(*step.format, step.code);
    json["exact"] = exact_text(step.format->to_exact(step.code));
  }
  json["flags"] = flag_words(step.flags);
  return json;
}

}  // namespace

int compute_numbers(const ComputeOptions& options) {
  const auto format = parse_number_format(options.format);
  const auto rounding = rounding_of(options.rounding);
  if (!rounding)
    throw UsageError("--rounding " + options.rounding +
                     ": expected nearest_even, nearest_away, toward_zero, up, down or to_odd");
  const std::vector<ComputeStep> steps = evaluate(options.expression, format, *rounding);
  const ComputeStep& result = steps.back();
  Flags all;
  for (const ComputeStep& step : steps) all |= step.flags;
  if (options.json) {
    Json json = {
        {"expression", options.expression}, {"format", format->text()}, {"rounding", rounding_text(*rounding)}};
    const Json last = step_json(result);
    for (const char* key : {"value", "bits", "exact"})
      if (last.contains(key)) json[key] = last[key];
    json["flags"] = flag_words(all);
    json["steps"] = Json::array();
    for (const ComputeStep& step : steps) json["steps"].push_back(step_json(step));
    print_json(json);
    return exit_holds;
  }
  if (!result.word.empty()) {
    std::printf("%s\n", result.word.c_str());
  } else {
    std::printf("%s\n", format->value_text(result.code).c_str());
    std::printf("bits   %s\n", bits_text(*format, result.code).c_str());
    std::printf("exact  %s\n", exact_text(format->to_exact(result.code)).c_str());
  }
  std::printf("flags  %s\n", flags_text(all).c_str());
  std::printf("in     %s, %s\n", format->text().c_str(), rounding_text(*rounding).c_str());
  for (const ComputeStep& step : steps) {
    const std::string value =
        step.word.empty() ? step.format->value_text(step.code) + "  " + bits_text(*step.format, step.code) : step.word;
    std::printf("  %s = %s  %s\n", step.text.c_str(), value.c_str(), flags_text(step.flags).c_str());
  }
  return exit_holds;
}

int compute_formats(const ComputeOptions& options) {
  Json list = Json::array();
  for (const std::string& name : number_format_names()) {
    const auto format = parse_number_format(name);
    Json row = {{"name", name}, {"family", format->family()}, {"width", format->width()}};
    std::string line = name;
    line.resize(std::max<std::size_t>(line.size() + 1, 14), ' ');
    line += format->family() + "  " + std::to_string(format->width()) + " bits";
    for (const auto& [key, value] : format->parameters()) {
      row[key] = value;
      line += "  " + key + " " + value;
    }
    list.push_back(row);
    if (!options.json) std::printf("%s\n", line.c_str());
  }
  if (options.json) print_json({{"formats", list}});
  if (!options.json)
    std::printf(
        "Any other: binary(e, f [, bias] [, ieee|fn|fnuz|finite] [, saturate] [, flush]) with e 2..30, f 1..4096.\n");
  return exit_holds;
}

}  // namespace outward::cli
