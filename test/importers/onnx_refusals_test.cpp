// What is refused, by which name: one change to a small valid model at a time, so that each refusal has one cause.
#include <doctest/doctest.h>

#include <limits>

#include "onnx_builder.hpp"

using namespace onnx_test;

namespace {

// x [1,2] -> op -> y, with constants of several shapes at hand.
std::string refused(const std::string& op, const Names& in, const Attributes& attributes = {}, int opset = 13,
                    const Dims& x = {1, 2}, const Names& out = {"y"}) {
  Net net(opset);
  net.input("x", x)
      .output(out[0])
      .constant("c", {2}, {1, 2})
      .constant("z", {2}, {1, 0})
      .constant("m", {2, 2}, {1, 2, 3, 4});
  net.constant("k", {1, 1, 2}, {1, 1})
      .constant("cube", {2, 2, 2}, Floats(8, 1))
      .constant("nan", {}, {std::numeric_limits<float>::quiet_NaN()});
  net.constant("inf", {}, {std::numeric_limits<float>::infinity()})
      .constant("one", {1}, {1})
      .constant("empty", {0}, {})
      .list("i", {0})
      .list("ij", {0, 0});
  net.list("big", {5}).constant("scalar", {}, {2}).constant("minus", {2}, {-1, 1}).list("nothing", {}).list("two", {2});
  net.node(op, in, out, attributes);
  return refusal(net);
}

Net small() { return Net().input("x", {1, 2}).output("y").node("Relu", {"x"}, {"y"}); }

std::string changed(auto change) {
  Net net = small();
  change(net.model);
  return refusal(net);
}

}  // namespace

TEST_CASE("operators, attributes, operands that are not understood") {
  CHECK(refusal(small()) == "accepted");
  CHECK(refused("Selu", {"x"}) == "unsupported-operator");
  CHECK(refused("NoSuchThing", {"x"}) == "unsupported-operator");
  CHECK(refused("Expand", {"x", "i"}, {}, 7) == "unsupported-opset");
  CHECK(refused("Relu", {"x"}, {attr("negative_slope", 0.1f)}) == "unknown-attribute");
  CHECK(refused("Flatten", {"x"}, {attr("axis", 1.0f)}) == "bad-attribute");
  CHECK(refused("Flatten", {"x"}, {attr("axis", 1), attr("axis", 1)}) == "repeated-attribute");
  CHECK(refused("Clip", {"x"}, {attr("min", 0.0f)}, 11) == "unknown-attribute");  // an attribute until opset 10 only
  CHECK(refused("Dropout", {"x"}, {attr("ratio", 0.5f)}, 12) == "unknown-attribute");
  CHECK(refused("Relu", {"x", "x"}) == "bad-operands");
  CHECK(refused("Relu", {}) == "bad-operands");
  CHECK(refused("Add", {"x", ""}) == "missing-operand");
  CHECK(refused("Relu", {"x"}, {}, 13, {1, 2}, {"y", "extra"}) == "bad-outputs");
  CHECK(refused("Relu", {"undefined"}) == "unknown-tensor");
  CHECK(refused("Gemm", {"x", "m"}, {}, 9) == "bad-operands");  // C is optional since opset 11
}

TEST_CASE("arithmetic that is not supported") {
  CHECK(refused("Gelu", {"x"}, {attr("approximate", "exactly")}, 20) == "unsupported-attribute");
  CHECK(refused("Gelu", {"x"}, {}, 19) == "unsupported-opset");
  CHECK(refused("Tanh", {"i"}) == "bad-type");
  CHECK(refused("Mul", {"x", "i"}) == "bad-type");
  CHECK(refused("MatMul", {"x", "x"}, {}, 13, {2, 2}) == "nonlinear");
  CHECK(refused("Gemm", {"x", "x"}, {}, 13, {2, 2}) == "nonlinear");
  CHECK(refused("Div", {"x", "z"}) == "division-by-zero");
  CHECK(refused("Add", {"x", "i"}) == "bad-type");
  CHECK(refused("Add", {"x", "nan"}) == "not-finite");
  CHECK(refused("Mul", {"x", "inf"}) == "not-finite");
  CHECK(refused("Add", {"x", "cube"}) == "accepted");
  CHECK(refused("Add", {"x", "k"}, {}, 13, {3, 3}) == "shape-mismatch");
  CHECK(refused("LeakyRelu", {"x"}, {attr("alpha", 1.5f)}) == "unsupported-attribute");
  CHECK(refused("LeakyRelu", {"x"}, {attr("alpha", -0.1f)}) == "unsupported-attribute");
  CHECK(refused("LeakyRelu", {"x"}, {attr("alpha", std::numeric_limits<float>::quiet_NaN())}) ==
        "unsupported-attribute");
  CHECK(refused("Clip", {"x", "scalar", "one"}) == "bad-bounds");
  CHECK(refused("Clip", {"x", "nan"}) == "not-finite");
  CHECK(refused("Clip", {"x", "inf"}) == "not-finite");
  CHECK(refused("Clip", {"x", "", "inf"}) == "accepted");
  CHECK(refused("Clip", {"x", "c"}) == "bad-shape");
  CHECK(refused("Clip", {"x", "x"}) == "not-constant");
  CHECK(refused("Min", {"x", "c"}) == "not-constant");
  CHECK(refused("Equal", {"x", "c"}) == "not-constant");
  CHECK(refused("Relu", {"i"}) == "bad-type");
}

TEST_CASE("shapes and indices out of range") {
  CHECK(refused("Reshape", {"x", "big"}) == "shape-mismatch");
  CHECK(refused("Reshape", {"x", "c"}) == "not-constant");
  CHECK(refused("Flatten", {"x"}, {attr("axis", 3)}) == "bad-axis");
  CHECK(refused("Flatten", {"x"}, {attr("axis", INT64_MIN)}) == "bad-axis");
  CHECK(refused("Squeeze", {"x", "i"}, {}, 13, {2, 2}) == "bad-axis");
  CHECK(refused("Squeeze", {"x", "ij"}) == "bad-axis");
  // ONNX Runtime takes an empty list for none and drops every dimension of 1, the standard's evaluator drops none.
  CHECK(refused("Squeeze", {"x"}, {attr("axes", Ints{})}, 11, {1, 2, 1}) == "unsupported-attribute");
  CHECK(refused("Unsqueeze", {"x", "big"}) == "bad-axis");
  CHECK(refused("Unsqueeze", {"x"}, {}, 11) == "missing-attribute");
  CHECK(refused("Transpose", {"x"}, {attr("perm", Ints{0, 0})}) == "bad-axis");
  CHECK(refused("Transpose", {"x"}, {attr("perm", Ints{0})}) == "bad-axis");
  CHECK(refused("Concat", {"x", "x"}, {attr("axis", 2)}) == "bad-axis");
  CHECK(refused("Concat", {"x", "c"}, {attr("axis", 0)}) == "shape-mismatch");
  CHECK(refused("Concat", {"x", "x"}) == "missing-attribute");
  CHECK(refused("Gather", {"x", "big"}) == "bad-index");
  CHECK(refused("Gather", {"x", "c"}) == "not-constant");
  CHECK(refused("Slice", {"x", "i", "i"}) == "empty-tensor");
  CHECK(refused("Slice", {"x", "ij", "i"}) == "bad-slice");
  CHECK(refused("Slice", {"x", "i", "two", "i", "i"}) == "bad-slice");  // step 0
  CHECK(refused("Slice", {"x", "ij", "ij", "ij"}) == "bad-axis");
  CHECK(refused("Split", {"x", "big"}, {attr("axis", 1)}) == "bad-split");
  CHECK(refused("Split", {"x"}, {attr("axis", 1)}, 13, {1, 3}, {"y", "v"}) == "bad-split");
  CHECK(refused("Split", {"x"}, {}, 18) == "bad-split");
  CHECK(refused("Pad", {"x", "i"}) == "bad-pads");
  CHECK(refused("Pad", {"empty"}, {attr("pads", Ints{1, 0})}, 9) == "empty-tensor");
  CHECK(refused("Pad", {"x", "i"}, {attr("mode", "reflect")}) == "unsupported-attribute");
  CHECK(refused("Expand", {"x", "two"}, {}, 13, {3}) == "shape-mismatch");
  CHECK(refused("Expand", {"x", "big"}, {}, 13, {2}) == "shape-mismatch");
  CHECK(refused("ReduceSum", {"x", "big"}) == "bad-axis");
  CHECK(refused("ReduceMean", {"x"}, {attr("axes", Ints{0, -2})}) == "bad-axis");
}

TEST_CASE("products and windows that do not fit") {
  CHECK(refused("MatMul", {"x", "one"}) == "shape-mismatch");
  CHECK(refused("MatMul", {"x", "cube"}) == "unsupported-shape");
  CHECK(refused("MatMul", {"x", "scalar"}) == "bad-shape");
  CHECK(refused("Gemm", {"x", "cube"}) == "bad-shape");
  CHECK(refused("Gemm", {"x", "m"}, {attr("transA", 1)}) == "shape-mismatch");
  CHECK(refused("Gemm", {"x", "m", "cube"}) == "shape-mismatch");
  CHECK(refused("Gemm", {"x", "m", "m"}) == "shape-mismatch");  // C would enlarge the result
  CHECK(refused("Gemm", {"x", "m"}, {attr("alpha", std::numeric_limits<float>::infinity())}) == "not-finite");
  const Dims image{1, 1, 3};
  CHECK(refused("Conv", {"x", "k"}, {}, 13, image) == "accepted");
  CHECK(refused("Conv", {"x", "x"}, {}, 13, image) == "not-constant");
  CHECK(refused("Conv", {"x", "m"}, {}, 13, image) == "bad-shape");
  // Found by libFuzzer: sizes behind the second one were read of weights that have none.
  CHECK(refused("Conv", {"scalar", "scalar"}) == "unsupported-shape");
  CHECK(refused("Conv", {"one", "one"}) == "unsupported-shape");
  CHECK(refused("Conv", {"x", "m"}) == "unsupported-shape");
  CHECK(refused("Conv", {"x", "k", "c"}, {}, 13, image) == "bad-shape");
  CHECK(refused("Conv", {"x", "k"}, {attr("strides", Ints{0})}, 13, image) == "bad-attribute");
  CHECK(refused("Conv", {"x", "k"}, {attr("dilations", Ints{0})}, 13, image) == "bad-attribute");
  CHECK(refused("Conv", {"x", "k"}, {attr("pads", Ints{-1, 0})}, 13, image) == "bad-attribute");
  CHECK(refused("Conv", {"x", "k"}, {attr("pads", Ints{INT64_MAX, INT64_MAX})}, 13, image) == "bad-attribute");
  CHECK(refused("Conv", {"x", "k"}, {attr("pads", Ints{1, 1}), attr("auto_pad", "SAME_UPPER")}, 13, image) ==
        "bad-attribute");
  CHECK(refused("Conv", {"x", "k"}, {attr("pads", Ints{0, 0}), attr("auto_pad", "VALID")}, 13, image) ==
        "bad-attribute");
  CHECK(refused("Conv", {"x", "k"}, {attr("kernel_shape", Ints{3})}, 13, image) == "bad-attribute");
  CHECK(refused("Conv", {"x", "k"}, {attr("group", 2)}, 13, image) == "bad-attribute");
  CHECK(refused("Conv", {"x", "k"}, {attr("auto_pad", "SAME")}, 13, image) == "unsupported-attribute");
  CHECK(refused("Conv", {"x", "k"}, {}, 13, {1, 2, 3}) == "shape-mismatch");
  CHECK(refused("Conv", {"x", "k"}, {}, 13, {1, 1, 1}) == "bad-shape");
  CHECK(refused("MaxPool", {"x"}, {}, 13, image) == "missing-attribute");
  // ONNX Runtime leaves the dilation out of the padding of a pool, the standard does not: what is deployed is not
  // known.
  for (const char* mode : {"SAME_UPPER", "SAME_LOWER"})
    CHECK(refused("MaxPool", {"x"}, {attr("kernel_shape", Ints{2}), attr("dilations", Ints{2}), attr("auto_pad", mode)},
                  13, image) == "unsupported-attribute");
  CHECK(refused("MaxPool", {"x"},
                {attr("kernel_shape", Ints{2}), attr("dilations", Ints{1}), attr("auto_pad", "SAME_LOWER")}, 13,
                image) == "accepted");
  CHECK(refused("MaxPool", {"x"}, {attr("kernel_shape", Ints{2}), attr("storage_order", 1)}, 13, image) ==
        "unsupported-attribute");
  CHECK(refused("MaxPool", {"x"}, {attr("kernel_shape", Ints{2}), attr("strides", Ints{2}), attr("ceil_mode", 1)}, 13,
                image) == "unsupported-attribute");
  CHECK(refused("MaxPool", {"x"}, {attr("kernel_shape", Ints{2})}, 13, image, {"y", "indices"}) ==
        "unsupported-output");
  CHECK(refused("MaxPool", {"x"}, {attr("kernel_shape", Ints{1}), attr("pads", Ints{1, 0})}, 13, image) ==
        "bad-attribute");
  CHECK(refused("AveragePool", {"x"}, {attr("kernel_shape", Ints{1}), attr("pads", Ints{0, 1})}, 13, image) ==
        "bad-attribute");
  CHECK(refused("AveragePool", {"x"}, {attr("kernel_shape", Ints{1}), attr("dilations", Ints{1})}, 18, image) ==
        "unknown-attribute");
  CHECK(refused("GlobalAveragePool", {"x"}) == "unsupported-shape");
  const Names norm{"x", "c", "c", "c", "c"};
  CHECK(refused("BatchNormalization", norm) == "accepted");
  CHECK(refused("BatchNormalization", {"x", "c", "c", "c", "minus"}) == "bad-variance");
  CHECK(refused("BatchNormalization", {"x", "c", "c", "c", "z"}, {attr("epsilon", 0.0f)}) == "bad-variance");
  CHECK(refused("BatchNormalization", {"x", "one", "c", "c", "c"}) == "bad-shape");
  CHECK(refused("BatchNormalization", norm, {}, 13, {2}) == "bad-shape");
  CHECK(refused("BatchNormalization", norm, {attr("training_mode", 1)}, 15) == "training-mode");
  CHECK(refused("BatchNormalization", norm, {attr("spatial", 0)}, 7) == "unsupported-attribute");
  CHECK(refused("BatchNormalization", norm, {}, 9, {1, 2}, {"y", "mean"}) == "training-mode");
}

TEST_CASE("models that are refused as a whole") {
  using M = onnx::ModelProto;
  CHECK(changed([](M& m) { m.set_ir_version(2); }) == "unsupported-version");
  CHECK(changed([](M& m) { m.set_ir_version(12); }) == "unsupported-version");
  CHECK(changed([](M& m) { m.clear_ir_version(); }) == "unsupported-version");
  CHECK(changed([](M& m) { m.mutable_opset_import(0)->set_version(6); }) == "unsupported-opset");
  CHECK(changed([](M& m) { m.mutable_opset_import(0)->set_version(24); }) == "unsupported-opset");
  CHECK(changed([](M& m) { m.clear_opset_import(); }) == "unsupported-opset");
  CHECK(changed([](M& m) { *m.add_opset_import() = m.opset_import(0); }) == "accepted");
  CHECK(changed([](M& m) {
          auto* second = m.add_opset_import();
          second->set_domain("ai.onnx");
          second->set_version(12);
        }) == "unsupported-opset");
  CHECK(changed([](M& m) {
          auto* other = m.add_opset_import();
          other->set_domain("vendor");
          other->set_version(1);
        }) == "accepted");
  CHECK(changed([](M& m) { m.mutable_graph()->mutable_node(0)->set_domain("vendor"); }) == "unsupported-domain");
  CHECK(changed([](M& m) { m.mutable_graph()->mutable_node(0)->set_domain("ai.onnx"); }) == "accepted");
  CHECK(changed([](M& m) { m.add_functions()->set_name("f"); }) == "unsupported-function");
  CHECK(changed([](M& m) { m.add_training_info(); }) == "unsupported-training");
  CHECK(changed([](M& m) { m.mutable_graph()->add_sparse_initializer(); }) == "unsupported-type");
  CHECK(changed([](M& m) { m.mutable_graph()->add_quantization_annotation(); }) == "unsupported-quantization");
  CHECK(changed([](M& m) { m.clear_graph(); }) == "malformed");
  CHECK(changed([](M& m) { m.mutable_graph()->clear_output(); }) == "no-output");
  CHECK(changed([](M& m) { m.mutable_graph()->clear_input(); }) == "no-input");
  CHECK(changed([](M& m) { m.mutable_graph()->mutable_output(0)->set_name("nowhere"); }) == "unknown-tensor");
  CHECK(changed([](M& m) { *m.mutable_graph()->add_node() = m.graph().node(0); }) == "duplicate-name");
  CHECK(changed([](M& m) { *m.mutable_graph()->add_input() = m.graph().input(0); }) == "duplicate-name");
  CHECK(changed([](M& m) { m.mutable_graph()->mutable_node(0)->set_doc_string("text"); }) == "accepted");
}

TEST_CASE("types and shapes of inputs and outputs") {
  CHECK(refusal(Net().input("x", {1, 2}, onnx::TensorProto::FLOAT16).output("x")) == "unsupported-type");
  CHECK(refusal(Net().input("x", {1, 2}, onnx::TensorProto::INT64).output("x")) == "unsupported-type");
  CHECK(refusal(Net().input("x", {1}).input("z", {1}, onnx::TensorProto::DOUBLE).output("x")) == "unsupported-type");
  CHECK(refusal(Net().input("x", {0, 2}).output("x")) == "bad-shape");
  CHECK(refusal(Net().input("x", {1, -1}).output("x")) == "open-shape");
  CHECK(refusal(Net().input("x", {-1, 2}).output("x")) == "accepted");
  CHECK(refusal(Net().input("x", {1, 2}).output("x", {1, 3})) == "shape-mismatch");
  CHECK(refusal(Net().input("x", {1, 2}).output("x", {2})) == "shape-mismatch");
  CHECK(refusal(Net().input("x", {1, 2}).output("x", {1, -1})) == "accepted");
  CHECK(refusal(Net().input("x", {1, 2}).output_of_type("x", onnx::TensorProto::DOUBLE)) == "unsupported-type");
  CHECK(refusal(Net().input("x", {1, 2}).list("i", {1}).output("i")) == "unsupported-type");
  CHECK(refusal(Net().input("x", {1}).output("m").node("Dropout", {"x"}, {"y", "m"})) == "unsupported-type");
  CHECK(refusal(Net().input("x", {1}).output("y").node("Dropout", {"x"}, {"y", "m"})) == "accepted");
  CHECK(refusal(Net()
                    .input("x", {1})
                    .integers("t", {}, {1}, onnx::TensorProto::BOOL)
                    .output("y")
                    .node("Dropout", {"x", "", "t"}, {"y"})) == "training-mode");
}

TEST_CASE("shape overrides") {
  const Net open = Net().input("x", {-1, -2}).output("y").node("Relu", {"x"}, {"y"});
  const auto model = open.import({{"x", {1, 3}}});
  CHECK(model.graph.nodes[0].size == 3);
  REQUIRE(model.shape_overrides.size() == 1);
  CHECK(model.shape_overrides[0].second == Dims{1, 3});
  CHECK_THROWS_AS(open.import({{"nobody", {1}}}), outward::UsageError);
  CHECK_THROWS_AS(open.import({{"x", {1}}}), outward::UsageError);
  CHECK_THROWS_AS(small().import({{"x", {1, 3}}}), outward::UsageError);
  CHECK_NOTHROW(small().import({{"x", {1, 2}}}));
}

TEST_CASE("all blockers of a model are named at once, with their places") {
  Net net;
  net.input("x", {1, 2}).output("y").node("Selu", {"x"}, {"t"}).node("Relu", {"t"}, {"r"}, {attr("slope", 1.0f)});
  net.node("MatMul", {"x", "x"}, {"m"}).node("Softmax", {"m"}, {"s"}).node("Add", {"r", "s"}, {"y"});
  net.model.mutable_graph()->mutable_node(2)->set_name("square");
  const auto list = blockers(net);
  REQUIRE(list.size() == 4);
  CHECK(list[0].code == "unsupported-operator");
  CHECK(list[1].code == "unknown-attribute");
  CHECK(list[2].where == "node 2 'square' (MatMul, opset 13)");
  CHECK(list[3].where == "node 3 (Softmax, opset 13)");
  // An input that is refused does not hide what is wrong with the nodes.
  CHECK(refusal(Net().input("x", {1, -1}).output("y").node("Selu", {"x"}, {"y"})) == "open-shape unsupported-operator");
}

TEST_CASE("tensors with damaged data") {
  const auto damaged = [](auto change) {
    Net net = small();
    auto* t = net.model.mutable_graph()->add_initializer();
    *t = tensor("w", {2}, Floats{1, 2});
    change(*t);
    return refusal(net);
  };
  using T = onnx::TensorProto;
  CHECK(damaged([](T&) {}) == "accepted");
  CHECK(damaged([](T& t) { t.add_float_data(3); }) == "bad-tensor");
  CHECK(damaged([](T& t) { t.add_int32_data(3); }) == "bad-tensor");
  CHECK(damaged([](T& t) { t.set_raw_data("12345678"); }) == "bad-tensor");
  CHECK(damaged([](T& t) { t.set_dims(0, -2); }) == "bad-shape");
  CHECK(damaged([](T& t) { t.set_data_type(T::STRING); }) == "unsupported-type");
  CHECK(damaged([](T& t) { t.set_data_type(T::DOUBLE); }) == "bad-tensor");
  CHECK(damaged([](T& t) { t.mutable_segment()->set_begin(0); }) == "bad-tensor");
  CHECK(damaged([](T& t) { t.clear_name(); }) == "bad-name");
  CHECK(damaged([](T& t) { t = tensor("w", {1}, Ints{2}, T::BOOL); }) == "bad-tensor");
  CHECK(damaged([](T& t) { t = tensor("w", {1}, Ints{300}, T::INT8); }) == "bad-tensor");
  CHECK(damaged([](T& t) {
          t.Clear();
          t.set_name("w");
          t.set_data_type(T::DOUBLE);
          t.add_double_data(1);
          t.add_dims(1);
        }) == "unsupported-type");
  CHECK(damaged([](T& t) {
          t.Clear();
          t.set_name("w");
          t.set_data_type(T::UINT64);
          t.add_uint64_data(UINT64_MAX);
          t.add_dims(1);
        }) == "bad-tensor");
}
