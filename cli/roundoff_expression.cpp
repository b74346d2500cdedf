// `roundoff EXPR.fpcore`; see roundoff_commands.hpp. Every printed bound is rounded up, every printed range outward.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bounds/roundoff/fpcore/analyse.hpp"
#include "bounds/roundoff/fpcore/parse.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/roundoff_commands.hpp"
#include "formats/error.hpp"
#include "formats/exact.hpp"
#include "importers/source/source.hpp"

namespace outward::cli {
namespace {

using fpcore::Core;
using fpcore::Report;
using fpcore::Span;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 20;  // of the table of operations, without --json

// Four digits, not below the number.
std::string up_text(double x) {
  if (!(x < infinity)) return "none";
  char text[40];
  for (double y = x;; y += std::fabs(x) * 1e-4) {
    std::snprintf(text, sizeof text, "%.3e", y);
    const auto printed = parse_decimal(text);
    if (x == 0 || (printed && *printed >= exact(x))) return text;
  }
}

// Six digits, outward.
std::string range_text(Span x) {
  if (!x.bounded()) return "no finite range";
  const auto end = [](double value, bool up) {
    char text[40];
    for (double y = value;; y += (up ? 1e-6 : -1e-6) * std::fabs(value)) {
      std::snprintf(text, sizeof text, "%.6g", y == 0 ? 0.0 : y);
      const auto printed = parse_decimal(text);
      if (value == 0 || (printed && (up ? *printed >= exact(value) : *printed <= exact(value))))
        return std::string(text);
    }
  };
  return "[" + end(x.lo, false) + ", " + end(x.hi, true) + "]";
}

std::string place_text(fpcore::Place place) { return std::to_string(place.line) + ":" + std::to_string(place.column); }

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json json_of(const Core& core, const Report& report) {
  Json inputs = Json::array(), operations = Json::array(), point = Json::object();
  for (const fpcore::Variable& variable : core.variables)
    inputs.push_back({{"name", variable.name},
                      {"range", variable.range_text},
                      {"format", format_text(core.formats[static_cast<std::size_t>(variable.format)])}});
  for (const auto& [name, value] : report.point) point[name] = value;
  for (const fpcore::OperationReport& row : report.operations)
    operations.push_back({{"operation", row.text},
                          {"place", place_text(row.place)},
                          {"format", row.format},
                          {"range", {number(row.range.lo), number(row.range.hi)}},
                          {"local", number(row.local)},
                          {"share", row.share},
                          {"headroom_bits", number(row.headroom_bits)},
                          {"may_underflow", row.may_underflow}});
  const fpcore::Node& root = core.nodes[static_cast<std::size_t>(core.root)];
  return {
      {"name", core.name},
      {"source", core.source},
      {"format", format_text(core.formats[static_cast<std::size_t>(root.format)])},
      {"absolute", number(report.absolute)},
      {"relative", number(report.relative)},
      {"form", report.form},
      {"forms",
       {{"interval", number(report.interval)}, {"affine", number(report.affine)}, {"taylor", number(report.taylor)}}},
      {"reason", report.reason},
      {"relative_reason", report.relative_reason},
      {"result", {number(report.value.lo), number(report.value.hi)}},
      {"inputs", inputs},
      {"largest_at", point},
      {"bound_there", number(report.at_point)},
      {"boxes", report.boxes},
      {"converged", report.converged},
      {"out_of_time", report.out_of_time},
      {"operations", operations},
      {"assumptions", report.assumptions},
      {"notes", core.notes}};
}

void print_exposure(const Report& report) {
  double headroom = infinity;
  std::string least, small;
  for (const fpcore::OperationReport& row : report.operations) {
    if (row.headroom_bits < headroom) {
      headroom = row.headroom_bits;
      least = row.text;
    }
    if (row.may_underflow && small.size() < 200) small += (small.empty() ? "" : "; ") + row.text;
  }
  if (headroom < infinity) std::printf("  overflow   excluded, %.0f bits of headroom at %s\n", headroom, least.c_str());
  std::printf("  underflow  %s\n", small.empty() ? "none" : ("possible in " + small).c_str());
}

void print_text(const Core& core, const Report& report) {
  const fpcore::Node& root = core.nodes[static_cast<std::size_t>(core.root)];
  std::printf("%s: %s\n", core.name.empty() ? "expression" : core.name.c_str(),
              report.absolute < infinity ? ("|computed - exact| <= " + up_text(report.absolute)).c_str() : "no bound");
  if (!report.reason.empty())
    std::printf("  why        %s (%s)\n", report.reason.c_str(),
                fpcore::where(core.source, report.reason_place).c_str());
  if (!report.reason.empty() && !report.point.empty()) {
    std::printf("  for one    at");
    for (const auto& [name, value] : report.point) std::printf(" %s = %.6g", name.c_str(), value);
    std::printf("\n");
  }
  std::printf("  format     %s\n", format_text(core.formats[static_cast<std::size_t>(root.format)]).c_str());
  std::printf("  relative   %s\n", report.relative < infinity       ? ("<= " + up_text(report.relative)).c_str()
                                   : report.relative_reason.empty() ? "no bound"
                                                                    : ("no: " + report.relative_reason).c_str());
  std::printf("  by form    interval %s, affine %s, taylor %s (%zu boxes%s)\n", up_text(report.interval).c_str(),
              up_text(report.affine).c_str(), up_text(report.taylor).c_str(), report.boxes,
              report.converged || (!report.reason.empty() && !report.point.empty()) ? ""
              : report.out_of_time                                                  ? "; the time ended"
                                   : "; the limit was met, --boxes raises it");
  std::printf("  result     in %s\n", range_text(report.value).c_str());
  for (const fpcore::Variable& variable : core.variables)
    std::printf("  input      %s in %s\n", variable.name.c_str(), variable.range_text.c_str());
  if (report.absolute < infinity) {
    print_exposure(report);
    std::printf("  share  rounding   operation\n");
    std::size_t rows = 0;
    for (const fpcore::OperationReport& row : report.operations) {
      if (row.local == 0) continue;
      if (++rows > most_rows) break;
      std::printf("  %4.1f%%  %s  %s %s\n", 100 * row.share, up_text(row.local).c_str(), place_text(row.place).c_str(),
                  row.text.c_str());
    }
    if (rows > most_rows) std::printf("  (more with --json)\n");
  }
  for (const std::string& assumption : report.assumptions) std::printf("  assumed    %s\n", assumption.c_str());
  for (const std::string& note : core.notes) std::printf("  note       %s\n", note.c_str());
}

}  // namespace

int roundoff_expression(const RoundoffOptions& options) {
  fpcore::ParseOptions parse;
  parse.format = options.format;
  parse.only = options.only;
  for (const std::string& range : options.ranges) {
    const std::size_t equals = range.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError("a range reads NAME=LO,HI: " + range);
    parse.ranges.emplace_back(range.substr(0, equals), range.substr(equals + 1));
  }
  if (!options.expression.empty() && !options.file.empty())
    throw UsageError("an expression comes from a file or from --expression, not both");
  fpcore::ErrorModel model;
  model.function_ulps = options.function_ulps;
  if (!(model.function_ulps >= 0.5 && model.function_ulps <= 1e6))
    throw UsageError("functions are within 0.5 to 1000000 ulps");
  if (!options.input_error.empty() && options.input_error != "none" && options.input_error != "rounded")
    throw UsageError("inputs are rounded, or have no error (none)");
  model.exact_inputs = options.input_error == "none";
  fpcore::Effort effort;
  if (options.boxes > 0) effort.boxes = options.boxes;
  if (!(options.seconds >= 0)) throw UsageError("a time is a number of seconds, or 0");
  effort.seconds = options.seconds;
  const bool inside = !options.expression.empty();
  const std::string text = inside ? options.expression : read_file(options.file);
  int code = exit_holds;
  for (const Core& core : fpcore::parse_cores(text, inside ? "expression" : options.file, parse)) {
    const Report report = fpcore::analyse(core, model, effort);
    if (!(report.absolute < infinity)) code = exit_unknown;
    if (options.json)
      print_json(json_of(core, report));
    else
      print_text(core, report);
  }
  return code;
}

}  // namespace outward::cli
