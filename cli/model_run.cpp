// `model run`; see model_commands.hpp. Decimal texts read back to the same number; hexadecimal ones are in the JSON.
#include <bit>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/model_commands.hpp"
#include "cli/model_point.hpp"
#include "importers/arrays/arrays.hpp"
#include "runtime/cpu/exact.hpp"
#include "runtime/cpu/reference.hpp"

namespace outward::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string hex_text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

// Shortest decimal that reads back to the same number of the element type.
std::string decimal_text(double value, ElementType element) {
  if (element == ElementType::binary64) return shortest_decimal(value);
  char text[64];
  for (int digits = 1; digits <= 9; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtof(text, nullptr) == static_cast<float>(value)) break;
  }
  return text;
}

int run_exactly(const ModelOptions& options, const Graph& graph, const std::vector<double>& point) {
  std::vector<Rational> x;
  for (double value : point) x.push_back(exact(value));
  const std::vector<ExactRange> y = run_exact_ranges(graph, x);
  Json outputs = Json::array();
  for (std::size_t j = 0; j < y.size(); ++j) {
    // Ends rounded outward to binary64; equal ends only if the number is one.
    const double lo = round_down(y[j].lo), hi = round_up(y[j].hi);
    if (options.json)
      outputs.push_back({{"lower", lo},
                         {"upper", hi},
                         {"lower_hex", hex_text(lo)},
                         {"upper_hex", hex_text(hi)},
                         {"exact", y[j].lo == y[j].hi ? fraction_text(y[j].lo) : ""}});
    else
      std::printf("Y_%zu in [%s, %s]\n", j, shortest_decimal(lo).c_str(), shortest_decimal(hi).c_str());
  }
  if (options.json) print_json({{"file", options.file}, {"semantics", "real"}, {"outputs", outputs}});
  return exit_holds;
}

}  // namespace

std::vector<double> read_point(const ModelOptions& options, const Graph& graph) {
  std::vector<double> point;
  for (std::uint64_t bits :
       read_array(options.input, {graph.element, graph.nodes[0].size, graph.input_shape, options.layout}))
    point.push_back(graph.element == ElementType::binary32
                        ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                        : std::bit_cast<double>(bits));
  return point;
}

int model_run(const ModelOptions& options) {
  const Model model = import_onnx(options.file, parse_shapes(options.shapes));
  const Graph& graph = model.graph;
  const bool single = graph.element == ElementType::binary32;
  const std::vector<double> point = read_point(options, graph);
  if (options.exact) return run_exactly(options, graph, point);
  std::vector<std::vector<double>> nodes;
  const std::vector<double> y = run_reference(graph, point, &nodes);
  const bool finite = all_finite(nodes);
  if (options.json) {
    Json outputs = Json::array();
    for (double value : y) outputs.push_back({{"value", decimal_text(value, graph.element)}, {"hex", hex_text(value)}});
    print_json({{"file", options.file},
                {"semantics", single ? "fp32_sequential" : "fp64_sequential"},
                {"finite", finite},
                {"outputs", outputs}});
  } else {
    for (std::size_t j = 0; j < y.size(); ++j) std::printf("Y_%zu %s\n", j, decimal_text(y[j], graph.element).c_str());
  }
  if (!finite) std::fprintf(stderr, "warning: NaN or infinity arises in the network at this point\n");
  return exit_holds;
}

}  // namespace outward::cli
