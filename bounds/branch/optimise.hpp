// α-β-CROWN (Xu et al. 2021; Wang et al. 2021): lower slopes, multipliers of split neurons and weights of rows are
// improved by gradient steps on the bound. The gradient is analytic: the bound is the value of the relaxed network at
// the box's worst corner, and each line contributes its coefficient times what it is multiplied by there.
// NOT rigorous: the caller bounds the improved rows again.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "bounds/branch/neuron_row.hpp"
#include "formats/directed.hpp"
#include "runtime/cpu/fast.hpp"

namespace outward {

struct Improved {
  double bound = -infinity;         // of the row, scaled, about
  std::uint32_t split = no_neuron;  // the neuron whose split promises most
  double split_score = 0;
  double split_scale = 0;      // Half::scale for its halves
  std::vector<double> needs;   // per half of the row: what the bound loses without it, at most, about
  std::vector<double> corner;  // inputs where the relaxed network is least
  static constexpr std::uint32_t no_neuron = 0xffffffff;
};

class Optimiser {
 public:
  Optimiser(const Network& net, const RowTable& table, const State& root, const Neurons& neurons);
  ~Optimiser();

  // Improves slopes, β and weights of the rows by at most `steps` steps; rows that are surely positive stop counting.
  std::vector<Improved> improve(std::span<NeuronRow* const> rows, int steps);

 private:
  struct Batch;
  double need_of(const Half& half, std::size_t p) const;
  void rank_splits(std::span<NeuronRow* const> rows, const Batch& batch, std::vector<Improved>& out) const;

  const Network& net_;
  const RowTable& table_;
  const State& root_;
  const Neurons& neurons_;
  FastNetwork fast_;
};

}  // namespace outward
