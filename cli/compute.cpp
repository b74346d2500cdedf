// compute numbers|intervals|vectors|formats: arithmetic in any number format. Options only; the commands are in
// compute_*.cpp.
#include <CLI/CLI.hpp>

#include "cli/common/errors.hpp"
#include "cli/compute_commands.hpp"

namespace {

using namespace outward;
using namespace outward::cli;

constexpr const char* examples = R"(Examples:
  compute numbers 'fma(0.1, 3, 2^-20)' --format e4m3fn --rounding up
  compute numbers 'sqrt(2) * 0x1.8p-3 - bits(0x3c01)' --format binary16
  compute numbers 'cast(bfloat16, 0.1) + 1' --format 'binary(15,200)' --json
  compute numbers 'tanh(0.5) - exp(-1)' --format bfloat16
  compute intervals 'exp([0.1, 0.2]) / 3' --format bfloat16  outward enclosures
  compute vectors f32_mulAdd.tv                             operation and format by the name of the file
  compute vectors rows.txt --op add --format e5m2 --rounding down
  compute formats                                           names with their parameters

In an expression: + - * / and parentheses; add sub mul div sqrt fma rem min max minnum maxnum rint neg abs nextup
nextdown compare; in binary formats also, correctly rounded, exp expm1 exp2 exp10 log log1p log2 log10, sin cos tan,
sinh cosh tanh and their inverses (asin ...), sigmoid erf erfc gelu gelu_tanh silu softplus mish elu selu softsign
hard_sigmoid hard_swish; cast(FORMAT, x) computes x in FORMAT. Numbers: 0.1, 1e-3, 0x1.8p-3, 2^-20, inf, nan,
bits(0x3f).
Intervals: [LO, HI] and numbers, + - * /, add sub mul div sqrt fma min max neg abs pow(x, n), and the elementary
functions, in any format with a sign; what the format cannot enclose is refused, not saturated.
An expression that begins with - goes behind --.

Exit codes: 0 done, 1 vectors differ, 3 usage, 4 input refused, 5 internal error or out of resources.)";

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  CLI::App app{"Compute in any number format, correctly rounded."};
  app.footer(examples);
  app.require_subcommand(1);
  ComputeOptions options;

  CLI::App* numbers = app.add_subcommand("numbers", "value, bits, exact fraction and flags of an expression");
  numbers->add_option("EXPRESSION", options.expression, "what to compute")->required();
  numbers->add_option("--format", options.format, "number format; default binary64");
  numbers->add_option("--rounding", options.rounding,
                      "nearest_even (default), nearest_away, toward_zero, up, down or to_odd");
  numbers->add_flag("--json", options.json, "one JSON object on stdout");

  CLI::App* intervals = app.add_subcommand("intervals", "the enclosure of an expression over intervals");
  intervals->add_option("EXPRESSION", options.expression, "what to enclose")->required();
  intervals->add_option("--format", options.format, "number format of the ends; default binary64");
  intervals->add_flag("--json", options.json, "one JSON object on stdout");

  CLI::App* vectors = app.add_subcommand("vectors", "compare with test vectors in the style of TestFloat");
  vectors->add_option("FILE", options.file, "lines OPERAND... RESULT FLAGS in hexadecimal; - is standard input")
      ->required();
  vectors->add_option("--function", options.function, "what the lines compute: f32_add, f64_to_i32, ...");
  auto* op = vectors->add_option("--op", options.operation, "add sub mul div rem sqrt mulAdd roundToInt eq le lt");
  vectors->add_option("--format", options.format, "binary format of operands and results, with --op");
  vectors->add_option("--rounding", options.rounding, "direction of lines with a single result");
  vectors->add_option("--show", options.show, "how many differences to print; default 10")
      ->check(CLI::Range(0, 1000000000));
  vectors->add_flag("--json", options.json, "one JSON object on stdout");
  op->excludes("--function");

  CLI::App* formats = app.add_subcommand("formats", "names of the number formats with their parameters");
  formats->add_flag("--json", options.json, "one JSON object on stdout");

  if (const int code = parse_command_line(app, argc, argv); code >= 0) return code;
  return report_errors([&] {
    if (numbers->parsed()) return compute_numbers(options);
    if (intervals->parsed()) return compute_intervals(options);
    if (vectors->parsed()) return compute_vectors(options);
    return compute_formats(options);
  });
}
