// The rounding of one operation over a box: exact where it provably is, otherwise half a unit of the largest binade;
// see box.hpp.
#include "bounds/roundoff/fpcore/box.hpp"

namespace outward::fpcore {
namespace {

// The exponent of a constant that is a power of two; nullptr semantics by `found`.
struct PowerOfTwo {
  bool found = false;
  int exponent = 0;
};
PowerOfTwo power_of_two(const Node& node) {
  if (node.op != Op::constant || node.computed.lo != node.computed.hi || node.computed.lo == 0) return {};
  const double magnitude = std::fabs(node.computed.lo);
  const int exponent = floor_log2_of(magnitude);
  return {magnitude == power_of_two_up(exponent), exponent};
}

// A power of two that divides the exact result; any_grid for zero, INT-like low value when there is none.
constexpr int no_grid = -(1 << 28);
int sum_of_grids(int a, int b) { return a == any_grid || b == any_grid ? any_grid : std::max(a + b, no_grid); }

}  // namespace

// Whether every number of the operand's format is one of the node's.
bool BoxAnalysis::fits(const Node& operand, const Node& node) const {
  if (operand.format == node.format) return true;
  const FormatModel& from = formats_[static_cast<std::size_t>(operand.format)];
  const FormatModel& to = formats_[static_cast<std::size_t>(node.format)];
  return from.precision <= to.precision && from.lowest_grid >= to.lowest_grid;
}

void BoxAnalysis::round_result(int k) {
  const Node& node = core_.nodes[static_cast<std::size_t>(k)];
  NodeState& at = states_[static_cast<std::size_t>(k)];
  const FormatModel& rounding = format(k);
  const int a = operand(node, 0).grid;
  const int b = operand(node, node.count > 1 ? 1 : 0).grid;
  int exact_grid = no_grid;
  switch (node.op) {
    case Op::add:
    case Op::subtract:
    case Op::minimum:
    case Op::maximum:
      exact_grid = std::min(a, b);
      break;
    case Op::multiply:
      exact_grid = sum_of_grids(a, b);
      break;
    case Op::fused_multiply_add:
      exact_grid = std::min(sum_of_grids(a, b), operand(node, 2).grid);
      break;
    case Op::negate:
    case Op::absolute:
    case Op::cast:
      exact_grid = a;
      break;
    default:
      break;
  }
  at.local = local_error(node, at, exact_grid);
  if (node.op == Op::function || node.op == Op::power) {
    at.computed = widened(at.before, at.local);
    exact_grid = no_grid;
  } else {
    at.computed = rounding.rounded(at.before);
  }
  // Rounding to nearest keeps multiples of 2^g multiples of it.
  at.grid = std::max(exact_grid, rounding.grid(at.computed.least_magnitude()));
  if (at.computed.lo == 0 && at.computed.hi == 0) at.grid = any_grid;
}

double BoxAnalysis::local_error(const Node& node, const NodeState& at, int exact_grid) const {
  const FormatModel& rounding = formats_[static_cast<std::size_t>(node.format)];
  const double largest = at.before.magnitude();
  const double half = rounding.half_unit(largest);
  if (node.op == Op::function || node.op == Op::power) return mul_up(mul_up(2, half), model_.function_ulps);
  if (largest == 0 || rounding.holds(exact_grid, largest)) return 0;
  const Node& first = core_.nodes[static_cast<std::size_t>(node.operands[0])];
  const Node& second = core_.nodes[static_cast<std::size_t>(node.operands[node.count > 1 ? 1 : 0])];
  if (!fits(first, node) || !fits(second, node)) return half;
  const Span &x = operand(node, 0).computed, &y = operand(node, node.count > 1 ? 1 : 0).computed;
  switch (node.op) {
    case Op::add:
    case Op::subtract: {
      // Sterbenz: y/2 <= x <= 2 y for every pair (of one sign, or of opposite signs in a sum).
      const Span left = absolute(x), right = absolute(y);
      const bool cancels = node.op == Op::subtract ? (x.lo > 0 && y.lo > 0) || (x.hi < 0 && y.hi < 0)
                                                   : (x.lo > 0 && y.hi < 0) || (x.hi < 0 && y.lo > 0);
      if (cancels && left.hi <= 2 * right.lo && right.hi <= 2 * left.lo) return 0;
      // Either operand is a candidate for the result.
      return std::min({half, left.hi, right.hi});
    }
    case Op::multiply:
    case Op::divide: {
      // Scaling by a power of two is exact but for what becomes subnormal.
      PowerOfTwo scale = power_of_two(second);
      if (node.op == Op::divide) scale.exponent = -scale.exponent;
      if (node.op == Op::multiply && !scale.found) scale = power_of_two(first);
      if (!scale.found) return half;
      if (scale.exponent >= 0 || at.before.least_magnitude() >= rounding.least_normal) return 0;
      return std::min(half, power_of_two_up(rounding.lowest_grid - 1));
    }
    case Op::negate:
    case Op::absolute:
    case Op::minimum:
    case Op::maximum:
    case Op::cast:
      return 0;
    default:
      return half;
  }
}

}  // namespace outward::fpcore
