// Margin certificates: the recount, the digests, and the recomputation from weights and data.
#include "test/checker/torchlean_tools.hpp"

using namespace torchlean_tools;

namespace {

const std::string weights =
    R"({"format": "digits_linear_weights_v0_1", "in_dim": 2, "out_dim": 2, "normalize_div": 16.0,
  "layers.0.weight": [[1, -2], [0.5, 4]], "layers.0.bias": [1, -1]})";
const std::string data = R"({"format": "digits_dataset_v0_1", "split": "test", "input_dim": 2, "num_classes": 2,
  "normalize_div": 16.0, "examples": [{"id": 7, "x": [0.75, 0.125], "y": 0}, {"id": 3, "x": [0, 0.5], "y": 1}]})";

std::string digest(const std::string& text) {
  return sha256_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

// eps 1/4. Example 7: inputs [1/2, 1] x [0, 3/8] give [3/4, 2] and [-3/4, 1]: not separated. Example 3: [0, 1/4] x
// [1/4, 3/4] gives [-1/2, 3/4] and [0, 17/8].
const std::string margins =
    R"({"format": "robust_margin_cert_v0_1", "norm": "linf", "method": "ibp_linear", "eps": 0.25,
  "input_dim": 2, "num_classes": 2, "meta": {"weights_path": "NN/Some/w/weights.json", "dataset_path": "w/data.json",
    "weights_sha256": ")" +
    digest(weights) + R"(", "dataset_sha256": ")" + digest(data) + R"("},
  "summary": {"examples": 2, "nominal_ok": 2, "certified_ok": 0}, "examples": [
    {"id": 7, "label": 0, "pred": 0, "logits_lo": [0.75, -0.75], "logits_hi": [2, 1], "certified": false},
    {"id": 3, "label": 1, "pred": 1, "logits_lo": [-0.5, 0], "logits_hi": [0.75, 2.125]}]})";

}  // namespace

TEST_CASE("margin certificate: flags and counts") {
  CHECK(verdict(margins) == "accept:asserted-bounds");
  const Change changes[] = {
      {R"("certified": false)", R"("certified": true)", "reject"},
      {R"("certified_ok": 0)", R"("certified_ok": 1)", "reject"},
      {R"("certified_ok": 0)", R"("certified_ok": -1)", "malformed"},
      {R"("nominal_ok": 2)", R"("nominal_ok": 1)", "reject"},
      {R"("examples": 2,)", R"("examples": 3,)", "reject"},
      {R"("logits_lo": [0.75, -0.75])", R"("logits_lo": [1, -0.75])", "accept:asserted-bounds"},   // 1 > 1 is false
      {R"("logits_lo": [0.75, -0.75])", R"("logits_lo": [1.0000000000000002, -0.75])", "reject"},  // stale flag
      {R"("logits_lo": [0.75, -0.75])", R"("logits_lo": [0.75, 1.5])", "reject"},                  // reversed
      {R"("logits_lo": [0.75, -0.75])", R"("logits_lo": [0.75])", "malformed"},
      {R"("logits_lo": [0.75, -0.75])", R"("logits_lo": [0.75, NaN])", "malformed"},
      {R"("logits_lo": [0.75, -0.75])", R"("logits_lo": [0.75, -1e400])", "malformed"},
      {R"("label": 0)", R"("label": 2)", "reject"},
      {R"("label": 0)", R"("label": -1)", "malformed"},
      {R"("pred": 0, )", "", "reject"},  // the count of right predictions is out of reach
      {R"("pred": 0)", R"("pred": 1)", "reject"},
      {R"("id": 7)", R"("id": 3)", "reject"},  // twice
      {R"("id": 7)", R"("index": 7)", "malformed"},
      {R"("norm": "linf")", R"("norm": "l2")", "unsupported"},
      {R"("eps": 0.25)", R"("eps": -0.25)", "reject"},
      {R"(cert_v0_1)", R"(cert_v0_2)", "unsupported"},
      {R"("norm": "linf", )", "", "malformed"},
      {R"("certified_ok": 0})", R"("certified_ok": 0, "margin": 1})", "malformed"},
  };
  check_changes(margins, changes);
}

TEST_CASE("margin certificate: recomputed from weights and data below the root") {
  Folder folder;
  folder.write("w/weights.json", weights);
  folder.write("w/data.json", data);
  ForeignOptions options;
  options.recompute = true;
  CHECK(verdict(margins, options) == "malformed");  // no root
  options.root = folder.path();
  CHECK(verdict(margins, options) == "accept");
  const Change changes[] = {
      {R"("logits_lo": [0.75, -0.75])", R"("logits_lo": [0.7499999999999999, -0.75])", "accept"},
      {R"("logits_lo": [0.75, -0.75])", R"("logits_lo": [0.7500000000000001, -0.75])", "reject:slack"},
      {R"("logits_hi": [0.75, 2.125])", R"("logits_hi": [0.75, 2.1249999999999996])", "reject:slack"},
      {R"("eps": 0.25)", R"("eps": 0.25000000000000006)", "reject:slack"},
      {R"("eps": 0.25)", R"("eps": 0.125)", "accept"},
      {R"("id": 7)", R"("id": 8)", "reject"},
      {R"("method": "ibp_linear")", R"("method": "crown")", "unsupported"},
      {R"("w/data.json")", R"("w/missing.json")", "malformed"},
      {R"("w/data.json")", R"("../w/data.json")", "malformed"},
      {R"("w/data.json")", R"("/w/data.json")", "malformed"},
      {R"("w/data.json")", R"("w/weights.json")", "reject"},  // another digest
  };
  check_changes(margins, changes, options);
  options.slack = Fraction(BigInt(1), BigInt::power_of_ten(12));
  CHECK(verdict(with(margins, "[0.75, -0.75]", "[0.7500000000000001, -0.75]"), options) == "accept:slack");
  // Intervals that the slack tolerates do not make a flag true: the exact ones decide about it.
  options.slack = Fraction(2);
  const std::string flagged =
      with(with(with(margins, "[0.75, -0.75]", "[1.5, -0.75]"), R"("certified": false)", R"("certified": true)"),
           R"("certified_ok": 0)", R"("certified_ok": 1)");
  CHECK(verdict(flagged, options) == "reject");
  folder.write("w/weights.json", with(weights, "0.5", "0.6"));
  CHECK(verdict(margins, options) == "reject");
}

TEST_CASE("margin certificate: the weights file that the user names") {
  Folder folder;
  folder.write("mine.json", weights);
  ForeignOptions options;
  options.weights = folder.path() + "/mine.json";
  CHECK(verdict(margins, options) == "accept:asserted-bounds");
  folder.write("mine.json", weights + "\n");
  CHECK(verdict(margins, options) == "reject");
}
