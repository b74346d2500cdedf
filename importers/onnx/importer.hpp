// The importer's state while one model is read; the stages are in import.cpp (file and model), import_values.cpp
// (inputs, initializers, outputs) and import_nodes.cpp (operators).
#pragma once
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "importers/onnx/onnx.hpp"
#include "importers/onnx/operators.hpp"

namespace outward::onnx_import {

bool is_default_domain(const std::string& domain);

class Importer {
 public:
  Importer(const std::string& path, const ShapeOverrides& overrides, OnnxSummary* summary)
      : path_(path), overrides_(overrides), summary_(summary), external_(folder_of(path)) {}

  Model run();

 private:
  using Proto = onnx::ModelProto;

  void add(const std::string& where, const Refusal& refusal) {
    if (blockers_.size() >= 1000) return;
    blockers_.push_back({refusal.code, where, refusal.what, refusal.expected, refusal.found, refusal.next});
  }
  void stop_if_blocked() {
    if (!blockers_.empty()) throw InputRefused(blockers_);
  }
  void guarded(const std::string& where, auto&& body) {
    try {
      body();
    } catch (const Refusal& refusal) {
      add(where, refusal);
    }
  }

  void parse(const Bytes& bytes, Proto& model);
  void check_model(const Proto& model);
  void find_element_type(const onnx::GraphProto& graph);
  void read_initializers(const onnx::GraphProto& graph);
  void read_inputs(const onnx::GraphProto& graph);
  Shape input_shape(const onnx::ValueInfoProto& input);
  void read_node(const onnx::NodeProto& node, int index);
  const Operator* find_operator(const onnx::NodeProto& node);
  bool check_attributes(const onnx::NodeProto& node, const Operator& op);
  void define(const std::string& name, Value value);
  void charge(const Call& call);
  std::uint32_t read_outputs(const onnx::GraphProto& graph);
  void check_output_shape(const onnx::ValueInfoProto& output, const Value& value);

  std::string path_;
  const ShapeOverrides& overrides_;
  OnnxSummary* summary_;
  ExternalData external_;
  std::vector<Blocker> blockers_;
  std::string where_;  // of the node at hand
  int opset_ = 0;
  std::int64_t work_ = 0, memory_ = 0;  // elements of constants read by nodes, and made by them
  std::optional<Builder> build_;
  std::unordered_map<std::string, Value> values_;
  std::set<std::string> initializers_;
  Shape first_input_shape_;
};

}  // namespace outward::onnx_import
