// Compositions (certificates/FORMAT.md section 9): one file that names a certificate for every row of a dataset that
// was decided. Assumes nothing about the file. Promises that a verdict is the conjunction of the kernel's verdicts
// about the parts, each asked for exactly its row of the dataset named on the command line, and of the counts.
#pragma once
#include <string>
#include <string_view>

#include "checker/report/line.hpp"

namespace outward_check {

bool is_composition(std::string_view first_bytes);  // starts like a composition record

// With options.shard K of N only the rows K − 1, K − 1 + N, ... and their parts are looked at: INCOMPLETE, with a
// record. With options.joined no row is, and the records of all shards stand for them, as in shard.hpp. Throws
// UsageError, ReadError (malformed, unsupported, limit, io).
Line composition_line(const std::string& file, const Options& options);

}  // namespace outward_check
