// The network with lines in place of its piecewise-linear nodes; see fast.hpp.
#include "formats/error.hpp"
#include "runtime/cpu/fast_state.hpp"

namespace outward {

namespace {
bool is_piecewise_linear(Kind kind) {
  return kind == Kind::relu || kind == Kind::leaky || kind == Kind::clip || kind == Kind::abs || kind == Kind::max;
}
}  // namespace

void FastNetwork::State::relaxed_backward(std::size_t number, LineChooser& chooser) {
  const Node& node = nodes[number];
  chooser.arrive(static_cast<std::uint32_t>(number), gradients[number].data());
  if (!is_certifiable(node.kind)) return;  // constants of the relaxed network
  if (!is_piecewise_linear(node.kind)) return backward(number);
  const Reals& d = gradients[number];
  Reals& dx = gradients[node.operands[0]];
  slopes[number].resize(count * node.size);
  offsets[number].resize(count * node.size);
  const auto id = static_cast<std::uint32_t>(number);
  if (node.kind != Kind::max) {
    chooser.lines(id, d.data(), slopes[number].data(), offsets[number].data());
    for (std::size_t at = 0; at < d.size(); ++at) dx[at] += d[at] * slopes[number][at];
    return;
  }
  chosen[number].resize(count * node.size);
  chooser.max_lines(id, d.data(), chosen[number].data(), slopes[number].data(), offsets[number].data());
  const auto width = static_cast<std::size_t>(node.ints[0]);
  for (std::size_t at = 0; at < d.size(); ++at) dx[at * width + chosen[number][at]] += d[at] * slopes[number][at];
}

void FastNetwork::State::relaxed_forward(std::size_t number) {
  const Node& node = nodes[number];
  if (!is_piecewise_linear(node.kind)) return forward(number);
  const Reals& x = values[node.operands[0]];
  Reals& out = values[number];
  out.resize(count * node.size);
  const auto width = node.kind == Kind::max ? static_cast<std::size_t>(node.ints[0]) : 1;
  for (std::size_t at = 0; at < out.size(); ++at) {
    const double operand = width == 1 ? x[at] : x[at * width + chosen[number][at]];
    out[at] = slopes[number][at] * operand + offsets[number][at];
  }
}

const std::vector<double>& FastNetwork::relaxed_backward(std::uint32_t top, const std::vector<double>& coefficients,
                                                         std::size_t count, LineChooser& chooser) {
  if (coefficients.size() != count * state_->nodes[top].size)
    throw ResourceError("fast run: wrong number of coefficients");
  state_->count = count;
  state_->top = top;
  for (std::size_t number = 0; number < top; ++number)
    state_->gradients[number].assign(count * state_->nodes[number].size, 0.0);
  state_->gradients[top] = coefficients;
  for (std::size_t number = top; number > 0; --number) state_->relaxed_backward(number, chooser);
  chooser.arrive(0, state_->gradients[0].data());
  return state_->gradients[0];
}

const std::vector<double>& FastNetwork::relaxed_forward(const std::vector<double>& points) {
  if (points.size() != state_->count * inputs()) throw ResourceError("fast run: wrong number of inputs");
  state_->values[0] = points;
  for (std::size_t number = 1; number <= state_->top; ++number) state_->relaxed_forward(number);
  return state_->values[state_->top];
}

const std::vector<double>& FastNetwork::values(std::uint32_t node) const { return state_->values[node]; }
const std::vector<double>& FastNetwork::coefficients(std::uint32_t node) const { return state_->gradients[node]; }

}  // namespace outward
