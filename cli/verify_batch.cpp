#include "cli/verify_batch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/common/errors.hpp"
#include "cli/verify_report.hpp"
#include "cli/verify_solve.hpp"

namespace outward::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Instance {
  std::string model, property;  // as the file writes them
  std::string seconds;          // may be empty
  std::string key() const { return model + "," + property; }
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<Instance> read_instances(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw InputRefused({"file", path, "cannot be opened", "a CSV file of instances", "", ""});
  std::vector<Instance> out;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (trimmed(line).empty()) continue;
    std::vector<std::string> fields;
    std::stringstream rest(line);
    for (std::string field; std::getline(rest, field, ',');) fields.push_back(trimmed(field));
    if (fields.size() < 2 || fields[0].empty() || fields[1].empty())
      throw InputRefused(
          {"csv", path + ":" + std::to_string(number), "no instance", "model,property[,seconds]", line, ""});
    const std::string seconds = fields.size() > 2 ? fields[2] : "";
    if (out.empty() && seconds.find_first_of("0123456789") == std::string::npos && !seconds.empty())
      continue;  // header
    out.push_back({fields[0], fields[1], seconds});
  }
  return out;
}

// Runs this program again and returns what it printed on stdout and its exit code (−1: ended by a signal).
std::string run_again(const std::vector<std::string>& arguments, int* code) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw ResourceError("no pipe for another process");
  const pid_t child = ::fork();
  if (child < 0) throw ResourceError("no other process can be started");
  if (child == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::close(pipe[0]);
    ::close(pipe[1]);
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::string out;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(pipe[0], buffer.data(), buffer.size())) != 0;) {
    if (n > 0) out.append(buffer.data(), static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

class Batch {
 public:
  explicit Batch(const Options& o)
      : options_(o),
        folder_(std::filesystem::path(o.batch).parent_path()),
        results_(o.results.empty() ? o.batch + ".results.jsonl" : o.results) {}

  int run() {
    const std::vector<Instance> instances = read_instances(options_.batch);
    resume();
    std::ofstream lines(results_, std::ios::app);
    std::ofstream table(results_ + ".csv", std::ios::app);
    if (!lines || !table) throw ResourceError("cannot write " + results_);
    std::size_t number = 0;
    for (const Instance& i : instances) {
      ++number;
      if (done_.count(i.key()) != 0) continue;
      if (interrupted) break;
      const Json r = one(i);
      lines << r.dump() << "\n" << std::flush;
      table << "batch," << i.model << "," << i.property << ",0," << competition_word(r["verdict"], r["reason"]) << ","
            << r["seconds"].get<double>() << "\n"
            << std::flush;
      count(r);
      if (!options_.quiet)
        std::cerr << number << "/" << instances.size() << " " << i.key() << ": " << r["verdict"].get<std::string>()
                  << " (" << r["seconds"].get<double>() << " s)\n";
    }
    std::size_t all = 0;
    for (const auto& [verdict, n] : counts_) all += n;
    std::cout << all << " of " << instances.size() << " instances:";
    for (const auto& [verdict, n] : counts_) std::cout << " " << verdict << " " << n;
    std::cout << "\nresults: " << results_ << "\n";
    if (counts_["error"] > 0) return exit_resource;
    return counts_["unknown"] > 0 || all < instances.size() ? exit_unknown : exit_holds;
  }

 private:
  // A line that was cut off when an earlier run was killed is dropped.
  void resume() {
    std::ifstream in(results_);
    std::string kept;
    for (std::string line; std::getline(in, line);) {
      const Json r = Json::parse(line, nullptr, false);
      if (!r.is_object() || !r.contains("model") || !r.contains("property") || !r.contains("verdict")) continue;
      if (!done_.insert(r["model"].get<std::string>() + "," + r["property"].get<std::string>()).second) continue;
      count(r);
      kept += line + "\n";
    }
    in.close();
    if (!done_.empty()) std::ofstream(results_, std::ios::trunc) << kept;
  }

  void count(const Json& r) { ++counts_[r["verdict"].get<std::string>()]; }

  Json one(const Instance& i) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::string> arguments = {"verify",
                                          (folder_ / i.model).string(),
                                          (folder_ / i.property).string(),
                                          "--json",
                                          "--threads",
                                          std::to_string(options_.threads),
                                          "--seed",
                                          std::to_string(options_.seed)};
    std::string seconds = i.seconds;
    if (options_.timeout > 0) seconds = std::to_string(options_.timeout);
    if (!seconds.empty()) arguments.insert(arguments.end(), {"--timeout", seconds});
    if (!options_.semantics.empty()) arguments.insert(arguments.end(), {"--semantics", options_.semantics});
    int code = 0;
    const std::string printed = run_again(arguments, &code);
    Json r = {{"model", i.model}, {"property", i.property}, {"verdict", "error"}, {"exit", code}, {"reason", ""}};
    const Json result = Json::parse(printed, nullptr, false);
    if (result.is_object() && result.contains("verdict")) {
      r["verdict"] = result["verdict"];
      r["reason"] = result["reason"];
      r["result"] = result;
    } else {
      r["reason"] = code < 0 ? "the process ended by a signal" : "exit code " + std::to_string(code);
    }
    r["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return r;
  }

  const Options& options_;
  const std::filesystem::path folder_;
  const std::string results_;
  std::set<std::string> done_;
  std::map<std::string, std::size_t> counts_;
};

}  // namespace

int run_batch(const Options& options) { return Batch(options).run(); }

}  // namespace outward::cli
