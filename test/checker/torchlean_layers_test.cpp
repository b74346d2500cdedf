// Certificates over a network of exact rationals: crown_query_v1 and monotonicity_v1.
#include "test/checker/torchlean_tools.hpp"

using namespace torchlean_tools;

namespace {

// relu(x) + relu(-x) on [-1, 1]: the relaxation with both slopes 1/2 tops out at exactly 1.
const std::string absolute = R"({"format": "crown_query_v1", "input_dim": 1, "input": {"lo": ["-1"], "hi": ["1"]},
  "layers": [{"kind": "linear", "weights": [["1"], ["-1"]], "bias": ["0", "0"]},
    {"kind": "relu", "alpha": ["1/2", "2/4"]},
    {"kind": "linear", "weights": [["1", "1"]], "bias": ["0"]}],
  "query": {"weights": [["1"]], "bias": ["-3/2"], "strict": true}})";

const std::string growing = R"({"format": "monotonicity_v1", "input_dim": 2, "layers": [
  {"kind": "linear", "weights": [["1", "1/2"], ["0", "2"]], "bias": ["-1", "3"]}, {"kind": "relu"},
  {"kind": "linear", "weights": [["1/3", "7"]], "bias": ["-5"]}]})";

}  // namespace

TEST_CASE("crown_query_v1: exact linear bounds decide") {
  CHECK(verdict(absolute) == "accept");
  const Change changes[] = {
      {R"("strict": true)", R"("strict": false)", "accept"},
      {R"(["-3/2"], "strict": true)", R"(["-1"], "strict": false)", "accept"},
      {R"("-3/2")", R"("-1")", "reject"},
      {R"("hi": ["1"])", R"("hi": ["501/100"])", "reject"},  // the box is wider
      {R"("-3/2")", R"("-10000000000000000000000000001/10000000000000000000000000000")", "accept"},
      {R"("-3/2")", R"("-9999999999999999999999999999/10000000000000000000000000000")", "reject"},
      {R"("hi": ["1"])", R"("hi": ["101/100"])", "accept"},
      {R"("hi": ["1"])", R"("hi": ["-1"])", "accept"},
      {R"("hi": ["1"])", R"("hi": ["-11/10"])", "reject"},  // an empty box
      {R"(["1/2", "2/4"])", R"(["0", "1"])", "accept"},
      {R"(["1/2", "2/4"])", R"(["-1/1000000000", "1/2"])", "reject"},
      {R"(["1/2", "2/4"])", R"(["1/2", "1000001/1000000"])", "reject"},
      {R"(["1/2", "2/4"])", R"(["1/2"])", "malformed"},
      {R"(["1/2", "2/4"])", R"(["1/2", "1/2", "1/2"])", "malformed"},
      {R"(["1/2", "2/4"])", R"(["1/2", 0.5])", "malformed"},
      {R"("2/4")", R"("2/0")", "malformed"},
      {R"("2/4")", R"("0.5")", "malformed"},
      {R"("2/4")", R"("5e-1")", "malformed"},
      {R"("2/4")", R"("1/-2")", "malformed"},
      {R"("2/4")", R"("+1/2")", "malformed"},
      {R"("2/4")", R"("1/2/3")", "malformed"},
      {R"("2/4")", R"("")", "malformed"},
      {R"("2/4")", R"("NaN")", "malformed"},
      {R"([["1"], ["-1"]])", R"([["1"], ["-1", "0"]])", "malformed"},
      {R"([["1", "1"]])", R"([["1", "1", "1"]])", "malformed"},
      {R"([["1", "1"]])", R"([])", "malformed"},
      {R"([["1", "1"]])", R"(["1", "1"])", "malformed"},
      {R"({"lo": ["-1"], )", R"({)", "malformed"},
      {R"("input_dim": 1)", R"("input_dim": 0)", "malformed"},
      {R"("input_dim": 1)", R"("input_dim": 2)", "malformed"},
      {R"("input_dim": 1)", R"("input_dim": 1.0)", "malformed"},
      {R"("input_dim": 1)", R"("input_dim": "1")", "accept"},
      {R"("strict": true)", R"("strict": "true")", "malformed"},
      {R"("strict": true)", R"("strict": true, "note": 1)", "malformed"},
      {R"("kind": "relu", )", R"("kind": "tanh", )", "unsupported"},
      {R"("crown_query_v1")", R"("crown_query_v2")", "unsupported"},
      {R"("format": "crown_query_v1", )", "", "malformed"},
      {R"("format")", R"("x": 1, "format")", "malformed"},
  };
  check_changes(absolute, changes);
}

TEST_CASE("crown_query_v1: stable neurons, the sign of a weight, the given slope") {
  // -relu(x) on [-1, 1]: the bound needs the slope 0; with slope 1 the lower line reaches -1.
  const std::string text = R"({"format": "crown_query_v1", "input_dim": 1, "input": {"lo": ["-1"], "hi": ["1"]},
    "layers": [{"kind": "relu", "alpha": ["0"]}],
    "query": {"weights": [["-1"]], "bias": ["-1/10"], "strict": true}})";
  CHECK(verdict(text) == "accept");
  CHECK(verdict(with(text, R"(["0"])", R"(["1"])")) == "reject");
  // Where the input is positive the slope has no effect.
  const std::string positive = with(with(text, R"(["0"])", R"(["1"])"), R"("lo": ["-1"])", R"("lo": ["0"])");
  CHECK(verdict(positive) == "accept");
  CHECK(verdict(with(text, R"("layers": [{"kind": "relu", "alpha": ["0"]}])", R"("layers": [])")) == "malformed");
}

TEST_CASE("crown_query_v1: numbers that outgrow the budget end in a limit, not in an endless run") {
  const auto deep = [](int layers, const std::string& weight) {
    std::string list;
    for (int i = 0; i < layers; ++i) {
      list += (i == 0 ? "" : ", ") + (R"({"kind": "linear", "weights": [[")" + weight + R"("]], "bias": ["1/3"]})");
    }
    return R"({"format": "crown_query_v1", "input_dim": 1, "input": {"lo": ["-1/7"], "hi": ["1"]}, "layers": [)" +
           list + R"(], "query": {"weights": [["1"]], "bias": ["0"], "strict": true}})";
  };
  CHECK(verdict(deep(20, "22/7")) == "reject");
  CHECK(verdict(deep(30, std::string(1500, '7') + "/1" + std::string(1500, '0') + "3")) == "limit");
  CHECK(verdict(deep(1, "1/7" + std::string(10000, '1'))) == "limit");
}

TEST_CASE("monotonicity_v1: no weight may be negative") {
  CHECK(verdict(growing) == "accept");
  const Change changes[] = {
      {R"("1/3")", R"("-1/100000000000000000000")", "reject"},
      {R"("1/3")", R"("-0")", "accept"},
      {R"("7")", R"(7)", "malformed"},
      {R"("7")", R"("7", "1")", "malformed"},
      {R"("-5")", R"("-5", "0")", "malformed"},
      {R"({"kind": "relu"})", R"({"kind": "relu", "alpha": ["0", "0"]})", "malformed"},
      {R"({"kind": "relu"})", R"({"kind": "sigmoid"})", "unsupported"},
      {R"("monotonicity_v1")", R"("monotonicity_v0")", "unsupported"},
      {R"("format": "monotonicity_v1", )", "", "malformed"},
      {R"("input_dim": 2)", R"("input_dim": 3)", "malformed"},
      {R"("input_dim": 2)", R"("input_dim": -2)", "malformed"},
  };
  check_changes(growing, changes);
}
