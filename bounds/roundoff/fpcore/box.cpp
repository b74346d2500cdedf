// Ranges, forms and partial derivatives of every node, operands first; see box.hpp.
#include "bounds/roundoff/fpcore/box.hpp"

#include "bounds/roundoff/fpcore/functions.hpp"

namespace outward::fpcore {
namespace {

// The exact operation on spans, for the values that the machine operates on.
Span on_spans(const Node& node, const Span& a, const Span& b, const Span& c) {
  const bool same = node.count > 1 && node.operands[0] == node.operands[1];
  switch (node.op) {
    case Op::add:
      return add(a, b);
    case Op::subtract:
      return same ? Span{0, 0} : subtract(a, b);
    case Op::multiply:
      return same ? square(a) : multiply(a, b);
    case Op::divide:
      return divide(a, b);
    case Op::negate:
      return -a;
    case Op::absolute:
      return absolute(a);
    case Op::minimum:
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case Op::maximum:
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Op::square_root:
      return square_root(a);
    case Op::fused_multiply_add:
      return add(same ? square(a) : multiply(a, b), c);
    case Op::function:
      return function_range(node.function, a);
    case Op::power:
      return power(a, node.exponent);
    default:
      return a;
  }
}

}  // namespace

BoxAnalysis::BoxAnalysis(const Core& core, const ErrorModel& model)
    : core_(core),
      model_(model),
      forms_(std::min(static_cast<int>(core.variables.size()), most_symbols)),
      states_(core.nodes.size()),
      adjoint_(core.nodes.size()),
      reached_(core.nodes.size()),
      shares_(core.nodes.size()),
      gains_(core.variables.size()) {
  for (const Format& format : core.formats) formats_.emplace_back(format);
  const Form one = forms_.constant({1, 1});
  for (std::size_t k = 0; k < core.nodes.size(); ++k) {
    NodeState& at = states_[k];
    at.partials = {one, core.nodes[k].op == Op::subtract ? forms_.negate(one) : one, one};
    if (core.nodes[k].op == Op::negate) at.partials[0] = forms_.negate(one);
  }
}

const FormatModel& BoxAnalysis::format(int node) const {
  return formats_[static_cast<std::size_t>(core_.nodes[static_cast<std::size_t>(node)].format)];
}

BoxBound BoxAnalysis::bound(std::span<const Span> box) {
  BoxBound out;
  std::fill(gains_.begin(), gains_.end(), 0.0);
  std::fill(shares_.begin(), shares_.end(), 0.0);
  for (int k = 0; k <= core_.root; ++k)
    if (!forward(k, box, out)) return out;
  const NodeState& root = states_[static_cast<std::size_t>(core_.root)];
  out.value = root.exact.range;
  out.interval = root.forward;
  out.hull = width_of_hull(root);
  adjoints(out);
  out.absolute = std::min({out.taylor, out.interval, out.hull});
  const double least = out.value.least_magnitude();
  if (least > 0) out.relative = std::min(out.relative_taylor, div_up(out.absolute, least));
  return out;
}

bool BoxAnalysis::forward(int k, std::span<const Span> box, BoxBound& out) {
  const Node& node = core_.nodes[static_cast<std::size_t>(k)];
  NodeState& at = states_[static_cast<std::size_t>(k)];
  const auto fail = [&](const char* reason) {
    out.failed = k;
    out.reason = reason;
    return false;
  };
  const FormatModel& rounding = format(k);
  if (node.op == Op::constant) {
    at.exact = at.value = forms_.constant(hull(node.exact, node.computed));
    at.before = at.computed = node.computed;
    at.grid = node.grid;
    at.forward = node.error.magnitude();
    return at.value.range.bounded() ? true : fail("a constant beyond binary64");
  }
  if (node.op == Op::variable) {
    at.before = box[static_cast<std::size_t>(node.variable)];
    at.exact = forms_.variable(at.before, node.variable);
    at.local = model_.exact_inputs ? 0 : rounding.half_unit(at.before.magnitude());
    at.computed = model_.exact_inputs ? at.before : rounding.rounded(at.before);
    at.grid = rounding.grid(at.computed.least_magnitude());
  } else {
    // Before anything else: zero times an unbounded reciprocal would look like zero.
    if (node.op == Op::divide && operand(node, 1).value.range.contains_zero()) return fail("the divisor may be zero");
    evaluate(k);
    if (!at.before.bounded() || !at.exact.range.bounded()) {
      if (node.op == Op::square_root) return fail("the root of a number that may be negative");
      if (node.op == Op::function && !inside_domain(node.function, operand(node, 0).value.range))
        return fail("an operand that may be outside the domain");
      return fail("no finite range");
    }
    round_result(k);
  }
  if (at.computed.magnitude() > rounding.greatest) return fail("overflow is possible");
  at.value = at.exact;
  at.value.rest = add_up(at.value.rest, at.local);
  at.value.range = hull(at.exact.range, at.computed);
  at.forward = std::min(forward_error(node, at), width_of_hull(at));
  return true;
}

void BoxAnalysis::evaluate(int k) {
  const Node& node = core_.nodes[static_cast<std::size_t>(k)];
  NodeState& at = states_[static_cast<std::size_t>(k)];
  const NodeState& a = operand(node, 0);
  const NodeState& b = operand(node, node.count > 1 ? 1 : 0);
  const NodeState& c = operand(node, node.count > 2 ? 2 : 0);
  const Form &x = a.value, &y = b.value, &z = c.value;
  const bool same = node.count > 1 && node.operands[0] == node.operands[1];
  switch (node.op) {
    case Op::add:
      at.exact = forms_.add(x, y);
      break;
    case Op::subtract:
      at.exact = same ? forms_.constant({0, 0}) : forms_.subtract(x, y);
      break;
    case Op::multiply:
    case Op::fused_multiply_add:
      at.exact = same ? forms_.square(x) : forms_.multiply(x, y);
      if (node.op == Op::fused_multiply_add) at.exact = forms_.add(at.exact, z);
      at.partials[0] = y;
      at.partials[1] = x;
      break;
    case Op::divide: {
      const Form inverse = forms_.reciprocal(y);
      at.exact = forms_.multiply(x, inverse);
      at.exact.range = intersection(at.exact.range, divide(x.range, y.range));
      forms_.tighten(at.exact);
      at.partials[0] = inverse;
      at.partials[1] = forms_.negate(forms_.multiply(at.exact, inverse));
      break;
    }
    case Op::absolute: {
      const bool positive = x.range.lo >= 0, negative = x.range.hi <= 0;
      at.exact = positive ? x : negative ? forms_.negate(x) : forms_.constant(absolute(x.range));
      at.partials[0] = forms_.constant(positive ? Span{1, 1} : negative ? Span{-1, -1} : Span{-1, 1});
      break;
    }
    case Op::minimum:
    case Op::maximum: {
      const bool least = node.op == Op::minimum;
      const bool first = least ? x.range.hi <= y.range.lo : x.range.lo >= y.range.hi;
      const bool second = least ? y.range.hi <= x.range.lo : y.range.lo >= x.range.hi;
      at.exact = first ? x : second ? y : forms_.constant(on_spans(node, x.range, y.range, y.range));
      at.partials[0] = forms_.constant(first ? Span{1, 1} : second ? Span{0, 0} : Span{0, 1});
      at.partials[1] = forms_.constant(first ? Span{0, 0} : second ? Span{1, 1} : Span{0, 1});
      break;
    }
    case Op::square_root:
      at.exact = forms_.square_root(x);
      at.partials[0] = forms_.reciprocal(forms_.scale(at.exact, 2));
      break;
    case Op::function:
      at.exact = forms_.apply(node.function, x);
      at.partials[0] = forms_.slope(node.function, x, at.exact);
      break;
    case Op::power:
      at.exact = forms_.power(x, node.exponent);
      at.partials[0] = forms_.scale(forms_.power(x, node.exponent - 1), static_cast<double>(node.exponent));
      break;
    case Op::negate:
      at.exact = forms_.negate(x);
      break;
    default:
      at.exact = x;
  }
  // The form holds the operation on computed operands as well.
  at.before = intersection(on_spans(node, a.computed, b.computed, c.computed), at.exact.range);
}

double BoxAnalysis::width_of_hull(const NodeState& at) const {
  return std::max(sub_up(at.computed.hi, at.exact.range.lo), sub_up(at.exact.range.hi, at.computed.lo));
}

// The interval form: errors of the operands times the largest partial derivatives.
double BoxAnalysis::forward_error(const Node& node, const NodeState& at) const {
  double sum = at.local;
  for (std::size_t i = 0; i < static_cast<std::size_t>(node.count); ++i) {
    const double carried = operand(node, i).forward, steepest = at.partials[i].range.magnitude();
    double passed = carried == 0 ? 0 : mul_up(carried, steepest);
    // |sqrt x - sqrt y| <= sqrt |x - y|.
    if (node.op == Op::square_root) passed = std::min(passed, sqrt_up(carried));
    sum = add_up(sum, passed);
  }
  return sum;
}

}  // namespace outward::fpcore
