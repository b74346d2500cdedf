// What `check` says about one file, and how it is printed.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "checker/report/options.hpp"

namespace outward_check {

struct Line {
  std::string file, word, detail;
  int code = 4;  // the exit code
  std::vector<std::string> claims, reasons, notes, bounds;
  std::vector<std::string> statements;  // of another tool's certificate: what it claims, what follows and what does not
  std::uint64_t records = 0, exact_decisions = 0;
  bool native = true;  // false: a certificate of another tool
};

// Judges one file: a certificate of ours, a counterexample file or a certificate of another tool, told apart by
// content. Throws UsageError; everything that is wrong with the file itself is in the line.
Line judge_file(const std::string& file, const Options& options);

void print_json(const Line& line, std::ostream& out);
// The verdict goes to out, reasons and notes to details.
void print_text(const Line& line, const Options& options, std::ostream& out, std::ostream& details);

}  // namespace outward_check
