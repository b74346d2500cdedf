// The checker's ONNX reader and the prover's importer share no code, only FORMAT.md: both must make the same canonical
// graph, bit by bit, of every model both read. Small models of every operator, and outside networks where present.
#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

#include "importers/onnx/onnx.hpp"
#include "test/checker/onnx_writer.hpp"

using namespace onnx_test;
namespace fs = std::filesystem;

namespace {

// Digest by the checker; "" if refused. CHECKs that the prover gives the same, and that the checker refuses what no
// certificate is about.
std::string digest(const std::string& path, const std::string& what) {
  std::string checker, prover, why;
  try {
    checker = outward_check::graph_digest(outward_check::read_model(path, {}).graph);
  } catch (const ReadError& e) {
    why = e.what();
  }
  try {
    const outward::Model model = outward::import_onnx(path, {});
    if (outward::is_certifiable(model.graph)) prover = outward::graph_digest(model.graph);
  } catch (const outward::InputRefused& e) {
    why += e.what();
  }
  CHECK_MESSAGE(checker == prover, what << ": " << why);
  return checker;
}

void same(const Net& net, const std::string& what) {
  write("cross.onnx", net.file());
  CHECK_MESSAGE(!digest((scratch() / "cross.onnx").string(), what).empty(), what);
}

// x of the given shape, constants, nodes as (operator, operands, attributes); outputs y0, y1, ...
struct Step {
  std::string op, in;
  std::vector<Proto> attributes;
};
void same_nodes(Int opset, const Shape& x, const std::vector<Proto>& constants, const std::vector<Step>& steps) {
  Net net(opset);
  net.input("x", x);
  for (const Proto& c : constants) net.constant(c);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    net.add(node(steps[k].op, steps[k].in, "y" + std::to_string(k), steps[k].attributes));
    net.output("y" + std::to_string(k));
  }
  same(net, steps[0].op + " opset " + std::to_string(opset));
}

}  // namespace

TEST_CASE("small models have one digest") {
  const auto m = floats("m", {2, 3}, {1, -2, 3.5, 4, 5, -0.0}), c = floats("c", {3}, {7, 8, 9}),
             k = floats("k", {1, 1}, {2});
  for (Int opset : {7, 11, 13, 18, 23}) {
    same_nodes(opset, {2, 3}, {m, c, k},
               {{"Add", "x c", {}}, {"Add", "m x", {}}, {"Add", "c k", {}}, {"Add", "x x", {}}, {"Add", "x y3", {}}});
    same_nodes(opset, {2, 3}, {m, c, k},
               {{"Sub", "x c", {}}, {"Sub", "k x", {}}, {"Sub", "m k", {}}, {"Sub", "x y0", {}}});
    same_nodes(opset, {2, 3}, {m, c, k},
               {{"Mul", "x k", {}}, {"Mul", "c x", {}}, {"Mul", "c k", {}}, {"Div", "x c", {}}, {"Div", "m k", {}}});
    same_nodes(opset, {2, 3}, {m},
               {{"Neg", "m", {}}, {"Relu", "x", {}}, {"LeakyRelu", "x", {}}, {"Abs", "x", {}}, {"Clip", "x", {}}});
    same_nodes(opset, {2, 3}, {m},
               {{"Transpose", "x", {}}, {"Concat", "x m x", {i("axis", 1)}}, {"Flatten", "x", {i("axis", 0)}}});
    same_nodes(opset, {2, 2}, {m, c, k},
               {{"Gemm", "x m c", {}},
                {"Gemm", "x m c", {i("transA", 1), f("alpha", 2)}},
                {"Gemm", "x m c", {f("beta", 0.5)}},
                {"Gemm", "m x k", {i("transA", 1)}},
                {"Gemm", "x m y0", {f("beta", 3)}},
                {"Gemm", "m m k", {i("transB", 1)}},
                {"MatMul", "x m", {}}});
    same_nodes(opset, {3, 2}, {m, c}, {{"MatMul", "m x", {}}, {"MatMul", "c x", {}}});
    same_nodes(
        opset, {1, 2, 4, 5}, {floats("w", {2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), floats("b", {2}, {1, 2})},
        {{"Conv", "x w", {i("group", 2)}},
         {"Conv", "x w b", {i("group", 2), is("pads", {1, 0, 2, 1}), is("strides", {2, 1}), is("dilations", {1, 3})}},
         {"Conv", "x w", {i("group", 2), s("auto_pad", "SAME_UPPER"), is("strides", {2, 2})}},
         {"BatchNormalization", "x b b b b", {f("epsilon", 0.25)}},
         {"MaxPool", "x", {is("kernel_shape", {3, 2}), s("auto_pad", "SAME_LOWER")}},
         {"AveragePool", "x", {is("kernel_shape", {2, 2}), is("pads", {1, 0, 0, 1})}},
         {"AveragePool", "x", {is("kernel_shape", {2, 2}), is("pads", {1, 0, 0, 1}), i("count_include_pad", 1)}},
         {"GlobalAveragePool", "x", {}}});
  }
  const auto e = ints("e", {1}, {9}), r = ints("r", {2}, {-1, 1}), one_axis = ints("a", {1}, {-1}),
             p = ints("p", {4}, {0, 1, 0, -1});
  same_nodes(9, {2, 3}, {},
             {{"Slice", "x", {is("starts", {1}), is("ends", {9}), is("axes", {1})}},
              {"Pad", "x", {is("pads", {0, 1, 0, 0})}}});
  same_nodes(13, {2, 3}, {e, r, one_axis, p, k, ints("f", {1}, {INT64_MIN}), ints("f0", {0}, {})},
             {{"Slice", "x a e a", {}},
              {"Slice", "x f f a a", {}},  // from before the first element downwards: the first element
              {"Concat", "y1 x", {i("axis", 1)}},
              {"ReduceSum", "k f0", {i("noop_with_empty_axes", 1)}},
              {"Add", "y3 y3", {}},
              {"Pad", "x p k", {}},
              {"Gather", "x r", {i("axis", 1)}},
              {"ReduceSum", "x a", {}},
              {"ReduceMean", "x", {is("axes", {0}), i("keepdims", 0)}},
              {"ReduceSum", "k", {}},
              {"Identity", "k", {}}});
  same_nodes(18, {1, 2, 3}, {one_axis},
             {{"ReduceMean", "x a", {}},
              {"Squeeze", "x", {}},
              {"Unsqueeze", "x a", {}},
              {"ReduceMean", "x", {i("noop_with_empty_axes", 1)}}});
  Net several(18);
  several.input("x", {1, 5}).input("z", {2}).add(node("Split", "x", "a b", {i("axis", 1), i("num_outputs", 2)}));
  several.add(node("Relu", "z", "dead")).constant(k).output("b").output("k").output("a").output("b");
  same(several, "several inputs and outputs");
  Net wide(13);
  wide.input("x", {2, 1}, 11).constant(doubles("c", {3}, {0.1, 0.2, 1e300})).add(node("Mul", "x c", "y"));
  same(wide.add(node("LeakyRelu", "y", "z")).output("z"), "binary64");
}

TEST_CASE("outside networks have one digest, or are refused by both") {
  const char* given = std::getenv("OUTWARD_CASES");
  const fs::path folder = given ? fs::path(given) : fs::path(OUTWARD_SOURCE_DIR) / "../shared/cases";
  if (!fs::exists(folder)) {
    std::cout << "SKIPPED: no networks at " << folder << "\n";
    return;
  }
  int read = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".onnx") && !name.ends_with(".onnx.gz")) continue;
    if (entry.file_size() > (1 << 19) || contains(entry.path().string(), "tllverify"))
      continue;  // keeps the suite fast
    std::string path = entry.path().string();
    if (name.ends_with(".gz")) {
      outward_check::Bytes bytes;
      try {
        bytes = outward_check::read_maybe_gzip(path);
      } catch (const ReadError&) {
        continue;
      }
      write("cross.onnx", std::string(bytes.begin(), bytes.end()));
      path = (scratch() / "cross.onnx").string();
    }
    read += !digest(path, entry.path().string()).empty();
  }
  std::cout << read << " networks with the same digest\n";
  CHECK(read > 60);
}
