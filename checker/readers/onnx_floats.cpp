// Float operators, one function each, exactly as FORMAT.md section 2 words them. Nothing is computed
// here: constants are moved into payloads bit by bit.
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "checker/readers/onnx_lower.hpp"

namespace outward_check::onnx {
namespace {

using Int = std::int64_t;

bool is_constant(const Value& v) { return v.is == Value::Is::floats; }

struct Pair {
  Value v, w;
  Shape shape;
};

// Both operands broadcast; of two constants the first becomes a node.
Pair pair(Op& op) {
  Pair p{op.floats(0), op.floats(1), {}};
  p.shape = broadcast(p.v.shape, p.w.shape);
  p.v = op.expand(p.v, p.shape);
  p.w = op.expand(p.w, p.shape);
  if (is_constant(p.v) && is_constant(p.w)) p.v = op.materialise(p.v);
  return p;
}

std::vector<double> fill(Op& op, const Shape& shape, double value) {
  const std::uint64_t count = element_count(shape);
  op.to.charge(count);
  return std::vector<double>(count, value);
}

std::vector<double> columns_first(Op& op, const std::vector<double>& matrix, Int rows, Int columns) {
  std::vector<double> out(matrix.size());
  const Int tile = 32;
  op.to.charge(out.size());
  for (Int r0 = 0; r0 < rows; r0 += tile) {
    for (Int c = 0; c < columns; ++c) {
      for (Int r = r0; r < std::min(rows, r0 + tile); ++r) out[c * rows + r] = matrix[r * columns + c];
    }
  }
  return out;
}

Value swap_last(Op& op, const Value& v, Int batch, Int rows, Int columns, const Shape& shape) {
  return op.remap({v}, shape, op.transposed({batch, rows, columns}, {0, 2, 1}));
}

void unary(Op& op, Kind kind, std::vector<double> payload) {
  const Value x = op.materialise(op.floats(0));
  op.give(op.emit(kind, {x}, x.shape, {}, std::move(payload)));
}

}  // namespace

void add(Op& op) {
  const Pair p = pair(op);
  if (is_constant(p.w)) op.give(op.emit(Kind::shift, {p.v}, p.shape, {}, *p.w.floats));
  else if (is_constant(p.v)) op.give(op.emit(Kind::shift, {p.w}, p.shape, {}, *p.v.floats));
  else op.give(op.emit(Kind::add, {p.v, p.w}, p.shape, {0}));
}

void subtract(Op& op) {
  const Pair p = pair(op);
  if (is_constant(p.w)) {
    std::vector<double> payload = *p.w.floats;
    for (double& c : payload) c = -c;
    op.give(op.emit(Kind::shift, {p.v}, p.shape, {}, std::move(payload)));
  } else if (is_constant(p.v)) {
    const Value negated = op.emit(Kind::neg, {p.w}, p.shape);
    op.give(op.emit(Kind::shift, {negated}, p.shape, {}, *p.v.floats));
  } else {
    op.give(op.emit(Kind::add, {p.v, p.w}, p.shape, {1}));
  }
}

void multiply(Op& op) {
  const Pair p = pair(op);
  if (is_constant(p.w)) op.give(op.emit(Kind::scale, {p.v}, p.shape, {}, *p.w.floats));
  else if (is_constant(p.v)) op.give(op.emit(Kind::scale, {p.w}, p.shape, {}, *p.v.floats));
  else unsupported("a product of two values of the network");
}

void divide(Op& op) {
  const Pair p = pair(op);
  if (!is_constant(p.w)) unsupported("division by a value of the network");
  if (std::count(p.w.floats->begin(), p.w.floats->end(), 0.0) > 0) unsupported("division by zero");
  op.give(op.emit(Kind::divide, {op.materialise(p.v)}, p.shape, {}, *p.w.floats));
}

void negate(Op& op) { unary(op, Kind::neg, {}); }
void relu(Op& op) { unary(op, Kind::relu, {}); }
void absolute(Op& op) { unary(op, Kind::abs, {}); }

void leaky_relu(Op& op) {
  const double alpha = op.real("alpha", 0.01f);
  if (!(alpha >= 0 && alpha <= 1)) unsupported("alpha outside [0, 1]");
  unary(op, Kind::leaky, {alpha});
}

void clip(Op& op) {
  const double greatest = op.to.graph.is_binary64 ? DBL_MAX : double{FLT_MAX};
  const auto bound = [&](std::size_t i, const char* name, double extreme) {
    if (op.has(i) && op.constant(i).size() != 1) malformed("a bound is not one number");
    const double b = op.has(i) ? (*op.constant(i).floats)[0]
                               : op.attribute(name) ? op.real(name, 0) : extreme;
    return std::isinf(b) && (b < 0) == (extreme < 0) ? extreme : b;
  };
  const double low = bound(1, "min", -greatest), high = bound(2, "max", greatest);
  if (!(low <= high)) unsupported("lower bound above the upper one, or NaN");
  unary(op, Kind::clip, {low, high});
}

void matmul(Op& op) {
  Value a = op.floats(0);
  const Value& b = op.floats(1);
  if (a.shape.empty() || b.shape.empty()) malformed("a scalar operand");
  Shape sa = a.shape, sb = b.shape;
  if (a.shape.size() == 1) sa.insert(sa.begin(), 1);
  if (b.shape.size() == 1) sb.push_back(1);
  const Int M = sa[sa.size() - 2], K = sa.back(), N = sb.back();
  if (sb[sb.size() - 2] != K) malformed(shape_text(a.shape) + " times " + shape_text(b.shape));
  Shape shape = broadcast({sa.begin(), sa.end() - 2}, {sb.begin(), sb.end() - 2});
  if (a.shape.size() > 1) shape.push_back(M);
  if (b.shape.size() > 1) shape.push_back(N);
  const Int batch_a = static_cast<Int>(a.size()) / (M * K), batch_b = static_cast<Int>(b.size()) / (K * N);
  if (is_constant(b) ? batch_b != 1 : is_constant(a) && batch_a != 1) unsupported("a batch of constants");
  if (is_constant(b)) {
    a = op.materialise(a);
    op.give(op.emit(Kind::dense, {a}, shape, {batch_a * M, K, N, 0}, columns_first(op, *b.floats, K, N)));
  } else if (is_constant(a)) {
    const Value x = swap_last(op, b, batch_b, K, N, {batch_b, N, K});
    const Value y = op.emit(Kind::dense, {x}, {batch_b, N, M}, {batch_b * N, K, M, 0}, *a.floats);
    op.give(swap_last(op, y, batch_b, N, M, shape));
  } else {
    unsupported("a product of two values of the network");
  }
}

void gemm(Op& op) {
  Value a = op.floats(0), y;
  const Value& b = op.floats(1);
  if (a.shape.size() != 2 || b.shape.size() != 2) malformed("operands are not matrices");
  const bool ta = op.integer("transA", 0) != 0, tb = op.integer("transB", 0) != 0;
  const double alpha = op.real("alpha", 1), beta = op.real("beta", 1);
  if (!std::isfinite(alpha) || !std::isfinite(beta)) unsupported("alpha or beta not finite");
  const Int M = a.shape[ta], K = a.shape[!ta], N = b.shape[!tb];
  if (b.shape[tb] != K) malformed(shape_text(a.shape) + " times " + shape_text(b.shape));
  const Shape shape{M, N};
  const Value* c = op.has(2) ? &op.floats(2) : nullptr;
  if (c && broadcast(c->shape, shape) != shape) malformed("C does not fit the result");
  if (beta == 0) c = nullptr;
  bool bias = false;
  if (is_constant(b)) {
    a = op.materialise(a);
    if (ta) a = swap_last(op, a, 1, K, M, {M, K});
    std::vector<double> payload = tb ? *b.floats : columns_first(op, *b.floats, K, N);
    const bool row = c && (c->size() == 1 || (c->shape.back() == N && c->size() == b.size() / K));
    bias = row && is_constant(*c) && alpha == 1 && beta == 1;
    if (bias) {
      const Value full = op.expand(with_shape(*c, {static_cast<Int>(c->size())}), {N});
      payload.insert(payload.end(), full.floats->begin(), full.floats->end());
    }
    y = op.emit(Kind::dense, {a}, shape, {M, K, N, bias}, std::move(payload));
  } else if (is_constant(a)) {
    const Value x = tb ? b : swap_last(op, b, 1, K, N, {N, K});
    const std::vector<double> W = ta ? columns_first(op, *a.floats, K, M) : *a.floats;
    y = swap_last(op, op.emit(Kind::dense, {x}, {N, M}, {N, K, M, 0}, W), 1, N, M, shape);
  } else {
    unsupported("a product of two values of the network");
  }
  if (!bias && alpha != 1) y = op.emit(Kind::scale, {y}, shape, {}, fill(op, shape, alpha));
  if (!bias && c) {
    Value t = op.expand(*c, shape);
    if (is_constant(t) && beta == 1) {
      y = op.emit(Kind::shift, {y}, shape, {}, *t.floats);
    } else {
      t = op.materialise(t);
      if (beta != 1) t = op.emit(Kind::scale, {t}, shape, {}, fill(op, shape, beta));
      y = op.emit(Kind::add, {y, t}, shape, {0});
    }
  }
  op.give(y);
}

namespace {

// One axis of a sliding window; a 1-D operator has a first axis of size 1.
struct Axis {
  Int in = 1, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0, out = 1;
};

std::array<Axis, 2> window(const Op& op, const Shape& x, const Shape& kernel) {
  if (x.size() != 3 && x.size() != 4) unsupported("neither 1-D nor 2-D");
  const std::size_t d = x.size() - 2;
  const auto read = [&](const char* name, std::size_t count, Int absent, Int least) {
    Shape list = op.integers(name);
    if (list.empty()) list.assign(count, absent);
    if (list.size() != count) malformed(std::string(name) + " has not " + std::to_string(count) + " entries");
    for (Int v : list) {
      if (v < least || v > kMaxElements) malformed(std::string(name) + " out of range");
    }
    return list;
  };
  const Shape strides = read("strides", d, 1, 1), dilations = read("dilations", d, 1, 1);
  const Shape pads = read("pads", 2 * d, 0, 0);
  const Attribute* mode = op.attribute("auto_pad");
  const std::string auto_pad = mode ? mode->text : "NOTSET";
  const bool upper = auto_pad == "SAME_UPPER", same = upper || auto_pad == "SAME_LOWER";
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID") malformed("auto_pad " + auto_pad);
  if (auto_pad != "NOTSET" && op.attribute("pads")) malformed("pads and auto_pad");
  std::array<Axis, 2> axes;
  for (std::size_t i = 0; i < d; ++i) {
    Axis& a = axes[i + 2 - d];
    a = {x[i + 2], kernel[i], strides[i], dilations[i], pads[i], pads[i + d], 1};
    if (a.kernel < 1 || a.kernel > kMaxElements) malformed("kernel size");
    const Int reach = (a.kernel - 1) * a.dilation + 1;
    if (same) {
      const Int total = std::max<Int>(0, (a.in - 1) / a.stride * a.stride + reach - a.in);
      a.before = upper ? total / 2 : total - total / 2;
      a.after = total - a.before;
    }
    const Int room = a.in + a.before + a.after - reach;
    if (room < 0) malformed("the window is greater than the padded image");
    a.out = room / a.stride + 1;
    if (op.integer("ceil_mode", 0) != 0 && room % a.stride != 0) unsupported("ceil_mode");
  }
  return axes;
}

Shape image_shape(const Shape& x, Int channels, const std::array<Axis, 2>& a) {
  return x.size() == 3 ? Shape{x[0], channels, a[1].out} : Shape{x[0], channels, a[0].out, a[1].out};
}

// Windows as rows of K entries, then `reduce` or `max` over them.
void pool(Op& op, bool average, bool count_padding, const std::array<Axis, 2>& a) {
  const Value x = op.materialise(op.floats(0));
  const auto& [v, h] = a;
  const Int planes = x.shape[0] * x.shape[1], K = v.kernel * h.kernel, n = static_cast<Int>(x.size());
  element_count({v.kernel, h.kernel});
  op.to.charge(element_count({planes, v.out, h.out, K}));
  Shape index, divisors{K};
  bool padded = false;
  for (Int p = 0; p < planes; ++p) {
    for (Int o = 0; o < v.out * h.out; ++o) {
      const std::size_t start = index.size();
      Int first = -1, inside = 0;
      for (Int k = 0; k < K; ++k) {
        const Int row = o / h.out * v.stride - v.before + k / h.kernel * v.dilation;
        const Int column = o % h.out * h.stride - h.before + k % h.kernel * h.dilation;
        const bool in = row >= 0 && row < v.in && column >= 0 && column < h.in;
        index.push_back(in ? (p * v.in + row) * h.in + column : -1);
        if (in && ++inside == 1) first = index.back();
      }
      if (inside == 0) unsupported("a window without any element of the image");
      padded = padded || inside < K;
      std::replace(index.begin() + start, index.end(), Int{-1}, average ? n : first);
      divisors.push_back(count_padding ? K : inside);
    }
  }
  std::vector<Value> operands{x};
  if (average && padded) operands.push_back(float_value(op.to.type(), {1}, {0}));
  const Shape shape = image_shape(x.shape, x.shape[1], a);
  const Value z = op.remap(operands, {planes, v.out * h.out, K}, std::move(index));
  op.give(op.emit(average ? Kind::reduce : Kind::max, {z}, shape, average ? divisors : Shape{K}));
}

std::array<Axis, 2> pool_window(const Op& op) {
  const Shape kernel = op.integers("kernel_shape"), &x = op.floats(0).shape;
  if (kernel.size() + 2 != x.size()) malformed("kernel_shape does not fit the image");
  return window(op, x, kernel);
}

}  // namespace

void average_pool(Op& op) {
  pool(op, true, op.integer("count_include_pad", 0) != 0, pool_window(op));
}

void max_pool(Op& op) {
  if (op.integer("storage_order", 0) != 0) unsupported("storage_order");
  pool(op, false, false, pool_window(op));
}

void global_average_pool(Op& op) {
  const Shape& x = op.floats(0).shape;
  if (x.size() != 3 && x.size() != 4) unsupported("neither 1-D nor 2-D");
  pool(op, true, true, window(op, x, {x.begin() + 2, x.end()}));
}

void conv(Op& op) {
  const Shape x = op.floats(0).shape;
  const Value& w = op.constant(1);
  if (w.shape.size() != x.size() || x.size() < 3) malformed("weight and image differ in rank");
  const Shape kernel(w.shape.begin() + 2, w.shape.end()), declared = op.integers("kernel_shape");
  if (!declared.empty() && declared != kernel) malformed("kernel_shape is not that of the weight");
  const auto axes = window(op, x, kernel);
  const auto& [v, h] = axes;
  const Int M = w.shape[0], g = op.integer("group", 1);
  if (g < 1 || g > M || M % g != 0 || x[1] != w.shape[1] * g) malformed("channels and group do not fit");
  std::vector<double> payload = *w.floats;
  if (op.has(2)) {
    if (op.constant(2).shape != Shape{M}) malformed("bias shape");
    payload.insert(payload.end(), op.constant(2).floats->begin(), op.constant(2).floats->end());
  }
  const Value image = op.materialise(op.floats(0));
  op.give(op.emit(Kind::conv, {image}, image_shape(x, M, axes),
                  {x[0], x[1], v.in, h.in, M, v.kernel, h.kernel, v.stride, h.stride, v.before, h.before,
                   v.after, h.after, v.dilation, h.dilation, g, v.out, h.out, op.has(2)},
                  std::move(payload)));
}

void batch_normalization(Op& op) {
  const Shape shape = op.floats(0).shape;
  if (shape.size() < 2) unsupported("rank below 2");
  if (op.integer("training_mode", 0) != 0) unsupported("training mode");
  if (op.integer("spatial", 1) != 1) unsupported("spatial = 0");
  if (op.node.outputs.size() > 1) unsupported("more than one output (training)");
  const Int C = shape[1], inner = static_cast<Int>(element_count({shape.begin() + 2, shape.end()}));
  const double eps = op.real("epsilon", 1e-5f);
  std::vector<double> payload;
  for (std::size_t i = 1; i < 5; ++i) {
    const Value& part = op.constant(i);
    if (part.shape != Shape{C}) malformed("operand " + std::to_string(i) + " is not one number per channel");
    payload.insert(payload.end(), part.floats->begin(), part.floats->end());
  }
  for (double variance : *op.constant(4).floats) {
    if (!(variance >= 0 && variance > -eps)) unsupported("variance negative, or not above -epsilon");
  }
  payload.push_back(eps);
  op.give(op.emit(Kind::bn, {op.materialise(op.floats(0))}, shape, {C, inner}, std::move(payload)));
}

namespace {

void reduce(Op& op, bool mean) {
  const Value x = op.materialise(op.floats(0));
  Reduction r = reduction(op);
  if (r.nothing) return op.give(x);
  const std::uint64_t n = element_count(r.shape);
  const Value z = op.remap({x}, x.shape, std::move(r.index));
  Shape ints = op.run(mean ? r.K : 1, static_cast<Int>(n) + 1, 0);
  ints[0] = r.K;
  op.give(op.emit(Kind::reduce, {z}, r.shape, std::move(ints)));
}

}  // namespace

void reduce_sum(Op& op) { reduce(op, false); }
void reduce_mean(Op& op) { reduce(op, true); }

}  // namespace outward_check::onnx
