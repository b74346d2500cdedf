#include "bounds/policy_box.hpp"

#include <algorithm>

namespace outward {

bool policy_box(const Network& net, std::uint32_t k, const std::vector<double>& sum, double magnitude,
                std::vector<double>& delta) {
  const PolicyError& e = net.errors[k];
  const std::uint64_t n = net.groups.total[k], terms = net.groups.terms[k];
  bool only_moves = true, overflow = false;
  delta.clear();
  for (const std::uint32_t m : net.members[k]) {
    only_moves = only_moves && net.node(m).kind == Kind::map;
    if (net.node(m).kind == Kind::bn && !(net.batch_norm[m].max_variance_up < e.omega)) overflow = true;
  }
  if (!(mul_up(2.0, magnitude) < e.omega)) overflow = true;
  const double relative = n > 0 ? e.relative(n, terms) : only_moves || e.operand_u == 0 ? 0.0 : e.factors();
  const double tiny = mul_up(e.absolute(n, terms, net.groups.roundings[k], only_moves), magnitude);
  if (!(relative < infinity)) overflow = true;
  if (overflow) return false;
  if (relative == 0 && tiny == 0) return true;
  delta.resize(sum.size());
  for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = add_up(mul_up(relative, sum[i]), tiny);
  return true;
}

std::vector<double> policy_box(const Network& net, std::uint32_t k, const std::vector<double>& lo) {
  const PolicyError& e = net.errors[k];
  const Node& node = net.node(k);
  if (node.kind != Kind::leaky && e.moved() == 0) return {};
  std::vector<double> delta(node.size, e.moved());
  for (std::size_t i = 0; node.kind == Kind::leaky && i < delta.size(); ++i) delta[i] = e.leaky(node.payload[0], lo[i]);
  return delta;
}

std::vector<double> leaky_box(const FloatModel& model, const Node& node, const std::vector<double>& lo) {
  std::vector<double> delta(node.size);
  for (std::size_t i = 0; i < delta.size(); ++i)
    delta[i] = add_up(mul_up(mul_up(model.u, node.payload[0]), std::max(0.0, -lo[i])), model.eta);
  return delta;
}

}  // namespace outward
