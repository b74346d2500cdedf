// The verdict about a composition: see composition.hpp.
#include "checker/report/composition.hpp"

#include <algorithm>
#include <filesystem>
#include <new>
#include <set>

#include "checker/report/composition_text.hpp"
#include "checker/report/identity.hpp"
#include "checker/report/question.hpp"
#include "checker/report/shard.hpp"
#include "checker/translate/dataset.hpp"

namespace outward_check {

namespace {

constexpr std::size_t reasons_shown = 20;

// What follows from the parts so far; the worst one decides.
enum class Fault { none, open, limit, wrong };

class Judge {
 public:
  Judge(const std::string& file, const Options& options) : options_(options) { line_.file = file; }

  Line run() {
    line_.word = "INVALID", line_.code = 1;
    const Bytes bytes = read_file(line_.file);
    try {
      stated_ = parse_composition({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    } catch (const FooterFault& fault) {
      line_.reasons.push_back(fault.text);
      return line_;
    }
    line_.records = stated_.records;
    model_ = read_model(options_.model, options_.shapes);
    line_.about.clear();
    for (const ModelFile& f : model_.files) line_.about.push_back({f.path, f.sha256});
    const Graph& graph = model_.graph;
    if (const std::string fault = graph_fault(graph); !fault.empty())
      throw ReadError(ReadError::Class::unsupported, "model: " + fault);
    const auto names = {"real", "fp32_any", "fp64_any"};
    if (std::find(names.begin(), names.end(), stated_.semantics) == names.end())
      throw ReadError(ReadError::Class::unsupported, "line 1: unknown \"" + stated_.semantics + "\"");
    data_ = read_dataset(options_.dataset, options_.labels, graph);
    if (!compare_statement()) return line_;
    if (!is_asked()) {
      line_.word = "VALID_BUT_NOT_ASKED", line_.code = 2, line_.followed = false;
      return line_;
    }
    divided_ = (options_.shards > 0 || !options_.joined.empty()) && has_parts();
    if (!divided_)
      check_rows(0, 1);
    else if (options_.shards > 0)
      check_rows(options_.shard - 1, options_.shards);
    conclude(sha256_hex(bytes.data(), bytes.size()));
    return line_;
  }

 private:
  const Options& options_;
  Line line_;
  Composition stated_;
  ModelRead model_;
  Dataset data_;
  Fault worst_ = Fault::none;
  std::size_t not_shown_ = 0;
  bool divided_ = false;  // only a share of the rows is looked at, or none

  std::string native() const { return model_.graph.is_binary64 ? "fp64_any" : "fp32_any"; }

  bool same(const std::string& what, const std::string& expected, const std::string& found) {
    if (expected != found) line_.reasons.push_back(what + ": expected " + expected + ", found " + found);
    return expected == found;
  }
  bool same(const std::string& what, std::uint64_t expected, std::uint64_t found) {
    return same(what, std::to_string(expected), std::to_string(found));
  }

  // The model, and counts that follow from the list of rows.
  bool compare_statement() {
    const Graph& graph = model_.graph;
    std::uint64_t clean = 0, attacked = 0, certified = 0;
    std::set<std::string> paths;
    bool good = same("model graph digest", graph_digest(graph), stated_.graph);
    good &= same("inputs", graph.nodes[0].size, stated_.inputs);
    good &= same("outputs", graph.nodes[graph.output].size, stated_.outputs);
    if (stated_.semantics != "real") good &= same("semantics", native(), stated_.semantics);
    for (const CompositionRow& row : stated_.rows) {
      clean += row.claim != "misclassified", certified += row.claim == "holds";
      attacked += row.claim == "holds" || row.claim == "unknown";
      if (row.path.empty() || paths.insert(row.path).second) continue;
      line_.reasons.push_back("the part " + row.path + " is listed twice"), good = false;
    }
    good &= same("clean rows", clean, stated_.clean);
    good &= same("attacked rows", attacked, stated_.attacked);
    return same("certified rows", certified, stated_.certified) && good;
  }

  RadiusOptions question(std::uint64_t row) const {
    RadiusOptions radius = options_.radius;
    radius.target = "label", radius.label = data_.labels[row], radius.centre_bits = data_.centre(row);
    return radius;
  }

  // Whether it speaks about the dataset, the query and the semantics of the command line, and says enough.
  bool is_asked() {
    if (!same("rows", data_.rows(), stated_.rows.size())) return false;
    if (options_.min_certified && stated_.certified < *options_.min_certified) {
      line_.reasons.push_back("certified rows: expected at least " + std::to_string(*options_.min_certified) +
                              ", found " + std::to_string(stated_.certified));
      return false;
    }
    const std::string wanted = options_.semantics.empty() ? native() : options_.semantics;
    const bool refutes =
        std::any_of(stated_.rows.begin(), stated_.rows.end(), [](const auto& r) { return r.claim == "violated"; });
    // Under a float claim proofs are also about the reals, counterexamples are not.
    const bool covered = wanted == "best" || (wanted == "real" && !refutes);
    if (!covered && !same("semantics", wanted, stated_.semantics)) return false;
    for (std::uint64_t i = 0; i < data_.rows(); ++i) {
      const std::string which = "row " + std::to_string(i) + ": ";
      if (!same(which + "label", data_.labels[i], stated_.rows[i].label)) return false;
      const std::string digest = property_digest(radius_property(question(i), model_.graph, {}));
      if (!same(which + "property", digest, stated_.rows[i].property)) return false;
    }
    return true;
  }

  void fault(Fault kind, std::uint64_t row, const std::string& reason) {
    worst_ = std::max(worst_, kind);
    if (line_.reasons.size() < reasons_shown) {
      line_.reasons.push_back("row " + std::to_string(row) + ": " + reason);
    } else {
      ++not_shown_;
    }
  }

  void check_rows(std::uint64_t first, std::uint64_t step) {
    const Structure structure(model_.graph);
    for (std::uint64_t i = first; i < data_.rows(); i += step) {
      const CompositionRow& row = stated_.rows[i];
      const Run run = run_at_centre(question(i), structure);
      std::size_t greatest = 0;  // the first one
      for (std::size_t j = 1; j < run.outputs.size(); ++j) {
        if (run.outputs[greatest].h < run.outputs[j].h) greatest = j;
      }
      const bool clean = run.fault.empty() && greatest == data_.labels[i];
      if (clean != (row.claim != "misclassified"))
        fault(Fault::wrong, i,
              clean ? "the model predicts the label" : "the model does not predict the label, expected misclassified");
      if (!row.path.empty() || !row.sha256.empty()) check_part(i, row);
    }
  }

  void check_part(std::uint64_t i, const CompositionRow& row) {
    const std::string name = "part " + row.path + ": ";
    try {
      const std::string folder = std::filesystem::path(line_.file).parent_path().string();
      const std::string path = path_below(folder.empty() ? "." : folder, row.path);
      const Bytes bytes = read_file(path);
      if (sha256_hex(bytes.data(), bytes.size()) != row.sha256)
        return fault(Fault::wrong, i, name + "expected SHA-256 " + row.sha256);
      AskedQuestion asked(options_);
      asked.ask(model_, radius_property(question(i), model_.graph, {}));
      asked.expected = row.claim == "holds" ? Claim::holds : Claim::violated;
      asked.any_semantics = asked.default_semantics = false;
      asked.semantics = stated_.semantics == "real"       ? Semantics::real
                        : stated_.semantics == "fp32_any" ? Semantics::fp32_any
                                                          : Semantics::fp64_any;
      const Answer answer = check_certificate(path, &asked);
      line_.records += answer.records, line_.exact_decisions += answer.exact_decisions;
      if (answer.word == Word::valid) return;
      fault(answer.word == Word::incomplete ? Fault::open : Fault::wrong, i,
            name + (answer.reasons.empty() ? "not valid" : answer.reasons.back()));
    } catch (const ReadError& e) {
      fault(e.kind == ReadError::Class::limit ? Fault::limit : Fault::wrong, i, name + e.what());
    } catch (const std::bad_alloc&) {
      fault(Fault::limit, i, name + "out of memory, or a limit on the proof's open scopes");
    }
  }

  bool has_parts() const {
    return std::any_of(stated_.rows.begin(), stated_.rows.end(), [](const auto& r) { return !r.path.empty(); });
  }

  // The digests of the rows' questions follow from those of the composition; they are named as one.
  ShardContent shard_content(const std::string& sha256) const {
    std::string questions;
    for (const CompositionRow& row : stated_.rows) questions += row.property + "\n";
    return {sha256, stated_.graph,
            sha256_hex(reinterpret_cast<const std::uint8_t*>(questions.data()), questions.size()), "composition",
            stated_.semantics};
  }

  void conclude(const std::string& sha256) {
    if (not_shown_ > 0) line_.reasons.push_back(std::to_string(not_shown_) + " further reasons");
    const auto of_all = [&](std::uint64_t n) { return std::to_string(n) + " of " + std::to_string(data_.rows()); };
    line_.detail = "certified " + of_all(stated_.certified) + " rows, attacked " + std::to_string(stated_.attacked) +
                   ", clean " + std::to_string(stated_.clean);
    line_.claims = {stated_.semantics};
    switch (worst_) {
      case Fault::none:
        if (divided_ && options_.shards > 0) {
          state_shard(shard_content(sha256), options_, "a composition: " + line_.detail, &line_);
        } else if (divided_) {
          join_records(shard_content(sha256), line_.detail, options_, &line_);
        } else if (has_parts()) {
          line_.word = "VALID", line_.code = 0;
        } else {
          line_.word = "VALID(VACUOUS)", line_.code = 2;
          line_.reasons.push_back("it lists no part, so nothing is certified and nothing is refuted");
        }
        break;
      case Fault::open:
        line_.word = "INCOMPLETE", line_.code = 2;
        break;
      case Fault::limit:
        line_.word = "RESOURCE_LIMIT", line_.code = 5;
        break;
      case Fault::wrong:
        line_.word = "INVALID", line_.code = 1;
    }
  }
};

}  // namespace

bool is_composition(std::string_view first_bytes) { return first_bytes.starts_with("{\"record\":\"composition\","); }

Line composition_line(const std::string& file, const Options& options) {
  if (options.model.empty() || options.dataset.empty() || options.radius.radius.empty() || options.row)
    throw UsageError{"a composition needs --model, --radius, --dataset and --labels, and no --row"};
  if (options.expected && *options.expected != Claim::holds)
    throw UsageError{"a composition states counts; --expect is about a single certificate"};
  if (options.semantics.ends_with("_sequential"))
    throw UsageError{"--semantics " + options.semantics + " is for counterexample files"};
  return Judge(file, options).run();
}

}  // namespace outward_check
