// Node by node, in the order certificates/FORMAT.md section 5 fixes. Several outputs are computed side by side, but the
// operations of one output always happen in that order, so the results do not depend on the blocking.
#include "runtime/cpu/reference.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>

#include "formats/error.hpp"
#include "runtime/cpu/element_functions.hpp"

namespace outward {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "float operations must be rounded to float");

template <typename T>
using Values = std::vector<T>;

// A sum starts here: -0 + p is p for every p, the zeros included.
template <typename T>
constexpr T empty_sum = static_cast<T>(-0.0);

template <typename T>
Values<T> constants(const Node& node, std::size_t from, std::size_t count) {
  Values<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(node.payload[from + i]);
  return values;
}

template <typename T>
void run_dense(const Node& node, const Values<T>& x, Values<T>& out) {
  const auto rows = static_cast<std::size_t>(node.ints[0]), k = static_cast<std::size_t>(node.ints[1]);
  const auto n = static_cast<std::size_t>(node.ints[2]);
  const double* const weights = node.payload.data();
  const double* const bias = node.ints[3] != 0 ? weights + n * k : nullptr;
  constexpr std::size_t width = 8;
  for (std::size_t r = 0; r < rows; ++r) {
    const T* const in = x.data() + r * k;
    for (std::size_t start = 0; start < n; start += width) {
      const std::size_t block = std::min(width, n - start);
      T sums[width];
      std::fill(sums, sums + width, empty_sum<T>);
      const double* const w = weights + start * k;
      if (block == width) {
        for (std::size_t i = 0; i < k; ++i) {
          for (std::size_t j = 0; j < width; ++j) sums[j] += static_cast<T>(w[j * k + i]) * in[i];
        }
      } else {
        for (std::size_t i = 0; i < k; ++i) {
          for (std::size_t j = 0; j < block; ++j) sums[j] += static_cast<T>(w[j * k + i]) * in[i];
        }
      }
      for (std::size_t j = 0; j < block; ++j) {
        out[r * n + start + j] = bias != nullptr ? sums[j] + static_cast<T>(bias[start + j]) : sums[j];
      }
    }
  }
}

template <typename T>
void run_conv(const Node& node, const Values<T>& x, Values<T>& out) {
  const auto& p = node.ints;
  const std::int64_t batch = p[0], channels = p[1], height = p[2], width = p[3], filters = p[4], kh = p[5], kw = p[6];
  const std::int64_t sh = p[7], sw = p[8], top = p[9], left = p[10], dh = p[13], dw = p[14], groups = p[15], oh = p[16],
                     ow = p[17];
  const std::int64_t per_group = channels / groups, kernel = per_group * kh * kw;
  const Values<T> weights = constants<T>(node, 0, static_cast<std::size_t>(filters * kernel));
  for (std::int64_t image = 0; image < batch * filters; ++image) {
    const std::int64_t b = image / filters, m = image % filters;
    const T* const in = x.data() + (b * channels + m / (filters / groups) * per_group) * height * width;
    T* const plane = out.data() + image * oh * ow;
    std::fill(plane, plane + oh * ow, empty_sum<T>);
    for (std::int64_t oy = 0; oy < oh; ++oy) {
      T* const row = plane + oy * ow;
      const T* w = weights.data() + m * kernel;
      for (std::int64_t c = 0; c < per_group; ++c) {
        for (std::int64_t ky = 0; ky < kh; ++ky, w += kw) {
          const std::int64_t y = oy * sh - top + ky * dh;
          if (y < 0 || y >= height) continue;
          const T* const source = in + (c * height + y) * width;
          for (std::int64_t kx = 0; kx < kw; ++kx) {
            // Outputs ox with 0 <= ox·sw + offset < width.
            const std::int64_t offset = kx * dw - left;
            const std::int64_t first = offset < 0 ? (-offset + sw - 1) / sw : 0;
            const std::int64_t last = offset < width ? std::min(ow - 1, (width - 1 - offset) / sw) : -1;
            for (std::int64_t ox = first; ox <= last; ++ox) row[ox] += w[kx] * source[ox * sw + offset];
          }
        }
      }
    }
    if (p[18] != 0) {
      const T bias = static_cast<T>(node.payload[static_cast<std::size_t>(filters * kernel + m)]);
      for (std::int64_t i = 0; i < oh * ow; ++i) plane[i] += bias;
    }
  }
}

template <typename T>
void run_reduce(const Node& node, const Values<T>& x, Values<T>& out) {
  const auto k = static_cast<std::size_t>(node.ints[0]);
  for (std::size_t i = 0; i < out.size(); ++i) {
    T sum = empty_sum<T>;
    for (std::size_t j = 0; j < k; ++j) sum += x[i * k + j];
    const std::int64_t divisor = node.ints[i + 1];
    out[i] = divisor == 1 ? sum : sum / static_cast<T>(divisor);
  }
}

template <typename T>
void run_bn(const Node& node, const Values<T>& x, Values<T>& out) {
  const auto channels = static_cast<std::size_t>(node.ints[0]), inner = static_cast<std::size_t>(node.ints[1]);
  const Values<T> c = constants<T>(node, 0, 4 * channels + 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t q = i / inner % channels;
    const T deviation = std::sqrt(c[3 * channels + q] + c[4 * channels]);
    out[i] = (x[i] - c[2 * channels + q]) / deviation * c[q] + c[channels + q];
  }
}

// NaN passes through every branch below.
template <typename T>
T clamp_value(T x, T lo, T hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

template <typename T>
void run_max(const Node& node, const Values<T>& x, Values<T>& out) {
  const auto k = static_cast<std::size_t>(node.ints[0]);
  for (std::size_t i = 0; i < out.size(); ++i) {
    T greatest = x[i * k];
    for (std::size_t j = 1; j < k; ++j) {
      const T value = x[i * k + j];
      if (value > greatest || std::isnan(value)) greatest = value;
      if (std::isnan(greatest)) break;
    }
    out[i] = greatest;
  }
}

template <typename T>
void run_map(const Node& node, const std::vector<Values<T>>& all, Values<T>& out) {
  if (node.operands.size() == 1) {
    const Values<T>& x = all[node.operands[0]];
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = x[static_cast<std::size_t>(node.ints[i])];
    return;
  }
  Values<T> joined;
  for (std::uint32_t operand : node.operands) joined.insert(joined.end(), all[operand].begin(), all[operand].end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = joined[static_cast<std::size_t>(node.ints[i])];
}

template <typename T, typename F>
void elementwise(const Values<T>& x, Values<T>& out, F f) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(x[i], i);
}

template <typename T>
void run_node(const Node& node, const std::vector<Values<T>>& all, Values<T>& out) {
  out.resize(node.size);
  const auto c = [&](std::size_t i) { return static_cast<T>(node.payload[i]); };
  static const Values<T> nothing;
  const Values<T>& x = node.operands.empty() ? nothing : all[node.operands[0]];
  switch (node.kind) {
    case Kind::input:
      return;
    case Kind::constant:
      out = constants<T>(node, 0, node.size);
      return;
    case Kind::map:
      return run_map(node, all, out);
    case Kind::dense:
      return run_dense(node, x, out);
    case Kind::conv:
      return run_conv(node, x, out);
    case Kind::reduce:
      return run_reduce(node, x, out);
    case Kind::bn:
      return run_bn(node, x, out);
    case Kind::add: {
      const Values<T>& y = all[node.operands[1]];
      if (node.ints[0] == 0) return elementwise(x, out, [&](T v, std::size_t i) { return v + y[i]; });
      return elementwise(x, out, [&](T v, std::size_t i) { return v - y[i]; });
    }
    case Kind::shift:
      return elementwise(x, out, [&](T v, std::size_t i) { return v + c(i); });
    case Kind::scale:
      return elementwise(x, out, [&](T v, std::size_t i) { return v * c(i); });
    case Kind::divide:
      return elementwise(x, out, [&](T v, std::size_t i) { return v / c(i); });
    case Kind::neg:
      return elementwise(x, out, [](T v, std::size_t) { return -v; });
    case Kind::relu:
      return elementwise(x, out, [](T v, std::size_t) { return v <= 0 ? T{0} : v; });
    case Kind::leaky:
      return elementwise(x, out, [a = c(0)](T v, std::size_t) { return v < 0 ? a * v : v; });
    case Kind::clip:
      return elementwise(x, out, [lo = c(0), hi = c(1)](T v, std::size_t) { return clamp_value(v, lo, hi); });
    case Kind::abs:
      return elementwise(x, out, [](T v, std::size_t) { return std::fabs(v); });
    case Kind::max:
      return run_max(node, x, out);
    case Kind::function: {
      constexpr ElementType element = sizeof(T) == 4 ? ElementType::binary32 : ElementType::binary64;
      const ElementFunction f = element_function(node);
      return elementwise(x, out, [=](T v, std::size_t) { return static_cast<T>(evaluate(f, v, element)); });
    }
    case Kind::product: {
      const Values<T>& y = all[node.operands[1]];
      return elementwise(x, out, [&](T v, std::size_t i) { return v * y[i]; });
    }
    case Kind::quotient: {
      const Values<T>& y = all[node.operands[1]];
      return elementwise(x, out, [&](T v, std::size_t i) { return v / y[i]; });
    }
  }
}

template <typename T>
std::vector<double> run(const Graph& graph, const std::vector<double>& input, std::vector<std::vector<double>>* nodes) {
  std::vector<Values<T>> all(graph.nodes.size());
  all[0].resize(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    all[0][i] = static_cast<T>(input[i]);
    if (static_cast<double>(all[0][i]) != input[i]) {
      throw ResourceError("reference run: input " + std::to_string(i) + " is no number of the element type");
    }
  }
  for (std::size_t number = 1; number < graph.nodes.size(); ++number) run_node(graph.nodes[number], all, all[number]);
  if (nodes != nullptr) {
    nodes->clear();
    for (const Values<T>& values : all) nodes->emplace_back(values.begin(), values.end());
  }
  return std::vector<double>(all[graph.output].begin(), all[graph.output].end());
}

}  // namespace

std::vector<double> run_reference(const Graph& graph, const std::vector<double>& input,
                                  std::vector<std::vector<double>>* nodes) {
  if (input.size() != graph.nodes[0].size) throw ResourceError("reference run: wrong number of inputs");
  return graph.element == ElementType::binary32 ? run<float>(graph, input, nodes) : run<double>(graph, input, nodes);
}

bool all_finite(const std::vector<std::vector<double>>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  });
}

}  // namespace outward
