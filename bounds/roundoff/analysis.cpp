#include "bounds/roundoff/analysis.hpp"

#include <algorithm>
#include <cmath>

#include "bounds/roundoff/sums.hpp"

namespace outward::roundoff {
namespace {

void input_errors(const Program& p, std::uint32_t k, const Box& box, OperatorErrors& e) {
  const FormatModel& f = p.arithmetic_of(k).values;
  for (std::size_t i = 0; i < p.operators[k].size; ++i) {
    Quantity q{box.lo[i], box.hi[i], 0};
    if (box.rounded) q.error = q.lo == q.hi ? f.conversion_error_up(q.lo) : f.half_ulp_up(q.magnitude());
    e.local.push_back(q.error);
    e.stored = std::max(e.stored, q.computed_magnitude());
    e.out.push_back(q);
  }
  e.largest = e.stored;
}

void constant_errors(const Program& p, std::uint32_t k, OperatorErrors& e) {
  const Operator& op = p.operators[k];
  const Constants c(op.payload, p.arithmetic_of(k).values);
  e.constants_converted = c.converted();
  for (std::size_t i = 0; i < op.size; ++i) {
    e.out.push_back({c.exact(i), c.exact(i), c.drift(i)});
    e.local.push_back(c.drift(i));
    e.stored = std::max(e.stored, e.out.back().computed_magnitude());
  }
  e.largest = e.stored;
}

bool inside(const Program& p, std::uint32_t k) { return !p.root.empty() && p.root[k] != k; }

void narrow(Quantities& out, const Quantities& known) {
  for (std::size_t i = 0; i < known.size() && i < out.size(); ++i) {
    const double lo = std::max(out[i].lo, known[i].lo), hi = std::min(out[i].hi, known[i].hi);
    if (!(lo <= hi)) continue;
    out[i].lo = lo;
    out[i].hi = hi;
  }
}

void finish(const Program& p, std::uint32_t k, OperatorErrors& e, std::string& overflow) {
  const Arithmetic& a = p.arithmetic_of(k);
  const double room = std::min(a.sums.omega / e.largest, a.values.omega / e.stored);
  e.headroom_bits = e.largest == 0 ? infinity : !(room > 0) ? -infinity : std::log2(room);
  if (!(e.largest <= a.sums.omega) || !(e.stored <= a.values.omega)) {
    if (overflow.empty())
      overflow = p.operators[k].name.empty() ? row_of(p.operators[k].code).name : p.operators[k].name;
    for (Quantity& q : e.out) q.error = infinity;
    for (double& l : e.local) l = infinity;
    e.weights = {};
  }
  for (const Quantity& q : e.out) {
    const bool zero = q.lo == 0 && q.hi == 0 && q.error == 0;
    const double lo = q.computed_lo(), hi = q.computed_hi();
    if (!zero && lo < a.values.least_normal && hi > -a.values.least_normal) ++e.subnormal;
  }
}

// A matrix product and the vector added to it are one contraction with a bias: the sharper bounds of sums.hpp hold.
// False where the group is anything else.
bool biased_product_error(const Program& p, std::uint32_t k, Analysis& analysis) {
  const Operator& shift = p.operators[k];
  if (shift.code != OpCode::shift) return false;
  const std::uint32_t inner = shift.operands[0];
  const Operator& product = p.operators[inner];
  if (product.code != OpCode::dense || p.root[inner] != k || product.ints[0] != 1 || product.ints[3] != 0) return false;
  const std::uint32_t operand = product.operands[0];
  if (p.root[operand] == k || p.moved[inner] != 1) return false;
  Operator both = product;
  both.ints[3] = 1;
  both.payload.insert(both.payload.end(), shift.payload.begin(), shift.payload.end());
  Arithmetic unstored = p.arithmetic_of(k);
  unstored.narrows = false;
  const Call call{both, {&analysis.at[operand].out}, unstored};
  Outcome outcome;
  outcome.resize(both.size);
  row_of(OpCode::dense).rule(call, outcome);
  OperatorErrors& e = analysis.at[k];
  e.local = std::move(outcome.local);
  e.largest = outcome.largest;
  e.stored = outcome.stored;
  e.underflow = outcome.underflow;
  // Where the accumulator is wider the product may be stored before the vector is added, and the sum is stored.
  const Arithmetic& a = p.arithmetic_of(k);
  for (std::size_t i = 0; i < e.local.size() && a.narrows; ++i) {
    const Quantity &inside = analysis.at[inner].out[i], &result = e.out[i];
    e.local[i] = plus(e.local[i], storing_error(plus(inside.computed_magnitude(), e.local[i]), a));
    e.local[i] = plus(e.local[i], storing_error(plus(result.computed_magnitude(), e.local[i]), a));
    e.stored = std::max(e.stored, plus(result.computed_magnitude(), e.local[i]));
  }
  return true;
}

}  // namespace

Analysis analyse(const Program& p, const Box& box, const std::vector<Quantities>& exact,
                 const std::function<void(std::uint32_t, Analysis&)>& further) {
  Analysis analysis;
  analysis.at.resize(p.operators.size());
  for (std::uint32_t k = 0; k < p.operators.size(); ++k) {
    const Operator& op = p.operators[k];
    OperatorErrors& e = analysis.at[k];
    if (op.code == OpCode::input) {
      input_errors(p, k, box, e);
    } else if (op.code == OpCode::constant) {
      constant_errors(p, k, e);
    } else {
      Call call{op, {}, p.arithmetic_of(k)};
      for (const std::uint32_t operand : op.operands) {
        call.in.push_back(&analysis.at[operand].out);
        call.weights.push_back(analysis.at[operand].weights);
      }
      Outcome outcome;
      outcome.resize(op.size);
      row_of(op.code).rule(call, outcome);
      e.largest = outcome.largest;
      e.stored = outcome.stored;
      e.underflow = outcome.underflow;
      e.constants_converted = outcome.constants_converted;
      e.weights = outcome.weights;
      e.local = std::move(outcome.local);
      for (std::size_t i = 0; i < op.size; ++i) e.out.push_back({outcome.lo[i], outcome.hi[i], outcome.propagated[i]});
      if (inside(p, k)) {
        std::fill(e.local.begin(), e.local.end(), 0.0);
      } else if (!p.roundings.empty() && p.roundings[k] > 0) {
        if (!biased_product_error(p, k, analysis)) fused_sum_error(p, k, analysis);
      }
      for (std::size_t i = 0; i < op.size; ++i) {
        if (!(e.local[i] >= 0)) e.local[i] = infinity;  // NaN
        e.out[i].error = plus(e.out[i].error, e.local[i]);
        if (!(e.out[i].error >= 0)) e.out[i].error = infinity;
        if (!(e.out[i].lo <= e.out[i].hi)) e.out[i] = {-infinity, infinity, infinity};
      }
    }
    if (k < exact.size()) narrow(e.out, exact[k]);
    finish(p, k, e, analysis.overflow);
    if (further) further(k, analysis);
  }
  return analysis;
}

}  // namespace outward::roundoff
