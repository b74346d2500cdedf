// The adjoint pass: enclosures of J_k, and the bound sum |J_k| r_k; see box.hpp.
#include "bounds/roundoff/fpcore/box.hpp"

namespace outward::fpcore {

void BoxAnalysis::adjoints(BoxBound& out) {
  const Form one = forms_.constant({1, 1});
  std::fill(reached_.begin(), reached_.end(), char{0});
  Form bound = forms_.constant({0, 0}), known = bound;  // sum |J_k| r_k, and sum J_c e_c of known errors of constants
  adjoint_[static_cast<std::size_t>(core_.root)] = one;
  reached_[static_cast<std::size_t>(core_.root)] = 1;
  const auto symbols = std::min<std::size_t>(core_.variables.size(), most_symbols);
  for (int k = core_.root; k >= 0; --k) {
    const auto at = static_cast<std::size_t>(k);
    if (!reached_[at]) continue;
    const Node& node = core_.nodes[at];
    const NodeState& state = states_[at];
    const Form& adjoint = adjoint_[at];
    if (node.op == Op::constant) {
      shares_[at] = mul_up(node.error.magnitude(), adjoint.range.magnitude());
      if (node.error.magnitude() > 0) known = forms_.add(known, forms_.multiply(adjoint, forms_.constant(node.error)));
      continue;
    }
    if (state.local > 0) {
      const double steepest = adjoint.range.magnitude();
      shares_[at] = mul_up(state.local, steepest);
      bound = forms_.add(bound, forms_.scale(forms_.absolute_above(adjoint), state.local));
      // What a split may gain: the variation of J_k, and smaller binades of the value.
      const double size = state.before.magnitude();
      const bool steps = format(k).half_unit(state.before.least_magnitude()) < format(k).half_unit(size);
      for (std::size_t i = 0; i < symbols; ++i) {
        double gain = state.local * std::fabs(adjoint.a[i]);
        if (steps && size > 0) gain += state.local * steepest * (std::fabs(state.value.a[i]) / size);
        if (gain < infinity) gains_[i] += gain;
      }
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(node.count); ++i) {
      const auto below = static_cast<std::size_t>(node.operands[i]);
      const bool plain = node.op == Op::add || node.op == Op::cast || (node.op == Op::subtract && i == 0) ||
                         (node.op == Op::fused_multiply_add && i == 2);
      const bool turned = node.op == Op::negate || (node.op == Op::subtract && i == 1);
      const Form part = plain ? adjoint : turned ? forms_.negate(adjoint) : forms_.multiply(adjoint, state.partials[i]);
      adjoint_[below] = reached_[below] ? forms_.add(adjoint_[below], part) : part;
      reached_[below] = 1;
    }
  }
  const Form all = forms_.add(bound, forms_.absolute_above(known));
  out.taylor = forms_.upper(all);
  for (std::size_t i = 0; i < symbols; ++i) out.slope[i] = all.a[i];
  if (!(out.value.least_magnitude() > 0)) return;
  const Form& root = states_[static_cast<std::size_t>(core_.root)].exact;
  out.relative_taylor = forms_.upper(forms_.multiply(all, forms_.reciprocal(forms_.absolute_above(root))));
}

}  // namespace outward::fpcore
