// The error box of a sum group under numerical policies: the formula of certificates/FORMAT.md section 3 with the terms
// that other policies than fp32_any and fp64_any add. DESIGN section 7. Every function rounds outward.
//
// For a group with N = T + Q roundings, absolute sums S and magnitude P (FORMAT.md section 3):
//     |computed − exact| <= relative(N, T)·S + absolute(T, Q)·P.
// Sources: certificates/FORMAT.md section 3 (any order, any fusion); rounding other than to nearest: u and η doubled;
// operands rounded first: (1 + u_o)² − 1 for the two factors of a product; flush-to-zero: every operation, every
// operand and every constant loses at most the least normal number λ, and what is lost is multiplied by at most P on
// its way out; at most T·(Q + 2) operations on products and T additions happen, on T·(Q + 3) operands and constants;
// twice that, so that later roundings are paid for too. Tensor core blocks: Khattak and Mikaitis' model, see
// BlockModel.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "formats/directed.hpp"
#include "formats/format.hpp"
#include "runtime/capsules/policy.hpp"

namespace outward {

struct PolicyError {
  double u = 0;                           // unit roundoff of the widest error: of the format and the accumulator
  double eta = 0;                         // spacing of subnormals
  double omega = infinity;                // partial sums must stay below: half the overflow threshold and less
  double operand_u = 0, operand_eta = 0;  // of operands rounded before they are multiplied
  double flushed = 0;                     // λ, or 0 if nothing is flushed
  bool widened = false;                   // there is an accumulator: every operation is rounded a second time
  const BlockModel* block = nullptr;
  double k_ulp = 0;

  double gamma(double n) const {
    const double nu = mul_up(n, u);
    return nu < 0.25 ? div_up(nu, sub_down(1.0, nu)) : infinity;
  }

  // (1 + u_o)² − 1: what rounding both factors of a product loses, also where nothing else is rounded.
  double factors() const { return add_up(mul_up(2, operand_u), mul_up(operand_u, operand_u)); }

  // Multiplies S. Infinite when the sum is too long to say anything.
  double relative(std::uint64_t n, std::uint64_t terms) const {
    const double rounded = static_cast<double>(n);
    const double g = gamma(widened ? 2 * rounded + 2 : rounded);
    double out = g;
    if (operand_u > 0) out = add_up(out, mul_up(factors(), add_up(1, g)));
    if (block) {
      const double steps = std::ceil(static_cast<double>(terms) / block->products) + 1;
      const double lost = add_up(mul_up(block->products + 1, std::ldexp(1.0, -block->extra_bits)), 1.0 + 0x1p-20);
      const double c = mul_up(mul_up(steps, 0x1p-23), lost);
      if (!(c < 0.5)) return infinity;
      out = add_up(out, mul_up(div_up(c, sub_down(1.0, c)), add_up(1, out)));
    }
    return out;
  }

  // Multiplies P. only_moves: the group holds nothing but index maps.
  double absolute(std::uint64_t n, std::uint64_t terms, std::uint64_t roundings, bool only_moves) const {
    const double t = static_cast<double>(terms), q = static_cast<double>(roundings);
    double out = n == 0 ? 0.0 : mul_up(mul_up(widened ? 2 * t : t, add_up(q, 2)), eta);
    if (operand_eta > 0) out = add_up(out, mul_up(mul_up(4, t), operand_eta));
    if (block) out = add_up(out, mul_up(mul_up(t, add_up(q, 2)), eta));
    if (flushed > 0 && !only_moves) out = add_up(out, mul_up(mul_up(2 * t, add_up(mul_up(3, q), 8)), flushed));
    return out;
  }

  // The same where nothing is added up: relu, clip, abs, max (exact unless something is flushed).
  double moved() const { return mul_up(2, flushed); }
  // α·x for x down to lo.
  double leaky(double alpha, double lo) const {
    const double reach = std::max(0.0, -lo);
    const double rounded = add_up(mul_up(mul_up(u, alpha), reach), eta);
    return flushed > 0 ? add_up(rounded, mul_up(flushed, add_up(2, reach))) : rounded;
  }
};

// Why there is no error box ("" if there is): formats beyond binary64, with other special values than IEEE 754 has,
// that saturate or flush by themselves; an accumulator that lacks numbers of the format; a block model, measured for
// binary32 accumulators, with another one.
inline std::string error_box_fault(const NumericalPolicy& p) {
  const auto unlike = [](const Format& f) {
    return f.exponent_bits > 11 || f.fraction_bits > 52 || f.convention != Convention::ieee || f.saturate || f.flush;
  };
  if (unlike(p.format)) return "it computes in " + format_text(p.format);
  if (p.operands && unlike(*p.operands)) return "its operands are rounded to " + format_text(*p.operands);
  if (p.accumulator) {
    const Format& a = *p.accumulator;
    if (unlike(a) || a.fraction_bits < p.format.fraction_bits || a.least_exponent() > p.format.least_exponent() ||
        a.greatest_exponent() < p.format.greatest_exponent())
      return "it accumulates in " + format_text(a);
  }
  const bool single = p.format == Format{8, 23, 127, Convention::ieee} && !p.accumulator;
  return p.reduction == Reduction::block && !single ? "a block model of binary32 accumulators" : "";
}

// REQUIRES a policy without fault and without error_box_fault.
inline PolicyError policy_error(const NumericalPolicy& p) {
  PolicyError e;
  const auto spacing = [](const Format& f) {
    return std::ldexp(1.0, static_cast<int>(std::max<std::int64_t>(f.least_exponent() - f.fraction_bits, -1074)));
  };
  const double directed = p.rounding == Rounding::nearest_even || p.rounding == Rounding::nearest_away ? 1 : 2;
  e.u = directed * std::ldexp(1.0, -p.format.precision());
  e.eta = directed * spacing(p.format);
  e.omega = std::ldexp(1.0, static_cast<int>(p.format.greatest_exponent()));
  if (p.accumulator) {
    e.widened = true;
    e.u = std::max(e.u, directed * std::ldexp(1.0, -p.accumulator->precision()));
    e.eta = std::max(e.eta, directed * spacing(*p.accumulator));
    e.omega = std::min(e.omega, std::ldexp(1.0, static_cast<int>(p.accumulator->greatest_exponent())));
  }
  if (p.operands) {
    e.operand_u = directed * std::ldexp(1.0, -p.operands->precision());
    e.operand_eta = directed * spacing(*p.operands);
    e.omega = std::min(e.omega, std::ldexp(1.0, static_cast<int>(p.operands->greatest_exponent())));
  }
  if (p.subnormals == Subnormals::flush) {
    std::int64_t least = p.format.least_exponent();
    if (p.operands) least = std::max(least, p.operands->least_exponent());
    if (p.accumulator) least = std::max(least, p.accumulator->least_exponent());
    e.flushed = std::ldexp(1.0, static_cast<int>(least));
  }
  e.block = p.reduction == Reduction::block ? block_model(p.block) : nullptr;
  e.k_ulp = p.k_ulp;
  return e;
}

// A box that contains those of both.
inline PolicyError worst_of(PolicyError a, const PolicyError& b) {
  a.u = std::max(a.u, b.u);
  a.eta = std::max(a.eta, b.eta);
  a.omega = std::min(a.omega, b.omega);
  a.operand_u = std::max(a.operand_u, b.operand_u);
  a.operand_eta = std::max(a.operand_eta, b.operand_eta);
  a.flushed = std::max(a.flushed, b.flushed);
  a.widened = a.widened || b.widened;
  a.k_ulp = std::max(a.k_ulp, b.k_ulp);
  // Of two models the one that loses more per term.
  const auto lost = [](const BlockModel* m) {
    return m == nullptr ? 0.0 : std::ldexp(static_cast<double>(m->products + 1) / m->products, -m->extra_bits);
  };
  if (lost(b.block) > lost(a.block)) a.block = b.block;
  return a;
}

}  // namespace outward
