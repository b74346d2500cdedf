#include "bounds/state.hpp"

#include <algorithm>

namespace outward {

namespace {

FloatModel model_of(const Network& net, Semantics s) {
  if (s != Semantics::capsule) return float_model(s);
  FloatModel model{true, 0, 0, infinity};
  for (const PolicyError& e : net.errors) {
    model.u = std::max(model.u, e.u);
    model.eta = std::max(model.eta, e.eta);
    model.omega = std::min(model.omega, e.omega);
  }
  return model;
}

}  // namespace

State::State(const Network& net, Semantics s)
    : range(net.size()),
      sum(net.size()),
      delta(net.size()),
      magnitude(net.size(), 1.0),
      cost(net.size()),
      lines(net.size()),
      choice(net.size()),
      model(model_of(net, s)),
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
