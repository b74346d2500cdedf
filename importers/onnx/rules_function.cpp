// Operators that no certificate speaks about: functions of every element (Kind::function).
#include "importers/onnx/operators.hpp"

namespace outward::onnx_import {

void emit_function(Call& call, ElementFunction function) {
  require_float(call, call.in[0], "operand");
  const Value x = call.build.as_node(call.in[0]);
  call.out[0] = call.build.emit(Kind::function, {x}, x.shape, {static_cast<std::int64_t>(function)});
}

void rule_gelu(Call& call) {
  const std::string way = call.attributes.text("approximate", "none");
  if (way != "none" && way != "tanh") refuse("unsupported-attribute", "attribute approximate", "none or tanh", way);
  emit_function(call, way == "none" ? ElementFunction::gelu : ElementFunction::gelu_tanh);
}

void rule_reciprocal(Call& call) {
  require_float(call, call.in[0], "operand");
  const Value below = call.build.as_node(call.in[0]);
  const Value one = call.build.materialise(float_value(call.build.type(), {}, {1.0}), below.shape);
  call.out[0] = call.build.emit(Kind::quotient, {one, below}, below.shape);
}

}  // namespace outward::onnx_import
