// What the operator rules of FORMAT.md section 2 share: values, the graph under construction, one
// ONNX node being lowered. Promises: sizes are checked and charged to a budget before anything is
// allocated; no node with NaN, infinity or without elements is emitted.
#pragma once
#include <filesystem>
#include <map>
#include <memory>

#include "checker/readers/onnx_wire.hpp"

namespace outward_check::onnx {

using Int = std::int64_t;
using Shape = std::vector<Int>;  // also index lists
using Reals = std::vector<double>;

inline constexpr Int kMaxRank = 16, kMaxElements = Int{1} << 31, kMaxNodes = Int{1} << 20;
enum Type : int { kFloat = 1, kInt64 = 7, kBool = 9, kDouble = 11 };  // TensorProto.DataType
inline bool is_float(int type) { return type == kFloat || type == kDouble; }
const char* type_name(int type);  // unsupported if this reader holds no values of the type

Int element_count(const Shape& shape);  // checked product; malformed or limit
std::string shape_text(const Shape& shape);
Int axis_in(Int axis, std::size_t rank);                          // negative counts from the end
std::vector<bool> axis_set(const Shape& axes, std::size_t rank);  // as flags; none twice
Shape broadcast(const Shape& a, const Shape& b);                  // numpy rules

// What an ONNX tensor name stands for: a constant (never changed, so shared) or a node.
struct Value {
  int type = 0;
  Shape shape;
  std::shared_ptr<const Shape> integers;
  std::shared_ptr<const Reals> floats;
  std::uint32_t node = 0;
  bool is_node() const { return !integers && !floats; }
  Int size() const { return element_count(shape); }
};
Value integer_value(int type, Shape shape, Shape values);  // refuses what the type cannot hold
Value float_value(int type, Shape shape, Reals values);
Value with_shape(Value value, Shape shape);

// External data: regular files below the model's folder, reached without ".." and symbolic links.
// Each is read once; what is hashed is what is parsed.
struct ExternalFiles {
  std::filesystem::path folder;
  std::map<std::string, Bytes> files;
  Span find(const Message& tensor, std::uint64_t bytes);
};
Value tensor_value(Span tensor, ExternalFiles* files);
std::string tensor_name(Span tensor);

struct Target {
  Graph graph;
  ExternalFiles external;
  std::uint64_t budget = 0;  // elements that may still be made: indices, payloads, constants
  int type() const { return graph.is_binary64 ? kDouble : kFloat; }
  void charge(Int elements);
};

struct Op {
  Target& to;
  Int opset;
  std::string kind, name;  // operator; what messages call the node
  std::size_t outputs = 1;
  bool complete = false;  // the rule ran to its end
  std::map<std::string, Message> attributes;
  std::vector<const Value*> in;  // null: absent
  std::vector<Value> out;

  bool given(const char* attribute) const { return attributes.count(attribute) != 0; }
  Int integer(const char* attribute, Int absent) const;
  double real(const char* attribute, float absent) const;
  std::string text(const char* attribute, const char* absent) const;
  Shape list(const char* attribute) const;                 // empty when absent
  Shape list(const char* attribute, std::size_t i) const;  // from operand i if it is there
  bool has(std::size_t i) const { return i < in.size() && in[i] != nullptr; }
  const Value& floats(std::size_t i) const;    // float constant or node, not empty
  const Value& constant(std::size_t i) const;  // float constant, not empty
  const Shape& values(std::size_t i) const;    // integer constant

  void give(Value value) { out.push_back(std::move(value)); }
  Value emit(Kind type, const std::vector<Value>& operands, Shape shape, Shape ints, Reals payload = {});
  Value materialise(const Value& value);  // a node stays itself
  // out[i] = z[index[i]] over the concatenation of the operands: constants give a constant, else
  // constants are materialised and one map is emitted unless it is the identity of one operand.
  Value remap(std::vector<Value> operands, Shape shape, Shape index);
  Value expand(const Value& value, const Shape& shape);
  Shape run(Int start, Int count, Int step);                               // start, start + step, ...
  std::vector<Shape> everything(const Shape& shape);                       // all coordinates per axis
  Shape select(const Shape& from, const std::vector<Shape>& coordinates);  // flat, -1 where one is
  Shape transposed(const Shape& from, const Shape& order);                 // flat indices of a transposition
};

// The reduced axes of a Reduce operator moved behind the kept ones, K elements for each result.
struct Reduction {
  Shape index, shape;
  Int K = 1;
  bool nothing = false;  // noop_with_empty_axes
};
Reduction reduction(Op& op);

// The rules: each reads op, emits nodes, gives the outputs, and throws for what is not supported.
void constant(Op&), constant_of_shape(Op&), shape_of(Op&), size_of(Op&), range(Op&), where(Op&);
void cast(Op&), fold(Op&), fold_unary(Op&), fold_reduce(Op&);
void identity(Op&), dropout(Op&), flatten(Op&), reshape(Op&), squeeze(Op&), unsqueeze(Op&);
void transpose(Op&), concat(Op&), slice(Op&), split(Op&), gather(Op&), pad(Op&), expand(Op&);
void add(Op&), subtract(Op&), multiply(Op&), divide(Op&), negate(Op&), relu(Op&), absolute(Op&);
void leaky_relu(Op&), clip(Op&), matmul(Op&), gemm(Op&), conv(Op&), batch_normalization(Op&);
void average_pool(Op&), global_average_pool(Op&), max_pool(Op&), reduce_sum(Op&), reduce_mean(Op&);

}  // namespace outward_check::onnx
