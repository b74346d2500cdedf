// One ONNX node on its way into the canonical graph (FORMAT.md section 2). Assumes operands were
// looked up and attributes were checked against the operator table. Promises: everything allocated
// is charged to a budget first; no node with NaN, infinity or without elements is emitted.
#pragma once
#include <functional>

#include "checker/readers/onnx_model.hpp"

namespace outward_check::onnx {

// The graph under construction.
struct Target {
  Graph graph;
  ExternalFiles* files = nullptr;
  std::uint64_t budget = 0;  // elements that may still be made: indices, payload, expanded constants
  int type() const { return graph.is_binary64 ? kDouble : kFloat; }
  void charge(std::uint64_t elements);
};

struct Op {
  const OnnxNode& node;
  std::int64_t opset;
  Target& to;
  std::vector<const Value*> in;  // null: absent
  std::vector<Value> out;

  const Attribute* attribute(const char* name) const;
  std::int64_t integer(const char* name, std::int64_t absent) const;
  double real(const char* name, float absent) const;
  Shape integers(const char* name) const;  // empty when absent

  bool has(std::size_t i) const { return i < in.size() && in[i] != nullptr; }
  const Value& floats(std::size_t i) const;    // float constant or node
  const Value& constant(std::size_t i) const;  // float constant
  const Shape& values(std::size_t i) const;    // integer constant
  bool all_integers() const;

  void give(Value value) { out.push_back(std::move(value)); }
  // A new node as a value.
  Value emit(Kind kind, const std::vector<Value>& operands, Shape shape, Shape ints = {},
             std::vector<double> payload = {});
  Value materialise(const Value& value);  // a node stays itself
  // out[i] = z[index[i]] over the concatenation of the operands: constants give a constant, else
  // constants are materialised and one map is emitted unless it is the identity of one operand.
  Value remap(std::vector<Value> operands, Shape shape, Shape index);
  Value expand(const Value& value, const Shape& shape);  // numpy broadcasting
  // Per axis of `from` the coordinates to take, -1 for none: flat indices in row-major order.
  Shape select(const Shape& from, const std::vector<Shape>& coordinates);
  Shape transposed(const Shape& from, const Shape& order);  // flat indices of a transposition
  Shape run(std::int64_t start, std::int64_t count, std::int64_t step);  // start, start + step, ...
};

std::int64_t axis_in(std::int64_t axis, std::size_t rank);  // negative counts from the end
Shape broadcast(const Shape& a, const Shape& b);
Value with_shape(Value value, Shape shape);

// The reduced axes of a Reduce operator moved behind the kept ones: flat indices, K elements each.
struct Reduction {
  Shape index, shape;
  std::int64_t K = 1;
  bool nothing = false;  // noop_with_empty_axes
};
Reduction reduction(Op& op);

// A rule reads op, emits nodes and gives the outputs; it throws ReadError for what is not supported.
using Rule = void (*)(Op&);
// One row per form of an operator: valid from opset `since` to the next row of the same name.
// attributes: "name:type" with type one of f i s t F I; "!" when required. Rules: one for operands
// that are integer constants only, one for the rest; null: refused.
struct Form {
  const char* name;
  int since;
  unsigned least, most;  // operands
  const char* attributes;
  Rule integers, floats;
};

// The rules, by file: onnx_integers.cpp, onnx_index.cpp, onnx_floats.cpp.
void constant(Op&), constant_of_shape(Op&), shape_of(Op&), size_of(Op&), range(Op&), where(Op&);
void cast(Op&), negate_integers(Op&), abs_integers(Op&), not_integers(Op&);
void add_integers(Op&), subtract_integers(Op&), multiply_integers(Op&), divide_integers(Op&);
void modulo(Op&), minimum(Op&), maximum(Op&), equal(Op&), greater(Op&), less(Op&);
void greater_equal(Op&), less_equal(Op&), logical_and(Op&), logical_or(Op&);
void reduce_sum_integers(Op&), reduce_prod(Op&), reduce_min(Op&), reduce_max(Op&);
void identity(Op&), dropout(Op&), flatten(Op&), reshape(Op&), squeeze(Op&), unsqueeze(Op&);
void transpose(Op&), concat(Op&), slice(Op&), split(Op&), gather(Op&), pad(Op&), expand(Op&);
void add(Op&), subtract(Op&), multiply(Op&), divide(Op&), negate(Op&), relu(Op&), absolute(Op&);
void leaky_relu(Op&), clip(Op&), matmul(Op&), gemm(Op&), conv(Op&), batch_normalization(Op&);
void average_pool(Op&), global_average_pool(Op&), max_pool(Op&), reduce_sum(Op&), reduce_mean(Op&);

}  // namespace outward_check::onnx
