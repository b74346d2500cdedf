// The exact nodes certificates/FORMAT.md section 2 prescribes, written by hand from that page, operator by operator.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>

#include "onnx_builder.hpp"

using namespace onnx_test;
using outward::Graph;
using outward::Kind;

namespace {

template <typename T>
void list(std::ostream& out, const std::vector<T>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) out << (i == 0 ? "" : ",") << values[i];
}

// "kind(operands)[ints]{payload}" for nodes 1, 2, ..., then the output node if it is not the last one.
std::string dump(const Graph& graph) {
  std::ostringstream out;
  for (std::size_t i = 1; i < graph.nodes.size(); ++i) {
    const auto& node = graph.nodes[i];
    out << (i == 1 ? "" : " ") << outward::kind_name(node.kind) << '(';
    list(out, node.operands);
    out << ')';
    if (!node.ints.empty()) list(out << '[', node.ints), out << ']';
    if (!node.payload.empty()) list(out << '{', node.payload), out << '}';
  }
  if (graph.output + 1 != graph.nodes.size()) out << " -> " << graph.output;
  return out.str();
}

std::string lower(const Net& net) { return dump(net.import().graph); }

// One operator on input x of the given shape.
Net unary(const std::string& op, const Dims& dims, const Attributes& attributes = {}, int opset = 13) {
  Net net(opset);
  net.input("x", dims).output("y").node(op, {"x"}, {"y"}, attributes);
  return net;
}

}  // namespace

TEST_CASE("operators that emit nothing") {
  CHECK(lower(unary("Identity", {1, 2})) == "");
  CHECK(lower(unary("Flatten", {2, 3, 4})) == "");
  CHECK(lower(unary("Dropout", {1, 2}, {attr("seed", 1)})) == "");
  CHECK(lower(unary("Dropout", {1, 2}, {attr("ratio", 0.5f)}, 10)) == "");
  CHECK(lower(unary("Cast", {1, 2}, {attr("to", 1)})) == "");
  CHECK(lower(unary("Squeeze", {1, 2, 1})) == "");
  CHECK(lower(unary("Squeeze", {1, 2, 1}, {attr("axes", Ints{2})}, 11)) == "");
  CHECK(lower(unary("Unsqueeze", {2}, {attr("axes", Ints{0, 2})}, 11)) == "");
  CHECK(lower(Net().input("x", {2, 3}).output("y", {3, 2}).list("s", {3, -1}).node("Reshape", {"x", "s"}, {"y"})) ==
        "");
  CHECK(
      lower(Net().input("x", {2, 3}).output("y", {2, 3, 1}).list("s", {0, 0, 1}).node("Reshape", {"x", "s"}, {"y"})) ==
      "");
  CHECK(lower(Net().input("x", {2}).output("y", {1, 2}).list("a", {0}).node("Unsqueeze", {"x", "a"}, {"y"})) == "");
}

TEST_CASE("index operators emit one map, identities none") {
  CHECK(lower(unary("Transpose", {2, 3})) == "map(0)[0,3,1,4,2,5]");
  CHECK(lower(unary("Transpose", {1, 3})) == "");
  CHECK(lower(unary("Transpose", {1, 2, 2}, {attr("perm", Ints{2, 0, 1})})) == "map(0)[0,2,1,3]");
  const Net slice = Net()
                        .input("x", {4})
                        .output("y", {2})
                        .list("s", {3})
                        .list("e", {INT64_MIN})
                        .list("a", {0})
                        .list("t", {-2})
                        .node("Slice", {"x", "s", "e", "a", "t"}, {"y"});
  CHECK(lower(slice) == "map(0)[3,1]");
  CHECK(lower(unary("Slice", {2, 3}, {attr("starts", Ints{1}), attr("ends", Ints{1000}), attr("axes", Ints{1})}, 9)) ==
        "map(0)[1,2,4,5]");
  CHECK(lower(Net().input("x", {4}).output("a").output("b").node("Split", {"x"}, {"a", "b"})) ==
        "map(0)[0,1] map(0)[2,3] map(1,2)[0,1,2,3]");
  CHECK(lower(Net(18).input("x", {3}).output("a").output("b").node(
            "Split", {"x"}, {"a", "b"}, {attr("num_outputs", 2)})) == "map(0)[0,1] map(0)[2] map(1,2)[0,1,2]");
  CHECK(lower(Net()
                  .input("x", {2, 2})
                  .output("y", {2, 1})
                  .list("i", {-1})
                  .node("Gather", {"x", "i"}, {"y"}, {attr("axis", 1)})) == "map(0)[1,3]");
  CHECK(lower(Net().input("x", {2}).output("y", {2, 2}).list("s", {2, 1}).node("Expand", {"x", "s"}, {"y"})) ==
        "map(0)[0,1,0,1]");
  CHECK(lower(Net().input("x", {1, 2}).output("y", {2, 2}).node("Concat", {"x", "x"}, {"y"}, {attr("axis", 0)})) ==
        "map(0,0)[0,1,2,3]");
  CHECK(lower(Net().input("x", {1, 2}).output("y").node("Concat", {"x"}, {"y"}, {attr("axis", 0)})) == "");
  CHECK(lower(Net()
                  .input("x", {2, 1})
                  .constant("c", {2, 1}, {5, 6})
                  .output("y")
                  .node("Concat", {"c", "x", "c"}, {"y"}, {attr("axis", 1)})) ==
        "const(){5,6} const(){5,6} map(1,0,2)[0,2,4,1,3,5]");
}

TEST_CASE("Pad") {
  const auto pad = [](const Ints& pads) {
    return Net().input("x", {2}).output("y").list("p", pads).constant("v", {}, {7}).node("Pad", {"x", "p", "v"}, {"y"});
  };
  CHECK(lower(pad({1, 0})) == "const(){7} map(0,1)[2,0,1]");
  CHECK(lower(pad({-1, 0})) == "map(0)[1]");
  CHECK(lower(pad({-1, 2})) == "const(){7} map(0,1)[1,2,2]");
  CHECK(lower(pad({0, 0})) == "");
  CHECK(lower(unary("Pad", {1, 1}, {attr("pads", Ints{0, 1, 0, 0}), attr("value", 2.0f)}, 9)) ==
        "const(){2} map(0,1)[1,0]");
  CHECK(lower(Net(18)
                  .input("x", {1, 2})
                  .output("y")
                  .list("p", {1, 0})
                  .list("a", {-1})
                  .node("Pad", {"x", "p", "", "a"}, {"y"})) == "const(){0} map(0,1)[2,0,1]");
}

TEST_CASE("Add, Sub, Mul, Div with every kind of operand") {
  const auto binary = [](const char* op, const char* a, const char* b) {
    return lower(Net()
                     .input("x", {1, 2})
                     .constant("c", {}, {3})
                     .constant("d", {2}, {4, 5})
                     .output("y")
                     .node("Transpose", {"x"}, {"t"})
                     .node(op, {a, b}, {"y"}));
  };
  CHECK(binary("Add", "x", "x") == "add(0,0)[0]");
  CHECK(binary("Add", "x", "t") == "map(0)[0,1,0,1] map(0)[0,0,1,1] add(1,2)[0]");
  CHECK(binary("Add", "x", "c") == "shift(0){3,3}");
  CHECK(binary("Add", "d", "x") == "shift(0){4,5}");
  CHECK(binary("Add", "t", "d") == "map(0)[0,0,1,1] shift(1){4,5,4,5}");
  CHECK(binary("Add", "c", "d") == "const(){3,3} shift(1){4,5}");
  CHECK(binary("Sub", "x", "x") == "add(0,0)[1]");
  CHECK(binary("Sub", "x", "c") == "shift(0){-3,-3}");
  CHECK(binary("Sub", "c", "x") == "neg(0) shift(1){3,3}");
  CHECK(binary("Sub", "d", "t") == "map(0)[0,0,1,1] neg(1) shift(2){4,5,4,5}");
  CHECK(binary("Sub", "c", "d") == "const(){3,3} shift(1){-4,-5}");
  CHECK(binary("Mul", "x", "c") == "scale(0){3,3}");
  CHECK(binary("Mul", "d", "x") == "scale(0){4,5}");
  CHECK(binary("Mul", "d", "c") == "const(){4,5} scale(1){3,3}");
  CHECK(binary("Div", "x", "d") == "divide(0){4,5}");
  CHECK(binary("Div", "c", "d") == "const(){3,3} divide(1){4,5}");
  // Minus zero keeps its sign bit flipped.
  const Graph graph =
      Net().input("x", {1}).constant("z", {1}, {0.0f}).output("y").node("Sub", {"x", "z"}, {"y"}).import().graph;
  CHECK(std::signbit(graph.nodes[1].payload[0]));
}

TEST_CASE("unary float operators") {
  CHECK(lower(unary("Neg", {2})) == "neg(0)");
  CHECK(lower(unary("Relu", {2})) == "relu(0)");
  CHECK(lower(unary("Abs", {2})) == "abs(0)");
  CHECK(unary("LeakyRelu", {2}).import().graph.nodes[1].payload == std::vector<double>{static_cast<double>(0.01f)});
  CHECK(lower(unary("LeakyRelu", {2}, {attr("alpha", 0.5f)})) == "leaky(0){0.5}");
  CHECK(lower(Net().input("x", {2}).constant("c", {2}, {1, 2}).output("y").node("Relu", {"c"}, {"y"})) ==
        "const(){1,2} relu(1)");
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  CHECK(unary("Clip", {1}, {attr("min", -1.0f)}, 9).import().graph.nodes[1].payload == std::vector<double>{-1, most});
  const Net clip = Net()
                       .input("x", {1})
                       .constant("hi", {}, {std::numeric_limits<float>::infinity()})
                       .output("y")
                       .node("Clip", {"x", "", "hi"}, {"y"});
  CHECK(clip.import().graph.nodes[1].payload == std::vector<double>{-most, most});
}

TEST_CASE("MatMul") {
  const auto matmul = [](const Dims& x, const Dims& c, bool constant_first) {
    std::int64_t count = 1;
    for (auto d : c) count *= d;
    Floats values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i + 1));
    Net net;
    net.input("x", x)
        .constant("c", c, values)
        .output("y")
        .node("MatMul", constant_first ? Names{"c", "x"} : Names{"x", "c"}, {"y"});
    return lower(net);
  };
  CHECK(matmul({1, 2}, {2, 3}, false) == "dense(0)[1,2,3,0]{1,4,2,5,3,6}");
  CHECK(matmul({2}, {2, 1}, false) == "dense(0)[1,2,1,0]{1,2}");
  CHECK(matmul({3, 2}, {2}, false) == "dense(0)[3,2,1,0]{1,2}");
  CHECK(matmul({2, 3, 2}, {1, 2, 2}, false) == "dense(0)[6,2,2,0]{1,3,2,4}");
  CHECK(matmul({2}, {2, 2}, true) == "dense(0)[1,2,2,0]{1,2,3,4}");
  CHECK(matmul({2, 1}, {2, 2}, true) == "dense(0)[1,2,2,0]{1,2,3,4}");
  CHECK(matmul({1, 2}, {2, 1}, true) == "dense(0)[2,1,2,0]{1,2} map(1)[0,2,1,3]");
  CHECK(matmul({2, 2}, {1, 2}, true) == "map(0)[0,2,1,3] dense(1)[2,2,1,0]{1,2}");
  CHECK(matmul({2, 2}, {2}, true) == "map(0)[0,2,1,3] dense(1)[2,2,1,0]{1,2}");
  CHECK(matmul({2, 2, 1}, {1, 2, 2}, true) == "dense(0)[2,2,2,0]{1,2,3,4}");
  CHECK(lower(Net()
                  .input("x", {1})
                  .constant("a", {1, 2}, {1, 2})
                  .constant("b", {2, 1}, {3, 4})
                  .output("y")
                  .node("MatMul", {"a", "b"}, {"y"})) == "const(){1,2} dense(1)[1,2,1,0]{3,4}");
}

TEST_CASE("Gemm") {
  const auto gemm = [](const Names& in, const Attributes& attributes, const Dims& x = {1, 2}) {
    Net net;
    net.input("x", x).output("y").constant("W", {2, 2}, {1, 2, 3, 4}).constant("r", {2}, {5, 6}).constant("s", {}, {7});
    net.constant("m", {2, 2}, {1, 2, 3, 4}).node("Gemm", in, {"y"}, attributes);
    return lower(net);
  };
  CHECK(gemm({"x", "W"}, {}) == "dense(0)[1,2,2,0]{1,3,2,4}");
  CHECK(gemm({"x", "W", ""}, {attr("transB", 1)}) == "dense(0)[1,2,2,0]{1,2,3,4}");
  CHECK(gemm({"x", "W", "r"}, {attr("transB", 1)}) == "dense(0)[1,2,2,1]{1,2,3,4,5,6}");
  CHECK(gemm({"x", "W", "s"}, {attr("transB", 1)}) == "dense(0)[1,2,2,1]{1,2,3,4,7,7}");
  CHECK(gemm({"x", "W", "r"}, {attr("beta", 0.0f)}) == "dense(0)[1,2,2,0]{1,3,2,4}");
  CHECK(gemm({"x", "W"}, {attr("alpha", 2.0f)}) == "dense(0)[1,2,2,0]{1,3,2,4} scale(1){2,2}");
  CHECK(gemm({"x", "W", "r"}, {attr("alpha", 2.0f)}) == "dense(0)[1,2,2,0]{1,3,2,4} scale(1){2,2} shift(2){5,6}");
  CHECK(gemm({"x", "W", "r"}, {attr("beta", 2.0f)}) ==
        "dense(0)[1,2,2,0]{1,3,2,4} const(){5,6} scale(2){2,2} add(1,3)[0]");
  CHECK(gemm({"x", "W", "x"}, {attr("beta", 2.0f)}) == "dense(0)[1,2,2,0]{1,3,2,4} scale(0){2,2} add(1,2)[0]");
  CHECK(gemm({"x", "W", "x"}, {}) == "dense(0)[1,2,2,0]{1,3,2,4} add(1,0)[0]");
  CHECK(gemm({"x", "W", "m"}, {}, {2, 2}) == "dense(0)[2,2,2,0]{1,3,2,4} shift(1){1,2,3,4}");
  CHECK(gemm({"x", "W"}, {attr("transA", 1)}, {2, 1}) == "dense(0)[1,2,2,0]{1,3,2,4}");
  CHECK(gemm({"x", "W"}, {attr("transA", 1)}, {2, 2}) == "map(0)[0,2,1,3] dense(1)[2,2,2,0]{1,3,2,4}");
  CHECK(gemm({"W", "x"}, {attr("transB", 1)}) == "dense(0)[1,2,2,0]{1,2,3,4}");
  CHECK(gemm({"W", "x"}, {}, {2, 2}) == "map(0)[0,2,1,3] dense(1)[2,2,2,0]{1,2,3,4} map(2)[0,2,1,3]");
  CHECK(gemm({"W", "x", "r"}, {attr("transA", 1), attr("transB", 1)}, {2, 2}) ==
        "dense(0)[2,2,2,0]{1,3,2,4} map(1)[0,2,1,3] shift(2){5,6,5,6}");
  CHECK(gemm({"W", "m", "x"}, {attr("transA", 1)}) ==
        "const(){1,2,3,4} map(1)[0,2,1,3] dense(2)[2,2,2,0]{1,3,2,4} map(0)[0,1,0,1] add(3,4)[0]");
}

TEST_CASE("Conv") {
  const auto conv = [](const Dims& x, const Dims& w, const Attributes& attributes, bool bias = false) {
    std::int64_t count = 1;
    for (auto d : w) count *= d;
    Net net;
    net.input("x", x)
        .output("y")
        .constant("w", w, Floats(static_cast<std::size_t>(count), 1))
        .constant("b", {w[0]}, Floats(static_cast<std::size_t>(w[0]), 2));
    net.node("Conv", bias ? Names{"x", "w", "b"} : Names{"x", "w"}, {"y"}, attributes);
    const Graph graph = net.import().graph;
    std::ostringstream out;
    list(out, graph.nodes[1].ints);
    return out.str();
  };
  CHECK(conv({1, 1, 3, 4}, {1, 1, 2, 2}, {}) == "1,1,3,4,1,2,2,1,1,0,0,0,0,1,1,1,2,3,0");
  CHECK(conv({1, 2, 5}, {4, 1, 3},
             {attr("group", 2), attr("pads", Ints{1, 2}), attr("strides", Ints{2}), attr("dilations", Ints{2})},
             true) == "1,2,1,5,4,1,3,1,2,0,1,0,2,1,2,2,1,2,1");
  const auto same = [&](const char* mode) {
    return conv({1, 1, 4, 5}, {1, 1, 2, 4}, {attr("auto_pad", mode), attr("strides", Ints{1, 2})});
  };
  CHECK(same("SAME_UPPER") == "1,1,4,5,1,2,4,1,2,0,1,1,2,1,1,1,4,3,0");
  CHECK(same("SAME_LOWER") == "1,1,4,5,1,2,4,1,2,1,2,0,1,1,1,1,4,3,0");
  CHECK(same("VALID") == "1,1,4,5,1,2,4,1,2,0,0,0,0,1,1,1,3,1,0");
  CHECK(same("NOTSET") == "1,1,4,5,1,2,4,1,2,0,0,0,0,1,1,1,3,1,0");
}

TEST_CASE("pooling") {
  CHECK(lower(unary("AveragePool", {1, 1, 3}, {attr("kernel_shape", Ints{2}), attr("pads", Ints{1, 0})})) ==
        "const(){0} map(0,1)[3,0,0,1,1,2] reduce(2)[2,1,2,2]");
  CHECK(lower(unary("AveragePool", {1, 1, 3},
                    {attr("kernel_shape", Ints{2}), attr("pads", Ints{1, 0}), attr("count_include_pad", 1)})) ==
        "const(){0} map(0,1)[3,0,0,1,1,2] reduce(2)[2,2,2,2]");
  CHECK(lower(unary("AveragePool", {1, 1, 2, 2}, {attr("kernel_shape", Ints{2, 2})})) == "reduce(0)[4,4]");
  CHECK(lower(unary("GlobalAveragePool", {1, 2, 2, 2})) == "reduce(0)[4,4,4]");
  CHECK(lower(unary("MaxPool", {1, 1, 3}, {attr("kernel_shape", Ints{2}), attr("pads", Ints{1, 1})})) ==
        "map(0)[0,0,0,1,1,2,2,2] max(1)[2]");
  CHECK(lower(unary("MaxPool", {1, 1, 2, 4},
                    {attr("kernel_shape", Ints{2, 2}), attr("strides", Ints{2, 2}), attr("ceil_mode", 1)})) ==
        "map(0)[0,1,4,5,2,3,6,7] max(1)[4]");
  CHECK(lower(unary("MaxPool", {1, 1, 5}, {attr("kernel_shape", Ints{2}), attr("dilations", Ints{3})})) ==
        "map(0)[0,3,1,4] max(1)[2]");
}

TEST_CASE("ReduceSum and ReduceMean") {
  CHECK(lower(unary("ReduceSum", {2, 2}, {attr("axes", Ints{0})}, 11)) == "map(0)[0,2,1,3] reduce(1)[2,1,1]");
  CHECK(lower(unary("ReduceMean", {2, 2}, {attr("axes", Ints{1})})) == "reduce(0)[2,2,2]");
  CHECK(lower(unary("ReduceMean", {1, 2, 2}, {attr("axes", Ints{-1, -3}), attr("keepdims", 0)})) == "reduce(0)[2,2,2]");
  CHECK(lower(unary("ReduceSum", {2, 2})) == "reduce(0)[4,1]");
  CHECK(lower(unary("ReduceSum", {2, 2}, {attr("noop_with_empty_axes", 1)})) == "");
}

TEST_CASE("BatchNormalization") {
  Net net;
  net.input("x", {1, 2, 2})
      .output("y")
      .constant("s", {2}, {1, 2})
      .constant("b", {2}, {3, 4})
      .constant("m", {2}, {5, 6})
      .constant("v", {2}, {7, 8});
  net.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"}, {attr("epsilon", 0.5f), attr("momentum", 0.9f)});
  CHECK(lower(net) == "bn(0)[2,2]{1,2,3,4,5,6,7,8,0.5}");
}

TEST_CASE("several inputs and outputs, constant outputs, unused nodes") {
  CHECK(lower(Net().input("a", {2}).input("b", {1}).output("y").node("Add", {"a", "b"}, {"y"})) ==
        "map(0)[0,1] map(0)[2] map(2)[0,0] add(1,3)[0]");
  CHECK(lower(Net().input("a", {2}).input("b", {1}).output("b").output("c").constant("c", {1}, {9})) ==
        "map(0)[2] const(){9} map(1,2)[0,1]");
  CHECK(lower(Net().input("x", {1}).constant("c", {2}, {8, 9}).output("c")) == "const(){8,9}");
  CHECK(lower(Net().input("x", {2}).output("x")) == "");
  CHECK(lower(Net().input("x", {1}).output("y").node("Neg", {"x"}, {"unused"}).node("Relu", {"x"}, {"y"})) ==
        "relu(0)");
}

TEST_CASE("a binary64 model") {
  Net net;
  net.input("x", {1}, onnx::TensorProto::DOUBLE).output_of_type("y", onnx::TensorProto::DOUBLE);
  onnx::TensorProto t;
  t.set_name("c");
  t.set_data_type(onnx::TensorProto::DOUBLE);
  t.add_dims(1);
  t.add_double_data(0.1);
  net.constant(t).node("Add", {"x", "c"}, {"z"}).node("LeakyRelu", {"z"}, {"w"}).node("Clip", {"w"}, {"y"});
  const Graph graph = net.import().graph;
  CHECK(graph.element == outward::ElementType::binary64);
  CHECK(graph.nodes[1].payload[0] == 0.1);
  CHECK(graph.nodes[2].payload[0] == static_cast<double>(0.01f));  // the attribute is a binary32 number
  CHECK(graph.nodes[3].payload[1] == std::numeric_limits<double>::max());
}
