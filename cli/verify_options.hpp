// The options of `verify`, in one table (declare_options): it feeds the parser and --help.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "importers/onnx/onnx.hpp"

namespace CLI {
class App;
}

namespace outward::cli {

struct Options {
  std::string model, property;
  std::string radius, input, scale, layout, max_deviation, semantics;
  std::string mean_text, std_text, clip_text, range_text;
  std::vector<std::string> mean, std, clip, output_range;  // the texts, split at commas
  std::string norm = "inf", device = "auto";
  std::int64_t label = -1, row = -1;  // −1: not given
  std::string dataset, labels;
  std::string certificate, witness, bounds, batch, results, elaborate;
  std::string profile;  // of --semantics capsule: a built-in name or a file
  std::string records, allow;
  std::string deploy, accumulate;  // formats of --deploy
  std::string precision;  // a number format; empty: the engine in binary64
  double timeout = 0;
  std::string memory;  // as given; empty: four fifths of what is free
  unsigned threads = 2;
  std::uint64_t seed = 1, max_domains = 0;
  std::vector<std::string> shape_texts;
  ShapeOverrides shapes;
  bool json = false, quiet = false, verbose = false, competition = false, finite = false;
  bool branch = true;  // no option: what --elaborate tries first
};

void declare_options(CLI::App& app, Options& options);

// What --timeout and the lists of --batch take: a decimal number not below 0, or inf; none that rounds to 0, which
// would mean no limit.
bool is_seconds(const std::string& text);

// Splits lists, checks combinations. Throws UsageError.
void finish_options(Options& options);

}  // namespace outward::cli
