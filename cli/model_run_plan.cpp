// `model run --profile`: execution through a plan; see model_commands.hpp.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/model_commands.hpp"
#include "cli/model_point.hpp"
#include "formats/exact.hpp"
#include "runtime/capsules/kernels.hpp"
#include "runtime/cpu/reference.hpp"

namespace outward::cli {

int model_run_plan(const ModelOptions& options) {
  const Model model = import_onnx(options.file, parse_shapes(options.shapes));
  const auto plan = accepted_plan(model.graph, profile_of(options.profile), registry_of(options.records));
  std::vector<std::vector<double>> nodes;
  const std::vector<double> y = run_plan(model.graph, *plan, read_point(options, model.graph), &nodes);
  const std::vector<std::string> lines = plan_lines(plan->plan());
  if (options.json) {
    nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
    for (const double v : y) {
      char hex[64];
      std::snprintf(hex, sizeof hex, "%a", v);
      outputs.push_back({{"value", shortest_decimal(v)}, {"hex", hex}});
    }
    print_json({{"file", options.file},
                {"profile", plan->plan().profile.name},
                {"plan", lines},
                {"finite", all_finite(nodes)},
                {"outputs", outputs}});
  } else {
    for (std::size_t i = 0; options.show_plan && i < lines.size(); ++i) std::printf("%s\n", lines[i].c_str());
    for (std::size_t j = 0; j < y.size(); ++j) std::printf("Y_%zu %s\n", j, shortest_decimal(y[j]).c_str());
  }
  if (!all_finite(nodes)) std::fprintf(stderr, "warning: NaN or infinity arises in the network at this point\n");
  return exit_holds;
}

}  // namespace outward::cli
