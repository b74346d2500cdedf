#include "bounds/roundoff/parts.hpp"

#include <algorithm>
#include <queue>

#include "bounds/forward.hpp"
#include "bounds/sweep.hpp"

namespace outward::roundoff {

std::vector<Quantities> exact_ranges(const Network& net, const Box& box) {
  State state(net, Semantics::real);
  set_input_range(net, state, {box.lo, box.hi});
  Sweeper sweeper(net, {});
  std::vector<std::uint32_t> ids(net.size(), no_slopes);
  ProofObserver nobody;
  sweeper.run(state, nobody, {true, false}, ids);
  std::vector<Quantities> out(net.size());
  for (std::uint32_t k = 0; k < net.size(); ++k)
    for (std::size_t i = 0; i < state.range[k].lo.size(); ++i)
      out[k].push_back({state.range[k].lo[i], state.range[k].hi[i], 0});
  return out;
}

namespace {

struct BoxPart {
  Box box;
  std::vector<double> bound;
  double worst = 0;
  bool operator<(const BoxPart& other) const { return worst < other.worst; }
};

BoxPart bounded(const Network& net, const Program& program, Box box, double work) {
  BoxPart part{std::move(box), {}, 0};
  const TightAnalysis tight = analyse_tightly(program, part.box, exact_ranges(net, part.box), work);
  part.bound = end_to_end(program, tight.analysis).best;
  part.worst = *std::max_element(part.bound.begin(), part.bound.end());
  return part;
}

}  // namespace

Parts bound_by_parts(const Network& net, const Program& program, const Box& box, std::size_t count, double work) {
  std::priority_queue<BoxPart> open;
  open.push(bounded(net, program, box, work));
  std::vector<BoxPart> done;
  while (open.size() + done.size() < count && !open.empty()) {
    const BoxPart worst = open.top();
    open.pop();
    std::size_t widest = 0;
    for (std::size_t i = 0; i < worst.box.lo.size(); ++i)
      if (worst.box.hi[i] - worst.box.lo[i] > worst.box.hi[widest] - worst.box.lo[widest]) widest = i;
    const double lo = worst.box.lo[widest], hi = worst.box.hi[widest], middle = lo + 0.5 * (hi - lo);
    if (!(lo < middle && middle < hi)) {
      done.push_back(worst);
      continue;
    }
    Box below = worst.box, above = worst.box;
    below.hi[widest] = middle;
    above.lo[widest] = middle;
    open.push(bounded(net, program, std::move(below), work));
    open.push(bounded(net, program, std::move(above), work));
  }
  Parts out;
  while (!open.empty()) {
    done.push_back(open.top());
    open.pop();
  }
  out.count = done.size();
  out.bound.assign(done[0].bound.size(), 0.0);
  for (const BoxPart& part : done)
    for (std::size_t j = 0; j < out.bound.size(); ++j) out.bound[j] = std::max(out.bound[j], part.bound[j]);
  return out;
}

}  // namespace outward::roundoff
