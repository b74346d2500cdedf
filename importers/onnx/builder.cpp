// Node emission and index arithmetic; see builder.hpp.
#include "importers/onnx/builder.hpp"

#include <cmath>
#include <numeric>

namespace outward::onnx_import {

Builder::Builder(ElementType element) { graph_.element = element; }

Value Builder::emit(Kind kind, std::vector<Value> operands, Shape shape, Integers ints, Floats payload) {
  const std::int64_t count = element_count(shape, max_generated);
  if (count == 0)
    refuse("empty-tensor", "a computed tensor has no elements", "at least one", "shape " + shape_text(shape));
  for (double c : payload) {
    if (!std::isfinite(c))
      refuse("not-finite", "a constant is NaN or infinite", "finite numbers", std::isnan(c) ? "NaN" : "infinity");
  }
  total_ += static_cast<std::int64_t>(ints.size() + payload.size());
  if (total_ > max_total)
    refuse("over-limit", "constants and indices of the graph", "at most " + std::to_string(max_total));
  if (graph_.nodes.size() >= max_nodes)
    refuse("over-limit", "nodes of the graph", "at most " + std::to_string(max_nodes));
  Node node;
  node.kind = kind;
  for (const Value& operand : operands) node.operands.push_back(operand.node);
  node.size = static_cast<std::uint64_t>(count);
  node.ints = std::move(ints);
  node.payload = std::move(payload);
  node.origin = origin_;
  node.shape = shape;
  graph_.nodes.push_back(std::move(node));
  return node_value(type(), std::move(shape), static_cast<std::uint32_t>(graph_.nodes.size() - 1));
}

Value Builder::materialise(const Value& constant, const Shape& shape) {
  return emit(Kind::constant, {}, shape, {}, broadcast_floats(constant, shape));
}

Value Builder::as_node(const Value& value) { return value.is_node() ? value : materialise(value, value.shape); }

Value Builder::map(const std::vector<Value>& operands, Integers indices, Shape shape) {
  if (operands.size() == 1 && indices.size() == graph_.nodes[operands[0].node].size) {
    bool identity = true;
    for (std::size_t i = 0; i < indices.size() && identity; ++i) identity = indices[i] == static_cast<std::int64_t>(i);
    if (identity) return reshaped(operands[0], std::move(shape));
  }
  return emit(Kind::map, operands, std::move(shape), std::move(indices));
}

Value Builder::select(const Value& value, const Integers& indices, Shape shape) {
  if (value.is_node()) return map({value}, indices, std::move(shape));
  if (value.is_constant()) {
    Floats floats(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) floats[i] = (*value.floats)[static_cast<std::size_t>(indices[i])];
    return float_value(value.type, std::move(shape), std::move(floats));
  }
  Integers ints(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) ints[i] = (*value.ints)[static_cast<std::size_t>(indices[i])];
  return integer_value(value.type, std::move(shape), std::move(ints));
}

Value Builder::expand(const Value& node, const Shape& shape) {
  if (node.shape == shape) return node;
  return map({node}, broadcast_indices(node.shape, shape), shape);
}

Graph Builder::finish(std::uint32_t output) {
  const std::size_t count = graph_.nodes.size();
  std::vector<bool> needed(count, false);
  needed[0] = needed[output] = true;
  for (std::size_t i = count; i-- > 0;) {
    if (!needed[i]) continue;
    for (std::uint32_t operand : graph_.nodes[i].operands) needed[operand] = true;
  }
  std::vector<std::uint32_t> number(count, 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!needed[i]) continue;
    number[i] = static_cast<std::uint32_t>(kept);
    for (std::uint32_t& operand : graph_.nodes[i].operands) operand = number[operand];
    if (kept != i) graph_.nodes[kept] = std::move(graph_.nodes[i]);
    ++kept;
  }
  graph_.nodes.resize(kept);
  graph_.output = number[output];
  return std::move(graph_);
}

Value reshaped(Value value, Shape shape) {
  value.shape = std::move(shape);
  return value;
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape result(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t x = i + a.size() >= rank ? a[i + a.size() - rank] : 1;
    const std::int64_t y = i + b.size() >= rank ? b[i + b.size() - rank] : 1;
    if (x != y && x != 1 && y != 1) {
      refuse("shape-mismatch", "operand shapes cannot be broadcast", "equal dimensions or 1",
             shape_text(a) + " and " + shape_text(b));
    }
    result[i] = x == 1 ? y : x;
  }
  element_count(result, max_generated);
  return result;
}

Integers strides_of(const Shape& shape) {
  Integers strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

namespace {

// Indices offset + Σ coordinate[i]·stride[i] for all coordinates of `shape` in row-major order.
Integers walk(const Shape& shape, const Integers& strides) {
  const std::int64_t count = element_count(shape, max_generated);
  Integers indices(static_cast<std::size_t>(count));
  if (count == 0) return indices;
  Shape coordinate(shape.size(), 0);
  std::int64_t index = 0;
  for (std::int64_t& out : indices) {
    out = index;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      index += strides[axis];
      if (++coordinate[axis] < shape[axis]) break;
      index -= strides[axis] * shape[axis];
      coordinate[axis] = 0;
    }
  }
  return indices;
}

}  // namespace

Integers broadcast_indices(const Shape& from, const Shape& to) {
  const Integers own = strides_of(from);
  Integers strides(to.size(), 0);
  const std::size_t shift = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) strides[i + shift] = from[i] == 1 ? 0 : own[i];
  return walk(to, strides);
}

Floats broadcast_floats(const Value& constant, const Shape& shape) {
  if (constant.shape == shape) return *constant.floats;
  const Integers indices = broadcast_indices(constant.shape, shape);
  Floats floats(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) floats[i] = (*constant.floats)[static_cast<std::size_t>(indices[i])];
  return floats;
}

Integers transpose_indices(const Shape& shape, const std::vector<std::size_t>& perm) {
  const Integers own = strides_of(shape);
  Shape to(shape.size());
  Integers strides(shape.size());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    to[i] = shape[perm[i]];
    strides[i] = own[perm[i]];
  }
  return walk(to, strides);
}

std::size_t normalise_axis(std::int64_t axis, std::size_t rank, const char* what) {
  const auto r = static_cast<std::int64_t>(rank);
  if (axis < -r || axis >= r) {
    refuse("bad-axis", what, "-" + std::to_string(r) + " to " + std::to_string(r - 1), std::to_string(axis));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + r : axis);
}

}  // namespace outward::onnx_import
