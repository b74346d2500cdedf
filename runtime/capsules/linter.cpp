// The linter of capsule records; see registry.hpp.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "runtime/capsules/registry.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {
namespace {

// Files below the source folder, each read once.
class SourceFiles {
 public:
  explicit SourceFiles(std::string root) : root_(std::move(root)) {}
  bool asked() const { return !root_.empty(); }
  // nullptr if there is no such file below the folder.
  const std::string* text(const std::string& file) {
    auto& slot = texts_[file];
    if (!slot) {
      slot.emplace();
      const bool inside = !file.empty() && file[0] != '/' && ("/" + file + "/").find("/../") == std::string::npos;
      std::ifstream in(root_ + "/" + file, std::ios::binary);
      if (inside && in) slot->assign(1, std::string(std::istreambuf_iterator<char>(in), {}));
    }
    return slot->empty() ? nullptr : &slot->front();
  }

 private:
  std::string root_;
  std::map<std::string, std::optional<std::vector<std::string>>> texts_;
};

bool is_name_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// The symbol occurs in the text as a whole name.
bool holds_symbol(const std::string& text, const std::string& symbol) {
  for (std::size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol, at + 1)) {
    const std::size_t end = at + symbol.size();
    const bool begins = at == 0 || !is_name_character(text[at - 1]);
    if (begins && (end == text.size() || !is_name_character(text[end]))) return true;
  }
  return false;
}

void lint_contract(const Contract& c, const std::string& at, SourceFiles& files, std::vector<std::string>& out) {
  for (const std::string& f : unstated_evidence(c)) out.push_back(at + " " + f);
  for (const Provenance& p : c.provenance) {
    if (p.file.empty() || !files.asked()) continue;
    const std::string* text = files.text(p.file);
    if (!text) {
      out.push_back(at + " names " + p.file + ", which does not exist");
      continue;
    }
    if (!p.symbol.empty() && !holds_symbol(*text, p.symbol))
      out.push_back(at + " names the symbol " + p.symbol + ", which " + p.file + " does not have");
    if (!p.sha256.empty() && sha256_hex(text->data(), text->size()) != p.sha256)
      out.push_back(at + ": " + p.file + " is not the file whose digest is recorded");
  }
}

}  // namespace

std::vector<std::string> unstated_evidence(const Contract& c) {
  std::vector<std::string> out;
  const bool counted = c.evidence == Evidence::test || c.evidence == Evidence::fuzz;
  if (counted && c.cases == 0) out.push_back("rests on a test without a number of cases");
  if (!counted && c.cases != 0) out.push_back("counts cases and is no test");
  if (c.evidence != Evidence::none && c.evidence != Evidence::not_applicable && c.provenance.empty())
    out.push_back("does not say where its evidence is");
  const bool artefact = c.evidence == Evidence::exhaustive || c.evidence == Evidence::proof;
  const auto digested = [](const Provenance& p) { return !p.sha256.empty(); };
  if (artefact && std::none_of(c.provenance.begin(), c.provenance.end(), digested))
    out.push_back("is called proved and no artefact has a digest");
  return out;
}

std::vector<std::string> meaning_faults(const Capsule& c) {
  std::vector<std::string> out;
  bool believed = c.policy.reduction == Reduction::block;
  for (const Field f : all_fields) believed = believed || c.contract(f).evidence == Evidence::boundary;
  if (believed && c.assumption.empty()) out.push_back("something is believed and the assumption has no name");
  if (believed && c.trust != Trust::external) out.push_back("rests on an assumption and is not called external");
  if (const std::string fault = policy_fault(c.policy); !fault.empty()) out.push_back(fault);
  const OpRow* op = find_op(c.op);
  if (!op) {
    out.push_back("unknown operator " + c.op);
    return out;
  }
  if (op->accumulates && c.policy.reduction == Reduction::none)
    out.push_back("the policy does not say how " + c.op + " sums");
  if (op->elementary && c.policy.k_ulp == 0) out.push_back("the policy does not say how far off " + c.op + " may be");
  if (!op->elementary && c.policy.k_ulp != 0) out.push_back(c.op + " is no elementary function");
  if (op->random && c.vjp != VjpMode::none) out.push_back("a source of random numbers has no VJP");
  return out;
}

std::vector<std::string> lint(const std::vector<Capsule>& capsules, const std::string& root) {
  std::vector<std::string> out;
  SourceFiles files(root);
  for (std::size_t i = 0; i < capsules.size(); ++i) {
    const Capsule& c = capsules[i];
    for (std::size_t j = 0; j < i; ++j)
      if (capsules[j].name == c.name) out.push_back(c.name + ": a second record of this name");
    for (const std::string& m : misalignments(c)) out.push_back(c.name + ": " + m);
    if (c.spec.empty()) out.push_back(c.name + ": names no specification");
    const std::optional<Trust> most = supported_trust(c);
    if (!most)
      out.push_back(c.name + ": a contract has no evidence");
    else if (c.trust > *most)
      out.push_back(c.name + ": called " + trust_text(c.trust) + ", its weakest evidence is only " + trust_text(*most));
    for (const Field f : all_fields)
      lint_contract(c.contract(f), c.name + ": the " + field_text(f) + " contract", files, out);
    for (const std::string& f : meaning_faults(c)) out.push_back(c.name + ": " + f);
  }
  return out;
}

}  // namespace outward
