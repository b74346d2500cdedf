// model info|check|run|ops|property FILE: inspect and run a model without verifying anything. Options only; the
// commands are in model_*.cpp.
#include <CLI/CLI.hpp>

#include "cli/common/errors.hpp"
#include "cli/model_commands.hpp"
#include "cli/model_property.hpp"

namespace {

using namespace outward;
using namespace outward::cli;

constexpr const char* examples = R"(Examples:
  model info net.onnx                      what the network is made of
  model check net.onnx                     exit 0 if it is supported, else 4 and every reason
  model run net.onnx --input point.npy     outputs of the reference-order execution
  model run net.onnx --input point.npy --format e4m3fn --accumulate binary16 --order pairwise
  model run net.onnx --input point.npy --profile checked_cpu --show-plan
  model run net.onnx --input point.npy --observe libonnxruntime.so.1
  model ops                                supported operators
  model property prop.vnnlib --model net.onnx

Exit codes: 0 done, 3 usage, 4 input refused, 5 internal error or out of resources.)";

void add_model(CLI::App& command, ModelOptions& options) {
  command.add_option("FILE", options.file, "ONNX model, plain or .gz")->required();
  command.add_option("--input-shape", options.shapes, "NAME=D1,D2,...: dimensions the file leaves open")
      ->allow_extra_args(false);
  command.add_flag("--json", options.json, "one JSON object on stdout");
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  CLI::App app{"Inspect and run neural network models."};
  app.footer(examples);
  app.require_subcommand(1);
  ModelOptions options;

  CLI::App* info = app.add_subcommand("info", "inputs, outputs, operators, digest, sum groups");
  add_model(*info, options);
  info->add_flag("--nodes", options.nodes, "list the nodes of the canonical graph");

  CLI::App* check =
      app.add_subcommand("check", "say whether the model is supported, or list everything that stands in the way");
  add_model(*check, options);

  CLI::App* run = app.add_subcommand("run", "outputs at a point");
  add_model(*run, options);
  run->add_option("--input", options.input,
                  "point: .npy, .csv, .json, .pb, PNG or PNM; decimals are rounded to the model's element type first, "
                  "with --exact and --format too");
  run->add_option("--layout", options.layout, "nchw or nhwc: how the model orders image samples")
      ->check(CLI::IsMember({"nchw", "nhwc"}));
  CLI::Option* exact =
      run->add_flag("--exact", options.exact, "exact arithmetic instead of the reference order in the element type");
  CLI::Option* format = run->add_option("--format", options.format,
                                        "number format of values and constants, as `compute formats` lists them")
                            ->excludes(exact);
  run->add_option("--accumulate", options.accumulator,
                  "format of products and sums inside one node (default: --format)")
      ->needs(format);
  run->add_option("--order", options.order, "sequential, pairwise, or fused (a chain of fma)")
      ->check(CLI::IsMember({"sequential", "pairwise", "fused"}))
      ->needs(format);
  run->add_option("--rounding", options.rounding, "nearest_even, nearest_away, toward_zero, up, down or to_odd")
      ->needs(format);

  CLI::Option* profile = run->add_option("--profile", options.profile,
                                         "execute through the plan that this profile makes (`audit list` names them)")
                             ->excludes(exact)
                             ->excludes(format);
  run->add_flag("--show-plan", options.show_plan, "which capsule runs each node, by what right")->needs(profile);
  run->add_option("--records", options.records.records, "of --profile: folder of further records")->needs(profile);
  run->add_option("--allow", options.records.allow, "of --profile: digests of further records that may be relied on")
      ->needs(profile);
  CLI::Option* observe =
      run->add_option(
             "--observe", options.observe,
             "a library of ONNX Runtime, or `own` for the plan's own kernels: compare what it computes with the "
             "error boxes of the plan (default profile: onnxruntime_cpu)")
          ->excludes(exact)
          ->excludes(format);
  run->add_option("--property", options.property, "of --observe: points from the boxes of this VNN-LIB file")
      ->needs(observe);
  run->add_option("--radius", options.radius, "of --observe with --input: points up to so far away (default 0.1)")
      ->needs(observe);
  run->add_option("--points", options.points, "of --observe: how many points (default 16)")
      ->needs(observe)
      ->check(CLI::Range(1, 1000000));
  run->add_option("--seed", options.seed, "of --observe (default 1)")->needs(observe);

  CLI::App* ops = app.add_subcommand("ops", "the support matrix");
  ops->add_flag("--json", options.json, "one JSON object on stdout");

  CLI::App* property = app.add_subcommand("property", "what a VNN-LIB file says");
  property->add_option("FILE", options.file, "VNN-LIB property")->required();
  property->add_option("--model", options.model, "model the property is about");
  property->add_flag("--json", options.json, "one JSON object on stdout");

  if (const int code = parse_command_line(app, argc, argv); code >= 0) return code;
  return report_errors([&] {
    if (info->parsed()) return model_info(options);
    if (check->parsed()) return model_check(options);
    if (run->parsed() && !options.observe.empty()) return model_observe(options);
    if (run->parsed() && options.input.empty()) throw UsageError("run needs --input");
    if (run->parsed() && !options.profile.empty()) return model_run_plan(options);
    if (run->parsed()) return options.format.empty() ? model_run(options) : model_run_in_format(options);
    if (ops->parsed()) return model_ops(options);
    return model_property(options.file, options.model, options.json);
  });
}
