// Operators that only move elements: one map of certificates/FORMAT.md section 1 each, exact on constants.
#include <algorithm>
#include <numeric>

#include "importers/onnx/operators.hpp"

namespace outward::onnx_import {
namespace {

// Elements of one axis to keep, in order; the other axes are kept whole.
Value select_along(Call& call, const Value& value, std::size_t axis, const Integers& positions) {
  Shape shape = value.shape;
  shape[axis] = static_cast<std::int64_t>(positions.size());
  const std::int64_t count = element_count(shape, max_generated);
  Integers indices;
  indices.reserve(static_cast<std::size_t>(count));
  const std::int64_t inner = strides_of(value.shape)[axis];
  const std::int64_t outer =
      count == 0 ? 0 : element_count(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)));
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t position : positions) {
      const std::int64_t start = (o * value.shape[axis] + position) * inner;
      for (std::int64_t i = 0; i < inner; ++i) indices.push_back(start + i);
    }
  }
  return call.build.select(value, indices, std::move(shape));
}

// Positions start, start + step, ... of a dimension, as ONNX clamps them.
Integers slice_positions(std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step == 0) refuse("bad-slice", "step", "not 0", "0");
  Integers positions;
  if (dim == 0) return positions;
  // Adding dim to a negative number cannot overflow.
  start = start < 0 ? start + dim : start;
  end = end < 0 ? end + dim : end;
  if (step > 0) {
    start = std::clamp<std::int64_t>(start, 0, dim);
    end = std::clamp<std::int64_t>(end, 0, dim);
    for (std::int64_t at = start; at < end;) {
      positions.push_back(at);
      if (step >= end - at) break;
      at += step;
    }
  } else {
    start = std::clamp<std::int64_t>(start, 0, dim - 1);
    end = std::clamp<std::int64_t>(end, -1, dim - 1);
    for (std::int64_t at = start; at > end;) {
      positions.push_back(at);
      if (step <= end - at) break;
      at += step;
    }
  }
  return positions;
}

struct Padding {
  Integers begin, end;  // per axis
  bool any(bool (*test)(std::int64_t)) const {
    return std::any_of(begin.begin(), begin.end(), test) || std::any_of(end.begin(), end.end(), test);
  }
};

Padding read_padding(const Call& call, std::size_t rank) {
  const bool operands = call.opset >= 11;
  if (!operands && !call.attributes.has("pads")) refuse("missing-attribute", "attribute pads");
  const Integers pads = operands ? require_int64_list(call.in[1], "operand pads") : call.attributes.integers("pads");
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (call.optional(3).present()) {
    axes.clear();
    for (std::int64_t axis : require_int64_list(call.in[3], "operand axes"))
      axes.push_back(normalise_axis(axis, rank, "operand axes"));
    sorted_axes(Integers(axes.begin(), axes.end()), rank);  // refuses repetitions
  }
  if (pads.size() != 2 * axes.size()) {
    refuse("bad-pads", "number of pads", std::to_string(2 * axes.size()), std::to_string(pads.size()));
  }
  Padding padding{Integers(rank, 0), Integers(rank, 0)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    padding.begin[axes[i]] = pads[i];
    padding.end[axes[i]] = pads[i + axes.size()];
  }
  return padding;
}

Value pad_value(const Call& call) {
  if (call.opset < 11) {
    const double value = call.attributes.number("value", 0.0f);
    return float_value(call.build.type(), {}, {value});
  }
  const Value& given = call.optional(2);
  if (!given.present()) return float_value(call.build.type(), {}, {0.0});
  require_constant(call, given, "operand constant_value");
  if (given.floats->size() != 1) refuse("bad-shape", "operand constant_value", "one element", shape_text(given.shape));
  return reshaped(given, {});
}

}  // namespace

void rule_transpose(Call& call) {
  const Value& x = call.in[0];
  const std::size_t rank = x.shape.size();
  std::vector<std::size_t> perm;
  if (call.attributes.has("perm")) {
    for (std::int64_t axis : call.attributes.integers("perm")) {
      if (axis < 0) refuse("bad-axis", "attribute perm", "a permutation of the axes");
      perm.push_back(normalise_axis(axis, rank, "attribute perm"));
    }
    if (perm.size() != rank)
      refuse("bad-axis", "attribute perm", std::to_string(rank) + " axes", std::to_string(perm.size()));
    sorted_axes(Integers(perm.begin(), perm.end()), rank);
  } else {
    for (std::size_t i = rank; i-- > 0;) perm.push_back(i);
  }
  Shape shape;
  for (std::size_t axis : perm) shape.push_back(x.shape[axis]);
  call.out[0] = call.build.select(x, transpose_indices(x.shape, perm), std::move(shape));
}

void rule_concat(Call& call) {
  if (!call.attributes.has("axis")) refuse("missing-attribute", "attribute axis");
  const std::size_t rank = call.in[0].shape.size();
  const std::size_t axis = normalise_axis(call.attributes.integer("axis", 0), rank);
  Shape shape = call.in[0].shape;
  shape[axis] = 0;
  bool all_constant = true;
  for (const Value& value : call.in) {
    if (!value.present()) refuse("missing-operand", "an operand is left out");
    if (value.type != call.in[0].type) refuse("bad-type", "operand", type_name(call.in[0].type), type_name(value.type));
    Shape rest = value.shape;
    if (rest.size() == rank) {
      shape[axis] += rest[axis];
      rest[axis] = shape[axis];
    }
    if (rest != shape)
      refuse("shape-mismatch", "operand shapes", "equal but for axis " + std::to_string(axis), shape_text(value.shape));
    all_constant = all_constant && !value.is_node();
  }
  const std::int64_t count = element_count(shape, max_generated);
  // Index into the concatenation of all operands, whatever they are.
  Integers indices;
  indices.reserve(static_cast<std::size_t>(count));
  const std::int64_t outer =
      count == 0 ? 0 : element_count(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)));
  for (std::int64_t o = 0; o < outer; ++o) {
    std::int64_t base = 0;
    for (const Value& value : call.in) {
      const std::int64_t whole = element_count(value.shape), run = whole / outer;
      for (std::int64_t i = 0; i < run; ++i) indices.push_back(base + o * run + i);
      base += whole;
    }
  }
  if (all_constant && call.in[0].is_integer()) {
    Integers all;
    for (const Value& value : call.in) all.insert(all.end(), value.ints->begin(), value.ints->end());
    const auto total = static_cast<std::int64_t>(all.size());
    call.out[0] = call.build.select(integer_value(call.in[0].type, {total}, std::move(all)), indices, std::move(shape));
    return;
  }
  require_float(call, call.in[0], "operand");
  if (all_constant) {
    Floats all;
    for (const Value& value : call.in) all.insert(all.end(), value.floats->begin(), value.floats->end());
    const auto total = static_cast<std::int64_t>(all.size());
    call.out[0] = call.build.select(float_value(call.in[0].type, {total}, std::move(all)), indices, std::move(shape));
    return;
  }
  std::vector<Value> operands;
  for (const Value& value : call.in) operands.push_back(call.build.as_node(value));
  call.out[0] = call.build.map(operands, std::move(indices), std::move(shape));
}

void rule_slice(Call& call) {
  const Value& x = call.in[0];
  const std::size_t rank = x.shape.size();
  Integers starts, ends, axes, steps;
  bool axes_given = false;
  if (call.opset < 10) {
    if (!call.attributes.has("starts") || !call.attributes.has("ends"))
      refuse("missing-attribute", "attributes starts and ends");
    starts = call.attributes.integers("starts");
    ends = call.attributes.integers("ends");
    axes = call.attributes.integers("axes");
    axes_given = call.attributes.has("axes");
  } else {
    starts = require_int64_list(call.in[1], "operand starts");
    ends = require_int64_list(call.in[2], "operand ends");
    axes_given = call.optional(3).present();
    if (axes_given) axes = require_int64_list(call.in[3], "operand axes");
    if (call.optional(4).present()) steps = require_int64_list(call.in[4], "operand steps");
  }
  if (!axes_given) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (!call.optional(4).present()) steps.assign(starts.size(), 1);
  if (starts.size() != ends.size() || starts.size() != axes.size() || starts.size() != steps.size()) {
    refuse("bad-slice", "starts, ends, axes and steps", "equally many");
  }
  sorted_axes(axes, rank);  // refuses repetitions
  Shape shape = x.shape;
  element_count(shape, max_generated);  // bounds the intermediate lists below
  Integers indices{0};
  // All axes at once, so that one map is emitted.
  const Integers strides = strides_of(x.shape);
  std::vector<Integers> positions(rank);
  for (std::size_t i = 0; i < rank; ++i) positions[i] = slice_positions(x.shape[i], 0, x.shape[i], 1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = normalise_axis(axes[i], rank);
    positions[axis] = slice_positions(x.shape[axis], starts[i], ends[i], steps[i]);
  }
  for (std::size_t i = 0; i < rank; ++i) {
    shape[i] = static_cast<std::int64_t>(positions[i].size());
    Integers next;
    next.reserve(indices.size() * positions[i].size());
    for (std::int64_t base : indices) {
      for (std::int64_t position : positions[i]) next.push_back(base + position * strides[i]);
    }
    indices = std::move(next);
  }
  call.out[0] = call.build.select(x, indices, std::move(shape));
}

void rule_split(Call& call) {
  const Value& x = call.in[0];
  const std::size_t axis = normalise_axis(call.attributes.integer("axis", 0), x.shape.size());
  const std::int64_t dim = x.shape[axis];
  const auto outputs = static_cast<std::int64_t>(call.out.size());
  Integers sizes;
  const bool listed = call.attributes.has("split") || call.optional(1).present();
  if (call.opset >= 18 && listed == call.attributes.has("num_outputs")) {
    refuse("bad-split", "operand split and attribute num_outputs", "exactly one of them");
  }
  if (listed) {
    sizes = call.attributes.has("split") ? call.attributes.integers("split")
                                         : require_int64_list(call.in[1], "operand split");
  } else {
    if (call.opset >= 18 && call.attributes.integer("num_outputs", 0) != outputs) {
      refuse("bad-split", "attribute num_outputs", std::to_string(outputs),
             std::to_string(call.attributes.integer("num_outputs", 0)));
    }
    if (call.opset < 18 && dim % outputs != 0) {
      refuse("bad-split", "split dimension", "a multiple of " + std::to_string(outputs), std::to_string(dim));
    }
    const std::int64_t size = (dim + outputs - 1) / outputs;
    sizes.assign(static_cast<std::size_t>(outputs), size);
    sizes.back() = dim - size * (outputs - 1);
  }
  std::int64_t sum = 0;
  for (std::int64_t size : sizes) {
    if (size < 0 || size > dim)
      refuse("bad-split", "size of a part", "0 to " + std::to_string(dim), std::to_string(size));
    sum += size;
  }
  if (sum != dim || sizes.size() != call.out.size()) {
    refuse("bad-split", "sizes of the parts", std::to_string(outputs) + " numbers with sum " + std::to_string(dim),
           shape_text(sizes));
  }
  std::int64_t start = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Integers positions(static_cast<std::size_t>(sizes[i]));
    std::iota(positions.begin(), positions.end(), start);
    start += sizes[i];
    call.out[i] = select_along(call, x, axis, positions);
  }
}

void rule_gather(Call& call) {
  const Value& x = call.in[0];
  const Value& list = require_integer(call.in[1], "operand indices");
  if (list.type != Type::i64 && list.type != Type::i32)
    refuse("bad-type", "operand indices", "int64 or int32", type_name(list.type));
  const std::size_t axis = normalise_axis(call.attributes.integer("axis", 0), x.shape.size());
  const std::int64_t dim = x.shape[axis];
  Integers positions = *list.ints;
  for (std::int64_t& position : positions) {
    if (position < -dim || position >= dim) {
      refuse("bad-index", "operand indices", "-" + std::to_string(dim) + " to " + std::to_string(dim - 1),
             std::to_string(position));
    }
    if (position < 0) position += dim;
  }
  Shape shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), list.shape.begin(), list.shape.end());
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape.end());
  element_count(shape, max_generated);
  call.out[0] = reshaped(select_along(call, x, axis, positions), std::move(shape));
}

void rule_pad(Call& call) {
  const Value& x = call.in[0];
  require_float(call, x, "operand data");
  const std::string mode = call.attributes.text("mode", "constant");
  if (mode != "constant") refuse("unsupported-attribute", "attribute mode", "constant", in_quotes(mode));
  const std::size_t rank = x.shape.size();
  const Padding padding = read_padding(call, rank);
  Shape shape = x.shape;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t begin = padding.begin[i], end = padding.end[i], dim = x.shape[i];
    if (begin < -dim || end < -dim || begin > max_generated || end > max_generated ||
        std::max<std::int64_t>(-begin, 0) + std::max<std::int64_t>(-end, 0) > dim) {
      refuse("bad-pads", "pads of axis " + std::to_string(i), "at most the dimension is cut off",
             std::to_string(begin) + " and " + std::to_string(end));
    }
    shape[i] += begin + end;
  }
  const std::int64_t count = element_count(shape, max_generated);
  // Per axis and result coordinate: offset in x, or -1 for padding.
  const std::int64_t outside = element_count(x.shape);
  if (outside == 0) refuse("empty-tensor", "operand data", "at least one element", "shape " + shape_text(x.shape));
  const Integers strides = strides_of(x.shape);
  Integers indices(1, 0);
  indices.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < rank; ++i) {
    Integers next;
    next.reserve(indices.size() * static_cast<std::size_t>(shape[i]));
    for (std::int64_t base : indices) {
      for (std::int64_t at = 0; at < shape[i]; ++at) {
        const std::int64_t source = at - padding.begin[i];
        const bool inside = base >= 0 && source >= 0 && source < x.shape[i];
        next.push_back(inside ? base + source * strides[i] : -1);
      }
    }
    indices = std::move(next);
  }
  bool padded = false;
  for (std::int64_t& index : indices) {
    if (index >= 0) continue;
    index = outside;
    padded = true;
  }
  const Value fill = pad_value(call);
  if (x.is_constant()) {
    Floats all = *x.floats;
    all.push_back(fill.floats->front());
    call.out[0] = call.build.select(float_value(x.type, {outside + 1}, std::move(all)), indices, std::move(shape));
    return;
  }
  std::vector<Value> operands{x};
  if (padded) operands.push_back(call.build.materialise(fill, {1}));
  call.out[0] = call.build.map(operands, std::move(indices), std::move(shape));
}

void rule_expand(Call& call) {
  const Shape wanted = require_int64_list(call.in[1], "operand shape");
  if (call.in[1].shape.size() != 1) refuse("bad-shape", "operand shape", "rank 1", shape_text(call.in[1].shape));
  element_count(wanted, max_generated);
  const Value& x = call.in[0];
  const Shape shape = broadcast_shape(x.shape, wanted);
  call.out[0] =
      x.is_node() ? call.build.expand(x, shape) : call.build.select(x, broadcast_indices(x.shape, shape), shape);
}

}  // namespace outward::onnx_import
