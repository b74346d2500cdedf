// Shards of a certificate and their joining: see shard.hpp.
#include "checker/report/shard.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "checker/report/assumptions.hpp"
#include "checker/report/identity.hpp"
#include "checker/report/question.hpp"
#include "checker/translate/json_text.hpp"

namespace outward_check {

namespace {

constexpr const char* assumption = shards_run_elsewhere;
constexpr const char* checker_name = "outward check 1";  // changed with every change of what a shard means

// Where scopes begin and end in the file, and whether its records refute every case.
class Tree {
 public:
  std::vector<std::uint64_t> end;       // by the line (from 1) that a scope begins with: its last line; else 0
  std::vector<std::uint8_t> is_slopes;  // by line
  std::vector<std::uint64_t> boxes;     // the lines of box records
  std::uint64_t lines = 0, open = 0;
  std::string claim, fault;

  void read(const std::string& path) {
    RecordReader reader(path);
    Record r;
    while (reader.next(&r)) record(r);
    if (fault.empty() && !scopes_.empty()) fault = "a scope is not closed";
    lines = reader.line();
    end.resize(lines + 2), is_slopes.resize(lines + 2);
  }
  // Whether the boxes of the file refute all cases of the property.
  void require_cases(const Property& property) {
    if (refuted_.size() != property.boxes.size()) fault = "not all boxes are there";
    for (std::uint32_t c = 0; c < property.cases.size() && fault.empty(); ++c) {
      const Refuted& of_box = refuted_[property.cases[c].box];
      if (!of_box.all && of_box.cases.count(c) == 0) fault = "case " + std::to_string(c) + " is not refuted";
    }
  }

 private:
  struct Refuted {
    bool all = false;
    std::set<std::uint64_t> cases{};
  };
  struct Scope {
    std::uint64_t begin = 0;
    int half = 0;  // 0: a box
    Refuted own{}, first{};
  };
  std::vector<Scope> scopes_;
  std::vector<Refuted> refuted_;  // of each box
  std::uint64_t slopes_ = 0;

  static Refuted both(const Refuted& a, const Refuted& b) {
    if (a.all) return b;
    if (b.all) return a;
    Refuted out;
    for (std::uint64_t c : a.cases) {
      if (b.cases.count(c) != 0) out.cases.insert(c);
    }
    return out;
  }
  void record(const Record& r) {
    is_slopes.resize(r.line + 1), is_slopes[r.line] = r.name == "slopes";
    if (r.name == "header") claim = r.text("claim");
    if (r.line <= 4 || !fault.empty()) return;
    if (r.name == "box") {
      if (!scopes_.empty() || r.number("box") != boxes.size()) fault = "a box inside a tree, or not the next one";
      boxes.push_back(r.line), scopes_.push_back({r.line + 1});
      return;
    }
    if (r.name == "capsules" && boxes.empty()) return;  // no part of the proof
    if (scopes_.empty()) return void(fault = "a record outside of all boxes");
    if (r.name == "slopes" && r.number("id") != slopes_++) fault = "slopes that are not numbered 0, 1, 2, ...";
    if (r.name == "refute") scopes_.back().own.cases.insert(r.number("case"));
    if (r.name == "split") scopes_.push_back({r.line + 1, 1});
    if (r.name == "open") ++open;
    if (r.name == "close" || r.name == "open" || r.name == "crossed") end_scope(r.line, r.name != "close");
  }
  void end_scope(std::uint64_t line, bool all) {
    Scope& s = scopes_.back();
    end.resize(std::max<std::size_t>(end.size(), s.begin + 1)), end[s.begin] = line;
    s.own.all |= all;
    if (s.half == 1) {
      s.first = std::move(s.own), s.own = {}, s.begin = line + 1, s.half = 2;
      return;
    }
    const Refuted out = s.half == 0 ? s.own : both(s.first, s.own);
    const bool is_box = s.half == 0;
    scopes_.pop_back();
    if (is_box) return refuted_.push_back(out);
    Refuted& above = scopes_.back().own;
    above.all |= out.all;
    above.cases.insert(out.cases.begin(), out.cases.end());
  }
};

struct Share {
  std::uint64_t number = 0, of = 0;  // number 0: nothing, all scopes are left open
};

// The certificate with all scopes open that end outside the share's lines, behind their slopes, whose numbers count on.
std::string cut(std::string_view text, const Tree& tree, Share share, std::uint64_t* opened) {
  const std::uint64_t body = tree.lines - 1;
  const auto bound = [&](std::uint64_t k) {
    return 1 + static_cast<std::uint64_t>(static_cast<unsigned __int128>(body) * k / share.of);
  };
  const std::uint64_t first = share.number == 0 ? 0 : bound(share.number - 1),
                      past = share.number == 0 ? 0 : bound(share.number);
  std::string out;
  std::uint64_t records = 0, skip_to = 0;  // the last line of the scope that is being left open
  for (std::uint64_t line = 1; line <= body; ++line) {
    const std::size_t length = text.find('\n') + 1;
    const std::string_view whole = text.substr(0, length);
    text.remove_prefix(length);
    const std::uint64_t last = line > skip_to ? tree.end[line] : 0;
    if (last != 0 && (last < first || line >= past)) skip_to = last;
    if (line > skip_to || tree.is_slopes[line]) out += whole, ++records;
    if (line != skip_to) continue;
    out += "{\"record\":\"open\"}\n", ++records, ++*opened;
  }
  const std::string digest = sha256_hex(reinterpret_cast<const std::uint8_t*>(out.data()), out.size());
  return out + "{\"record\":\"footer\",\"records\":" + std::to_string(records) + ",\"sha256\":\"" + digest + "\"}\n";
}

// Content under a name that nobody else can exchange; gone with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content) : file_(std::tmpfile(), std::fclose) {
    if (!file_ || std::fwrite(content.data(), 1, content.size(), file_.get()) != content.size() ||
        std::fflush(file_.get()) != 0)
      throw ReadError(ReadError::Class::io, "no temporary file can be written");
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(::fileno(file_.get())); }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

struct Followed {
  bool good = false;
  ShardContent record;
};

// Follows the share. Fills in the line if it is not good.
Followed follow(const std::string& file, const Options& options, Share share, Line* line) {
  line->file = file, line->word = "INVALID", line->code = 1;
  const Bytes bytes = read_file(file);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Tree tree;
  try {
    tree.read(TemporaryFile(text).path());
  } catch (const FooterFault& f) {
    line->reasons.push_back(f.text);
    return {};
  }
  line->records = tree.lines;
  if (tree.claim != "holds") throw UsageError{"--shard and --join are for proofs of holds"};
  if (tree.fault.empty() && tree.open > 0) {
    line->word = "INCOMPLETE", line->code = 2;
    line->reasons.push_back(std::to_string(tree.open) + " scopes of the certificate are left open");
    return {};
  }
  std::uint64_t opened = 0;
  AskedQuestion question(options);
  Answer a;
  if (tree.fault.empty()) {
    a = check_certificate(TemporaryFile(cut(text, tree, share, &opened)).path(), &question);
    const Graph& graph = question.read_model_file(options.model).graph;
    const Property* asked = question.asked(graph);
    const std::string left = std::to_string(opened) + " left open";
    // What the kernel does not come to when something is open.
    const char* native = graph.is_binary64 ? "fp64_any" : "fp32_any";
    const std::string found = semantics_names[static_cast<int>(a.semantics)];
    const std::string wanted = options.semantics.empty() ? native : options.semantics;
    const bool covered = wanted == "best" || wanted == "real" || wanted == found;
    const bool followed = a.word == Word::valid || a.word == Word::vacuous ||
                          (a.word == Word::incomplete && a.rule == "ledger" && !a.reasons.empty() &&
                           a.reasons.back().ends_with("found " + left) && a.reasons.size() == 1);
    line->exact_decisions = a.exact_decisions;
    if (followed) tree.require_cases(*asked);
    if (followed && a.word == Word::vacuous) line->word = "VALID(VACUOUS)", line->code = 2;
    if (tree.fault.empty() && followed && covered && a.word != Word::vacuous) {
      line->claims = claims_of(a, &graph);
      return {true,
              {sha256_hex(bytes.data(), bytes.size()), graph_digest(graph), property_digest(*asked), "holds", found}};
    }
    if (a.word == Word::incomplete && !followed && a.rule != "ledger") line->word = "INCOMPLETE", line->code = 2;
    if (tree.fault.empty() && (a.word == Word::not_asked || a.reasons.size() > 1 || (followed && !covered)))
      line->word = "VALID_BUT_NOT_ASKED", line->code = 2;
    line->reasons = a.reasons;
  }
  if (!tree.fault.empty()) line->reasons.push_back(tree.fault);
  return {};
}

void require_question(const Options& options) {
  if (options.model.empty() || (options.property.empty() && options.radius.radius.empty()) ||
      (!options.dataset.empty() && !options.row))
    throw UsageError{"--shard and --join need --model and --property or --radius, for one certificate"};
  if (options.expected && *options.expected != Claim::holds)
    throw UsageError{"--shard and --join are for proofs of holds"};
}

// The shard record of a line that --shard printed, as text (blanks in front) or among the statements of --json.
void add_records(std::string_view line, std::set<std::string>* found) {
  const auto add = [&](std::string_view one) {
    if (one.starts_with("{\"record\":\"shard\",")) found->emplace(one);
  };
  if (line.ends_with('\n')) line.remove_suffix(1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  add(line);
  if (!line.starts_with("{\"certificate\":")) return;
  const JsonText printed = parse_json_text(line);
  for (const JsonText& statement : list_of(member(printed, "statements", JsonKind::list), JsonKind::string))
    add(statement.text);
}

}  // namespace

Line shard_line(const std::string& file, const Options& options) {
  require_question(options);
  Line line;
  const Share share{options.shard, options.shards};
  const Followed f = follow(file, options, share, &line);
  if (!f.good) return line;
  state_shard(f.record, options, "a proof of holds", &line);
  return line;
}

Line join_line(const std::string& file, const Options& options) {
  require_question(options);
  Line line;
  const Followed f = follow(file, options, {0, 1}, &line);
  if (f.good) join_records(f.record, "holds", options, &line);
  return line;
}

std::string shard_record(std::uint64_t shard, std::uint64_t of, const ShardContent& c) {
  return "{\"record\":\"shard\",\"shard\":" + std::to_string(shard) + ",\"of\":" + std::to_string(of) +
         ",\"certificate\":\"" + c.certificate + "\",\"graph\":\"" + c.graph + "\",\"property\":\"" + c.property +
         "\",\"claim\":\"" + c.claim + "\",\"semantics\":\"" + c.semantics + "\",\"checker\":\"" + checker_name + "\"}";
}

void state_shard(const ShardContent& content, const Options& options, const std::string& of_what, Line* line) {
  line->word = "INCOMPLETE", line->code = 2;
  line->detail =
      "shard " + std::to_string(options.shard) + " of " + std::to_string(options.shards) + " follows, of " + of_what;
  line->statements.push_back(shard_record(options.shard, options.shards, content));
  line->reasons.push_back("one shard is no proof: --join takes the records of all of them");
}

void join_records(const ShardContent& content, const std::string& detail, const Options& options, Line* line) {
  std::set<std::string> found;
  for (const std::string& path : options.joined) {
    const Bytes bytes = read_file(path);
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!text.empty()) {  // what --shard printed, a line each
      const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
      try {
        add_records(text.substr(0, length), &found);
      } catch (const ReadError& e) {
        throw ReadError(e.kind, path + ": " + e.what());
      }
      text.remove_prefix(length);
    }
  }
  line->word = "INCOMPLETE", line->code = 2, line->detail = detail;
  const std::uint64_t shards = found.size();
  for (std::uint64_t k = 1; k <= shards; ++k) {
    if (found.erase(shard_record(k, shards, content)) == 0)
      line->reasons.push_back("no record of shard " + std::to_string(k) + " of " + std::to_string(shards) +
                              " of this certificate, this question and this checker");
  }
  if (shards == 0) line->reasons.push_back("there is no shard record");
  for (const std::string& other : found) line->reasons.push_back("not a record of these: " + other);
  if (!line->reasons.empty()) return;
  const auto& allowed = options.allowed;
  const bool is_allowed = std::find(allowed.begin(), allowed.end(), assumption) != allowed.end();
  line->statements.push_back(std::string("assumed: ") + assumption + ": this checker printed the " +
                             std::to_string(shards) + " records");
  line->word = is_allowed ? "VALID" : "VALID_WITH_ASSUMPTIONS", line->code = is_allowed ? 0 : 2;
  if (!is_allowed)
    line->reasons.push_back(std::string("the assumption ") + assumption + " was not allowed (--allow " + assumption +
                            ")");
}

}  // namespace outward_check
