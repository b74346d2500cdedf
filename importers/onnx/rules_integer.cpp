// Exact folding of integer and bool constants. Every operation is checked against the range of its type: a runtime
// would wrap around silently, so an overflow is refused. Nothing here can produce or read a value that depends on the
// input.
#include <algorithm>
#include <functional>

#include "importers/onnx/operators.hpp"

namespace outward::onnx_import {
namespace {

using Binary = std::int64_t (*)(std::int64_t, std::int64_t);

[[noreturn]] void overflow(const char* operation) {
  refuse("integer-overflow", std::string("overflow in ") + operation + " of integer constants");
}

std::int64_t add(std::int64_t a, std::int64_t b) {
  if (std::int64_t r = 0; !__builtin_add_overflow(a, b, &r)) return r;
  overflow("addition");
}

std::int64_t subtract(std::int64_t a, std::int64_t b) {
  if (std::int64_t r = 0; !__builtin_sub_overflow(a, b, &r)) return r;
  overflow("subtraction");
}

std::int64_t multiply(std::int64_t a, std::int64_t b) {
  if (std::int64_t r = 0; !__builtin_mul_overflow(a, b, &r)) return r;
  overflow("multiplication");
}

void check_divisor(std::int64_t a, std::int64_t b) {
  if (b == 0) refuse("division-by-zero", "integer division by zero");
  if (b == -1 && a == least(Type::i64)) overflow("division");
}

std::int64_t divide(std::int64_t a, std::int64_t b) {
  check_divisor(a, b);
  return a / b;  // truncates
}

// Sign of the divisor, as Python's %.
std::int64_t modulo(std::int64_t a, std::int64_t b) {
  check_divisor(a, b);
  const std::int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// Sign of the dividend, as C's fmod.
std::int64_t remainder(std::int64_t a, std::int64_t b) {
  check_divisor(a, b);
  return a % b;
}

std::int64_t smaller(std::int64_t a, std::int64_t b) { return std::min(a, b); }
std::int64_t greater(std::int64_t a, std::int64_t b) { return std::max(a, b); }

void check_range(Type type, const Integers& values) {
  for (std::int64_t value : values) {
    if (value < least(type) || value > greatest(type)) overflow(type_name(type));
  }
}

void require_numbers(const Value& value) {
  if (value.type == Type::boolean) refuse("bad-type", "operand", "an integer type", "bool");
}

void require_same_type(const Value& a, const Value& b) {
  if (a.type != b.type)
    refuse("bad-type", "operands", "of one type", std::string(type_name(a.type)) + " and " + type_name(b.type));
}

Value fold(const Value& a, const Value& b, Type result, Binary operation) {
  require_integer(a, "first operand");
  require_integer(b, "second operand");
  require_same_type(a, b);
  const Shape shape = broadcast_shape(a.shape, b.shape);
  const Integers left = broadcast_indices(a.shape, shape), right = broadcast_indices(b.shape, shape);
  Integers values(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    values[i] = operation((*a.ints)[static_cast<std::size_t>(left[i])], (*b.ints)[static_cast<std::size_t>(right[i])]);
  }
  check_range(result, values);
  return integer_value(result, shape, std::move(values));
}

void compare(Call& call, Binary operation) { call.out[0] = fold(call.in[0], call.in[1], Type::boolean, operation); }

void logic(Call& call, Binary operation) {
  for (const Value& value : call.in) {
    require_integer(value, "operand");
    if (value.type != Type::boolean) refuse("bad-type", "operand", "bool", type_name(value.type));
  }
  call.out[0] = fold(call.in[0], call.in[1], Type::boolean, operation);
}

// Left to right over any number of operands.
void chain(Call& call, Binary operation) {
  Value result = require_integer(call.in[0], "operand");
  require_numbers(result);
  for (std::size_t i = 1; i < call.in.size(); ++i) result = fold(result, call.in[i], result.type, operation);
  call.out[0] = std::move(result);
}

// Reduction over axes; `empty` is the value of an empty reduction, refused if null.
void reduce(Call& call, Binary operation, const std::int64_t* empty) {
  const Value& x = require_integer(call.in[0], "operand data");
  require_numbers(x);
  const auto given = axes_of(call, 1);
  const bool none = !given || given->empty();
  if (none && call.attributes.integer("noop_with_empty_axes", 0) != 0) {
    call.out[0] = x;
    return;
  }
  std::vector<bool> reduced(x.shape.size(), none);
  if (!none) {
    for (std::size_t axis : sorted_axes(*given, x.shape.size())) reduced[axis] = true;
  }
  const bool keep = call.attributes.integer("keepdims", 1) != 0;
  Shape shape, kept;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    if (!reduced[i] || keep) shape.push_back(reduced[i] ? 1 : x.shape[i]);
    kept.push_back(reduced[i] ? 1 : x.shape[i]);
  }
  // broadcast_indices(kept, x.shape) names the cell each element falls into.
  const Integers cell = broadcast_indices(kept, x.shape);
  const auto cells = static_cast<std::size_t>(element_count(kept));
  Integers values(cells, 0);
  std::vector<bool> started(cells, false);
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const auto c = static_cast<std::size_t>(cell[i]);
    values[c] = started[c] ? operation(values[c], (*x.ints)[i]) : (*x.ints)[i];
    started[c] = true;
  }
  for (std::size_t c = 0; c < cells; ++c) {
    if (started[c]) continue;
    if (empty == nullptr) refuse("empty-tensor", "least or greatest element of nothing");
    values[c] = *empty;
  }
  check_range(x.type, values);
  call.out[0] = integer_value(x.type, std::move(shape), std::move(values));
}

constexpr std::int64_t zero = 0, one = 1;

}  // namespace

bool fold_binary(Call& call, const char* name) {
  if (!call.all_integer()) return false;
  for (const Value& value : call.in) require_numbers(value);
  const std::string operation = name;
  const Binary function = operation == "Add"   ? add
                          : operation == "Sub" ? subtract
                          : operation == "Mul" ? multiply
                                               : divide;
  call.out[0] = fold(call.in[0], call.in[1], call.in[0].type, function);
  return true;
}

void rule_equal(Call& call) {
  compare(call, [](std::int64_t a, std::int64_t b) -> std::int64_t { return a == b; });
}
void rule_greater(Call& call) {
  compare(call, [](std::int64_t a, std::int64_t b) -> std::int64_t { return a > b; });
}
void rule_less(Call& call) {
  compare(call, [](std::int64_t a, std::int64_t b) -> std::int64_t { return a < b; });
}
void rule_greater_or_equal(Call& call) {
  compare(call, [](std::int64_t a, std::int64_t b) -> std::int64_t { return a >= b; });
}
void rule_less_or_equal(Call& call) {
  compare(call, [](std::int64_t a, std::int64_t b) -> std::int64_t { return a <= b; });
}
void rule_and(Call& call) {
  logic(call, [](std::int64_t a, std::int64_t b) -> std::int64_t { return a & b; });
}
void rule_or(Call& call) {
  logic(call, [](std::int64_t a, std::int64_t b) -> std::int64_t { return a | b; });
}

void rule_not(Call& call) {
  const Value& x = require_integer(call.in[0], "operand");
  if (x.type != Type::boolean) refuse("bad-type", "operand", "bool", type_name(x.type));
  Integers values = *x.ints;
  for (std::int64_t& value : values) value = 1 - value;
  call.out[0] = integer_value(Type::boolean, x.shape, std::move(values));
}

void rule_where(Call& call) {
  const Value& condition = require_integer(call.in[0], "operand condition");
  if (condition.type != Type::boolean) refuse("bad-type", "operand condition", "bool", type_name(condition.type));
  const Value &x = call.in[1], &y = call.in[2];
  require_same_type(x, y);
  if (x.is_node() || y.is_node())
    refuse("not-constant", "operands X and Y", "constants", "a value that depends on the input");
  const Shape shape = broadcast_shape(broadcast_shape(condition.shape, x.shape), y.shape);
  const Integers chosen = broadcast_indices(condition.shape, shape);
  const Integers left = broadcast_indices(x.shape, shape), right = broadcast_indices(y.shape, shape);
  // Select from X followed by Y.
  const std::int64_t offset = element_count(x.shape);
  Integers indices(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    indices[i] = (*condition.ints)[static_cast<std::size_t>(chosen[i])] != 0 ? left[i] : offset + right[i];
  }
  const Shape both{offset + element_count(y.shape)};
  if (x.is_integer()) {
    Integers all = *x.ints;
    all.insert(all.end(), y.ints->begin(), y.ints->end());
    call.out[0] = call.build.select(integer_value(x.type, both, std::move(all)), indices, shape);
  } else {
    Floats all = *x.floats;
    all.insert(all.end(), y.floats->begin(), y.floats->end());
    call.out[0] = call.build.select(float_value(x.type, both, std::move(all)), indices, shape);
  }
}

void rule_range(Call& call) {
  std::int64_t bounds[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Value& value = require_integer(call.in[i], "operand");
    require_numbers(value);
    require_same_type(call.in[0], value);
    if (value.ints->size() != 1) refuse("bad-shape", "operand", "one element", shape_text(value.shape));
    bounds[i] = value.ints->front();
  }
  const auto [start, limit, delta] = bounds;
  if (delta == 0) refuse("bad-range", "operand delta", "not 0", "0");
  // Steps that fit between start and limit; __int128 because the difference may not fit 64 bits.
  const __int128 distance = static_cast<__int128>(limit) - start, step = delta;
  const __int128 count =
      (distance > 0) == (step > 0) && distance != 0 ? (distance + step - (step > 0 ? 1 : -1)) / step : 0;
  if (count > max_generated) refuse("over-limit", "length of the range", "at most " + std::to_string(max_generated));
  Integers values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<std::int64_t>(i) * delta;
  const auto length = static_cast<std::int64_t>(values.size());
  call.out[0] = integer_value(call.in[0].type, {length}, std::move(values));
}

void rule_mod(Call& call) {
  for (const Value& value : call.in) require_numbers(require_integer(value, "operand"));
  const bool c_style = call.attributes.integer("fmod", 0) != 0;
  call.out[0] = fold(call.in[0], call.in[1], call.in[0].type, c_style ? remainder : modulo);
}

void rule_min(Call& call) { chain(call, smaller); }
void rule_max(Call& call) { chain(call, greater); }
void rule_reduce_prod(Call& call) { reduce(call, multiply, &one); }
void rule_reduce_min(Call& call) { reduce(call, smaller, nullptr); }
void rule_reduce_max(Call& call) { reduce(call, greater, nullptr); }
void fold_reduce_sum(Call& call) { reduce(call, add, &zero); }

}  // namespace outward::onnx_import
