// Emission, constants and index arithmetic shared by the operator rules; see onnx_lower.hpp.
#include "checker/readers/onnx_lower.hpp"

#include <algorithm>
#include <cmath>

namespace outward_check::onnx {
namespace {

// Row-major distance per axis.
Shape steps_of(const Shape& shape) {
  Shape steps(shape.size(), 1);
  for (std::size_t a = shape.size(); a-- > 1;) steps[a - 1] = steps[a] * shape[a];
  return steps;
}

}  // namespace

void Target::charge(std::uint64_t elements) {
  if (elements > budget) over_limit("the model makes more elements than its size allows");
  budget -= elements;
}

const Attribute* Op::attribute(const char* name) const {
  for (const Attribute& a : node.attributes) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

std::int64_t Op::integer(const char* name, std::int64_t absent) const {
  const Attribute* a = attribute(name);
  return a ? a->integer : absent;
}

double Op::real(const char* name, float absent) const {
  const Attribute* a = attribute(name);
  return a ? a->real : absent;
}

Shape Op::integers(const char* name) const {
  const Attribute* a = attribute(name);
  return a ? a->integers : Shape{};
}

const Value& Op::floats(std::size_t i) const {
  if (in[i]->is == Value::Is::integers) unsupported("integer operand " + std::to_string(i));
  return *in[i];
}

const Value& Op::constant(std::size_t i) const {
  if (in[i]->is != Value::Is::floats) {
    unsupported("operand " + std::to_string(i) + " is not a float constant");
  }
  return *in[i];
}

const Shape& Op::values(std::size_t i) const {
  if (in[i]->is != Value::Is::integers) {
    unsupported("operand " + std::to_string(i) + " is not an integer constant");
  }
  return *in[i]->integers;
}

bool Op::all_integers() const {
  return std::all_of(in.begin(), in.end(),
                     [](const Value* v) { return v == nullptr || v->is == Value::Is::integers; });
}

Value Op::emit(Kind kind, const std::vector<Value>& operands, Shape shape, Shape ints,
               std::vector<double> payload) {
  Node made;
  made.kind = kind;
  made.size = element_count(shape);
  if (made.size == 0) unsupported("a tensor without elements");
  to.charge(ints.size() + payload.size());
  for (const Value& v : operands) made.operands.push_back(v.node);
  if (!std::all_of(payload.begin(), payload.end(), [](double c) { return std::isfinite(c); })) {
    unsupported("NaN or infinity among the constants");
  }
  made.ints = std::move(ints);
  made.payload = std::move(payload);
  made.origin = node.op + " " + (node.name.empty() ? node.outputs.front() : node.name);
  to.graph.nodes.push_back(std::move(made));
  if (to.graph.nodes.size() > 4 * kMaxNodes) over_limit("more than 2^22 canonical nodes");
  Value value{Value::Is::node, to.type(), std::move(shape), nullptr, nullptr, 0};
  value.node = static_cast<std::uint32_t>(to.graph.nodes.size() - 1);
  return value;
}

Value Op::materialise(const Value& value) {
  if (value.is == Value::Is::node) return value;
  return emit(Kind::constant, {}, value.shape, {}, *value.floats);
}

Value Op::remap(std::vector<Value> operands, Shape shape, Shape index) {
  const auto all = [&](Value::Is is) {
    return std::all_of(operands.begin(), operands.end(), [&](const Value& v) { return v.is == is; });
  };
  const auto gather = [&](auto member) {
    auto whole = operands[0].*member;
    if (operands.size() > 1) {
      auto joined = *whole;
      for (std::size_t k = 1; k < operands.size(); ++k) {
        joined.insert(joined.end(), (operands[k].*member)->begin(), (operands[k].*member)->end());
      }
      whole = std::make_shared<decltype(joined)>(std::move(joined));
    }
    auto picked = *std::make_shared<std::decay_t<decltype(*whole)>>(index.size());
    for (std::size_t i = 0; i < index.size(); ++i) picked[i] = (*whole)[index[i]];
    return picked;
  };
  for (const Value& v : operands) {
    if (v.type != operands[0].type) malformed("operands of different types");
  }
  const int type = operands[0].type;
  if (all(Value::Is::integers)) return integer_value(type, shape, gather(&Value::integers));
  if (all(Value::Is::floats)) return float_value(type, shape, gather(&Value::floats));
  for (Value& v : operands) v = materialise(v);
  bool identity = operands.size() == 1 && operands[0].size() == index.size();
  for (std::size_t i = 0; identity && i < index.size(); ++i) {
    identity = index[i] == static_cast<std::int64_t>(i);
  }
  return identity ? with_shape(operands[0], shape) : emit(Kind::map, operands, shape, std::move(index));
}

Value Op::expand(const Value& value, const Shape& shape) {
  if (value.shape == shape) return value;
  Shape from(shape.size() - value.shape.size(), 1);
  from.insert(from.end(), value.shape.begin(), value.shape.end());
  std::vector<Shape> coordinates;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    coordinates.push_back(run(0, shape[a], from[a] == 1 ? 0 : 1));
  }
  return remap({value}, shape, select(from, coordinates));
}

Shape Op::select(const Shape& from, const std::vector<Shape>& coordinates) {
  Shape shape;
  for (const Shape& list : coordinates) shape.push_back(static_cast<std::int64_t>(list.size()));
  to.charge(element_count(shape));
  const Shape steps = steps_of(from);
  Shape index{0};
  for (std::size_t a = 0; a < from.size(); ++a) {
    Shape finer;
    finer.reserve(index.size() * coordinates[a].size());
    for (std::int64_t base : index) {
      for (std::int64_t i : coordinates[a]) {
        finer.push_back(base < 0 || i < 0 ? -1 : base + i * steps[a]);
      }
    }
    index = std::move(finer);
  }
  return index;
}

Shape Op::transposed(const Shape& from, const Shape& order) {
  to.charge(element_count(from));
  const Shape steps = steps_of(from);
  Shape index{0};
  for (std::int64_t axis : order) {
    Shape finer;
    finer.reserve(index.size() * from[axis]);
    for (std::int64_t base : index) {
      for (std::int64_t i = 0; i < from[axis]; ++i) finer.push_back(base + i * steps[axis]);
    }
    index = std::move(finer);
  }
  return index;
}

Shape Op::run(std::int64_t start, std::int64_t count, std::int64_t step) {
  to.charge(static_cast<std::uint64_t>(count));
  Shape list(count);
  for (std::int64_t i = 0; i < count; ++i) list[i] = start + i * step;
  return list;
}

std::int64_t axis_in(std::int64_t axis, std::size_t rank) {
  const std::int64_t r = static_cast<std::int64_t>(rank);
  if (axis < -r || axis >= r) {
    malformed("axis " + std::to_string(axis) + " of a tensor of rank " + std::to_string(rank));
  }
  return axis < 0 ? axis + r : axis;
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  const std::size_t skip_a = shape.size() - a.size(), skip_b = shape.size() - b.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t x = i < skip_a ? 1 : a[i - skip_a], y = i < skip_b ? 1 : b[i - skip_b];
    if (x != y && x != 1 && y != 1) {
      malformed("shapes " + shape_text(a) + " and " + shape_text(b) + " do not broadcast");
    }
    shape[i] = x == 1 ? y : x;
  }
  element_count(shape);
  return shape;
}

Value with_shape(Value value, Shape shape) {
  value.shape = std::move(shape);
  return value;
}

}  // namespace outward_check::onnx
