// Names of node kinds and the invariants of runtime/graph/graph.hpp.
// Assumes nothing about the graph. Promises: after validate() every index, length and constant the kinds of
// certificates/FORMAT.md section 1 mention is in range, so readers need no further checks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "formats/error.hpp"
#include "runtime/graph/element_function.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {
namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;

// One node under inspection; fail() names it.
struct View {
  const Graph& graph;
  std::uint32_t number;
  const Node& node;

  [[noreturn]] void fail(const std::string& what) const {
    throw ResourceError("graph node " + std::to_string(number) + " (" + kind_name(node.kind) + "): " + what);
  }
  void require(bool condition, const char* what) const {
    if (!condition) fail(what);
  }
  u64 operand_size(std::size_t i) const { return graph.nodes[node.operands[i]].size; }
  void lengths(u64 operands, u64 ints, u64 payload) const {
    require(node.operands.size() == operands, "wrong number of operands");
    require(node.ints.size() == ints, "wrong number of ints");
    require(node.payload.size() == payload, "wrong number of payload elements");
  }
};

// Product of non-negative numbers; fails on a negative one or on overflow.
u64 product(const View& v, std::initializer_list<i64> factors) {
  u64 result = 1;
  for (i64 factor : factors) {
    v.require(factor >= 0, "negative size");
    if (__builtin_mul_overflow(result, static_cast<u64>(factor), &result)) v.fail("size overflows");
  }
  return result;
}

void check_map(const View& v) {
  v.require(!v.node.operands.empty() && v.node.payload.empty(), "a map has operands and no payload");
  v.require(v.node.ints.size() == v.node.size, "wrong number of indices");
  u64 total = 0;
  for (std::size_t i = 0; i < v.node.operands.size(); ++i) total += v.operand_size(i);
  for (i64 index : v.node.ints) v.require(index >= 0 && static_cast<u64>(index) < total, "index out of range");
}

void check_dense(const View& v) {
  v.require(v.node.ints.size() == 4, "wrong number of ints");
  const auto& p = v.node.ints;
  v.require(p[3] == 0 || p[3] == 1, "has_bias is neither 0 nor 1");
  v.lengths(1, 4, product(v, {p[2], p[1]}) + (p[3] ? static_cast<u64>(p[2]) : 0));
  v.require(p[0] >= 1 && p[1] >= 1 && p[2] >= 1, "empty product");
  v.require(v.operand_size(0) == product(v, {p[0], p[1]}), "operand has the wrong size");
  v.require(v.node.size == product(v, {p[0], p[2]}), "wrong size");
}

void check_conv(const View& v) {
  v.require(v.node.ints.size() == 19, "wrong number of ints");
  const auto& p = v.node.ints;
  const i64 batch = p[0], channels = p[1], height = p[2], width = p[3], filters = p[4], kh = p[5], kw = p[6];
  const i64 groups = p[15], oh = p[16], ow = p[17];
  constexpr i64 limit = std::numeric_limits<std::int32_t>::max();
  for (int i = 0; i < 18; ++i)
    v.require(p[i] >= (i >= 9 && i <= 12 ? 0 : 1) && p[i] <= limit, "parameter out of range");
  v.require(p[18] == 0 || p[18] == 1, "has_bias is neither 0 nor 1");
  v.require(channels % groups == 0 && filters % groups == 0, "groups do not divide the channels");
  const i64 free_h = height + p[9] + p[11] - p[13] * (kh - 1) - 1,
            free_w = width + p[10] + p[12] - p[14] * (kw - 1) - 1;
  v.require(free_h >= 0 && free_w >= 0, "kernel larger than the padded image");
  v.require(oh == free_h / p[7] + 1 && ow == free_w / p[8] + 1, "output size does not follow from the parameters");
  v.lengths(1, 19, product(v, {filters, channels / groups, kh, kw}) + (p[18] ? static_cast<u64>(filters) : 0));
  v.require(v.operand_size(0) == product(v, {batch, channels, height, width}), "operand has the wrong size");
  v.require(v.node.size == product(v, {batch, filters, oh, ow}), "wrong size");
}

void check_reduce(const View& v) {
  v.lengths(1, v.node.size + 1, 0);
  v.require(v.node.ints[0] >= 1, "empty sum");
  v.require(v.operand_size(0) == product(v, {v.node.ints[0], static_cast<i64>(v.node.size)}),
            "operand has the wrong size");
  for (i64 d : v.node.ints) v.require(d >= 1, "divisor below 1");
}

void check_bn(const View& v) {
  v.require(v.node.ints.size() == 2 && v.node.ints[0] >= 1 && v.node.ints[1] >= 1, "wrong ints");
  const u64 channels = static_cast<u64>(v.node.ints[0]);
  v.lengths(1, 2, product(v, {v.node.ints[0], 4}) + 1);
  v.require(v.node.size == v.operand_size(0), "wrong size");
  v.require(v.node.size % product(v, {v.node.ints[0], v.node.ints[1]}) == 0, "size is no multiple of the channels");
  const double eps = v.node.payload.back();
  // The sign of a sum of two doubles is exact, rounding cannot turn it.
  for (u64 q = 0; q < channels; ++q) {
    const double variance = v.node.payload[3 * channels + q];
    v.require(variance >= 0 && variance + eps > 0, "variance or variance plus epsilon is not positive");
  }
}

void check_elementwise(const View& v, u64 operands, u64 ints, u64 payload) {
  v.lengths(operands, ints, payload);
  for (u64 i = 0; i < operands; ++i) v.require(v.operand_size(i) == v.node.size, "operand has the wrong size");
}

void check_node(const View& v) {
  const Node& node = v.node;
  switch (node.kind) {
    case Kind::input:
      return v.lengths(0, 0, 0);
    case Kind::constant:
      return v.lengths(0, 0, node.size);
    case Kind::map:
      return check_map(v);
    case Kind::dense:
      return check_dense(v);
    case Kind::conv:
      return check_conv(v);
    case Kind::reduce:
      return check_reduce(v);
    case Kind::bn:
      return check_bn(v);
    case Kind::add:
      check_elementwise(v, 2, 1, 0);
      return v.require(node.ints[0] == 0 || node.ints[0] == 1, "sign is neither 0 nor 1");
    case Kind::shift:
    case Kind::scale:
      return check_elementwise(v, 1, 0, node.size);
    case Kind::divide:
      check_elementwise(v, 1, 0, node.size);
      for (double c : node.payload) v.require(c != 0, "division by zero");
      return;
    case Kind::neg:
    case Kind::relu:
    case Kind::abs:
      return check_elementwise(v, 1, 0, 0);
    case Kind::leaky:
      check_elementwise(v, 1, 0, 1);
      return v.require(node.payload[0] >= 0 && node.payload[0] <= 1, "slope outside [0, 1]");
    case Kind::clip:
      check_elementwise(v, 1, 0, 2);
      return v.require(node.payload[0] <= node.payload[1], "bounds out of order");
    case Kind::max:
      v.lengths(1, 1, 0);
      v.require(node.ints[0] >= 1, "empty window");
      return v.require(v.operand_size(0) == product(v, {node.ints[0], static_cast<i64>(node.size)}),
                       "operand has the wrong size");
    case Kind::function:
      check_elementwise(v, 1, 1, 0);
      return v.require(is_element_function(node.ints[0]), "unknown function");
    case Kind::product:
    case Kind::quotient:
      return check_elementwise(v, 2, 0, 0);
  }
  v.fail("unknown kind");
}

}  // namespace

const char* kind_name(Kind kind) {
  static constexpr const char* names[] = {"input", "const", "map",   "dense",    "conv",    "reduce",  "bn",
                                          "add",   "shift", "scale", "divide",   "neg",     "relu",    "leaky",
                                          "clip",  "abs",   "max",   "function", "product", "quotient"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(names) ? names[index] : "unknown";
}

const char* op_name(const Node& node) {
  return node.kind == Kind::function ? row_of(element_function(node)).name : kind_name(node.kind);
}

bool is_certifiable(const Graph& graph) {
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) { return is_certifiable(n.kind); });
}

void validate(const Graph& graph) {
  if (graph.nodes.empty() || graph.nodes[0].kind != Kind::input) throw ResourceError("graph: node 0 is not the input");
  if (graph.output >= graph.nodes.size()) throw ResourceError("graph: there is no such output node");
  for (std::uint32_t number = 0; number < graph.nodes.size(); ++number) {
    const View v{graph, number, graph.nodes[number]};
    v.require(v.node.size >= 1, "no elements");
    v.require(number == 0 || v.node.kind != Kind::input, "second input node");
    for (std::uint32_t operand : v.node.operands) v.require(operand < number, "operand is not an earlier node");
    check_node(v);
    for (double c : v.node.payload) {
      v.require(std::isfinite(c), "NaN or infinity among the constants");
      if (graph.element == ElementType::binary32) {
        v.require(static_cast<double>(static_cast<float>(c)) == c, "constant is no binary32 number");
      }
    }
  }
  std::vector<bool> needed(graph.nodes.size(), false);
  needed[0] = needed[graph.output] = true;
  for (std::size_t number = graph.nodes.size(); number-- > 0;) {
    if (!needed[number])
      throw ResourceError("graph node " + std::to_string(number) + ": the output does not depend on it");
    for (std::uint32_t operand : graph.nodes[number].operands) needed[operand] = true;
  }
}

}  // namespace outward
