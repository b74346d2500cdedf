// Promises of value.hpp: no arithmetic here can overflow, whatever the file says.
#include "importers/onnx/value.hpp"

#include <limits>

namespace outward::onnx_import {

bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

const char* type_name(Type type) {
  static constexpr const char* names[] = {"float32", "float64", "int8",   "int16",  "int32", "int64",
                                          "uint8",   "uint16",  "uint32", "uint64", "bool",  "unsupported type"};
  return names[static_cast<std::size_t>(type)];
}

std::int64_t least(Type type) {
  switch (type) {
    case Type::i8:
      return std::numeric_limits<std::int8_t>::min();
    case Type::i16:
      return std::numeric_limits<std::int16_t>::min();
    case Type::i32:
      return std::numeric_limits<std::int32_t>::min();
    case Type::i64:
      return std::numeric_limits<std::int64_t>::min();
    default:
      return 0;
  }
}

std::int64_t greatest(Type type) {
  switch (type) {
    case Type::i8:
      return std::numeric_limits<std::int8_t>::max();
    case Type::i16:
      return std::numeric_limits<std::int16_t>::max();
    case Type::i32:
      return std::numeric_limits<std::int32_t>::max();
    case Type::u8:
      return std::numeric_limits<std::uint8_t>::max();
    case Type::u16:
      return std::numeric_limits<std::uint16_t>::max();
    case Type::u32:
      return std::numeric_limits<std::uint32_t>::max();
    case Type::boolean:
      return 1;
    default:
      return std::numeric_limits<std::int64_t>::max();
  }
}

Value integer_value(Type type, Shape shape, Integers values) {
  Value value;
  value.state = Value::State::integer;
  value.type = type;
  value.shape = std::move(shape);
  value.ints = std::make_shared<const Integers>(std::move(values));
  return value;
}

Value float_value(Type type, Shape shape, Floats values) {
  Value value;
  value.state = Value::State::constant;
  value.type = type;
  value.shape = std::move(shape);
  value.floats = std::make_shared<const Floats>(std::move(values));
  return value;
}

Value node_value(Type type, Shape shape, std::uint32_t node) {
  Value value;
  value.state = Value::State::node;
  value.type = type;
  value.shape = std::move(shape);
  value.node = node;
  return value;
}

void refuse(std::string code, std::string what, std::string expected, std::string found) {
  throw Refusal{std::move(code), std::move(what), std::move(expected), std::move(found), ""};
}

std::int64_t element_count(const Shape& shape, std::int64_t limit) {
  if (shape.size() > max_rank) {
    refuse("over-limit", "tensor rank", "at most " + std::to_string(max_rank), std::to_string(shape.size()));
  }
  // Zeros count as ones for the limit, so that strides cannot overflow either.
  bool empty = false;
  std::int64_t count = 1;
  for (std::int64_t dim : shape) {
    if (dim < 0) refuse("bad-shape", "dimension", "0 or more", std::to_string(dim));
    if (dim > limit / count) {
      refuse("over-limit", "number of elements of a tensor", "at most " + std::to_string(limit),
             "shape " + shape_text(shape));
    }
    if (dim == 0)
      empty = true;
    else
      count *= dim;
  }
  return empty ? 0 : count;
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == max_rank) return text + ",...]";
    text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  }
  return text + "]";
}

std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (char c : text) {
    if (result.size() > 80) return result + "...'";
    result += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  }
  return result + "'";
}

}  // namespace outward::onnx_import
