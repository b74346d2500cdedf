#include "cli/verify_dataset.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "certificates/composition.hpp"
#include "certificates/output_file.hpp"
#include "certificates/writer.hpp"
#include "cli/common/errors.hpp"
#include "cli/common/json_line.hpp"
#include "cli/verify_again.hpp"
#include "cli/verify_outputs.hpp"
#include "cli/verify_report.hpp"
#include "cli/verify_solve.hpp"
#include "importers/arrays/dataset.hpp"
#include "importers/arrays/radius.hpp"
#include "runtime/cpu/reference.hpp"

namespace outward::cli {

namespace {

using Json = nlohmann::ordered_json;

bool is_text(const Json& r, const char* key) { return r.contains(key) && r[key].is_string(); }

// The bytes of a file; none if it cannot be read.
std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string row_list(const std::vector<std::uint64_t>& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size() && i < 50; ++i) out += (i ? ", " : "") + std::to_string(rows[i]);
  return rows.size() > 50 ? out + " and " + std::to_string(rows.size() - 50) + " more" : out;
}

class DatasetRun {
 public:
  explicit DatasetRun(const Options& o)
      : options_(o), model_(import_onnx(o.model, o.shapes)), data_(read_dataset(o.dataset, o.labels, model_.graph)) {
    require_certifiable(o, model_);
    if (model_.graph.nodes[model_.graph.output].size < 2)
      throw UsageError("--dataset counts labels; the model has one output only");
    semantics_ = semantics_name(semantics_of(o, model_.graph));
    asked_ = o.semantics == "best" ? "best" : semantics_;
    graph_ = graph_digest(model_.graph);
    for (std::uint64_t i = 0; i < data_.rows(); ++i) {
      RadiusRecord r = question(i);
      properties_.push_back(property_digest(radius_property(r, model_.graph)));
    }
  }

  int run() {
    results_.resize(data_.rows());
    const bool unended = read_results();
    AppendedFile lines(dataset_results_file(options_));
    if (unended) lines.append("\n");
    if (!options_.certificate.empty()) make_folder();
    for (std::uint64_t i = 0; i < data_.rows(); ++i) {
      if (is_done(i) || interrupted) continue;
      const Json r = one(i);
      const bool unfinished = interrupted && (r["verdict"] == "error" || r["reason"] == "interrupted");
      if (!options_.quiet)
        std::cerr << i + 1 << "/" << data_.rows() << " row " << i << ": "
                  << (unfinished ? "interrupted" : r["verdict"].get<std::string>()) << " ("
                  << r["seconds"].get<double>() << " s)\n";
      if (unfinished) continue;
      lines.append(json_line(r) + "\n");
      results_[i] = r;
    }
    return summary();
  }

 private:
  const Options& options_;
  const Model model_;
  const Dataset data_;
  std::string semantics_;  // of the composition: under --semantics best the float claim
  std::string asked_, graph_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::vector<std::string> properties_;
  std::vector<Json> results_;  // null: not run

  RadiusRecord question(std::uint64_t row) const {
    RadiusRecord r = radius_record(options_);
    r.target = "label";
    r.label = data_.labels[row];
    r.centre_bits = data_.centre(row);
    return r;
  }

  // The output that the reference execution at the row predicts; −1 if it overflows.
  std::int64_t predicted(std::uint64_t row) const {
    std::vector<std::vector<double>> nodes;
    const std::vector<double> y = run_reference(model_.graph, reference_input(question(row), model_.graph), &nodes);
    return all_finite(nodes) ? std::max_element(y.begin(), y.end()) - y.begin() : -1;
  }

  std::string part(std::uint64_t row) const {
    return parts_folder(options_) + "/row-" + std::to_string(row) + ".jsonl";
  }

  void make_folder() const {
    std::error_code error;
    std::filesystem::create_directories(parts_folder(options_), error);
    if (error) throw UsageError("--certificate: cannot make the folder " + parts_folder(options_));
    if (const std::string why = obstacle_to_saving(part(0)); !why.empty())
      throw UsageError("--certificate: cannot write " + part(0) + ": " + why);
  }

  // Whether an earlier run decided it, and left the part that is wanted.
  bool is_done(std::uint64_t row) const {
    const Json& r = results_[row];
    if (r.is_null()) return false;
    if (options_.certificate.empty() || (r["verdict"] != "holds" && r["verdict"] != "violated")) return true;
    const std::string bytes = bytes_of(part(row));
    return r["sha256"] == sha256_hex(bytes.data(), bytes.size());
  }

  // Results of an earlier run; true if the last line is whole but for its end. A last line that was cut off is removed.
  bool read_results() {
    const std::string path = dataset_results_file(options_), all = bytes_of(path);
    bool unended = false;
    std::size_t number = 0;
    for (std::size_t from = 0, to = 0; from < all.size(); from = to) {
      ++number;
      const std::size_t end = all.find('\n', from);
      to = end == std::string::npos ? all.size() : end + 1;
      const std::string line = all.substr(from, std::min(end, all.size()) - from), opening = "{\"row\":";
      const Json r = Json::parse(line, nullptr, false);
      const bool is_cut_off = end == std::string::npos && (line.rfind(opening, 0) == 0 || opening.rfind(line, 0) == 0);
      if (r.is_discarded() && is_cut_off) {
        std::filesystem::resize_file(path, from);
        return false;
      }
      if (const std::string fault = fault_of_result(r); !fault.empty())
        throw InputRefused({"results", path + ":" + std::to_string(number), fault, "results of the same query", "",
                            "give another file with --results, or remove the line"});
      results_[r["row"].get<std::uint64_t>()] = r;
      unended = end == std::string::npos;
    }
    return unended;
  }

  std::string fault_of_result(const Json& r) const {
    const bool known = r.is_object() && r.contains("row") && r["row"].is_number_unsigned() && is_text(r, "verdict") &&
                       is_text(r, "reason") && is_text(r, "graph") && is_text(r, "property") &&
                       is_text(r, "semantics") && is_text(r, "sha256") && r.contains("label") &&
                       r["label"].is_number_unsigned();
    if (!known) return "this line is no result of --dataset";
    const std::uint64_t row = r["row"].get<std::uint64_t>();
    const bool same = row < data_.rows() && r["label"] == data_.labels[row] && r["graph"] == graph_ &&
                      r["property"] == properties_[row] && r["semantics"] == asked_ &&
                      (!r.contains("under") || r["under"].is_string());
    return same ? "" : "this result is about another model, dataset or query";
  }

  std::vector<std::string> arguments(std::uint64_t row) const {
    const Options& o = options_;
    std::vector<std::string> out = {"verify", "--json"};
    const auto add = [&](const char* name, const std::string& value) {
      if (!value.empty()) out.push_back(std::string(name) + "=" + value);
    };
    add("--model", o.model);
    add("--dataset", o.dataset);
    add("--labels", o.labels);
    add("--row", std::to_string(row));
    add("--radius", o.radius);
    add("--clip", o.clip_text);
    add("--scale", o.scale);
    add("--mean", o.mean_text);
    add("--std", o.std_text);
    add("--layout", o.layout);
    if (!o.certificate.empty()) add("--certificate", part(row));
    const std::vector<std::string> shared = shared_arguments(o);
    out.insert(out.end(), shared.begin(), shared.end());
    return out;
  }

  Json one(std::uint64_t row) const {
    const auto start = std::chrono::steady_clock::now();
    Json r = {{"row", row},
              {"label", data_.labels[row]},
              {"verdict", "misclassified"},
              {"reason", ""},
              {"graph", graph_},
              {"property", properties_[row]},
              {"semantics", asked_},
              {"under", ""},
              {"predicted", predicted(row)},
              {"sha256", ""}};
    if (r["predicted"] == data_.labels[row]) {
      const RunAgain run = run_again(arguments(row));
      const Json result = Json::parse(run.out, nullptr, false);
      if (result.is_object() && result.contains("verdict") && run.code >= exit_holds && run.code <= exit_unknown) {
        r["verdict"] = result["verdict"], r["reason"] = result["reason"], r["result"] = result;
        if (r["verdict"] != "unknown") r["under"] = result["semantics"];
        if (result["certificate"].is_object()) r["sha256"] = result["certificate"]["sha256"];
      } else {
        r["verdict"] = "error";
        r["reason"] = run.failed;
      }
    }
    r["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return r;
  }

  // Whether the verdict is about the real numbers and not about the claim of the composition (--semantics best).
  bool is_real_only(std::uint64_t row) const {
    const Json& r = results_[row];
    return !r.is_null() && (r["verdict"] == "holds" || r["verdict"] == "violated") && r.contains("under") &&
           r["under"] != semantics_;
  }

  // What is listed of a row: what was not decided, failed or did not run is unknown, unless it is misclassified.
  ComposedRow composed(std::uint64_t row) const {
    ComposedRow c{data_.labels[row], properties_[row], "unknown", "", ""};
    const Json& r = results_[row];
    const std::string verdict = r.is_null() ? "" : r["verdict"].get<std::string>();
    if (verdict == "misclassified" || (r.is_null() && predicted(row) != data_.labels[row])) c.claim = "misclassified";
    if ((verdict == "holds" || verdict == "violated") && !is_real_only(row)) {
      c.claim = verdict;
      c.path =
          std::filesystem::path(parts_folder(options_)).filename().string() + "/row-" + std::to_string(row) + ".jsonl";
      c.sha256 = r["sha256"];
    }
    return c;
  }

  // Rows by what a reader wants to know of them.
  struct Listed {
    std::vector<std::uint64_t> unknown, error, not_run, certified_over_reals, refuted_over_reals;
  };

  int summary() {
    std::vector<ComposedRow> rows;
    Listed listed;
    for (std::uint64_t i = 0; i < data_.rows(); ++i) {
      rows.push_back(composed(i));
      const Json& r = results_[i];
      if (r.is_null()) {
        listed.not_run.push_back(i);
      } else if (is_real_only(i)) {
        (r["verdict"] == "holds" ? listed.certified_over_reals : listed.refuted_over_reals).push_back(i);
      } else if (r["verdict"] == "unknown" || r["verdict"] == "error") {
        (r["verdict"] == "error" ? listed.error : listed.unknown).push_back(i);
      }
    }
    Outputs outputs;
    std::string composition;
    if (!options_.certificate.empty()) {
      composition = composition_text(semantics_, "outward verify 0.1.0", model_.graph, rows);
      if (!outputs.save(options_.certificate, composition)) composition.clear();
    }
    const Accuracy a = accuracy(rows);
    if (options_.json)
      print_json(as_json(a, listed, composition));
    else
      print(a, listed, !composition.empty());
    const bool decided = listed.unknown.empty() && listed.not_run.empty();
    return outputs.finish(!listed.error.empty() ? exit_resource : decided ? exit_holds : exit_unknown);
  }

  // cli/verify_dataset_schema.json. composition: its text; empty if there is none.
  Json as_json(const Accuracy& a, const Listed& listed, const std::string& composition) const {
    Json certificate;
    if (!composition.empty())
      certificate = {{"path", options_.certificate},
                     {"bytes", composition.size()},
                     {"sha256", sha256_hex(composition.data(), composition.size())},
                     {"parts", parts_folder(options_)}};
    return {{"schema", "outward-dataset-1"},
            {"semantics", semantics_},
            {"covers", coverage(semantics_of(options_, model_.graph))},
            {"rows", a.rows},
            {"clean", a.clean},
            {"attacked", a.attacked},
            {"certified", a.certified},
            {"unknown", listed.unknown},
            {"error", listed.error},
            {"not_run", listed.not_run},
            {"certified_over_reals", listed.certified_over_reals},
            {"refuted_over_reals", listed.refuted_over_reals},
            {"model", {{"path", options_.model}, {"sha256", model_.files[0].sha256}, {"graph", graph_}}},
            {"results", dataset_results_file(options_)},
            {"certificate", certificate},
            {"seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count()}};
  }

  void print(const Accuracy& a, const Listed& listed, bool written) const {
    const auto share = [&](std::uint64_t n) {
      char of_all[64];
      std::snprintf(of_all, sizeof of_all, " (%.2f %%)", 100.0 * static_cast<double>(n) / static_cast<double>(a.rows));
      return std::string(of_all);
    };
    std::cout << "certified " << a.certified << " of " << a.rows << " rows" << share(a.certified) << ", attacked "
              << a.attacked << share(a.attacked) << ", clean " << a.clean << share(a.clean) << "\n";
    if (!options_.quiet) {
      std::cout
          << "clean: the model predicts the label at the row itself, in the reference order (of equal outputs the "
             "first); attacked: clean and no counterexample was found; certified: clean and proved\n"
          << "covers: " << coverage(semantics_of(options_, model_.graph)) << "\n";
      const auto list = [](const char* what, const std::vector<std::uint64_t>& which) {
        if (!which.empty()) std::cout << what << ": " << which.size() << " (rows " << row_list(which) << ")\n";
      };
      list("error", listed.error);
      list("not run", listed.not_run);
      list("unknown", listed.unknown);
      list("not counted, certified over the real numbers only", listed.certified_over_reals);
      list("not counted, refuted over the real numbers only", listed.refuted_over_reals);
    }
    std::cout << "results: " << dataset_results_file(options_) << "\n";
    if (written)
      std::cout << "certificate: " << options_.certificate << " (parts in " << parts_folder(options_) << ")\n";
  }
};

}  // namespace

std::string dataset_results_file(const Options& o) {
  return o.results.empty() ? o.dataset + ".results.jsonl" : o.results;
}

std::string parts_folder(const Options& o) { return o.certificate + ".parts"; }

int run_dataset(const Options& options) { return DatasetRun(options).run(); }

}  // namespace outward::cli
