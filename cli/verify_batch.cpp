#include "cli/verify_batch.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "certificates/output_file.hpp"
#include "cli/common/errors.hpp"
#include "cli/verify_instances.hpp"
#include "cli/verify_report.hpp"
#include "cli/verify_solve.hpp"
#include "formats/exact.hpp"

namespace outward::cli {

namespace {

using Json = nlohmann::ordered_json;

// Runs this program again and returns what it printed on stdout and its exit code (−1: ended by a signal). Passes an
// interruption on; the other process does not outlive this one.
std::string run_again(const std::vector<std::string>& arguments, int* code) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw ResourceError("no pipe for another process");
  const pid_t child = ::fork();
  if (child < 0) throw ResourceError("no other process can be started");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
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
  for (bool passed_on = false;;) {
    if (interrupted && !passed_on) passed_on = ::kill(child, SIGINT) == 0;
    pollfd wait{pipe[0], POLLIN, 0};
    if (::poll(&wait, 1, 100) <= 0) continue;
    const ssize_t n = ::read(pipe[0], buffer.data(), buffer.size());
    if (n == 0 || (n < 0 && errno != EINTR)) break;
    if (n > 0) out.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

std::string text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string table_row(const Json& r) {
  return "batch," + r["model"].get<std::string>() + "," + r["property"].get<std::string>() + ",0," +
         competition_word(r["verdict"], r["reason"]) + "," + shortest_decimal(r["seconds"].get<double>()) + "\n";
}

// A file that is only ever appended to.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), out_(path, std::ios::app | std::ios::binary) { check(); }
  void append(const std::string& more) {
    out_ << more << std::flush;
    check();
  }

 private:
  void check() const {
    if (!out_) throw ResourceError("cannot write " + path_);
  }
  const std::string path_;
  std::ofstream out_;
};

class Batch {
 public:
  explicit Batch(const Options& o) : options_(o), folder_(std::filesystem::path(o.batch).parent_path()) {}

  int run() {
    const std::vector<Instance> instances = read_instances(options_.batch);
    EarlierResults earlier = read_results(results_file(options_));
    remake_table(earlier);
    Lines lines(results_file(options_)), table(results_table(options_));
    if (earlier.unended) lines.append("\n");
    std::size_t number = 0;
    for (const Instance& i : instances) {
      ++number;
      if (auto& done = earlier.of[result_key(i.model, i.property)]; !done.empty()) {
        ++counts_[earlier.all[done.front()]["verdict"]];
        done.pop_front();
        continue;
      }
      if (interrupted) continue;
      const Json r = one(i);
      const bool unfinished = (interrupted && r["verdict"] == "error") || r["reason"] == "interrupted";
      if (!options_.quiet)
        std::cerr << number << "/" << instances.size() << " " << i.model << "," << i.property << ": "
                  << (unfinished ? "interrupted" : r["verdict"].get<std::string>()) << " ("
                  << r["seconds"].get<double>() << " s)\n";
      if (unfinished) continue;
      lines.append(text(r) + "\n");
      table.append(table_row(r));
      ++counts_[r["verdict"]];
    }
    return summary(instances.size());
  }

 private:
  // A run that was killed may have left the table behind the results.
  void remake_table(const EarlierResults& earlier) const {
    const std::string path = results_table(options_);
    std::string first, rows;
    if (std::ifstream in(path); in && std::getline(in, first) && first.rfind("batch,", 0) != 0)
      throw InputRefused({"results", path, "this is no table of results", "what --batch wrote beside the results", "",
                          "give another place with --results"});
    for (const Json& r : earlier.all) rows += table_row(r);
    save_file(path, rows);
  }

  int summary(std::size_t instances) {
    std::size_t all = 0;
    for (const auto& [verdict, n] : counts_) all += n;
    std::cout << all << " of " << instances << " instances:";
    for (const auto& [verdict, n] : counts_) std::cout << " " << verdict << " " << n;
    std::cout << "\nresults: " << results_file(options_) << "\n";
    if (counts_["error"] > 0) return exit_resource;
    return counts_["unknown"] > 0 || all < instances ? exit_unknown : exit_holds;
  }

  // A path, not an option.
  std::string below(const std::string& path) const {
    const std::string whole = (folder_ / path).string();
    return whole[0] == '-' ? "./" + whole : whole;
  }

  std::vector<std::string> arguments(const Instance& i) const {
    const Options& o = options_;
    std::vector<std::string> out = {"verify", below(i.model), below(i.property), "--json"};
    const auto add = [&](const char* name, const std::string& value) { out.insert(out.end(), {name, value}); };
    add("--threads", std::to_string(o.threads));
    add("--seed", std::to_string(o.seed));
    add("--max-domains", std::to_string(o.max_domains));
    add("--device", o.device);
    if (!o.semantics.empty()) add("--semantics", o.semantics);
    if (o.timeout > 0)
      add("--timeout", shortest_decimal(o.timeout));
    else if (!i.seconds.empty())
      add("--timeout", i.seconds);
    if (!o.memory.empty()) add("--memory", o.memory);
    for (const std::string& shape : o.shape_texts) add("--input-shape", shape);
    if (o.quiet) out.emplace_back("--quiet");
    if (o.verbose) out.emplace_back("--verbose");
    return out;
  }

  Json one(const Instance& i) {
    const auto start = std::chrono::steady_clock::now();
    int code = 0;
    const std::string printed = run_again(arguments(i), &code);
    Json r = {{"model", i.model}, {"property", i.property}, {"verdict", "error"}, {"exit", code}, {"reason", ""}};
    const Json result = Json::parse(printed, nullptr, false);
    if (result.is_object() && result.contains("verdict") && code >= exit_holds && code <= exit_unknown) {
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
  std::map<std::string, std::size_t> counts_;
};

}  // namespace

std::string results_file(const Options& o) { return o.results.empty() ? o.batch + ".results.jsonl" : o.results; }

std::string results_table(const Options& o) { return results_file(o) + ".csv"; }

int run_batch(const Options& options) { return Batch(options).run(); }

}  // namespace outward::cli
