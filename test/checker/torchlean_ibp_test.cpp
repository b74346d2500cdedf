// Interval results of the named networks: exact ends, ends one unit inside, wrong shapes, another input box.
#include "test/checker/torchlean_tools.hpp"

using namespace torchlean_tools;

namespace {

const std::string mlp =
    R"({"graph": "mlp_graph_workflow_v1", "input_box": {"id": 0, "dim": 3, "lo": [0, 1, 2], "hi": [2, 3, 4]},
  "result": {"node_id": 3, "dim": 2, "lo": [230, 291.0], "hi": [554, 699]}})";
const std::string cnn = R"({"graph": "cnn_graph_workflow_v1", "input_box": {"id": 0, "dim": 16,
    "lo": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], "hi": [2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]},
  "result": {"node_id": 3, "dim": 2, "lo": [378, 487], "hi": [380, 490]}})";
const std::string gru =
    R"({"graph": "gru_gate_workflow_v1", "input_box": {"id": 0, "dim": 3, "lo": [0.5, 1.5, 2.5], "hi": [1.5, 2.5, 3.5]},
  "result": {"node_id": 5, "dim": 3, "lo": [0.9999832980202675, 0.9999999317439615, 0.999999999721053],
      "hi": [0.9999999586006212, 0.9999999999915766, 0.9999999999999983]}})";
const std::string attention =
    R"({"graph": "attention_softmax_workflow_v1", "input_box": {"id": 0, "dim": 4, "lo": [1, 2, 3, 4],
      "hi": [1, 2, 3, 4]},
  "result": {"node_id": 3, "dim": 3, "lo": [5.9995, 6.9995, 7.9995], "hi": [6, 7, 8]}})";
const std::string encoder =
    R"({"graph": "transformer_encoder_workflow_v1", "input_box": {"id": 0, "dim": 4, "lo": [0, 1, 2, 3],
      "hi": [2, 3, 4, 5]},
  "result": {"node_id": 10, "dim": 4, "lo": [-1.7320508075688774, -2, -2, -2], "hi": [1.7320508075688774, 2, 2, 2]}})";

}  // namespace

TEST_CASE("named networks: exact interval images") {
  CHECK(verdict(mlp) == "accept");
  const Change changes[] = {
      {"291.0", "291.00000000000006", "reject:slack"},
      {"[554, 699]", "[554, 698.9999999999999]", "reject:slack"},
      {"[554, 699]", "[554, \"699.0\"]", "accept"},
      {"[554, 699]", "[554, \"1e999\"]", "malformed"},
      {"[554, 699]", "[554, 699, 1]", "malformed"},
      {"[554, 699]", "[554]", "malformed"},
      {"[554, 699]", "[554, null]", "malformed"},
      {"[554, 699]", "[554, 699,]", "malformed"},
      {"[554, 699]", "[554, Infinity]", "malformed"},
      {"\"hi\": [2, 3, 4]", "\"hi\": [2, 3, 4.000000000000001]", "reject:slack"},
      {"\"hi\": [2, 3, 4]", "\"hi\": [-1, 3, 4]", "reject"},
      {"\"hi\": [2, 3, 4]", "\"hi\": [1, 3, 4]", "accept"},
      {"\"id\": 0", "\"id\": 1", "reject"},
      {"\"node_id\": 3", "\"node_id\": 2", "reject"},
      {"\"dim\": 2", "\"dim\": 3", "malformed"},
      {"\"dim\": 3", "\"dim\": 2", "malformed"},
      {"\"dim\": 3, ", "", "malformed"},
      {"mlp_graph_workflow_v1", "mlp_graph_workflow_v2", "unsupported"},
      {"\"graph\": \"mlp", "\"note\": 1, \"graph\": \"mlp", "malformed"},
  };
  check_changes(mlp, changes);
  CHECK(verdict(cnn) == "accept");
  CHECK(verdict(with(cnn, "[380, 490]", "[379.99999999999994, 490]")) == "reject:slack");
  // Where the convolution is negative the ReLU counts.
  CHECK(
      verdict(with(with(cnn, "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[-9,-9,-9,-9,-9,-9,-9,-9,-9,-9,-9,-9,-9,-9,-9,-9]"),
                   "[378, 487]", "[0, 1]")) == "accept");
}

TEST_CASE("named networks: enclosures decide about the last place") {
  CHECK(verdict(gru) == "accept");
  CHECK(verdict(with(gru, "0.999999999721053]", "0.9999999997210531]")) == "accept");
  const std::string nearest = with(gru, "0.9999832980202675", "0.9999832980202676");
  CHECK(verdict(nearest) == "reject:slack");
  CHECK(verdict(with(gru, "0.9999999586006212", "0.9999999586006211")) == "reject:slack");
  ForeignOptions options;
  options.slack = Fraction(BigInt(1), BigInt::power_of_ten(15));
  CHECK(verdict(nearest, options) == "accept:slack");
  CHECK(verdict(attention) == "accept");
  CHECK(verdict(with(attention, "[6, 7, 8]", "[5.9996, 7, 8]")) == "reject:slack");
  CHECK(verdict(with(attention, "5.9995", "6.1")) == "reject:slack");
  CHECK(verdict(encoder) == "accept");
  CHECK(verdict(with(encoder, "[1.7320508075688774, 2", "[1.7320508075688772, 2")) == "reject:slack");
  // Far apart scores: the shares are crude but true.
  CHECK(verdict(with(with(with(attention, R"("lo": [1, 2, 3, 4])", R"("lo": [-1e300, 2, 3, 4])"),
                          "[5.9995, 6.9995, 7.9995]", "[0, 0, 0]"),
                     "[6, 7, 8]", "[21, 26, 31]")) == "accept");
}
