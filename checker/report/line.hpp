// What `check` says about one file, and how it is printed.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "checker/report/options.hpp"

namespace outward_check {

struct Line {
  std::string file, word, detail;
  int code = 4;  // the exit code
  std::vector<std::string> claims, reasons, notes, bounds;
  std::vector<std::string> statements;  // of another tool's certificate: what it claims, what follows and what does not
  // What the last reason is about: a line of the file (0: none); of a record that was rejected its name and the rule.
  std::uint64_t at = 0;
  std::string record, rule;
  std::uint64_t records = 0, exact_decisions = 0;
  bool followed =
      true;  // false: nothing of it was proved, only its form was read, since what it is about is not at hand
  struct File {
    std::string name, sha256;
  };
  std::vector<File> about;  // the certificate, then what it was checked against; empty if that was not read
};

// Judges one file: a certificate of ours, a counterexample file or a certificate of another tool, told apart by
// content. Throws UsageError; everything that is wrong with the file itself is in the line.
Line judge_file(const std::string& file, const Options& options);

// The rule of FORMAT.md that was broken, or the verdict in small letters: the same from version to version.
std::string stable_code(const Line& line);
// The reasons, the last one with line, record and rule in front of it.
std::vector<std::string> whole_reasons(const Line& line);
// What stands behind the word: the claim with its semantics, and that it was not proved if a file of ours failed.
std::string claim_text(const Line& line);
// Text as JSON wants it: what is no UTF-8 becomes U+FFFD. Without quotes.
std::string utf8(std::string_view text);

void print_json(const Line& line, std::ostream& out);
// The verdict goes to out, reasons and notes to details.
void print_text(const Line& line, const Options& options, std::ostream& out, std::ostream& details);

}  // namespace outward_check
