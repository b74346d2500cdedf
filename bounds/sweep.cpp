#include "bounds/sweep.hpp"

#include <algorithm>

#include "bounds/forward.hpp"
#include "bounds/opaque.hpp"
#include "bounds/relaxation.hpp"
#include "formats/error.hpp"

namespace outward {

namespace {

// True if the group of root k reads only the input and constants through at most one contraction and no sum of two
// branches: then the interval rule is already exact and a backward pass cannot improve it.
bool interval_is_exact(const Network& net, std::uint32_t k) {
  int contractions = 0;
  for (std::uint32_t member : net.members[k]) {
    const Node& node = net.node(member);
    contractions += is_contraction(node.kind);
    if (node.kind == Kind::add || (node.kind == Kind::map && net.map_repeats[member] > 1)) return false;
    for (std::uint32_t operand : node.operands)
      if (!inside_group(net.graph, net.groups, operand, member) && operand != 0 &&
          net.node(operand).kind != Kind::constant)
        return false;
  }
  return contractions <= 1;
}

// Elements of z whose bounds matter to their reader k: unstable, or members of an undecided max group.
void mark_elements(const Network& net, const State& state, std::uint32_t k, std::vector<char>& wanted) {
  const Node& node = net.node(k);
  const Range& x = state.range[node.operands[0]];
  if (node.kind == Kind::max) {
    const auto width = static_cast<std::size_t>(node.ints[0]);
    for (std::size_t i = 0; i < node.size; ++i) {
      const double best = *std::max_element(x.lo.begin() + static_cast<std::ptrdiff_t>(i * width),
                                            x.lo.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
      std::size_t contenders = 0;
      for (std::size_t j = 0; j < width; ++j) contenders += x.hi[i * width + j] >= best;
      for (std::size_t j = 0; contenders > 1 && j < width; ++j)
        if (x.hi[i * width + j] >= best) wanted[i * width + j] = 1;
    }
    return;
  }
  for (std::size_t i = 0; i < node.size; ++i)
    if (is_unstable(node, x.lo[i], x.hi[i])) wanted[i] = 1;
}

}  // namespace

std::vector<std::uint32_t> undecided_elements(const Network& net, const State& state, std::uint32_t k) {
  std::vector<char> wanted(net.node(k).size, 0);
  for (std::uint32_t reader = k + 1; reader < net.size(); ++reader) {
    const Node& node = net.node(reader);
    if ((is_piecewise(node.kind) || node.kind == Kind::max) && node.operands[0] == k)
      mark_elements(net, state, reader, wanted);
    if (is_opaque(node.kind) && std::find(node.operands.begin(), node.operands.end(), k) != node.operands.end())
      std::fill(wanted.begin(), wanted.end(), 1);
  }
  std::vector<std::uint32_t> elements;
  for (std::uint32_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) elements.push_back(i);
  return elements;
}

std::vector<std::uint32_t> Sweeper::used_slopes(const std::vector<std::uint32_t>& slope_ids, std::uint32_t top) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t k = 0; k <= top; ++k)
    if (slope_ids[k] != no_slopes) out.push_back(slope_ids[k]);
  return out;
}

// exact: the ranges cannot get better, only planes are wanted.
void Sweeper::refine_node(State& state, std::uint32_t k, const std::vector<std::uint32_t>& slope_ids, bool exact,
                          ProofObserver& observer) {
  const std::vector<std::uint32_t> elements = undecided_elements(net_, state, k);
  if (elements.empty()) return;
  std::vector<double> bounds(elements.size());
  Range& range = state.range[k];
  engine.unit_bounds(state, k, elements, 1.0, bounds, keep_planes ? &refined[k].planes : nullptr);
  if (keep_planes) refined[k].elements = elements;
  if (exact) return;
  std::vector<std::uint32_t> lower, upper;
  std::vector<double> lows = bounds;
  engine.unit_bounds(state, k, elements, -1.0, bounds);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (lows[i] > range.lo[elements[i]]) {
      range.lo[elements[i]] = lows[i];
      lower.push_back(elements[i]);
    }
    if (-bounds[i] < range.hi[elements[i]]) {
      range.hi[elements[i]] = -bounds[i];
      upper.push_back(elements[i]);
    }
    if (range.lo[elements[i]] > range.hi[elements[i]])
      throw ResourceError("internal: bounds cross at " + net_.node(k).origin + "; no verdict is given");
  }
  if (!lower.empty() || !upper.empty()) observer.backward(k, lower, upper, used_slopes(slope_ids, k));
}

void Sweeper::run(State& state, ProofObserver& observer, Sweep sweep, std::vector<std::uint32_t>& slope_ids,
                  const Further& further) {
  slope_ids.assign(net_.size(), no_slopes);
  if (keep_planes) refined.assign(net_.size(), {});
  for (std::uint32_t k = 1; k < net_.size(); ++k) {
    if (!net_.groups.stored[k]) continue;
    interval_step(net_, state, k);
    observer.interval(k);
    const bool exact = interval_is_exact(net_, k);
    const Node& node = net_.node(k);
    const bool has_lines = is_piecewise(node.kind) || node.kind == Kind::max;
    if (sweep.refine && (!exact || (keep_planes && !has_lines))) refine_node(state, k, slope_ids, exact, observer);
    if (further && !exact) further(k, slope_ids);
    if (!has_lines) continue;
    const SlopeBytes bytes = sweep.parallel ? parallel_slopes(net_, state, k) : adaptive_slopes(net_, state, k);
    set_lines(net_, state, k, bytes);
    slope_ids[k] = next_id++;
    observer.slopes(slope_ids[k], k, bytes);
    // A pass that starts here goes through the node's own lines first: they must be those of this sweep.
    if (sweep.refine && keep_planes) refine_node(state, k, slope_ids, exact, observer);
  }
}

}  // namespace outward
