#include "bounds/roundoff/program.hpp"

#include <cmath>

#include "formats/error.hpp"

namespace outward::roundoff {
namespace {

double moved_factor(const std::vector<double>& factors) {
  double product = 1;
  for (const double c : factors) {
    const double size = std::fabs(c);
    product = times(product, size == 0 ? infinity : std::fmax(size, div_up(1, size)));
  }
  return product;
}

}  // namespace

Program program_of(const Graph& graph, const Arithmetic& arithmetic) {
  return program_of(graph, {arithmetic}, std::vector<std::uint32_t>(graph.nodes.size(), 0));
}

Program program_of(const Graph& graph, std::vector<Arithmetic> arithmetics, std::vector<std::uint32_t> of_node) {
  std::vector<Blocker> unknown;
  for (const Node& node : graph.nodes)
    if (!code_of(node))
      unknown.push_back({"no-rule", node.origin,
                         std::string("no rounding error rule for the operator ") + op_name(node), "", "",
                         "`roundoff --operators` lists what has one"});
  if (!unknown.empty()) throw InputRefused(std::move(unknown));
  Program p;
  p.arithmetics = std::move(arithmetics);
  const Groups groups = find_groups(graph);
  std::vector<std::uint32_t> place(graph.nodes.size()), members(graph.nodes.size(), 0);
  for (std::size_t k = 0; k < graph.nodes.size(); ++k) ++members[groups.root[k]];
  // Which groups are one sum: those whose root leaves the fusion open.
  std::vector<char> fused(graph.nodes.size(), 0);
  for (std::size_t k = 0; k < graph.nodes.size(); ++k)
    fused[k] = p.arithmetics[of_node[groups.root[k]]].any_fusion() ? 1 : 0;
  for (std::size_t k = 0; k < graph.nodes.size(); ++k)
    if (fused[k] != 0) of_node[k] = of_node[groups.root[k]];
  const auto put = [&](Operator op, std::uint32_t arithmetic, std::int64_t node) {
    p.operators.push_back(std::move(op));
    p.arithmetic.push_back(arithmetic);
    p.node.push_back(node);
    p.root.push_back(static_cast<std::uint32_t>(p.operators.size() - 1));
    p.roundings.push_back(0);
    p.terms.push_back(0);
    p.products.push_back(0);
    p.moved.push_back(1);
  };
  for (std::uint32_t k = 0; k < graph.nodes.size(); ++k) {
    const Node& node = graph.nodes[k];
    Operator op{code_of(node).value(), {}, node.size, node.ints, node.payload, node.origin};
    if (node.kind == Kind::function) op.ints.clear();
    for (const std::uint32_t operand : node.operands) {
      std::uint32_t from = place[operand];
      const Arithmetic &theirs = p.arithmetic_of(from), &ours = p.arithmetics[of_node[k]];
      if (!(theirs.values.format == ours.values.format)) {
        Operator cast{OpCode::cast, {from}, graph.nodes[operand].size, {}, {}, "cast for " + node.origin};
        // A format that contains the other one rounds nothing.
        if (!contains(ours.values, theirs.values)) {
          put(std::move(cast), of_node[k], -1);
          from = static_cast<std::uint32_t>(p.operators.size() - 1);
        }
      }
      op.operands.push_back(from);
    }
    put(std::move(op), of_node[k], k);
    place[k] = static_cast<std::uint32_t>(p.operators.size() - 1);
    if (fused[k] != 0) p.moved.back() = moved_factor(groups.factors[k]);
  }
  p.output = place[graph.output];
  for (std::uint32_t k = 0; k < graph.nodes.size(); ++k) {
    if (fused[k] == 0) continue;
    p.root[place[k]] = place[groups.root[k]];
    const bool own_rule = groups.root[k] != k || members[k] == 1;
    const bool special = graph.nodes[k].kind == Kind::bn || !groups.factors[k].empty();
    if (groups.root[k] != k || groups.total[k] == 0 || (own_rule && !special)) continue;
    p.roundings[place[k]] = groups.total[k];
    p.terms[place[k]] = groups.terms[k];
    p.products[place[k]] = groups.roundings[k];
  }
  return p;
}

}  // namespace outward::roundoff
