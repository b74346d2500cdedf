// Integer and shape constants, folded exactly; overflow is refused, never wrapped.
#include <algorithm>
#include <cmath>

#include "checker/readers/onnx_lower.hpp"

namespace outward_check::onnx {
namespace {

using Int = std::int64_t;
using Fold = Int (*)(Int, Int);

[[noreturn]] Int overflow() { unsupported("integer overflow or division by zero"); }
Int plus(Int a, Int b) {
  Int r;
  return __builtin_add_overflow(a, b, &r) ? overflow() : r;
}
Int minus(Int a, Int b) {
  Int r;
  return __builtin_sub_overflow(a, b, &r) ? overflow() : r;
}
Int times(Int a, Int b) {
  Int r;
  return __builtin_mul_overflow(a, b, &r) ? overflow() : r;
}
Int quotient(Int a, Int b) { return b == 0 || (a == INT64_MIN && b == -1) ? overflow() : a / b; }
Int remainder_truncated(Int a, Int b) { return b == 0 ? overflow() : b == -1 ? 0 : a % b; }
Int remainder_floored(Int a, Int b) {
  const Int r = remainder_truncated(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
Int least(Int a, Int b) { return std::min(a, b); }
Int greatest(Int a, Int b) { return std::max(a, b); }

enum class Gives { number, truth, logic };  // truth: numbers to bool; logic: bool to bool

// Left fold over all operands with broadcasting.
void fold(Op& op, Fold f, Gives gives) {
  op.values(0);
  Value v = *op.in[0];
  const int type = v.type;
  if (gives != Gives::truth && (type == kBool) != (gives == Gives::logic)) malformed("element type");
  for (std::size_t k = 1; k < op.in.size(); ++k) {
    if (op.in[k]->type != type) malformed("operands of different types");
    const Shape shape = broadcast(v.shape, op.in[k]->shape);
    const Value a = op.expand(v, shape), b = op.expand(*op.in[k], shape);
    Shape r(a.integers->size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = f((*a.integers)[i], (*b.integers)[i]);
    v = integer_value(gives == Gives::truth ? Int{kBool} : type, shape, std::move(r));
  }
  op.give(std::move(v));
}

void fold_reduce(Op& op, Fold f, Int start) {
  const Shape& values = op.values(0);
  const Reduction r = reduction(op);
  Shape out(element_count(r.shape), start);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (Int k = 0; k < r.K; ++k) out[i] = f(out[i], values[r.index[i * r.K + k]]);
  }
  op.give(integer_value(op.in[0]->type, r.shape, std::move(out)));
}

void each(Op& op, Int (*f)(Int)) {
  Shape values = op.values(0);
  for (Int& value : values) value = f(value);
  op.give(integer_value(op.in[0]->type, op.in[0]->shape, std::move(values)));
}

Int scalar(const Op& op, std::size_t i) {
  if (op.in[i]->size() != 1) malformed("operand " + std::to_string(i) + " is not a scalar");
  return op.values(i)[0];
}

}  // namespace

void add_integers(Op& op) { fold(op, plus, Gives::number); }
void subtract_integers(Op& op) { fold(op, minus, Gives::number); }
void multiply_integers(Op& op) { fold(op, times, Gives::number); }
void divide_integers(Op& op) { fold(op, quotient, Gives::number); }
void minimum(Op& op) { fold(op, least, Gives::number); }
void maximum(Op& op) { fold(op, greatest, Gives::number); }
void modulo(Op& op) {
  fold(op, op.integer("fmod", 0) != 0 ? remainder_truncated : remainder_floored, Gives::number);
}
void equal(Op& op) { fold(op, [](Int a, Int b) { return Int{a == b}; }, Gives::truth); }
void greater(Op& op) { fold(op, [](Int a, Int b) { return Int{a > b}; }, Gives::truth); }
void less(Op& op) { fold(op, [](Int a, Int b) { return Int{a < b}; }, Gives::truth); }
void greater_equal(Op& op) { fold(op, [](Int a, Int b) { return Int{a >= b}; }, Gives::truth); }
void less_equal(Op& op) { fold(op, [](Int a, Int b) { return Int{a <= b}; }, Gives::truth); }
void logical_and(Op& op) { fold(op, [](Int a, Int b) { return a & b; }, Gives::logic); }
void logical_or(Op& op) { fold(op, [](Int a, Int b) { return a | b; }, Gives::logic); }
void reduce_sum_integers(Op& op) { fold_reduce(op, plus, 0); }
void reduce_prod(Op& op) { fold_reduce(op, times, 1); }
void reduce_min(Op& op) { fold_reduce(op, least, INT64_MAX); }
void reduce_max(Op& op) { fold_reduce(op, greatest, INT64_MIN); }
void negate_integers(Op& op) { each(op, [](Int a) { return minus(0, a); }); }
void abs_integers(Op& op) { each(op, [](Int a) { return a < 0 ? minus(0, a) : a; }); }
void not_integers(Op& op) {
  if (op.in[0]->type != kBool) malformed("element type");
  each(op, [](Int a) { return 1 - a; });
}

void constant(Op& op) {
  if (op.node.attributes.size() != 1) malformed("not exactly one value");
  const Attribute& a = op.node.attributes[0];
  const Int count = static_cast<Int>(a.reals.size() + a.integers.size());
  if (a.tensor) op.give(tensor_value(*a.tensor, op.to.files));
  else if (a.name == "value_float") op.give(float_value(kFloat, {}, {a.real}));
  else if (a.name == "value_floats") op.give(float_value(kFloat, {count}, a.reals));
  else if (a.name == "value_int") op.give(integer_value(kInt64, {}, {a.integer}));
  else op.give(integer_value(kInt64, {count}, a.integers));
}

void constant_of_shape(Op& op) {
  const Shape shape = op.values(0);
  const Attribute* a = op.attribute("value");
  const Value v = a ? tensor_value(*a->tensor, op.to.files) : float_value(kFloat, {}, {0});
  if (v.size() != 1) malformed("the value is not one number");
  const std::uint64_t count = element_count(shape);
  op.give(op.remap({v}, shape, op.run(0, static_cast<Int>(count), 0)));
}

void shape_of(Op& op) {
  const Shape& shape = op.in[0]->shape;
  const Int rank = static_cast<Int>(shape.size());
  const auto place = [&](Int at) { return std::clamp<Int>(at < 0 ? at + rank : at, 0, rank); };
  const Int start = place(op.integer("start", 0)), end = place(op.integer("end", rank));
  Shape values(shape.begin() + start, shape.begin() + std::max(start, end));
  const Int count = static_cast<Int>(values.size());
  op.give(integer_value(kInt64, {count}, std::move(values)));
}

void size_of(Op& op) {
  op.give(integer_value(kInt64, {}, {static_cast<Int>(op.in[0]->size())}));
}

void range(Op& op) {
  const Int start = scalar(op, 0), limit = scalar(op, 1), delta = scalar(op, 2);
  const Int span = minus(limit, start);
  if (op.in[0]->type != op.in[1]->type || op.in[0]->type != op.in[2]->type) malformed("types differ");
  Int count = quotient(span, delta);
  if (times(count, delta) != span && (span < 0) == (delta < 0)) ++count;
  count = std::max<Int>(count, 0);
  op.give(integer_value(op.in[0]->type, {count}, op.run(start, count, delta)));
}

void where(Op& op) {
  op.values(0);
  if (op.in[0]->type != kBool) malformed("the condition is not of type bool");
  const Shape shape = broadcast(op.in[0]->shape, broadcast(op.in[1]->shape, op.in[2]->shape));
  for (std::size_t i : {1, 2}) {
    if (op.in[i]->is == Value::Is::node) unsupported("a choice between values of the network");
  }
  const Value c = op.expand(*op.in[0], shape);
  Shape index = op.run(0, static_cast<Int>(c.size()), 1);
  for (std::size_t i = 0; i < index.size(); ++i) {
    if ((*c.integers)[i] == 0) index[i] += static_cast<Int>(index.size());
  }
  op.give(op.remap({op.expand(*op.in[1], shape), op.expand(*op.in[2], shape)}, shape, index));
}

void cast(Op& op) {
  const Value& v = *op.in[0];
  const Int to = op.integer("to", 0);
  const int type = to < 0 || to > 99 ? 99 : static_cast<int>(to);
  type_info(type);
  if (is_float(type) && v.is == Value::Is::integers) {
    std::vector<double> out;
    for (Int i : *v.integers) {
      const double d = type == kFloat ? static_cast<double>(static_cast<float>(i)) : static_cast<double>(i);
      if (d >= 0x1p63 || static_cast<Int>(d) != i) unsupported("an integer that is not exact as a float");
      out.push_back(d);
    }
    op.give(float_value(type, v.shape, std::move(out)));
  } else if (v.is == Value::Is::integers || (v.is == Value::Is::floats && !is_float(type))) {
    Shape out;
    if (v.is == Value::Is::integers) out = *v.integers;
    else for (double d : *v.floats) {
      if (!(std::fabs(d) < 0x1p63) || d != std::trunc(d)) unsupported("a float that is not an integer");
      out.push_back(static_cast<Int>(d));
    }
    if (type == kBool) for (Int& i : out) i = i != 0;
    op.give(integer_value(type, v.shape, std::move(out)));
  } else if (type == v.type) {
    op.give(v);
  } else {
    unsupported("a change of the element type of the network");
  }
}

}  // namespace outward_check::onnx
