// Node certificates: {ibp} or {ctx, ibp, crown, alpha?, beta?} with one entry per node of a chain of linear and ReLU
// layers (node 0 is the input, its box is the region of the claim). Needs --model.
// Claims that every value stays in its box and, with crown, between its two linear forms of the input. Predicate: each
// box contains the exact interval image of the input box; each form is no tighter than the exact transfer of the forms
// accepted for the node before (the dominance rule), for a ReLU with the slope alpha given, or else with 0 or 1. alpha
// must lie in [0, 1]; a phase beta = -1 or 1 must agree with the box of the node before. How a producer rounded does
// not matter.
#include <algorithm>

#include "checker/translate/chain.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

namespace {

struct NodeClaims {
  std::optional<Region> box;
  std::vector<FormPair> forms;  // empty for null
  Vector alpha;                 // empty for null
  std::vector<int> phase;
};

// One entry per node, or no list at all.
const std::vector<JsonText>* per_node(const JsonText& document, const char* key, std::size_t nodes) {
  const JsonText* list = document.find(key);
  if (list == nullptr) return nullptr;
  if (!list->is(JsonKind::list)) malformed(*list, "expected a list with one entry per node");
  if (list->items.size() != nodes)
    malformed(*list, "the model has " + counted(nodes, "node") + ", the list " + counted(list->items.size(), "entry"));
  return &list->items;
}

std::vector<FormPair> read_forms(const JsonText& text, std::size_t size, std::size_t inputs) {
  require_keys(text, {"loA", "loC", "hiA", "hiC"});
  const Matrix low = matrix(*text.find("loA"), size, inputs), high = matrix(*text.find("hiA"), size, inputs);
  const Vector low_c = numbers(*text.find("loC"), size), high_c = numbers(*text.find("hiC"), size);
  std::vector<FormPair> forms;
  for (std::size_t i = 0; i < size; ++i) forms.push_back({{low[i], low_c[i]}, {high[i], high_c[i]}});
  return forms;
}

std::vector<int> read_phases(const JsonText& text, std::size_t size) {
  std::vector<int> out;
  for (const Fraction& v : numbers(text, size)) {
    if (v != Fraction(-1) && v != Fraction() && v != Fraction(1)) malformed(text, "beta must be -1, 0 or 1");
    out.push_back(v.sign());
  }
  return out;
}

std::vector<NodeClaims> read_claims(const JsonText& document, const Chain& chain) {
  const std::size_t nodes = chain.layers.size() + 1;
  const auto *boxes = per_node(document, "ibp", nodes), *forms = per_node(document, "crown", nodes);
  const auto *alphas = per_node(document, "alpha", nodes), *betas = per_node(document, "beta", nodes);
  std::vector<NodeClaims> out(nodes);
  for (std::size_t k = 0; k < nodes; ++k) {
    const std::size_t size = k == 0 ? chain.inputs : chain.layers[k - 1].size;
    const auto given = [&](const std::vector<JsonText>* list) {
      return list != nullptr && !(*list)[k].is(JsonKind::null);
    };
    const bool is_relu = k > 0 && chain.layers[k - 1].is_relu;
    if (given(boxes)) require_keys((*boxes)[k], {"lo", "hi"}), out[k].box = bounds_of((*boxes)[k], size);
    if (given(forms)) out[k].forms = read_forms((*forms)[k], size, chain.inputs);
    if (!is_relu && given(alphas)) malformed((*alphas)[k], "alpha for a node that is no ReLU");
    if (!is_relu && given(betas)) malformed((*betas)[k], "beta for a node that is no ReLU");
    if (given(alphas)) out[k].alpha = numbers((*alphas)[k], size);
    if (given(betas)) out[k].phase = read_phases((*betas)[k], size);
  }
  return out;
}

// The forms that the rule gives for element i of the node; each of them bounds it.
std::vector<FormPair> transfers(const NodeClaims& node, const NodeClaims& before, const Region& exact, std::size_t i,
                                Effort* effort) {
  std::vector<FormPair> out;
  const Region hull{{std::min(exact.lo[i], before.box->lo[i])}, {std::max(exact.hi[i], before.box->hi[i])}};
  for (const Region& box : {Region{{exact.lo[i]}, {exact.hi[i]}}, hull}) {
    if (!node.alpha.empty()) {
      out.push_back(through_relu(before.forms[i], box.lo[0], box.hi[0], node.alpha[i], effort));
      continue;
    }
    for (int slope : {0, 1})
      out.push_back(through_relu(before.forms[i], box.lo[0], box.hi[0], Fraction(slope), effort));
  }
  return out;
}

// claimed is dominated by one of the transfers, on both sides.
void require_dominated(const FormPair& claimed, const std::vector<FormPair>& allowed, const Region& box,
                       const std::string& place, Effort* effort, Ruling* ruling) {
  std::optional<Fraction> below, above;
  for (const FormPair& form : allowed) {
    const Fraction low = greatest(difference(claimed.lower, form.lower, effort), box, effort);
    const Fraction high = greatest(difference(form.upper, claimed.upper, effort), box, effort);
    below = below ? std::min(*below, low) : low, above = above ? std::min(*above, high) : high;
  }
  ruling->at_most(*below, Fraction(), "the exact transfer for the lower form" + place);
  ruling->at_most(*above, Fraction(), "the upper form" + place + ", against the exact transfer,");
}

void check_forms(const Chain& chain, const std::vector<NodeClaims>& nodes, const std::vector<Region>& exact,
                 Ruling* ruling) {
  const Region& box = exact[0];
  Effort effort;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const NodeClaims& node = nodes[k];
    const std::string name = "node " + std::to_string(k);
    if (node.forms.empty()) continue;
    const bool orphan = k > 0 && nodes[k - 1].forms.empty();
    ruling->require(!orphan, name + " has linear forms, the node before it has none");
    if (orphan) continue;
    std::vector<FormPair> straight;
    const bool is_relu = k > 0 && chain.layers[k - 1].is_relu;
    if (k == 0) straight = input_forms(chain.inputs);
    if (k > 0 && !is_relu)
      straight = through_linear(chain.layers[k - 1].weights, chain.layers[k - 1].bias, nodes[k - 1].forms, &effort);
    for (std::size_t i = 0; i < node.forms.size(); ++i) {
      const std::vector<FormPair> allowed =
          is_relu ? transfers(node, nodes[k - 1], exact[k - 1], i, &effort) : std::vector<FormPair>{straight[i]};
      require_dominated(node.forms[i], allowed, box, " [" + std::to_string(i) + "] of " + name, &effort, ruling);
    }
  }
}

void check_slopes(const NodeClaims& node, const Region& before, const std::string& name, Ruling* ruling) {
  for (const Fraction& a : node.alpha)
    ruling->require(a.sign() >= 0 && a <= Fraction(1), name + ": alpha " + about(a) + " is not in [0, 1]");
  for (std::size_t i = 0; i < node.phase.size(); ++i) {
    const bool agrees = node.phase[i] == 0 || (node.phase[i] < 0 ? before.hi[i].sign() <= 0 : before.lo[i].sign() >= 0);
    ruling->require(agrees,
                    name + ": the phase beta[" + std::to_string(i) + "] does not follow from the box before it");
  }
}

}  // namespace

bool is_node_certificate(const JsonText& document) { return document.find("ibp") != nullptr; }

Judgement judge_node_certificate(const JsonText& document, const ForeignOptions& options) {
  const bool with_forms = document.find("crown") != nullptr || document.find("ctx") != nullptr;
  if (with_forms) {
    require_keys(document, {"ctx", "ibp", "crown"}, {"alpha", "beta"});
    require_keys(*document.find("ctx"), {"inputId", "inputDim"});
  } else {
    require_keys(document, {"ibp"});
  }
  if (options.model.empty()) refuse_unsupported("a node certificate belongs to a model: name it with --model");
  const Chain chain = read_chain(options.model);
  const std::vector<NodeClaims> nodes = read_claims(document, chain);

  Ruling ruling(document, options);
  ruling.judgement.statement = "over the input box of the file, every value of the " + counted(nodes.size(), "node") +
                               " of the model lies in its box" +
                               (with_forms ? " and between its two linear forms of the input" : "");
  ruling.judgement.established = {"the statement, over the real numbers, by exact arithmetic"};
  ruling.judgement.not_established = {"that the input box is that of any property", "floating point executions"};
  if (with_forms) {
    const JsonText& context = *document.find("ctx");
    if (natural(*context.find("inputDim")) != chain.inputs)
      malformed(*context.find("inputDim"), "the model has " + counted(chain.inputs, "input"));
    ruling.require(natural(*context.find("inputId")) == 0, "inputId is not node 0, the input");
  }
  for (std::size_t k = 0; k < nodes.size(); ++k)
    ruling.require(nodes[k].box.has_value(), "node " + std::to_string(k) + " has no box");
  if (!ruling.good()) return ruling.finish();
  std::vector<Region> exact = {*nodes[0].box};
  ruling.require(!is_reversed(exact[0]), "the input box is empty: lo > hi");
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    exact.push_back(layer_image(chain.layers[k - 1], exact.back()));
    ruling.contains(*nodes[k].box, exact[k], "node " + std::to_string(k));
    check_slopes(nodes[k], *nodes[k - 1].box, "node " + std::to_string(k), &ruling);
  }
  check_forms(chain, nodes, exact, &ruling);
  return ruling.finish();
}

}  // namespace outward_check
