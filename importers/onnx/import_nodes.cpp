// One ONNX node: the checks against the operator table, then its rule; see importer.hpp. Every failure becomes a
// blocker with the place of the node, and its outputs are poisoned.
#include <algorithm>

#include "importers/onnx/importer.hpp"

namespace outward::onnx_import {

const Operator* Importer::find_operator(const onnx::NodeProto& node) {
  if (!is_default_domain(node.domain())) {
    refuse("unsupported-domain", "operator domain", "the default domain", in_quotes(node.domain()));
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
  throw Refusal{"unsupported-operator", "operator " + in_quotes(node.op_type()) + " is not supported", "", "",
                "`model ops` lists what is"};
}

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
        refuse("unknown-attribute", "attribute " + in_quotes(attribute.name()),
               *op.attributes == '\0' ? "no attributes" : std::string("one of ") + op.attributes, "");
      }
      const char type = list[at + key.size()];
      if (type == '-') refuse("unsupported-attribute", what + " is not supported");
      if (attribute.has_ref_attr_name()) refuse("unsupported-attribute", what + " refers to a function attribute");
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
                         attribute.graphs_size() > 0 || attribute.has_sparse_tensor() ||
                         attribute.sparse_tensors_size() > 0 || attribute.has_tp() || attribute.type_protos_size() > 0;
      if (stray || (type == 't' && !attribute.has_t())) refuse("bad-attribute", what, "one value of the declared type");
    });
  }
  return blockers_.size() == before;
}

void Importer::charge(const Call& call) {
  const auto elements = [](const Value& value) {
    if (value.is_integer()) return static_cast<std::int64_t>(value.ints->size());
    return value.is_constant() ? static_cast<std::int64_t>(value.floats->size()) : std::int64_t{0};
  };
  for (const Value& value : call.out) {
    const bool alias = std::any_of(call.in.begin(), call.in.end(), [&](const Value& operand) {
      return (value.ints && value.ints == operand.ints) || (value.floats && value.floats == operand.floats);
    });
    if (alias) return;  // an operator that only changes the shape
    memory_ += elements(value);
  }
  for (const Value& value : call.in) work_ += elements(value);
  if (memory_ > max_total || work_ > 4 * max_total) {
    refuse("over-limit", "constants computed while reading the model",
           "at most " + std::to_string(max_total) + " elements");
  }
}

void Importer::read_node(const onnx::NodeProto& node, int index) {
  std::string label = "node " + std::to_string(index) + (node.name().empty() ? "" : " " + in_quotes(node.name()));
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
        refuse("unknown-tensor", "operand " + in_quotes(name) + " is not defined before this node");
      if (!found->second.present())
        refuse("unsupported-output", "operand " + in_quotes(name) + " has no value in inference mode");
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
        charge(call);
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

}  // namespace outward::onnx_import
