// What `verify --batch` and `verify --dataset` share: a fresh process of this program for each query, and result files
// that are only appended to. Assumes Linux.
#pragma once
#include <fstream>
#include <string>
#include <vector>

#include "cli/verify_options.hpp"

namespace outward::cli {

// Runs this program again and returns what it printed on stdout and its exit code (−1: ended by a signal). Passes an
// interruption on; the other process does not outlive this one.
std::string run_again(const std::vector<std::string>& arguments, int* code);

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
