#include "bounds/roundoff/observe.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace outward::roundoff {

Program in_binary64(const Program& program) {
  Program out = program;
  NumericalPolicy policy;
  policy.format = binary(11, 52);
  policy.reduction = Reduction::any_order_any_fusion;
  Arithmetic wide(policy);
  wide.function_ulps = 4;  // of the C library, generously
  out.arithmetics = {wide};
  std::fill(out.arithmetic.begin(), out.arithmetic.end(), 0U);
  return out;
}

Observed observe(const Program& program, const Program& reference, const Analysis& analysis,
                 const std::vector<double>& bounds, const Box& box, const ObserveOptions& options) {
  Observed out;
  out.output.assign(bounds.size(), 0.0);
  out.of_operator.assign(program.operators.size(), 0.0);
  if (!can_run(program)) {
    out.skipped = "no fast run in this format";
    return out;
  }
  for (const RunOrder order : covered_orders(program)) out.orders.push_back({order});
  std::mt19937_64 random(options.seed);
  const HeldConstants held = held_constants(program), held_exact = held_constants(reference);
  Analysis own;
  std::vector<double> own_output;
  const auto refer = [&](const Box& where) {
    own = analyse(reference, where);
    own_output.clear();
    if (has_slopes(reference, reference.output))
      own_output = end_to_end(reference, own).best;
    else
      for (const Quantity& q : own.at[reference.output].out) own_output.push_back(q.error);
  };
  const bool common = has_slopes(reference, reference.output) && backward_work(reference, reference.output) > 2000;
  if (common) refer({box.lo, box.hi, false});
  std::vector<double> x(box.lo.size());
  for (std::uint64_t sample = 0; sample < options.inputs; ++sample) {
    bool inside = true;
    const bool special = sample < 3 || sample % 4 == 3;  // centre, ends, corners
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double t = sample == 0   ? 0.5
                       : sample == 1 ? 0.0
                       : sample == 2 ? 1.0
                       : special     ? static_cast<double>(random() & 1U)
                                     : static_cast<double>(random() >> 11) * 0x1p-53;
      x[i] = std::clamp(box.lo[i] + t * (box.hi[i] - box.lo[i]), box.lo[i], box.hi[i]);
      // Where inputs are numbers of the format they are.
      if (!box.rounded) x[i] = program.arithmetic_of(0).values.round(x[i]);
      inside = inside && box.lo[i] <= x[i] && x[i] <= box.hi[i];
    }
    if (!inside) continue;  // rounded out of the box: no point of it
    // How far the reference may be off: at this very point where that is cheap, else anywhere in the box.
    if (!common) refer({x, x, false});
    const Run exact = run(reference, x, RunOrder::sequential, 1, false, &held_exact);
    const std::uint64_t repeats = special ? 1 : std::max<std::uint64_t>(1, options.trees);
    for (std::size_t turn = 0; turn < out.orders.size() + repeats - 1; ++turn) {
      // The random tree is the last of the orders: it is drawn again and again.
      Observed::Order& order = out.orders[std::min(turn, out.orders.size() - 1)];
      if (turn >= out.orders.size() && order.order != RunOrder::random_tree) break;
      const Run computed = run(program, x, order.order, random(), order.order != RunOrder::sequential, &held);
      ++out.runs;
      if (!computed.finite || !exact.finite) {
        ++out.not_finite;
        // The analysis excluded overflow: a run that overflows all the same is beyond every bound.
        if (exact.finite && analysis.overflow.empty()) ++out.violations;
        continue;
      }
      for (std::size_t j = 0; j < bounds.size(); ++j) {
        const double error = std::max(
            0.0, std::fabs(computed.values[program.output][j] - exact.values[reference.output][j]) - own_output[j]);
        out.output[j] = std::max(out.output[j], error);
        order.worst = std::max(order.worst, error);
        if (!(error <= bounds[j])) ++out.violations;
      }
      for (std::uint32_t k = 0; k < program.operators.size(); ++k) {
        if (!program.root.empty() && program.root[k] != k) continue;  // inside a fused sum: no value of its own
        for (std::size_t i = 0; i < program.operators[k].size; ++i) {
          const double error =
              std::max(0.0, std::fabs(computed.values[k][i] - exact.values[k][i]) - own.at[k].out[i].error);
          out.of_operator[k] = std::max(out.of_operator[k], error);
          if (!(error <= analysis.at[k].out[i].error)) ++out.violations;
        }
      }
    }
  }
  return out;
}

}  // namespace outward::roundoff
