// What a run has to know before it starts: orders of sums, constants as formats hold them; see execution.hpp.
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

// Weights of contractions as factors, everything else as stored numbers.
std::vector<double> held_constants(const Operator& op, const Arithmetic& a) {
  std::vector<double> out;
  std::size_t weights = 0;
  if (op.code == OpCode::dense || op.code == OpCode::conv) {
    const std::int64_t bias = bias_of(op, 0);
    weights = bias < 0 ? op.payload.size() : static_cast<std::size_t>(bias);
  }
  for (const double c : op.payload) out.push_back((out.size() < weights ? a.factors : a.values).round(c));
  return out;
}

bool can_run(const Program& program) {
  const auto known = [](const FormatModel& f) { return f.emulable || f.format == binary(11, 52); };
  for (const Arithmetic& a : program.arithmetics)
    if (!known(a.values) || !known(a.sums) || !known(a.factors)) return false;
  return true;
}

HeldConstants held_constants(const Program& program) {
  HeldConstants out;
  for (std::uint32_t k = 0; k < program.operators.size(); ++k) {
    out.push_back(held_constants(program.operators[k], program.arithmetic_of(k)));
  }
  return out;
}

}  // namespace outward::roundoff
