// Float operators, one function each, as FORMAT.md section 2 words them. Nothing is computed here:
// constants move into payloads bit by bit.
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "checker/readers/onnx.hpp"

namespace outward_check::onnx {
namespace {

constexpr const char* kProduct = "an operation between two values of the network";

void give_unary(Op& op, Kind kind, Reals payload) {
  const Value x = op.materialise(op.floats(0));
  op.give(op.emit(kind, {x}, x.shape, {}, std::move(payload)));
}

Value scaled(Op& op, const Value& x, double factor) {
  if (factor == 1) return x;
  op.to.charge(x.size());
  return op.emit(Kind::scale, {x}, x.shape, {}, Reals(static_cast<std::size_t>(x.size()), factor));
}

void append(Reals* payload, const Value& constant) {
  for (std::size_t i = 0; i < constant.data->size(); ++i) payload->push_back(constant.real(i));
}

// The last two axes of [batch][rows][columns] exchanged.
Value swapped(Op& op, const Value& v, Int batch, Int rows, Int columns) {
  const Shape from{batch, rows, columns};
  return op.remap({v}, {batch, columns, rows}, op.picked(from, op.all(from), {0, 2, 1}));
}

// A matrix product of a, [M][K] or (ta) [K][M], and b, [batch][K][N] or (tb) [N][K], of which one
// is constant. A constant b has one matrix for all of a, and its result may have a bias.
Value product(Op& op, Value a, Value b, bool ta, bool tb, Int batch, Int M, Int K, Int N,
              Shape shape, Reals bias) {
  support(!a.is_node() || !b.is_node(), kProduct);
  if (!b.is_node()) a = op.materialise(a);
  if (ta) a = swapped(op, a, 1, K, M);
  if (!tb) b = swapped(op, b, batch, K, N);
  if (b.is_node()) {
    b = op.emit(Kind::dense, {b}, {batch, N, M}, {batch * N, K, M, 0}, a.reals());
    return with_shape(swapped(op, b, batch, N, M), shape);
  }
  Reals payload = b.reals();
  payload.insert(payload.end(), bias.begin(), bias.end());
  return op.emit(Kind::dense, {a}, shape, {a.size() / K, K, N, !bias.empty()}, std::move(payload));
}

}  // namespace

// Add, Sub, Mul, Div: of two constants the first becomes a node.
void arithmetic(Op& op) {
  const bool subtract = op.kind == "Sub", sum = subtract || op.kind == "Add";
  const bool divide = op.kind == "Div";
  const Shape shape = broadcast(op.floats(0).shape, op.floats(1).shape);
  Value v = op.expand(op.floats(0), shape), w = op.expand(op.floats(1), shape);
  const bool second = !w.is_node();  // is the constant
  if (second) v = op.materialise(v);
  if (v.is_node() && !second) {
    support(sum, kProduct);
    return op.give(op.emit(Kind::add, {v, w}, shape, {subtract}));
  }
  support(second || !divide, kProduct);
  Reals payload = second ? w.reals() : v.reals();
  for (double& c : payload) {
    support(!divide || c != 0, "division by zero");
    if (subtract && second) c = -c;
  }
  if (subtract && !second) w = op.emit(Kind::neg, {w}, shape, {});
  const Kind kind = sum ? Kind::shift : divide ? Kind::divide : Kind::scale;
  op.give(op.emit(kind, {second ? v : w}, shape, {}, std::move(payload)));
}

void unary(Op& op) {
  give_unary(op, op.kind == "Neg" ? Kind::neg : op.kind == "Abs" ? Kind::abs : Kind::relu, {});
}

void leaky_relu(Op& op) {
  const double alpha = op.real("alpha", 0.01f);
  support(alpha >= 0 && alpha <= 1, "alpha outside [0, 1]");
  give_unary(op, Kind::leaky, {alpha});
}

void clip(Op& op) {
  const double greatest = op.to.graph.is_binary64 ? DBL_MAX : double{FLT_MAX};
  const auto bound = [&](std::size_t i, const char* name, double extreme) {
    double b = op.given(name) ? op.real(name, 0) : extreme;
    if (op.has(i)) {
      require(op.constant(i).size() == 1, "a bound is not one number");
      b = op.constant(i).real(0);
    }
    return std::isinf(b) && (b < 0) == (extreme < 0) ? extreme : b;
  };
  const double low = bound(1, "min", -greatest), high = bound(2, "max", greatest);
  support(low <= high, "a lower bound above the upper one, or NaN");
  give_unary(op, Kind::clip, {low, high});
}

void matmul(Op& op) {
  const Value &a = op.floats(0), &b = op.floats(1);
  require(!a.shape.empty() && !b.shape.empty(), "a scalar operand");
  Shape left = a.shape, right = b.shape;
  if (left.size() == 1) left.insert(left.begin(), 1);
  if (right.size() == 1) right.push_back(1);
  const Int M = left.end()[-2], K = left.back(), N = right.back(), batch = b.size() / (K * N);
  require(right.end()[-2] == K, "the inner dimensions differ");
  Shape shape = broadcast({left.begin(), left.end() - 2}, {right.begin(), right.end() - 2});
  if (a.shape.size() > 1) shape.push_back(M);
  if (b.shape.size() > 1) shape.push_back(N);
  support(!a.is_node() || !b.is_node(), kProduct);
  support(!b.is_node() ? batch == 1 : a.size() == M * K, "a constant with leading dimensions");
  op.give(product(op, a, b, false, false, batch, M, K, N, shape, {}));
}

void gemm(Op& op) {
  const Value &a = op.floats(0), &b = op.floats(1);
  const bool ta = op.integer("transA", 0) != 0, tb = op.integer("transB", 0) != 0;
  const double alpha = op.real("alpha", 1), beta = op.real("beta", 1);
  support(std::isfinite(alpha) && std::isfinite(beta), "alpha or beta not finite");
  require(a.shape.size() == 2 && b.shape.size() == 2, "an operand is not a matrix");
  const Int M = a.shape[ta], K = a.shape[!ta], N = b.shape[!tb];
  const Shape shape{M, N};
  require(b.shape[tb] == K, "the inner dimensions differ");
  const Value* c = op.has(2) ? &op.floats(2) : nullptr;
  require(!c || broadcast(c->shape, shape) == shape, "C does not fit the result");
  if (beta == 0) c = nullptr;
  Reals bias;
  const bool row = c && (c->size() == 1 || (c->shape.back() == N && c->size() == N));
  if (row && !c->is_node() && !b.is_node() && alpha == 1 && beta == 1) {
    bias = op.expand(with_shape(*c, {c->size()}), {N}).reals();
    c = nullptr;
  }
  const Value y = scaled(op, product(op, a, b, ta, tb, 1, M, K, N, shape, std::move(bias)), alpha);
  if (!c) return op.give(y);
  const Value t = op.expand(*c, shape);
  if (!t.is_node() && beta == 1) return op.give(op.emit(Kind::shift, {y}, shape, {}, t.reals()));
  op.give(op.emit(Kind::add, {y, scaled(op, op.materialise(t), beta)}, shape, {0}));
}

namespace {

// One axis of a sliding window; a 1-D operator has a first axis of size 1.
struct Axis {
  Int in = 1, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0, out = 1;
};
using Window = std::array<Axis, 2>;

Window window(const Op& op, const Shape& x, const Shape& kernel) {
  support(x.size() == 3 || x.size() == 4, "neither 1-D nor 2-D");
  const std::size_t d = x.size() - 2;
  const auto read = [&](const char* name, std::size_t count, Int absent) {
    Shape list = op.list(name);
    if (list.empty()) list.assign(count, absent);
    require(list.size() == count, "pads, strides, dilations or kernel: wrong number of entries");
    for (Int v : list) require(v >= absent && v <= max_elements(), "pads, strides: out of range");
    return list;
  };
  const Shape strides = read("strides", d, 1), dilations = read("dilations", d, 1);
  const Shape pads = read("pads", 2 * d, 0);
  const std::string mode = op.given("auto_pad") ? op.text("auto_pad") : "NOTSET";
  const bool upper = mode == "SAME_UPPER", same = upper || mode == "SAME_LOWER";
  require(same || mode == "NOTSET" || mode == "VALID", "unknown auto_pad");
  require(mode == "NOTSET" || !op.given("pads"), "pads together with auto_pad");
  require(kernel.size() == d, "kernel_shape does not fit the image");
  Window axes;
  for (std::size_t i = 0; i < d; ++i) {
    Axis& a = axes[i + 2 - d];
    a = {x[i + 2], kernel[i], strides[i], dilations[i], pads[i], pads[i + d], 1};
    require(a.kernel >= 1 && a.kernel <= max_elements(), "kernel size");
    const Int reach = (a.kernel - 1) * a.dilation + 1;
    support(!same || a.dilation == 1 || op.kind == "Conv", "SAME with dilations");
    if (same) {
      const Int total = std::max<Int>(0, (a.in - 1) / a.stride * a.stride + reach - a.in);
      a.before = upper ? total / 2 : total - total / 2;
      a.after = total - a.before;
    }
    const Int room = a.in + a.before + a.after - reach;
    require(room >= 0, "the window is greater than the padded image");
    a.out = room / a.stride + 1;
    support(op.integer("ceil_mode", 0) == 0 || room % a.stride == 0, "ceil_mode");
  }
  return axes;
}

Shape image_shape(const Shape& x, Int channels, const Window& a) {
  if (x.size() == 3) return {x[0], channels, a[1].out};
  return {x[0], channels, a[0].out, a[1].out};
}

}  // namespace

// MaxPool, AveragePool and, with the whole image as kernel, GlobalAveragePool: windows as rows of K
// entries, then their maximum or average.
void pool(Op& op) {
  const bool average = op.kind != "MaxPool", global = op.kind == "GlobalAveragePool";
  const bool count_padding = op.integer("count_include_pad", 0) != 0;
  support(average || op.integer("storage_order", 0) == 0, "another order of indices");
  support(average || op.outputs == 1, "the output of indices");
  const Shape& image = op.floats(0).shape;
  const Shape whole(image.begin() + std::min<Int>(2, image.size()), image.end());
  const Window axes = window(op, image, global ? whole : op.list("kernel_shape"));
  const auto& [v, h] = axes;
  const Value x = op.materialise(op.floats(0));
  const Int planes = x.shape[0] * x.shape[1], K = element_count({v.kernel, h.kernel}), n = x.size();
  const Shape rows{planes, v.out * h.out, K}, shape = image_shape(x.shape, x.shape[1], axes);
  op.to.charge(element_count(rows));
  Shape index, ints{K};
  bool padded = false;
  for (Int o = 0; o < planes * v.out * h.out; ++o) {
    const Int plane = o / (v.out * h.out), top = o / h.out % v.out * v.stride - v.before;
    const Int left = o % h.out * h.stride - h.before, start = std::ssize(index);
    Int first = -1, inside = 0;
    for (Int k = 0; k < K; ++k) {
      const Int r = top + k / h.kernel * v.dilation, c = left + k % h.kernel * h.dilation;
      const bool in = r >= 0 && r < v.in && c >= 0 && c < h.in;
      index.push_back(in ? (plane * v.in + r) * h.in + c : -1);
      if (in && inside++ == 0) first = index.back();
    }
    support(inside > 0, "a window without any element of the image");
    std::replace(index.begin() + start, index.end(), Int{-1}, average ? n : first);
    padded = padded || inside < K;
    if (average) ints.push_back(count_padding ? K : inside);
  }
  std::vector<Value> operands{x};
  if (average && padded) operands.push_back(make_constant(op.to.type(), {1}, {word(0)}));
  const Value z = op.remap(std::move(operands), rows, std::move(index));
  op.give(op.emit(average ? Kind::reduce : Kind::max, {z}, shape, std::move(ints)));
}

void reduce(Op& op) {
  const Value x = op.materialise(op.floats(0));
  Reduction r = reduction(op);
  if (r.nothing) return op.give(x);
  const Value z = op.remap({x}, x.shape, std::move(r.index));
  Shape ints = op.run(op.kind == "ReduceMean" ? r.K : 1, element_count(r.shape) + 1, 0);
  ints[0] = r.K;
  op.give(op.emit(Kind::reduce, {z}, r.shape, std::move(ints)));
}

void conv(Op& op) {
  const Shape x = op.floats(0).shape;
  const Value& w = op.constant(1);
  require(w.shape.size() == x.size() && x.size() > 2, "weight and image differ in rank");
  const Shape kernel(w.shape.begin() + 2, w.shape.end());
  require(!op.given("kernel_shape") || op.list("kernel_shape") == kernel, "another kernel_shape");
  const Window axes = window(op, x, kernel);
  const auto& [v, h] = axes;
  const Int M = w.shape[0], g = op.integer("group", 1);
  require(g >= 1 && g <= M && M % g == 0 && x[1] == w.shape[1] * g, "channels and group");
  Reals payload = w.reals();
  if (op.has(2)) {
    require(op.constant(2).shape == Shape{M}, "the bias has not one number per output channel");
    append(&payload, op.constant(2));
  }
  const Shape ints{x[0],       x[1],     v.in,     h.in,     M,        v.kernel, h.kernel,
                   v.stride,   h.stride, v.before, h.before, v.after,  h.after,  v.dilation,
                   h.dilation, g,        v.out,    h.out,    op.has(2)};
  const Value image = op.materialise(op.floats(0));
  op.give(op.emit(Kind::conv, {image}, image_shape(x, M, axes), ints, std::move(payload)));
}

void batch_normalization(Op& op) {
  const Shape shape = op.floats(0).shape;
  support(shape.size() >= 2, "rank below 2");
  support(op.integer("training_mode", 0) == 0 && op.outputs == 1, "training mode");
  support(op.integer("spatial", 1) == 1, "spatial = 0");
  const double eps = op.real("epsilon", 1e-5f);
  Reals payload;
  for (std::size_t i = 1; i < 5; ++i) {
    require(op.constant(i).shape == Shape{shape[1]}, "not one constant per channel");
    append(&payload, op.constant(i));
  }
  for (double var : op.constant(4).reals()) support(var >= 0 && var > -eps, "a variance too low");
  payload.push_back(eps);
  const Shape ints{shape[1], element_count({shape.begin() + 2, shape.end()})};
  op.give(op.emit(Kind::bn, {op.materialise(op.floats(0))}, shape, ints, std::move(payload)));
}

}  // namespace outward_check::onnx
