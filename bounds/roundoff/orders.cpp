// Which orders of sums a policy covers; see execution.hpp.
#include "bounds/roundoff/execution.hpp"

namespace outward::roundoff {

const char* run_order_text(RunOrder order) {
  switch (order) {
    case RunOrder::sequential:
      return "sequential";
    case RunOrder::reversed:
      return "reversed";
    case RunOrder::ascending:
      return "ascending";
    case RunOrder::pairwise:
      return "pairwise";
    case RunOrder::blocked:
      return "blocked";
    case RunOrder::fused:
      return "fused";
    case RunOrder::fused_reversed:
      return "fused reversed";
    default:
      return "random tree";
  }
}

std::vector<RunOrder> covered_orders(const NumericalPolicy& policy) {
  switch (policy.reduction) {
    case Reduction::sequential:
      return {policy.contraction == Contraction::fma ? RunOrder::fused : RunOrder::sequential};
    case Reduction::pairwise:
      return {RunOrder::pairwise};
    case Reduction::block:
      return {RunOrder::sequential};
    case Reduction::any_order:  // of all steps alike
      if (policy.contraction == Contraction::fma) return {RunOrder::fused, RunOrder::fused_reversed};
      return {RunOrder::sequential, RunOrder::reversed, RunOrder::ascending, RunOrder::pairwise};
    default:
      return {RunOrder::sequential, RunOrder::reversed, RunOrder::ascending,      RunOrder::pairwise,
              RunOrder::blocked,    RunOrder::fused,    RunOrder::fused_reversed, RunOrder::random_tree};
  }
}

std::vector<RunOrder> covered_orders(const Program& program) {
  std::vector<RunOrder> most;
  for (std::uint32_t k = 0; k < program.operators.size(); ++k) {
    std::vector<RunOrder> own = covered_orders(program.arithmetic_of(k).policy);
    if (own.size() > most.size()) most = std::move(own);
  }
  return most;
}

}  // namespace outward::roundoff
