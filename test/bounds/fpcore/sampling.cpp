#include "test/bounds/fpcore/sampling.hpp"

#include <string>

#include "formats/elementary/functions.hpp"
#include "formats/operations.hpp"
#include "formats/rounded.hpp"

namespace outward::fpcore_test {
namespace {

using elementary::Enclosure;
using fpcore::Node;
using fpcore::Op;

constexpr elementary::Bits bits = 300;

bool has_zero(const Enclosure& x) { return x.lo.mantissa.sign() <= 0 && x.hi.mantissa.sign() >= 0; }

Enclosure of_function(Function function, const Enclosure& x) {
  const Enclosure a = elementary::enclose(function, x.lo, bits), b = elementary::enclose(function, x.hi, bits);
  return elementary::hull(a, b);
}

Enclosure powered(const Enclosure& x, long n) {
  Enclosure out = elementary::point(elementary::one);
  for (long i = 0; i < std::abs(n); ++i) out = elementary::multiply(out, x, bits);
  return n < 0 ? elementary::divide(elementary::point(elementary::one), out, bits) : out;
}

std::optional<Enclosure> exactly(const Node& node, const Enclosure& a, const Enclosure& b, const Enclosure& c) {
  switch (node.op) {
    case Op::add:
      return elementary::add(a, b, bits);
    case Op::subtract:
      return elementary::subtract(a, b, bits);
    case Op::multiply:
      return elementary::multiply(a, b, bits);
    case Op::divide:
      if (has_zero(b)) return std::nullopt;
      return elementary::divide(a, b, bits);
    case Op::negate:
      return elementary::negated(a);
    case Op::absolute:
      if (a.lo.mantissa.sign() < 0 && a.hi.mantissa.sign() > 0)
        return Enclosure{Dyadic{}, compare(negated(a.lo), a.hi) > 0 ? negated(a.lo) : a.hi};
      return a.lo.mantissa.sign() < 0 ? elementary::negated(a) : a;
    case Op::minimum:
      return compare(a.lo, b.lo) <= 0 ? a : b;
    case Op::maximum:
      return compare(a.lo, b.lo) >= 0 ? a : b;
    case Op::square_root:
      if (a.lo.mantissa.sign() < 0) return std::nullopt;
      return elementary::square_root(a, bits);
    case Op::fused_multiply_add:
      return elementary::add(elementary::multiply(a, b, bits), c, bits);
    case Op::function: {
      const FunctionRow& row = row_of(node.function);
      if (!in_domain(row.domain, a.lo) || !in_domain(row.domain, a.hi)) return std::nullopt;
      return of_function(row.function, a);
    }
    case Op::power:
      if (node.exponent < 0 && has_zero(a)) return std::nullopt;
      return powered(a, node.exponent);
    default:
      return a;
  }
}

Value computed(const Node& node, const Format& format, const Value& a, const Value& b, const Value& c) {
  Flags flags;
  constexpr Rounding nearest = Rounding::nearest_even;
  switch (node.op) {
    case Op::add:
      return add(format, a, b, nearest, flags);
    case Op::subtract:
      return subtract(format, a, b, nearest, flags);
    case Op::multiply:
      return multiply(format, a, b, nearest, flags);
    case Op::divide:
      return divide(format, a, b, nearest, flags);
    case Op::negate:
      return convert(format, negate(format, a), nearest, flags);
    case Op::absolute:
      return convert(format, absolute(format, a), nearest, flags);
    case Op::minimum:
      return minimum(format, a, b, nearest, flags);
    case Op::maximum:
      return maximum(format, a, b, nearest, flags);
    case Op::square_root:
      return square_root(format, a, nearest, flags);
    case Op::fused_multiply_add:
      return fused_multiply_add(format, a, b, c, nearest, flags);
    case Op::function:
      return elementary_function(format, node.function, a, nearest, flags);
    case Op::power:
      return power(format, a, node.exponent, nearest, flags);
    default:
      return convert(format, a, nearest, flags);
  }
}

}  // namespace

std::optional<std::vector<NodeValue>> run(const fpcore::Core& core, const std::vector<Rational>& inputs) {
  std::vector<NodeValue> values(core.nodes.size());
  for (std::size_t k = 0; k < core.nodes.size(); ++k) {
    const Node& node = core.nodes[k];
    const Format& format = core.formats[static_cast<std::size_t>(node.format)];
    NodeValue& out = values[k];
    Flags flags;
    if (node.op == Op::variable) {
      const Rational& x = inputs[static_cast<std::size_t>(node.variable)];
      out.exact = elementary::enclose(x, bits);
      out.before = x;
      out.computed = round(format, x, Rounding::nearest_even, flags);
    } else if (node.op == Op::constant) {
      // By the error, which is known to 53 bits of its own.
      const Rational number = exact(node.computed.lo);
      out.exact = elementary::hull(elementary::enclose(number - exact(node.error.hi), bits),
                                   elementary::enclose(number - exact(node.error.lo), bits));
      out.computed = round(format, exact(node.computed.lo), Rounding::nearest_even, flags);
      out.before = exact(node.computed.lo);
    } else {
      const NodeValue& a = values[static_cast<std::size_t>(node.operands[0])];
      const NodeValue& b = values[static_cast<std::size_t>(node.operands[node.count > 1 ? 1 : 0])];
      const NodeValue& c = values[static_cast<std::size_t>(node.operands[node.count > 2 ? 2 : 0])];
      const auto value = exactly(node, a.exact, b.exact, c.exact);
      const auto point = [](const NodeValue& x) { return elementary::point(dyadic_of(x.computed)); };
      const auto before = exactly(node, point(a), point(b), point(c));
      if (!value || !before) return std::nullopt;
      out.exact = *value;
      out.before = to_rational(before->lo);
      out.computed = computed(node, format, a.computed, b.computed, c.computed);
    }
    if (!out.computed.is_finite()) return std::nullopt;
    out.computed_number = to_rational(out.computed);
  }
  return values;
}

Rational error_below(const NodeValue& value) {
  const Rational lo = to_rational(value.exact.lo), hi = to_rational(value.exact.hi);
  if (value.computed_number > hi) return value.computed_number - hi;
  if (value.computed_number < lo) return lo - value.computed_number;
  return 0;
}

Rational random_input(const fpcore::Variable& variable, const Format& format, std::mt19937_64& random,
                      const double* centre) {
  const Rational lo = exact(variable.range.lo), hi = exact(variable.range.hi);
  const auto part = [&] { return Rational(static_cast<std::int64_t>(random() >> 24), std::int64_t{1} << 40); };
  Rational x = lo + (hi - lo) * part();
  const Rational small = part() / (std::int64_t{1} << (random() % 50));
  if (centre) x = exact(*centre) + (random() % 2 == 0 ? small : -small) * (hi - lo) / 1024;
  switch (centre ? 4 : random() % 5) {
    case 0:
      x = lo + (hi - lo) * small;
      break;
    case 1:
      x = hi - (hi - lo) * small;
      break;
    case 2:
      if (!x.is_zero()) {
        const Rational sign = x < 0 ? -1 : 1;
        Rational power = 1;
        while (power * 2 <= abs(x)) power *= 2;
        while (power > abs(x)) power /= 2;
        x = sign * power * (1 + (random() % 2 == 0 ? small : -small) / 64);
      }
      break;
    default:
      break;
  }
  if (random() % 3 != 0 && !x.is_zero()) {
    // Next to a tie: the rounding of the input is nearly half a unit.
    Flags flags;
    const Value down = round(format, x, Rounding::toward_zero, flags);
    const Value away = next_up(format, absolute(format, down), flags).value_or(down);
    if (down.is_finite() && away.is_finite()) {
      const Rational near = abs(to_rational(down)), far = abs(to_rational(away));
      const Rational half = (near + far) / 2, nudge = (far - near) / 1024;
      const Rational magnitude = random() % 2 == 0 ? Rational(half - nudge) : Rational(half + nudge);
      x = x < 0 ? Rational(-magnitude) : magnitude;
    }
  }
  return x < lo ? lo : x > hi ? hi : x;
}

}  // namespace outward::fpcore_test
