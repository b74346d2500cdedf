// Capsule records: see capsules.hpp. The rules are those of certificates/RECORDS.md, read anew here.
#include "checker/report/capsules.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "checker/readers/records.hpp"
#include "checker/translate/json_text.hpp"
#include "checker/translate/sha256.hpp"

namespace outward_check {

namespace {

// Files of records as they are shipped in certificates/records, by their SHA-256. A test compares.
constexpr const char* shipped[] = {
    "4e817fb484b0c5adf3d4bf05e5736ad8318db10ddabd1062f8c0af14c12f1a2c",  // cuda.jsonl
    "3687e957ef3a52a0721c5e5c15e5db7567b5408016dc3dd9892a0a3785a1e537",  // cuda_functions.jsonl
    "7e1b86c45a692735c66a479fa402236ff8767260dc5156d2ea5f7d212185df9e",  // deployment_functions.jsonl
    "bc16b472826599d896f3c453d67f3730f80e6affd9bb0b701249dd524b0d198c",  // deployments.jsonl
    "fe949fc81618b734dbb8ec1f7fee31e802e0c10961c598b9882f286a971e6812",  // fast_cpu.jsonl
    "75931b9744c913a871790dc5822ee17cb70c7dac7f3ee2bc3f4105668f1c8089",  // formatted_cpu.jsonl
    "e80650233ac4a99ba7c8dfeec62861917d467bee14ccd035c3df6573e521b706",  // libtorch.jsonl
    "5470c4600aee394c462f4c0ebf91b99ec684f8749ffce5c6e3f42c30be216013",  // libtorch_functions.jsonl
    "616ffe58d5ac3b342d0a53132d7fbedab1bd02361f5b86904a0272db3378338a",  // onnxruntime.jsonl
    "865a3f03fc63236dbf1fbc5b95cbd0047b9f863eb7db7ba382b65fae51d2b147",  // onnxruntime_functions.jsonl
    "5da72e08b0d304ee74bbd929e8763b49d24d6f6152cf0ae229f541aa1a195209",  // reference_cpu.jsonl
    "7ef67d14b9d1dfde9f0554496b2b7c1e45de5168ef2faac816d63546e8987bd2",  // reference_functions.jsonl
};

// Kinds of nodes, as records name operators; by the number of the kind.
constexpr const char* kind_names[] = {"input", "constant", "map", "dense", "conv",  "reduce", "bn",  "add", "shift",
                                      "scale", "divide",   "neg", "relu",  "leaky", "clip",   "abs", "max"};

struct EvidenceRow {
  const char* word;
  int strength;  // of trust_labels, the strongest label it supports; -1: none
};
constexpr EvidenceRow evidence_rows[] = {{"none", -1}, {"boundary", 0}, {"test", 1},       {"fuzz", 1},
                                         {"guard", 2}, {"recheck", 2},  {"exhaustive", 3}, {"proof", 3}};

struct Capsule {
  std::string name, op, policy, assumption, fault;
  int trust = 0;
  bool is_shipped = false;
};

int label_of(const std::string& word) {
  const auto at = std::find(std::begin(trust_labels), std::end(trust_labels), word);
  return at == std::end(trust_labels) ? -1 : static_cast<int>(at - std::begin(trust_labels));
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_digest(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of(hex_digits) == std::string::npos;
}

// The keys of a record are exactly those of RECORDS.md, and a policy says each word once. Throws ReadError.
void require_schema(const JsonText& record) {
  require_keys(record, {"record", "name", "op", "provider", "device", "spec", "trust", "forward", "vjp", "support",
                        "policy", "contracts", "assumption", "requires_off", "notes", "sha256"});
  const JsonText& contracts = member(record, "contracts", JsonKind::object);
  require_keys(contracts, {"shape", "layout", "value", "vjp"});
  for (const JsonText& c : contracts.items) {
    require_keys(c, {"claim", "op", "of", "evidence", "cases", "provenance"});
    for (const JsonText& p : list_of(member(c, "provenance", JsonKind::list), JsonKind::object)) {
      require_keys(p, {"file", "symbol", "sha256", "note"});
      if (member(p, "file", JsonKind::string).text.empty() && member(p, "note", JsonKind::string).text.empty())
        malformed(p, "provenance names a file or has a note");
    }
  }
  std::set<std::string> said;
  for (const std::string& word : words_of(member(record, "policy", JsonKind::string).text))
    if (!said.insert(word.substr(0, word.find('='))).second)
      malformed(record, "its policy says " + word.substr(0, word.find('=')) + " twice");
}

// The label that the weakest evidence supports; -1 and a fault if a contract has none.
int supported(const JsonText& contracts, const std::string& op, std::string* fault) {
  static constexpr std::pair<const char*, const char*> fields[] = {
      {"shape", "shape_safety"}, {"layout", "layout_compatibility"}, {"value", "value_refinement"}};
  int weakest = 3;
  for (const auto& [field, claim] : fields) {
    const JsonText& c = member(contracts, field, JsonKind::object);
    if (member(c, "claim", JsonKind::string).text != claim || member(c, "op", JsonKind::string).text != op)
      *fault = std::string("its contract ") + field + " is about something else";
    const std::string& evidence = member(c, "evidence", JsonKind::string).text;
    const auto row = std::find_if(std::begin(evidence_rows), std::end(evidence_rows),
                                  [&](const EvidenceRow& r) { return evidence == r.word; });
    const int strength = row == std::end(evidence_rows) ? -1 : row->strength;
    if (strength < 0) *fault = std::string("its contract ") + field + " has no evidence (" + evidence + ")";
    // What evidence must state: a test its number of cases, everything where it is, a proof the digest of its artefact.
    const std::vector<JsonText>& where = list_of(member(c, "provenance", JsonKind::list), JsonKind::object);
    const bool digested = std::any_of(where.begin(), where.end(), [](const JsonText& p) {
      return is_digest(member(p, "sha256", JsonKind::string).text);
    });
    const std::string& cases = member(c, "cases", JsonKind::number).text;
    const bool counted = cases != "0" && cases.find_first_not_of("0123456789") == std::string::npos;
    if (strength >= 0 && (where.empty() || (strength == 1 && !counted) || (strength == 3 && !digested)))
      *fault = std::string("its contract ") + field + " does not state what evidence of " + evidence + " must";
    weakest = std::min(weakest, strength);
  }
  return weakest;
}

Capsule capsule_of(const JsonText& record) {
  Capsule c;
  const auto text = [&](const char* key) { return member(record, key, JsonKind::string).text; };
  c.name = text("name"), c.op = text("op"), c.policy = text("policy"), c.assumption = text("assumption");
  c.trust = label_of(text("trust"));
  const int most = supported(member(record, "contracts", JsonKind::object), c.op, &c.fault);
  if (!member(record, "forward", JsonKind::boolean).truth) c.fault = "it does not run forward";
  if (c.trust < 0) c.fault = "its label " + text("trust") + " is none";
  if (c.fault.empty() && c.trust > most)
    c.fault = "its label " + text("trust") + " is stronger than its evidence, which supports " + trust_labels[most];
  try {
    require_schema(record);
  } catch (const ReadError& e) {
    c.fault = e.what();  // of this record alone: others of the folder count as before
  }
  if (c.trust == 0 && c.assumption.empty()) c.assumption = "kernel " + c.name;
  return c;
}

// All capsules below a folder by digest. The digest of a line is that of the line without its last member.
std::map<std::string, Capsule> read_folder(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".jsonl") paths.push_back(at->path().string());
  if (error || paths.empty()) throw ReadError(ReadError::Class::io, folder + ": no folder with records (*.jsonl)");
  std::sort(paths.begin(), paths.end());
  std::map<std::string, Capsule> out;
  for (const std::string& path : paths) {
    const Bytes bytes = read_file(path);
    const std::string digest = sha256_hex(bytes.data(), bytes.size());
    const bool is_shipped = std::find(std::begin(shipped), std::end(shipped), digest) != std::end(shipped);
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      const std::size_t seal = line.rfind(",\"sha256\":\"");
      if (!line.starts_with("{\"record\":\"capsule\",") || seal == std::string_view::npos) continue;
      try {
        Capsule c = capsule_of(parse_json_text(line));
        c.is_shipped = is_shipped;
        const std::string own = sha256_hex(reinterpret_cast<const std::uint8_t*>(line.data()), seal);
        if (line.substr(seal) != ",\"sha256\":\"" + own + "\"}") c.fault = "its digest is not that of its text";
        out.emplace(own, std::move(c));
      } catch (const ReadError& e) {
        throw ReadError(e.kind, path + ": " + e.what());
      }
    }
  }
  return out;
}

// Sums in a wider format that are rounded once more: covered by rounding `any` of binary32 (FORMAT.md section 5).
constexpr const char* wider = "accumulator=binary64";

// The first words of policies, and the further ones, that a claim covers: "fp32_any", "fp64_any" or "capsule (WORDS)".
std::set<std::string> covered_words(const std::string& claim, std::string* format) {
  std::set<std::string> covered = {"rounding=nearest_even",
                                   "subnormals=gradual",
                                   "contraction=none",
                                   "contraction=fma",
                                   "reduction=none",
                                   "reduction=sequential",
                                   "reduction=pairwise",
                                   "reduction=any_order",
                                   "reduction=any_order_any_fusion",
                                   "reduction=implementation_defined"};
  *format = claim == "fp32_any" ? "binary32" : claim == "fp64_any" ? "binary64" : "";
  if (!claim.starts_with("capsule (")) return covered;
  const std::vector<std::string> words = words_of(claim.substr(9, claim.size() - 10));
  *format = words[0];
  for (const std::string& word : words) {
    if (word.starts_with("operands=")) covered.insert(word);
    if (word == "flush") covered.insert("subnormals=flush");
  }
  if (words.size() > 4 && words[words.size() - 4] == "any")  // rounding, subnormals, order, fusion
    covered.insert({"rounding=nearest_away", "rounding=toward_zero", "rounding=up", "rounding=down", wider});
  return covered;
}

// Why executions of an operator under the policy are not all covered by the claim; "" if they are.
std::string beyond(const std::string& op, const std::string& policy, const std::string& claim) {
  std::string format;
  const std::set<std::string> covered = covered_words(claim, &format);
  if (format.empty()) return "the claim is about the reals";
  const std::vector<std::string> words = words_of(policy);
  if (words.empty() || words[0] != format) return "the policy computes in " + (words.empty() ? "nothing" : words[0]);
  const bool contracts = op == "dense" || op == "conv" || op == "reduce";
  const bool nearest = std::none_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("rounding=") && word != "rounding=nearest_even";
  });
  for (std::size_t i = 1; i < words.size(); ++i)
    if (covered.count(words[i]) == 0 || (words[i] == wider && (format != "binary32" || !nearest)) ||
        (!contracts && words[i].starts_with("operands=")))
      return "the policy says " + words[i] + (contracts ? "" : " of " + op);
  return "";
}

struct Named {
  std::string profile;
  std::map<std::string, std::string> names;  // by digest
};

Named named_by(const std::string& file) {
  Named out;
  RecordReader reader(file);
  for (Record r; reader.next(&r) && r.name != "box";) {
    if (r.name != "capsules") continue;
    const std::vector<Json>&names = r.at("names").items, &digests = r.at("sha256").items;
    if (names.size() != digests.size())
      throw ReadError(ReadError::Class::malformed,
                      file + ": line " + std::to_string(r.line) + ": capsules: as many digests as names expected");
    out.profile = r.text("profile");
    for (std::size_t i = 0; i < names.size(); ++i) out.names.emplace(digests[i].text, names[i].text);
  }
  return out;
}

std::set<std::string> allowed_digests(const std::string& path) {
  std::set<std::string> out;
  if (path.empty()) return out;
  const Bytes bytes = read_file(path);
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!rest.empty()) {
    const std::string line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) continue;
    if (!is_digest(line))
      throw ReadError(ReadError::Class::malformed,
                      path + ": a digest of 64 lower-case hex digits in each line expected");
    out.insert(line);
  }
  return out;
}

}  // namespace

void require_policy(const std::string& under) {
  const std::vector<std::string> words = words_of(under);
  if (words.empty() || (words[0] != "binary32" && words[0] != "binary64"))
    throw UsageError{"--under " + under +
                     ": a policy begins with binary32 or binary64, the formats that claims are about"};
  std::string format;
  std::set<std::string> known = covered_words("fp32_any", &format);
  known.insert({"subnormals=flush", "rounding=nearest_away", "rounding=toward_zero", "rounding=up", "rounding=down"});
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string key = words[i].substr(0, words[i].find('=') + 1);
    const bool free =
        key == "operands=" || key == "accumulator=" || key == "ulp=" || words[i].starts_with("reduction=block(");
    if (known.count(words[i]) != 0 || (free && words[i].size() > key.size())) continue;
    throw UsageError{
        "--under " + under + ": " + words[i] +
        " is no word of a policy (certificates/RECORDS.md): operands=, accumulator=, rounding=, subnormals=, "
        "contraction=, reduction=, ulp=, separated by spaces"};
  }
}

void judge_policy(const Options& options, Line* line) {
  if (options.under.empty()) return;
  const std::string outside = line->detail == claim_names[static_cast<int>(Claim::violated)]
                                  ? "a counterexample is about one execution"
                                  : beyond("dense", options.under, line->claims.empty() ? "" : line->claims[0]);
  if (outside.empty()) return;
  line->word = "VALID_BUT_NOT_ASKED", line->code = 2;
  line->reasons.push_back("executions under " + options.under + " (--under) are not all covered: " + outside);
}

void judge_capsules(const Options& options, const std::string& file, const Graph& graph, Line* line) {
  const Named named = named_by(file);
  if (options.trust.empty()) {
    if (!named.names.empty())
      line->notes.push_back("names " + std::to_string(named.names.size()) + " records of kernels (profile " +
                            named.profile + "), which --trust DIR looks at");
    return;
  }
  const auto not_asked = [&](const std::string& reason) {
    line->word = "VALID_BUT_NOT_ASKED", line->code = 2;
    line->reasons.push_back(reason);
  };
  if (named.names.empty()) return not_asked("it names no records of kernels, --trust asks what it rests on");
  const std::map<std::string, Capsule> known = read_folder(options.trust);
  const std::set<std::string> allowed = allowed_digests(options.allow_records);
  const int least = options.fail_below.empty() ? 0 : label_of(options.fail_below);
  std::set<std::string> covered, assumptions;
  int weakest = 3;
  for (const auto& [digest, name] : named.names) {
    const auto at = known.find(digest);
    if (at == known.end()) {
      not_asked("capsule " + name + ": no record with SHA-256 " + digest + " in " + options.trust);
      continue;
    }
    const Capsule& c = at->second;
    const std::string fault = c.name != name ? "the record of this digest is " + c.name : c.fault;
    if (!fault.empty()) not_asked("capsule " + name + ": " + fault);
    if (!c.is_shipped && allowed.count(digest) == 0)
      not_asked("capsule " + name +
                ": its record is not shipped with this checker, nor on the list of --allow-records");
    const std::string outside = beyond(c.op, c.policy, line->claims.empty() ? "" : line->claims[0]);
    if (!outside.empty()) not_asked("capsule " + name + ": not covered by the claim: " + outside);
    if (c.trust < least)
      not_asked("capsule " + name + " is " + trust_labels[std::max(c.trust, 0)] + ", asked was at least " +
                options.fail_below);
    weakest = std::min(weakest, std::max(c.trust, 0));
    covered.insert(c.op);
    if (!c.assumption.empty()) assumptions.insert(c.assumption);
    line->notes.push_back("capsule " + name + " (" + trust_labels[std::max(c.trust, 0)] + "): " + c.policy);
  }
  for (const Node& node : graph.nodes) {
    const std::string kind = kind_names[static_cast<int>(node.kind)];
    if (node.kind == Kind::input || node.kind == Kind::constant || !covered.insert(kind).second) continue;
    not_asked("no capsule runs its " + kind + " nodes");
  }
  line->notes.push_back(std::string("trust of what it rests on: ") + trust_labels[weakest]);
  for (const std::string& name : assumptions) {
    line->notes.push_back("assumed: " + name);
    if (line->code != 0 && line->word != "VALID_WITH_ASSUMPTIONS") continue;
    if (std::find(options.allowed.begin(), options.allowed.end(), name) != options.allowed.end()) continue;
    line->word = "VALID_WITH_ASSUMPTIONS", line->code = 2;
    line->reasons.push_back("the assumption " + name + " was not allowed (--allow " + name + ")");
  }
}

}  // namespace outward_check
