// Emits the nodes of the canonical graph. Implements "materialise", "expand" and "emit a map" of certificates/FORMAT.md
// section 2 once, for all operator rules. Assumes operands it returned itself; promises nodes in emission order.
#pragma once
#include "importers/onnx/value.hpp"
#include "runtime/graph/graph.hpp"

namespace outward::onnx_import {

class Builder {
 public:
  explicit Builder(ElementType element);

  ElementType element() const { return graph_.element; }
  Type type() const { return graph_.element == ElementType::binary32 ? Type::f32 : Type::f64; }

  // Text that later nodes carry as their origin.
  void set_origin(std::string origin) { origin_ = std::move(origin); }

  // Appends a node. Refuses an empty one, NaN or infinity among its constants, and a graph over the limits.
  Value emit(Kind kind, std::vector<Value> operands, Shape shape, Integers ints = {}, Floats payload = {});

  // A new const node with the value of a float constant, expanded to `shape`.
  Value materialise(const Value& constant, const Shape& shape);

  // The value itself if it is a node, else a new const node of its own shape.
  Value as_node(const Value& value);

  // out[i] = z[indices[i]] over the concatenated operands (nodes); the single operand itself if that changes nothing.
  Value map(const std::vector<Value>& operands, Integers indices, Shape shape);

  // The same selection from one value of any state: constants stay constants.
  Value select(const Value& value, const Integers& indices, Shape shape);

  // Numpy broadcast of a node to `shape`: emits a map unless nothing changes.
  Value expand(const Value& node, const Shape& shape);

  // Removes what the output does not depend on and renumbers. The builder is empty afterwards.
  Graph finish(std::uint32_t output);

 private:
  Graph graph_;
  std::string origin_;
  std::int64_t total_ = 0;
};

// The same value seen with another shape of equally many elements.
Value reshaped(Value value, Shape shape);

// Result shape of the numpy broadcasting rules; refuses shapes that do not fit.
Shape broadcast_shape(const Shape& a, const Shape& b);

// For each element of `to` the element of `from` that broadcasting puts there. REQUIRES broadcast_shape(from, to) ==
// to.
Integers broadcast_indices(const Shape& from, const Shape& to);

// Elements of a float constant broadcast to `shape`.
Floats broadcast_floats(const Value& constant, const Shape& shape);

// For each element of the transposed tensor its index in the original: axis i of the result is axis perm[i] of `shape`.
Integers transpose_indices(const Shape& shape, const std::vector<std::size_t>& perm);

// Row-major strides.
Integers strides_of(const Shape& shape);

// An axis of a tensor of this rank, counted from the end if negative. Refuses anything outside.
std::size_t normalise_axis(std::int64_t axis, std::size_t rank, const char* what = "attribute axis");

}  // namespace outward::onnx_import
