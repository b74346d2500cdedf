// What `check --explain` says beyond the verdict: what was proved in words, of which steps the proof consists, which
// executions it covers, what was assumed and where, and which files of TRUST.md the result rests on. Worded after the
// verdict and without effect on it: reading the file once more is for counting only.
#pragma once
#include <iosfwd>

#include "checker/report/line.hpp"

namespace outward_check {

void explain(const Line& line, const Options& options, std::ostream& out);

}  // namespace outward_check
