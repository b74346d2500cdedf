// What `verify --batch` and `verify --dataset` share: a fresh process of this program for each query, and result files
// that are only appended to. Assumes Linux.
#pragma once
#include <fstream>
#include <string>
#include <vector>

#include "cli/verify_options.hpp"

namespace outward::cli {

struct RunAgain {
  std::string out;     // what it printed on stdout
  int code = 0;        // −1: ended by a signal
  std::string failed;  // of a run without a verdict: its first error, or how it ended
};

// Runs this program again; what it says on stderr is said here, too. Passes an interruption on; the other process does
// not outlive this one.
RunAgain run_again(const std::vector<std::string>& arguments);

// The options that hold for each query, as arguments: limits, --semantics, --input-shape and the like.
std::vector<std::string> shared_arguments(const Options& options);

// A file that is only ever appended to. Throws ResourceError.
class AppendedFile {
 public:
  explicit AppendedFile(const std::string& path);
  void append(const std::string& more);

 private:
  void check() const;
  const std::string path_;
  std::ofstream out_;
};

}  // namespace outward::cli
