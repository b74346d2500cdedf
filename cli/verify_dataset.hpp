// `verify MODEL --dataset X --labels Y --radius R`: clean, attacked and certified accuracy over the rows of a dataset,
// and one composition of all certificates. One fresh process for each row that the model gets right, so that none can
// take the others down. Results are appended line by line; what is already there is not run again.
#pragma once
#include <string>

#include "cli/verify_options.hpp"

namespace outward::cli {

// Where results go: --results, or the dataset with .results.jsonl behind it.
std::string dataset_results_file(const Options& options);

// The folder of the parts of the composition that --certificate names.
std::string parts_folder(const Options& options);

// A row is clean if the reference execution (FORMAT.md section 5) at the row, after scale, mean and std, gives its
// label as the first greatest output; a run with a NaN or an infinity is not clean. --timeout is that of a row. A row
// that was interrupted leaves no line; one that was read back counts only if it is about the same question, and with
// --certificate only if its part is still there. Returns an exit code: 0 if every clean row was decided, 2 if some were
// not, 5 if one failed. Throws InputRefused, UsageError, ResourceError.
int run_dataset(const Options& options);

}  // namespace outward::cli
