// Emission, constants and index arithmetic shared by the operator rules; see onnx.hpp.
#include <algorithm>
#include <cmath>

#include "checker/readers/onnx.hpp"

namespace outward_check::onnx {

void Target::charge(Int elements) {
  const std::uint64_t count = static_cast<std::uint64_t>(elements);
  const bool enough = count <= budget;
  budget = enough ? budget - count : 0;  // after the first refusal everything is refused at once
  if (!enough)
    throw ReadError(ReadError::Class::limit, "the model makes more elements than its size allows");
}

const Value& Op::floats(std::size_t i) const {
  support(is_float(in[i]->type), "an integer operand");
  support(in[i]->size() > 0, "an operand without elements");
  return *in[i];
}

const Value& Op::constant(std::size_t i) const {
  if (floats(i).is_node()) unsupported("operand " + std::to_string(i) + " is not constant");
  return *in[i];
}

const Shape& Op::values(std::size_t i) const {
  if (!in[i]->is_integer())
    unsupported("operand " + std::to_string(i) + " is not an integer constant");
  return *in[i]->data;
}

Value Op::emit(Kind type, const std::vector<Value>& operands, Shape shape, Shape ints,
               Reals payload) {
  const std::uint64_t size = static_cast<std::uint64_t>(element_count(shape));
  support(size > 0, "a result without elements");
  to.charge(std::ssize(payload));  // ints were charged when they were made
  for (double c : payload) support(std::isfinite(c), "NaN or infinity among the constants");
  Node made{type, {}, size, std::move(ints), std::move(payload), name};
  for (const Value& v : operands) made.operands.push_back(v.node);
  if (to.graph.nodes.size() >= limit(Limit::nodes)) over(Limit::nodes, "more canonical nodes");
  to.graph.nodes.push_back(std::move(made));
  return {to.type(), shape, nullptr, static_cast<std::uint32_t>(to.graph.nodes.size() - 1)};
}

Value Op::materialise(const Value& value) {
  return value.is_node() ? value : emit(Kind::constant, {}, value.shape, {}, value.reals());
}

Value Op::remap(std::vector<Value> operands, Shape shape, Shape index) {
  bool nodes = false, identity = operands.size() == 1 && operands[0].size() == std::ssize(index);
  for (const Value& v : operands) {
    require(v.type == operands[0].type, "operands of different types");
    nodes = nodes || v.is_node();
  }
  if (!nodes) {
    Shape joined;
    for (std::size_t k = 0; operands.size() > 1 && k < operands.size(); ++k) {
      joined.insert(joined.end(), operands[k].data->begin(), operands[k].data->end());
    }
    const Shape& source = operands.size() > 1 ? joined : *operands[0].data;
    for (Int& i : index) i = source[i];
    return make_constant(operands[0].type, shape, std::move(index));
  }
  for (Value& v : operands) v = materialise(v);
  for (std::size_t i = 0; identity && i < index.size(); ++i)
    identity = index[i] == static_cast<Int>(i);
  return identity ? with_shape(operands[0], shape)
                  : emit(Kind::map, operands, shape, std::move(index));
}

Value Op::expand(const Value& value, const Shape& shape) {
  if (value.shape == shape) return value;
  Shape from(shape.size() - value.shape.size(), 1);
  from.insert(from.end(), value.shape.begin(), value.shape.end());
  std::vector<Shape> axes;
  for (std::size_t a = 0; a < shape.size(); ++a) axes.push_back(run(0, shape[a], from[a] != 1));
  return remap({value}, shape, picked(from, axes));
}

Shape Op::run(Int start, Int count, Int step) {
  to.charge(count);
  Shape list(count);
  for (Int i = 0; i < count; ++i) list[i] = start + i * step;
  return list;
}

std::vector<Shape> Op::all(const Shape& shape) {
  std::vector<Shape> axes;
  for (Int d : shape) axes.push_back(run(0, d, 1));
  return axes;
}

Shape Op::picked(const Shape& from, const std::vector<Shape>& coordinates, Shape order) {
  if (order.empty()) order = run(0, std::ssize(from), 1);
  Shape index{0}, size, stride(from.size(), 1);
  for (std::size_t a = from.size(); a-- > 1;) stride[a - 1] = stride[a] * std::max<Int>(from[a], 1);
  for (const Shape& axis : coordinates) size.push_back(std::ssize(axis));
  to.charge(element_count(size));
  if (element_count(size) == 0) return {};
  for (Int a : order) {
    Shape finer;
    finer.reserve(index.size() * coordinates[a].size());
    for (Int base : index) {
      for (Int c : coordinates[a]) {
        finer.push_back(base < 0 || c < 0 || c >= from[a] ? -1 : base + c * stride[a]);
      }
    }
    index = std::move(finer);
  }
  return index;
}

Int axis_in(Int axis, std::size_t rank) {
  const Int r = static_cast<Int>(rank);
  require(axis >= -r && axis < r, "an axis outside the rank");
  return axis < 0 ? axis + r : axis;
}

std::vector<bool> axis_set(const Shape& axes, std::size_t rank) {
  std::vector<bool> set(rank, false);
  for (Int axis : axes) {
    require(!set[axis_in(axis, rank)], "an axis twice");
    set[axis_in(axis, rank)] = true;
  }
  return set;
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (a.size() < b.size()) return broadcast(b, a);
  Shape shape = a;
  for (std::size_t i = 0; i < b.size(); ++i) {
    Int& d = shape[i + a.size() - b.size()];
    if (d == 1) d = b[i];
    if (d != b[i] && b[i] != 1)
      malformed(shape_text(a) + " and " + shape_text(b) + " do not broadcast");
  }
  element_count(shape);
  return shape;
}

Value with_shape(Value value, Shape shape) {
  element_count(shape);
  value.shape = std::move(shape);
  return value;
}

}  // namespace outward_check::onnx
