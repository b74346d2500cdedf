// Operators that emit nothing: new shapes, constants, and static shape information (certificates/FORMAT.md section 2).
#include <cmath>

#include "importers/onnx/operators.hpp"

namespace outward::onnx_import {
namespace {

std::int64_t dims_product(const Shape& shape, std::size_t from, std::size_t to) {
  return element_count(
      Shape(shape.begin() + static_cast<std::ptrdiff_t>(from), shape.begin() + static_cast<std::ptrdiff_t>(to)));
}

// Cast of integer constants; exact or refused.
Value cast_integers(const Value& value, Type to) {
  if (is_float(to)) {
    Floats floats;
    for (std::int64_t x : *value.ints) {
      // The magnitude is below 2^63, so the nearest number converts back without overflow unless it is 2^63 itself.
      const double y = to == Type::f32 ? static_cast<double>(static_cast<float>(x)) : static_cast<double>(x);
      if (y >= 0x1p63 || static_cast<std::int64_t>(y) != x) {
        refuse("inexact-cast", std::string("integer that is no ") + type_name(to) + " number", "an exact conversion",
               std::to_string(x));
      }
      floats.push_back(y);
    }
    return float_value(to, value.shape, std::move(floats));
  }
  Integers ints = *value.ints;
  for (std::int64_t& x : ints) {
    if (to == Type::boolean) x = x != 0 ? 1 : 0;
    if (x < least(to) || x > greatest(to)) {
      refuse("inexact-cast", std::string("integer outside ") + type_name(to), "an exact conversion", std::to_string(x));
    }
  }
  return integer_value(to, value.shape, std::move(ints));
}

Value cast_floats(const Value& value, Type to) {
  if (to == Type::boolean) refuse("unsupported-cast", "cast of float constants to bool");
  Integers ints;
  for (double x : *value.floats) {
    const bool whole = x == std::floor(x) && x >= -0x1p63 && x < 0x1p63;  // false for NaN
    const std::int64_t y = whole ? static_cast<std::int64_t>(x) : 0;
    if (!whole || y < least(to) || y > greatest(to)) {
      refuse("inexact-cast", std::string("float constant that is no ") + type_name(to), "an exact conversion",
             std::to_string(x));
    }
    ints.push_back(y);
  }
  return integer_value(to, value.shape, std::move(ints));
}

}  // namespace

void rule_identity(Call& call) { call.out[0] = call.in[0]; }

void rule_dropout(Call& call) {
  const Value& training = call.optional(2);
  if (training.present()) {
    require_integer(training, "operand training_mode");
    if (training.ints->size() != 1 || training.ints->front() != 0)
      refuse("training-mode", "operand training_mode", "false", "true");
  }
  require_float(call, call.in[0], "operand data");
  call.out[0] = call.in[0];
  // The mask, if named, stays without a value: reading it is refused by the driver.
}

void rule_cast(Call& call) {
  if (!call.attributes.has("to")) refuse("missing-attribute", "attribute to");
  const auto code = call.attributes.integer("to", 0);
  const Type to = code >= 0 && code <= 64 ? type_of(static_cast<std::int32_t>(code)) : Type::other;
  const Value& x = call.in[0];
  if (to == Type::other || (is_float(to) && to != call.build.type())) {
    refuse("unsupported-cast", "attribute to", std::string(type_name(call.build.type())) + ", an integer type or bool",
           to == Type::other ? "data type " + std::to_string(code) : type_name(to));
  }
  if (x.is_integer())
    call.out[0] = cast_integers(x, to);
  else if (is_float(to))
    call.out[0] = x;
  else if (x.is_constant())
    call.out[0] = cast_floats(x, to);
  else
    refuse("unsupported-cast", "cast of computed values to an integer type", "the same float type", type_name(to));
}

void rule_flatten(Call& call) {
  const Shape& shape = call.in[0].shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t axis = call.attributes.integer("axis", 1);
  if (axis < -rank || axis > rank) {
    refuse("bad-axis", "attribute axis", "-" + std::to_string(rank) + " to " + std::to_string(rank),
           std::to_string(axis));
  }
  if (axis < 0) axis += rank;
  const auto split = static_cast<std::size_t>(axis);
  call.out[0] = reshaped(call.in[0], {dims_product(shape, 0, split), dims_product(shape, split, shape.size())});
}

void rule_reshape(Call& call) {
  Integers wanted = require_int64_list(call.in[1], "operand shape");
  if (call.in[1].shape.size() != 1) refuse("bad-shape", "operand shape", "rank 1", shape_text(call.in[1].shape));
  const bool allow_zero = call.attributes.integer("allowzero", 0) != 0;
  const Shape& old = call.in[0].shape;
  const std::int64_t count = element_count(old);
  std::int64_t known = 1;
  std::size_t open = wanted.size();
  bool empty = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && !allow_zero) {
      if (i >= old.size())
        refuse("bad-shape", "dimension 0 copies a dimension the operand does not have", "", shape_text(wanted));
      wanted[i] = old[i];
    } else if (wanted[i] == -1) {
      if (open != wanted.size()) refuse("bad-shape", "more than one dimension -1", "at most one", shape_text(wanted));
      open = i;
      continue;
    }
    if (wanted[i] < 0 || wanted[i] > max_elements || known > max_elements) {
      refuse("bad-shape", "dimension of the new shape", "-1 to " + std::to_string(max_elements), shape_text(wanted));
    }
    empty = empty || wanted[i] == 0;
    known *= wanted[i];
  }
  if (open != wanted.size()) {
    if (empty) refuse("bad-shape", "dimension -1 next to dimension 0", "", shape_text(wanted));
    if (count % known != 0)
      refuse("shape-mismatch", "new shape", std::to_string(count) + " elements", shape_text(wanted));
    wanted[open] = count / known;
  }
  if (element_count(wanted) != count) {
    refuse("shape-mismatch", "new shape", std::to_string(count) + " elements", shape_text(wanted));
  }
  call.out[0] = reshaped(call.in[0], std::move(wanted));
}

void rule_squeeze(Call& call) {
  const Shape& shape = call.in[0].shape;
  const auto axes = axes_of(call, 1);
  std::vector<bool> drop(shape.size(), false);
  if (axes && axes->empty())
    refuse("unsupported-attribute", "axes", "axes, or none at all (runtimes disagree on an empty list)",
           "an empty list");
  if (axes) {
    for (std::size_t axis : sorted_axes(*axes, shape.size())) {
      if (shape[axis] != 1) refuse("bad-axis", "squeezed dimension", "1", std::to_string(shape[axis]));
      drop[axis] = true;
    }
  } else {
    for (std::size_t i = 0; i < shape.size(); ++i) drop[i] = shape[i] == 1;
  }
  Shape result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!drop[i]) result.push_back(shape[i]);
  }
  call.out[0] = reshaped(call.in[0], std::move(result));
}

void rule_unsqueeze(Call& call) {
  const auto axes = axes_of(call, 1);
  if (!axes) refuse("missing-attribute", "axes");
  const Shape& shape = call.in[0].shape;
  if (axes->size() > max_rank) refuse("over-limit", "tensor rank", "at most " + std::to_string(max_rank));
  const std::size_t rank = shape.size() + axes->size();
  Shape result(rank, -1);
  for (std::size_t axis : sorted_axes(*axes, rank)) result[axis] = 1;
  std::size_t next = 0;
  for (std::int64_t& dim : result) {
    if (dim == -1) dim = shape[next++];
  }
  element_count(result);
  call.out[0] = reshaped(call.in[0], std::move(result));
}

void rule_constant(Call& call) {
  const Attributes& a = call.attributes;
  int given = 0;
  for (const char* name : {"value", "value_int", "value_ints", "value_float", "value_floats"})
    given += a.has(name) ? 1 : 0;
  if (given != 1) refuse("missing-attribute", "value", "exactly one", std::to_string(given));
  if (const auto tensor = a.tensor("value")) {
    call.out[0] = *tensor;
  } else if (a.has("value_int")) {
    call.out[0] = integer_value(Type::i64, {}, {a.integer("value_int", 0)});
  } else if (a.has("value_ints")) {
    Integers ints = a.integers("value_ints");
    const auto count = static_cast<std::int64_t>(ints.size());
    call.out[0] = integer_value(Type::i64, {count}, std::move(ints));
  } else if (a.has("value_float")) {
    call.out[0] = float_value(Type::f32, {}, {a.number("value_float", 0)});
  } else {
    Floats floats = a.numbers("value_floats");
    const auto count = static_cast<std::int64_t>(floats.size());
    call.out[0] = float_value(Type::f32, {count}, std::move(floats));
  }
  if (call.out[0].is_constant()) require_float(call, call.out[0], "constant");
}

void rule_shape(Call& call) {
  const Shape& shape = call.in[0].shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  // Both ends are clamped, not refused; the additions cannot overflow because rank is small and they only raise
  // negatives.
  auto clamp = [&](std::int64_t at) { return std::min(std::max<std::int64_t>(at < 0 ? at + rank : at, 0), rank); };
  const std::int64_t start = clamp(call.attributes.integer("start", 0));
  const std::int64_t end = std::max(start, clamp(call.attributes.integer("end", rank)));
  call.out[0] = integer_value(Type::i64, {end - start}, Integers(shape.begin() + start, shape.begin() + end));
}

void rule_size(Call& call) { call.out[0] = integer_value(Type::i64, {}, {element_count(call.in[0].shape)}); }

void rule_constant_of_shape(Call& call) {
  Shape shape = require_int64_list(call.in[0], "operand input");
  if (call.in[0].shape.size() != 1) refuse("bad-shape", "operand input", "rank 1", shape_text(call.in[0].shape));
  const auto count = static_cast<std::size_t>(element_count(shape, max_generated));
  const auto value = call.attributes.tensor("value");
  if (!value) {
    if (call.build.type() != Type::f32)
      refuse("bad-type", "attribute value", "given (its default is float32)", "absent");
    call.out[0] = float_value(Type::f32, std::move(shape), Floats(count, 0.0));
    return;
  }
  if (element_count(value->shape) != 1) refuse("bad-shape", "attribute value", "one element", shape_text(value->shape));
  if (value->is_integer()) {
    call.out[0] = integer_value(value->type, std::move(shape), Integers(count, value->ints->front()));
  } else {
    require_float(call, *value, "attribute value");
    call.out[0] = float_value(value->type, std::move(shape), Floats(count, value->floats->front()));
  }
}

}  // namespace outward::onnx_import
