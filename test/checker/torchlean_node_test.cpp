// Node certificates and leaf artifacts against a model; the matrices of a chain against the kernel's own execution.
#include "checker/kernel/check.hpp"
#include "checker/translate/chain.hpp"
#include "test/checker/onnx_writer.hpp"
#include "test/checker/torchlean_tools.hpp"

using namespace torchlean_tools;
namespace onnx = onnx_test;

namespace {

// y = relu(x0 + x1/2) - relu(x0 - x1)/2 + 1/4
std::string model_file() {
  onnx::Net net;
  net.input("x", {1, 2})
      .constant(onnx::floats("W", {2, 2}, {1, 0.5, 1, -1}))
      .constant(onnx::floats("V", {2, 1}, {1, -0.5}));
  net.constant(onnx::floats("c", {1}, {0.25}));
  net.add(onnx::node("Gemm", "x W", "z", {onnx::i("transB", 1)})).add(onnx::node("Relu", "z", "a"));
  net.add(onnx::node("MatMul", "a V", "v")).add(onnx::node("Add", "v c", "y")).output("y");
  onnx::write("chain.onnx", net.file());
  return (onnx::scratch() / "chain.onnx").string();
}

ForeignOptions with_model() {
  ForeignOptions options;
  options.model = model_file();
  return options;
}

const std::string nodes = R"({"ctx": {"inputId": 0, "inputDim": 2},
  "ibp": [{"lo": [-1, -1], "hi": [1, 1]}, {"lo": [-1.5, -2], "hi": [1.5, 2]}, {"lo": [0, 0],
      "hi": [1.5, 2.0]}, {"lo": [-0.75], "hi": [1.75]}],
  "crown": [{"loA": [[1, 0], [0, 1]], "loC": [0, 0], "hiA": [[1, 0], [0, 1]], "hiC": [0, 0]},
    {"loA": [[1, 0.5], [1, -1]], "loC": [0, 0], "hiA": [[1, 0.5], [1, -1]], "hiC": [0, 0]},
    {"loA": [[0.5, 0.25], [0.25, -0.25]], "loC": [0, 0], "hiA": [[0.5, 0.25], [0.5, -0.5]], "hiC": [0.75, 1.0]},
    {"loA": [[0.25, 0.5]], "loC": [-0.25], "hiA": [[0.375, 0.375]], "hiC": [1]}],
  "alpha": [null, null, [0.5, 0.25], null]})";

const std::string leaf =
    R"({"format": "abcrown_leaf_artifact_v0_1", "input_dim": 2, "root": {"lo": [-1, -1], "hi": [1, 1]},
  "leaves": [{"lo": [-1, -1], "hi": [1, 1], "lb": [-0.75], "threshold": [-1]}]})";

}  // namespace

TEST_CASE("node certificate: boxes and dominated forms") {
  const ForeignOptions options = with_model();
  CHECK(verdict(nodes) == "unsupported");  // no model
  CHECK(verdict(nodes, options) == "accept");
  const Change changes[] = {
      {R"("hiC": [0.75, 1.0])", R"("hiC": [0.75, 0.9999999403953552])", "reject:slack"},
      {R"("hiC": [0.75, 1.0])", R"("hiC": [0.75, 0.9999999999999999])", "reject:slack"},
      {R"("hiC": [0.75, 1.0])", R"("hiC": [0.75, 1.5])",
       "reject:slack"},  // looser, and then the next form is too tight
      {R"("hiC": [1])", R"("hiC": [1.5])", "accept"},
      {R"("loC": [-0.25])", R"("loC": [-3])", "accept"},
      {R"("loC": [-0.25])", R"("loC": [-0.24999999999999997])", "reject:slack"},
      {R"("loA": [[0.25, 0.5]])", R"("loA": [[0.25, 0.5000000000000001]])", "reject:slack"},
      {R"("loA": [[1, 0], [0, 1]])", R"("loA": [[1, 0], [0, 1.0000000000000002]])", "reject:slack"},
      {R"(null, [0.5, 0.25], null)", R"(null, [1.0000000000000002, 0.25], null)", "reject"},
      {R"(null, [0.5, 0.25], null)", R"(null, [0.5, -1e-300], null)", "reject"},
      {R"(null, [0.5, 0.25], null)", R"(null, [0.5, 0.5], null)", "reject:slack"},  // the lower forms were for 1/4
      {R"(null, [0.5, 0.25], null)", R"(null, [0.5], null)", "malformed"},
      {R"(null, [0.5, 0.25], null)", R"([1, 1], [0.5, 0.25], null)", "malformed"},
      {R"(null, [0.5, 0.25], null])", R"(null, [0.5, 0.25], null], "beta": [null, null, [0, 2], null])", "malformed"},
      {R"(null, [0.5, 0.25], null])", R"(null, [0.5, 0.25], null], "beta": [null, null, [0, 1], null])", "reject"},
      {R"(null, [0.5, 0.25], null])", R"(null, [0.5, 0.25], null], "beta": [null, null, [-1, 0], null])", "reject"},
      {R"(null, [0.5, 0.25], null])", R"(null, [0.5, 0.25], null], "beta": [null, null, [0, 0], null])", "accept"},
      {R"(null, [0.5, 0.25], null])", R"(null, [0.5, 0.25], null], "gamma": [])", "malformed"},
      {R"("lo": [-1.5, -2])", R"("lo": [-1.4999999999999998, -2])", "reject:slack"},
      {R"("hi": [1.75])", R"("hi": [1.5])", "reject:slack"},
      {R"("hi": [1.75])", R"("hi": [1e300])", "accept"},
      {R"("hi": [1.75])", R"("hi": [1e309])", "malformed"},
      {R"({"lo": [-0.75], "hi": [1.75]})", R"(null)", "reject"},
      {R"({"lo": [-0.75], "hi": [1.75]})", R"({"lo": [-0.75], "hi": [1.75]}, null)", "malformed"},
      {R"("hi": [1, 1]})", R"("hi": [1.0000000000000002, 1]})", "reject:slack"},  // a wider input box
      {R"("lo": [-1, -1], "hi": [1, 1])", R"("lo": [1, -1], "hi": [-1, 1])", "reject"},
      {R"("inputId": 0)", R"("inputId": 1)", "reject"},
      {R"("inputDim": 2)", R"("inputDim": 3)", "malformed"},
      {R"([1, -1]], "hiC")", R"([1]], "hiC")", "malformed"},
      {R"({"loA": [[0.25, 0.5]], "loC": [-0.25], "hiA": [[0.375, 0.375]], "hiC": [1]})", "null", "accept"},
      {R"({"loA": [[0.5, 0.25], [0.25, -0.25]], "loC": [0, 0], "hiA": [[0.5, 0.25], [0.5, -0.5]], "hiC": [0.75, 1.0]})",
       "null", "reject"},
  };
  check_changes(nodes, changes, options);
  CHECK(verdict(with(nodes, R"(,
  "alpha": [null, null, [0.5, 0.25], null])",
                     ""),
                options) == "reject:slack");  // slopes 0 or 1 do not give these forms
  CHECK(
      verdict(R"({"ibp": [{"lo": [0, 0], "hi": [1, 1]}, {"lo": [0, -1], "hi": [1.5, 1]}, {"lo": [0, 0], "hi": [1.5, 1]},
    {"lo": [-0.25], "hi": [1.75]}]})",
              options) == "accept");
}

TEST_CASE("node certificate: a slack is asked for, used and printed, never taken") {
  ForeignOptions options = with_model();
  const std::string text = with(nodes, R"("hiC": [0.75, 1.0])", R"("hiC": [0.75, 0.9999999403953552])");
  const Judgement j = foreign_kind(parse_json_text(text))->judge(parse_json_text(text), options);
  REQUIRE(j.slack_needed);
  CHECK(*j.slack_needed == Fraction(BigInt(1), BigInt(1) << 24));
  options.slack = *j.slack_needed;
  CHECK(verdict(text, options) == "accept:slack");
  options.slack = *j.slack_needed - Fraction(BigInt(1), BigInt(1) << 90);
  CHECK(verdict(text, options) == "reject:slack");
}

TEST_CASE("leaf artifact with a model: bounds proved, refuted or left unproved") {
  const ForeignOptions options = with_model();
  CHECK(verdict(leaf) == "accept:asserted-bounds");
  CHECK(verdict(leaf, options) == "accept");
  const Change changes[] = {
      {R"("lb": [-0.75])", R"("lb": [0.5])", "reject"},
      {R"("lb": [-0.75])", R"("lb": [-0.4])", "reject:slack"},
      {R"("lb": [-0.75])", R"("lb": [-0.75, 1])", "malformed"},
      {R"("lb": [-0.75], "threshold": [-1])", R"("lb": [-0.75, 1], "threshold": [0, 0])", "unsupported"},
  };
  check_changes(leaf, changes, options);
  std::string why;
  CHECK(verdict(with(leaf, "[-0.75]", "[0.5]"), options, &why) == "reject");
  CHECK(why.find("is false: the output reaches") != std::string::npos);
  ForeignOptions missing;
  missing.model = "/does/not/exist.onnx";
  CHECK(verdict(leaf, missing) == "malformed");
}

TEST_CASE("chains: matrices of dense, conv and index maps agree with the kernel's exact execution") {
  onnx::Net net;
  std::vector<double> kernel, head;
  for (int k = 0; k < 2 * 1 * 3 * 2; ++k) kernel.push_back((k * 7 % 11 - 5) / 4.0);
  for (int k = 0; k < 24 * 3; ++k) head.push_back((k * 5 % 13 - 6) / 8.0);
  net.input("x", {1, 2, 3, 4})
      .constant(onnx::floats("K", {2, 1, 3, 2}, kernel))
      .constant(onnx::floats("b", {2}, {0.5, -1}));
  net.constant(onnx::floats("W", {24, 3}, head)).constant(onnx::floats("s", {2, 1, 1}, {3, -0.5}));
  net.add(onnx::node("Mul", "x s", "m"));
  net.add(onnx::node("Conv", "m K b", "c",
                     {onnx::i("group", 2), onnx::is("pads", {1, 1, 1, 0}), onnx::is("kernel_shape", {3, 2})}));
  net.add(onnx::node("Relu", "c", "r")).add(onnx::node("Transpose", "r", "t", {onnx::is("perm", {0, 2, 3, 1})}));
  net.add(onnx::node("Flatten", "t", "f"))
      .add(onnx::node("MatMul", "f W", "d"))
      .add(onnx::node("Neg", "d", "y"))
      .output("y");
  onnx::write("conv.onnx", net.file());
  const std::string path = (onnx::scratch() / "conv.onnx").string();
  const torchlean::Chain chain = torchlean::read_chain(path);
  CHECK(chain.layers.size() == 5);  // scale, conv, ReLU, transposed and negated matrix: the map makes its own layer
  const Graph graph = read_model(path, {}).graph;
  const Structure structure(graph);
  torchlean::Vector low, high, x;
  for (int i = 0; i < 24; ++i) {
    x.push_back(Fraction(BigInt(i * 11 % 17 - 8), BigInt(8)));
    low.push_back(x.back() - Fraction(BigInt(1), BigInt(8))), high.push_back(x.back() + Fraction(BigInt(1), BigInt(8)));
  }
  const Run run = execute(structure, Execution::real, x);
  const torchlean::Vector y = torchlean::evaluate(chain, x);
  REQUIRE(run.outputs.size() == y.size());
  torchlean::Effort effort;
  const torchlean::ChainBounds bounds = torchlean::lower_bounds(chain, {low, high}, &effort);
  for (std::size_t i = 0; i < y.size(); ++i) {
    CHECK(run.outputs[i].h.value == y[i]);
    CHECK(bounds.lower[i] <= y[i]);
    CHECK(bounds.lower[i] <= torchlean::evaluate(chain, bounds.lowest[i])[i]);
    CHECK(y[i] - bounds.lower[i] < Fraction(100));
  }
}
