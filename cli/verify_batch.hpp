// `verify --batch INSTANCES.csv`: many queries, one fresh process each, so that none can take the others down. Results
// are appended line by line; what is already there is not run again.
#pragma once
#include <string>

#include "cli/verify_options.hpp"

namespace outward::cli {

// Where results go: --results, or the list with .results.jsonl behind it; beside it the same with .csv behind it.
std::string results_file(const Options& options);
std::string results_table(const Options& options);

// INSTANCES.csv: lines `model,property[,seconds]`, paths relative to the file. Results: one JSON object a line; the
// table beside them has the competition's columns and is made again from the results at every start. An instance is
// done if the results hold a line for it; the second of two with the same model and property needs a second line. An
// instance that was interrupted leaves no line. Prints a summary of the instances of this list. Returns an exit code: 0
// if every instance ended with a verdict, 2 if some did not, 5 if one failed.
int run_batch(const Options& options);

}  // namespace outward::cli
