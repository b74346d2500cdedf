// robust_margin_cert_v0_1: intervals of the logits of a classifier around the examples of a data set.
// Claims, per example, whether the label's lower logit is above every other upper one, and the counts of such examples.
// Predicate: every flag and count equals the recount over the intervals of the file; with --weights the digest of that
// file is the one the certificate names. The intervals are asserted: the assumption "asserted-bounds". With --recompute
// they must contain the exact ones of the linear classifier in the weights file, over the inputs within eps of an
// example that lie in [0, 1]; then labels, predictions and flags are checked against the exact numbers as well.
#include <algorithm>
#include <map>

#include "checker/readers/json.hpp"
#include "checker/translate/torchlean.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

namespace {

struct Example {
  std::size_t id = 0, label = 0;
  std::optional<std::size_t> predicted;
  std::optional<bool> certified;
  Region logits;
  std::string name;
};

// The label's lower logit is above every other upper one.
bool separated(const Region& logits, std::size_t label) {
  for (std::size_t j = 0; j < logits.size(); ++j)
    if (j != label && logits.lo[label] <= logits.hi[j]) return false;
  return label < logits.size();
}

Example read_example(const JsonText& text, std::size_t place, std::size_t classes) {
  require_keys(text, {"label", "logits_lo", "logits_hi"}, {"id", "pred", "certified"});
  Example e;
  const JsonText *id = text.find("id"), *predicted = text.find("pred");
  e.id = id == nullptr ? place : natural(*id);
  e.name = "example " + std::to_string(place);
  e.label = natural(*text.find("label"));
  if (predicted != nullptr) e.predicted = natural(*predicted);
  if (text.find("certified") != nullptr) e.certified = member(text, "certified", JsonKind::boolean).truth;
  e.logits.lo = numbers(*text.find("logits_lo"), classes);
  e.logits.hi = numbers(*text.find("logits_hi"), classes);
  return e;
}

void recount(const JsonText& document, const std::vector<Example>& examples, std::size_t classes, Ruling* ruling) {
  std::size_t nominal = 0, certified = 0, predictions = 0;
  std::map<std::size_t, std::size_t> ids;
  for (const Example& e : examples) {
    ruling->require(ids.emplace(e.id, 0).second, e.name + ": its id occurs twice");
    ruling->require(e.label < classes, e.name + ": the label is no class");
    ruling->require(!is_reversed(e.logits), e.name + ": an interval is empty");
    const bool found = e.label < classes && separated(e.logits, e.label);
    ruling->require(!e.certified || *e.certified == found,
                    e.name + (found ? ": not flagged certified, but is" : ": flagged certified, but is not"));
    if (e.predicted) ruling->require(*e.predicted < classes, e.name + ": the prediction is no class");
    certified += found, predictions += e.predicted.has_value(), nominal += e.predicted == e.label;
  }
  const JsonText* summary = document.find("summary");
  if (summary == nullptr) return;
  require_keys(*summary, {"examples", "nominal_ok", "certified_ok"});
  const auto same = [&](const char* key, std::size_t counted_here) {
    const std::size_t claimed = natural(*summary->find(key));
    ruling->require(claimed == counted_here, std::string("summary.") + key + " is " + std::to_string(claimed) +
                                                 ", the recount gives " + std::to_string(counted_here));
  };
  same("examples", examples.size()), same("certified_ok", certified);
  ruling->require(predictions == examples.size(), "summary.nominal_ok cannot be recounted: predictions are missing");
  if (predictions == examples.size()) same("nominal_ok", nominal);
}

std::string digest(const std::string& bytes) {
  return sha256_hex(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string weights_text(const JsonText& meta, const ForeignOptions& options, std::string* name) {
  *name = options.weights;
  if (options.weights.empty()) return read_named_file(options, member(meta, "weights_path", JsonKind::string), name);
  const Bytes bytes = read_maybe_gzip(options.weights);
  return {bytes.begin(), bytes.end()};
}

void check_digest(const JsonText& meta, const char* key, const std::string& name, const std::string& bytes,
                  Ruling* ruling) {
  ruling->require(member(meta, key, JsonKind::string).text == digest(bytes),
                  std::string("meta.") + key + " is not the digest of " + name);
}

struct Classifier {
  Matrix weights;
  Vector bias;
  Fraction divisor;  // that the data were normalised with: not used, but equal in both files
};
Classifier read_classifier(const JsonText& text, std::size_t inputs, std::size_t classes) {
  require_format(text, {"digits_linear_weights_v0_1"});
  require_keys(text, {"format", "in_dim", "out_dim", "normalize_div", "layers.0.weight", "layers.0.bias"});
  if (natural(*text.find("in_dim")) != inputs || natural(*text.find("out_dim")) != classes)
    malformed(text, "the weights are for other numbers of inputs and classes");
  return {matrix(*text.find("layers.0.weight"), classes, inputs), numbers(*text.find("layers.0.bias"), classes),
          float_number(*text.find("normalize_div"))};
}

struct Data {
  std::map<std::size_t, std::pair<Vector, std::size_t>> points;  // by id: input and label
  Fraction divisor;
};
Data read_data(const JsonText& text, std::size_t inputs, std::size_t classes) {
  require_format(text, {"digits_dataset_v0_1"});
  require_keys(text, {"format", "split", "input_dim", "num_classes", "normalize_div", "examples"});
  if (natural(*text.find("input_dim")) != inputs || natural(*text.find("num_classes")) != classes)
    malformed(text, "the data are for other numbers of inputs and classes");
  Data data;
  data.divisor = float_number(*text.find("normalize_div"));
  std::size_t place = 0;
  for (const JsonText& example : list_of(*text.find("examples"), JsonKind::object)) {
    require_keys(example, {"x", "y"}, {"id"});
    const std::size_t id = example.find("id") == nullptr ? place : natural(*example.find("id"));
    const bool fresh =
        data.points.emplace(id, std::pair(numbers(*example.find("x"), inputs), natural(*example.find("y")))).second;
    if (!fresh) malformed(example, "the id of an example occurs twice");
    ++place;
  }
  return data;
}

// Inputs within eps of x that lie in [0, 1].
Region clipped_ball(const Vector& x, const Fraction& eps) {
  Region ball;
  for (const Fraction& v : x) {
    ball.lo.push_back(std::max(v - eps, Fraction()));
    ball.hi.push_back(std::min(v + eps, Fraction(1)));
  }
  return ball;
}

void recompute(const JsonText& document, const std::vector<Example>& examples, std::size_t inputs, std::size_t classes,
               Ruling* ruling) {
  const JsonText& meta = *document.find("meta");
  if (member(document, "method", JsonKind::string).text != "ibp_linear")
    refuse_unsupported("recomputing a method other than ibp_linear");
  std::string weights_name, data_name;
  const std::string weights = weights_text(meta, ruling->options, &weights_name);
  const std::string table =
      read_named_file(ruling->options, member(meta, "dataset_path", JsonKind::string), &data_name);
  check_digest(meta, "weights_sha256", weights_name, weights, ruling);
  check_digest(meta, "dataset_sha256", data_name, table, ruling);
  if (!ruling->good()) return;
  const Classifier net = read_classifier(parse_json_text(weights), inputs, classes);
  const Data data = read_data(parse_json_text(table), inputs, classes);
  ruling->require(net.divisor == data.divisor, "weights and data were made with different normalize_div");
  const Fraction eps = float_number(*document.find("eps"));
  for (const Example& e : examples) {
    const auto at = data.points.find(e.id);
    ruling->require(at != data.points.end(), e.name + ": the data have no example of its id");
    if (at == data.points.end()) continue;
    const auto& [x, y] = at->second;
    ruling->require(y == e.label, e.name + ": the label is not that of the data");
    const Region ball = clipped_ball(x, eps);
    ruling->require(!is_reversed(ball), e.name + ": no input within eps lies in [0, 1]");
    const Region exact = affine_image(net.weights, net.bias, ball);
    ruling->contains(e.logits, exact, "the logits of " + e.name);
    ruling->require(e.certified != true || separated(exact, e.label), e.name + ": flagged certified, but is not");
    if (!e.predicted) continue;
    const Vector nominal = affine_image(net.weights, net.bias, {x, x}).lo;
    const bool greatest =
        *e.predicted < classes && *std::max_element(nominal.begin(), nominal.end()) == nominal[*e.predicted];
    ruling->require(greatest, e.name + ": the prediction is not the class of the greatest logit");
  }
  ruling->judgement.established.push_back("digests of " + weights_name + " and " + data_name);
  ruling->judgement.established.push_back(
      "labels, predictions and, by exact arithmetic, that every example flagged certified is robust: the label's logit "
      "stays the greatest over the inputs within eps that lie in [0, 1]");
}

}  // namespace

bool is_margin(const JsonText& document) {
  return has_format(document, "robust_margin_cert") ||
         (document.find("num_classes") != nullptr && document.find("summary") != nullptr);
}

Judgement judge_margin(const JsonText& document, const ForeignOptions& options) {
  require_format(document, {"robust_margin_cert_v0_1"});
  require_keys(document, {"format", "norm", "method", "eps", "input_dim", "num_classes", "meta", "examples"},
               {"summary"});
  if (member(document, "norm", JsonKind::string).text != "linf") refuse_unsupported("a norm other than linf");
  const std::string& method = member(document, "method", JsonKind::string).text;
  const Fraction eps = float_number(*document.find("eps"));
  const std::size_t inputs = natural(*document.find("input_dim"), 1);
  const std::size_t classes = natural(*document.find("num_classes"), 1);
  const JsonText& meta = *document.find("meta");
  require_keys(meta, {"weights_path", "dataset_path", "weights_sha256", "dataset_sha256"});
  for (std::size_t i = 0; i < meta.items.size(); ++i) member(meta, meta.keys[i], JsonKind::string);
  std::vector<Example> examples;
  for (const JsonText& text : list_of(*document.find("examples"), JsonKind::object))
    examples.push_back(read_example(text, examples.size(), classes));

  Ruling ruling(document, options);
  ruling.judgement.statement = "which of " + counted(examples.size(), "example") + " have, by the method " +
                               json_string(method).substr(0, 80) + " and within " + about(eps) +
                               " in the maximum norm, a lower logit of the label above every other upper one";
  ruling.judgement.established = {"every flag and count equals the recount over the intervals of the file"};
  ruling.require(eps.sign() >= 0, "eps is negative");
  recount(document, examples, classes, &ruling);
  if (options.recompute) {
    if (ruling.good()) recompute(document, examples, inputs, classes, &ruling);
    ruling.judgement.not_established = {"anything about inputs outside [0, 1]: the ball is cut to it",
                                        "floating point executions of the classifier"};
    return ruling.finish();
  }
  if (!options.weights.empty()) {
    std::string name;
    check_digest(meta, "weights_sha256", options.weights, weights_text(meta, options, &name), &ruling);
    ruling.judgement.established.push_back("the digest of " + options.weights);
  }
  ruling.judgement.assumptions = {"asserted-bounds"};
  ruling.judgement.not_established = {
      "the logit intervals and predictions: asserted by the producer (see --recompute)",
      options.weights.empty() ? "which weights and data they belong to" : "which data they belong to"};
  return ruling.finish();
}

}  // namespace outward_check
