// ranges_under of execution.hpp: each end of a value by the very operations of the policy on the ends of its operands,
// chosen by the signs of the constants; of short sums in any order the extreme over all orders.
#include <algorithm>
#include <array>
#include <limits>

#include "runtime/capsules/execution.hpp"
#include "runtime/capsules/execution_arithmetic.hpp"
#include "runtime/capsules/sum_orders.hpp"
#include "runtime/cpu/element_functions.hpp"
#include "runtime/graph/groups.hpp"

namespace outward {
namespace {

using capsule_arithmetic::PolicyArithmetic;
using capsule_arithmetic::SumOrders;
using capsule_arithmetic::Vector;

// A contraction whose policy leaves the order of its sums open.
bool is_free_sum(const Node& node, const NumericalPolicy& policy) {
  return (node.kind == Kind::dense || node.kind == Kind::conv) && !is_determined(policy, op_name(node));
}

// Whether every sum can be followed: in the order that its policy says, or by itself in all orders. A sum that may be
// fused with others of its group, or through which a factor may be moved, is none of these (FORMAT.md section 3).
bool can_be_followed(const Graph& graph, const std::vector<NumericalPolicy>& policies) {
  const Groups groups = find_groups(graph);
  std::vector<std::uint32_t> members(graph.nodes.size(), 0), open(graph.nodes.size(), 0);
  for (std::uint32_t k = 1; k < graph.nodes.size(); ++k) {
    const Node& node = graph.nodes[k];
    if (node.kind == Kind::constant) continue;
    NumericalPolicy order = policies[k];
    order.k_ulp = 0;  // enclosed, not executed
    if (!cannot_execute(order, graph.element).empty()) return false;
    const bool is_few = groups.terms[k] <= SumOrders<double>::most_terms && groups.factors[k].empty();
    if (!is_determined(order, op_name(node)) && !(is_free_sum(node, order) && is_few)) return false;
    if (!is_group_kind(node.kind) || node.kind == Kind::map) continue;
    ++members[groups.root[k]];
    if (leaves_fusion_open(order)) ++open[groups.root[k]];
  }
  for (std::size_t k = 0; k < members.size(); ++k)
    if (open[k] > 0 && members[k] > 1) return false;
  return true;
}

template <typename T>
struct EndPair {
  Vector<T> lo, hi;
};

template <typename T>
class RangeRunner {
 public:
  RangeRunner(const Graph& graph, const std::vector<NumericalPolicy>& policies)
      : graph_(graph), policies_(policies), all_(graph.nodes.size()) {}

  bool run(const std::vector<double>& lo, const std::vector<double>& hi) {
    all_[0] = {{lo.begin(), lo.end()}, {hi.begin(), hi.end()}};
    for (std::size_t k = 1; k < all_.size(); ++k) {
      EndPair<T>& out = all_[k];
      out.lo.resize(graph_.nodes[k].size);
      out.hi.resize(graph_.nodes[k].size);
      free_ = is_free_sum(graph_.nodes[k], policies_[k]);
      const PolicyArithmetic<T> p(policies_[k]);
      node(graph_.nodes[k], p, out);
      // What may be flushed inside the ends has zero beside it in their range, unless an end is such a number itself.
      if (p.met_edge()) return false;
      const auto finite = [](T v) { return std::isfinite(v); };
      if (!std::all_of(out.lo.begin(), out.lo.end(), finite) || !std::all_of(out.hi.begin(), out.hi.end(), finite))
        return false;
    }
    return true;
  }
  const EndPair<T>& output() const { return all_[graph_.output]; }

 private:
  // Both ends of the sum of w[i]·x[at[i]] and the bias.
  void dot(const PolicyArithmetic<T>& p, const EndPair<T>& x, const Vector<T>& w, const std::vector<std::size_t>& at,
           const T* bias, T& lo, T& hi) {
    low_.resize(w.size());
    high_.resize(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      low_[i] = p.factor(w[i] >= 0 ? x.lo[at[i]] : x.hi[at[i]]);
      high_[i] = p.factor(w[i] >= 0 ? x.hi[at[i]] : x.lo[at[i]]);
    }
    if (free_) {
      const Vector<T> plain = bias ? Vector<T>{*bias} : Vector<T>();
      const bool finite = orders_.run(p, w, low_, plain);
      lo = finite ? orders_.least() : std::numeric_limits<T>::quiet_NaN();
      hi = finite && orders_.run(p, w, high_, plain) ? orders_.greatest() : std::numeric_limits<T>::quiet_NaN();
      return;
    }
    lo = p.dot(w, low_);
    hi = p.dot(w, high_);
    if (bias != nullptr) {
      lo = p.add(lo, *bias);
      hi = p.add(hi, *bias);
    }
  }

  void dense(const Node& node, const PolicyArithmetic<T>& p, const EndPair<T>& x, EndPair<T>& out) {
    const auto rows = static_cast<std::size_t>(node.ints[0]), k = static_cast<std::size_t>(node.ints[1]);
    const auto n = static_cast<std::size_t>(node.ints[2]);
    Vector<T> w(k);
    std::vector<std::size_t> at(k);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < k; ++i) w[i] = p.factor(static_cast<T>(node.payload[j * k + i]));
      const T bias = node.ints[3] != 0 ? static_cast<T>(node.payload[n * k + j]) : T{0};
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < k; ++i) at[i] = r * k + i;
        dot(p, x, w, at, node.ints[3] != 0 ? &bias : nullptr, out.lo[r * n + j], out.hi[r * n + j]);
      }
    }
  }

  void conv(const Node& node, const PolicyArithmetic<T>& p, const EndPair<T>& x, EndPair<T>& out) {
    const auto& g = node.ints;
    const std::int64_t deep = g[1] / g[15], window = deep * g[5] * g[6], pixels = g[16] * g[17];
    Vector<T> w;
    std::vector<std::size_t> at;
    for (std::int64_t o = 0; o < g[0] * g[4] * pixels; ++o) {
      const std::int64_t b = o / (g[4] * pixels), m = o / pixels % g[4];
      w.clear();
      at.clear();
      for (std::int64_t e = 0; e < window; ++e) {
        const std::int64_t c = m / (g[4] / g[15]) * deep + e / (g[5] * g[6]);
        const std::int64_t y = o % pixels / g[17] * g[7] - g[9] + e / g[6] % g[5] * g[13];
        const std::int64_t column = o % pixels % g[17] * g[8] - g[10] + e % g[6] * g[14];
        if (y < 0 || y >= g[2] || column < 0 || column >= g[3]) continue;
        w.push_back(p.factor(static_cast<T>(node.payload[static_cast<std::size_t>(m * window + e)])));
        at.push_back(static_cast<std::size_t>(((b * g[1] + c) * g[2] + y) * g[3] + column));
      }
      const T bias = g[18] != 0 ? static_cast<T>(node.payload[static_cast<std::size_t>(g[4] * window + m)]) : T{0};
      const auto i = static_cast<std::size_t>(o);
      dot(p, x, w, at, g[18] != 0 ? &bias : nullptr, out.lo[i], out.hi[i]);
    }
  }

  // f(end, i) is monotone in the end: falling where falls(i).
  template <typename F, typename G>
  static void monotone(const EndPair<T>& x, EndPair<T>& out, F f, G falls) {
    for (std::size_t i = 0; i < out.lo.size(); ++i) {
      out.lo[i] = f(falls(i) ? x.hi[i] : x.lo[i], i);
      out.hi[i] = f(falls(i) ? x.lo[i] : x.hi[i], i);
    }
  }

  void node(const Node& node, const PolicyArithmetic<T>& p, EndPair<T>& out) {
    const auto c = [&](std::size_t i) { return static_cast<T>(node.payload[i]); };
    static const EndPair<T> nothing;
    const EndPair<T>& x = node.operands.empty() ? nothing : all_[node.operands[0]];
    const auto rises = [](std::size_t) { return false; };
    const auto by_constant = [&](std::size_t i) { return node.payload[i] < 0; };
    const auto k = node.ints.empty() ? std::size_t{0} : static_cast<std::size_t>(node.ints[0]);
    switch (node.kind) {
      case Kind::input:
        return;
      case Kind::constant:
        for (std::size_t i = 0; i < node.size; ++i) out.lo[i] = out.hi[i] = c(i);
        return;
      case Kind::map: {
        EndPair<T> joined;
        for (const std::uint32_t operand : node.operands) {
          joined.lo.insert(joined.lo.end(), all_[operand].lo.begin(), all_[operand].lo.end());
          joined.hi.insert(joined.hi.end(), all_[operand].hi.begin(), all_[operand].hi.end());
        }
        for (std::size_t i = 0; i < node.size; ++i) {
          out.lo[i] = joined.lo[static_cast<std::size_t>(node.ints[i])];
          out.hi[i] = joined.hi[static_cast<std::size_t>(node.ints[i])];
        }
        return;
      }
      case Kind::dense:
        return dense(node, p, x, out);
      case Kind::conv:
        return conv(node, p, x, out);
      case Kind::reduce:
        for (std::size_t i = 0; i < node.size; ++i) {
          const auto from = static_cast<std::ptrdiff_t>(i * k), to = static_cast<std::ptrdiff_t>((i + 1) * k);
          out.lo[i] = p.sum(p.factors({x.lo.begin() + from, x.lo.begin() + to}));
          out.hi[i] = p.sum(p.factors({x.hi.begin() + from, x.hi.begin() + to}));
          if (node.ints[i + 1] == 1) continue;
          out.lo[i] = p.divide(out.lo[i], static_cast<T>(node.ints[i + 1]));
          out.hi[i] = p.divide(out.hi[i], static_cast<T>(node.ints[i + 1]));
        }
        return;
      case Kind::bn: {
        const auto inner = static_cast<std::size_t>(node.ints[1]);
        const auto q = [&](std::size_t i) { return i / inner % k; };
        return monotone(
            x, out,
            [&](T v, std::size_t i) {
              const T deviation = p.root(p.add(c(3 * k + q(i)), c(4 * k)));
              return p.add(p.multiply(p.divide(p.subtract(v, c(2 * k + q(i))), deviation), c(q(i))), c(k + q(i)));
            },
            [&](std::size_t i) { return node.payload[q(i)] < 0; });
      }
      case Kind::add: {
        const EndPair<T>& y = all_[node.operands[1]];
        for (std::size_t i = 0; i < node.size; ++i) {
          out.lo[i] = node.ints[0] == 0 ? p.add(x.lo[i], y.lo[i]) : p.subtract(x.lo[i], y.hi[i]);
          out.hi[i] = node.ints[0] == 0 ? p.add(x.hi[i], y.hi[i]) : p.subtract(x.hi[i], y.lo[i]);
        }
        return;
      }
      case Kind::shift:
        return monotone(
            x, out, [&](T v, std::size_t i) { return p.add(v, c(i)); }, rises);
      case Kind::scale:
        return monotone(
            x, out, [&](T v, std::size_t i) { return p.multiply(v, c(i)); }, by_constant);
      case Kind::divide:
        return monotone(
            x, out, [&](T v, std::size_t i) { return p.divide(v, c(i)); }, by_constant);
      case Kind::neg:
        return monotone(
            x, out, [&](T v, std::size_t) { return -p.seen(v); }, [](std::size_t) { return true; });
      case Kind::relu:
        return monotone(
            x, out, [&](T v, std::size_t) { return v <= 0 ? T{0} : p.seen(v); }, rises);
      case Kind::leaky:
        return monotone(
            x, out, [&](T v, std::size_t) { return v < 0 ? p.multiply(c(0), v) : p.seen(v); }, rises);
      case Kind::clip:
        return monotone(
            x, out, [&](T v, std::size_t) { return p.seen(std::clamp(p.seen(v), c(0), c(1))); }, rises);
      case Kind::abs:
        for (std::size_t i = 0; i < node.size; ++i) {
          const T a = std::fabs(p.seen(x.lo[i])), b = std::fabs(p.seen(x.hi[i]));
          out.lo[i] = x.lo[i] <= 0 && x.hi[i] >= 0 ? T{0} : std::min(a, b);
          out.hi[i] = std::max(a, b);
        }
        return;
      case Kind::max:
        for (std::size_t i = 0; i < node.size; ++i) {
          const auto from = static_cast<std::ptrdiff_t>(i * k), to = static_cast<std::ptrdiff_t>((i + 1) * k);
          out.lo[i] = p.seen(*std::max_element(x.lo.begin() + from, x.lo.begin() + to));
          out.hi[i] = p.seen(*std::max_element(x.hi.begin() + from, x.hi.begin() + to));
        }
        return;
      case Kind::function:
        return function(node, p, x, out);
      case Kind::product:
      case Kind::quotient:
        return corners(node, p, x, all_[node.operands[1]], out);
    }
  }

  // Everything within the policy's ulps of the function. NaN, which ends the run, where it is not defined.
  void function(const Node& node, const PolicyArithmetic<T>& p, const EndPair<T>& x, EndPair<T>& out) {
    constexpr ElementType element = sizeof(T) == 4 ? ElementType::binary32 : ElementType::binary64;
    for (std::size_t i = 0; i < node.size; ++i) {
      const auto ends = evaluate(element_function(node), p.seen(x.lo[i]), p.seen(x.hi[i]), element, p.k_ulp());
      out.lo[i] = ends ? p.seen(static_cast<T>(ends->first)) : std::numeric_limits<T>::quiet_NaN();
      out.hi[i] = ends ? p.seen(static_cast<T>(ends->second)) : std::numeric_limits<T>::quiet_NaN();
    }
  }

  // Products and quotients are monotone in each operand, rising or falling by the sign of the other one: the extremes
  // are at the corners, but for a square, which has its least value at 0.
  void corners(const Node& node, const PolicyArithmetic<T>& p, const EndPair<T>& x, const EndPair<T>& y,
               EndPair<T>& out) {
    const bool square = node.kind == Kind::product && node.operands[0] == node.operands[1];
    for (std::size_t i = 0; i < node.size; ++i) {
      if (node.kind == Kind::quotient && p.seen(y.lo[i]) <= 0 && p.seen(y.hi[i]) >= 0) {
        out.lo[i] = out.hi[i] = std::numeric_limits<T>::quiet_NaN();
        continue;
      }
      const auto at = [&](T a, T b) { return node.kind == Kind::product ? p.multiply(a, b) : p.divide(a, b); };
      std::array<T, 4> values = {at(x.lo[i], y.lo[i]), at(x.lo[i], y.hi[i]), at(x.hi[i], y.lo[i]),
                                 at(x.hi[i], y.hi[i])};
      if (square) values[1] = values[2] = x.lo[i] <= 0 && x.hi[i] >= 0 ? T{0} : values[0];
      out.lo[i] = *std::min_element(values.begin(), values.end());
      out.hi[i] = *std::max_element(values.begin(), values.end());
      if (std::any_of(values.begin(), values.end(), [](T v) { return std::isnan(v); }))
        out.lo[i] = std::numeric_limits<T>::quiet_NaN();
    }
  }

  const Graph& graph_;
  const std::vector<NumericalPolicy>& policies_;
  std::vector<EndPair<T>> all_;
  Vector<T> low_, high_;
  bool free_ = false;  // the sums of the node may be taken in any order
  SumOrders<T> orders_;
};

template <typename T>
bool ranges(const Graph& graph, const std::vector<NumericalPolicy>& policies, const std::vector<double>& lo,
            const std::vector<double>& hi, std::vector<double>& out_lo, std::vector<double>& out_hi) {
  RangeRunner<T> runner(graph, policies);
  if (!runner.run(lo, hi)) return false;
  out_lo.assign(runner.output().lo.begin(), runner.output().lo.end());
  out_hi.assign(runner.output().hi.begin(), runner.output().hi.end());
  return true;
}

}  // namespace

bool ranges_under(const Graph& graph, const std::vector<NumericalPolicy>& policies, const std::vector<double>& lo,
                  const std::vector<double>& hi, std::vector<double>& out_lo, std::vector<double>& out_hi) {
  if (lo.size() != graph.nodes[0].size || hi.size() != lo.size() || policies.size() != graph.nodes.size()) return false;
  for (std::size_t i = 0; i < lo.size(); ++i)
    if (!std::isfinite(lo[i]) || !std::isfinite(hi[i]) || lo[i] > hi[i]) return false;
  if (!can_be_followed(graph, policies)) return false;
  return graph.element == ElementType::binary32 ? ranges<float>(graph, policies, lo, hi, out_lo, out_hi)
                                                : ranges<double>(graph, policies, lo, hi, out_lo, out_hi);
}

}  // namespace outward
