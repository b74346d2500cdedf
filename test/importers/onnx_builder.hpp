// Builds small ONNX models for tests with the official protobuf classes and imports them through a scratch file.
#pragma once
#include <onnx/onnx_pb.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "importers/onnx/onnx.hpp"

namespace onnx_test {

using Dims = std::vector<std::int64_t>;
using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Names = std::vector<std::string>;

struct Attribute {
  std::string name;
  std::variant<std::int64_t, float, std::string, Ints, Floats, onnx::TensorProto> value;
};
using Attributes = std::vector<Attribute>;

// A folder that disappears with the object.
class Scratch {
 public:
  Scratch() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("outward-onnx-" + std::to_string(getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }
  std::filesystem::path path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline onnx::TensorProto tensor(const std::string& name, const Dims& dims, const Floats& values) {
  onnx::TensorProto t;
  t.set_name(name);
  t.set_data_type(onnx::TensorProto::FLOAT);
  for (auto d : dims) t.add_dims(d);
  for (float v : values) t.add_float_data(v);
  return t;
}

inline onnx::TensorProto tensor(const std::string& name, const Dims& dims, const Ints& values,
                                int type = onnx::TensorProto::INT64) {
  onnx::TensorProto t;
  t.set_name(name);
  t.set_data_type(type);
  for (auto d : dims) t.add_dims(d);
  for (auto v : values) {
    if (type == onnx::TensorProto::INT64)
      t.add_int64_data(v);
    else
      t.add_int32_data(static_cast<std::int32_t>(v));
  }
  return t;
}

class Net {
 public:
  explicit Net(int opset = 13, int ir = 8) {
    model.set_ir_version(ir);
    model.add_opset_import()->set_version(opset);
    model.mutable_graph()->set_name("test");
  }
  Net& input(const std::string& name, const Dims& dims, int type = onnx::TensorProto::FLOAT) {
    value(model.mutable_graph()->add_input(), name, dims, type);
    return *this;
  }
  Net& output(const std::string& name, const Dims& dims, int type = onnx::TensorProto::FLOAT) {
    value(model.mutable_graph()->add_output(), name, dims, type);
    return *this;
  }
  // Without a declared shape.
  Net& output(const std::string& name) { return output_of_type(name, onnx::TensorProto::FLOAT); }
  Net& output_of_type(const std::string& name, int type) {
    auto* out = model.mutable_graph()->add_output();
    out->set_name(name);
    out->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    return *this;
  }
  Net& constant(const onnx::TensorProto& t) {
    *model.mutable_graph()->add_initializer() = t;
    return *this;
  }
  Net& constant(const std::string& name, const Dims& dims, const Floats& values) {
    return constant(tensor(name, dims, values));
  }
  Net& integers(const std::string& name, const Dims& dims, const Ints& values, int type = onnx::TensorProto::INT64) {
    return constant(tensor(name, dims, values, type));
  }
  // A rank-1 int64 constant.
  Net& list(const std::string& name, const Ints& values) {
    return integers(name, {static_cast<std::int64_t>(values.size())}, values);
  }
  Net& node(const std::string& op, const Names& in, const Names& out, const Attributes& attributes = {}) {
    auto* n = model.mutable_graph()->add_node();
    n->set_op_type(op);
    for (const auto& name : in) n->add_input(name);
    for (const auto& name : out) n->add_output(name);
    for (const auto& attribute : attributes) set(n->add_attribute(), attribute);
    return *this;
  }

  std::string bytes() const { return model.SerializeAsString(); }
  outward::Model import(const outward::ShapeOverrides& overrides = {}) const {
    const Scratch scratch;
    return outward::import_onnx(scratch.write("model.onnx", bytes()), overrides);
  }

  onnx::ModelProto model;

 private:
  static void value(onnx::ValueInfoProto* info, const std::string& name, const Dims& dims, int type) {
    info->set_name(name);
    auto* t = info->mutable_type()->mutable_tensor_type();
    t->set_elem_type(type);
    t->mutable_shape();
    for (auto d : dims) {
      auto* dim = t->mutable_shape()->add_dim();
      if (d >= 0)
        dim->set_dim_value(d);
      else
        dim->set_dim_param("n" + std::to_string(-d));
    }
  }
  static void set(onnx::AttributeProto* a, const Attribute& from) {
    a->set_name(from.name);
    if (const auto* i = std::get_if<std::int64_t>(&from.value)) {
      a->set_type(onnx::AttributeProto::INT);
      a->set_i(*i);
    } else if (const auto* f = std::get_if<float>(&from.value)) {
      a->set_type(onnx::AttributeProto::FLOAT);
      a->set_f(*f);
    } else if (const auto* s = std::get_if<std::string>(&from.value)) {
      a->set_type(onnx::AttributeProto::STRING);
      a->set_s(*s);
    } else if (const auto* is = std::get_if<Ints>(&from.value)) {
      a->set_type(onnx::AttributeProto::INTS);
      for (auto x : *is) a->add_ints(x);
    } else if (const auto* fs = std::get_if<Floats>(&from.value)) {
      a->set_type(onnx::AttributeProto::FLOATS);
      for (auto x : *fs) a->add_floats(x);
    } else {
      a->set_type(onnx::AttributeProto::TENSOR);
      *a->mutable_t() = std::get<onnx::TensorProto>(from.value);
    }
  }
};

inline Attribute attr(const char* name, std::int64_t value) { return {name, value}; }
inline Attribute attr(const char* name, int value) { return {name, std::int64_t{value}}; }
inline Attribute attr(const char* name, float value) { return {name, value}; }
inline Attribute attr(const char* name, const char* value) { return {name, std::string(value)}; }
inline Attribute attr(const char* name, const Ints& value) { return {name, value}; }
inline Attribute attr(const char* name, const Floats& value) { return {name, value}; }
inline Attribute attr(const char* name, const onnx::TensorProto& value) { return {name, value}; }

// The blockers of a refused model; empty if it was accepted.
inline std::vector<outward::Blocker> blockers(const Net& net, const outward::ShapeOverrides& overrides = {}) {
  try {
    net.import(overrides);
    return {};
  } catch (const outward::InputRefused& refused) {
    return refused.blockers;
  }
}

// The code of the only blocker, "accepted", or all codes joined by blanks.
inline std::string refusal(const Net& net) {
  std::string codes;
  for (const auto& blocker : blockers(net)) codes += (codes.empty() ? "" : " ") + blocker.code;
  return codes.empty() ? "accepted" : codes;
}

// Folder with outside test data, empty if there is none.
inline std::string cases_folder() {
  const char* given = std::getenv("OUTWARD_CASES");
  const std::string folder = given != nullptr ? given : OUTWARD_SOURCE_DIR "/../shared/cases";
  return std::filesystem::is_directory(folder) ? folder : "";
}

}  // namespace onnx_test
