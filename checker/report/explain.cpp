// The words of --explain: see explain.hpp. A table of what a kind of claim trusts (the entries of TRUST.md).
#include "checker/report/explain.hpp"

#include <algorithm>
#include <map>
#include <ostream>

#include "checker/readers/records.hpp"
#include "checker/report/assumptions.hpp"

namespace outward_check {

namespace {

enum Needs : unsigned { proof = 1, witness = 2, foreign = 4, vnnlib = 8, radius = 16, floats = 32, centre = 64 };

// An entry counts if it shares a bit of `of` and, where `only` is not 0, one of that too.
struct Trusted {
  unsigned of, only;
  const char* what;
  const char* files;
};
constexpr Trusted trusted[] = {
    {proof | witness, 0, "ONNX operators mean what section 2 of FORMAT.md says", "checker/readers/onnx_*.cpp"},
    {proof | witness, vnnlib, "VNN-LIB means what section 4 says",
     "checker/readers/vnnlib.cpp, checker/readers/decimal.cpp"},
    {proof | witness, radius, "radius queries mean what section 4 says",
     "checker/readers/radius.cpp, checker/readers/decimal.cpp, checker/report/question.cpp"},
    {proof | witness, centre, "the centre is the point in its file", "checker/translate/arrays*.cpp"},
    {proof | witness, 0, "files are read as they are", "checker/readers/files.cpp, checker/readers/records.cpp"},
    {proof, 0, "the rules of section 6 are sound and the ledger is complete",
     "checker/kernel/proof.cpp, checker/kernel/check.cpp, checker/kernel/rules.cpp, checker/kernel/state.cpp, "
     "checker/kernel/structure.cpp"},
    {proof, 0, "the processor rounds as asked (not with --exact)", "checker/kernel/engine_*.cpp"},
    {proof, floats, "the machine is that of section 5: round to nearest, subnormals, any order and fusion of sums",
     "checker/kernel/rules.cpp"},
    {witness, 0, "the execution is that of section 5", "checker/kernel/execution.cpp, checker/report/witness.cpp"},
    {foreign, 0, "JSON is read as it is", "checker/translate/json_text.cpp"},
    {proof | witness | foreign, 0, "exact integers and fractions",
     "checker/kernel/bigint.cpp, checker/kernel/fraction.cpp"},
    {proof | witness | foreign, 0, "the compiler and the C++ library", "all of the above"},
};

// The reader of each kind of other tools' certificates, below checker/translate/ (the names are those of foreign.cpp).
constexpr struct {
  const char *kind, *files;
} readers[] = {
    {"Marabou proof", "marabou_read.cpp, marabou.cpp"},
    {"crown query", "torchlean_layers.cpp, linear_forms.cpp"},
    {"monotonicity certificate", "torchlean_layers.cpp"},
    {"leaf artifact", "torchlean_leaf.cpp, coverage.cpp, chain.cpp"},
    {"margin certificate", "torchlean_margin.cpp"},
    {"node certificate", "torchlean_node.cpp, linear_forms.cpp, chain.cpp"},
    {"interval result", "torchlean_ibp.cpp"},
    {"ODE certificate", "torchlean_ode.cpp, expressions.cpp, scalar_network.cpp, enclosures.cpp"},
    {"PINN certificate", "torchlean_pinn.cpp, expressions.cpp, scalar_network.cpp, enclosures.cpp"},
    {"spline certificate", "torchlean_spline.cpp"},
    {"camera certificate", "torchlean_camera.cpp"},
    {"property suite", "torchlean_suite.cpp"},
};

struct Tally {
  std::map<std::string, std::uint64_t> of;  // by record, steps also by method
  std::uint64_t leaves = 0, depth = 0;
};

// Counts what is in the file. A scope is a leaf if it was not split.
Tally tally(const std::string& file) {
  struct Scope {
    bool split = false, second = false;
  };
  Tally t;
  std::vector<Scope> scopes;
  RecordReader reader(file);
  Record r;
  while (reader.next(&r)) {
    ++t.of[r.name == "step" ? "step by " + r.text("method") : r.name];
    if (r.name == "box") scopes.assign(1, {});
    if (scopes.empty()) continue;
    if (r.name == "split") {
      scopes.back().split = true;
      scopes.push_back({});
      t.depth = std::max<std::uint64_t>(t.depth, scopes.size() - 1);
    } else if (r.name == "close" || r.name == "open" || r.name == "crossed") {
      const Scope ended = scopes.back();
      scopes.pop_back();
      t.leaves += !ended.split;
      if (!scopes.empty() && !ended.second) scopes.push_back({false, true});
    }
  }
  return t;
}

const char* meaning(const std::string& claim) {
  if (claim == "holds") return "no input of the set reaches the unsafe outputs: every case was refuted in every box";
  if (claim == "bound") return "the outputs stay within the bounds listed, for every input of the set";
  return "an input of the set reaches the unsafe outputs: the point of the file was executed";
}

const char* covered(const std::string& semantics) {
  if (semantics == "real") return "the network over the real numbers";
  if (semantics == "fp32_any")
    return "every binary32 execution: round to nearest, subnormals kept, sums in any order and fusion";
  if (semantics == "fp64_any")
    return "every binary64 execution: round to nearest, subnormals kept, sums in any order and fusion";
  if (semantics.starts_with("capsule"))
    return "every execution that keeps to the words: format of results (and of operands, where contractions round "
           "them), rounding, subnormals, order and fusion of sums";
  return "the one execution in the reference order of section 5";
}

}  // namespace

void explain(const Line& l, const Options& options, std::ostream& out) {
  const std::string at = l.file + ": ";
  const bool is_witness = l.detail == "violated" && l.records == 0,
             is_foreign = !l.statements.empty() && l.records == 0;
  const bool read = l.records > 0 || is_witness || is_foreign;
  const bool valid = l.code == 0 || l.word == "VALID_BUT_NOT_ASKED" || l.word == "VALID_WITH_ASSUMPTIONS";
  const bool shown = valid && l.followed;
  if (!read) return;
  out << at << (shown ? "proved: " : "nothing was proved; the file claims: ");
  out << (is_foreign ? "the statement above, in exact arithmetic" : meaning(l.detail)) << '\n';
  if (!is_foreign)
    for (const std::string& s : l.claims) out << at << (shown ? "covers: " : "would cover: ") << covered(s) << '\n';
  if (l.records > 0 && l.code != 4 && l.word != "INVALID") {
    const Tally t = tally(l.file);
    out << at << "steps:";
    for (const auto& [name, count] : t.of)
      out << ' ' << count << ' ' << name << (name == t.of.rbegin()->first ? "" : ",");
    out << '\n'
        << at << "tree: " << t.leaves << " leaves, at most " << t.depth << " splits deep; " << l.exact_decisions
        << " decisions by exact arithmetic\n";
  }
  bool assumed = false;
  for (const auto& a : assumptions) {
    const std::string named = std::string("assumed: ") + a.name;
    const auto same = [&](const std::string& s) { return s == named || s.starts_with(named + ": "); };
    if (std::none_of(l.statements.begin(), l.statements.end(), same)) continue;
    assumed = true;
    out << at << named << ", used: " << a.used << '\n';
  }
  if (!assumed) out << at << "assumed: nothing beyond what is trusted\n";
  unsigned kind = is_foreign ? foreign : is_witness ? witness : proof;
  kind |= options.radius.radius.empty() ? vnnlib : radius;
  if (!options.input.empty()) kind |= centre;
  if (l.claims.empty() || l.claims.front() != "real") kind |= floats;
  for (const Trusted& t : trusted)
    if ((t.of & kind) != 0 && (t.only == 0 || (t.only & kind) != 0))
      out << at << "trusted: " << t.what << " (" << t.files << ")\n";
  for (const auto& r : readers)
    if (is_foreign && l.detail == r.kind)
      out << at << "trusted: the acceptance predicate of this kind (in checker/translate/: " << r.files << ")\n";
  const std::string claims = l.claims.empty() ? "" : l.claims.front();
  constexpr std::size_t npos = std::string::npos;
  if (!is_foreign)
    out << at << "not covered: " << (claims.find(" flush ") == npos ? "flush to zero, " : "")
        << (claims.find("=tf32 ") == npos ? "TF32, " : "")
        << "Winograd or FFT convolution, x87 and approximate division\n";
}

}  // namespace outward_check
