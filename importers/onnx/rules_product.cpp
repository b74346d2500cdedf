// Matrix products (certificates/FORMAT.md section 2): one dense node, the maps that bring its operand into rows, and
// what Gemm adds to it. A product of two computed values is refused.
#include <cmath>

#include "importers/onnx/operators.hpp"

namespace outward::onnx_import {
namespace {

// Row-major rows x columns -> its transpose.
Floats transposed(const Floats& values, std::int64_t rows, std::int64_t columns) {
  Floats result(values.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      result[static_cast<std::size_t>(c * rows + r)] = values[static_cast<std::size_t>(r * columns + c)];
    }
  }
  return result;
}

// Swaps the last two axes of each rows x columns matrix of x.
Value swap_last(Call& call, const Value& x, std::int64_t rows, std::int64_t columns, Shape shape) {
  const std::int64_t count = element_count(x.shape);
  Integers indices(static_cast<std::size_t>(count));
  const std::int64_t matrix = rows * columns;
  for (std::int64_t start = 0, out = 0; start < count; start += matrix) {
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::int64_t r = 0; r < rows; ++r) indices[static_cast<std::size_t>(out++)] = start + r * columns + c;
    }
  }
  return call.build.map({x}, std::move(indices), std::move(shape));
}

// A constant factor must be one matrix or vector: leading dimensions are 1.
void require_matrix(const Value& value) {
  for (std::size_t i = 0; i + 2 < value.shape.size(); ++i) {
    if (value.shape[i] != 1)
      refuse("unsupported-shape", "constant factor", "rank 1, 2, or leading dimensions 1", shape_text(value.shape));
  }
}

std::int64_t from_end(const Shape& shape, std::size_t i) { return shape[shape.size() - i]; }

void require_contracted(std::int64_t a, std::int64_t b) {
  if (a != b)
    refuse("shape-mismatch", "contracted dimensions", "equal", std::to_string(a) + " and " + std::to_string(b));
  if (a < 1) refuse("empty-tensor", "contracted dimension", "at least 1", std::to_string(a));
}

Value dense(Call& call, const Value& x, std::int64_t rows, std::int64_t k, std::int64_t n, Floats weights, bool bias,
            Shape shape) {
  return call.build.emit(Kind::dense, {x}, std::move(shape), {rows, k, n, bias ? 1 : 0}, std::move(weights));
}

// Leading dimensions of a product by numpy's rules: those of both operands broadcast.
Shape leading(const Shape& a, const Shape& b) {
  auto cut = [](const Shape& shape) {
    return Shape(shape.begin(), shape.end() - std::min<std::ptrdiff_t>(2, std::ssize(shape)));
  };
  return broadcast_shape(cut(a), cut(b));
}

// B constant.
void matmul_right(Call& call, const Value& a, const Value& b) {
  require_matrix(b);
  const bool vector = b.shape.size() == 1;
  const std::int64_t k = vector ? b.shape[0] : from_end(b.shape, 2), n = vector ? 1 : from_end(b.shape, 1);
  require_contracted(a.shape.back(), k);
  Shape shape = leading(a.shape, b.shape);
  if (a.shape.size() > 1) shape.push_back(from_end(a.shape, 2));
  if (!vector) shape.push_back(n);
  const Value x = call.build.as_node(a);
  call.out[0] = dense(call, x, element_count(a.shape) / k, k, n, transposed(*b.floats, k, n), false, std::move(shape));
}

// A constant, B a node.
void matmul_left(Call& call, const Value& a, const Value& b) {
  require_matrix(a);
  const bool vector_a = a.shape.size() == 1, vector_b = b.shape.size() == 1;
  const std::int64_t m = vector_a ? 1 : from_end(a.shape, 2), k = from_end(a.shape, 1);
  require_contracted(k, vector_b ? b.shape[0] : from_end(b.shape, 2));
  const std::int64_t n = vector_b ? 1 : from_end(b.shape, 1);
  Shape shape = leading(a.shape, b.shape);
  if (!vector_a) shape.push_back(m);
  if (!vector_b) shape.push_back(n);
  const Value columns = vector_b ? b : swap_last(call, b, k, n, {element_count(b.shape) / k, k});
  const std::int64_t rows = element_count(b.shape) / k;
  const Value product = dense(call, columns, rows, k, m, *a.floats, false, {rows, m});
  call.out[0] = vector_b ? reshaped(product, std::move(shape)) : swap_last(call, product, n, m, std::move(shape));
}

// C of Gemm must broadcast to the result without enlarging it.
Shape gemm_shape(const Value& c, std::int64_t m, std::int64_t n) {
  const Shape shape = broadcast_shape(c.shape, {m, n});
  if (shape != Shape{m, n})
    refuse("shape-mismatch", "operand C", "broadcast to " + shape_text({m, n}), shape_text(c.shape));
  return shape;
}

bool is_row(const Shape& shape, std::int64_t n) {
  if (shape.size() > 2 || (shape.size() == 2 && shape[0] != 1)) return false;
  return shape.empty() || shape.back() == 1 || shape.back() == n;
}

}  // namespace

void rule_matmul(Call& call) {
  const Value &a = call.in[0], &b = call.in[1];
  require_float(call, a, "first operand");
  require_float(call, b, "second operand");
  if (a.shape.empty() || b.shape.empty()) refuse("bad-shape", "operand", "rank 1 or more", "rank 0");
  if (b.is_constant()) return matmul_right(call, a, b);
  if (a.is_constant()) return matmul_left(call, a, b);
  refuse("nonlinear", "product of two computed values", "one constant factor");
}

void rule_gemm(Call& call) {
  const Value &a = call.in[0], &b = call.in[1], &c = call.optional(2);
  require_float(call, a, "operand A");
  require_float(call, b, "operand B");
  if (c.present()) require_float(call, c, "operand C");
  if (a.shape.size() != 2) refuse("bad-shape", "operand A", "rank 2", shape_text(a.shape));
  if (b.shape.size() != 2) refuse("bad-shape", "operand B", "rank 2", shape_text(b.shape));
  const bool flip_a = call.attributes.integer("transA", 0) != 0, flip_b = call.attributes.integer("transB", 0) != 0;
  const double alpha = call.attributes.number("alpha", 1.0f), beta = call.attributes.number("beta", 1.0f);
  if (!std::isfinite(alpha) || !std::isfinite(beta))
    refuse("not-finite", "attributes alpha and beta", "finite numbers");
  const std::int64_t m = a.shape[flip_a ? 1 : 0], k = a.shape[flip_a ? 0 : 1], n = b.shape[flip_b ? 0 : 1];
  require_contracted(k, b.shape[flip_b ? 1 : 0]);
  const Shape shape{m, n};
  const bool added = c.present() && beta != 0;
  if (c.present()) gemm_shape(c, m, n);
  Value product;
  bool finished = !added;
  if (b.is_constant()) {
    Value x = call.build.as_node(a);
    if (flip_a) x = swap_last(call, x, k, m, {m, k});
    Floats weights = flip_b ? *b.floats : transposed(*b.floats, k, n);
    const bool bias = added && c.is_constant() && beta == 1 && alpha == 1 && is_row(c.shape, n);
    if (bias) {
      const Floats row = broadcast_floats(c, c.shape.size() == 2 ? Shape{1, n} : Shape{n});
      weights.insert(weights.end(), row.begin(), row.end());
    }
    product = dense(call, x, m, k, n, std::move(weights), bias, shape);
    finished = finished || bias;
  } else if (a.is_constant()) {
    const Value x = flip_b ? b : swap_last(call, b, k, n, {n, k});
    product = dense(call, x, n, k, m, flip_a ? transposed(*a.floats, k, m) : *a.floats, false, {n, m});
    product = swap_last(call, product, n, m, shape);
  } else {
    refuse("nonlinear", "product of two computed values", "one constant factor");
  }
  auto scaled = [&](const Value& x, double factor) {
    return call.build.emit(Kind::scale, {x}, shape, {}, Floats(static_cast<std::size_t>(m * n), factor));
  };
  if (alpha != 1) product = scaled(product, alpha);
  if (!finished && c.is_constant() && beta == 1) {
    product = call.build.emit(Kind::shift, {product}, shape, {}, broadcast_floats(c, shape));
  } else if (!finished) {
    Value addend = c.is_constant() ? call.build.materialise(c, shape) : call.build.expand(c, shape);
    if (beta != 1) addend = scaled(addend, beta);
    product = call.build.emit(Kind::add, {product, addend}, shape, {0});
  }
  call.out[0] = product;
}

}  // namespace outward::onnx_import
