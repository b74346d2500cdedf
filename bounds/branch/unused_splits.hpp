// Splits of a finished tree that the refutations below one half never use: the half closes the part that was split, and
// the other half is dropped.
#pragma once
#include <functional>
#include <map>
#include <vector>

#include "bounds/branch/neuron_row.hpp"
#include "bounds/branch/proof_tree.hpp"

namespace outward {

class UnusedSplits {
 public:
  // A part that was closed by one refutation. needs: per half of the row, what its bound would lose without it, about;
  // those that it can do without are looked at again by drop().
  void add(const ProofTree& tree, ProofTree::Index part, NeuronRow row, const std::vector<double>& needs, double bound);

  // Nothing is dropped unless all refutations of the half hold without the split: `hold` bounds them again, rigorously.
  // `record` replaces what the log of a part says by the refutation of the row. Returns how many splits went.
  std::size_t drop(ProofTree& tree, const std::function<bool(const std::vector<const NeuronRow*>&)>& hold,
                   const std::function<void(const NeuronRow&, ProofLog&)>& record);

 private:
  using Index = ProofTree::Index;
  struct Leaf {
    NeuronRow row;
    std::vector<Index> splits;    // per half of the row: the part that was split
    std::vector<Index> unneeded;  // of splits, increasing
  };
  // The leaves below a part; false if one of them needs the split of `without`.
  bool leaves_below(const ProofTree& tree, Index part, Index without, std::vector<Index>& leaves) const;

  std::map<Index, Leaf> leaves_;  // only those that can do without something
};

}  // namespace outward
