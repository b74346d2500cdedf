#include "runtime/capsules/record.hpp"

#include <algorithm>
#include <utility>

#include "formats/error.hpp"
#include "runtime/capsules/json.hpp"
#include "runtime/graph/element_function.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {
namespace {

template <typename T, std::size_t N>
using RecordWords = std::array<std::pair<T, const char*>, N>;

constexpr RecordWords<Trust, 4> trust_words = {
    {{Trust::external, "external"}, {Trust::fuzzed, "fuzzed"}, {Trust::checked, "checked"}, {Trust::proved, "proved"}}};
constexpr RecordWords<VjpMode, 3> vjp_words = {
    {{VjpMode::none, "none"}, {VjpMode::tape, "tape"}, {VjpMode::backend, "backend"}}};
constexpr RecordWords<RuntimeSupport, 4> support_words = {{{RuntimeSupport::executable, "executable"},
                                                           {RuntimeSupport::test_only, "test_only"},
                                                           {RuntimeSupport::planner_only, "planner_only"},
                                                           {RuntimeSupport::not_wired, "not_wired"}}};
constexpr RecordWords<Claim, 5> claim_words = {{{Claim::shape_safety, "shape_safety"},
                                                {Claim::layout_compatibility, "layout_compatibility"},
                                                {Claim::value_refinement, "value_refinement"},
                                                {Claim::vjp_refinement, "vjp_refinement"},
                                                {Claim::vjp_unavailable, "vjp_unavailable"}}};
constexpr RecordWords<Evidence, 9> evidence_words = {{{Evidence::none, "none"},
                                                      {Evidence::not_applicable, "not_applicable"},
                                                      {Evidence::boundary, "boundary"},
                                                      {Evidence::test, "test"},
                                                      {Evidence::fuzz, "fuzz"},
                                                      {Evidence::guard, "guard"},
                                                      {Evidence::recheck, "recheck"},
                                                      {Evidence::exhaustive, "exhaustive"},
                                                      {Evidence::proof, "proof"}}};

template <typename T, std::size_t N>
const char* word_for(const RecordWords<T, N>& words, T value) {
  for (const auto& [v, word] : words)
    if (v == value) return word;
  return "";
}
template <typename T, std::size_t N>
std::optional<T> value_for(const RecordWords<T, N>& words, std::string_view word) {
  for (const auto& [v, w] : words)
    if (word == w) return v;
  return std::nullopt;
}
template <typename T, std::size_t N>
T read_word_of(ClosedObject& object, const char* key, const RecordWords<T, N>& words) {
  const std::string word = object.text(key);
  const std::optional<T> value = value_for(words, word);
  if (!value && object.has(key)) object.fault(std::string("\"") + key + "\" has an unknown value", json_text(word));
  return value.value_or(words[0].first);
}

constexpr std::array<const char*, 9> devices = {"cpu", "cuda",     "rocm",   "metal",   "wasm",
                                                "tpu", "trainium", "custom", "external"};
constexpr std::array<const char*, 15> providers = {"reference", "fast",  "formatted", "onnxruntime", "native_cuda",
                                                   "libtorch",  "aten",  "mps",       "webgpu",      "cublas",
                                                   "cudnn",     "nvrtc", "xla",       "neuron",      "custom"};
constexpr std::array<const char*, 6> contractions = {"dense",  "conv",           "reduce",
                                                     "matmul", "conv_transpose", "scaled_dot_product_attention"};
constexpr std::array<const char*, 3> layouts = {"row_major", "column_major", "nhwc"};

template <std::size_t N>
bool among(const std::array<const char*, N>& list, std::string_view word) {
  return std::any_of(list.begin(), list.end(), [&](const char* item) { return word == item; });
}

bool is_hex_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

constexpr std::string_view seal_key = ",\"sha256\":\"";

// The part of the line that its digest is of; "" if the line does not end as it should.
std::string unsealed(std::string_view line) {
  const std::size_t tail = seal_key.size() + 64 + 2;
  if (line.size() <= tail || line.substr(line.size() - tail, seal_key.size()) != seal_key ||
      line.substr(line.size() - 2) != "\"}" || !is_hex_digest(line.substr(line.size() - 66, 64)))
    return "";
  return std::string(line.substr(0, line.size() - tail));
}

Contract read_contract(const JsonValue* value, const std::string& where) {
  Contract c;
  if (!value) return c;
  ClosedObject o(*value, where);
  c.claim = read_word_of(o, "claim", claim_words);
  c.op = o.text("op");
  c.of = o.text("of");
  c.evidence = read_word_of(o, "evidence", evidence_words);
  c.cases = o.number("cases");
  if (const JsonValue* list = o.array("provenance")) {
    for (const JsonValue& item : list->items) {
      ClosedObject p(item, where + " provenance");
      c.provenance.push_back({p.text("file"), p.text("symbol"), p.text("sha256"), p.text("note")});
      const Provenance& last = c.provenance.back();
      if (!last.sha256.empty() && !is_hex_digest(last.sha256)) p.fault("no SHA-256 digest", json_text(last.sha256));
      if (last.file.empty() && (!last.symbol.empty() || !last.sha256.empty()))
        p.fault("a symbol or digest without its file", "");
      if (last.file.empty() && last.note.empty()) p.fault("provenance names a file or has a note", "nothing");
      p.finish();
    }
  }
  o.finish();
  return c;
}

std::string contract_text(const Contract& c) {
  std::string text = "{\"claim\":" + json_text(claim_text(c.claim)) + ",\"op\":" + json_text(c.op) +
                     ",\"of\":" + json_text(c.of) + ",\"evidence\":" + json_text(evidence_text(c.evidence)) +
                     ",\"cases\":" + std::to_string(c.cases) + ",\"provenance\":[";
  for (std::size_t i = 0; i < c.provenance.size(); ++i) {
    const Provenance& p = c.provenance[i];
    text += std::string(i ? "," : "") + "{\"file\":" + json_text(p.file) + ",\"symbol\":" + json_text(p.symbol) +
            ",\"sha256\":" + json_text(p.sha256) + ",\"note\":" + json_text(p.note) + "}";
  }
  return text + "]}";
}

}  // namespace

const char* trust_text(Trust t) { return word_for(trust_words, t); }
const char* vjp_text(VjpMode m) { return word_for(vjp_words, m); }
const char* support_text(RuntimeSupport s) { return word_for(support_words, s); }
const char* claim_text(Claim c) { return word_for(claim_words, c); }
const char* evidence_text(Evidence e) { return word_for(evidence_words, e); }
const char* field_text(Field f) {
  static constexpr const char* names[] = {"shape", "layout", "value", "vjp"};
  return names[static_cast<std::size_t>(f)];
}
std::optional<Trust> trust_of(std::string_view word) { return value_for(trust_words, word); }
std::optional<VjpMode> vjp_of(std::string_view word) { return value_for(vjp_words, word); }
std::optional<Evidence> evidence_of(std::string_view word) { return value_for(evidence_words, word); }
bool is_device(std::string_view word) { return among(devices, word); }
bool is_provider(std::string_view word) { return among(providers, word); }
bool is_layout(std::string_view word) { return among(layouts, word); }
bool multiplies_rounded_factors(std::string_view op) { return among(contractions, op); }

const OpRow* find_op(std::string_view name) {
  static const std::vector<OpRow> rows = [] {
    std::vector<OpRow> all = {// The kinds of canonical graphs.
                              {"map"},
                              {"dense", false, true},
                              {"conv", false, true},
                              {"reduce", false, true},
                              {"bn", false, true},
                              {"add"},
                              {"shift"},
                              {"scale"},
                              {"divide"},
                              {"neg"},
                              {"relu"},
                              {"leaky"},
                              {"clip"},
                              {"abs"},
                              {"max"},
                              {"product"},
                              {"quotient"},
                              // Operators of other runtimes that records may be about.
                              {"rand_uniform", true},
                              {"bernoulli_mask", true},
                              {"softmax", false, true, true},
                              {"layer_norm", false, true},
                              {"matmul", false, true},
                              {"conv_transpose", false, true},
                              {"scaled_dot_product_attention", false, true, true}};
    for (const ElementFunctionRow& row : element_functions())
      all.push_back({row.name, false, false, row.elementary.has_value()});
    return all;
  }();
  for (const OpRow& row : rows)
    if (name == row.name) return &row;
  return nullptr;
}

std::optional<Trust> strength(Evidence evidence) {
  switch (evidence) {
    case Evidence::boundary:
      return Trust::external;
    case Evidence::test:
    case Evidence::fuzz:
      return Trust::fuzzed;
    case Evidence::guard:
    case Evidence::recheck:
      return Trust::checked;
    case Evidence::exhaustive:
    case Evidence::proof:
      return Trust::proved;
    default:
      return std::nullopt;
  }
}

std::optional<Trust> supported_trust(const Capsule& capsule) {
  Trust weakest = Trust::proved;
  for (const Field field : all_fields) {
    const Contract& c = capsule.contract(field);
    if (field == Field::vjp && c.claim == Claim::vjp_unavailable && c.evidence == Evidence::not_applicable) continue;
    const std::optional<Trust> s = strength(c.evidence);
    if (!s) return std::nullopt;
    weakest = std::min(weakest, *s);
  }
  return weakest;
}

std::vector<std::string> misalignments(const Capsule& capsule) {
  std::vector<std::string> out;
  for (const Field field : all_fields) {
    const Contract& c = capsule.contract(field);
    const std::string at = std::string("the ") + field_text(field) + " contract";
    const bool no_vjp = capsule.vjp == VjpMode::none;
    const Claim wanted = field == Field::shape    ? Claim::shape_safety
                         : field == Field::layout ? Claim::layout_compatibility
                         : field == Field::value  ? Claim::value_refinement
                         : no_vjp                 ? Claim::vjp_unavailable
                                                  : Claim::vjp_refinement;
    if (c.claim != wanted) out.push_back(at + " claims " + claim_text(c.claim) + " instead of " + claim_text(wanted));
    if (c.op != capsule.op) out.push_back(at + " is about " + c.op + " instead of " + capsule.op);
    const std::string of = field == Field::vjp && !no_vjp ? vjp_text(capsule.vjp) : "";
    if (field == Field::layout ? !is_layout(c.of) : c.of != of)
      out.push_back(at + " is of \"" + c.of + "\"" +
                    (field == Field::layout ? ", no layout" : " instead of \"" + of + "\""));
    if (c.evidence == Evidence::not_applicable && !(field == Field::vjp && no_vjp))
      out.push_back(at + " has evidence that does not apply");
  }
  return out;
}

std::string sealed(std::string_view line) {
  const std::size_t at = line.rfind(seal_key);
  if (at == std::string_view::npos || line.find('}', at) + 1 != line.size())
    throw InputRefused(
        Blocker{"bad-record", "", "the line does not end with its digest", ",\"sha256\":\"…\"}", "", ""});
  const std::string head(line.substr(0, at));
  return head + std::string(seal_key) + sha256_hex(head.data(), head.size()) + "\"}";
}

std::string seal_fault(std::string_view line) {
  const std::string head = unsealed(line);
  if (head.empty()) return "the line does not end with ,\"sha256\":\"<64 digits>\"}";
  const std::string digest = sha256_hex(head.data(), head.size());
  return digest == line.substr(line.size() - 66, 64) ? "" : "the digest is not that of the record, which has " + digest;
}

Capsule parse_capsule(std::string_view line, const std::string& where, std::size_t line_number) {
  const std::string at = where + ":" + std::to_string(line_number);
  const JsonValue json = parse_json(line, where, line_number);
  ClosedObject o(json, at);
  Capsule c;
  c.source = at;
  if (o.text("record") != "capsule") o.fault("no capsule record", "");
  c.name = o.text("name");
  c.op = o.text("op");
  c.provider = o.text("provider");
  c.device = o.text("device");
  c.spec = o.text("spec");
  c.trust = read_word_of(o, "trust", trust_words);
  c.forward = o.boolean("forward");
  c.vjp = read_word_of(o, "vjp", vjp_words);
  c.support = read_word_of(o, "support", support_words);
  const std::string policy = o.text("policy");
  try {
    if (o.has("policy")) c.policy = parse_policy(policy);
  } catch (const InputRefused& e) {
    for (const Blocker& b : e.blockers) o.fault("policy: " + b.what, b.found.empty() ? policy : b.found);
  }
  if (const JsonValue* contracts = o.object("contracts")) {
    ClosedObject fields(*contracts, at + " contracts");
    for (const Field f : all_fields)
      c.contract(f) = read_contract(fields.object(field_text(f)), at + " contract " + field_text(f));
    fields.finish();
  }
  c.assumption = o.text("assumption");
  c.requires_off = o.texts("requires_off");
  c.notes = o.text("notes");
  c.sha256 = o.text("sha256");
  if (find_op(c.op) == nullptr) o.fault("unknown operator", json_text(c.op));
  if (c.policy.operands && !multiplies_rounded_factors(c.op))
    o.fault("the policy rounds the factors of contractions, and the operator is none", json_text(c.op));
  if (!is_provider(c.provider)) o.fault("unknown provider", json_text(c.provider));
  if (!is_device(c.device)) o.fault("unknown device", json_text(c.device));
  if (c.name.empty()) o.fault("a capsule has a name", "none");
  if (const std::string fault = seal_fault(line); !fault.empty()) o.fault(fault, c.sha256);
  o.finish();
  return c;
}

std::string record_text(const Capsule& c) {
  std::string text = "{\"record\":\"capsule\",\"name\":" + json_text(c.name) + ",\"op\":" + json_text(c.op) +
                     ",\"provider\":" + json_text(c.provider) + ",\"device\":" + json_text(c.device) +
                     ",\"spec\":" + json_text(c.spec) + ",\"trust\":" + json_text(trust_text(c.trust)) +
                     ",\"forward\":" + (c.forward ? "true" : "false") + ",\"vjp\":" + json_text(vjp_text(c.vjp)) +
                     ",\"support\":" + json_text(support_text(c.support)) +
                     ",\"policy\":" + json_text(policy_text(c.policy)) + ",\"contracts\":{";
  for (const Field f : all_fields)
    text += std::string(f == Field::shape ? "" : ",") + "\"" + field_text(f) + "\":" + contract_text(c.contract(f));
  text += "},\"assumption\":" + json_text(c.assumption) + ",\"requires_off\":[";
  for (std::size_t i = 0; i < c.requires_off.size(); ++i) text += (i ? "," : "") + json_text(c.requires_off[i]);
  text += "],\"notes\":" + json_text(c.notes);
  return text + std::string(seal_key) + sha256_hex(text.data(), text.size()) + "\"}";
}

}  // namespace outward
