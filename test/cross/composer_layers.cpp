// The operators of Composer that look at windows or contract: convolutions, products, pools, reductions, padding.
#include <cmath>
#include <limits>

#include "test/cross/composer.hpp"

namespace outward::testing {

using namespace onnx_test;

void Composer::conv(const ConvOptions& o) {
  const std::size_t axes = shape.size() - 2;
  const std::int64_t channels = shape[1], group = o.group ? channels : 1;
  const std::int64_t filters = o.group ? channels * (o.filters > channels ? 2 : 1) : o.filters;
  Dims kernel, weight_shape{filters, channels / group};
  Ints pads(2 * axes, 0), strides(axes, 1), dilations(axes, 1);
  Dims out{shape[0], filters};
  const bool wide_steps = !o.same && coin(4);
  std::int64_t window = channels / group;
  for (std::size_t a = 0; a < axes; ++a) {
    const std::int64_t size = shape[2 + a], k = o.same ? o.kernel : std::min(o.kernel, size);
    kernel.push_back(k);
    weight_shape.push_back(k);
    window *= k;
    if (o.same) {
      pads[a] = (k - 1) / 2;
      pads[axes + a] = k - 1 - pads[a];
    } else if (coin(3)) {
      pads[a] = pads[axes + a] = k / 2;
    }
    if (wide_steps) strides[a] = 2;
    if (!o.same && k > 1 && 2 * (k - 1) < size && coin(5)) dilations[a] = 2;
    out.push_back((size + pads[a] + pads[axes + a] - (k - 1) * dilations[a] - 1) / strides[a] + 1);
  }
  Floats weights;
  for (std::int64_t m = 0; m < filters; ++m) {
    const Floats one = row(static_cast<std::size_t>(window));
    weights.insert(weights.end(), one.begin(), one.end());
  }
  Names in{x, constant(weight_shape, weights)};
  if (o.bias) in.push_back(random_constant({filters}));
  x = emit("Conv", in,
           {attr("kernel_shape", kernel), attr("pads", pads), attr("strides", strides), attr("dilations", dilations),
            attr("group", group)});
  shape = out;
}

std::string Composer::matrix(std::int64_t depth, std::int64_t columns, bool transposed) {
  Floats values(static_cast<std::size_t>(depth * columns));
  for (std::int64_t j = 0; j < columns; ++j) {
    const Floats one = row(static_cast<std::size_t>(depth));
    for (std::int64_t k = 0; k < depth; ++k)
      values[static_cast<std::size_t>(transposed ? j * depth + k : k * columns + j)] = one[static_cast<std::size_t>(k)];
  }
  return constant(transposed ? Dims{columns, depth} : Dims{depth, columns}, values);
}

void Composer::matmul(std::int64_t columns) {
  x = emit("MatMul", {x, matrix(shape.back(), columns, false)});
  shape.back() = columns;
}

void Composer::gemm(std::int64_t columns, bool bias) {
  if (shape.size() != 2) return matmul(columns);
  const bool transposed = coin(2);
  Names in{x, matrix(shape[1], columns, transposed)};
  if (bias || opset_ < 11) in.push_back(random_constant({columns}));
  x = emit("Gemm", in, {attr("transB", transposed ? 1 : 0)});
  shape[1] = columns;
}

void Composer::general_gemm() {
  const std::int64_t columns = pick(1, 9), trans_b = pick(0, 1), trans_a = coin(4) ? 1 : 0;
  const std::int64_t rows = trans_a != 0 ? shape[1] : shape[0], depth = trans_a != 0 ? shape[0] : shape[1];
  Attributes attributes{attr("transA", trans_a), attr("transB", trans_b)};
  if (coin(2)) attributes.push_back(attr("alpha", coin(3) ? 0x1p20f : small_number()));
  if (coin(2)) attributes.push_back(attr("beta", coin(3) ? 0x1p-10f : small_number()));
  Names in{x, matrix(depth, columns, trans_b != 0)};
  switch (pick(opset_ < 11 ? 1 : 0, 6)) {
    case 0:
      break;
    case 1:
      in.push_back(random_constant({}));
      break;
    case 2:
      in.push_back(random_constant({columns}));
      break;
    case 3:
      in.push_back(random_constant({1, columns}));
      break;
    case 4:
      in.push_back(random_constant({rows, 1}));
      break;
    case 5:
      in.push_back(random_constant({rows, columns}));
      break;
    default: {  // another product as C
      const Dims before = shape;
      const std::string from = x;
      if (trans_a != 0) transpose({1, 0});
      matmul(columns);
      in.push_back(x);
      shape = before;
      x = from;
    }
  }
  x = emit("Gemm", in, attributes);
  shape = {rows, columns};
}

void Composer::twin_layers(const std::string& op) {
  const std::string before = x;
  const Dims start = shape;
  std::string twins[2];
  const std::int64_t outputs = pick(1, 6);
  const std::int64_t depth = image() ? shape[1] : shape.back();
  Floats weights;
  for (std::int64_t j = 0; j < outputs; ++j) {
    const Floats one = row(static_cast<std::size_t>(depth));
    weights.insert(weights.end(), one.begin(), one.end());
  }
  for (std::string& twin : twins) {
    if (image()) {
      Dims kernel{outputs, depth};
      kernel.resize(shape.size(), 1);
      twin = emit("Conv", {before, constant(kernel, weights)});
    } else {
      Floats by_columns(weights.size());
      for (std::int64_t j = 0; j < outputs; ++j)
        for (std::int64_t k = 0; k < depth; ++k)
          by_columns[static_cast<std::size_t>(k * outputs + j)] = weights[static_cast<std::size_t>(j * depth + k)];
      twin = emit("MatMul", {before, constant({depth, outputs}, by_columns)});
    }
    for (float& w : weights)
      if (coin(2)) w = std::nextafter(w, 0.0f);
  }
  x = emit(op, {twins[0], twins[1]});
  (image() ? shape[1] : shape.back()) = outputs;
}

void Composer::even_twins(std::int64_t filters) {
  const std::string before = x;
  Dims kernel{filters, shape[1]}, one_each{filters};
  kernel.resize(shape.size(), 1);
  one_each.resize(shape.size() - 1, 1);
  const std::string first = emit("Conv", {before, filled(kernel, 0x1p-8f)});
  const std::string large = emit("Add", {first, filled(one_each, 0x1p24f)});
  x = emit("Add", {large, emit("Conv", {before, filled(kernel, 0x1p-8f)})});
  shape[1] = filters;
}

void Composer::even_product(std::int64_t columns) {
  x = emit("MatMul", {x, filled({shape.back(), columns}, 0x1p-9f)});
  shape.back() = columns;
}

void Composer::pool(const std::string& op) {
  const std::size_t axes = shape.size() - 2;
  Dims kernel, out{shape[0], shape[1]};
  Ints pads(2 * axes, 0), strides(axes, 1);
  for (std::size_t a = 0; a < axes; ++a) {
    const std::int64_t size = shape[2 + a], k = std::min<std::int64_t>(pick(1, 3), size);
    kernel.push_back(k);
    if (coin(3)) pads[a] = k / 2;
    if (coin(3)) pads[axes + a] = k / 2;
    strides[a] = pick(1, 2);
    out.push_back((size + pads[a] + pads[axes + a] - k) / strides[a] + 1);
  }
  Attributes attributes{attr("kernel_shape", kernel), attr("pads", pads), attr("strides", strides)};
  if (op == "AveragePool" && coin(2)) attributes.push_back(attr("count_include_pad", 1));
  x = emit(op, {x}, attributes);
  shape = out;
}

void Composer::unary_global_average() {
  x = emit("GlobalAveragePool", {x});
  for (std::size_t a = 2; a < shape.size(); ++a) shape[a] = 1;
}

void Composer::reduce(const std::string& op) {
  const std::size_t rank = shape.size();
  const Ints axes = rank == 4 && coin(2) ? Ints{2, 3} : Ints{pick(1, static_cast<int>(rank) - 1)};
  if (op == "ReduceSum" && opset_ >= 13)
    x = emit(op, {x, list(axes)}, {attr("keepdims", 1)});
  else
    x = emit(op, {x}, {attr("axes", axes), attr("keepdims", 1)});
  for (std::int64_t axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
}

void Composer::pad(float value, bool explicit_value) {
  Ints pads(2 * shape.size(), 0);
  for (std::size_t a = 2; a < shape.size(); ++a) {
    pads[a] = pick(0, 2);
    pads[shape.size() + a] = pick(0, 2);
    shape[a] += pads[a] + pads[shape.size() + a];
  }
  if (opset_ < 11)
    x = emit("Pad", {x}, {attr("pads", pads), attr("value", value)});
  else if (explicit_value || value != 0)
    x = emit("Pad", {x, list(pads), filled({}, value)});
  else
    x = emit("Pad", {x, list(pads)});
}

void Composer::concat(const std::string& other, const Dims& other_shape) {
  const std::size_t axis = image() ? 1 : shape.size() - 1;
  Names in{x, other};
  std::int64_t size = shape[axis] + other_shape[axis];
  if (coin(3)) {
    Dims dims = shape;
    dims[axis] = 1;
    in.push_back(random_constant(dims));
    ++size;
  }
  x = emit("Concat", in, {attr("axis", static_cast<std::int64_t>(axis))});
  shape[axis] = size;
}

void Composer::slice_half() {
  const std::size_t axis = image() ? 1 : shape.size() - 1;
  const std::int64_t from = shape[axis] / 3, to = shape[axis];
  const auto number_of_axis = static_cast<std::int64_t>(axis);
  if (opset_ < 10)
    x = emit("Slice", {x}, {attr("starts", Ints{from}), attr("ends", Ints{to}), attr("axes", Ints{number_of_axis})});
  else
    x = emit("Slice", {x, list({from}), list({to}), list({number_of_axis})});
  shape[axis] = to - from;
}

}  // namespace outward::testing
