#include "bounds/pass.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bounds/forward.hpp"
#include "bounds/kernels.hpp"
#include "bounds/rounding.hpp"

namespace outward {

namespace {

std::vector<double> reach_of(const Range& range) {
  std::vector<double> out(range.lo.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(std::fabs(range.lo[i]), std::fabs(range.hi[i]));
  return out;
}

}  // namespace

Prepared::Prepared(const Network& net, const State& state, std::uint32_t top, bool rigorous)
    : weight(top + 1), absolute(top + 1), charged(top + 1, 0) {
  reach = reach_of(state.range[0]);
  centre.resize(reach.size());
  radius.resize(reach.size());
  for (std::size_t i = 0; i < reach.size(); ++i)
    centre_radius(state.range[0].lo[i], state.range[0].hi[i], &centre[i], &radius[i]);
  for (std::uint32_t k = 0; k <= top; ++k) {
    const Node& node = net.node(k);
    const bool has_lines = is_piecewise(node.kind) || node.kind == Kind::function;
    if (has_lines) weight[k].assign(node.size, 0.0);
    if (!rigorous) continue;
    if (net.groups.uses[k] > 1 && net.groups.stored[k]) absolute[k] = reach_of(state.range[k]);
    if (!has_lines) continue;
    const std::uint32_t z = node.operands[0];
    weight[k] = reach_of(state.range[z]);
    const bool fuse = net.groups.uses[z] == 1 && !state.cost[z].empty();
    for (std::size_t i = 0; i < weight[k].size(); ++i)
      weight[k][i] = sum_up(slope_term * weight[k][i], fuse ? state.cost[z][i] : 0.0);
    charged[z] = fuse;
  }
}

double* Pass::begin(std::uint32_t operand) {
  const std::size_t length = rows * net.node(operand).size;
  std::vector<double>& buffer = work.active[operand] ? work.scratch : work.coefficient[operand];
  if (!work.active[operand] && buffer.empty() && !work.spare.empty()) {
    buffer = std::move(work.spare.back());
    work.spare.pop_back();
  }
  if (buffer.size() < length) buffer.resize(length);
  return buffer.data();
}

void Pass::end(std::uint32_t operand) {
  if (!work.active[operand]) {
    work.active[operand] = 1;
    return;
  }
  const std::size_t n = net.node(operand).size;
  double* nu = work.coefficient[operand].data();
  const bool weigh = rigorous && !prepared.absolute[operand].empty();
  for (std::size_t r = 0; r < rows; ++r) {
    if (weigh) {
      error[r] +=
          addition_term * accumulate_row(nu + r * n, work.scratch.data() + r * n, prepared.absolute[operand].data(), n);
    } else {
      for (std::size_t i = 0; i < n; ++i) nu[r * n + i] += work.scratch[r * n + i];
    }
  }
  terms += n + 1;
}

void Pass::add_constant(std::size_t row, const double* nu, const double* c, std::size_t n) {
  double dot = 0, abs = 0;
  dot_and_abs(nu, c, n, &dot, &abs);
  constant[row] += dot;
  absolute[row] += abs;
}

const Lines& Pass::lines(std::size_t row, std::uint32_t k) {
  if (!row_lines) return state.lines[k];
  patched_ = state.lines[k];
  row_lines->patch(first_row + row, k, patched_);
  return patched_;
}

void Pass::add_multipliers(std::uint32_t k) {
  const std::size_t n = net.node(k).size;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto multipliers = row_lines->multipliers(first_row + r, k);
    if (multipliers.empty()) continue;
    if (!work.active[k]) {
      double* fresh = begin(k);
      std::fill(fresh, fresh + rows * n, 0.0);
      work.active[k] = 1;
    }
    for (const RowLines::Multiplier& m : multipliers) {
      double& nu = work.coefficient[k][r * n + m.element];
      nu -= m.value;
      const double term = m.value * m.end;
      constant[r] += term;
      absolute[r] += std::fabs(term);
      if (!rigorous) continue;
      const double reach = std::max(std::fabs(state.range[k].lo[m.element]), std::fabs(state.range[k].hi[m.element]));
      error[r] = add_up(error[r], mul_up(mul_up(addition_term, std::fabs(nu)), reach));
      // The node's cost was paid by its reader, for the coefficients before this one.
      if (prepared.charged[k] && !state.cost[k].empty())
        error[r] = add_up(error[r], mul_up(std::fabs(m.value), state.cost[k][m.element]));
    }
    terms += multipliers.size();
  }
}

void Pass::run(std::uint32_t top) {
  for (std::uint32_t k = top; k > 0; --k) {
    if (row_lines && net.groups.stored[k]) add_multipliers(k);
    if (!work.active[k]) continue;
    const std::size_t n = net.node(k).size;
    const double* nu = work.coefficient[k].data();
    if (rigorous && !state.cost[k].empty() && !prepared.charged[k] && !(k == top && top_charged))
      for (std::size_t r = 0; r < rows; ++r) error[r] += weighted_abs(nu + r * n, state.cost[k].data(), n);
    if (rigorous && !net.is_root(k) && !state.delta[k].empty())
      for (std::size_t r = 0; r < rows; ++r) error[r] += weighted_abs(nu + r * n, state.delta[k].data(), n);
    apply_backward_rule(*this, k);
    work.release(k);
    terms += n + 1;
    if (rigorous) {
      std::uint64_t inputs = 0;
      for (std::uint32_t operand : net.node(k).operands) inputs += net.node(operand).size;
      tiny = add_up(tiny, underflow_term(n, inputs, state.magnitude[k]));
    }
  }
  finish_input();
}

void Pass::finish_input() {
  const std::size_t n = prepared.reach.size();
  input_constant_.assign(rows, 0.0);
  input_error_.assign(rows, 0.0);
  if (!work.active[0]) return;
  if (plane) std::memcpy(plane, work.coefficient[0].data(), rows * n * sizeof(double));
  const double inflation = inflation_up(n), rounding = mul_up(product_term(n), inflation);
  for (std::size_t r = 0; r < rows; ++r) {
    const Products p = interval_dot(work.coefficient[0].data() + r * n, prepared.centre.data(), prepared.radius.data(),
                                    prepared.reach.data(), n);
    input_constant_[r] = p.centre;
    input_error_[r] = rigorous ? sum_up(p.radius * inflation, p.sum * rounding) : p.radius;
  }
  work.release(0);
  if (rigorous) tiny = add_up(tiny, underflow_term(n, n, state.magnitude[0]));
}

void Pass::lower(std::span<double> bounds) const {
  const double inflation = inflation_up(terms), rounding = mul_up(scalar_sum_rounding(terms), inflation);
  for (std::size_t row = 0; row < rows; ++row) {
    const double centre = constant[row] + input_constant_[row];
    if (!rigorous) {
      bounds[row] = centre - input_error_[row];
      continue;
    }
    const double sums = sum_up(error[row] * inflation, absolute[row] * rounding);
    const double loss = sum_up(sum_up(sums, sum_up(input_error_[row], tiny)), 0x1p-52 * std::fabs(centre));
    const double bound = sub_down(centre, loss);
    bounds[row] = bound == bound ? bound : -infinity;
  }
}

}  // namespace outward
