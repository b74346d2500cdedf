#include "bounds/branch/alpha_lines.hpp"

#include <algorithm>

namespace outward {

AlphaLines::AlphaLines(const Network& net, const State& root, const Neurons& neurons, FastNetwork& fast,
                       std::vector<std::uint32_t> group_of)
    : net_(net),
      root_(root),
      neurons_(neurons),
      fast_(fast),
      group_of_(std::move(group_of)),
      groups_(group_of_.empty() ? 0 : 1 + *std::max_element(group_of_.begin(), group_of_.end())),
      alpha_(groups_ * neurons.size()) {
  for (std::size_t g = 0; g < groups_; ++g) set_bytes(g, neurons.bytes());
}

void AlphaLines::set_bytes(std::size_t group, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t q = 0; q < bytes.size(); ++q) alpha(group, q) = bytes[q] / 128.0;
}

std::vector<std::uint8_t> AlphaLines::bytes(std::size_t group) const {
  std::vector<std::uint8_t> out(neurons_.size());
  for (std::size_t q = 0; q < out.size(); ++q)
    out[q] = static_cast<std::uint8_t>(std::lround(128 * alpha_[group * neurons_.size() + q]));
  return out;
}

void AlphaLines::round_to_bytes() {
  for (double& a : alpha_) a = std::round(128 * a) / 128;
}

const std::vector<double>& AlphaLines::run(std::uint32_t top, const std::vector<double>& forms) {
  const std::vector<double>& at_input = fast_.relaxed_backward(top, forms, rows(), *this);
  const Range& x = root_.range[0];
  const std::size_t inputs = x.lo.size();
  corners_.resize(rows() * inputs);
  for (std::size_t at = 0; at < corners_.size(); ++at) {
    const std::size_t i = at % inputs;
    const double c = at_input[at];
    corners_[at] = c > 0 ? x.lo[i] : c < 0 ? x.hi[i] : x.lo[i] + 0.5 * (x.hi[i] - x.lo[i]);
  }
  return fast_.relaxed_forward(corners_);
}

void AlphaLines::lines(std::uint32_t k, const double* nu, double* slope, double* offset) {
  const Node& node = net_.node(k);
  const Lines& base = root_.lines[k];
  const std::size_t n = node.size;
  const double least = slope_of_byte(node, 0), reach = slope_of_byte(node, 128) - least;
  for (std::size_t p = 0; p < rows(); ++p) {
    const double* c = nu + p * n;
    double *s = slope + p * n, *o = offset + p * n;
    for (std::size_t i = 0; i < n; ++i) {
      const bool lower = c[i] > 0;
      s[i] = lower ? base.lower_slope[i] : base.upper_slope[i];
      o[i] = lower ? base.lower_offset[i] : base.upper_offset[i];
    }
    if (node.kind == Kind::clip) continue;
    const double* a = alpha_.data() + group_of_[p] * neurons_.size();
    for (std::size_t q = neurons_.first(k); q < neurons_.first(k + 1); ++q) {
      const std::uint32_t i = neurons_[q].element;
      if (c[i] > 0) s[i] = least + reach * a[q];
    }
  }
}

void AlphaLines::max_lines(std::uint32_t k, const double* nu, std::uint32_t* chosen, double* slope, double* offset) {
  const MaxChoice& choice = root_.choice[k];
  const std::size_t n = net_.node(k).size;
  for (std::size_t at = 0; at < rows() * n; ++at) {
    const std::size_t i = at % n;
    const bool passes = nu[at] > 0 || choice.dominating[i];
    chosen[at] = choice.chosen[i];
    slope[at] = passes ? 1 : 0;
    offset[at] = passes ? 0 : choice.upper[i];
  }
}

}  // namespace outward
