#include "test/bounds/support.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/cpu/element_functions.hpp"
#include "test/runtime/small_graphs.hpp"

namespace outward::testing {

namespace {

double to_float(double v) { return static_cast<double>(static_cast<float>(v)); }

class Builder {
 public:
  explicit Builder(Random& random) : random_(random) {}
  Graph graph;

  std::uint32_t add(Kind kind, std::vector<std::uint32_t> operands, std::uint64_t size, std::vector<std::int64_t> ints,
                    std::vector<double> payload) {
    Node node = make(kind, std::move(operands), size, std::move(ints), std::move(payload));
    node.origin = "node " + std::to_string(graph.nodes.size());
    graph.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(graph.nodes.size() - 1);
  }
  std::vector<double> weights(std::size_t n) {
    std::vector<double> out(n);
    for (double& w : out) w = random_weight(random_);
    return out;
  }
  std::uint64_t size(std::uint32_t k) const { return graph.nodes[k].size; }
  std::int64_t pick(std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(random_);
  }

  std::uint32_t dense(std::uint32_t x) {
    const std::int64_t rows = size(x) % 2 == 0 && pick(0, 3) == 0 ? 2 : 1,
                       depth = static_cast<std::int64_t>(size(x)) / rows;
    const std::int64_t columns = pick(1, 8), bias = pick(0, 1);
    return add(Kind::dense, {x}, static_cast<std::uint64_t>(rows * columns), {rows, depth, columns, bias},
               weights(static_cast<std::size_t>(columns * depth + bias * columns)));
  }
  std::uint32_t conv(std::uint32_t x) {
    std::int64_t n = static_cast<std::int64_t>(size(x)), channels = n % 2 == 0 && pick(0, 1) ? 2 : 1,
                 width = n / channels, height = 1;
    while (width % 2 == 0 && height < width) {
      height *= 2;
      width /= 2;
    }
    const std::int64_t groups = channels == 2 && pick(0, 1) ? 2 : 1, filters = groups * pick(1, 2);
    const std::int64_t kh = pick(1, std::min<std::int64_t>(3, height)), kw = pick(1, std::min<std::int64_t>(3, width));
    const std::int64_t pad = pick(0, 1), sh = pick(1, 2), sw = pick(1, 2),
                       dh = kh > 1 && (kh - 1) * 2 < height ? pick(1, 2) : 1;
    const std::int64_t oh = (height + 2 * pad - (kh - 1) * dh - 1) / sh + 1, ow = (width + pad - kw) / sw + 1,
                       bias = pick(0, 1);
    return add(Kind::conv, {x}, static_cast<std::uint64_t>(filters * oh * ow),
               {1, channels, height, width, filters, kh, kw, sh, sw, pad, pad, pad, 0, dh, 1, groups, oh, ow, bias},
               weights(static_cast<std::size_t>(filters * (channels / groups) * kh * kw + bias * filters)));
  }
  std::uint32_t map(std::uint32_t x, std::uint64_t length) {
    std::vector<std::int64_t> indices(length);
    for (std::int64_t& i : indices) i = pick(0, static_cast<std::int64_t>(size(x)) - 1);
    return add(Kind::map, {x}, length, indices, {});
  }
  std::uint32_t reduce(std::uint32_t x) {
    const std::uint64_t depth = size(x) % 3 == 0 ? 3 : size(x) % 2 == 0 ? 2 : 1;
    std::vector<std::int64_t> ints{static_cast<std::int64_t>(depth)};
    for (std::uint64_t i = 0; i < size(x) / depth; ++i)
      ints.push_back(pick(0, 1) ? 1 : static_cast<std::int64_t>(depth) + pick(0, 4));
    return add(Kind::reduce, {x}, size(x) / depth, ints, {});
  }
  std::uint32_t elementwise(std::uint32_t x, bool with_bn) {
    const std::size_t n = size(x);
    switch (pick(0, with_bn ? 4 : 3)) {
      case 0:
        return add(Kind::shift, {x}, n, {}, weights(n));
      case 1:
        return add(Kind::scale, {x}, n, {}, weights(n));
      case 2: {
        std::vector<double> c = weights(n);
        for (double& v : c) v = std::fabs(v) < 1e-3 ? 3.0 : v;
        return add(Kind::divide, {x}, n, {}, c);
      }
      case 3:
        return add(Kind::neg, {x}, n, {}, {});
      default: {
        const std::size_t channels = n % 2 == 0 ? 2 : 1;
        std::vector<double> p = weights(3 * channels);
        for (std::size_t q = 0; q < channels; ++q) p.push_back(to_float(std::fabs(random_weight(random_)) + 0.125));
        p.push_back(to_float(1e-5));
        return add(Kind::bn, {x}, n, {static_cast<std::int64_t>(channels), static_cast<std::int64_t>(n / channels)}, p);
      }
    }
  }
  std::uint32_t activation(std::uint32_t x) {
    const std::uint64_t n = size(x);
    switch (pick(0, 6)) {
      case 0:
        return add(Kind::leaky, {x}, n, {}, {to_float(0.01)});
      case 1:
        return add(Kind::clip, {x}, n, {}, {-1.0, to_float(1.25)});
      case 2:
        return add(Kind::abs, {x}, n, {}, {});
      case 3:
        if (n % 2 == 0) return add(Kind::max, {x}, n / 2, {2}, {});
        [[fallthrough]];
      default:
        return add(Kind::relu, {x}, n, {}, {});
    }
  }

 private:
  Random& random_;
};

}  // namespace

double random_weight(Random& random) {
  const int kind = std::uniform_int_distribution<int>(0, 15)(random);
  if (kind == 0) return 0.0;
  if (kind == 1) return std::ldexp(1.0, std::uniform_int_distribution<int>(-3, 2)(random));
  if (kind == 2) return to_float(std::normal_distribution<double>(0, 1e-6)(random));
  return to_float(std::normal_distribution<double>(0, 0.8)(random));
}

Graph random_graph(Random& random, int layers, bool with_bn) {
  Builder b(random);
  std::uint32_t x = b.add(Kind::input, {}, static_cast<std::uint64_t>(b.pick(1, 6)), {}, {});
  std::vector<std::uint32_t> stored{x};
  for (int layer = 0; layer < layers; ++layer) {
    x = b.pick(0, 3) == 0 ? b.conv(x) : b.dense(x);
    if (b.pick(0, 3) == 0) x = b.reduce(x);
    for (int i = 0; i < 2; ++i)
      if (b.pick(0, 2) == 0) x = b.elementwise(x, with_bn);
    if (b.pick(0, 2) == 0) {
      const std::uint32_t other =
          stored[static_cast<std::size_t>(b.pick(0, static_cast<std::int64_t>(stored.size()) - 1))];
      const std::uint32_t same = b.size(other) == b.size(x) ? other : b.map(other, b.size(x));
      x = b.add(Kind::add, {x, same}, b.size(x), {b.pick(0, 1)}, {});
    }
    if (b.pick(0, 4) == 0) {
      const std::uint32_t c = b.add(Kind::constant, {}, b.size(x), {}, b.weights(b.size(x)));
      x = b.add(Kind::add, {c, x}, b.size(x), {b.pick(0, 1)}, {});
    }
    if (layer + 1 < layers) {
      x = b.activation(x);
      // Two in a row: bounds of the first start at a node with lines of its own. Branching on inputs used to follow
      // those of an earlier part there, or none, which ended the program.
      if (b.pick(0, 3) == 0) x = b.activation(x);
      stored.push_back(x);
    }
  }
  b.graph.output = x;
  return b.graph;
}

Property box_property(const Box& box, std::size_t outputs) {
  Property p;
  p.inputs = box.lo.size();
  p.outputs = outputs;
  p.kind = "vnnlib";
  p.boxes.emplace_back();
  for (std::size_t i = 0; i < box.lo.size(); ++i)
    p.boxes[0].push_back({exact(box.lo[i]), exact(box.hi[i]), false, false});
  return p;
}

std::vector<Rational> exact_vector(const std::vector<double>& values) {
  std::vector<Rational> out;
  for (double v : values) out.push_back(exact(v));
  return out;
}

namespace {

// The terms of output element i of a contraction: (operand element, weight), and the bias.
struct Terms {
  std::vector<std::pair<std::size_t, double>> products;
  double bias = 0;
  bool has_bias = false;
};
Terms terms_of(const Node& node, std::size_t i) {
  Terms t;
  const auto& v = node.ints;
  if (node.kind == Kind::dense) {
    const auto depth = static_cast<std::size_t>(v[1]), columns = static_cast<std::size_t>(v[2]);
    const std::size_t r = i / columns, j = i % columns;
    for (std::size_t k = 0; k < depth; ++k) t.products.emplace_back(r * depth + k, node.payload[j * depth + k]);
    t.has_bias = v[3] != 0;
    if (t.has_bias) t.bias = node.payload[columns * depth + j];
    return t;
  }
  const std::int64_t C = v[1], H = v[2], W = v[3], M = v[4], kh = v[5], kw = v[6], g = v[15], OH = v[16], OW = v[17];
  const auto index = static_cast<std::int64_t>(i);
  const std::int64_t ox = index % OW, oy = index / OW % OH, m = index / (OW * OH) % M, b = index / (OW * OH * M);
  for (std::int64_t c = 0; c < C / g; ++c)
    for (std::int64_t ky = 0; ky < kh; ++ky)
      for (std::int64_t kx = 0; kx < kw; ++kx) {
        const std::int64_t iy = oy * v[7] - v[9] + ky * v[13], ix = ox * v[8] - v[10] + kx * v[14];
        if (iy < 0 || iy >= H || ix < 0 || ix >= W) continue;
        t.products.emplace_back(static_cast<std::size_t>(((b * C + m / (M / g) * (C / g) + c) * H + iy) * W + ix),
                                node.payload[static_cast<std::size_t>(((m * (C / g) + c) * kh + ky) * kw + kx)]);
      }
  t.has_bias = v[18] != 0;
  if (t.has_bias) t.bias = node.payload[static_cast<std::size_t>(M * (C / g) * kh * kw + m)];
  return t;
}

template <class Number>
std::vector<Number> joined(const Node& node, const std::vector<std::vector<Number>>& values) {
  std::vector<Number> all;
  for (std::uint32_t o : node.operands) all.insert(all.end(), values[o].begin(), values[o].end());
  return all;
}

}  // namespace

namespace {

Rational exact_function(ElementFunction function, const Rational& x) {
  const Integer below = x < 0 ? Integer(-((-numerator(x) + denominator(x) - 1) / denominator(x)))
                              : Integer(numerator(x) / denominator(x));
  const Rational rest = x - below;
  switch (function) {
    case ElementFunction::floor:
      return below;
    case ElementFunction::ceil:
      return rest == 0 ? below : below + 1;
    case ElementFunction::round:
      return rest * 2 < 1 || (rest * 2 == 1 && below % 2 == 0) ? below : below + 1;
    default:
      throw std::logic_error("a function without exact values");
  }
}

}  // namespace

std::vector<std::vector<Rational>> evaluate_exactly(const Graph& graph, const std::vector<Rational>& input) {
  std::vector<std::vector<Rational>> values;
  for (const Node& node : graph.nodes) {
    std::vector<Rational> out(node.size);
    const std::vector<Rational> x = joined(node, values);
    for (std::size_t i = 0; i < node.size; ++i) {
      switch (node.kind) {
        case Kind::input:
          out[i] = input[i];
          break;
        case Kind::constant:
          out[i] = exact(node.payload[i]);
          break;
        case Kind::map:
          out[i] = x[static_cast<std::size_t>(node.ints[i])];
          break;
        case Kind::dense:
        case Kind::conv: {
          const Terms t = terms_of(node, i);
          out[i] = exact(t.bias);
          for (const auto& [j, w] : t.products) out[i] += exact(w) * x[j];
          break;
        }
        case Kind::reduce:
          for (std::int64_t k = 0; k < node.ints[0]; ++k)
            out[i] += x[i * static_cast<std::size_t>(node.ints[0]) + static_cast<std::size_t>(k)];
          out[i] /= node.ints[1 + i];
          break;
        case Kind::add:
          out[i] = node.ints[0] ? Rational(x[i] - x[node.size + i]) : Rational(x[i] + x[node.size + i]);
          break;
        case Kind::shift:
          out[i] = x[i] + exact(node.payload[i]);
          break;
        case Kind::scale:
          out[i] = x[i] * exact(node.payload[i]);
          break;
        case Kind::divide:
          out[i] = x[i] / exact(node.payload[i]);
          break;
        case Kind::neg:
          out[i] = -x[i];
          break;
        case Kind::relu:
          out[i] = x[i] > 0 ? x[i] : Rational(0);
          break;
        case Kind::leaky:
          out[i] = x[i] >= 0 ? x[i] : Rational(x[i] * exact(node.payload[0]));
          break;
        case Kind::clip:
          out[i] = std::min(std::max(x[i], exact(node.payload[0])), exact(node.payload[1]));
          break;
        case Kind::abs:
          out[i] = abs(x[i]);
          break;
        case Kind::max:
          out[i] = *std::max_element(x.begin() + i * node.ints[0], x.begin() + (i + 1) * node.ints[0]);
          break;
        case Kind::product:
          out[i] = x[i] * x[node.size + i];
          break;
        case Kind::quotient:
          out[i] = x[i] / x[node.size + i];
          break;
        case Kind::function:
          out[i] = exact_function(element_function(node), x[i]);
          break;
        case Kind::bn:
          throw std::logic_error("bn has no exact value");
      }
    }
    values.push_back(std::move(out));
  }
  return values;
}

namespace {

// A sum of products and plain terms in a random bracketing; a product meets its addition fused now and then.
float random_sum(std::vector<std::pair<float, float>> products, std::vector<float> plain, Random& random) {
  auto roll = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  while (!products.empty()) {
    const std::size_t at = roll(products.size());
    const auto [w, x] = products[at];
    products.erase(products.begin() + static_cast<std::ptrdiff_t>(at));
    if (!plain.empty() && roll(2)) {
      float& partner = plain[roll(plain.size())];
      partner = std::fma(w, x, partner);
    } else {
      plain.push_back(w * x);
    }
    if (plain.size() > 1 && roll(2)) {
      const float last = plain.back();
      plain.pop_back();
      plain[roll(plain.size())] += last;
    }
  }
  while (plain.size() > 1) {
    std::swap(plain[roll(plain.size())], plain.back());
    const float last = plain.back();
    plain.pop_back();
    plain[roll(plain.size())] += last;
  }
  return plain.empty() ? 0.0f : plain[0];
}

}  // namespace

std::vector<std::vector<double>> evaluate_binary32(const Graph& graph, const std::vector<double>& input,
                                                   Random& random) {
  std::vector<std::vector<double>> values;
  for (const Node& node : graph.nodes) {
    std::vector<double> out(node.size);
    const std::vector<double> all = joined(node, values);
    const std::vector<float> x(all.begin(), all.end()), c(node.payload.begin(), node.payload.end());
    for (std::size_t i = 0; i < node.size; ++i) {
      float y = 0;
      switch (node.kind) {
        case Kind::input:
          y = static_cast<float>(input[i]);
          break;
        case Kind::constant:
          y = c[i];
          break;
        case Kind::map:
          y = x[static_cast<std::size_t>(node.ints[i])];
          break;
        case Kind::dense:
        case Kind::conv: {
          const Terms t = terms_of(node, i);
          std::vector<std::pair<float, float>> products;
          for (const auto& [j, w] : t.products) products.emplace_back(static_cast<float>(w), x[j]);
          y = random_sum(products, t.has_bias ? std::vector<float>{static_cast<float>(t.bias)} : std::vector<float>{},
                         random);
          break;
        }
        case Kind::reduce: {
          const auto depth = static_cast<std::ptrdiff_t>(node.ints[0]);
          const auto from = x.begin() + static_cast<std::ptrdiff_t>(i) * depth;
          y = random_sum({}, {from, from + depth}, random);
          if (node.ints[1 + i] != 1)
            y = random() & 1 ? y / static_cast<float>(node.ints[1 + i])
                             : y * (1.0f / static_cast<float>(node.ints[1 + i]));
          break;
        }
        case Kind::bn: {
          const auto channels = static_cast<std::size_t>(node.ints[0]),
                     q = i / static_cast<std::size_t>(node.ints[1]) % channels;
          const float root = std::sqrt(c[3 * channels + q] + c[4 * channels]);
          if (random() & 1) {
            y = (x[i] - c[2 * channels + q]) / root * c[q] + c[channels + q];
          } else {
            const float a = c[q] / root;
            y = a * x[i] + (c[channels + q] - c[2 * channels + q] * a);
          }
          break;
        }
        case Kind::add:
          y = node.ints[0] ? x[i] - x[node.size + i] : x[i] + x[node.size + i];
          break;
        case Kind::shift:
          y = x[i] + c[i];
          break;
        case Kind::scale:
          y = x[i] * c[i];
          break;
        case Kind::divide:
          y = x[i] / c[i];
          break;
        case Kind::neg:
          y = -x[i];
          break;
        case Kind::relu:
          y = x[i] > 0 ? x[i] : 0.0f;
          break;
        case Kind::leaky:
          y = x[i] >= 0 ? x[i] : c[0] * x[i];
          break;
        case Kind::clip:
          y = std::min(std::max(x[i], c[0]), c[1]);
          break;
        case Kind::abs:
          y = std::fabs(x[i]);
          break;
        case Kind::max:
          y = *std::max_element(x.begin() + static_cast<std::ptrdiff_t>(i) * node.ints[0],
                                x.begin() + static_cast<std::ptrdiff_t>(i + 1) * node.ints[0]);
          break;
        case Kind::product:
          y = x[i] * x[node.size + i];
          break;
        case Kind::quotient:
          y = x[i] / x[node.size + i];
          break;
        case Kind::function:
          y = static_cast<float>(evaluate(element_function(node), all[i], ElementType::binary32));
          break;
      }
      out[i] = static_cast<double>(y);
    }
    values.push_back(std::move(out));
  }
  return values;
}

Box random_box(Random& random, std::size_t n, double width) {
  Box box;
  for (std::size_t i = 0; i < n; ++i) {
    const double centre = random_weight(random),
                 radius = random() % 5 == 0 ? 0.0 : width * std::uniform_real_distribution<double>(0, 1)(random);
    box.lo.push_back(to_float(centre - radius));
    box.hi.push_back(to_float(centre + radius));
  }
  return box;
}

std::vector<double> random_point(Random& random, const Box& box) {
  std::vector<double> x(box.lo.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int kind = static_cast<int>(random() % 4);
    const double t = std::uniform_real_distribution<double>(0, 1)(random);
    x[i] = kind == 0   ? box.lo[i]
           : kind == 1 ? box.hi[i]
                       : std::clamp(to_float(box.lo[i] + t * (box.hi[i] - box.lo[i])), box.lo[i], box.hi[i]);
  }
  return x;
}

bool is_unsafe(const Case& unsafe, const std::vector<Rational>& y) {
  for (const Row& row : unsafe.rows) {
    Rational sum = row.constant;
    for (const auto& [j, a] : row.terms) sum += a * y[j];
    if (row.strict ? sum >= 0 : sum > 0) return false;
  }
  return true;
}

}  // namespace outward::testing
