// `verify --batch INSTANCES.csv`: many queries, one fresh process each, so that none can take the others down. Results
// are appended line by line; what is already there is not run again.
#pragma once
#include "cli/verify_options.hpp"

namespace outward::cli {

// INSTANCES.csv: lines `model,property[,seconds]`, paths relative to the file. RESULTS (default: INSTANCES.csv with
// .results.jsonl behind it): one JSON object a line; beside it RESULTS.csv with the competition's columns. Prints a
// summary. Returns an exit code: 0 if every instance ended with a verdict, 2 if some did not, 5 if one failed.
int run_batch(const Options& options);

}  // namespace outward::cli
