// The ranges of a network over one box, as prove.cpp makes them, for tests that compare them with executions.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bounds/backward.hpp"
#include "bounds/forward.hpp"
#include "bounds/relaxation.hpp"
#include "test/bounds/support.hpp"

namespace outward::testing {

// Ranges by IBP with every unstable pre-activation bounded backwards, lines set on the way: what prove.cpp does for one
// box.
inline State propagate(const Network& net, Semantics semantics, const Box& box, BackwardEngine& engine) {
  State state(net, semantics);
  set_input_range(net, state, {box.lo, box.hi});
  for (std::uint32_t k = 1; k < net.size(); ++k) {
    if (!net.groups.stored[k]) continue;
    interval_step(net, state, k);
    const std::size_t n = net.node(k).size;
    std::vector<std::uint32_t> all(n);
    for (std::uint32_t i = 0; i < n; ++i) all[i] = i;
    std::vector<double> lower(n), upper(n);
    if (net.is_root(k)) {
      engine.unit_bounds(state, k, all, 1.0, lower);
      engine.unit_bounds(state, k, all, -1.0, upper);
      for (std::size_t i = 0; i < n; ++i) {
        state.range[k].lo[i] = std::max(state.range[k].lo[i], lower[i]);
        state.range[k].hi[i] = std::min(state.range[k].hi[i], -upper[i]);
      }
    }
    if (is_piecewise(net.node(k).kind) || net.node(k).kind == Kind::max)
      set_lines(net, state, k, adaptive_slopes(net, state, k));
  }
  return state;
}

// The values of all nodes at one point lie in the ranges of the stored ones.
inline void check_inside(const Network& net, const State& state, const std::vector<std::vector<Rational>>& values) {
  for (std::uint32_t k = 1; k < net.size(); ++k) {
    if (!net.groups.stored[k]) continue;
    for (std::size_t i = 0; i < net.node(k).size; ++i) {
      CHECK(exact(state.range[k].lo[i]) <= values[k][i]);
      CHECK(values[k][i] <= exact(state.range[k].hi[i]));
    }
  }
}

}  // namespace outward::testing
