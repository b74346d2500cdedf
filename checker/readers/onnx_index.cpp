// Index operators: they move, repeat and drop elements; one rule serves constants and nodes alike.
#include <algorithm>

#include "checker/readers/onnx.hpp"

namespace outward_check::onnx {
namespace {

// The part of the operand with these coordinates per axis.
void give_picked(Op& op, const std::vector<Shape>& coordinates) {
  Shape shape;
  for (const Shape& axis : coordinates) shape.push_back(std::ssize(axis));
  op.give(op.remap({*op.in[0]}, shape, op.picked(op.in[0]->shape, coordinates)));
}

Int product(const Shape& shape, std::size_t first, std::size_t last) {
  return element_count(Shape(shape.begin() + first, shape.begin() + last));
}

}  // namespace

Reduction reduction(Op& op) {
  const Shape& from = op.in[0]->shape;
  const Shape axes = op.list("axes", 1);
  std::vector<bool> reduced = axis_set(axes, from.size());
  Reduction r;
  r.nothing = axes.empty() && op.integer("noop_with_empty_axes", 0) != 0;
  if (axes.empty()) reduced.assign(from.size(), !r.nothing);
  Shape order, behind;
  for (std::size_t a = 0; a < from.size(); ++a) {
    (reduced[a] ? behind : order).push_back(static_cast<Int>(a));
    if (reduced[a]) r.K *= from[a];
    if (!reduced[a] || op.integer("keepdims", 1) != 0) r.shape.push_back(reduced[a] ? 1 : from[a]);
  }
  order.insert(order.end(), behind.begin(), behind.end());
  r.index = op.picked(from, op.all(from), order);
  return r;
}

void identity(Op& op) { op.give(*op.in[0]); }

void dropout(Op& op) {
  const Shape training = op.has(2) ? op.values(2) : Shape{};
  support(std::count(training.begin(), training.end(), 0) == std::ssize(training), "training mode");
  op.give(*op.in[0]);  // the mask, the second output, is not provided
}

void flatten(Op& op) {
  const Value& x = *op.in[0];
  const std::size_t rank = x.shape.size();
  Int axis = op.integer("axis", 1);
  if (axis != std::ssize(x.shape)) axis = axis_in(axis, rank);
  op.give(with_shape(x, {product(x.shape, 0, axis), product(x.shape, axis, rank)}));
}

void reshape(Op& op) {
  const Value& x = *op.in[0];
  Shape shape = op.values(1);
  if (shape.size() > max_rank()) over(Limit::rank, "rank " + std::to_string(shape.size()));
  for (std::size_t i = 0; i < shape.size() && op.integer("allowzero", 0) == 0; ++i) {
    require(shape[i] != 0 || i < x.shape.size(), "dimension 0 without one to copy");
    if (shape[i] == 0) shape[i] = x.shape[i];
  }
  require(std::count(shape.begin(), shape.end(), -1) <= 1, "dimension -1 twice");
  if (const auto hole = std::find(shape.begin(), shape.end(), -1); hole != shape.end()) {
    *hole = 1;
    require(element_count(shape) > 0, "dimension -1: any number of elements fits");
    *hole = x.size() / element_count(shape);
  }
  require(element_count(shape) == x.size(), "the number of elements changes");
  op.give(with_shape(x, shape));
}

void squeeze(Op& op) {
  const Value& x = *op.in[0];
  const Shape axes = op.list("axes", 1);
  const bool all = !op.has(1) && !op.given("axes");
  support(all || !axes.empty(), "an empty list of axes");
  const std::vector<bool> drop = axis_set(axes, x.shape.size());
  Shape shape;
  for (std::size_t a = 0; a < drop.size(); ++a) {
    require(!drop[a] || x.shape[a] == 1, "a squeezed dimension is not 1");
    if (!drop[a] && !(all && x.shape[a] == 1)) shape.push_back(x.shape[a]);
  }
  op.give(with_shape(x, shape));
}

void unsqueeze(Op& op) {
  const Value& x = *op.in[0];
  const Shape axes = op.list("axes", 1);
  const std::vector<bool> fresh = axis_set(axes, x.shape.size() + axes.size());
  Shape shape;
  auto old = x.shape.begin();
  for (bool one : fresh) shape.push_back(one ? 1 : *old++);
  op.give(with_shape(x, shape));
}

void transpose(Op& op) {
  const Shape& from = op.in[0]->shape;
  const Int rank = std::ssize(from);
  Shape order = op.given("perm") ? op.list("perm") : op.run(rank - 1, rank, -1), shape;
  axis_set(order, from.size());
  require(std::ssize(order) == rank, "perm has not one entry per axis");
  for (Int& axis : order) shape.push_back(from[axis = axis_in(axis, from.size())]);
  op.give(op.remap({*op.in[0]}, shape, op.picked(from, op.all(from), order)));
}

void concat(Op& op) {
  Shape shape = op.in[0]->shape;
  const Int axis = axis_in(op.integer("axis", 0), shape.size());
  shape[axis] = 0;
  const Int outer = product(shape, 0, axis);
  std::vector<Value> operands;
  std::vector<std::pair<Int, Int>> parts;  // start and length in the first row of each operand
  Int total = 0;
  for (const Value* v : op.in) {
    Shape rest = v->shape;
    require(rest.size() == shape.size(), "operands of different rank");
    rest[axis] = shape[axis];
    require(rest == shape, "operands of different shape");
    shape[axis] += v->shape[axis];
    operands.push_back(*v);
    if (v->size() > 0) parts.emplace_back(total, v->size() / outer);
    total += v->size();
  }
  op.to.charge(element_count(shape));
  Shape index;
  for (Int o = 0; o < (parts.empty() ? 0 : outer); ++o) {
    for (const auto& [start, length] : parts) {
      for (Int i = 0; i < length; ++i) index.push_back(start + o * length + i);
    }
  }
  op.give(op.remap(std::move(operands), shape, std::move(index)));
}

void slice(Op& op) {
  const Shape& from = op.in[0]->shape;
  const Shape starts = op.list("starts", 1), ends = op.list("ends", 2);
  Shape axes = op.list("axes", 3), steps = op.has(4) ? op.values(4) : Shape(starts.size(), 1);
  if (axes.empty()) axes = op.run(0, std::ssize(starts), 1);
  require(starts.size() == ends.size() && axes.size() == ends.size() && steps.size() == ends.size(),
          "starts, ends, axes and steps differ in length");
  axis_set(axes, from.size());
  std::vector<Shape> coordinates = op.all(from);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Int axis = axis_in(axes[i], from.size()), d = from[axis];
    const Int step = std::clamp(steps[i], -d - 1, d + 1);  // longer steps change nothing
    require(step != 0, "step 0");
    const auto place = [&](Int at, Int low) {
      return std::clamp<Int>(at < 0 ? at + d : at, step < 0 ? std::min(low, d - 1) : 0,
                             step < 0 ? d - 1 : d);
    };
    const Int start = place(starts[i], 0), span = place(ends[i], -1) - start;  // as ONNX clamps
    const Int count = (span + step + (step < 0 ? 1 : -1)) / step;
    coordinates[axis] = op.run(start, std::max<Int>(count, 0), step);
  }
  give_picked(op, coordinates);
}

void split(Op& op) {
  const Shape& from = op.in[0]->shape;
  const Int axis = axis_in(op.integer("axis", 0), from.size()), d = from[axis];
  const Int parts = static_cast<Int>(op.outputs);
  const bool counted = op.given("num_outputs"), sized = op.has(1) || op.given("split");
  require(op.opset < 18 || counted != sized, "not exactly one of split and num_outputs");
  Shape sizes = op.list("split", 1);
  if (!sized) {
    require(counted ? op.integer("num_outputs", 0) == parts : d % parts == 0, "number of outputs");
    sizes.assign(parts, (d + parts - 1) / parts);
    sizes.back() = d - sizes[0] * (parts - 1);
  }
  require(std::ssize(sizes) == parts, "number of outputs");
  Int start = 0;
  for (Int size : sizes) {
    require(size >= 0 && size <= d - start, "the parts do not add up to the dimension");
    std::vector<Shape> coordinates = op.all(from);
    coordinates[axis] = op.run(start, size, 1);
    start += size;
    give_picked(op, coordinates);
  }
  require(start == d, "the parts do not add up to the dimension");
}

void gather(Op& op) {
  const Shape &from = op.in[0]->shape, &inner = op.in[1]->shape;
  const Int axis = axis_in(op.integer("axis", 0), from.size());
  std::vector<Shape> coordinates = op.all(from);
  coordinates[axis] = op.values(1);
  for (Int& i : coordinates[axis]) {
    require(i >= -from[axis] && i < from[axis], "an index out of range");
    i += i < 0 ? from[axis] : 0;
  }
  Shape shape(from.begin(), from.begin() + axis);
  shape.insert(shape.end(), inner.begin(), inner.end());
  shape.insert(shape.end(), from.begin() + axis + 1, from.end());
  op.give(op.remap({*op.in[0]}, shape, op.picked(from, coordinates)));
}

void pad(Op& op) {
  const Value& x = op.floats(0);
  const Shape pads = op.list("pads", 1);
  const Shape axes = op.has(3) ? op.values(3) : op.run(0, std::ssize(x.shape), 1);
  support(!op.given("mode") || op.text("mode") == "constant", "a mode other than constant");
  axis_set(axes, x.shape.size());
  require(pads.size() == 2 * axes.size(), "not two pads per axis");
  std::vector<Shape> coordinates = op.all(x.shape);
  Shape shape = x.shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Int before = pads[i], after = pads[i + axes.size()];
    const Int axis = axis_in(axes[i], shape.size()), d = shape[axis];
    require(std::max(before, after) <= max_elements() && std::min(before, after) >= -d, "pads");
    require((shape[axis] = d + before + after) >= 0, "pads that crop more than there is");
    coordinates[axis] = op.run(-before, shape[axis], 1);
  }
  Value fill = make_constant(op.to.type(), {}, {word(op.real("value", 0))});
  if (op.has(2)) fill = op.constant(2);
  require(fill.size() == 1, "the pad value is not one number");
  Shape index = op.picked(x.shape, coordinates);
  std::vector<Value> operands{x};
  if (std::count(index.begin(), index.end(), -1) > 0) operands.push_back(fill);
  std::replace(index.begin(), index.end(), Int{-1}, x.size());
  op.give(op.remap(std::move(operands), shape, std::move(index)));
}

void expand(Op& op) { op.give(op.expand(*op.in[0], broadcast(op.in[0]->shape, op.values(1)))); }

}  // namespace outward_check::onnx
