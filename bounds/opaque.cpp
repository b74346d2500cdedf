#include "bounds/opaque.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bounds/function_lines.hpp"
#include "formats/directed.hpp"
#include "runtime/cpu/element_functions.hpp"

namespace outward {
namespace {

struct Ends {
  double lo, hi;
};
constexpr Ends everything{-infinity, infinity};

Ends hull(const Ends& a, const Ends& b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Ends product_of(const Ends& x, const Ends& y) {
  Ends out{infinity, -infinity};
  for (const double a : {x.lo, x.hi})
    for (const double b : {y.lo, y.hi}) {
      const bool nothing = a == 0 || b == 0;  // 0 times an unbounded end is 0
      out = hull(out, {nothing ? 0 : mul_down(a, b), nothing ? 0 : mul_up(a, b)});
    }
  return out;
}

Ends quotient_of(const Ends& x, const Ends& y) {
  if (y.lo <= 0 && y.hi >= 0) return everything;
  Ends out{infinity, -infinity};
  for (const double a : {x.lo, x.hi})
    for (const double b : {y.lo, y.hi})
      out = std::isinf(b) ? hull(out, {0, 0}) : hull(out, {a == 0 ? 0 : div_down(a, b), a == 0 ? 0 : div_up(a, b)});
  return out;
}

double number(const Value& x) {
  static const Format format{11, 52, 1023, Convention::ieee};
  return std::bit_cast<double>(encode(format, x).convert_to<std::uint64_t>());
}

Ends image_of(ElementFunction function, const Ends& x) {
  static const Format format{11, 52, 1023, Convention::ieee};
  if (!std::isfinite(x.lo) || !std::isfinite(x.hi)) return everything;
  const auto value = [](double v) { return decode(format, Integer(std::bit_cast<std::uint64_t>(v))); };
  const std::optional<Interval> y = evaluate(function, Interval(value(x.lo), value(x.hi)), format);
  return y ? Ends{number(y->lower()), number(y->upper())} : everything;
}

// Of what may be flushed to zero there may be left a zero.
Ends flushed(const Ends& x, double least) {
  if (!(least > 0) || x.lo >= least || x.hi <= -least) return x;
  return hull(x, {0, 0});
}

// One rounding to nearest (or to a neighbour, u and eta being those of it).
Ends rounded(const Ends& x, double u, double eta) {
  if (!std::isfinite(x.lo) || !std::isfinite(x.hi)) return everything;
  return {sub_down(x.lo, add_up(mul_up(u, std::fabs(x.lo)), eta)),
          add_up(x.hi, add_up(mul_up(u, std::fabs(x.hi)), eta))};
}

std::string unstated(const Node& node) {
  return std::string("how exact ") + op_name(node) + " is at " + node.origin +
         " no standard says; a plan (--profile) has a kernel that does";
}

}  // namespace

std::string unstated_accuracy(const Network& net, Semantics semantics) {
  if (semantics == Semantics::real) return "";
  for (std::uint32_t k = 0; k < net.size(); ++k)
    if (is_by_ulps(net.node(k)) && (semantics != Semantics::capsule || net.errors[k].k_ulp == 0))
      return unstated(net.node(k));
  return "";
}

void opaque_range(const Network& net, State& state, std::uint32_t k, std::vector<double>& lo, std::vector<double>& hi) {
  const Node& node = net.node(k);
  PolicyError error;
  error.u = state.model.u;
  error.eta = state.model.eta;
  if (state.semantics == Semantics::capsule) error = net.errors[k];
  const bool same = node.operands.size() == 2 && node.operands[0] == node.operands[1];
  const bool by_ulps = is_by_ulps(node);
  if (state.model.is_float && by_ulps && error.k_ulp == 0 && state.overflow.empty()) state.overflow = unstated(node);
  const auto k_ulp = static_cast<std::uint32_t>(error.k_ulp);
  const auto operand = [&](std::size_t which, std::size_t i) -> Ends {
    const Range& r = state.range[node.operands[which]];
    return {r.lo[i], r.hi[i]};
  };
  const auto apply = [&](const Ends& x, const Ends& y) {
    if (node.kind == Kind::quotient) return quotient_of(x, y);
    Ends out = product_of(x, y);
    if (same) out.lo = std::max(out.lo, 0.0);
    return out;
  };
  Lines lines;
  for (std::size_t i = 0; i < node.size; ++i) {
    const Ends x = operand(0, i);
    Ends y;
    if (node.kind == Kind::function) {
      const Ends image = y = image_of(element_function(node), x);
      if (state.model.is_float) {
        const Ends seen = flushed(x, error.flushed);
        Ends executed = image_of(element_function(node), seen);  // floor, ceil and round are exact
        if (element_function(node) == ElementFunction::sqrt) executed = rounded(executed, error.u, error.eta);
        if (by_ulps) {
          const auto ends = evaluate(element_function(node), seen.lo, seen.hi, net.graph.element, k_ulp);
          executed = ends ? Ends{ends->first, ends->second} : everything;
        }
        y = hull(y, flushed(executed, error.flushed));
      }
      ElementLines line{0, y.lo, 0, y.hi};
      if (std::isfinite(image.hi - image.lo) && !(error.flushed > 0)) {
        const double size = std::max(std::fabs(image.lo), std::fabs(image.hi));
        // An ulp is at most 2u times the size of the value, or the least subnormal.
        const double halves = by_ulps ? 2 * error.k_ulp : element_function(node) == ElementFunction::sqrt ? 1 : 0;
        const double off = state.model.is_float ? mul_up(halves, add_up(mul_up(error.u, size), error.eta)) : 0;
        line = function_lines(element_function(node), x.lo, x.hi, image.lo, image.hi, off);
      }
      lines.lower_slope.push_back(line.lower_slope);
      lines.lower_offset.push_back(line.lower_offset);
      lines.upper_slope.push_back(line.upper_slope);
      lines.upper_offset.push_back(line.upper_offset);
    } else {
      const Ends z = operand(1, i);
      y = apply(x, z);
      if (state.model.is_float) {
        const Ends exact = apply(flushed(x, error.flushed), flushed(z, error.flushed));
        y = hull(y, flushed(rounded(exact, error.u, error.eta), error.flushed));
      }
    }
    lo.push_back(y.lo);
    hi.push_back(y.hi);
  }
  if (node.kind == Kind::function) state.lines[k] = std::move(lines);
}

}  // namespace outward
