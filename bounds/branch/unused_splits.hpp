// Splits of a finished tree that the refutations below one half never use: the half closes the part that was split, and
// the other half is dropped.
#pragma once
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "bounds/branch/neuron_row.hpp"
#include "bounds/branch/proof_tree.hpp"

namespace outward {

class UnusedSplits {
 public:
  explicit UnusedSplits(std::uint32_t case_index) : case_(case_index) {}

  // A part that was closed by one refutation. needs: per half of the row, what its bound would lose without it, about;
  // those that it can do without are looked at again by drop(). Until then 16 bytes of memory are kept.
  void add(const ProofTree& tree, ProofTree::Index part, const NeuronRow& row, const std::vector<double>& needs,
           double bound);

  // Nothing is dropped unless all refutations of the half hold without the split: `hold` bounds them again, rigorously.
  // `record` gives the steps that refute the row; they replace what the part has. Returns how many splits went.
  // Throws ResourceError if the spool does: the tree is then as good as it was.
  std::size_t drop(ProofTree& tree, const std::function<bool(const std::vector<const NeuronRow*>&)>& hold,
                   const std::function<ProofLog(const NeuronRow&)>& record);

 private:
  using Index = ProofTree::Index;
  struct Leaf {
    Spool::Place row = Spool::nowhere;
    std::vector<Index> unneeded;  // parts around it whose splits it can do without, increasing
  };
  struct Added {
    Spool::Place place;  // of unneeded, then the row
    Index part;
  };
  // The leaves below a part; false if one of them needs the split of `without`.
  bool leaves_below(const ProofTree& tree, Index part, Index without, std::vector<Index>& leaves) const;

  std::uint32_t case_;
  std::deque<Added> added_;                 // only those that can do without something
  std::unordered_map<Index, Leaf> leaves_;  // while they are looked at
};

}  // namespace outward
