#include "bounds/roundoff/recommend.hpp"

#include <algorithm>
#include <numeric>

#include "formats/error.hpp"

namespace outward::roundoff {
namespace {

double greatest_bound(const Graph& graph, const std::vector<Arithmetic>& arithmetics,
                      const std::vector<std::uint32_t>& of_node, const Box& box,
                      const std::vector<Quantities>& exact_of_node) {
  const Program p = program_of(graph, arithmetics, of_node);
  std::vector<Quantities> exact(p.operators.size());
  for (std::size_t k = 0; k < p.operators.size(); ++k)
    if (p.node[k] >= 0 && static_cast<std::size_t>(p.node[k]) < exact_of_node.size())
      exact[k] = exact_of_node[static_cast<std::size_t>(p.node[k])];
  const Analysis a = analyse(p, box, exact);
  if (!a.overflow.empty()) return infinity;
  const EndToEnd e = end_to_end(p, a);
  return *std::max_element(e.best.begin(), e.best.end());
}

}  // namespace

Recommendation recommend(const Graph& graph, const Arithmetic& base, const Box& box,
                         const std::vector<Quantities>& exact_of_node, const std::vector<double>& share_of_node,
                         const RecommendOptions& options) {
  Recommendation out;
  std::vector<Arithmetic> arithmetics{base};
  std::vector<std::string> names{format_text(base.values.format)};
  for (const std::string& name : options.candidates) {
    NumericalPolicy policy = base.policy;
    policy.format = parse_format(name);
    if (policy.format.width() >= base.values.format.width()) continue;
    policy.accumulator = base.sums.format;
    if (policy.accumulator == policy.format) policy.accumulator.reset();
    try {
      Arithmetic a(policy);
      a.function_ulps = base.function_ulps;
      arithmetics.push_back(std::move(a));
      names.push_back(name);
    } catch (const InputRefused&) {
      continue;  // the accumulator does not contain it
    }
  }
  std::vector<std::uint32_t> chosen(graph.nodes.size(), 0);
  out.bound = greatest_bound(graph, arithmetics, chosen, box, exact_of_node);
  out.tried = 1;
  out.reached = out.bound <= options.target;
  if (out.reached) {
    const Groups groups = find_groups(graph);
    std::vector<std::uint32_t> order(graph.nodes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return share_of_node[a] < share_of_node[b]; });
    for (const std::uint32_t k : order) {
      if (groups.root[k] != k) continue;
      for (std::uint32_t candidate = 1; candidate < arithmetics.size(); ++candidate) {
        if (out.tried >= options.tries) {
          out.complete = false;
          break;
        }
        const std::vector<std::uint32_t> before = chosen;
        for (std::uint32_t m = 0; m < chosen.size(); ++m)
          if (groups.root[m] == k) chosen[m] = candidate;
        ++out.tried;
        const double bound = greatest_bound(graph, arithmetics, chosen, box, exact_of_node);
        if (bound <= options.target) {
          out.bound = bound;
          break;
        }
        chosen = before;
      }
    }
  }
  for (const std::uint32_t k : chosen) out.format.push_back(names[k]);
  return out;
}

}  // namespace outward::roundoff
