#include "bounds/network.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "formats/directed.hpp"
#include "formats/error.hpp"
#include "runtime/graph/element_function.hpp"

namespace outward {

bool is_piecewise(Kind kind) { return kind >= Kind::relu && kind <= Kind::abs; }

ConvGeometry conv_geometry(const Node& node) {
  const auto& v = node.ints;
  return {v[0],  v[1],  v[2],  v[3],  v[4],  v[5],  v[6],  v[7],  v[8],      v[9],
          v[10], v[11], v[12], v[13], v[14], v[15], v[16], v[17], v[18] != 0};
}

namespace {

double greatest_abs(const std::vector<double>& values, std::size_t from, std::size_t to) {
  double best = 0;
  for (std::size_t i = from; i < to; ++i) best = std::max(best, std::fabs(values[i]));
  return best;
}

BatchNormCoefficients batch_norm_coefficients(const Node& node) {
  const std::size_t c = static_cast<std::size_t>(node.ints[0]);
  BatchNormCoefficients out;
  const double eps = node.payload[4 * c];
  for (std::size_t q = 0; q < c; ++q) {
    const double scale = node.payload[q], shift = node.payload[c + q], mean = node.payload[2 * c + q];
    const double variance = node.payload[3 * c + q];
    out.inverse_up.push_back(div_up(1.0, sqrt_down(add_down(variance, eps))));
    out.a.push_back(scale / std::sqrt(variance + eps));  // three roundings: relative error at most 4u
    out.shift.push_back(shift);
    out.mean.push_back(mean);
    out.max_inverse = std::max(out.max_inverse, out.inverse_up.back());
    out.max_scale = std::max(out.max_scale, std::fabs(scale));
    out.max_mean = std::max(out.max_mean, std::fabs(mean));
    out.max_shift = std::max(out.max_shift, std::fabs(shift));
    out.max_variance_up = std::max(out.max_variance_up, add_up(variance, eps));
  }
  return out;
}

std::uint64_t repeats(const Graph& graph, const Node& node) {
  std::uint64_t total = 0;
  for (std::uint32_t operand : node.operands) total += graph.nodes[operand].size;
  std::vector<std::uint32_t> count(total, 0);
  std::uint32_t most = 1;
  for (std::int64_t index : node.ints) most = std::max(most, ++count[static_cast<std::size_t>(index)]);
  return most;
}

}  // namespace

struct Network::Lazy {
  std::once_flag once;
  std::optional<FastNetwork> fast;
};

const FastNetwork& Network::fast() const {
  std::call_once(lazy_->once, [this] { lazy_->fast.emplace(graph); });
  return *lazy_->fast;
}

Network::Network(const Graph& g) : graph(g), groups(find_groups(g)), lazy_(std::make_shared<Lazy>()) {
  const std::uint32_t n = size();
  members.resize(n);
  batch_norm.resize(n);
  sparse.resize(n);
  for (std::uint32_t k = 0; k < n; ++k) sparse[k] = sparse_weights(node(k));
  map_repeats.assign(n, 1);
  magnitude.assign(n, 1.0);
  bias_magnitude.assign(n, 0.0);
  moved_magnitude.assign(n, 1.0);
  for (std::uint32_t k = 0; k < n; ++k) {
    const Node& node = g.nodes[k];
    node_multiplications.push_back(
        sparse[k].used() ? static_cast<double>(sparse[k].value.size()) * static_cast<double>(node.ints[0])
                         : static_cast<double>(node.size) *
                               (node.kind == Kind::dense      ? static_cast<double>(node.ints[1])
                                : node.kind == Kind::conv     ? static_cast<double>(conv_geometry(node).window())
                                : node.kind == Kind::function ? 300.0
                                                              : 1.0));
    multiplications += node_multiplications.back();
    for (double c : groups.factors[k])  // a factor 0 makes it infinite
      moved_magnitude[k] = mul_up(moved_magnitude[k], std::max(std::fabs(c), div_up(1.0, std::fabs(c))));
    if (is_group_kind(node.kind)) members[groups.root[k]].push_back(k);
    switch (node.kind) {
      case Kind::map:
        map_repeats[k] = repeats(g, node);
        break;
      case Kind::dense:
      case Kind::conv: {
        const bool biased = node.kind == Kind::dense ? node.ints[3] != 0 : node.ints[18] != 0;
        const std::size_t outputs = static_cast<std::size_t>(node.kind == Kind::dense ? node.ints[2] : node.ints[4]);
        const std::size_t weights = node.payload.size() - (biased ? outputs : 0);
        magnitude[k] = std::max(1.0, greatest_abs(node.payload, 0, weights));
        if (biased) bias_magnitude[k] = std::max(1.0, greatest_abs(node.payload, weights, node.payload.size()));
        break;
      }
      case Kind::constant:
      case Kind::shift:
      case Kind::scale:
        magnitude[k] = std::max(1.0, greatest_abs(node.payload, 0, node.payload.size()));
        break;
      case Kind::divide: {
        double least = infinity;
        for (double c : node.payload) least = std::min(least, std::fabs(c));
        magnitude[k] = std::max(1.0, div_up(1.0, least));
        break;
      }
      case Kind::bn:
        batch_norm[k] = batch_norm_coefficients(node);
        break;
      default:
        break;
    }
  }
}

void Network::follow(const std::vector<NumericalPolicy>& policies) {
  std::vector<Blocker> blockers;
  const auto refuse = [&](const Node& n, const std::string& what) {
    blockers.push_back({"no-error-box", n.origin, "the plan's policy says nothing about this node", "", what, ""});
  };
  errors.assign(size(), PolicyError());
  for (std::uint32_t k = 1; k < size(); ++k) {
    const Node& n = node(k);
    if (n.kind == Kind::constant) continue;
    const NumericalPolicy& p = policies.at(k);
    if (const std::string fault = error_box_fault(p); !fault.empty()) {
      refuse(n, fault);
      continue;
    }
    const bool by_ulps = is_by_ulps(n);
    if (!is_certifiable(n.kind) && (p.accumulator || p.reduction == Reduction::block || p.operands))
      refuse(n, std::string("a policy of sums for ") + op_name(n));
    if (p.k_ulp != 0 && !by_ulps)
      refuse(n, "results within " + std::to_string(p.k_ulp) + " ulps of what is no elementary function");
    const PolicyError e = policy_error(p);
    // A divisor or root of a flushed number is not within any box of what it was.
    const auto flushed = [&](double c) { return c != 0 && std::fabs(c) < e.flushed; };
    if (e.flushed > 0 && n.kind == Kind::divide && std::any_of(n.payload.begin(), n.payload.end(), flushed))
      refuse(n, "a divisor is flushed to zero");
    if (e.flushed > 0 && n.kind == Kind::bn) {
      const auto c = static_cast<std::size_t>(n.ints[0]);
      for (std::size_t q = 3 * c; q < 4 * c; ++q)
        if (flushed(n.payload[q]) || flushed(n.payload.back()) ||
            !(add_down(n.payload[q], n.payload.back()) >= e.flushed))
          refuse(n, "a variance is flushed to zero");
    }
    errors[k] = e;
  }
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
  // A factor moved behind a contraction is rounded or flushed by another kernel there than the one of its node.
  for (std::uint32_t k = 0; k < size(); ++k) {
    std::uint32_t o = k;
    for (std::size_t left = groups.factors[k].size(); left > 0;) {
      o = node(o).operands[0];
      if (node(o).kind == Kind::map) continue;
      errors[k] = worst_of(errors[k], errors[o]);
      --left;
    }
  }
  for (std::uint32_t k = 0; k < size(); ++k)
    if (is_root(k))
      for (const std::uint32_t m : members[k]) errors[k] = worst_of(errors[k], errors[m]);
}

bool Network::is_root(std::uint32_t k) const { return groups.stored[k] && is_group_kind(node(k).kind); }

}  // namespace outward
