// What the parts of the ONNX reader share: protobuf messages, values, the graph under construction,
// one ONNX node being lowered by the operator rules of FORMAT.md section 2. Promises: every read
// lies inside its message; groups, unknown fields, wrong wire types and a second occurrence of a
// field that is not repeated are refused; sizes are checked and charged to a budget before anything
// is allocated; no node with NaN, infinity or without elements is emitted.
#pragma once
#include <bit>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checker/readers/readers.hpp"

namespace outward_check::onnx {

static_assert(std::endian::native == std::endian::little, "raw tensor data is little endian");

[[noreturn]] void malformed(const std::string& text);
[[noreturn]] void unsupported(const std::string& text);
inline void require(bool holds, const char* text) {
  if (!holds) malformed(text);
}
inline void support(bool holds, const char* text) {
  if (!holds) unsupported(text);
}

using Int = std::int64_t;
using Shape = std::vector<Int>;  // also index lists and the data of constants
using Reals = std::vector<double>;

inline Int word(double real) { return std::bit_cast<Int>(real); }

// ---- protobuf wire format ----

struct Span {
  const std::uint8_t* data = nullptr;
  std::uint64_t size = 0, offset = 0;  // offset in the file, for messages
  std::string text() const { return std::string(reinterpret_cast<const char*>(data), size); }
};

// Appends the bit patterns, as binary64, of floats of 4 or 8 bytes.
void append_floats(Span run, unsigned width, Shape* out);

// One message whose fields were all checked on construction. The bytes must outlive it. schema[f]
// is what field f may be: v one varint, f one 32-bit float, s bytes; capitals repeat: S bytes, I
// varints, F floats, D doubles (the numbers packed or not); '.' or beyond the end: refused.
class Message {
 public:
  Message(Span bytes, const char* name, const char* schema);
  bool has(unsigned field) const { return seen_ >> field & 1; }
  std::vector<Span> all(unsigned field) const;
  Shape integers(unsigned field) const;
  Shape floats(unsigned field, unsigned width) const;  // as append_floats
  Span bytes(unsigned field) const { return has(field) ? all(field)[0] : Span{}; }
  Int integer(unsigned field) const { return has(field) ? integers(field)[0] : 0; }
  double real(unsigned f) const { return has(f) ? std::bit_cast<double>(floats(f, 4)[0]) : 0; }
  std::string text(unsigned field) const { return bytes(field).text(); }

 private:
  Span bytes_;
  std::uint32_t seen_ = 0;
};

// ---- values ----

inline std::size_t max_rank() { return limit(Limit::rank); }
inline Int max_elements() { return static_cast<Int>(limit(Limit::elements)); }
enum Type : int { kFloat = 1, kInt64 = 7, kBool = 9, kDouble = 11 };  // TensorProto.DataType
inline bool is_float(int type) { return type == kFloat || type == kDouble; }

Int element_count(const Shape& shape);  // checked product; malformed or limit
std::string shape_text(const Shape& shape);
Int axis_in(Int axis, std::size_t rank);                          // negative counts from the end
std::vector<bool> axis_set(const Shape& axes, std::size_t rank);  // as flags; none twice
Shape broadcast(const Shape& a, const Shape& b);                  // numpy rules

// What an ONNX tensor name stands for: a constant (never changed, so shared) or a node. The data of
// a constant are its integers, or the bit patterns of its floats as binary64.
struct Value {
  int type = 0;
  Shape shape;
  std::shared_ptr<const Shape> data;
  std::uint32_t node = 0;
  bool is_node() const { return !data; }
  bool is_integer() const { return data && !is_float(type); }
  Int size() const { return element_count(shape); }
  double real(std::size_t i) const { return std::bit_cast<double>((*data)[i]); }
  Reals reals() const;
};
// Refuses integers that the type cannot hold.
Value make_constant(int type, Shape shape, Shape data);
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

// ---- lowering ----

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
  std::map<std::string, Message> attributes;
  std::vector<const Value*> in;  // null: absent
  std::vector<Value> out;

  // Attributes by name, or what an absent one means.
  bool given(const char* a) const { return attributes.count(a) != 0; }
  const Message& at(const char* a) const { return attributes.at(a); }
  Int integer(const char* a, Int absent) const { return given(a) ? at(a).integer(3) : absent; }
  double real(const char* a, float absent) const { return given(a) ? at(a).real(2) : absent; }
  std::string text(const char* a) const { return given(a) ? at(a).text(4) : ""; }
  Shape list(const char* a) const { return given(a) ? at(a).integers(8) : Shape{}; }
  Shape list(const char* a, std::size_t i) const { return has(i) ? values(i) : list(a); }

  bool has(std::size_t i) const { return i < in.size() && in[i] != nullptr; }
  const Value& floats(std::size_t i) const;    // float constant or node, not empty
  const Value& constant(std::size_t i) const;  // float constant, not empty
  const Shape& values(std::size_t i) const;    // integer constant

  void give(Value value) { out.push_back(std::move(value)); }
  Value emit(Kind type, const std::vector<Value>& operands, Shape shape, Shape ints,
             Reals payload = {});
  Value materialise(const Value& value);  // a node stays itself
  // out[i] = z[index[i]] over the concatenation of the operands: constants give a constant, else
  // constants are materialised and one map is emitted unless it is the identity of one operand.
  Value remap(std::vector<Value> operands, Shape shape, Shape index);
  Value expand(const Value& value, const Shape& shape);
  Shape run(Int start, Int count, Int step);   // start, start + step, ...
  std::vector<Shape> all(const Shape& shape);  // every coordinate of each axis
  // Flat indices of the elements with these coordinates per axis, -1 for those outside of the
  // tensor; the last axis varies fastest, or that of the given order.
  Shape picked(const Shape& from, const std::vector<Shape>& coordinates, Shape order = {});
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
void arithmetic(Op&), unary(Op&), leaky_relu(Op&), clip(Op&);
void matmul(Op&), gemm(Op&), conv(Op&), batch_normalization(Op&), pool(Op&), reduce(Op&);

}  // namespace outward_check::onnx
