// Index operators: they move, repeat and drop elements. One rule serves constants and nodes alike.
#include <algorithm>
#include <numeric>

#include "checker/readers/onnx_lower.hpp"

namespace outward_check::onnx {
namespace {

// An operand that became an attribute, or the other way round, in some opset.
Shape list(const Op& op, std::size_t i, const char* name) {
  return op.has(i) ? op.values(i) : op.integers(name);
}

// Axes without repetition, as flags over the rank.
std::vector<bool> axis_set(const Shape& axes, std::size_t rank) {
  std::vector<bool> set(rank, false);
  for (std::int64_t axis : axes) {
    const std::int64_t a = axis_in(axis, rank);
    if (set[a]) malformed("axis " + std::to_string(axis) + " twice");
    set[a] = true;
  }
  return set;
}

}  // namespace

Reduction reduction(Op& op) {
  const Shape& from = op.in[0]->shape;
  const Shape axes = list(op, 1, "axes");
  std::vector<bool> reduced = axis_set(axes, from.size());
  Reduction r;
  r.nothing = axes.empty() && op.integer("noop_with_empty_axes", 0) != 0;
  if (axes.empty()) reduced.assign(from.size(), !r.nothing);
  Shape order, behind;
  for (std::size_t a = 0; a < from.size(); ++a) {
    (reduced[a] ? behind : order).push_back(static_cast<std::int64_t>(a));
    if (reduced[a]) r.K *= from[a];
    if (!reduced[a] || op.integer("keepdims", 1) != 0) r.shape.push_back(reduced[a] ? 1 : from[a]);
  }
  order.insert(order.end(), behind.begin(), behind.end());
  r.index = op.transposed(from, order);
  return r;
}

void identity(Op& op) { op.give(*op.in[0]); }

void dropout(Op& op) {
  if (op.has(2)) {
    for (std::int64_t training : op.values(2)) {
      if (training != 0) unsupported("training mode");
    }
  }
  op.give(*op.in[0]);  // the mask output is not provided
}

void flatten(Op& op) {
  const Value& x = *op.in[0];
  const std::int64_t rank = static_cast<std::int64_t>(x.shape.size());
  std::int64_t axis = op.integer("axis", 1);
  if (axis != rank) axis = axis_in(axis, x.shape.size());
  const Shape rows(x.shape.begin(), x.shape.begin() + axis), columns(x.shape.begin() + axis, x.shape.end());
  op.give(with_shape(x, {static_cast<std::int64_t>(element_count(rows)),
                         static_cast<std::int64_t>(element_count(columns))}));
}

void reshape(Op& op) {
  const Value& x = *op.in[0];
  Shape shape = op.values(1);
  std::size_t hole = shape.size();
  for (std::size_t i = 0; i < shape.size() && i <= kMaxRank; ++i) {
    if (shape[i] == 0 && op.integer("allowzero", 0) == 0) {
      if (i >= x.shape.size()) malformed("dimension 0 without one to copy");
      shape[i] = x.shape[i];
    } else if (shape[i] == -1) {
      if (hole != shape.size()) malformed("-1 twice");
      hole = i;
      shape[i] = 1;
    }
  }
  const std::uint64_t known = element_count(shape);
  if (hole != shape.size() && known != 0) shape[hole] = static_cast<std::int64_t>(x.size() / known);
  if (element_count(shape) != x.size() || (hole != shape.size() && known == 0)) {
    malformed("shape " + shape_text(x.shape) + " does not become " + shape_text(op.values(1)));
  }
  op.give(with_shape(x, shape));
}

void squeeze(Op& op) {
  const Value& x = *op.in[0];
  const Shape axes = list(op, 1, "axes");
  const bool all = !op.has(1) && op.attribute("axes") == nullptr;
  if (!all && axes.empty()) unsupported("an empty list of axes");
  const std::vector<bool> drop = axis_set(axes, x.shape.size());
  Shape shape;
  for (std::size_t a = 0; a < x.shape.size(); ++a) {
    if (drop[a] && x.shape[a] != 1) malformed("squeezed dimension is not 1");
    if (!drop[a] && !(all && x.shape[a] == 1)) shape.push_back(x.shape[a]);
  }
  op.give(with_shape(x, shape));
}

void unsqueeze(Op& op) {
  const Value& x = *op.in[0];
  const Shape axes = list(op, 1, "axes");
  const std::vector<bool> fresh = axis_set(axes, x.shape.size() + axes.size());
  Shape shape;
  for (std::size_t a = 0, from = 0; a < fresh.size(); ++a) shape.push_back(fresh[a] ? 1 : x.shape[from++]);
  element_count(shape);
  op.give(with_shape(x, shape));
}

void transpose(Op& op) {
  const Shape& from = op.in[0]->shape;
  Shape order = op.integers("perm"), shape;
  if (op.attribute("perm") == nullptr) {
    order.resize(from.size());
    std::iota(order.rbegin(), order.rend(), 0);
  }
  axis_set(order, from.size());
  if (order.size() != from.size()) malformed("perm does not have one entry per axis");
  for (std::int64_t& axis : order) shape.push_back(from[axis = axis_in(axis, from.size())]);
  op.give(op.remap({*op.in[0]}, shape, op.transposed(from, order)));
}

void concat(Op& op) {
  Shape shape = op.in[0]->shape;
  const std::int64_t axis = axis_in(op.integer("axis", 0), shape.size());
  std::vector<Value> operands;
  std::vector<std::int64_t> base, length;  // in the concatenation; per operand and outer index
  std::int64_t total = 0, inner = 1, outer = 1;
  shape[axis] = 0;
  for (const Value* v : op.in) {
    Shape rest = v->shape;
    if (rest.size() != shape.size()) malformed("operands of different rank");
    rest[axis] = shape[axis];
    if (rest != shape) malformed("operands of different shape");
    shape[axis] += v->shape[axis];
    element_count(shape);
    operands.push_back(*v);
    base.push_back(total);
    total += static_cast<std::int64_t>(v->size());
  }
  for (std::int64_t a = 0; a < axis; ++a) outer *= shape[a];
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  for (const Value* v : op.in) length.push_back(v->shape[axis] * inner);
  op.to.charge(element_count(shape));
  Shape index;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::size_t k = 0; k < base.size(); ++k) {
      for (std::int64_t i = 0; i < length[k]; ++i) index.push_back(base[k] + o * length[k] + i);
    }
  }
  op.give(op.remap(std::move(operands), shape, std::move(index)));
}

namespace {

// All coordinates per axis, to be changed for the axes an operator touches.
std::vector<Shape> everything(Op& op, const Shape& shape) {
  std::vector<Shape> coordinates;
  for (std::int64_t dimension : shape) coordinates.push_back(op.run(0, dimension, 1));
  return coordinates;
}

void give_selected(Op& op, const std::vector<Shape>& coordinates) {
  Shape shape;
  for (const Shape& c : coordinates) shape.push_back(static_cast<std::int64_t>(c.size()));
  op.give(op.remap({*op.in[0]}, shape, op.select(op.in[0]->shape, coordinates)));
}

}  // namespace

void slice(Op& op) {
  const Shape& from = op.in[0]->shape;
  const Shape starts = list(op, 1, "starts"), ends = list(op, 2, "ends");
  Shape axes = list(op, 3, "axes"), steps = op.has(4) ? op.values(4) : Shape(starts.size(), 1);
  if (axes.empty()) axes = op.run(0, static_cast<std::int64_t>(starts.size()), 1);
  if (starts.size() != ends.size() || axes.size() != ends.size() || steps.size() != ends.size()) {
    malformed("starts, ends, axes and steps differ in length");
  }
  axis_set(axes, from.size());
  std::vector<Shape> coordinates = everything(op, from);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axis_in(axes[i], from.size()), d = from[axis];
    const std::int64_t step = std::clamp(steps[i], -d - 1, d + 1);  // longer steps change nothing
    if (step == 0) malformed("step 0");
    const auto place = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + d : at, step < 0 ? -1 : 0, step < 0 ? d - 1 : d);
    };
    const std::int64_t start = place(starts[i]), end = place(ends[i]);
    const std::int64_t span = step < 0 ? start - end : end - start, width = step < 0 ? -step : step;
    coordinates[axis] = op.run(start, span <= 0 ? 0 : (span + width - 1) / width, step);
  }
  give_selected(op, coordinates);
}

void split(Op& op) {
  const Shape& from = op.in[0]->shape;
  const std::int64_t axis = axis_in(op.integer("axis", 0), from.size()), d = from[axis];
  const std::int64_t parts = static_cast<std::int64_t>(op.node.outputs.size());
  Shape sizes = list(op, 1, "split");
  const bool counted = op.attribute("num_outputs") != nullptr;
  if (op.opset >= 18 && counted == op.has(1)) malformed("not exactly one of split and num_outputs");
  if (!op.has(1) && op.attribute("split") == nullptr) {
    if (counted ? op.integer("num_outputs", 0) != parts : d % parts != 0) malformed("number of outputs");
    const std::int64_t each = (d + parts - 1) / parts;
    sizes.assign(parts, each);
    sizes.back() = d - each * (parts - 1);
  }
  if (static_cast<std::int64_t>(sizes.size()) != parts) malformed("number of outputs");
  std::int64_t left = d;
  for (std::int64_t size : sizes) {
    if (size < 0 || size > left) malformed("the parts do not add up to the dimension");
    std::vector<Shape> coordinates = everything(op, from);
    coordinates[axis] = op.run(d - left, size, 1);
    left -= size;
    give_selected(op, coordinates);
  }
  if (left != 0) malformed("the parts do not add up to the dimension");
}

void gather(Op& op) {
  const Shape& from = op.in[0]->shape;
  const std::int64_t axis = axis_in(op.integer("axis", 0), from.size());
  std::vector<Shape> coordinates = everything(op, from);
  coordinates[axis] = op.values(1);
  for (std::int64_t& i : coordinates[axis]) {
    if (i < -from[axis] || i >= from[axis]) malformed("index " + std::to_string(i) + " out of range");
    if (i < 0) i += from[axis];
  }
  Shape shape(from.begin(), from.begin() + axis);
  shape.insert(shape.end(), op.in[1]->shape.begin(), op.in[1]->shape.end());
  shape.insert(shape.end(), from.begin() + axis + 1, from.end());
  element_count(shape);
  op.give(op.remap({*op.in[0]}, shape, op.select(from, coordinates)));
}

void pad(Op& op) {
  const Value& x = op.floats(0);
  const Attribute* mode = op.attribute("mode");
  if (mode && mode->text != "constant") unsupported("mode " + mode->text);
  const Shape pads = list(op, 1, "pads");
  const std::size_t rank = x.shape.size();
  const Shape axes = op.has(3) ? op.values(3) : op.run(0, static_cast<std::int64_t>(rank), 1);
  axis_set(axes, rank);
  if (pads.size() != 2 * axes.size()) malformed("not two pads per axis");
  std::vector<Shape> coordinates = everything(op, x.shape);
  Shape shape = x.shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axis_in(axes[i], rank), before = pads[i], after = pads[i + axes.size()];
    if (std::max(before, after) > kMaxElements || std::min(before, after) < -kMaxElements) over_limit("pad");
    shape[axis] = std::max<std::int64_t>(0, x.shape[axis] + before + after);
    coordinates[axis] = op.run(-before, shape[axis], 1);
    for (std::int64_t& c : coordinates[axis]) c = c >= 0 && c < x.shape[axis] ? c : -1;
  }
  Value fill = float_value(op.to.type(), {}, {op.real("value", 0)});
  if (op.has(2)) fill = op.constant(2);
  if (fill.size() != 1) malformed("the pad value is not one number");
  Shape index = op.select(x.shape, coordinates);
  std::vector<Value> operands{x};
  if (std::count(index.begin(), index.end(), -1) > 0) operands.push_back(fill);
  std::replace(index.begin(), index.end(), std::int64_t{-1}, static_cast<std::int64_t>(x.size()));
  op.give(op.remap(std::move(operands), shape, std::move(index)));
}

void expand(Op& op) { op.give(op.expand(*op.in[0], broadcast(op.in[0]->shape, op.values(1)))); }

}  // namespace outward_check::onnx
