// Free inputs, initializers and outputs of a model (certificates/FORMAT.md section 2); see importer.hpp.
// A refused input poisons what depends on it, so that the rest of the model is still checked.
#include "importers/onnx/importer.hpp"

namespace outward::onnx_import {

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
      add("input " + in_quotes(input.name()),
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
    refuse("duplicate-name", "tensor name " + in_quotes(name) + " is defined twice", "every name once");
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
    throw UsageError("shape of input " + in_quotes(input.name()) + ": the model has rank " + std::to_string(rank) +
                     ", not " + shape_text(*given));
  }
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto& dim = type.shape().dim(static_cast<int>(i));
    if (dim.value_case() == onnx::TensorShapeProto::Dimension::kDimValue) {
      if (given != nullptr && (*given)[i] != dim.dim_value()) {
        throw UsageError("shape of input " + in_quotes(input.name()) + ": dimension " + std::to_string(i) + " is " +
                         std::to_string(dim.dim_value()) + " in the model, not " + std::to_string((*given)[i]));
      }
      shape.push_back(dim.dim_value());
    } else if (given != nullptr) {
      shape.push_back((*given)[i]);
    } else if (i == 0) {
      shape.push_back(1);  // the batch
    } else {
      throw Refusal{"open-shape", "dimension " + std::to_string(i), "a number",
                    dim.dim_param().empty() ? "nothing" : in_quotes(dim.dim_param()),
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
    guarded("input " + in_quotes(input.name()), [&] {
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
      throw UsageError("shape of input " + in_quotes(name) + ": the model has no such free input");
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
  build_->set_origin("input " + in_quotes(inputs.front().name));
  const Value all = build_->emit(Kind::input, {}, inputs.size() == 1 ? inputs.front().shape : Shape{total});
  std::int64_t start = 0;
  for (const Input& input : inputs) {
    Integers indices(static_cast<std::size_t>(input.size));
    for (std::int64_t& index : indices) index = start++;
    build_->set_origin("input " + in_quotes(input.name));
    values_.emplace(input.name, build_->map({all}, std::move(indices), input.shape));
    if (summary_ != nullptr) summary_->inputs.push_back({input.name, input.shape});
  }
}

void Importer::read_initializers(const onnx::GraphProto& graph) {
  for (const auto& initializer : graph.initializer()) {
    const std::string where = "initializer " + in_quotes(initializer.name());
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
    const std::string where = "output " + in_quotes(output.name());
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

}  // namespace outward::onnx_import
