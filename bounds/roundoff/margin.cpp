#include "bounds/roundoff/margin.hpp"

#include <numeric>

#include "bounds/forward.hpp"
#include "bounds/roundoff/adjoint.hpp"
#include "bounds/sweep.hpp"

namespace outward::roundoff {
namespace {

State swept(const Network& net, Semantics semantics, Sweeper& sweeper, const std::vector<double>& lo,
            const std::vector<double>& hi) {
  State state(net, semantics);
  set_input_range(net, state, {lo, hi});
  std::vector<std::uint32_t> ids(net.size(), no_slopes);
  ProofObserver nobody;
  sweeper.run(state, nobody, {true, false}, ids);
  return state;
}

}  // namespace

std::vector<Margin> margins(const Network& net, Semantics semantics, const std::vector<double>& lo,
                            const std::vector<double>& hi) {
  Sweeper sweeper(net, {});
  const State computed = swept(net, semantics, sweeper, lo, hi);
  if (!computed.overflow.empty()) return {};
  const State own = swept(net, Semantics::real, sweeper, lo, hi);
  // The same scope without its error boxes: they are part of what a coefficient costs.
  State real = computed;
  for (std::uint32_t k = 0; k < net.size(); ++k) {
    for (std::size_t i = 0; i < real.delta[k].size() && i < real.cost[k].size(); ++i)
      real.cost[k][i] -= real.delta[k][i];
    real.delta[k].clear();
  }
  const auto outputs = static_cast<std::uint32_t>(net.node(net.graph.output).size);
  std::vector<std::uint32_t> elements(outputs);
  std::iota(elements.begin(), elements.end(), 0U);
  std::vector<double> with(outputs), without(outputs), alone(outputs);
  sweeper.engine.unit_bounds(computed, net.graph.output, elements, 1, with);
  sweeper.engine.unit_bounds(real, net.graph.output, elements, 1, without);
  sweeper.engine.unit_bounds(own, net.graph.output, elements, 1, alone);
  NumericalPolicy policy;
  policy.reduction = Reduction::any_order_any_fusion;
  const Program program = program_of(net.graph, Arithmetic(policy));
  std::vector<Margin> out;
  for (std::uint32_t j = 0; j < outputs; ++j) {
    Margin m{j, without[j], with[j], 0, alone[j] - without[j], box_shares(program, computed, net.graph.output, j, 1)};
    m.shares = std::accumulate(m.share.begin(), m.share.end(), 0.0);
    out.push_back(std::move(m));
  }
  return out;
}

}  // namespace outward::roundoff
