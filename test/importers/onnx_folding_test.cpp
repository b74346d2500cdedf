// Integer and shape folding: exact results, exact refusals. The folded integers are made visible by casting them to
// float and adding them to the input.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "onnx_builder.hpp"

using namespace onnx_test;

namespace {

// Integer constants a, b (int64) and p, q (bool) and the float input x of one element; `op` makes "r" from them.
std::vector<double> fold(const std::string& op, const Names& in, const std::vector<Ints>& constants,
                         const Attributes& attributes = {}, int opset = 13, int type = onnx::TensorProto::INT64) {
  Net net(opset);
  net.input("x", {1}).output("y");
  for (std::size_t i = 0; i < constants.size(); ++i) {
    net.integers(std::string(1, static_cast<char>('a' + i)), {static_cast<std::int64_t>(constants[i].size())},
                 constants[i], type);
  }
  net.node(op, in, {"r"}, attributes).node("Cast", {"r"}, {"f"}, {attr("to", 1)}).node("Add", {"x", "f"}, {"y"});
  const auto graph = net.import().graph;
  return graph.nodes.back().payload;
}

std::string fold_refusal(const std::string& op, const Names& in, const std::vector<Ints>& constants,
                         const Attributes& attributes = {}, int opset = 13, int type = onnx::TensorProto::INT64) {
  try {
    fold(op, in, constants, attributes, opset, type);
    return "accepted";
  } catch (const outward::InputRefused& refused) {
    return refused.blockers.at(0).code;
  }
}

using R = std::vector<double>;
constexpr std::int64_t least = INT64_MIN, greatest = INT64_MAX;

}  // namespace

TEST_CASE("integer arithmetic") {
  CHECK(fold("Add", {"a", "b"}, {{1, 2}, {10}}) == R{11, 12});
  CHECK(fold("Sub", {"a", "b"}, {{1, 2}, {10}}) == R{-9, -8});
  CHECK(fold("Mul", {"a", "b"}, {{3}, {-4, 5}}) == R{-12, 15});
  CHECK(fold("Div", {"a", "b"}, {{7, -7, 7, -7}, {2, 2, -2, -2}}) == R{3, -3, -3, 3});  // truncates
  CHECK(fold("Mod", {"a", "b"}, {{7, -7, 7, -7}, {3, 3, -3, -3}}) == R{1, 2, -2, -1});
  CHECK(fold("Mod", {"a", "b"}, {{7, -7, 7, -7}, {3, 3, -3, -3}}, {attr("fmod", 1)}) == R{1, -1, 1, -1});
  CHECK(fold("Neg", {"a"}, {{3, -4}}) == R{-3, 4});
  CHECK(fold("Abs", {"a"}, {{3, -4}}) == R{3, 4});
  CHECK(fold("Min", {"a", "b"}, {{3, 9}, {5}}) == R{3, 5});
  CHECK(fold("Max", {"a", "b", "a"}, {{3, 9}, {5}}) == R{5, 9});
}

TEST_CASE("integer overflow is refused, in the width of the type") {
  CHECK(fold_refusal("Add", {"a", "b"}, {{greatest}, {1}}) == "integer-overflow");
  CHECK(fold_refusal("Sub", {"a", "b"}, {{least}, {1}}) == "integer-overflow");
  CHECK(fold_refusal("Mul", {"a", "b"}, {{greatest}, {2}}) == "integer-overflow");
  CHECK(fold_refusal("Neg", {"a"}, {{least}}) == "integer-overflow");
  CHECK(fold_refusal("Abs", {"a"}, {{least}}) == "integer-overflow");
  CHECK(fold_refusal("Div", {"a", "b"}, {{least}, {-1}}) == "integer-overflow");
  CHECK(fold_refusal("Mod", {"a", "b"}, {{least}, {-1}}) == "integer-overflow");
  CHECK(fold_refusal("Div", {"a", "b"}, {{1}, {0}}) == "division-by-zero");
  CHECK(fold_refusal("Mod", {"a", "b"}, {{1}, {0}}) == "division-by-zero");
  const int int32 = onnx::TensorProto::INT32;
  CHECK(fold_refusal("Add", {"a", "b"}, {{INT32_MAX}, {1}}, {}, 13, int32) == "integer-overflow");
  CHECK(fold("Add", {"a", "b"}, {{1 << 20}, {1}}, {}, 13, int32) == R{1048577});
  CHECK(fold_refusal("Sub", {"a", "b"}, {{1}, {2}}, {}, 14, onnx::TensorProto::UINT8) == "integer-overflow");
  CHECK(fold_refusal("ReduceProd", {"a"}, {{greatest, 2}}) == "integer-overflow");
}

TEST_CASE("comparisons and logic") {
  CHECK(fold("Equal", {"a", "b"}, {{1, 2}, {2}}) == R{0, 1});
  CHECK(fold("Greater", {"a", "b"}, {{1, 2, 3}, {2}}) == R{0, 0, 1});
  CHECK(fold("Less", {"a", "b"}, {{1, 2, 3}, {2}}) == R{1, 0, 0});
  CHECK(fold("GreaterOrEqual", {"a", "b"}, {{1, 2, 3}, {2}}) == R{0, 1, 1});
  CHECK(fold("LessOrEqual", {"a", "b"}, {{1, 2, 3}, {2}}) == R{1, 1, 0});
  const int boolean = onnx::TensorProto::BOOL;
  CHECK(fold("And", {"a", "b"}, {{0, 1, 0, 1}, {0, 0, 1, 1}}, {}, 13, boolean) == R{0, 0, 0, 1});
  CHECK(fold("Or", {"a", "b"}, {{0, 1, 0, 1}, {0, 0, 1, 1}}, {}, 13, boolean) == R{0, 1, 1, 1});
  CHECK(fold("Not", {"a"}, {{0, 1}}, {}, 13, boolean) == R{1, 0});
  CHECK(fold_refusal("And", {"a", "b"}, {{1}, {1}}) == "bad-type");
  CHECK(fold_refusal("Add", {"a", "b"}, {{1}, {1}}, {}, 13, boolean) == "bad-type");
}

TEST_CASE("Range and reductions") {
  const auto range = [](std::int64_t start, std::int64_t limit, std::int64_t delta) {
    Net net;
    net.input("x", {1}).output("y").integers("s", {}, {start}).integers("l", {}, {limit}).integers("d", {}, {delta});
    net.node("Range", {"s", "l", "d"}, {"r"})
        .node("Cast", {"r"}, {"f"}, {attr("to", 1)})
        .node("Add", {"x", "f"}, {"y"});
    return net;
  };
  CHECK(range(0, 5, 2).import().graph.nodes.back().payload == R{0, 2, 4});
  CHECK(range(5, 0, -2).import().graph.nodes.back().payload == R{5, 3, 1});
  CHECK(range(1, 2, 100).import().graph.nodes.back().payload == R{1});
  CHECK(refusal(range(0, 5, 0)) == "bad-range");
  CHECK(refusal(range(least, greatest, 1)) == "over-limit");
  CHECK(refusal(range(0, 5, -1)) == "empty-tensor");  // adding nothing to x has no elements
  CHECK(fold("ReduceSum", {"a"}, {{1, 2, 3}}, {attr("keepdims", 0)}) == R{6});
  CHECK(fold("ReduceProd", {"a"}, {{2, 3, 4}}) == R{24});
  CHECK(fold("ReduceMin", {"a"}, {{2, -3, 4}}) == R{-3});
  CHECK(fold("ReduceMax", {"a"}, {{2, -3, 4}}, {attr("axes", Ints{0})}) == R{4});
  CHECK(fold("ReduceMax", {"a"}, {{2, -3, 4}}, {attr("noop_with_empty_axes", 1)}, 18) == R{2, -3, 4});
}

TEST_CASE("shapes of computed values are constants") {
  Net net;
  net.input("x", {-1, 3, 4}).output("y", {1, 12}).node("Shape", {"x"}, {"s"}).list("zero", {0}).list("minus", {-1});
  net.node("Gather", {"s", "zero"}, {"batch"})
      .node("Concat", {"batch", "minus"}, {"t"}, {attr("axis", 0)})
      .node("Reshape", {"x", "t"}, {"y"});
  CHECK(net.import().graph.nodes.size() == 1);

  Net sizes(15);
  sizes.input("x", {2, 3}).output("y").node("Shape", {"x"}, {"s"}, {attr("start", -1)}).node("Size", {"x"}, {"n"});
  sizes.node("Mul", {"s", "n"}, {"r"}).node("Cast", {"r"}, {"f"}, {attr("to", 1)}).node("Add", {"x", "f"}, {"y"});
  CHECK(sizes.import().graph.nodes.back().payload == R(6, 18));
}

TEST_CASE("ConstantOfShape, Where, Constant") {
  Net net;
  net.input("x", {2}).output("y").list("s", {2}).node("ConstantOfShape", {"s"}, {"c"},
                                                      {attr("value", tensor("", {1}, Floats{3}))});
  net.node("ConstantOfShape", {"s"}, {"z"}).integers("p", {2}, {0, 1}, onnx::TensorProto::BOOL);
  net.node("Where", {"p", "c", "z"}, {"w"}).node("Add", {"x", "w"}, {"y"});
  CHECK(net.import().graph.nodes.back().payload == R{0, 3});

  Net integers;
  integers.input("x", {1})
      .output("y")
      .integers("p", {2}, {0, 1}, onnx::TensorProto::BOOL)
      .list("a", {1, 2})
      .list("b", {5});
  integers.node("Where", {"p", "a", "b"}, {"w"})
      .node("Cast", {"w"}, {"f"}, {attr("to", 1)})
      .node("Add", {"x", "f"}, {"y"});
  CHECK(integers.import().graph.nodes.back().payload == R{5, 2});
  Net computed;
  computed.input("x", {2})
      .output("y")
      .integers("p", {2}, {0, 1}, onnx::TensorProto::BOOL)
      .node("Where", {"p", "x", "x"}, {"y"});
  CHECK(refusal(computed) == "not-constant");
}

TEST_CASE("Constant in its forms") {
  const auto add = [](const Attribute& value, int opset) {
    Net net(opset);
    net.input("x", {1}).output("y").node("Constant", {}, {"c"}, {value}).node("Add", {"x", "c"}, {"y"});
    return net;
  };
  CHECK(add(attr("value", tensor("", {2}, Floats{1, 2})), 9).import().graph.nodes.back().payload == R{1, 2});
  CHECK(add(attr("value_float", 2.5f), 12).import().graph.nodes.back().payload == R{2.5});
  CHECK(add(attr("value_floats", Floats{1, 2}), 12).import().graph.nodes.back().payload == R{1, 2});
  CHECK(refusal(add(attr("value_float", 2.5f), 11)) == "unknown-attribute");
  CHECK(refusal(add(attr("value_string", "text"), 12)) == "unsupported-attribute");
  CHECK(refusal(add(attr("value_int", 1), 12)) == "bad-type");  // adding an integer to a float
}

TEST_CASE("Cast is exact or refused") {
  CHECK(fold("Identity", {"a"}, {{1 << 24}}) == R{16777216});
  CHECK(fold_refusal("Identity", {"a"}, {{(1 << 24) + 1}}) == "inexact-cast");
  CHECK(fold_refusal("Identity", {"a"}, {{greatest}}) == "inexact-cast");
  CHECK(fold("Identity", {"a"}, {{least}}) == R{-0x1p63});
  CHECK(fold_refusal("Cast", {"a"}, {{300}}, {attr("to", onnx::TensorProto::UINT8)}) == "inexact-cast");
  CHECK(fold("Cast", {"a"}, {{5, 0}}, {attr("to", onnx::TensorProto::BOOL)}) == R{1, 0});
  const auto back = [](float value) {
    Net net;
    net.input("x", {1})
        .output("y")
        .constant("c", {1}, {value})
        .node("Cast", {"c"}, {"i"}, {attr("to", onnx::TensorProto::INT64)});
    net.node("Cast", {"i"}, {"f"}, {attr("to", 1)}).node("Add", {"x", "f"}, {"y"});
    return net;
  };
  CHECK(back(-3).import().graph.nodes.back().payload == R{-3});
  CHECK(refusal(back(0.5f)) == "inexact-cast");
  CHECK(refusal(back(1e20f)) == "inexact-cast");
  Net computed;
  computed.input("x", {1}).output("y").node("Cast", {"x"}, {"y"}, {attr("to", onnx::TensorProto::INT64)});
  CHECK(refusal(computed) == "unsupported-cast");
  Net half;
  half.input("x", {1}).output("y").node("Cast", {"x"}, {"y"}, {attr("to", onnx::TensorProto::FLOAT16)});
  CHECK(refusal(half) == "unsupported-cast");
}

TEST_CASE("index operators keep float constants exact and emit nothing for them") {
  Net net;
  net.input("x", {2, 1}).output("y").constant("c", {1, 2}, {1, -0.0f}).list("p", {0, 0, 1, 0});
  net.node("Transpose", {"c"}, {"t"})
      .node("Concat", {"t", "t"}, {"cc"}, {attr("axis", 1)})
      .node("Pad", {"cc", "p"}, {"d"});
  net.list("s", {1})
      .list("e", {3})
      .list("a", {0})
      .node("Slice", {"d", "s", "e", "a"}, {"w"})
      .node("Add", {"x", "w"}, {"y"});
  const auto graph = net.import().graph;
  REQUIRE(graph.nodes.size() == 3);  // input, map that expands x, shift
  CHECK(graph.nodes[2].payload == R{0, 0, 0, 0});
  CHECK(std::signbit(graph.nodes[2].payload[1]));
  CHECK(!std::signbit(graph.nodes[2].payload[2]));
}
