#include "cli/verify_batch.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

#include "certificates/output_file.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/verify_again.hpp"
#include "cli/verify_instances.hpp"
#include "cli/verify_report.hpp"
#include "cli/verify_solve.hpp"
#include "formats/error.hpp"
#include "formats/exact.hpp"
#include "runtime/graph/graph.hpp"

namespace outward::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string table_row(const Json& r) {
  return "batch," + r["model"].get<std::string>() + "," + r["property"].get<std::string>() + ",0," +
         competition_word(r["verdict"], r["reason"]) + "," + shortest_decimal(r["seconds"].get<double>()) + "\n";
}

class Batch {
 public:
  explicit Batch(const Options& o) : options_(o), folder_(std::filesystem::path(o.batch).parent_path()) {}

  int run() {
    const std::vector<Instance> instances = read_instances(options_.batch);
    EarlierResults earlier = read_results(results_file(options_));
    remove_stale(instances, earlier);
    remake_table(earlier);
    AppendedFile lines(results_file(options_)), table(results_table(options_));
    if (earlier.unended) lines.append("\n");
    std::size_t number = 0;
    for (const Instance& i : instances) {
      ++number;
      if (auto& done = earlier.of[result_key(i.model, i.property)]; !done.empty()) {
        count(earlier.all[done.front()]);
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
      lines.append(json_line(r) + "\n");
      table.append(table_row(r));
      count(r);
    }
    return summary(instances.size());
  }

 private:
  void count(const Json& r) {
    ++counts_[r["verdict"]];
    if (r["verdict"] != "error") return;
    (r.contains("exit") && r["exit"] == exit_refused ? refused_ : failed_) = true;
  }

  // SHA-256 of a file below the list's folder; empty if it cannot be read. Each file is read once.
  const std::string& digest(const std::string& path) {
    const auto [at, is_new] = digests_.try_emplace(path);
    if (!is_new) return at->second;
    std::ifstream in(below(path), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (in.is_open() && !in.bad()) at->second = sha256_hex(bytes.data(), bytes.size());
    return at->second;
  }

  // What a result is the answer to. Limits and threads are not part of it.
  Json question(const Instance& i) {
    return {{"model", digest(i.model)},
            {"property", digest(i.property)},
            {"semantics", options_.semantics},
            {"input_shape", options_.shape_texts}};
  }

  // Whether the result is for the files as they are now.
  bool is_current(const Json& r, const Instance& i) {
    if (r["asked"] != question(i)) return false;
    if (!r.contains("result")) return true;
    const std::filesystem::path folder = std::filesystem::path(i.model).parent_path();
    for (const Json& file : r["result"]["model"]["external"])
      if (digest((folder / file["path"].get<std::string>()).string()) != file["sha256"]) return false;
    return true;
  }

  // Results for files that have changed since are removed and found again; results under other options are somebody's
  // still.
  void remove_stale(const std::vector<Instance>& instances, EarlierResults& earlier) {
    std::set<std::size_t> stale;
    for (const Instance& i : instances) {
      const auto found = earlier.of.find(result_key(i.model, i.property));
      if (found == earlier.of.end()) continue;
      for (std::size_t n : found->second) {
        const Json &r = earlier.all[n], now = question(i);
        for (const char* option : {"semantics", "input_shape"})
          if (r["asked"][option] != now[option])
            throw InputRefused({"results", results_file(options_), "the results are those of other options",
                                option + (" " + r["asked"][option].dump()), now[option].dump(),
                                "give another place with --results"});
        if (!is_current(r, i)) stale.insert(n);
      }
    }
    if (stale.empty()) return;
    earlier.remove({stale.begin(), stale.end()});
    std::string text;
    for (const Json& r : earlier.all) text += json_line(r) + "\n";
    save_file(results_file(options_), text);
    earlier.unended = false;
    if (!options_.quiet)
      std::cerr << "note: " << stale.size() << " earlier results are of files that have changed since: found again\n";
  }

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
    if (failed_ || refused_) return failed_ ? exit_resource : exit_refused;
    return counts_["unknown"] > 0 || all < instances ? exit_unknown : exit_holds;
  }

  // A path, not an option.
  std::string below(const std::string& path) const {
    const std::string whole = (folder_ / path).string();
    return whole[0] == '-' ? "./" + whole : whole;
  }

  std::vector<std::string> arguments(const Instance& i) const {
    std::vector<std::string> out = {"verify", below(i.model), below(i.property), "--json"};
    const std::vector<std::string> shared = shared_arguments(options_);
    out.insert(out.end(), shared.begin(), shared.end());
    if (options_.timeout <= 0 && !i.seconds.empty()) out.insert(out.end(), {"--timeout", i.seconds});
    return out;
  }

  Json one(const Instance& i) {
    const auto start = std::chrono::steady_clock::now();
    const RunAgain run = run_again(arguments(i));
    Json r = {{"model", i.model}, {"property", i.property}, {"verdict", "error"}, {"exit", run.code}, {"reason", ""}};
    r["asked"] = question(i);
    const Json result = Json::parse(run.out, nullptr, false);
    if (result.is_object() && result.contains("verdict") && run.code >= exit_holds && run.code <= exit_unknown) {
      r["verdict"] = result["verdict"];
      r["reason"] = result["reason"];
      r["result"] = result;
    } else {
      r["reason"] = run.failed;
    }
    r["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return r;
  }

  const Options& options_;
  const std::filesystem::path folder_;
  std::map<std::string, std::size_t> counts_;
  bool refused_ = false, failed_ = false;  // instances without a verdict: as an input that is refused, in any other way
  std::map<std::string, std::string> digests_;
};

}  // namespace

std::string results_file(const Options& o) { return o.results.empty() ? o.batch + ".results.jsonl" : o.results; }

std::string results_table(const Options& o) { return results_file(o) + ".csv"; }

int run_batch(const Options& options) { return Batch(options).run(); }

}  // namespace outward::cli
