// Every operator with every attribute variant against ONNX Runtime (graph optimisations off) on random points, and the
// reference order against exact arithmetic on the same nets. Skipped visibly without the runtime.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "onnx_builder.hpp"
#include "onnx_oracle.hpp"
#include "runtime/cpu/exact.hpp"
#include "runtime/cpu/reference.hpp"

using namespace onnx_test;

namespace {

struct Variant {
  std::string name;
  Dims shape;
  Net net;
};

// Constants c0, c1, ... (float) and i0, i1, ... (int64 lists) of a net.
struct Given {
  std::vector<std::pair<Dims, Floats>> floats = {};
  std::vector<Ints> ints = {};
  int outputs = 1;
};

class Variants {
 public:
  std::vector<Variant> list;

  // One operator on x.
  void add(const std::string& op, int opset, const Dims& x, const Names& in, const Attributes& attributes = {},
           const Given& given = Given{}) {
    Net net(opset, opset <= 8 ? 3 : 8);
    net.input("x", x);
    for (std::size_t i = 0; i < given.floats.size(); ++i)
      constant(net, "c" + std::to_string(i), given.floats[i].first, given.floats[i].second);
    for (std::size_t i = 0; i < given.ints.size(); ++i) integers(net, "i" + std::to_string(i), given.ints[i]);
    Names out;
    for (int i = 0; i < given.outputs; ++i) {
      out.push_back("y" + std::to_string(i));
      net.output(out.back());
    }
    net.node(op, in, out, attributes);
    list.push_back({op + "-" + std::to_string(opset) + " #" + std::to_string(list.size()), x, std::move(net)});
  }
  Floats random(std::size_t count, float scale = 1) {
    std::uniform_real_distribution<float> draw(-scale, scale);
    Floats values(count);
    for (float& value : values) value = draw(engine_);
    return values;
  }

 private:
  // Old models list their constants as inputs as well.
  static void constant(Net& net, const std::string& name, const Dims& dims, const Floats& values) {
    net.constant(name, dims, values);
    if (net.model.ir_version() < 4) net.input(name, dims);
  }
  static void integers(Net& net, const std::string& name, const Ints& values) {
    net.list(name, values);
    if (net.model.ir_version() < 4)
      net.input(name, {static_cast<std::int64_t>(values.size())}, onnx::TensorProto::INT64);
  }
  std::mt19937 engine_{7};
};

void add_index_operators(Variants& v) {
  v.add("Flatten", 7, {2, 3, 4}, {"x"}, {attr("axis", 2)});
  v.add("Flatten", 11, {2, 3, 4}, {"x"}, {attr("axis", -1)});
  v.add("Flatten", 13, {2, 3}, {"x"}, {attr("axis", 0)});
  v.add("Reshape", 7, {2, 3, 4}, {"x", "i0"}, {}, {.ints = {{0, -1, 2}}});
  v.add("Reshape", 14, {2, 3}, {"x", "i0"}, {attr("allowzero", 1)}, {.ints = {{3, -1}}});
  v.add("Squeeze", 11, {1, 3, 1}, {"x"}, {attr("axes", Ints{-1})});
  v.add("Squeeze", 13, {1, 3, 1}, {"x", "i0"}, {}, {.ints = {{0}}});
  v.add("Unsqueeze", 11, {3, 2}, {"x"}, {attr("axes", Ints{-1, 1})});
  v.add("Unsqueeze", 13, {3, 2}, {"x", "i0"}, {}, {.ints = {{3, 0}}});
  v.add("Transpose", 7, {2, 3, 4}, {"x"});
  v.add("Transpose", 13, {2, 3, 4}, {"x"}, {attr("perm", Ints{1, 2, 0})});
  v.add("Concat", 11, {2, 3}, {"x", "c0", "x"}, {attr("axis", -1)}, {.floats = {{{2, 1}, v.random(2)}}});
  v.add("Concat", 7, {2, 3}, {"c0", "x"}, {attr("axis", 0)}, {.floats = {{{1, 3}, v.random(3)}}});
  v.add("Slice", 9, {3, 4}, {"x"}, {attr("starts", Ints{-2, 1}), attr("ends", Ints{100, -1})});
  v.add("Slice", 11, {3, 5}, {"x", "i0", "i1", "i2", "i3"}, {}, {.ints = {{-1, 4}, {-100, 0}, {0, -1}, {-1, -2}}});
  v.add("Slice", 13, {5, 2}, {"x", "i0", "i1", "", "i2"}, {}, {.ints = {{1}, {100}, {3}}});
  v.add("Slice", 13, {2, 6}, {"x", "i0", "i1", "i2"}, {}, {.ints = {{-4}, {-1}, {1}}});
  v.add("Split", 7, {2, 6}, {"x"}, {attr("axis", 1), attr("split", Ints{1, 5})}, {.outputs = 2});
  v.add("Split", 11, {4, 2}, {"x"}, {}, {.outputs = 2});
  v.add("Split", 13, {2, 6}, {"x", "i0"}, {attr("axis", -1)}, {.ints = {{2, 4}}, .outputs = 2});
  v.add("Split", 18, {2, 5}, {"x"}, {attr("axis", 1), attr("num_outputs", 3)}, {.outputs = 3});
  v.add("Gather", 11, {3, 4}, {"x", "i0"}, {attr("axis", 1)}, {.ints = {{-1, 0, 2}}});
  v.add("Gather", 13, {3, 2, 2}, {"x", "i0"}, {}, {.ints = {{2, 2}}});
  v.add("Pad", 9, {2, 3}, {"x"}, {attr("pads", Ints{0, 1, 1, 2}), attr("value", -1.5f)});
  v.add("Pad", 9, {3, 3}, {"x"}, {attr("pads", Ints{-1, 0, 0, -1})});
  v.add("Pad", 13, {2, 3}, {"x", "i0", "c0"}, {attr("mode", "constant")},
        {.floats = {{{}, {0.5f}}}, .ints = {{1, -1, 0, 2}}});
  v.add("Pad", 18, {2, 3}, {"x", "i0", "", "i1"}, {}, {.ints = {{1, 2}, {-1}}});
  v.add("Expand", 8, {3, 1}, {"x", "i0"}, {}, {.ints = {{2, 1, 4}}});
  v.add("Expand", 13, {2, 3}, {"x", "i0"}, {}, {.ints = {{1, 1}}});
  v.add("Identity", 13, {2}, {"x"});
  v.add("Dropout", 7, {2}, {"x"}, {attr("ratio", 0.9f)});
  v.add("Dropout", 13, {2}, {"x"}, {attr("seed", 3)});
}

void add_arithmetic(Variants& v) {
  for (const char* op : {"Add", "Sub", "Mul", "Div"}) {
    v.add(op, 7, {2, 3}, {"x", "c0"}, {}, {.floats = {{{3}, {1.5f, -2, 0.25f}}}});
    v.add(op, 13, {3}, {"x", "c0"}, {}, {.floats = {{{2, 1}, {1.5f, -2}}}});
    if (op != std::string("Div")) v.add(op, 14, {2, 3}, {"c0", "x"}, {}, {.floats = {{{1}, {1.5f}}}});
  }
  v.add("Add", 13, {2, 3}, {"x", "x"});
  v.add("Sub", 13, {2, 3}, {"x", "x"});
  v.add("Add", 13, {2}, {"c0", "c1"}, {}, {.floats = {{{2}, v.random(2)}, {{1}, v.random(1)}}});
  v.add("Neg", 13, {4}, {"x"});
  v.add("Abs", 13, {4}, {"x"});
  v.add("Relu", 7, {4}, {"x"});
  v.add("Relu", 14, {4}, {"x"});
  v.add("LeakyRelu", 7, {4}, {"x"});
  v.add("LeakyRelu", 16, {4}, {"x"}, {attr("alpha", 0.3f)});
  v.add("Clip", 7, {6}, {"x"}, {attr("min", -0.5f), attr("max", 0.75f)});
  v.add("Clip", 7, {6}, {"x"});
  v.add("Clip", 11, {6}, {"x", "", "c0"}, {}, {.floats = {{{}, {0.25f}}}});
  v.add("Clip", 13, {6}, {"x", "c0", "c1"}, {}, {.floats = {{{}, {-0.25f}}, {{}, {0.5f}}}});
}

// Operators without a certificate. ONNX Runtime's functions are some ulps off.
void add_functions(Variants& v) {
  for (const char* op : {"Sqrt", "Log"}) {
    Net net(13);
    net.input("x", {6}).output("y0").node("Abs", {"x"}, {"a"}).node(op, {"a"}, {"y0"});
    v.list.push_back({op, {6}, std::move(net)});
  }
  for (const char* op : {"Asin", "Acos", "Atanh", "Acosh"}) {  // into the domain first
    Net net(13);
    net.input("x", {6}).output("y0").constant("c", {}, {0.375f}).constant("one", {}, {1.0f});
    net.node("Mul", {"x", "c"}, {"s"}).node("Abs", {"s"}, {"t"}).node("Add", {"t", "one"}, {"u"});
    net.node(op, {op == std::string("Acosh") ? "u" : "s"}, {"y0"});
    v.list.push_back({op, {6}, std::move(net)});
  }
  for (const char* op : {"Exp", "Tanh", "Sigmoid", "Erf", "Softplus", "Softsign", "Sin", "Cos", "Tan", "Atan", "Sinh",
                         "Cosh", "Asinh", "Floor", "Ceil", "Round", "Reciprocal"})
    v.add(op, 13, {6}, {"x"});
  v.add("HardSwish", 14, {6}, {"x"});
  v.add("Mish", 18, {6}, {"x"});
  v.add("Gelu", 20, {6}, {"x"});
  v.add("Gelu", 20, {6}, {"x"}, {attr("approximate", "tanh")});
  v.add("Mul", 13, {2, 3}, {"x", "x"});
  v.add("Div", 13, {2, 3}, {"c0", "x"}, {}, {.floats = {{{3}, {1.5f, -2, 0.25f}}}});
  Net net(13);  // both operands computed, one of them broadcast
  net.input("x", {2, 3}).output("y0").node("Abs", {"x"}, {"a"}).node("ReduceSum", {"a"}, {"s"});
  net.node("Div", {"x", "s"}, {"q"}).node("Mul", {"q", "a"}, {"p"}).node("Floor", {"p"}, {"f"});
  net.node("Sub", {"p", "f"}, {"y0"});
  v.list.push_back({"Div and Mul of computed values", {2, 3}, std::move(net)});
}

void add_products(Variants& v) {
  const auto matmul = [&](const Dims& x, const Dims& c, bool first) {
    std::size_t count = 1;
    for (auto d : c) count *= static_cast<std::size_t>(d);
    v.add("MatMul", 13, x, first ? Names{"c0", "x"} : Names{"x", "c0"}, {}, {.floats = {{c, v.random(count)}}});
  };
  matmul({2, 3}, {3, 4}, false);
  matmul({3}, {3, 4}, false);
  matmul({2, 3}, {3}, false);
  matmul({3}, {3}, false);
  matmul({2, 5, 3}, {3, 2}, false);
  matmul({2, 5, 3}, {1, 3, 2}, false);
  matmul({3}, {1, 3, 2}, false);
  matmul({3, 4}, {2, 3}, true);
  matmul({3}, {2, 3}, true);
  matmul({3, 4}, {3}, true);
  matmul({2, 3, 4}, {5, 3}, true);
  matmul({2, 3, 4}, {1, 5, 3}, true);
  matmul({2, 2, 3, 4}, {3}, true);
  for (int ta : {0, 1}) {
    for (int tb : {0, 1}) {
      for (const bool first : {false, true}) {
        const Dims x = first ? (tb ? Dims{4, 3} : Dims{3, 4}) : (ta ? Dims{3, 2} : Dims{2, 3});
        const Dims c = first ? (ta ? Dims{3, 2} : Dims{2, 3}) : (tb ? Dims{4, 3} : Dims{3, 4});
        const Names in = first ? Names{"c0", "x", "c1"} : Names{"x", "c0", "c1"};
        for (const Dims& bias : {Dims{}, Dims{4}, Dims{1}, Dims{2, 1}, Dims{2, 4}}) {
          std::size_t count = 1;
          for (auto d : bias) count *= static_cast<std::size_t>(d);
          v.add("Gemm", 11, x, in,
                {attr("transA", ta), attr("transB", tb), attr("alpha", bias.size() == 1 ? 1.0f : 0.75f),
                 attr("beta", count == 2 ? 1.0f : -1.5f)},
                {.floats = {{c, v.random(first ? 6 : 12)}, {bias, v.random(count)}}});
          v.add("Gemm", 7, x, in, {attr("transA", ta), attr("transB", tb)},
                {.floats = {{c, v.random(first ? 6 : 12)}, {bias, v.random(count)}}});
        }
      }
    }
  }
  v.add("Gemm", 13, {2, 2}, {"x", "c0", "x"}, {attr("beta", 0.5f)}, {.floats = {{{2, 2}, v.random(4)}}});
  v.add("Gemm", 13, {1, 2}, {"x", "c0"}, {}, {.floats = {{{2, 2}, v.random(4)}}});
}

void add_windows(Variants& v) {
  const auto conv = [&](const Dims& x, const Dims& w, const Attributes& attributes, bool bias) {
    std::size_t count = 1;
    for (auto d : w) count *= static_cast<std::size_t>(d);
    v.add("Conv", 11, x, bias ? Names{"x", "c0", "c1"} : Names{"x", "c0"}, attributes,
          {.floats = {{w, v.random(count)}, {{w[0]}, v.random(static_cast<std::size_t>(w[0]))}}});
  };
  conv({1, 2, 5, 6}, {3, 2, 3, 2}, {}, true);
  conv({2, 2, 5, 6}, {4, 1, 3, 2}, {attr("group", 2), attr("strides", Ints{2, 1}), attr("pads", Ints{1, 0, 2, 1})},
       true);
  conv({1, 2, 7, 7}, {2, 2, 3, 3}, {attr("dilations", Ints{2, 1}), attr("kernel_shape", Ints{3, 3})}, false);
  for (const char* mode : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
    conv({1, 1, 6, 5}, {1, 1, 3, 2}, {attr("auto_pad", mode), attr("strides", Ints{2, 2})}, false);
  }
  conv({1, 2, 6}, {2, 2, 3}, {attr("pads", Ints{2, 1}), attr("strides", Ints{2})}, true);
  conv({1, 4, 3, 3}, {4, 1, 2, 2}, {attr("group", 4)}, false);
  for (const char* op : {"AveragePool", "MaxPool"}) {
    v.add(op, 7, {1, 2, 5, 6}, {"x"}, {attr("kernel_shape", Ints{2, 3})});
    v.add(op, 7, {1, 2, 5, 6}, {"x"},
          {attr("kernel_shape", Ints{3, 2}), attr("strides", Ints{2, 2}), attr("pads", Ints{1, 1, 2, 0})});
    v.add(op, 10, {2, 1, 6}, {"x"}, {attr("kernel_shape", Ints{3}), attr("strides", Ints{3}), attr("ceil_mode", 1)});
    for (const char* mode : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
      v.add(op, 11, {1, 1, 5, 6}, {"x"},
            {attr("kernel_shape", Ints{2, 3}), attr("auto_pad", mode), attr("strides", Ints{2, 2})});
    }
  }
  v.add("AveragePool", 11, {1, 2, 5, 6}, {"x"},
        {attr("kernel_shape", Ints{3, 2}), attr("pads", Ints{1, 1, 1, 0}), attr("count_include_pad", 1)});
  v.add("AveragePool", 19, {1, 1, 7, 7}, {"x"},
        {attr("kernel_shape", Ints{2, 3}), attr("dilations", Ints{2, 3}), attr("pads", Ints{1, 0, 0, 2})});
  v.add("AveragePool", 19, {1, 1, 7, 7}, {"x"},
        {attr("kernel_shape", Ints{2, 3}), attr("dilations", Ints{2, 1}), attr("pads", Ints{1, 0, 0, 2}),
         attr("count_include_pad", 1)});
  v.add("MaxPool", 12, {1, 1, 7, 7}, {"x"},
        {attr("kernel_shape", Ints{2, 3}), attr("dilations", Ints{3, 2}), attr("pads", Ints{1, 0, 0, 2})});
  v.add("GlobalAveragePool", 13, {2, 3, 4, 5}, {"x"});
  v.add("GlobalAveragePool", 7, {1, 2, 5}, {"x"});
  for (int opset : {7, 9, 15}) {
    v.add("BatchNormalization", opset, {2, 3, 2}, {"x", "c0", "c1", "c2", "c3"}, {attr("epsilon", 0.01f)},
          {.floats = {{{3}, v.random(3)}, {{3}, v.random(3)}, {{3}, v.random(3)}, {{3}, {0.5f, 1.5f, 2}}}});
  }
}

void add_reductions(Variants& v) {
  for (const char* op : {"ReduceSum", "ReduceMean"}) {
    v.add(op, 11, {2, 3, 4}, {"x"}, {attr("axes", Ints{1})});
    v.add(op, 11, {2, 3, 4}, {"x"}, {attr("axes", Ints{-1, 0}), attr("keepdims", 0)});
    v.add(op, 7, {2, 3}, {"x"});
    v.add(op, 18, {2, 3, 4}, {"x", "i0"}, {}, {.ints = {{2, 0}}});
    v.add(op, 18, {2, 3}, {"x"}, {attr("keepdims", 0)});
    v.add(op, 18, {2, 3}, {"x"}, {attr("noop_with_empty_axes", 1)});
  }
}

std::vector<Variant> all_variants() {
  Variants v;
  add_index_operators(v);
  add_arithmetic(v);
  add_functions(v);
  add_products(v);
  add_windows(v);
  add_reductions(v);
  return std::move(v.list);
}

std::vector<double> random_point(std::size_t count, std::mt19937& engine) {
  std::uniform_real_distribution<float> draw(-2, 2);
  std::vector<double> point(count);
  for (double& value : point) value = static_cast<double>(draw(engine));
  return point;
}

}  // namespace

TEST_CASE("operators against ONNX Runtime") {
  Oracle* oracle = Oracle::get();
  if (oracle == nullptr) return;
  std::mt19937 engine(1);
  double worst = 0;
  std::size_t compared = 0;
  for (const Variant& variant : all_variants()) {
    CAPTURE(variant.name);
    const auto graph = variant.net.import().graph;
    for (int round = 0; round < 3; ++round) {
      const std::vector<double> x = random_point(graph.nodes[0].size, engine);
      const Oracle::Output expected = oracle->run(variant.net.bytes(), variant.shape, x);
      REQUIRE_MESSAGE(!expected.failed, expected.message);
      const std::vector<double> y = outward::run_reference(graph, x);
      REQUIRE(y.size() == expected.values.size());
      for (std::size_t j = 0; j < y.size(); ++j) {
        const double error = std::fabs(y[j] - expected.values[j]) / (1 + std::fabs(expected.values[j]));
        CHECK(error < 2e-6);
        worst = std::max(worst, error);
      }
      ++compared;
    }
  }
  MESSAGE(compared << " runs of " << all_variants().size() << " nets, greatest relative difference " << worst);
}

TEST_CASE("operators in exact arithmetic agree with the reference order up to rounding") {
  std::mt19937 engine(2);
  for (const Variant& variant : all_variants()) {
    CAPTURE(variant.name);
    const auto graph = variant.net.import().graph;
    const std::vector<double> x = random_point(graph.nodes[0].size, engine);
    std::vector<outward::Rational> exact_x;
    for (double value : x) exact_x.push_back(outward::Rational(value));
    const std::vector<double> y = outward::run_reference(graph, x);
    const auto exact_y = outward::run_exact_ranges(graph, exact_x);
    REQUIRE(y.size() == exact_y.size());
    for (std::size_t j = 0; j < y.size(); ++j) {
      CHECK(exact_y[j].lo <= exact_y[j].hi);
      CHECK(std::fabs(y[j] - exact_y[j].lo.convert_to<double>()) < 2e-5);
      CHECK(outward::Rational(exact_y[j].hi - exact_y[j].lo).convert_to<double>() < 1e-60);
    }
  }
}
