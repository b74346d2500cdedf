// Every operator of FORMAT.md section 2: the canonical nodes of small models, worked out by hand from the page.
#include <doctest/doctest.h>

#include "test/checker/onnx_writer.hpp"

using namespace onnx_test;

TEST_CASE("operators that emit nothing") {
  const auto shape = ints("s", {2}, {3, 2});
  const auto relu = [](Int opset, const Proto& n, const std::vector<Proto>& constants) {
    Net net(opset);
    net.input("x", {1, 2, 3});
    for (const auto& c : constants) net.constant(c);
    return show(net.add(n).add(node("Relu", "y", "z")).output("z"));
  };
  CHECK(relu(13, node("Identity", "x", "y"), {}) == "relu(0)#6");
  CHECK(relu(13, node("Reshape", "x s", "y"), {shape}) == "relu(0)#6");
  CHECK(relu(7, node("Dropout", "x", "y", {f("ratio", 0.5)}), {}) == "relu(0)#6");
  CHECK(relu(13, node("Dropout", "x - off", "y mask", {i("seed", 1)}), {bools("off", {}, {0})}) == "relu(0)#6");
  CHECK(relu(13, node("Cast", "x", "y", {i("to", 1)}), {}) == "relu(0)#6");
  CHECK(relu(19, node("Cast", "x", "y", {i("to", 1), i("saturate", 0)}), {}) == "relu(0)#6");
  CHECK(relu(13, node("Flatten", "x", "y", {i("axis", -1)}), {}) == "relu(0)#6");
  CHECK(relu(11, node("Squeeze", "x", "y", {is("axes", {0})}), {}) == "relu(0)#6");
  CHECK(relu(13, node("Squeeze", "x a", "y"), {ints("a", {1}, {-3})}) == "relu(0)#6");
  CHECK(relu(13, node("Squeeze", "x", "y"), {}) == "relu(0)#6");
  CHECK(relu(9, node("Unsqueeze", "x", "y", {is("axes", {1, 4})}), {}) == "relu(0)#6");
  CHECK(relu(13, node("Unsqueeze", "x a", "y"), {ints("a", {2}, {-1, 0})}) == "relu(0)#6");
  CHECK(relu(13, node("Transpose", "x", "y", {is("perm", {1, 0, 2})}), {}) == "relu(0)#6");
}

TEST_CASE("shapes that reshaping operators give") {
  // The last dimension meets a constant: wrong shapes would not broadcast to the declared one.
  const auto shape_of = [](Int opset, const Proto& n, const std::vector<Proto>& constants, const Shape& expected) {
    Net net(opset);
    net.input("x", {2, 1, 6}).add(n);
    for (const auto& c : constants) net.constant(c);
    net.graph.message(12, value_info("y", expected));
    return show(net);
  };
  CHECK(shape_of(13, node("Flatten", "x", "y", {i("axis", 0)}), {}, {1, 12}) == "input");
  CHECK(shape_of(13, node("Flatten", "x", "y"), {}, {2, 6}) == "input");
  CHECK(shape_of(13, node("Flatten", "x", "y", {i("axis", 3)}), {}, {12, 1}) == "input");
  CHECK(shape_of(13, node("Reshape", "x s", "y"), {ints("s", {3}, {0, -1, 3})}, {2, 2, 3}) == "input");
  CHECK(shape_of(13, node("Reshape", "x s", "y"), {ints("s", {1}, {-1})}, {12}) == "input");
  CHECK(shape_of(13, node("Unsqueeze", "x a", "y"), {ints("a", {2}, {0, 2})}, {1, 2, 1, 1, 6}) == "input");
  CHECK(shape_of(13, node("Squeeze", "x", "y"), {}, {2, 6}) == "input");
  CHECK(contains(shape_of(13, node("Squeeze", "x", "y"), {}, {2, 1, 6}), "declared"));
  CHECK(contains(shape_of(13, node("Flatten", "x", "y"), {}, {2, 5}), "declared"));
  CHECK(contains(shape_of(13, node("Reshape", "x s", "y"), {ints("s", {2}, {5, -1})}, {5, 2}), "number of elements"));
  CHECK(contains(shape_of(13, node("Reshape", "x s", "y"), {ints("s", {2}, {-1, -1})}, {5, 2}), "twice"));
  CHECK(contains(shape_of(14, node("Reshape", "x s", "y", {i("allowzero", 1)}), {ints("s", {2}, {0, -1})}, {5, 2}),
                 "number of"));
}

TEST_CASE("one map") {
  CHECK(show(one(13, {2, 3}, node("Transpose", "x", "y"))) == "map(0)#6 0 3 1 4 2 5");
  CHECK(show(one(13, {1, 2, 2}, node("Transpose", "x", "y", {is("perm", {2, 0, 1})}))) == "map(0)#4 0 2 1 3");
  CHECK(show(one(9, {5}, node("Slice", "x", "y", {is("starts", {1}), is("ends", {-1})}))) == "map(0)#3 1 2 3");
  const auto slice = [](Int start, Int end, Int step) {
    return show(one(13, {2, 3}, node("Slice", "x s e a t", "y"),
                    {ints("s", {1}, {start}), ints("e", {1}, {end}), ints("a", {1}, {-1}), ints("t", {1}, {step})}));
  };
  CHECK(slice(1, 99, 1) == "map(0)#4 1 2 4 5");
  CHECK(slice(0, 3, 2) == "map(0)#4 0 2 3 5");
  CHECK(slice(-1, INT64_MIN, -1) == "map(0)#6 2 1 0 5 4 3");
  CHECK(slice(2, 0, -2) == "map(0)#2 2 5");
  CHECK(slice(INT64_MIN, INT64_MAX, INT64_MAX) == "map(0)#2 0 3");
  CHECK(slice(-99, INT64_MIN, -1) == "map(0)#2 0 3");  // a start before the first element is the first one
  CHECK(slice(-99, 0, -1) == slice(2, 2, 1));
  CHECK(slice(0, 3, 1) == "input");
  CHECK(contains(slice(2, 2, 1), "without elements"));
  CHECK(contains(slice(0, 3, 0), "step 0"));
  CHECK(show(one(13, {2, 3}, node("Gather", "x g", "y", {i("axis", 1)}), {ints("g", {2}, {2, -3})})) ==
        "map(0)#4 2 0 5 3");
  CHECK(show(one(13, {2, 3}, node("Gather", "x g", "y"), {ints("g", {}, {1})})) == "map(0)#3 3 4 5");
  CHECK(contains(show(one(13, {2, 3}, node("Gather", "x g", "y"), {ints("g", {}, {2})})), "out of range"));
  CHECK(show(one(13, {2, 1}, node("Expand", "x s", "y"), {ints("s", {3}, {2, 1, 2})})) == "map(0)#8 0 0 1 1 0 0 1 1");
  CHECK(show(one(13, {2, 1}, node("Expand", "x s", "y"), {ints("s", {1}, {1})})) == "input");
}

TEST_CASE("Split in all its forms") {
  const auto split = [](Int opset, const Proto& n, const std::vector<Proto>& constants = {}) {
    Net net(opset);
    net.input("x", {1, 5});
    for (const auto& c : constants) net.constant(c);
    return show(net.add(n).output("b").output("a"));
  };
  const std::string two_three = "map(0)#2 0 1; map(0)#3 2 3 4; map(2,1)#5 0 1 2 3 4";
  CHECK(split(7, node("Split", "x", "a b", {i("axis", 1), is("split", {2, 3})})) == two_three);
  CHECK(split(13, node("Split", "x n", "a b", {i("axis", -1)}), {ints("n", {2}, {2, 3})}) == two_three);
  CHECK(split(18, node("Split", "x", "a b", {i("axis", 1), i("num_outputs", 2)})) ==
        "map(0)#3 0 1 2; map(0)#2 3 4; map(2,1)#5 0 1 2 3 4");
  CHECK(contains(split(13, node("Split", "x", "a b", {i("axis", 1)})), "number of outputs"));
  CHECK(contains(split(18, node("Split", "x", "a b", {i("axis", 1)})), "exactly one of split and num_outputs"));
  CHECK(contains(split(18, node("Split", "x", "a b", {i("axis", 1), i("num_outputs", 3)})), "number of outputs"));
  CHECK(contains(split(13, node("Split", "x", "a b", {i("axis", 1), i("num_outputs", 2)})),
                 "'num_outputs' is not understood"));
  CHECK(contains(split(7, node("Split", "x", "a b", {i("axis", 1), is("split", {2, 2})})), "add up"));
}

TEST_CASE("Concat: constants are materialised in operand order, then one map") {
  CHECK(show(one(13, {1, 2}, node("Concat", "c x c", "y", {i("axis", 1)}), {floats("c", {1, 1}, {7})})) ==
        "const()#1 | 7; const()#1 | 7; map(1,0,2)#4 0 1 2 3");
  CHECK(show(one(13, {2, 2}, node("Concat", "x x", "y", {i("axis", 1)}))) == "map(0,0)#8 0 1 4 5 2 3 6 7");
  CHECK(show(one(13, {2, 2}, node("Concat", "x", "y", {i("axis", 1)}))) == "input");
  CHECK(
      contains(show(one(13, {2, 2}, node("Concat", "x c", "y", {i("axis", 0)}), {floats("c", {1, 1}, {7})})), "shape"));
}

TEST_CASE("Pad") {
  CHECK(show(one(9, {1, 2}, node("Pad", "x", "y", {is("pads", {0, 1, 0, -1}), f("value", 5)}))) ==
        "const()#1 | 5; map(0,1)#2 2 0");
  CHECK(show(one(9, {3}, node("Pad", "x", "y", {is("pads", {-1, 0})}))) == "map(0)#2 1 2");
  CHECK(show(one(13, {2}, node("Pad", "x p", "y", {s("mode", "constant")}), {ints("p", {2}, {1, 1})})) ==
        "const()#1 | 0; map(0,1)#4 2 0 1 2");
  CHECK(show(one(18, {2, 1}, node("Pad", "x p v a", "y"),
                 {ints("p", {2}, {0, 1}), floats("v", {}, {2}), ints("a", {1}, {-1})})) ==
        "const()#1 | 2; map(0,1)#4 0 2 1 2");
  CHECK(
      contains(show(one(13, {2}, node("Pad", "x p", "y", {s("mode", "reflect")}), {ints("p", {2}, {1, 1})})), "mode"));
  CHECK(contains(show(one(13, {2}, node("Pad", "x p", "y"), {ints("p", {1}, {1})})), "pads per axis"));
  for (const Shape& pads : {Shape{3, -3}, {-3, 3}, {-3, 0}, {INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}})
    CHECK(contains(show(one(9, {2}, node("Pad", "x", "y", {is("pads", pads)}))), "pads"));
  CHECK(contains(show(one(9, {2}, node("Pad", "x", "y", {is("pads", {-1, -2})}))), "crop more"));
}

TEST_CASE("Add, Sub, Mul, Div: node and constant, two nodes, two constants, broadcasting") {
  const auto c = floats("c", {2}, {1, -2}), d = floats("d", {1, 2}, {3, 4}), row = floats("r", {2, 1}, {1, 2});
  CHECK(show(one(13, {1, 2}, node("Add", "x c", "y"), {c})) == "shift(0)#2 | 1 -2");
  CHECK(show(one(7, {1, 2}, node("Add", "c x", "y"), {c})) == "shift(0)#2 | 1 -2");
  CHECK(show(one(13, {1, 2}, node("Add", "x r", "y"), {row})) == "map(0)#4 0 1 0 1; shift(1)#4 | 1 1 2 2");
  CHECK(show(one(13, {1, 2}, node("Add", "x x", "y"))) == "add(0,0)#2 0");
  CHECK(show(one(13, {1, 2}, node("Add", "c d", "y"), {c, d})) == "const()#2 | 1 -2; shift(1)#2 | 3 4");
  CHECK(show(one(13, {1, 2}, node("Sub", "x c", "y"), {c})) == "shift(0)#2 | -1 2");
  CHECK(show(one(13, {1, 2}, node("Sub", "c x", "y"), {c})) == "neg(0)#2; shift(1)#2 | 1 -2");
  CHECK(show(one(13, {1, 2}, node("Sub", "x z", "y"), {floats("z", {}, {0})})) == "shift(0)#2 | -0 -0");
  CHECK(show(one(13, {1, 2}, node("Sub", "c d", "y"), {c, d})) == "const()#2 | 1 -2; shift(1)#2 | -3 -4");
  CHECK(show(Net(13).input("x", {2, 1}).add(node("Transpose", "x", "t")).add(node("Sub", "t x", "y")).output("y")) ==
        "map(0)#4 0 1 0 1; map(0)#4 0 0 1 1; add(1,2)#4 1");
  CHECK(show(one(13, {1, 2}, node("Mul", "x c", "y"), {c})) == "scale(0)#2 | 1 -2");
  CHECK(show(one(13, {1, 2}, node("Mul", "c x", "y"), {c})) == "scale(0)#2 | 1 -2");
  CHECK(show(one(13, {1, 2}, node("Mul", "c r", "y"), {c, row})) == "const()#4 | 1 -2 1 -2; scale(1)#4 | 1 1 2 2");
  CHECK(contains(show(one(13, {1, 2}, node("Mul", "x x", "y"))), "between two values"));
  CHECK(show(one(13, {1, 2}, node("Div", "x c", "y"), {c})) == "divide(0)#2 | 1 -2");
  CHECK(show(one(13, {1, 2}, node("Div", "d c", "y"), {c, d})) == "const()#2 | 3 4; divide(1)#2 | 1 -2");
  CHECK(contains(show(one(13, {1, 2}, node("Div", "c x", "y"), {c})), "between two values"));
  CHECK(contains(show(one(13, {1, 2}, node("Div", "x z", "y"), {floats("z", {2}, {1, -0.0})})), "division by zero"));
  CHECK(contains(show(one(13, {1, 2}, node("Add", "x c", "y"), {floats("c", {3}, {1, 2, 3})})), "broadcast"));
  CHECK(contains(show(one(13, {1, 2}, node("Add", "x c", "y"), {ints("c", {2}, {1, 2})})), "integer"));
}

TEST_CASE("element-wise operators") {
  CHECK(show(one(13, {2}, node("Neg", "x", "y"))) == "neg(0)#2");
  CHECK(show(one(13, {2}, node("Abs", "x", "y"))) == "abs(0)#2");
  CHECK(show(one(13, {2}, node("Relu", "c", "y"), {floats("c", {1}, {-3})})) == "const()#1 | -3; relu(1)#1");
  CHECK(show(one(13, {2}, node("LeakyRelu", "x", "y"))) == "leaky(0)#2 | 0.01");
  CHECK(read_bytes(one(13, {2}, node("LeakyRelu", "x", "y")).file()).graph.nodes[1].payload[0] == double{0.01f});
  CHECK(show(one(13, {2}, node("LeakyRelu", "x", "y", {f("alpha", 1)}))) == "leaky(0)#2 | 1");
  CHECK(contains(show(one(13, {2}, node("LeakyRelu", "x", "y", {f("alpha", 1.5)}))), "alpha"));
  CHECK(contains(show(one(13, {2}, node("LeakyRelu", "x", "y", {f("alpha", NAN)}))), "alpha"));
  CHECK(show(one(6 + 1, {2}, node("Clip", "x", "y", {f("min", -1), f("max", 6)}))) == "clip(0)#2 | -1 6");
  CHECK(show(one(13, {2}, node("Clip", "x - h", "y"), {floats("h", {}, {6})})) == "clip(0)#2 | -3.40282e+38 6");
  CHECK(show(one(13, {2}, node("Clip", "x l h", "y"), {floats("l", {}, {-INFINITY}), floats("h", {}, {INFINITY})})) ==
        "clip(0)#2 | -3.40282e+38 3.40282e+38");
  Net wide(13);
  CHECK(show(wide.input("x", {1}, 11).add(node("Clip", "x", "y")).output("y")) ==
        "clip(0)#1 | -1.79769e+308 1.79769e+308");
  CHECK(contains(show(one(13, {2}, node("Clip", "x l h", "y"), {floats("l", {}, {2}), floats("h", {}, {1})})),
                 "lower bound"));
  CHECK(contains(show(one(13, {2}, node("Clip", "x l", "y"), {floats("l", {}, {NAN})})), "NaN"));
  CHECK(contains(show(one(13, {2}, node("Clip", "x l", "y"), {floats("l", {}, {INFINITY})})), "lower bound"));
  CHECK(contains(show(one(13, {2}, node("Clip", "x", "y", {f("min", 0)}))), "'min' is not understood"));
}

TEST_CASE("MatMul") {
  const auto m = floats("m", {2, 3}, {1, 2, 3, 4, 5, 6}), v = floats("v", {2}, {1, 2});
  CHECK(show(one(13, {1, 2}, node("MatMul", "x m", "y"), {m})) == "dense(0)#3 1 2 3 0 | 1 4 2 5 3 6");
  CHECK(show(one(13, {2}, node("MatMul", "x m", "y"), {m})) == "dense(0)#3 1 2 3 0 | 1 4 2 5 3 6");
  CHECK(show(one(13, {2, 3, 2}, node("MatMul", "x v", "y"), {v})) == "dense(0)#6 6 2 1 0 | 1 2");
  CHECK(show(one(13, {1, 2}, node("MatMul", "x m", "y"), {floats("m", {1, 2, 1}, {5, 6})})) ==
        "dense(0)#1 1 2 1 0 | 5 6");
  CHECK(show(one(13, {3, 2}, node("MatMul", "m x", "y"), {m})) ==
        "map(0)#6 0 2 4 1 3 5; dense(1)#4 2 3 2 0 | 1 2 3 4 5 6; map(2)#4 0 2 1 3");
  CHECK(show(one(13, {3}, node("MatMul", "m x", "y"), {m})) == "dense(0)#2 1 3 2 0 | 1 2 3 4 5 6");
  CHECK(show(one(13, {2, 2, 2}, node("MatMul", "v x", "y"), {v})) ==
        "map(0)#8 0 2 1 3 4 6 5 7; dense(1)#4 4 2 1 0 | 1 2");
  CHECK(show(one(13, {1}, node("MatMul", "v m", "y"), {v, m})) == "const()#2 | 1 2; dense(1)#3 1 2 3 0 | 1 4 2 5 3 6");
  CHECK(contains(show(one(13, {2, 2}, node("MatMul", "x x", "y"))), "between two values"));
  CHECK(contains(show(one(13, {1, 2}, node("MatMul", "x m", "y"), {floats("m", {2, 2, 1}, {1, 2, 3, 4})})), "leading"));
  CHECK(contains(show(one(13, {1, 3}, node("MatMul", "x m", "y"), {m})), "inner"));
  CHECK(contains(show(one(13, {}, node("MatMul", "x m", "y"), {m})), "scalar"));
}

TEST_CASE("Gemm") {
  const auto b = floats("b", {2, 3}, {1, 2, 3, 4, 5, 6}), c = floats("c", {3}, {7, 8, 9}), k = floats("k", {}, {2});
  const std::string W = "dense(0)#3 1 2 3 0 | 1 4 2 5 3 6";
  CHECK(show(one(13, {1, 2}, node("Gemm", "x b", "y"), {b})) == W);
  CHECK(show(one(13, {1, 2}, node("Gemm", "x b c", "y"), {b, c})) == "dense(0)#3 1 2 3 1 | 1 4 2 5 3 6 7 8 9");
  CHECK(show(one(13, {1, 2}, node("Gemm", "x b k", "y"), {b, k})) == "dense(0)#3 1 2 3 1 | 1 4 2 5 3 6 2 2 2");
  CHECK(show(one(13, {1, 3}, node("Gemm", "x b", "y", {i("transB", 1)}), {b})) == "dense(0)#2 1 3 2 0 | 1 2 3 4 5 6");
  CHECK(show(one(13, {2, 2}, node("Gemm", "x b", "y", {i("transA", 1)}), {b})) ==
        "map(0)#4 0 2 1 3; dense(1)#6 2 2 3 0 | 1 4 2 5 3 6");
  CHECK(show(one(13, {1, 2}, node("Gemm", "x b c", "y", {f("alpha", 2)}), {b, c})) ==
        W + "; scale(1)#3 | 2 2 2; shift(2)#3 | 7 8 9");
  CHECK(show(one(13, {1, 2}, node("Gemm", "x b c", "y", {f("beta", 2)}), {b, c})) ==
        W + "; const()#3 | 7 8 9; scale(2)#3 | 2 2 2; add(1,3)#3 0");
  CHECK(show(one(13, {1, 2}, node("Gemm", "x b c", "y", {f("beta", 0), f("alpha", 0.5)}), {b, c})) ==
        W + "; scale(1)#3 | 0.5 0.5 0.5");
  CHECK(show(one(13, {2, 2}, node("Gemm", "x b c", "y"), {b, floats("c", {2, 1}, {1, 2})})) ==
        "dense(0)#6 2 2 3 0 | 1 4 2 5 3 6; shift(1)#6 | 1 1 1 2 2 2");
  CHECK(show(one(13, {2, 1}, node("Gemm", "a x c", "y"), {floats("a", {1, 2}, {1, 2}), floats("c", {1}, {5})})) ==
        "dense(0)#1 1 2 1 0 | 1 2; shift(1)#1 | 5");
  CHECK(show(one(13, {2, 2}, node("Gemm", "b x", "y", {i("transA", 1)}), {b})) ==
        "map(0)#4 0 2 1 3; dense(1)#6 2 2 3 0 | 1 4 2 5 3 6; map(2)#6 0 3 1 4 2 5");
  CHECK(show(one(13, {1, 3}, node("Gemm", "b x", "y", {i("transB", 1)}), {b})) == "dense(0)#2 1 3 2 0 | 1 2 3 4 5 6");
  CHECK(show(one(13, {1, 1}, node("Gemm", "a b x", "y", {f("beta", 3)}), {floats("a", {1, 2}, {9, 8}), b})) ==
        "const()#2 | 9 8; dense(1)#3 1 2 3 0 | 1 4 2 5 3 6; map(0)#3 0 0 0; scale(3)#3 | 3 3 3; add(2,4)#3 0");
  CHECK(contains(show(one(13, {2, 2}, node("Gemm", "x x", "y"))), "between two values"));
  CHECK(contains(show(one(9, {1, 2}, node("Gemm", "x b", "y"), {b})), "number of operands"));
  CHECK(contains(show(one(13, {1, 2}, node("Gemm", "x b c", "y"), {b, floats("c", {2}, {1, 2})})), "broadcast"));
  CHECK(
      contains(show(one(13, {1, 2}, node("Gemm", "x b c", "y"), {b, floats("c", {2, 1}, {1, 2})})), "C does not fit"));
  CHECK(contains(show(one(13, {1, 2}, node("Gemm", "x b", "y", {f("alpha", INFINITY)}), {b})), "finite"));
}

TEST_CASE("Conv") {
  const auto w = floats("w", {1, 1, 2, 2}, {1, 2, 3, 4}), b = floats("b", {1}, {9});
  const auto conv = [&](const std::vector<Proto>& attributes, const std::string& in = "x w") {
    return show(one(13, {1, 1, 3, 4}, node("Conv", in, "y", attributes), {w, b}));
  };
  CHECK(conv({}, "x w b") == "conv(0)#6 1 1 3 4 1 2 2 1 1 0 0 0 0 1 1 1 2 3 1 | 1 2 3 4 9");
  CHECK(conv({is("pads", {1, 0, 0, 2}), is("strides", {2, 3})}) ==
        "conv(0)#4 1 1 3 4 1 2 2 2 3 1 0 0 2 1 1 1 2 2 0 | 1 2 3 4");
  CHECK(conv({is("dilations", {2, 3}), is("kernel_shape", {2, 2}), i("group", 1), s("auto_pad", "NOTSET")}) ==
        "conv(0)#1 1 1 3 4 1 2 2 1 1 0 0 0 0 2 3 1 1 1 0 | 1 2 3 4");
  CHECK(conv({s("auto_pad", "SAME_UPPER")}) == "conv(0)#12 1 1 3 4 1 2 2 1 1 0 0 1 1 1 1 1 3 4 0 | 1 2 3 4");
  CHECK(conv({s("auto_pad", "SAME_LOWER"), is("strides", {2, 2})}) ==
        "conv(0)#4 1 1 3 4 1 2 2 2 2 1 0 0 0 1 1 1 2 2 0 | 1 2 3 4");
  CHECK(conv({s("auto_pad", "VALID")}) == "conv(0)#6 1 1 3 4 1 2 2 1 1 0 0 0 0 1 1 1 2 3 0 | 1 2 3 4");
  CHECK(show(one(13, {1, 2, 4}, node("Conv", "x w", "y", {is("pads", {1, 0}), is("strides", {2}), i("group", 2)}),
                 {floats("w", {2, 1, 3}, {1, 2, 3, 4, 5, 6})})) ==
        "conv(0)#4 1 2 1 4 2 1 3 1 2 0 1 0 0 1 1 2 1 2 0 | 1 2 3 4 5 6");
  CHECK(contains(conv({is("strides", {0, 1})}), "out of range"));
  CHECK(contains(conv({is("pads", {0, 0, -1, 0})}), "out of range"));
  CHECK(contains(conv({is("pads", {0, 0})}), "number of entries"));
  CHECK(contains(conv({i("group", 0)}), "group"));
  CHECK(contains(conv({is("kernel_shape", {2, 3})}), "kernel_shape"));
  CHECK(contains(conv({is("dilations", {3, 1})}), "greater than the padded image"));
  CHECK(contains(conv({s("auto_pad", "SAME")}), "auto_pad"));
  CHECK(contains(conv({s("auto_pad", "VALID"), is("pads", {0, 0, 0, 0})}), "auto_pad"));
  CHECK(contains(conv({}, "x x"), "not constant"));
  CHECK(contains(conv({is("strides", {INT64_MAX, 1})}), "out of range"));
}

TEST_CASE("BatchNormalization") {
  const std::vector<Proto> parts{floats("s", {2}, {1, 2}), floats("b", {2}, {3, 4}),  floats("m", {2}, {5, 6}),
                                 floats("v", {2}, {7, 8}), floats("n", {2}, {-1, 8}), floats("o", {2}, {0, 8})};
  const auto bn = [&](Int opset, const std::string& in, const std::string& out, const std::vector<Proto>& attributes) {
    return show(one(opset, {1, 2, 1, 3}, node("BatchNormalization", in, out, attributes), parts));
  };
  CHECK(bn(9, "x s b m v", "y", {f("epsilon", 0.5), f("momentum", 0.9)}) == "bn(0)#6 2 3 | 1 2 3 4 5 6 7 8 0.5");
  CHECK(bn(15, "x s b m v", "y", {i("training_mode", 0)}) == "bn(0)#6 2 3 | 1 2 3 4 5 6 7 8 1e-05");
  CHECK(bn(7, "x s b m o", "y", {i("spatial", 1)}) == "bn(0)#6 2 3 | 1 2 3 4 5 6 0 8 1e-05");
  CHECK(contains(bn(7, "x s b m v", "y", {i("spatial", 0)}), "spatial"));
  CHECK(contains(bn(9, "x s b m v", "y", {i("spatial", 1)}), "'spatial' is not understood"));
  CHECK(contains(bn(15, "x s b m v", "y", {i("training_mode", 1)}), "training"));
  CHECK(contains(bn(9, "x s b m v", "y mean", {}), "training"));
  CHECK(contains(bn(9, "x s b m n", "y", {}), "variance"));
  CHECK(contains(bn(9, "x s b m o", "y", {f("epsilon", 0)}), "variance"));
  CHECK(contains(bn(9, "x s b m", "y", {}), "number of operands"));
}

TEST_CASE("pooling") {
  const auto pool = [](const std::string& op, Int opset, const Shape& x, const std::vector<Proto>& attributes) {
    return show(one(opset, x, node(op, "x", "y", attributes)));
  };
  const auto k2 = is("kernel_shape", {2, 2});
  CHECK(pool("AveragePool", 9, {1, 1, 2, 3}, {k2}) == "map(0)#8 0 1 3 4 1 2 4 5; reduce(1)#2 4 4 4");
  CHECK(pool("AveragePool", 9, {1, 1, 2, 2}, {k2, is("pads", {0, 1, 0, 0}), is("strides", {1, 2})}) ==
        "const()#1 | 0; map(0,1)#4 4 0 4 2; reduce(2)#1 4 2");
  CHECK(pool("AveragePool", 9, {1, 1, 2, 2},
             {k2, is("pads", {0, 1, 0, 0}), is("strides", {1, 2}), i("count_include_pad", 1)}) ==
        "const()#1 | 0; map(0,1)#4 4 0 4 2; reduce(2)#1 4 4");
  CHECK(pool("AveragePool", 19, {1, 1, 5}, {is("kernel_shape", {2}), is("dilations", {3})}) ==
        "map(0)#4 0 3 1 4; reduce(1)#2 2 2 2");
  CHECK(pool("AveragePool", 13, {1, 2, 1}, {is("kernel_shape", {1})}) == "reduce(0)#2 1 1 1");
  CHECK(pool("GlobalAveragePool", 13, {1, 2, 2, 1}, {}) == "reduce(0)#2 2 2 2");
  CHECK(pool("MaxPool", 13, {1, 1, 2, 3}, {k2, i("storage_order", 0)}) == "map(0)#8 0 1 3 4 1 2 4 5; max(1)#2 4");
  CHECK(pool("MaxPool", 7, {1, 1, 3}, {is("kernel_shape", {3}), s("auto_pad", "SAME_UPPER")}) ==
        "map(0)#9 0 0 1 0 1 2 1 2 1; max(1)#3 3");
  // ONNX Runtime leaves the dilation out of the padding of a pool, the standard does not: what is deployed is not
  // known.
  CHECK(contains(
      pool("MaxPool", 12, {1, 1, 5}, {is("kernel_shape", {2}), is("dilations", {2}), s("auto_pad", "SAME_LOWER")}),
      "SAME with dilations"));
  CHECK(pool("MaxPool", 12, {1, 1, 5}, {is("kernel_shape", {2}), is("strides", {3}), i("ceil_mode", 1)}) ==
        "map(0)#4 0 1 3 4; max(1)#2 2");
  CHECK(contains(pool("MaxPool", 12, {1, 1, 6}, {is("kernel_shape", {2}), is("strides", {3}), i("ceil_mode", 1)}),
                 "ceil_mode"));
  CHECK(contains(pool("MaxPool", 9, {1, 1, 6}, {is("kernel_shape", {2}), i("ceil_mode", 0)}),
                 "'ceil_mode' is not understood"));
  CHECK(contains(pool("MaxPool", 9, {1, 1, 6}, {is("kernel_shape", {2}), i("storage_order", 1)}), "indices"));
  CHECK(contains(pool("MaxPool", 9, {1, 1, 6}, {}), "'kernel_shape' is missing"));
  CHECK(contains(pool("AveragePool", 13, {1, 1, 5}, {is("kernel_shape", {2}), is("dilations", {1})}),
                 "'dilations' is not understood"));
  CHECK(contains(pool("AveragePool", 13, {1, 1, 2}, {is("kernel_shape", {1}), is("pads", {1, 0})}),
                 "without any element"));
  CHECK(contains(pool("AveragePool", 13, {1, 1, 2, 2, 2}, {is("kernel_shape", {1, 1, 1})}), "1-D nor 2-D"));
  CHECK(contains(pool("GlobalAveragePool", 13, {1, 2}, {}), "1-D nor 2-D"));
}

TEST_CASE("ReduceSum and ReduceMean") {
  CHECK(show(one(9, {2, 3}, node("ReduceSum", "x", "y", {is("axes", {0})}))) ==
        "map(0)#6 0 3 1 4 2 5; reduce(1)#3 2 1 1 1");
  CHECK(show(one(13, {2, 3}, node("ReduceSum", "x a", "y"), {ints("a", {1}, {-1})})) == "reduce(0)#2 3 1 1");
  CHECK(show(one(13, {2, 3}, node("ReduceSum", "x", "y"))) == "reduce(0)#1 6 1");
  CHECK(show(one(13, {2, 3}, node("ReduceSum", "x a", "y", {i("noop_with_empty_axes", 1)}), {ints("a", {0}, {})})) ==
        "input");
  CHECK(show(one(17, {2, 2, 2}, node("ReduceMean", "x", "y", {is("axes", {2, 0}), i("keepdims", 0)}))) ==
        "map(0)#8 0 1 4 5 2 3 6 7; reduce(1)#2 4 4 4");
  CHECK(show(one(18, {2, 3}, node("ReduceMean", "x a", "y"), {ints("a", {1}, {1})})) == "reduce(0)#2 3 3 3");
  CHECK(contains(show(one(18, {2, 3}, node("ReduceMean", "x", "y", {is("axes", {1})}))), "'axes' is not understood"));
  CHECK(contains(show(one(9, {2, 3}, node("ReduceSum", "x", "y", {is("axes", {0, -2})}))), "twice"));
  CHECK(contains(show(one(9, {2, 3}, node("ReduceSum", "x", "y", {is("axes", {2})}))), "axis"));
}

TEST_CASE("several inputs and outputs, dead nodes, renumbering") {
  Net net(13);
  net.input("a", {2}).input("b", {1}).constant(floats("c", {1}, {4}));
  net.add(node("Relu", "a", "dead")).add(node("Abs", "b", "y"));
  net.output("c").output("y").output("y");
  CHECK(show(net) == "map(0)#1 2; abs(1)#1; const()#1 | 4; map(3,2,2)#3 0 1 2");
  CHECK(read_bytes(net.file()).graph.input_shape == Shape{2});
  CHECK(show(Net(13).input("x", {3}).constant(floats("c", {1}, {4})).output("c")) == "const()#1 | 4");
  CHECK(show(Net(13).input("x", {3}).output("x")) == "input");
  Net wide(13);
  wide.input("x", {1}, 11).constant(doubles("c", {1}, {0.1})).add(node("Add", "x c", "y")).output("y");
  CHECK(read_bytes(wide.file()).graph.is_binary64);
  CHECK(read_bytes(wide.file()).graph.nodes[1].payload[0] == 0.1);
}
