// Elementwise arithmetic and activations (certificates/FORMAT.md section 2). Integer constants are folded, float
// constants never: the first one becomes a const node, so that its rounding stays part of the graph.
#include <cmath>
#include <limits>

#include "importers/onnx/operators.hpp"

namespace outward::onnx_import {
namespace {

// Both operands as values of the element type, and the shape they broadcast to.
Shape float_operands(const Call& call) {
  require_float(call, call.in[0], "first operand");
  require_float(call, call.in[1], "second operand");
  return broadcast_shape(call.in[0].shape, call.in[1].shape);
}

// A node of the result shape: expanded if it is a node, materialised if it is a constant.
Value as_expanded_node(Call& call, const Value& value, const Shape& shape) {
  return value.is_node() ? call.build.expand(value, shape) : call.build.materialise(value, shape);
}

Floats negated(Floats values) {
  for (double& value : values) value = -value;
  return values;
}

Value float_operand(Call& call) {
  require_float(call, call.in[0], "operand");
  return call.build.as_node(call.in[0]);
}

void unary(Call& call, Kind kind, Integers ints = {}, Floats payload = {}) {
  const Value x = float_operand(call);
  call.out[0] = call.build.emit(kind, {x}, x.shape, std::move(ints), std::move(payload));
}

void fold_unary(Call& call, bool only_negative) {
  const Value& x = call.in[0];
  if (x.type == Type::boolean) refuse("bad-type", "operand", "an integer type", "bool");
  Integers values = *x.ints;
  for (std::int64_t& value : values) {
    if (only_negative && value >= 0) continue;
    if (value == least(Type::i64) || -value < least(x.type) || -value > greatest(x.type)) {
      refuse("integer-overflow", "overflow in the negation of an integer constant");
    }
    value = -value;
  }
  call.out[0] = integer_value(x.type, x.shape, std::move(values));
}

// A bound of Clip: `infinite` stands for the end that does not bound.
double clip_bound(const Call& call, std::size_t operand, const char* name, bool upper) {
  const double greatest_finite = call.build.element() == ElementType::binary32
                                     ? static_cast<double>(std::numeric_limits<float>::max())
                                     : std::numeric_limits<double>::max();
  const double open = upper ? greatest_finite : -greatest_finite;
  double bound = open;
  if (call.opset < 11) {
    if (call.attributes.has(name)) bound = call.attributes.number(name, 0.0f);
  } else if (const Value& given = call.optional(operand); given.present()) {
    require_constant(call, given, name);
    if (given.floats->size() != 1)
      refuse("bad-shape", std::string("operand ") + name, "one element", shape_text(given.shape));
    bound = given.floats->front();
  }
  if (std::isnan(bound)) refuse("not-finite", std::string("bound ") + name, "a number", "NaN");
  if (std::isinf(bound)) {
    if ((bound > 0) != upper)
      refuse("not-finite", std::string("bound ") + name, "a finite number", upper ? "-infinity" : "infinity");
    bound = open;
  }
  return bound;
}

}  // namespace

void rule_add(Call& call) {
  if (fold_binary(call, "Add")) return;
  const Shape shape = float_operands(call);
  const Value &v = call.in[0], &w = call.in[1];
  if (v.is_node() && w.is_node()) {
    const Value left = call.build.expand(v, shape);
    const Value right = call.build.expand(w, shape);
    call.out[0] = call.build.emit(Kind::add, {left, right}, shape, {0});
    return;
  }
  const bool constant_first = v.is_constant() && w.is_node();
  const Value x = as_expanded_node(call, constant_first ? w : v, shape);
  call.out[0] = call.build.emit(Kind::shift, {x}, shape, {}, broadcast_floats(constant_first ? v : w, shape));
}

void rule_sub(Call& call) {
  if (fold_binary(call, "Sub")) return;
  const Shape shape = float_operands(call);
  const Value &v = call.in[0], &w = call.in[1];
  if (w.is_constant()) {
    const Value x = as_expanded_node(call, v, shape);
    call.out[0] = call.build.emit(Kind::shift, {x}, shape, {}, negated(broadcast_floats(w, shape)));
  } else if (v.is_constant()) {
    const Value x = call.build.emit(Kind::neg, {call.build.expand(w, shape)}, shape);
    call.out[0] = call.build.emit(Kind::shift, {x}, shape, {}, broadcast_floats(v, shape));
  } else {
    const Value left = call.build.expand(v, shape);
    const Value right = call.build.expand(w, shape);
    call.out[0] = call.build.emit(Kind::add, {left, right}, shape, {1});
  }
}

void rule_mul(Call& call) {
  if (fold_binary(call, "Mul")) return;
  const Shape shape = float_operands(call);
  const Value &v = call.in[0], &w = call.in[1];
  if (v.is_node() && w.is_node()) {
    const Value left = call.build.expand(v, shape);
    const Value right = call.build.expand(w, shape);
    call.out[0] = call.build.emit(Kind::product, {left, right}, shape);
    return;
  }
  const bool constant_first = v.is_constant() && w.is_node();
  const Value x = as_expanded_node(call, constant_first ? w : v, shape);
  call.out[0] = call.build.emit(Kind::scale, {x}, shape, {}, broadcast_floats(constant_first ? v : w, shape));
}

void rule_div(Call& call) {
  if (fold_binary(call, "Div")) return;
  const Shape shape = float_operands(call);
  if (call.in[1].is_node()) {
    const Value above = as_expanded_node(call, call.in[0], shape);
    const Value below = call.build.expand(call.in[1], shape);
    call.out[0] = call.build.emit(Kind::quotient, {above, below}, shape);
    return;
  }
  const Value& divisor = require_constant(call, call.in[1], "divisor");
  Floats payload = broadcast_floats(divisor, shape);
  for (double c : payload) {
    if (c == 0) refuse("division-by-zero", "divisor", "no zero among its elements");
  }
  const Value x = as_expanded_node(call, call.in[0], shape);
  call.out[0] = call.build.emit(Kind::divide, {x}, shape, {}, std::move(payload));
}

void rule_neg(Call& call) {
  if (call.all_integer()) return fold_unary(call, false);
  unary(call, Kind::neg);
}

void rule_abs(Call& call) {
  if (call.all_integer()) return fold_unary(call, true);
  unary(call, Kind::abs);
}

void rule_relu(Call& call) { unary(call, Kind::relu); }

void rule_leaky_relu(Call& call) {
  const double alpha = call.attributes.number("alpha", 0.01f);
  if (!(alpha >= 0 && alpha <= 1)) refuse("unsupported-attribute", "attribute alpha", "0 to 1", std::to_string(alpha));
  unary(call, Kind::leaky, {}, {alpha});
}

void rule_clip(Call& call) {
  const double lo = clip_bound(call, 1, "min", false), hi = clip_bound(call, 2, "max", true);
  if (lo > hi) refuse("bad-bounds", "bounds", "min <= max", std::to_string(lo) + " > " + std::to_string(hi));
  unary(call, Kind::clip, {}, {lo, hi});
}

}  // namespace outward::onnx_import
