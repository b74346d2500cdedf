// Forward and reverse mode over a batch of points; see fast.hpp. Dense and convolution are small matrix products with
// the points (or output pixels) of a batch as the long axis, written so that the compiler can vectorise them.
#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "formats/error.hpp"
#include "runtime/cpu/fast_functions.hpp"
#include "runtime/cpu/fast_state.hpp"

extern "C" void openblas_set_num_threads(int);

namespace outward {
namespace {

using Reals = std::vector<double>;

// c[i][j] += Σ_k a[i][k]·b[k][j], row-major with the given row lengths.
void gemm(std::size_t m, std::size_t n, std::size_t depth, const double* a, std::size_t a_step, const double* b,
          std::size_t b_step, double* c, std::size_t c_step) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(depth), 1.0, a, static_cast<int>(a_step), b, static_cast<int>(b_step), 1.0, c,
              static_cast<int>(c_step));
}

// f(output, input, weight) for every nonzero weight and each of the rows.
template <typename F>
void each_weight(const SparseWeights& w, std::size_t rows, std::size_t outputs, std::size_t inputs, F f) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < outputs; ++j)
      for (std::uint32_t e = w.start[j]; e < w.start[j + 1]; ++e)
        f(r * outputs + j, r * inputs + w.column[e], w.value[e]);
}

Reals transpose(const double* values, std::size_t rows, std::size_t columns) {
  Reals result(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = values[r * columns + c];
  }
  return result;
}

FastConstants prepare(const Node& node) {
  FastConstants c;
  const auto& p = node.ints;
  const auto begin = node.payload.begin();
  switch (node.kind) {
    case Kind::dense: {
      const auto k = static_cast<std::size_t>(p[1]), n = static_cast<std::size_t>(p[2]);
      c.sparse = sparse_weights(node);
      if (!c.sparse.used()) {
        c.transposed.assign(begin, begin + static_cast<std::ptrdiff_t>(n * k));
        c.weights = transpose(c.transposed.data(), n, k);
      }
      c.bias.assign(begin + static_cast<std::ptrdiff_t>(n * k), node.payload.end());
      break;
    }
    case Kind::conv: {
      const auto groups = static_cast<std::size_t>(p[15]), filters = static_cast<std::size_t>(p[4]);
      const auto depth = static_cast<std::size_t>(p[1]) / groups * static_cast<std::size_t>(p[5] * p[6]);
      c.weights.assign(begin, begin + static_cast<std::ptrdiff_t>(filters * depth));
      for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t rows = filters / groups;
        const Reals part = transpose(c.weights.data() + g * rows * depth, rows, depth);
        c.transposed.insert(c.transposed.end(), part.begin(), part.end());
      }
      c.bias.assign(begin + static_cast<std::ptrdiff_t>(filters * depth), node.payload.end());
      break;
    }
    case Kind::bn: {
      const auto channels = static_cast<std::size_t>(p[0]), inner = static_cast<std::size_t>(p[1]);
      for (std::size_t i = 0; i < node.size; ++i) {
        const std::size_t q = i / inner % channels;
        const double factor = node.payload[q] / std::sqrt(node.payload[3 * channels + q] + node.payload[4 * channels]);
        c.factor.push_back(factor);
        c.offset.push_back(node.payload[channels + q] - node.payload[2 * channels + q] * factor);
      }
      break;
    }
    case Kind::scale:
      c.factor = node.payload;
      break;
    case Kind::shift:
      c.offset = node.payload;
      break;
    case Kind::divide:
      for (double d : node.payload) c.factor.push_back(1 / d);
      break;
    default:
      c.offset = node.payload;
      break;  // const, leaky, clip
  }
  return c;
}

// Geometry of a convolution.
struct Window {
  explicit Window(const Node& node)
      : channels(node.ints[1]),
        height(node.ints[2]),
        width(node.ints[3]),
        filters(node.ints[4]),
        kh(node.ints[5]),
        kw(node.ints[6]),
        sh(node.ints[7]),
        sw(node.ints[8]),
        top(node.ints[9]),
        left(node.ints[10]),
        dh(node.ints[13]),
        dw(node.ints[14]),
        groups(node.ints[15]),
        oh(node.ints[16]),
        ow(node.ints[17]) {}
  std::int64_t channels, height, width, filters, kh, kw, sh, sw, top, left, dh, dw, groups, oh, ow;
  std::int64_t per_group() const { return channels / groups; }
  std::size_t depth() const { return static_cast<std::size_t>(per_group() * kh * kw); }
  std::size_t pixels() const { return static_cast<std::size_t>(oh * ow); }

  // Visits the image row (offset of its start, column step) behind each row of the unfolded matrix: f(row of the
  // matrix, oy, first ox, last ox, index in the image of ox = 0).
  template <typename F>
  void visit(F f) const {
    for (std::int64_t c = 0; c < per_group(); ++c) {
      for (std::int64_t ky = 0; ky < kh; ++ky) {
        for (std::int64_t kx = 0; kx < kw; ++kx) {
          const std::int64_t offset = kx * dw - left;
          const std::int64_t first = offset < 0 ? (-offset + sw - 1) / sw : 0;
          const std::int64_t last = offset < width ? std::min(ow - 1, (width - 1 - offset) / sw) : -1;
          for (std::int64_t oy = 0; oy < oh; ++oy) {
            const std::int64_t y = oy * sh - top + ky * dh;
            if (y >= 0 && y < height) f((c * kh + ky) * kw + kx, oy, first, last, (c * height + y) * width + offset);
          }
        }
      }
    }
  }
};

}  // namespace

void FastNetwork::State::conv_forward(const Node& node, const FastConstants& c, const Reals& x, Reals& out) {
  const Window w(node);
  const std::size_t pixels = w.pixels(), rows = static_cast<std::size_t>(w.filters / w.groups);
  const std::size_t image = static_cast<std::size_t>(w.per_group() * w.height * w.width);
  const std::size_t images = count * static_cast<std::size_t>(node.ints[0] * w.groups);
  for (std::size_t at = 0; at < images; ++at) {
    const std::size_t g = at % static_cast<std::size_t>(w.groups);
    unfolded.assign(w.depth() * pixels, 0.0);
    const double* const source = x.data() + at * image;
    w.visit([&](std::int64_t row, std::int64_t oy, std::int64_t first, std::int64_t last, std::int64_t start) {
      double* const target = unfolded.data() + static_cast<std::size_t>(row) * pixels + oy * w.ow;
      for (std::int64_t ox = first; ox <= last; ++ox) target[ox] = source[start + ox * w.sw];
    });
    double* const plane = out.data() + at * rows * pixels;
    for (std::size_t m = 0; m < rows; ++m) {
      std::fill(plane + m * pixels, plane + (m + 1) * pixels, c.bias.empty() ? 0.0 : c.bias[g * rows + m]);
    }
    gemm(rows, pixels, w.depth(), c.weights.data() + g * rows * w.depth(), w.depth(), unfolded.data(), pixels, plane,
         pixels);
  }
}

void FastNetwork::State::conv_backward(const Node& node, const FastConstants& c, const Reals& dout, Reals& dx) {
  const Window w(node);
  const std::size_t pixels = w.pixels(), rows = static_cast<std::size_t>(w.filters / w.groups);
  const std::size_t image = static_cast<std::size_t>(w.per_group() * w.height * w.width);
  const std::size_t images = count * static_cast<std::size_t>(node.ints[0] * w.groups);
  for (std::size_t at = 0; at < images; ++at) {
    const std::size_t g = at % static_cast<std::size_t>(w.groups);
    unfolded.assign(w.depth() * pixels, 0.0);
    gemm(w.depth(), pixels, rows, c.transposed.data() + g * rows * w.depth(), rows, dout.data() + at * rows * pixels,
         pixels, unfolded.data(), pixels);
    double* const target = dx.data() + at * image;
    w.visit([&](std::int64_t row, std::int64_t oy, std::int64_t first, std::int64_t last, std::int64_t start) {
      const double* const source = unfolded.data() + static_cast<std::size_t>(row) * pixels + oy * w.ow;
      for (std::int64_t ox = first; ox <= last; ++ox) target[start + ox * w.sw] += source[ox];
    });
  }
}

void FastNetwork::State::forward(std::size_t number) {
  const Node& node = nodes[number];
  const FastConstants& c = constants[number];
  Reals& out = values[number];
  out.assign(count * node.size, 0.0);
  const Reals& x = node.operands.empty() ? out : values[node.operands[0]];
  switch (node.kind) {
    case Kind::input:
      return;
    case Kind::constant:
      return each(node, [&](std::size_t at, std::size_t i) { out[at] = c.offset[i]; });
    case Kind::map: {
      // Operand and element of each index, found once per node.
      std::size_t start = 0;
      for (std::uint32_t operand : node.operands) {
        const std::size_t size = nodes[operand].size;
        const Reals& from = values[operand];
        each(node, [&](std::size_t at, std::size_t i) {
          const std::size_t index =
              static_cast<std::size_t>(node.ints[i]) - start;  // wraps when it belongs to an earlier one
          if (index < size) out[at] = from[at / node.size * size + index];
        });
        start += size;
      }
      return;
    }
    case Kind::dense: {
      const auto k = static_cast<std::size_t>(node.ints[1]), n = static_cast<std::size_t>(node.ints[2]);
      if (!c.bias.empty()) {
        for (std::size_t at = 0; at < out.size(); ++at) out[at] = c.bias[at % n];
      }
      if (c.sparse.used()) {
        each_weight(c.sparse, out.size() / n, n, k,
                    [&](std::size_t to, std::size_t from, double w) { out[to] += w * x[from]; });
        return;
      }
      return gemm(out.size() / n, n, k, x.data(), k, c.weights.data(), n, out.data(), n);
    }
    case Kind::conv:
      return conv_forward(node, c, x, out);
    case Kind::reduce: {
      const auto k = static_cast<std::size_t>(node.ints[0]);
      return each(node, [&](std::size_t at, std::size_t i) {
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) sum += x[at * k + j];
        out[at] = sum / static_cast<double>(node.ints[i + 1]);
      });
    }
    case Kind::bn:
      return each(node, [&](std::size_t at, std::size_t i) { out[at] = x[at] * c.factor[i] + c.offset[i]; });
    case Kind::add: {
      const Reals& y = values[node.operands[1]];
      const double sign = node.ints[0] == 0 ? 1.0 : -1.0;
      return each(node, [&](std::size_t at, std::size_t) { out[at] = x[at] + sign * y[at]; });
    }
    case Kind::shift:
      return each(node, [&](std::size_t at, std::size_t i) { out[at] = x[at] + c.offset[i]; });
    case Kind::scale:
    case Kind::divide:
      return each(node, [&](std::size_t at, std::size_t i) { out[at] = x[at] * c.factor[i]; });
    case Kind::neg:
      return each(node, [&](std::size_t at, std::size_t) { out[at] = -x[at]; });
    case Kind::relu:
      return each(node, [&](std::size_t at, std::size_t) { out[at] = x[at] > 0 ? x[at] : 0; });
    case Kind::leaky:
      return each(node, [&](std::size_t at, std::size_t) { out[at] = x[at] > 0 ? x[at] : c.offset[0] * x[at]; });
    case Kind::clip:
      return each(node,
                  [&](std::size_t at, std::size_t) { out[at] = std::min(std::max(x[at], c.offset[0]), c.offset[1]); });
    case Kind::abs:
      return each(node, [&](std::size_t at, std::size_t) { out[at] = std::fabs(x[at]); });
    case Kind::max: {
      const auto k = static_cast<std::ptrdiff_t>(node.ints[0]);
      return each(node, [&](std::size_t at, std::size_t) {
        const auto start = x.begin() + static_cast<std::ptrdiff_t>(at) * k;
        out[at] = *std::max_element(start, start + k);
      });
    }
    case Kind::function: {
      const ElementFunction f = element_function(node);
      return each(node, [&](std::size_t at, std::size_t) { out[at] = about(f, x[at]); });
    }
    case Kind::product: {
      const Reals& y = values[node.operands[1]];
      return each(node, [&](std::size_t at, std::size_t) { out[at] = x[at] * y[at]; });
    }
    case Kind::quotient: {
      const Reals& y = values[node.operands[1]];
      return each(node, [&](std::size_t at, std::size_t) { out[at] = x[at] / y[at]; });
    }
  }
}

void FastNetwork::State::backward(std::size_t number) {
  const Node& node = nodes[number];
  if (node.operands.empty()) return;
  const FastConstants& c = constants[number];
  const Reals& d = gradients[number];
  const Reals& x = values[node.operands[0]];
  Reals& dx = gradients[node.operands[0]];
  switch (node.kind) {
    case Kind::input:
    case Kind::constant:
      return;
    case Kind::map: {
      std::size_t start = 0;
      for (std::uint32_t operand : node.operands) {
        const std::size_t size = nodes[operand].size;
        Reals& into = gradients[operand];
        each(node, [&](std::size_t at, std::size_t i) {
          const std::size_t index = static_cast<std::size_t>(node.ints[i]) - start;
          if (index < size) into[at / node.size * size + index] += d[at];
        });
        start += size;
      }
      return;
    }
    case Kind::dense: {
      const auto k = static_cast<std::size_t>(node.ints[1]), n = static_cast<std::size_t>(node.ints[2]);
      if (c.sparse.used()) {
        each_weight(c.sparse, d.size() / n, n, k,
                    [&](std::size_t to, std::size_t from, double w) { dx[from] += w * d[to]; });
        return;
      }
      return gemm(d.size() / n, k, n, d.data(), n, c.transposed.data(), k, dx.data(), k);
    }
    case Kind::conv:
      return conv_backward(node, c, d, dx);
    case Kind::reduce: {
      const auto k = static_cast<std::size_t>(node.ints[0]);
      return each(node, [&](std::size_t at, std::size_t i) {
        const double share = d[at] / static_cast<double>(node.ints[i + 1]);
        for (std::size_t j = 0; j < k; ++j) dx[at * k + j] += share;
      });
    }
    case Kind::add: {
      Reals& dy = gradients[node.operands[1]];
      const double sign = node.ints[0] == 0 ? 1.0 : -1.0;
      each(node, [&](std::size_t at, std::size_t) { dx[at] += d[at]; });
      return each(node, [&](std::size_t at, std::size_t) { dy[at] += sign * d[at]; });
    }
    case Kind::shift:
      return each(node, [&](std::size_t at, std::size_t) { dx[at] += d[at]; });
    case Kind::bn:
    case Kind::scale:
    case Kind::divide:
      return each(node, [&](std::size_t at, std::size_t i) { dx[at] += d[at] * c.factor[i]; });
    case Kind::neg:
      return each(node, [&](std::size_t at, std::size_t) { dx[at] -= d[at]; });
    case Kind::relu:
      return each(node, [&](std::size_t at, std::size_t) { dx[at] += x[at] > 0 ? d[at] : 0; });
    case Kind::leaky:
      return each(node, [&](std::size_t at, std::size_t) { dx[at] += x[at] > 0 ? d[at] : c.offset[0] * d[at]; });
    case Kind::clip:
      return each(
          node, [&](std::size_t at, std::size_t) { dx[at] += x[at] > c.offset[0] && x[at] < c.offset[1] ? d[at] : 0; });
    case Kind::abs:
      return each(node, [&](std::size_t at, std::size_t) { dx[at] += x[at] < 0 ? -d[at] : d[at]; });
    case Kind::max: {
      const auto k = static_cast<std::ptrdiff_t>(node.ints[0]);
      return each(node, [&](std::size_t at, std::size_t) {
        const auto start = x.begin() + static_cast<std::ptrdiff_t>(at) * k;
        dx[static_cast<std::size_t>(std::max_element(start, start + k) - x.begin())] += d[at];
      });
    }
    case Kind::function: {
      const ElementFunction f = element_function(node);
      return each(node, [&](std::size_t at, std::size_t) { dx[at] += d[at] * slope_about(f, x[at]); });
    }
    case Kind::product: {
      const Reals& y = values[node.operands[1]];
      Reals& dy = gradients[node.operands[1]];
      each(node, [&](std::size_t at, std::size_t) { dx[at] += d[at] * y[at]; });
      return each(node, [&](std::size_t at, std::size_t) { dy[at] += d[at] * x[at]; });
    }
    case Kind::quotient: {
      const Reals& y = values[node.operands[1]];
      Reals& dy = gradients[node.operands[1]];
      each(node, [&](std::size_t at, std::size_t) { dx[at] += d[at] / y[at]; });
      return each(node, [&](std::size_t at, std::size_t) { dy[at] -= d[at] * x[at] / (y[at] * y[at]); });
    }
  }
}

FastModel::FastModel(const Graph& graph) : output(graph.output) {
  for (const Node& node : graph.nodes) {
    constants.push_back(prepare(node));
    Node copy;
    copy.kind = node.kind;
    copy.operands = node.operands;
    copy.size = node.size;
    copy.ints = node.ints;
    nodes.push_back(std::move(copy));
  }
}

FastNetwork::State::State(std::shared_ptr<const FastModel> m)
    : model(std::move(m)),
      nodes(model->nodes),
      constants(model->constants),
      output(model->output),
      values(nodes.size()),
      gradients(nodes.size()),
      slopes(nodes.size()),
      offsets(nodes.size()),
      chosen(nodes.size()) {}

FastNetwork::FastNetwork(const Graph& graph)
    : state_(std::make_unique<State>(std::make_shared<const FastModel>(graph))) {
  openblas_set_num_threads(1);  // batches are the parallelism
}
FastNetwork::FastNetwork(const FastNetwork& other) : state_(std::make_unique<State>(other.state_->model)) {}
FastNetwork::~FastNetwork() = default;
FastNetwork::FastNetwork(FastNetwork&&) noexcept = default;
FastNetwork& FastNetwork::operator=(FastNetwork&&) noexcept = default;

std::size_t FastNetwork::inputs() const { return state_->nodes[0].size; }
std::size_t FastNetwork::outputs() const { return state_->nodes[state_->output].size; }

const std::vector<double>& FastNetwork::forward(const std::vector<double>& points, std::size_t count) {
  if (points.size() != count * inputs()) throw ResourceError("fast run: wrong number of inputs");
  state_->count = count;
  state_->values[0] = points;
  for (std::size_t number = 1; number < state_->nodes.size(); ++number) state_->forward(number);
  return state_->values[state_->output];
}

const std::vector<double>& FastNetwork::gradient(const std::vector<double>& coefficients) {
  if (coefficients.size() != state_->count * outputs()) throw ResourceError("fast run: wrong number of coefficients");
  for (std::size_t number = 0; number < state_->nodes.size(); ++number) {
    state_->gradients[number].assign(state_->values[number].size(), 0.0);
  }
  state_->gradients[state_->output] = coefficients;
  for (std::size_t number = state_->nodes.size(); number-- > 1;) state_->backward(number);
  return state_->gradients[0];
}

}  // namespace outward
