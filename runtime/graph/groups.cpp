// The analysis of certificates/FORMAT.md section 3. Assumes a valid graph; promises the counts of the table there.
#include "runtime/graph/groups.hpp"

#include <algorithm>
#include <bit>

namespace outward {
namespace {

std::vector<std::uint32_t> count_uses(const Graph& graph) {
  std::vector<std::uint32_t> uses(graph.nodes.size(), 0);
  for (const Node& node : graph.nodes) {
    for (std::uint32_t operand : node.operands) ++uses[operand];
  }
  ++uses[graph.output];
  return uses;
}

// All elements have the same bits: 0 and -0 differ.
bool is_uniform(const std::vector<double>& payload) {
  const auto first = std::bit_cast<std::uint64_t>(payload.front());
  return std::all_of(payload.begin(), payload.end(),
                     [&](double c) { return std::bit_cast<std::uint64_t>(c) == first; });
}

// f of section 3: constant factors a runtime may move behind the contraction that reads `number`.
std::vector<double> movable_factors(const Graph& graph, std::uint32_t number) {
  std::vector<double> factors;
  while (true) {
    const Node& node = graph.nodes[number];
    if (node.kind == Kind::scale || node.kind == Kind::divide) {
      if (!is_uniform(node.payload)) return factors;
      factors.push_back(node.payload.front());
    } else if (node.kind != Kind::map || node.operands.size() != 1) {
      return factors;
    }
    number = node.operands[0];
  }
}

// Sets T and Q of one linear node from those of its operands, taken as leaves where the edge is not inside.
void count_terms(const Graph& graph, Groups& groups, std::uint32_t number) {
  const Node& node = graph.nodes[number];
  std::uint64_t most_terms = 0, sum_terms = 0, most_roundings = 0;
  for (std::uint32_t operand : node.operands) {
    const bool inside = inside_group(graph, groups, operand, number);
    const std::uint64_t terms = inside ? groups.terms[operand] : 1;
    most_terms = std::max(most_terms, terms);
    sum_terms += terms;
    most_roundings = std::max(most_roundings, inside ? groups.roundings[operand] : 0);
  }
  const auto& p = node.ints;
  std::uint64_t& terms = groups.terms[number];
  std::uint64_t& roundings = groups.roundings[number];
  terms = sum_terms;
  roundings = most_roundings;
  switch (node.kind) {
    case Kind::map:
      terms = most_terms;
      break;
    case Kind::dense:
      terms = static_cast<std::uint64_t>(p[1] + p[3]);
      roundings = 1;
      break;
    case Kind::conv:
      terms = static_cast<std::uint64_t>(p[1] / p[15] * p[5] * p[6] + p[18]);
      roundings = 1;
      break;
    case Kind::reduce:
      terms = static_cast<std::uint64_t>(p[0]);
      roundings = std::all_of(p.begin() + 1, p.end(), [](std::int64_t d) { return d == 1; }) ? 0 : 2;
      break;
    case Kind::bn:
      terms += 2;
      roundings += 6;
      break;
    case Kind::shift:
      ++terms;
      break;
    case Kind::scale:
      ++roundings;
      break;
    case Kind::divide:
      roundings += 2;
      break;
    default:
      break;  // add: sum of T, greatest Q; neg: unchanged
  }
  if (is_contraction(node.kind)) {
    groups.factors[number] = movable_factors(graph, node.operands[0]);
    terms += 3 * groups.factors[number].size();
  }
}

}  // namespace

bool is_contraction(Kind kind) { return kind == Kind::dense || kind == Kind::conv || kind == Kind::reduce; }

bool is_group_kind(Kind kind) { return kind >= Kind::map && kind <= Kind::neg; }

bool inside_group(const Graph& graph, const Groups& groups, std::uint32_t operand, std::uint32_t reader) {
  const Kind from = graph.nodes[operand].kind, to = graph.nodes[reader].kind;
  return is_group_kind(from) && is_group_kind(to) && !is_contraction(to) && groups.uses[operand] == 1;
}

Groups find_groups(const Graph& graph) {
  const auto count = static_cast<std::uint32_t>(graph.nodes.size());
  Groups groups;
  groups.uses = count_uses(graph);
  groups.stored.assign(count, true);
  groups.terms.assign(count, 1);
  groups.roundings.assign(count, 0);
  groups.factors.resize(count);
  groups.total.assign(count, 0);
  groups.root.resize(count);
  for (std::uint32_t number = 0; number < count; ++number) {
    groups.root[number] = number;
    if (graph.nodes[number].kind == Kind::constant) groups.stored[number] = false;
    if (is_group_kind(graph.nodes[number].kind)) count_terms(graph, groups, number);
  }
  for (std::uint32_t reader = count; reader-- > 0;) {
    for (std::uint32_t operand : graph.nodes[reader].operands) {
      if (!inside_group(graph, groups, operand, reader)) continue;
      groups.stored[operand] = false;
      groups.root[operand] = groups.root[reader];
    }
  }
  for (std::uint32_t number = 0; number < count; ++number) {
    if (!is_group_kind(graph.nodes[number].kind) || groups.root[number] != number) continue;
    const std::uint64_t terms = groups.terms[number], roundings = groups.roundings[number];
    groups.total[number] = terms > 1 || roundings > 0 ? terms + roundings : 0;
  }
  return groups;
}

}  // namespace outward
