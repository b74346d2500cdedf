// `model run --format`; see model_commands.hpp.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/common/number_text.hpp"
#include "cli/model_commands.hpp"
#include "cli/model_point.hpp"
#include "formats/error.hpp"
#include "formats/vectors.hpp"
#include "runtime/cpu/formatted.hpp"

namespace outward::cli {

int model_run_in_format(const ModelOptions& options) {
  using Json = nlohmann::ordered_json;
  FormattedRun how;
  how.format = parse_number_format(options.format);
  if (!options.accumulator.empty()) how.accumulator = parse_number_format(options.accumulator);
  how.order = options.order == "pairwise" ? SumOrder::pairwise
              : options.order == "fused"  ? SumOrder::fused
                                          : SumOrder::sequential;
  const auto rounding = rounding_of(options.rounding);
  if (!rounding) throw UsageError("--rounding: " + options.rounding + " is no rounding direction");
  how.rounding = *rounding;

  const Model model = import_onnx(options.file, parse_shapes(options.shapes));
  std::vector<Rational> input;
  for (const double x : read_point(options, model.graph)) input.push_back(exact(x));
  const FormattedResult result = run_in_format(model.graph, input, how);
  const std::vector<Integer>& y = result.nodes[model.graph.output];
  if (options.json) {
    Json outputs = Json::array();
    for (const Integer& code : y)
      outputs.push_back({{"value", how.format->value_text(code)},
                         {"bits", bits_text(*how.format, code)},
                         {"exact", exact_text(how.format->to_exact(code))}});
    const Json json = {{"file", options.file},
                       {"format", how.format->text()},
                       {"accumulator", (how.accumulator ? how.accumulator : how.format)->text()},
                       {"order", options.order},
                       {"rounding", rounding_text(how.rounding)},
                       {"finite", result.finite},
                       {"flags", flag_words(result.flags)},
                       {"outputs", outputs}};
    print_json(json);
  } else {
    for (std::size_t j = 0; j < y.size(); ++j) std::printf("Y_%zu %s\n", j, how.format->value_text(y[j]).c_str());
    std::fprintf(stderr, "flags raised on the way: %s\n", flags_text(result.flags).c_str());
  }
  if (!result.finite) std::fprintf(stderr, "warning: NaN or infinity arises in the network at this point\n");
  return exit_holds;
}

}  // namespace outward::cli
