// Drives the import: file -> raw checks -> protobuf -> table checks of every node -> rules in file order -> graph.
// Every stage collects blockers; a node whose operands failed is still checked against the table, so that one run names
// everything that has to change.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "importers/onnx/onnx.hpp"
#include "importers/onnx/operators.hpp"
#include "importers/onnx/wire.hpp"

namespace outward::onnx_import {
namespace {

constexpr int first_opset = 7, last_opset = 23;
constexpr std::int64_t first_ir = 3, last_ir = 11;
constexpr std::size_t max_blockers = 1000;

bool is_default_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

class Importer {
 public:
  Importer(const std::string& path, const ShapeOverrides& overrides, OnnxSummary* summary)
      : path_(path), overrides_(overrides), summary_(summary), external_(folder_of(path)) {}

  Model run();

 private:
  using Proto = onnx::ModelProto;

  void add(const std::string& where, const Refusal& refusal) {
    if (blockers_.size() >= max_blockers) return;
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
  std::uint32_t read_outputs(const onnx::GraphProto& graph);
  void check_output_shape(const onnx::ValueInfoProto& output, const Value& value);

  std::string path_;
  const ShapeOverrides& overrides_;
  OnnxSummary* summary_;
  ExternalData external_;
  std::vector<Blocker> blockers_;
  std::string where_;  // of the node at hand
  int opset_ = 0;
  std::optional<Builder> build_;
  std::unordered_map<std::string, Value> values_;
  std::set<std::string> initializers_;
  Shape first_input_shape_;
};

void Importer::parse(const Bytes& bytes, Proto& model) {
  for (Blocker& blocker : check_wire(bytes.data(), bytes.size())) {
    blocker.where = path_ + ", " + blocker.where;
    blockers_.push_back(std::move(blocker));
  }
  stop_if_blocked();
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(32);
  if (!model.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
    add(path_, {"malformed", "this is no ONNX model", "", "", ""});
  stop_if_blocked();
}

void Importer::check_model(const Proto& model) {
  if (model.ir_version() < first_ir || model.ir_version() > last_ir) {
    add(path_, {"unsupported-version", "IR version", "3 to 11",
                model.has_ir_version() ? std::to_string(model.ir_version()) : "none", ""});
  }
  std::set<std::int64_t> versions;
  for (const auto& import : model.opset_import()) {
    if (is_default_domain(import.domain())) versions.insert(import.version());
  }
  if (versions.size() != 1 || *versions.begin() < first_opset || *versions.begin() > last_opset) {
    std::string found;
    for (std::int64_t version : versions) found += (found.empty() ? "" : ", ") + std::to_string(version);
    add(path_, {"unsupported-opset", "opset of the default domain", "one version from 7 to 23",
                found.empty() ? "none" : found, ""});
  } else {
    opset_ = static_cast<int>(*versions.begin());
  }
  if (model.functions_size() > 0)
    add(path_, {"unsupported-function", "the model defines local functions", "none", "", "inline them"});
  if (model.training_info_size() > 0)
    add(path_, {"unsupported-training", "the model holds training information", "none", "", ""});
  if (!model.has_graph()) add(path_, {"malformed", "the model has no graph", "", "", ""});
  const auto& graph = model.graph();
  if (graph.sparse_initializer_size() > 0)
    add(path_, {"unsupported-type", "the graph has sparse initializers", "dense ones", "", ""});
  if (graph.quantization_annotation_size() > 0) {
    add(path_, {"unsupported-quantization", "the graph has quantization annotations", "none", "", ""});
  }
  if (static_cast<std::size_t>(graph.node_size()) > max_nodes) {
    add(path_, {"over-limit", "number of nodes", "at most " + std::to_string(max_nodes),
                std::to_string(graph.node_size()), ""});
  }
}

// The element type of the graph is that of its free inputs.
void Importer::find_element_type(const onnx::GraphProto& graph) {
  const std::size_t before = blockers_.size();
  for (const auto& initializer : graph.initializer()) initializers_.insert(initializer.name());
  std::set<std::int32_t> types;
  for (const auto& input : graph.input()) {
    if (initializers_.count(input.name()) > 0) continue;
    const bool tensor = input.type().value_case() == onnx::TypeProto::kTensorType;
    const std::int32_t type = tensor ? input.type().tensor_type().elem_type() : 0;
    types.insert(type);
    if (!is_float(type_of(type))) {
      add("input " + quoted(input.name()),
          {"unsupported-type", "element type", "float32 or float64", tensor ? data_type_text(type) : "no tensor", ""});
    }
  }
  if (types.empty()) add(path_, {"no-input", "the graph has no free input", "an input without initializer", "", ""});
  if (types.size() > 1)
    add(path_, {"unsupported-type", "the free inputs have different element types", "one type", "", ""});
  if (blockers_.size() > before) throw InputRefused(blockers_);  // without it no rule can run
  build_.emplace(type_of(*types.begin()) == Type::f32 ? ElementType::binary32 : ElementType::binary64);
}

void Importer::define(const std::string& name, Value value) {
  if (!values_.emplace(name, std::move(value)).second) {
    refuse("duplicate-name", "tensor name " + quoted(name) + " is defined twice", "every name once");
  }
}

Shape Importer::input_shape(const onnx::ValueInfoProto& input) {
  const auto& type = input.type().tensor_type();
  const auto override = overrides_.find(input.name());
  const Shape* given = override == overrides_.end() ? nullptr : &override->second;
  if (!type.has_shape()) {
    if (given == nullptr) {
      throw Refusal{"open-shape", "the input has no shape", "a shape", "",
                    "give one with --input-shape " + input.name() + "=..."};
    }
    return *given;
  }
  const auto rank = static_cast<std::size_t>(type.shape().dim_size());
  if (given != nullptr && given->size() != rank) {
    throw UsageError("shape of input " + quoted(input.name()) + ": the model has rank " + std::to_string(rank) +
                     ", not " + shape_text(*given));
  }
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto& dim = type.shape().dim(static_cast<int>(i));
    if (dim.value_case() == onnx::TensorShapeProto::Dimension::kDimValue) {
      if (given != nullptr && (*given)[i] != dim.dim_value()) {
        throw UsageError("shape of input " + quoted(input.name()) + ": dimension " + std::to_string(i) + " is " +
                         std::to_string(dim.dim_value()) + " in the model, not " + std::to_string((*given)[i]));
      }
      shape.push_back(dim.dim_value());
    } else if (given != nullptr) {
      shape.push_back((*given)[i]);
    } else if (i == 0) {
      shape.push_back(1);  // the batch
    } else {
      throw Refusal{"open-shape", "dimension " + std::to_string(i), "a number",
                    dim.dim_param().empty() ? "nothing" : quoted(dim.dim_param()),
                    "give the shape with --input-shape " + input.name() + "=..."};
    }
  }
  return shape;
}

void Importer::read_inputs(const onnx::GraphProto& graph) {
  struct Input {
    std::string name;
    Shape shape;
    std::int64_t size;
  };
  const std::size_t before = blockers_.size();
  std::vector<Input> inputs;
  std::set<std::string> names;
  for (const auto& input : graph.input()) {
    guarded("input " + quoted(input.name()), [&] {
      if (!names.insert(input.name()).second || input.name().empty()) {
        refuse("duplicate-name", "name of the input", "new and not empty");
      }
      if (initializers_.count(input.name()) > 0) return;
      Shape shape = input_shape(input);
      for (std::int64_t dim : shape) {
        if (dim < 1) refuse("bad-shape", "dimension of an input", "1 or more", std::to_string(dim));
      }
      const std::int64_t size = element_count(shape, max_generated);
      inputs.push_back({input.name(), std::move(shape), size});
    });
  }
  for (const auto& [name, shape] : overrides_) {
    if (names.count(name) == 0 || initializers_.count(name) > 0) {
      throw UsageError("shape of input " + quoted(name) + ": the model has no such free input");
    }
  }
  std::int64_t total = 0;
  for (const Input& input : inputs) total += input.size;
  guarded(path_, [&] { element_count({total}, max_generated); });
  if (blockers_.size() > before) {
    // Nothing can be computed, but the nodes can still be checked against the table.
    inputs.clear();
    for (const std::string& name : names) {
      if (initializers_.count(name) == 0) values_[name].state = Value::State::poisoned;
    }
    build_->emit(Kind::input, {}, {1});
    return;
  }
  first_input_shape_ = inputs.front().shape;
  build_->set_origin("input " + quoted(inputs.front().name));
  const Value all = build_->emit(Kind::input, {}, inputs.size() == 1 ? inputs.front().shape : Shape{total});
  std::int64_t start = 0;
  for (const Input& input : inputs) {
    Integers indices(static_cast<std::size_t>(input.size));
    for (std::int64_t& index : indices) index = start++;
    build_->set_origin("input " + quoted(input.name));
    values_.emplace(input.name, build_->map({all}, std::move(indices), input.shape));
    if (summary_ != nullptr) summary_->inputs.push_back({input.name, input.shape});
  }
}

void Importer::read_initializers(const onnx::GraphProto& graph) {
  for (const auto& initializer : graph.initializer()) {
    const std::string where = "initializer " + quoted(initializer.name());
    Value value;
    value.state = Value::State::poisoned;
    guarded(where, [&] {
      value = read_tensor(initializer, external_);
      if (is_float(value.type)) {
        if (summary_ != nullptr) summary_->parameters += value.floats->size();
        if (value.type != build_->type()) {
          const Type found = value.type;
          value.state = Value::State::poisoned;
          refuse("unsupported-type", "element type", type_name(build_->type()), type_name(found));
        }
      }
    });
    guarded(where, [&] {
      if (initializer.name().empty()) refuse("bad-name", "an initializer has no name");
      define(initializer.name(), std::move(value));
    });
  }
}

const Operator* Importer::find_operator(const onnx::NodeProto& node) {
  if (!is_default_domain(node.domain())) {
    refuse("unsupported-domain", "operator domain", "the default domain", quoted(node.domain()));
  }
  bool known = false;
  std::string opsets;
  for (const Operator& op : operator_table()) {
    if (node.op_type() != op.name) continue;
    if (op.since <= opset_ && opset_ <= op.until) return &op;
    known = true;
    opsets += (opsets.empty() ? "" : ", ") + std::to_string(op.since) + " to " + std::to_string(op.until);
  }
  if (known) refuse("unsupported-opset", "operator " + node.op_type(), "opset " + opsets, std::to_string(opset_));
  throw Refusal{"unsupported-operator", "operator " + quoted(node.op_type()) + " is not supported", "", "",
                "`model ops` lists what is"};
}

// Adds a blocker per attribute the table does not define or that has another type. True if there was none.
bool Importer::check_attributes(const onnx::NodeProto& node, const Operator& op) {
  const std::size_t before = blockers_.size();
  std::set<std::string> seen;
  for (const auto& attribute : node.attribute()) {
    const std::string what = "attribute " + attribute.name();
    guarded(where_, [&] {
      if (!seen.insert(attribute.name()).second) refuse("repeated-attribute", what + " is given twice");
      const std::string list = std::string(" ") + op.attributes + " ", key = " " + attribute.name() + ":";
      const std::size_t at = list.find(key);
      if (at == std::string::npos || attribute.name().find_first_of(" :") != std::string::npos) {
        refuse("unknown-attribute", "attribute " + quoted(attribute.name()),
               *op.attributes == '\0' ? "no attributes" : std::string("one of ") + op.attributes, "");
      }
      const char type = list[at + key.size()];
      if (type == '-') refuse("unsupported-attribute", what + " is not supported");
      if (!attribute.ref_attr_name().empty()) refuse("unsupported-attribute", what + " refers to a function attribute");
      using A = onnx::AttributeProto;
      const A::AttributeType wanted = type == 'i'   ? A::INT
                                      : type == 'f' ? A::FLOAT
                                      : type == 's' ? A::STRING
                                      : type == 'I' ? A::INTS
                                      : type == 'F' ? A::FLOATS
                                                    : A::TENSOR;
      if (!attribute.has_type() || attribute.type() != wanted) {
        refuse("bad-attribute", what, "type " + A::AttributeType_Name(wanted),
               attribute.has_type() ? A::AttributeType_Name(attribute.type()) : "no type");
      }
      const bool stray = (attribute.has_i() && type != 'i') || (attribute.has_f() && type != 'f') ||
                         (attribute.has_s() && type != 's') || (attribute.has_t() && type != 't') ||
                         (attribute.ints_size() > 0 && type != 'I') || (attribute.floats_size() > 0 && type != 'F') ||
                         attribute.strings_size() > 0 || attribute.tensors_size() > 0 || attribute.has_g() ||
                         attribute.graphs_size() > 0 || attribute.has_sparse_tensor() || attribute.has_tp();
      if (stray || (type == 't' && !attribute.has_t())) refuse("bad-attribute", what, "one value of the declared type");
    });
  }
  return blockers_.size() == before;
}

void Importer::read_node(const onnx::NodeProto& node, int index) {
  std::string label = "node " + std::to_string(index) + (node.name().empty() ? "" : " " + quoted(node.name()));
  where_ = label + " (" + (node.op_type().empty() ? "no operator" : node.op_type()) + ", opset " +
           std::to_string(opset_) + ")";
  if (summary_ != nullptr) ++summary_->operators[node.op_type()];

  const Attributes attributes(node, external_);
  Call call{*build_, attributes, {}, {}, {}, opset_};
  bool ready = true;
  for (const std::string& name : node.input()) {
    Value value;
    guarded(where_, [&] {
      if (name.empty()) return;
      const auto found = values_.find(name);
      value.state = Value::State::poisoned;
      if (found == values_.end())
        refuse("unknown-tensor", "operand " + quoted(name) + " is not defined before this node");
      if (!found->second.present())
        refuse("unsupported-output", "operand " + quoted(name) + " has no value in inference mode");
      value = found->second;
    });
    ready = ready && value.state != Value::State::poisoned;
    call.in.push_back(std::move(value));
  }
  for (const std::string& name : node.output()) call.wanted.push_back(!name.empty());
  call.out.resize(call.wanted.size());

  guarded(where_, [&] {
    const Operator* op = nullptr;
    try {
      op = find_operator(node);
      ready = check_attributes(node, *op) && ready;
      const auto inputs = static_cast<int>(call.in.size()), outputs = static_cast<int>(call.out.size());
      if (inputs < op->min_inputs || (op->max_inputs >= 0 && inputs > op->max_inputs)) {
        refuse("bad-operands", "number of operands",
               std::to_string(op->min_inputs) +
                   (op->max_inputs < 0 ? " or more" : " to " + std::to_string(op->max_inputs)),
               std::to_string(inputs));
      }
      for (int i = 0; i < op->min_inputs; ++i) {
        if (!call.in[static_cast<std::size_t>(i)].present())
          refuse("missing-operand", "operand " + std::to_string(i) + " is left out");
      }
      if (outputs < 1 || (op->max_outputs >= 0 && outputs > op->max_outputs)) {
        refuse("bad-outputs", "number of outputs", "1 to " + std::to_string(op->max_outputs), std::to_string(outputs));
      }
      if (ready) {
        build_->set_origin(label + " (" + node.op_type() + ")");
        op->rule(call);
      }
    } catch (const Refusal&) {
      ready = false;
      throw;
    }
  });
  for (std::size_t i = 0; i < call.out.size(); ++i) {
    if (!call.wanted[i]) continue;
    if (!ready) {
      call.out[i] = Value{};
      call.out[i].state = Value::State::poisoned;
    }
    guarded(where_, [&] { define(node.output(static_cast<int>(i)), std::move(call.out[i])); });
  }
}

void Importer::check_output_shape(const onnx::ValueInfoProto& output, const Value& value) {
  if (!output.has_type()) return;
  if (output.type().value_case() != onnx::TypeProto::kTensorType) refuse("unsupported-type", "output", "a tensor");
  const auto& type = output.type().tensor_type();
  if (type_of(type.elem_type()) != build_->type()) {
    refuse("unsupported-type", "declared element type", type_name(build_->type()), data_type_text(type.elem_type()));
  }
  if (!type.has_shape()) return;
  bool fits = static_cast<std::size_t>(type.shape().dim_size()) == value.shape.size();
  std::string declared;
  for (int i = 0; i < type.shape().dim_size(); ++i) {
    const auto& dim = type.shape().dim(i);
    const bool fixed = dim.value_case() == onnx::TensorShapeProto::Dimension::kDimValue;
    if (i < 16) declared += (i == 0 ? "" : ",") + (fixed ? std::to_string(dim.dim_value()) : std::string("?"));
    fits = fits && (!fixed || dim.dim_value() == value.shape[static_cast<std::size_t>(i)]);
  }
  if (!fits) refuse("shape-mismatch", "declared shape", shape_text(value.shape) + " (computed)", "[" + declared + "]");
}

std::uint32_t Importer::read_outputs(const onnx::GraphProto& graph) {
  std::vector<Value> outputs;
  if (graph.output_size() == 0) add(path_, {"no-output", "the graph has no output", "", "", ""});
  for (const auto& output : graph.output()) {
    const std::string where = "output " + quoted(output.name());
    guarded(where, [&] {
      const auto found = values_.find(output.name());
      if (found == values_.end()) refuse("unknown-tensor", "the output is never produced");
      const Value& value = found->second;
      if (value.state == Value::State::poisoned) return;
      if (!value.is_float_value())
        refuse("unsupported-type", "output", "a float tensor",
               value.present() ? type_name(value.type) : "no value in inference mode");
      check_output_shape(output, value);
      outputs.push_back(value);
      if (summary_ != nullptr) summary_->outputs.push_back({output.name(), value.shape});
    });
  }
  stop_if_blocked();
  std::uint32_t result = 0;
  guarded("outputs", [&] {
    build_->set_origin("outputs");
    std::vector<Value> operands;
    std::int64_t total = 0;
    for (const Value& value : outputs) {
      operands.push_back(build_->as_node(value));
      total += element_count(value.shape);
    }
    Integers indices(static_cast<std::size_t>(element_count({total}, max_generated)));
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i);
    const Shape shape = operands.size() == 1 ? operands.front().shape : Shape{total};
    result = build_->map(operands, std::move(indices), shape).node;
  });
  stop_if_blocked();
  return result;
}

Model Importer::run() {
  Model result;
  auto model = std::make_unique<Proto>();
  {
    const Bytes bytes = read_model_file(path_);
    parse(bytes, *model);
    result.files.push_back({name_of(path_), bytes.size(), sha256_hex(bytes.data(), bytes.size())});
  }
  check_model(*model);
  if (!model->has_graph()) stop_if_blocked();
  const auto& graph = model->graph();
  if (summary_ != nullptr) {
    summary_->ir_version = model->ir_version();
    summary_->opset = opset_;
    summary_->producer = model->producer_name();
  }
  find_element_type(graph);
  read_inputs(graph);
  read_initializers(graph);
  if (opset_ == 0) stop_if_blocked();
  for (int i = 0; i < graph.node_size(); ++i) read_node(graph.node(i), i);
  const std::uint32_t output = read_outputs(graph);
  result.graph = build_->finish(output);
  result.graph.input_shape = first_input_shape_;
  const auto manifest = external_.manifest();
  result.files.insert(result.files.end(), manifest.begin(), manifest.end());
  for (const auto& entry : overrides_) result.shape_overrides.push_back(entry);
  validate(result.graph);
  return result;
}

}  // namespace
}  // namespace outward::onnx_import

namespace outward {

Model import_onnx(const std::string& path, const ShapeOverrides& overrides, OnnxSummary* summary) {
  if (summary != nullptr) *summary = {};
  return onnx_import::Importer(path, overrides, summary).run();
}

Model import_onnx(const std::string& path, const ShapeOverrides& overrides) {
  return import_onnx(path, overrides, nullptr);
}

}  // namespace outward
