// roundoff: how far a network, an operator or an expression computed in a number format can be from its exact value.
// Options only; the commands are in roundoff_*.cpp.
#include <CLI/CLI.hpp>

#include "cli/common/errors.hpp"
#include "cli/roundoff_commands.hpp"

namespace {

using namespace outward;
using namespace outward::cli;

constexpr const char* examples = R"(Examples:
  roundoff network.onnx --format bfloat16 --accumulate binary32 --input image.npy --radius 0.01
  roundoff --expression '(FPCore (x) :pre (<= 0 x 1) (* x (+ x 1)))' --format binary64

Exit codes: 0 reported, 2 no finite bound, 3 usage, 4 input refused, 5 internal error or out of resources.)";

bool is_expression(const RoundoffOptions& o) {
  const std::string ending = ".fpcore";
  return !o.expression.empty() ||
         (o.file.size() > ending.size() && o.file.compare(o.file.size() - ending.size(), ending.size(), ending) == 0);
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
  app.add_option("--arg", options.ranges, "of expressions: NAME=LO,HI, the range of a variable");
  app.add_option("--core", options.only, "of FPCore files: names of the expressions to report; default all");
  app.add_option("--ulps", options.function_ulps, "library functions are within so many ulps; default 1");
  app.add_option("--input-error", options.input_error, "of expressions: rounded (default), or none");
  app.add_option("--boxes", options.boxes, "of expressions: parts of the input box to try; default 30000");
  app.add_option("--timeout", options.seconds, "of expressions: seconds for each bound; default 60, 0: no limit");
  app.add_flag("--json", options.json, "one JSON object on stdout");
  if (const int code = parse_command_line(app, argc, argv); code >= 0) return code;
  return report_errors([&] {
    if (is_expression(options)) return roundoff_expression(options);
    throw UsageError("a model, an expression (*.fpcore or --expression) or --op is needed");
  });
}
