// The verdict about one file: see line.hpp.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <new>

#include "checker/report/capsules.hpp"
#include "checker/report/composition.hpp"
#include "checker/report/identity.hpp"
#include "checker/report/line.hpp"
#include "checker/report/question.hpp"
#include "checker/report/shard.hpp"
#include "checker/report/witness.hpp"
#include "checker/translate/aptp.hpp"

namespace outward_check {

namespace {

std::string shown(const Fraction& d) {
  char about[40];
  std::snprintf(about, sizeof about, "%.6g", d.double_up());
  const Fraction r = d.reduced();
  const std::string dyadic = r.m.decimal() + "*2^" + std::to_string(r.e);  // as in certificates
  return (d.sign() == 0 ? "0" : d.is_dyadic() ? dyadic : d.text()) + " (about " + about + ")";
}

// Only a composition is about all rows.
void require_row(const Options& options) {
  if (!options.dataset.empty() && !options.row)
    throw UsageError{"--dataset without --row N is for a composition, which this file is not"};
}

Line certificate_line(const std::string& file, const Options& options) {
  Line line;
  line.file = file;
  require_row(options);
  AskedQuestion question(options);
  if (options.semantics.ends_with("_sequential"))
    throw UsageError{"--semantics " + options.semantics + " is for counterexample files"};
  const Answer a = check_certificate(file, &question);
  static constexpr struct {
    const char* word;
    int code;
  } words[] = {{"VALID", 0}, {"VALID(VACUOUS)", 2}, {"VALID_BUT_NOT_ASKED", 2}, {"INVALID", 1}, {"INCOMPLETE", 2}};
  line.word = words[static_cast<int>(a.word)].word, line.code = words[static_cast<int>(a.word)].code;
  line.reasons = a.reasons, line.notes = a.notes;
  line.reasons.insert(line.reasons.end(), question.differences().begin(), question.differences().end());
  line.record = a.record, line.rule = a.rule;
  if (!a.rule.empty() || a.word == Word::invalid) line.at = a.records;
  line.records = a.records, line.exact_decisions = a.exact_decisions;
  line.claims = claims_of(a, question.graph());
  line.detail = claim_names[static_cast<int>(a.claim)];
  line.followed = !a.numerics.empty();  // the records behind were followed, up to the one that was rejected
  for (const Bound& b : a.bounds) {
    line.bounds.push_back("Y_" + std::to_string(b.output) + (b.is_lower ? " >= " : " <= ") + shown(b.value));
  }
  if (!question.model_path().empty()) line.notes.push_back("model " + question.model_path());
  for (const ModelFile& f : question.files_read()) line.about.push_back({f.path, f.sha256});
  if (line.code == 0) judge_policy(options, &line);
  if (line.code == 0) judge_capsules(options, file, *question.graph(), &line);
  return line;
}

Line witness_line(const std::string& file, std::string_view text, const Options& options) {
  Line line;
  line.file = file, line.detail = "violated";
  require_row(options);
  const std::string& s = options.semantics;
  if (s == "fp32_any" || s == "fp64_any" || s == "capsule")
    throw UsageError{"a counterexample file has --semantics real, fp32_sequential, fp64_sequential or best"};
  if (options.model.empty() || (options.property.empty() && options.radius.radius.empty())) {
    throw UsageError{"a counterexample file needs --model and --property or --radius"};
  }
  AskedQuestion question(options);
  const Graph& graph = question.read_model_file(options.model).graph;
  const std::string fault = graph_fault(graph);
  if (!fault.empty()) throw ReadError(ReadError::Class::unsupported, "model: " + fault);
  const Property* property = question.asked(graph);
  const WitnessText witness = parse_witness(text, graph.nodes[0].size, graph.nodes[graph.output].size);
  const Structure structure(graph);
  const Execution sequential = graph.is_binary64 ? Execution::fp64_sequential : Execution::fp32_sequential;
  const char* sequential_name = graph.is_binary64 ? "fp64_sequential" : "fp32_sequential";
  if (s.ends_with("_sequential") && s != sequential_name)
    throw UsageError{"--semantics " + s + ": the model's is " + sequential_name};
  std::vector<Execution> kinds;
  if (s != "real") kinds.push_back(sequential);
  if (s == "real" || s == "best") kinds.push_back(Execution::real);
  line.word = "INVALID", line.code = 1;
  for (Execution kind : kinds) {
    const char* name = kind == Execution::real ? "real" : sequential_name;
    const Witness w = check_witness(structure, *property, 0, property->cases.size(), witness.inputs, kind);
    for (const std::string& note : w.notes) line.notes.push_back(std::string(name) + ": " + note);
    for (std::size_t j = 0; j < w.outputs.size(); ++j) {
      if (!witness.outputs[j]) continue;
      const double computed = roughly(w.outputs[j].h), claimed = witness.outputs[j]->double_up();
      const double gap = computed > claimed ? computed - claimed : claimed - computed;
      if (gap > 1e-6 * (1 + (claimed < 0 ? -claimed : claimed))) {
        line.notes.push_back(std::string(name) + ": the file claims Y_" + std::to_string(j) + " = " +
                             std::to_string(claimed) + ", computed is " + std::to_string(computed));
      }
    }
    if (w.proved) {
      line.word = "VALID", line.code = 0, line.claims.push_back(name);
      line.reasons.clear();
    } else if (line.claims.empty()) {
      line.reasons.push_back(std::string(name) + ": " +
                             (property->cases.empty() ? "no input is unsafe, the property is empty" : w.reason));
    }
  }
  for (const ModelFile& f : question.files_read()) line.about.push_back({f.path, f.sha256});
  if (line.code == 0 && options.expected && *options.expected != Claim::violated) {
    line.word = "VALID_BUT_NOT_ASKED", line.code = 2;
    line.reasons.push_back(std::string("the file shows a violation, asked was ") +
                           claim_names[static_cast<int>(*options.expected)]);
  }
  return line;
}

// What the command line asks and the statement of another tool's certificate says nothing about.
std::vector<std::string> not_answered(const ForeignKind& kind, const Judgement& judgement, const Options& options) {
  std::vector<std::string> out;
  if (!options.property.empty() || !options.radius.radius.empty() || options.expected)
    out.push_back("it proves the statement it contains, not that of --property, --radius or --expect");
  if (!options.semantics.empty() && options.semantics != "real" && options.semantics != "best")
    out.push_back("its statement is over the reals and says nothing about --semantics " + options.semantics);
  if (!options.model.empty() && !kind.uses_model)
    out.push_back(std::string("the statement of a ") + kind.name + " says nothing about --model " + options.model);
  if (!options.foreign.weights.empty() && !kind.uses_weights)
    out.push_back(std::string("the statement of a ") + kind.name + " says nothing about --weights " +
                  options.foreign.weights);
  if (options.ieee32 && !kind.uses_ieee32)
    out.push_back(std::string("the numbers of a ") + kind.name + " were not looked at for --ieee32");
  if (options.recompute && !judgement.assumptions.empty())
    out.push_back("--recompute asks for its bounds to be computed, and they were taken from the file");
  return out;
}

Line foreign_line(const std::string& file, std::string_view text, const Options& options) {
  if (is_aptp_proof(text))
    throw ReadError(ReadError::Class::unsupported,
                    "an APTP proof has no numbers to check: `verify --elaborate` makes a certificate of it, which "
                    "`check` validates with --property " +
                        file);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool is_json = start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
  const JsonText document = is_json ? parse_json_text(text) : JsonText{};
  const ForeignKind* kind = foreign_kind(document);
  if (kind == nullptr) {
    throw ReadError(ReadError::Class::unsupported,
                    "neither an Outward certificate (its first record must be a header), a counterexample file nor a "
                    "certificate of a kind that this version reads");
  }
  const Judgement j = kind->judge(document, options.foreign);
  Line line;
  line.file = file, line.detail = kind->name;
  line.statements.push_back("claims: " + j.statement);
  line.reasons = j.reasons;
  if (!j.accepted) {
    line.word = "INVALID", line.code = 1;
    if (j.slack_needed) line.reasons.push_back("it needs a slack of " + shown(*j.slack_needed));
    return line;
  }
  for (const std::string& e : j.established) line.statements.push_back("established: " + e);
  for (const std::string& n : j.not_established) line.statements.push_back("not established: " + n);
  for (const std::string& name : j.assumptions) {
    line.statements.push_back("assumed: " + name);
    if (std::find(options.allowed.begin(), options.allowed.end(), name) != options.allowed.end()) continue;
    line.word = "VALID_WITH_ASSUMPTIONS", line.code = 2;
    line.reasons.push_back("the assumption " + name + " was not allowed (--allow " + name + ")");
  }
  if (!line.word.empty()) return line;
  line.word = "VALID", line.code = 0;
  if (j.used_slack) line.word += "(SLACK " + shown(options.foreign.slack) + ")";
  for (const std::string& fault : not_answered(*kind, j, options)) {
    line.word = "VALID_BUT_NOT_ASKED", line.code = 2;
    line.reasons.push_back(fault);
  }
  return line;
}

Line failure(const std::string& file, const char* word, int code, const std::string& reason) {
  Line line;
  line.file = file, line.word = word, line.code = code;
  std::string_view rest = reason;  // of readers: "FILE: line N: what is wrong"
  if (rest.starts_with(file + ": ")) rest.remove_prefix(file.size() + 2);
  std::string_view behind = rest.starts_with("line ") ? rest.substr(5) : std::string_view();
  if (take_integer(&behind, ~std::uint64_t{0}, &line.at) && behind.starts_with(": ")) {
    rest = behind.substr(2);
  } else {
    line.at = 0;
  }
  line.reasons = {std::string(rest)};
  return line;
}

Line judge_content(const std::string& file, const Options& options) {
  try {
    std::string start(64, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(start.data(), static_cast<std::streamsize>(start.size()));
    const bool in_parts = options.shards > 0 || !options.joined.empty();
    if (in_parts && !is_certificate(start) && !is_composition(start))
      throw UsageError{"--shard and --join are for certificates and compositions of ours"};
    if (in_parts && is_certificate(start))
      return options.shards > 0 ? shard_line(file, options) : join_line(file, options);
    if (is_certificate(start)) return certificate_line(file, options);
    if (!options.trust.empty() || !options.under.empty())
      throw UsageError{"--trust and --under are for certificates of ours, of single queries: others name no kernels"};
    if (is_composition(start)) return composition_line(file, options);
    const Bytes bytes = read_maybe_gzip(file);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (looks_like_witness(text) && !is_aptp_proof(text)) return witness_line(file, text, options);
    return foreign_line(file, text, options);
  } catch (const ReadError& e) {
    if (e.kind == ReadError::Class::limit) return failure(file, "RESOURCE_LIMIT", 5, e.what());
    return failure(file, e.kind == ReadError::Class::unsupported ? "UNSUPPORTED" : "MALFORMED", 4, e.what());
  } catch (const std::bad_alloc&) {
    return failure(file, "RESOURCE_LIMIT", 5, "out of memory, limit memory-bytes");
  } catch (const UsageError& e) {  // an option that does not fit one file of several does not silence the others
    if (options.files.size() == 1) throw;
    return failure(file, "NOT_JUDGED", 3, e.text);
  }
}

}  // namespace

Line judge_file(const std::string& file, const Options& options) {
  std::vector<Line::File> about;
  if (options.statement) {  // before it is judged: a file that is exchanged meanwhile gets the digest of what is gone
    for (const std::string& path : {file, options.input, options.dataset, options.labels}) {
      try {
        if (path.empty()) continue;
        const Bytes bytes = read_file(path);
        about.push_back({path, sha256_hex(bytes.data(), bytes.size())});
      } catch (const ReadError&) {  // it can't be VALID either
      }
    }
  }
  Line line = judge_content(file, options);
  line.about.insert(line.about.begin(), about.begin(), about.end());
  return line;
}

}  // namespace outward_check
