// roundoff: how far a network, an operator or an expression computed in a number format can be from its exact value.
// Options only; the commands are in roundoff_*.cpp.
#include <CLI/CLI.hpp>

#include "cli/common/errors.hpp"
#include "cli/roundoff_commands.hpp"

namespace {

using namespace outward;
using namespace outward::cli;

constexpr const char* examples = R"(Examples:
  roundoff network.onnx --format binary32 --input image.npy --radius 0.01
  roundoff network.onnx --format bfloat16 --accumulate binary32 --property box.vnnlib --plot errors.svg
  roundoff network.onnx --format binary32 --range 0,1 --target 1e-2      which operators may be narrower
  roundoff network.onnx --format binary16 --order tensorcore:h100_f16 --input image.npy
  roundoff network.onnx --profile onnxruntime_cpu --range 0,1            the arithmetic of planned kernels
  roundoff --op softmax --n 1024 --format bfloat16                       roundoff --operators lists them
  roundoff --expression '(FPCore (x) :pre (<= 0 x 1) (* x (+ x 1)))' --format binary64

Exit codes: 0 reported, 2 no finite bound, 3 usage, 4 input refused, 5 internal error or out of resources.)";

bool is_expression(const RoundoffOptions& o) {
  const std::string ending = ".fpcore";
  return !o.expression.empty() ||
         (o.file.size() > ending.size() && o.file.compare(o.file.size() - ending.size(), ending.size(), ending) == 0);
}

// What an option says something about: models, operators by name, expressions. The rest is about all of them.
struct Scope {
  const char *option, *subjects;
};
constexpr Scope scopes[] = {
    {"--op", "o"},       {"--expression", "e"}, {"--accumulate", "mo"}, {"--order", "mo"}, {"--policy", "mo"},
    {"--profile", "m"},  {"--records", "m"},    {"--allow", "m"},       {"--input", "m"},  {"--radius", "m"},
    {"--range", "mo"},   {"--property", "m"},   {"--layout", "m"},      {"--target", "m"}, {"--input-shape", "m"},
    {"--parts", "m"},    {"--work", "m"},       {"--n", "o"},           {"--d", "o"},      {"--block", "o"},
    {"--samples", "mo"}, {"--seed", "mo"},      {"--plot", "mo"},       {"--arg", "e"},    {"--core", "e"},
    {"--boxes", "e"},    {"--timeout", "e"},
};

void refuse_others(const CLI::App& app, char subject, const char* name) {
  for (const Scope& scope : scopes)
    if (app.get_option(scope.option)->count() > 0 && std::string(scope.subjects).find(subject) == std::string::npos)
      throw UsageError(std::string(scope.option) + ": not of " + name);
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  CLI::App app{"Bounds of rounding errors, operator by operator."};
  app.footer(examples);
  RoundoffOptions options;
  app.add_option("FILE", options.file, "a model (ONNX), or an expression (*.fpcore)");
  app.add_option("--expression", options.expression, "an FPCore expression");
  app.add_option("--format", options.format, "number format of operands and results");
  app.add_option("--accumulate", options.accumulator, "format of products and sums inside one operator; default F");
  app.add_option("--order", options.order,
                 "order of sums: any (default; any fusion too), sequential, pairwise, fused, tensorcore:MODEL");
  app.add_option("--policy", options.policy, "instead of these three, the text of a numerical policy");
  CLI::Option* profile = app.add_option("--profile", options.profile,
                                        "of models, instead of all these: each node has the policy of the kernel that "
                                        "this profile plans for it (`audit list` names them; or a file)");
  app.add_option("--records", options.records.records, "of --profile: folder of further records")->needs(profile);
  app.add_option("--allow", options.records.allow, "of --profile: digests of further records that may be relied on")
      ->needs(profile);
  app.add_option("--input", options.input, "of models: a point (.npy, .csv, ...)");
  app.add_option("--radius", options.radius, "of models: how far the inputs may be from --input");
  app.add_option("--range", options.range, "of models and operators: LO,HI, the range of every input");
  app.add_option("--property", options.property, "of models: the input boxes of a VNN-LIB file");
  app.add_option("--layout", options.layout, "of models: nchw or nhwc, how image inputs are ordered");
  app.add_option("--input-shape", options.shapes, "of models: NAME=D1,D2,...");
  app.add_option("--target", options.target, "of models: recommend narrower formats that keep this output error");
  app.add_option("--parts", options.parts, "of models: halve the input box into so many parts; default 1")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--work", options.work, "of models: multiplications for bounds before activations; default 2e9");
  app.add_option("--op", options.op, "an operator by name instead of a model");
  app.add_option("--n", options.n, "of operators: how many elements");
  app.add_option("--d", options.d, "of operators: width (attention, online-softmax, transformer-block)");
  app.add_option("--block", options.block, "of online-softmax: rows in one block");
  app.add_flag("--operators", options.operators, "list the operators");
  app.add_option("--coverage", options.coverage, "compare the bounds of all operators with this baseline file");
  app.add_option("--write-baseline", options.baseline, "write that file");
  app.add_option("--samples", options.samples, "inputs at which errors are observed; default 16, 0: none")
      ->check(CLI::Range(0, 1000000000));
  app.add_option("--seed", options.seed, "of the observed inputs and orders");
  app.add_option("--plot", options.plot, "write a picture (SVG) to this file");
  app.add_option("--arg", options.ranges, "of expressions: NAME=LO,HI, the range of a variable");
  app.add_option("--core", options.only, "of FPCore files: names of the expressions to report; default all");
  app.add_option("--ulps", options.function_ulps, "library functions are within so many ulps; default 1");
  app.add_option("--input-error", options.input_error,
                 "inputs are real numbers rounded once (rounded, default), or numbers of the format (none)");
  app.add_option("--boxes", options.boxes, "of expressions: parts of the input box to try; default 30000")
      ->check(CLI::Range(1, 10000000));
  app.add_option("--timeout", options.seconds, "of expressions: seconds for each bound; default 60, 0: no limit");
  app.add_flag("--json", options.json, "one JSON object on stdout");
  if (const int code = parse_command_line(app, argc, argv); code >= 0) return code;
  return report_errors([&] {
    if (options.operators) return roundoff_operators(options);
    if (!options.coverage.empty() || !options.baseline.empty()) return roundoff_coverage(options);
    if (is_expression(options)) {
      refuse_others(app, 'e', "expressions");
      return roundoff_expression(options);
    }
    if (!options.op.empty()) {
      refuse_others(app, 'o', "operators by name");
      return roundoff_operator(options);
    }
    if (!options.file.empty()) {
      refuse_others(app, 'm', "models");
      if (!options.input.empty() + !options.range.empty() + !options.property.empty() > 1)
        throw UsageError("--input, --range and --property exclude each other: each says where the inputs lie");
      if (!options.radius.empty() && options.input.empty()) throw UsageError("--radius is that around --input");
      return roundoff_model(options);
    }
    throw UsageError("a model, an expression (*.fpcore or --expression) or --op is needed");
  });
}
