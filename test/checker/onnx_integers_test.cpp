// Integer and shape constants of FORMAT.md section 2: folded exactly, refused on overflow. Each result is made visible
// by casting it to float and adding it to a one-element input: the payload of the shift is the integer tensor.
#include <doctest/doctest.h>

#include "test/checker/onnx_writer.hpp"

using namespace onnx_test;

namespace {

// The integer tensor "r" that the nodes make, as text.
std::string folded(Int opset, const std::vector<Proto>& nodes, const std::vector<Proto>& constants = {}) {
  Net net(opset);
  net.input("x", {1}).input("wide", {2, 3, 4});
  for (const auto& c : constants) net.constant(c);
  for (const auto& n : nodes) net.add(n);
  net.add(node("Cast", "r", "f", {i("to", 1)})).add(node("Add", "x f", "y")).output("y");
  const std::string text = show(net);
  const std::size_t at = text.rfind("|");
  return at == std::string::npos || contains(text, "refused") ? text : text.substr(at + 2);
}

std::string binary(const std::string& op, const Proto& a, const Proto& b, Int opset = 13) {
  return folded(opset, {node(op, "a b", "r")}, {a, b});
}

Proto a(const std::vector<Int>& values) { return ints("a", {static_cast<Int>(values.size())}, values); }
Proto b(const std::vector<Int>& values) { return ints("b", {static_cast<Int>(values.size())}, values); }

}  // namespace

TEST_CASE("arithmetic on integer constants") {
  CHECK(binary("Add", a({1, 2}), b({10})) == "11 12");
  CHECK(binary("Sub", a({1, 2}), b({10, 3})) == "-9 -1");
  CHECK(binary("Mul", ints("a", {2, 1}, {2, 3}), b({5, 7})) == "10 14 15 21");
  CHECK(binary("Div", a({7, -7, 7, -7}), b({2, 2, -2, -2})) == "3 -3 -3 3");
  CHECK(binary("Mod", a({7, -7, 7, -7}), b({3, 3, -3, -3})) == "1 2 -2 -1");
  CHECK(folded(13, {node("Mod", "a b", "r", {i("fmod", 1)})}, {a({7, -7, 7, -7}), b({3, 3, -3, -3})}) == "1 -1 1 -1");
  CHECK(binary("Mod", a({INT64_MIN}), b({-1})) == "0");
  CHECK(binary("Min", a({1, 9}), b({4})) == "1 4");
  CHECK(folded(13, {node("Max", "a b a", "r")}, {a({1, 9}), b({4})}) == "4 9");
  CHECK(folded(13, {node("Neg", "a", "r")}, {a({1, -9})}) == "-1 9");
  CHECK(folded(13, {node("Abs", "a", "r")}, {a({1, -9})}) == "1 9");
  CHECK(contains(binary("Div", a({1}), b({0})), "overflow or division by zero"));
  CHECK(contains(binary("Mod", a({1}), b({0})), "division by zero"));
  CHECK(contains(binary("Div", a({INT64_MIN}), b({-1})), "overflow"));
  CHECK(contains(binary("Add", a({INT64_MAX}), b({1})), "overflow"));
  CHECK(contains(binary("Sub", a({INT64_MIN}), b({1})), "overflow"));
  CHECK(contains(binary("Mul", a({INT64_MAX}), b({2})), "overflow"));
  CHECK(contains(folded(13, {node("Neg", "a", "r")}, {a({INT64_MIN})}), "overflow"));
  CHECK(contains(binary("Add", tensor_head("a", {1}, 3).text(9, raw<char>(Shape{100})),
                        tensor_head("b", {1}, 3).text(9, raw<char>(Shape{100}))),
                 "its type cannot hold"));
  CHECK(contains(binary("Add", a({1}), tensor_head("b", {1}, 6).number(5, 1)), "different types"));
  CHECK(contains(binary("Add", bools("a", {1}, {1}), bools("b", {1}, {0})), "element type"));
}

TEST_CASE("comparisons, logic and selection") {
  CHECK(binary("Equal", a({1, 2}), b({2})) == "0 1");
  CHECK(binary("Greater", a({1, 3}), b({2})) == "0 1");
  CHECK(binary("Less", a({1, 3}), b({2})) == "1 0");
  CHECK(binary("GreaterOrEqual", a({1, 2, 3}), b({2})) == "0 1 1");
  CHECK(binary("LessOrEqual", a({1, 2, 3}), b({2})) == "1 1 0");
  const auto p = bools("a", {4}, {0, 0, 1, 1}), q = bools("b", {4}, {0, 1, 0, 1});
  CHECK(binary("And", p, q) == "0 0 0 1");
  CHECK(binary("Or", p, q) == "0 1 1 1");
  CHECK(folded(13, {node("Not", "a", "r")}, {p}) == "1 1 0 0");
  CHECK(folded(13, {node("Where", "c a b", "r")}, {bools("c", {2, 1}, {1, 0}), a({1, 2}), b({7})}) == "1 2 7 7");
  CHECK(contains(binary("And", a({1}), b({1})), "element type"));
  CHECK(contains(folded(13, {node("Not", "a", "r")}, {a({1})}), "element type"));
  CHECK(contains(binary("GreaterOrEqual", a({1}), b({1}), 11), "not supported"));
  CHECK(contains(folded(13, {node("Where", "c a b", "r")}, {a({1}), b({7}), ints("c", {1}, {1})}), "bool"));
  const auto choose = [](const std::string& in) {
    return show(one(13, {2}, node("Where", in, "y"),
                    {bools("c", {2}, {1, 0}), floats("p", {2}, {1, 2}), floats("q", {1}, {9})}));
  };
  CHECK(choose("c p q") == "const()#2 | 1 9");
  CHECK(contains(choose("c x q"), "values of the network"));
}

TEST_CASE("shapes and counts") {
  CHECK(folded(13, {node("Shape", "wide", "r")}) == "2 3 4");
  CHECK(folded(15, {node("Shape", "wide", "r", {i("start", -2), i("end", 99)})}) == "3 4");
  CHECK(contains(folded(15, {node("Shape", "wide", "r", {i("start", 2), i("end", 1)})}), "without elements"));
  CHECK(contains(folded(13, {node("Shape", "wide", "r", {i("start", 1)})}), "'start' is not understood"));
  CHECK(folded(13, {node("Size", "wide", "r")}) == "24");
  CHECK(folded(13, {node("Range", "p q d", "r")}, {ints("p", {}, {1}), ints("q", {}, {8}), ints("d", {}, {3})}) ==
        "1 4 7");
  CHECK(folded(13, {node("Range", "p q d", "r")}, {ints("p", {}, {8}), ints("q", {}, {1}), ints("d", {}, {-3})}) ==
        "8 5 2");
  CHECK(
      contains(folded(13, {node("Range", "p q d", "r")}, {ints("p", {}, {1}), ints("q", {}, {8}), ints("d", {}, {-3})}),
               "without elements"));
  CHECK(contains(
      folded(13, {node("Range", "p q d", "r")}, {ints("p", {}, {0}), ints("q", {}, {INT64_MAX}), ints("d", {}, {1})}),
      "refused"));
  CHECK(contains(
      folded(13, {node("Range", "p q d", "r")}, {ints("p", {}, {0}), ints("q", {}, {5}), ints("d", {}, {0})}), "zero"));
  CHECK(folded(13, {node("ConstantOfShape", "a", "r", {t("value", ints("", {1}, {6}))})}, {a({3})}) == "6 6 6");
  CHECK(show(one(13, {1}, node("ConstantOfShape", "a", "y"), {a({2})})) == "const()#2 | 0 0");
  CHECK(contains(folded(13, {node("ConstantOfShape", "a", "r", {t("value", ints("", {1}, {6}))})}, {a({1 << 30})}),
                 "its size allows"));
  CHECK(folded(13, {node("Constant", "", "r", {i("value_int", 5)})}) == "5");
  CHECK(folded(13, {node("Constant", "", "r", {is("value_ints", {5, 6})})}) == "5 6");
  CHECK(show(one(13, {1}, node("Constant", "", "y", {f("value_float", 0.5)}))) == "const()#1 | 0.5");
  CHECK(show(one(13, {1}, node("Constant", "", "y", {attribute("value_floats", 6).real(7, 1).real(7, 2)}))) ==
        "const()#2 | 1 2");
  CHECK(contains(show(one(11, {1}, node("Constant", "", "y", {f("value_float", 0.5)}))), "'value' is missing"));
  CHECK(
      contains(show(one(11, {1}, node("Constant", "", "y", {f("value_float", 0.5), t("value", floats("", {1}, {1}))}))),
               "'value_float' is not understood"));
  CHECK(contains(show(one(13, {1}, node("Constant", "", "y"))), "exactly one value"));
  CHECK(
      contains(folded(13, {node("Constant", "", "r", {s("value_string", "5")})}), "'value_string' is not understood"));
}

TEST_CASE("reductions of integers") {
  const auto m = ints("a", {2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(folded(13, {node("ReduceSum", "a k", "r")}, {m, ints("k", {1}, {1})}) == "6 15");
  CHECK(folded(11, {node("ReduceSum", "a", "r", {is("axes", {0})})}, {m}) == "5 7 9");
  CHECK(folded(13, {node("ReduceProd", "a", "r", {i("keepdims", 0)})}, {m}) == "720");
  CHECK(folded(18, {node("ReduceProd", "a k", "r")}, {m, ints("k", {1}, {0})}) == "4 10 18");
  CHECK(folded(13, {node("ReduceMin", "a", "r", {is("axes", {1})})}, {m}) == "1 4");
  CHECK(folded(20, {node("ReduceMax", "a k", "r")}, {m, ints("k", {1}, {-1})}) == "3 6");
  CHECK(folded(18, {node("ReduceMax", "a", "r", {i("noop_with_empty_axes", 1)})}, {m}) == "1 2 3 4 5 6");
  CHECK(folded(13, {node("ReduceProd", "a", "r")}, {ints("a", {0}, {})}) == "1");
  CHECK(contains(folded(13, {node("ReduceProd", "a", "r")}, {a({INT64_MAX, 2})}), "overflow"));
  CHECK(contains(show(one(13, {2}, node("ReduceMax", "x", "y"))), "for integer constants only"));
}

TEST_CASE("index operators on integers") {
  const auto m = ints("a", {2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(folded(13, {node("Gather", "a k", "r", {i("axis", 1)})}, {m, ints("k", {}, {-1})}) == "3 6");
  CHECK(folded(13, {node("Concat", "a b", "r", {i("axis", 0)})}, {a({1}), b({2, 3})}) == "1 2 3");
  CHECK(folded(9, {node("Slice", "a", "r", {is("starts", {1}), is("ends", {3}), is("axes", {1})})}, {m}) == "2 3 5 6");
  CHECK(folded(13, {node("Transpose", "a", "r")}, {m}) == "1 4 2 5 3 6");
  CHECK(folded(13, {node("Expand", "a b", "r")}, {a({4}), b({3})}) == "4 4 4");
  CHECK(folded(13,
               {node("Reshape", "a b", "t"), node("Flatten", "t", "u"), node("Squeeze", "u k", "v"),
                node("Unsqueeze", "v k", "w"), node("Identity", "w", "r")},
               {m, b({1, -1}), ints("k", {1}, {0})}) == "1 2 3 4 5 6");
  CHECK(contains(folded(9, {node("Split", "a", "r", {})}, {a({1})}), "not for integers"));
}

TEST_CASE("Cast") {
  const auto cast = [](const Proto& tensor, int type) {
    return folded(13, {node("Cast", "a", "r", {i("to", type)})}, {tensor});
  };
  CHECK(cast(a({3, -4}), 6) == "3 -4");
  CHECK(cast(a({3, 0}), 9) == "1 0");
  CHECK(contains(cast(a({300}), 3), "its type cannot hold"));
  CHECK(contains(cast(a({-1}), 13), "its type cannot hold"));
  CHECK(cast(floats("a", {2}, {3, -4}), 7) == "3 -4");
  CHECK(contains(cast(floats("a", {1}, {0.5}), 7), "not an integer"));
  CHECK(contains(cast(floats("a", {1}, {1e30}), 7), "not an integer"));
  CHECK(contains(cast(floats("a", {1}, {NAN}), 7), "not an integer"));
  // The page: float constants do not become bool. They did here, as long as they were integers.
  CHECK(contains(cast(floats("a", {2}, {3, 0}), 9), "truth value"));
  CHECK(contains(cast(a({3}), 10), "element type 10"));
  CHECK(contains(cast(a({3}), 11), "another type"));
  CHECK(contains(folded(13, {node("Identity", "a", "r")}, {a({(1 << 24) + 1})}), "not exact"));
  CHECK(contains(folded(13, {node("Identity", "a", "r")}, {a({INT64_MAX})}), "not exact"));
  CHECK(folded(13, {node("Identity", "a", "r")}, {a({INT64_MIN})}) == "-9.22337e+18");
  CHECK(contains(show(one(13, {1}, node("Cast", "x", "y", {i("to", 7)}))), "element type of the network"));
  CHECK(contains(show(one(13, {1}, node("Cast", "x", "y", {i("to", 11)}))), "element type of the network"));
}
