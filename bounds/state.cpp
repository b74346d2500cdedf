#include "bounds/state.hpp"

#include <algorithm>

namespace outward {

State::State(const Network& net, Semantics s)
    : range(net.size()),
      sum(net.size()),
      delta(net.size()),
      magnitude(net.size(), 1.0),
      cost(net.size()),
      lines(net.size()),
      choice(net.size()),
      model(float_model(s)),
      semantics(s) {
  for (std::uint32_t k = 0; k < net.size(); ++k)
    if (net.node(k).kind == Kind::constant) range[k] = {net.node(k).payload, net.node(k).payload};
}

void State::forget(const Network& net) {
  for (std::uint32_t k = 0; k < net.size(); ++k) {
    if (net.node(k).kind == Kind::constant) continue;
    range[k].lo.clear();
    range[k].hi.clear();
    Lines& l = lines[k];
    for (auto* v : {&l.lower_slope, &l.lower_offset, &l.upper_slope, &l.upper_offset}) v->clear();
    choice[k].chosen.clear();
    choice[k].dominating.clear();
    choice[k].upper.clear();
  }
  std::fill(magnitude.begin(), magnitude.end(), 1.0);
  overflow.clear();
}

}  // namespace outward
