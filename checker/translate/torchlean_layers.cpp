// The TorchLean artifacts that carry their whole network as exact rationals.
// crown_query_v1: claims that every row of a query on the outputs is negative (strict) or not positive over a box of
// inputs. Predicate: forward linear bounds with the lower ReLU slopes of the file; the greatest value of the upper
// bound of every row decides. Nothing is rounded, so a slack has no effect. monotonicity_v1: claims that every output
// grows with every input. Predicate: no weight is negative.
#include "checker/readers/json.hpp"
#include "checker/translate/linear_forms.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

namespace {

struct RationalLayer {
  bool is_relu = false;
  Matrix weights;
  Vector bias, alpha;  // alpha: of a ReLU layer, if the kind has them
};

// with_alpha: ReLU layers have a lower slope per element.
std::vector<RationalLayer> rational_layers(const JsonText& document, std::size_t* size, bool with_alpha) {
  const std::vector<JsonText>& list = list_of(member(document, "layers", JsonKind::list), JsonKind::object);
  if (list.empty()) malformed(*document.find("layers"), "no layers");
  std::vector<RationalLayer> out;
  for (const JsonText& text : list) {
    const std::string& kind = member(text, "kind", JsonKind::string).text;
    RationalLayer layer;
    if (kind == "linear") {
      require_keys(text, {"kind", "weights", "bias"});
      layer.weights = matrix(*text.find("weights"), any_size, *size, rational_string);
      *size = layer.weights.size();
      layer.bias = numbers(*text.find("bias"), *size, rational_string);
    } else if (kind == "relu") {
      require_keys(text, with_alpha ? std::vector<std::string>{"kind", "alpha"} : std::vector<std::string>{"kind"});
      layer.is_relu = true;
      if (with_alpha) layer.alpha = numbers(*text.find("alpha"), *size, rational_string);
    } else {
      refuse_unsupported("the layer kind " + json_string(kind) + "; this version reads linear and relu");
    }
    out.push_back(std::move(layer));
  }
  return out;
}

std::string network(std::size_t inputs, std::size_t layers, std::size_t outputs) {
  return "the network of the file (" + counted(inputs, "input") + ", " + counted(layers, "layer") + ", " +
         counted(outputs, "output") + ")";
}

}  // namespace

bool is_crown_query(const JsonText& document) {
  return has_format(document, "crown_query") ||
         (document.find("layers") != nullptr && document.find("query") != nullptr);
}

Judgement judge_crown_query(const JsonText& document, const ForeignOptions& options) {
  require_format(document, {"crown_query_v1"});
  require_keys(document, {"format", "input_dim", "input", "layers", "query"});
  const std::size_t inputs = natural(*document.find("input_dim"), 1);
  require_keys(*document.find("input"), {"lo", "hi"});
  const Region box = bounds_of(*document.find("input"), inputs, rational_string);
  std::size_t size = inputs;
  const std::vector<RationalLayer> layers = rational_layers(document, &size, true);
  const JsonText& query = *document.find("query");
  require_keys(query, {"weights", "bias", "strict"});
  const Matrix rows = matrix(*query.find("weights"), any_size, size, rational_string);
  const Vector bias = numbers(*query.find("bias"), rows.size(), rational_string);
  const bool strict = member(query, "strict", JsonKind::boolean).truth;

  Ruling ruling(document, options);
  ruling.judgement.statement = "for every input of its box, " + counted(rows.size(), "row") + " of the outputs of " +
                               network(inputs, layers.size(), size) + (strict ? ": each < 0" : ": each <= 0");
  ruling.judgement.established = {"the statement, over the real numbers, by exact rational arithmetic"};
  ruling.judgement.not_established = {"that the network is that of any model file", "floating point executions"};
  ruling.require(!is_reversed(box), "the input box is empty: lo > hi");
  for (const RationalLayer& layer : layers)
    for (const Fraction& alpha : layer.alpha)
      ruling.require(alpha.sign() >= 0 && alpha <= Fraction(1),
                     "alpha " + alpha.text().substr(0, 60) + " is not in [0, 1]");
  if (!ruling.good()) return ruling.finish();

  Effort effort;
  std::vector<FormPair> forms = input_forms(inputs);
  for (const RationalLayer& layer : layers) {
    if (!layer.is_relu) {
      forms = through_linear(layer.weights, layer.bias, forms, &effort);
      continue;
    }
    for (std::size_t i = 0; i < forms.size(); ++i) {
      const Fraction l = least(forms[i].lower, box, &effort), u = greatest(forms[i].upper, box, &effort);
      forms[i] = through_relu(forms[i], l, u, layer.alpha[i], &effort);
    }
  }
  forms = through_linear(rows, bias, forms, &effort);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const Fraction top = greatest(forms[i].upper, box, &effort);
    ruling.require(strict ? top.sign() < 0 : top.sign() <= 0,
                   "not proved: the upper bound of row " + std::to_string(i) + " reaches about " + about(top));
  }
  return ruling.finish();
}

bool is_monotonicity(const JsonText& document) {
  return has_format(document, "monotonicity") ||
         (document.find("layers") != nullptr && document.find("input_dim") != nullptr && !is_crown_query(document));
}

Judgement judge_monotonicity(const JsonText& document, const ForeignOptions& options) {
  require_format(document, {"monotonicity_v1"});
  require_keys(document, {"format", "input_dim", "layers"});
  const std::size_t inputs = natural(*document.find("input_dim"), 1);
  std::size_t size = inputs;
  const std::vector<RationalLayer> layers = rational_layers(document, &size, false);
  Ruling ruling(document, options);
  ruling.judgement.statement =
      "every output of " + network(inputs, layers.size(), size) + " is non-decreasing in every input";
  ruling.judgement.established = {"the statement, over the real numbers: no weight is negative"};
  ruling.judgement.not_established = {"that the network is that of any model file"};
  for (std::size_t k = 0; k < layers.size(); ++k)
    for (const Vector& row : layers[k].weights)
      for (const Fraction& w : row)
        ruling.require(w.sign() >= 0, "layer " + std::to_string(k) + " has the negative weight " +
                                          w.text().substr(0, 60) + ": not proved");
  return ruling.finish();
}

}  // namespace outward_check
