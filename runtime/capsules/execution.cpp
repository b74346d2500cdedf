#include "runtime/capsules/execution.hpp"

#include <algorithm>
#include <cmath>

#include "formats/error.hpp"
#include "runtime/capsules/execution_arithmetic.hpp"
#include "runtime/capsules/record.hpp"
#include "runtime/cpu/element_functions.hpp"

namespace outward {
namespace {

using capsule_arithmetic::PolicyArithmetic;
using capsule_arithmetic::Vector;

template <typename T>
void dense_under(const PolicyArithmetic<T>& p, const Node& node, const Vector<T>& x, Vector<T>& out) {
  const auto rows = static_cast<std::size_t>(node.ints[0]), k = static_cast<std::size_t>(node.ints[1]);
  const auto n = static_cast<std::size_t>(node.ints[2]);
  Vector<T> w(k), v(k);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < k; ++i) v[i] = p.factor(x[r * k + i]);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < k; ++i) w[i] = p.factor(static_cast<T>(node.payload[j * k + i]));
      T y = p.dot(w, v);
      if (node.ints[3] != 0) y = p.add(y, static_cast<T>(node.payload[n * k + j]));
      out[r * n + j] = y;
    }
  }
}

template <typename T>
void conv_under(const PolicyArithmetic<T>& p, const Node& node, const Vector<T>& x, Vector<T>& out) {
  const auto& g = node.ints;
  const std::int64_t channels = g[1], height = g[2], width = g[3], filters = g[4], kh = g[5], kw = g[6];
  const std::int64_t deep = channels / g[15], window = deep * kh * kw, pixels = g[16] * g[17];
  Vector<T> w, v;
  for (std::int64_t at = 0; at < g[0] * filters * pixels; ++at) {
    const std::int64_t b = at / (filters * pixels), m = at / pixels % filters;
    const std::int64_t top = at % pixels / g[17] * g[7] - g[9], left = at % pixels % g[17] * g[8] - g[10];
    w.clear();
    v.clear();
    for (std::int64_t e = 0; e < window; ++e) {
      const std::int64_t c = m / (filters / g[15]) * deep + e / (kh * kw);
      const std::int64_t y = top + e / kw % kh * g[13], column = left + e % kw * g[14];
      if (y < 0 || y >= height || column < 0 || column >= width) continue;
      w.push_back(p.factor(static_cast<T>(node.payload[static_cast<std::size_t>(m * window + e)])));
      v.push_back(p.factor(x[static_cast<std::size_t>(((b * channels + c) * height + y) * width + column)]));
    }
    T y = p.dot(w, v);
    if (g[18] != 0) y = p.add(y, static_cast<T>(node.payload[static_cast<std::size_t>(filters * window + m)]));
    out[static_cast<std::size_t>(at)] = y;
  }
}

template <typename T>
void reduce_under(const PolicyArithmetic<T>& p, const Node& node, const Vector<T>& x, Vector<T>& out) {
  const auto k = static_cast<std::ptrdiff_t>(node.ints[0]);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto from = x.begin() + static_cast<std::ptrdiff_t>(i) * k;
    out[i] = p.sum(p.factors({from, from + k}));
    if (node.ints[i + 1] != 1) out[i] = p.divide(out[i], static_cast<T>(node.ints[i + 1]));
  }
}

template <typename T>
void norm_under(const PolicyArithmetic<T>& p, const Node& node, const Vector<T>& x, Vector<T>& out) {
  const auto channels = static_cast<std::size_t>(node.ints[0]), inner = static_cast<std::size_t>(node.ints[1]);
  const auto c = [&](std::size_t row, std::size_t q) { return static_cast<T>(node.payload[row * channels + q]); };
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t q = i / inner % channels;
    const T deviation = p.root(p.add(c(3, q), c(4, 0)));
    out[i] = p.add(p.multiply(p.divide(p.subtract(x[i], c(2, q)), deviation), c(0, q)), c(1, q));
  }
}

template <typename T>
void max_under(const PolicyArithmetic<T>& p, const Node& node, const Vector<T>& x, Vector<T>& out) {
  const auto k = static_cast<std::size_t>(node.ints[0]);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = p.seen(x[i * k]);
    for (std::size_t j = 1; j < k; ++j) {
      const T v = p.seen(x[i * k + j]);
      if (std::isnan(v) || v > out[i]) out[i] = v;
    }
  }
}

template <typename T>
void node_under(const NumericalPolicy& policy, const Node& node, const Vector<Vector<T>>& all, Vector<T>& out) {
  const PolicyArithmetic<T> p(policy);
  out.resize(node.size);
  const auto c = [&](std::size_t i) { return static_cast<T>(node.payload[i]); };
  static const Vector<T> nothing;
  const Vector<T>& x = node.operands.empty() ? nothing : all[node.operands[0]];
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(i);
  };
  switch (node.kind) {
    case Kind::input:
      return;
    case Kind::constant:
      return each([&](std::size_t i) { return c(i); });
    case Kind::map: {
      Vector<T> joined;
      for (const std::uint32_t operand : node.operands)
        joined.insert(joined.end(), all[operand].begin(), all[operand].end());
      return each([&](std::size_t i) { return joined[static_cast<std::size_t>(node.ints[i])]; });
    }
    case Kind::dense:
      return dense_under(p, node, x, out);
    case Kind::conv:
      return conv_under(p, node, x, out);
    case Kind::reduce:
      return reduce_under(p, node, x, out);
    case Kind::bn:
      return norm_under(p, node, x, out);
    case Kind::add: {
      const Vector<T>& y = all[node.operands[1]];
      return each([&](std::size_t i) { return node.ints[0] == 0 ? p.add(x[i], y[i]) : p.subtract(x[i], y[i]); });
    }
    case Kind::shift:
      return each([&](std::size_t i) { return p.add(x[i], c(i)); });
    case Kind::scale:
      return each([&](std::size_t i) { return p.multiply(x[i], c(i)); });
    case Kind::divide:
      return each([&](std::size_t i) { return p.divide(x[i], c(i)); });
    case Kind::neg:
      return each([&](std::size_t i) { return -p.seen(x[i]); });
    case Kind::relu:
      return each([&](std::size_t i) { return x[i] <= 0 ? T{0} : p.seen(x[i]); });
    case Kind::leaky:
      return each([&](std::size_t i) { return x[i] < 0 ? p.multiply(c(0), x[i]) : p.seen(x[i]); });
    case Kind::clip:
      return each([&](std::size_t i) {
        const T v = p.seen(x[i]);
        return v < c(0) ? p.seen(c(0)) : v > c(1) ? p.seen(c(1)) : v;
      });
    case Kind::abs:
      return each([&](std::size_t i) { return std::fabs(p.seen(x[i])); });
    case Kind::max:
      return max_under(p, node, x, out);
    case Kind::function: {
      constexpr ElementType element = sizeof(T) == 4 ? ElementType::binary32 : ElementType::binary64;
      return each([&](std::size_t i) {
        return p.seen(static_cast<T>(evaluate(element_function(node), p.seen(x[i]), element)));
      });
    }
    case Kind::product: {
      const Vector<T>& y = all[node.operands[1]];
      return each([&](std::size_t i) { return p.multiply(x[i], y[i]); });
    }
    case Kind::quotient: {
      const Vector<T>& y = all[node.operands[1]];
      return each([&](std::size_t i) { return p.divide(x[i], y[i]); });
    }
  }
}

template <typename T>
std::vector<double> execute(const Graph& graph, const std::vector<NumericalPolicy>& policies,
                            const std::vector<double>& input, std::vector<std::vector<double>>* nodes) {
  Vector<Vector<T>> all(graph.nodes.size());
  all[0].assign(input.begin(), input.end());
  for (std::size_t k = 1; k < all.size(); ++k) node_under(policies[k], graph.nodes[k], all, all[k]);
  if (nodes != nullptr) {
    nodes->clear();
    for (const Vector<T>& values : all) nodes->emplace_back(values.begin(), values.end());
  }
  return {all[graph.output].begin(), all[graph.output].end()};
}

}  // namespace

std::string cannot_execute(const NumericalPolicy& p, ElementType element) {
  const Format own =
      element == ElementType::binary32 ? Format{8, 23, 127, Convention::ieee} : Format{11, 52, 1023, Convention::ieee};
  if (p.format != own) return "it computes in " + format_text(p.format);
  if (p.accumulator) return "it adds in " + format_text(*p.accumulator);
  if (p.rounding != Rounding::nearest_even) return "it does not round to nearest even";
  if (p.reduction == Reduction::block) return "it adds in blocks";
  if (p.operands && (p.operands->exponent_bits != own.exponent_bits || p.operands->bias != own.bias ||
                     p.operands->convention != Convention::ieee || p.operands->fraction_bits > own.fraction_bits ||
                     p.operands->flush || p.operands->saturate))
    return "its operands are rounded to " + format_text(*p.operands);
  return "";
}

bool is_determined(const NumericalPolicy& p, std::string_view op) {
  if (p.k_ulp > 0) return false;
  const OpRow* row = find_op(op);
  const bool sums = row == nullptr || row->accumulates;
  switch (p.reduction) {
    case Reduction::none:
      return !sums;
    case Reduction::sequential:  // what else of a normalisation or a mean may be fused is not said
      return p.contraction == Contraction::none || op == "dense" || op == "conv";
    case Reduction::pairwise:
      return p.contraction == Contraction::none;
    default:
      return false;
  }
}

std::vector<double> run_under(const Graph& graph, const std::vector<NumericalPolicy>& policies,
                              const std::vector<double>& input, std::vector<std::vector<double>>* nodes) {
  if (input.size() != graph.nodes[0].size || policies.size() != graph.nodes.size())
    throw ResourceError("run under policies: wrong number of inputs or policies");
  for (std::size_t k = 1; k < graph.nodes.size(); ++k)
    if (graph.nodes[k].kind != Kind::constant)
      if (const std::string why = cannot_execute(policies[k], graph.element); !why.empty())
        throw ResourceError("node " + std::to_string(k) + " cannot be executed here: " + why);
  return graph.element == ElementType::binary32 ? execute<float>(graph, policies, input, nodes)
                                                : execute<double>(graph, policies, input, nodes);
}

}  // namespace outward
