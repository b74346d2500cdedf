// Verdicts in the formats that continuous integration reads.
#pragma once
#include <iosfwd>
#include <vector>

#include "checker/report/line.hpp"

namespace outward_check {

// SARIF 2.1.0 (OASIS): one run, a result for each file; what is valid is a result of kind `pass`.
void print_sarif(const std::vector<Line>& lines, std::ostream& out);
// JUnit XML as CI servers read it: one test case for each file; exit codes 1 and 2 are failures, 4 and 5 errors.
void print_junit(const std::vector<Line>& lines, std::ostream& out);
// An in-toto Statement v1 with the predicate test-result/v0.1 about the files that were VALID: the exact bytes that
// DSSE signs as payload (type application/vnd.in-toto+json), without an end of line. arguments: what was asked.
// REQUIRES that every line has code 0.
void print_statement(const std::vector<Line>& lines, const std::vector<std::string>& arguments, std::ostream& out);

}  // namespace outward_check
