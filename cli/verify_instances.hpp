// The files of `verify --batch`: the list of instances and the results of earlier runs.
#pragma once
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace outward::cli {

struct Instance {
  std::string model, property;  // as the file writes them, any bytes
  std::string seconds;          // may be empty
};

// Lines `model,property[,seconds]`, after a heading or not. Throws InputRefused with every line that is none.
std::vector<Instance> read_instances(const std::string& path);

// What two results of one query have in common: model and property as JSON text, with U+FFFD for what is not UTF-8.
std::string result_key(const std::string& model, const std::string& property);

struct EarlierResults {
  std::vector<nlohmann::ordered_json> all;               // in the order of the file
  std::map<std::string, std::deque<std::size_t>> of;     // by result_key, the first first
  bool unended = false;                                  // the last line is whole but for its end
  void remove(const std::vector<std::size_t>& numbers);  // increasing
};

// Reads the file that --batch appends to; none if there is no file yet. A last line that was cut off when an earlier
// run was killed is removed from the file. Throws InputRefused if the file is something else, which stays as it is.
EarlierResults read_results(const std::string& path);

}  // namespace outward::cli
