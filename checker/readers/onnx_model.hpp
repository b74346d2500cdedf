// The part of ONNX a model may use here, decoded from bytes and not yet interpreted. Assumes the
// bytes outlive the Model. Promises: every field of every message is known or refused; tensor data
// is checked against its shape before anything is allocated.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/readers/onnx_wire.hpp"

namespace outward_check::onnx {

using Shape = std::vector<std::int64_t>;

// Limits of this reader; the message names the one that was hit.
inline constexpr std::int64_t kMaxRank = 16, kMaxElements = std::int64_t{1} << 31;
inline constexpr std::size_t kMaxNodes = std::size_t{1} << 20;

std::uint64_t element_count(const Shape& shape);  // checked product; malformed or limit
std::string shape_text(const Shape& shape);

// TensorProto.DataType codes used by name.
enum Type : int { kNoType = 0, kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9, kDouble = 11 };

// An element type this reader holds values of: width in bytes, the field of TensorProto that may
// carry it besides raw_data, and for integers the range.
struct TypeInfo {
  int code;
  unsigned width, field;
  std::int64_t lowest, greatest;
  const char* name;
};
const TypeInfo& type_info(int code);  // unsupported when there is none
inline bool is_float(int code) { return code == kFloat || code == kDouble; }

// What an ONNX tensor name stands for (FORMAT.md section 2). Constants are shared, never changed.
struct Value {
  enum class Is { integers, floats, node };
  Is is = Is::integers;
  int type = kNoType;
  Shape shape;
  std::shared_ptr<const std::vector<std::int64_t>> integers;
  std::shared_ptr<const std::vector<double>> floats;
  std::uint32_t node = 0;
  std::uint64_t size() const { return element_count(shape); }
};
Value integer_value(int type, Shape shape, std::vector<std::int64_t> values);
Value float_value(int type, Shape shape, std::vector<double> values);

struct Tensor {
  std::string name;
  Shape shape;
  int type = kNoType;
  bool external = false;
  std::uint32_t data_fields = 0;  // bit f: data field f was present
  Span raw;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::pair<std::string, std::string>> location;
};

struct Attribute {
  std::string name, text;
  int type = 0;  // AttributeProto.AttributeType
  float real = 0;
  std::int64_t integer = 0;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::shared_ptr<Tensor> tensor;
  std::uint32_t fields = 0;  // bit f: value field f was present
};

struct OnnxNode {
  std::string name, op, domain, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<Attribute> attributes;
};

struct ValueInfo {
  std::string name;
  int type = kNoType;
  bool has_shape = false;
  std::vector<std::optional<std::int64_t>> shape;  // empty entry: symbolic or missing
};

struct Model {
  std::int64_t opset = 0;
  std::vector<OnnxNode> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

Model decode_model(Span file);

// External data: regular files below the model's folder, reached without ".." and without symbolic
// links. Each is read once; what is hashed is what is parsed.
class ExternalFiles {
 public:
  explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Span find(const Tensor& tensor, std::uint64_t bytes);
  std::uint64_t total_bytes() const;
  void list(std::vector<ModelFile>* out) const;  // sorted by path

 private:
  std::filesystem::path folder_;
  std::map<std::string, Bytes> files_;
};

Value tensor_value(const Tensor& tensor, ExternalFiles* files);

}  // namespace outward_check::onnx
