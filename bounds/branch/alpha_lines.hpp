// The relaxed network whose lower slopes are parameters, shared by groups of rows: its bounds at a node and their
// gradients (α-CROWN; Xu et al. 2021). The gradient is analytic: a bound is the value of the relaxed network at the
// box's worst corner, and each line contributes its coefficient times what it is multiplied by there.
// NOT rigorous: the caller bounds the improved rows again.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bounds/branch/neuron_row.hpp"
#include "runtime/cpu/fast.hpp"

namespace outward {

// Adam (Kingma and Ba 2015) for one vector of parameters, upwards.
class Adam {
 public:
  explicit Adam(std::size_t n) : first_(n, 0.0), second_(n, 0.0) {}
  void begin_step() {
    decay_first_ *= 0.9;
    decay_second_ *= 0.999;
  }
  double step(std::size_t i, double gradient) {
    first_[i] = 0.9 * first_[i] + 0.1 * gradient;
    second_[i] = 0.999 * second_[i] + 0.001 * gradient * gradient;
    const double m = first_[i] / (1 - decay_first_), v = second_[i] / (1 - decay_second_);
    return v > 0 ? m / std::sqrt(v) : 0;
  }

 private:
  std::vector<double> first_, second_;
  double decay_first_ = 1, decay_second_ = 1;
};

class AlphaLines : public LineChooser {
 public:
  // group_of: per row. Slopes start as the root's (Neurons::bytes).
  AlphaLines(const Network& net, const State& root, const Neurons& neurons, FastNetwork& fast,
             std::vector<std::uint32_t> group_of);

  std::size_t rows() const { return group_of_.size(); }
  std::size_t groups() const { return groups_; }
  // 0 … 1 from the least to the greatest legal lower slope.
  double& alpha(std::size_t group, std::size_t neuron) { return alpha_[group * neurons_.size() + neuron]; }
  void set_bytes(std::size_t group, const std::vector<std::uint8_t>& bytes);
  std::vector<std::uint8_t> bytes(std::size_t group) const;
  void round_to_bytes();
  const std::vector<double>& alphas() const { return alpha_; }
  void set_alphas(std::vector<double> alphas) { alpha_ = std::move(alphas); }

  // Forms over node top (rows × its size) down to the input and the worst corners back up: returns the values of top at
  // each row's corner. Coefficients and values of all nodes stay in the FastNetwork.
  const std::vector<double>& run(std::uint32_t top, const std::vector<double>& forms);
  const std::vector<double>& corners() const { return corners_; }  // rows × inputs

  // One step on every slope; rows and neurons that the predicates exclude stay as they are and do not count.
  template <typename Counts, typename Free>
  void climb(std::uint32_t top, double rate, Adam& adam, Counts counts, Free free);

  void lines(std::uint32_t k, const double* nu, double* slope, double* offset) override;
  void max_lines(std::uint32_t k, const double* nu, std::uint32_t* chosen, double* slope, double* offset) override;

 protected:
  const Network& net_;
  const State& root_;
  const Neurons& neurons_;
  FastNetwork& fast_;

 private:
  std::vector<std::uint32_t> group_of_;
  std::size_t groups_;
  std::vector<double> alpha_, gradient_;  // groups × neurons
  std::vector<double> corners_;
};

template <typename Counts, typename Free>
void AlphaLines::climb(std::uint32_t top, double rate, Adam& adam, Counts counts, Free free) {
  gradient_.assign(alpha_.size(), 0.0);
  adam.begin_step();
  for (std::uint32_t k = 0; k <= top; ++k) {
    const Node& node = net_.node(k);
    const std::size_t first = neurons_.first(k), last = neurons_.first(k + 1);
    if (first == last || node.kind == Kind::clip) continue;
    const std::vector<double>&nu = fast_.coefficients(k), &z = fast_.values(node.operands[0]);
    for (std::size_t p = 0; p < rows(); ++p) {
      if (!counts(p)) continue;
      double* gradient = gradient_.data() + group_of_[p] * neurons_.size();
      for (std::size_t q = first; q < last; ++q) {
        const std::size_t at = p * node.size + neurons_[q].element;
        if (nu[at] > 0) gradient[q] += nu[at] * z[at];
      }
    }
  }
  for (std::size_t g = 0; g < groups_; ++g)
    for (std::size_t q = 0, last = neurons_.first(top + 1); q < last; ++q) {
      if (!free(g, q)) continue;
      double& a = alpha(g, q);
      a = std::min(1.0,
                   std::max(0.0, a + rate * adam.step(g * neurons_.size() + q, gradient_[g * neurons_.size() + q])));
    }
}

}  // namespace outward
