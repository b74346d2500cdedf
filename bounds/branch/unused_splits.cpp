#include "bounds/branch/unused_splits.hpp"

#include <algorithm>
#include <numeric>

namespace outward {

namespace {

using Index = ProofTree::Index;

bool contains(const std::vector<Index>& increasing, Index item) {
  return std::binary_search(increasing.begin(), increasing.end(), item);
}

}  // namespace

void UnusedSplits::add(const ProofTree& tree, Index part, NeuronRow row, const std::vector<double>& needs,
                       double bound) {
  std::vector<std::size_t> order(row.halves.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return needs[a] < needs[b]; });
  double lost = 0;
  std::size_t count = 0;
  while (count < order.size() && lost + needs[order[count]] < bound) lost += needs[order[count++]];
  if (count == 0) return;
  Leaf leaf;
  leaf.splits.resize(row.halves.size());
  Index at = part;
  for (std::size_t h = row.halves.size(); h-- > 0;) leaf.splits[h] = at = tree.parent(at);
  for (std::size_t i = 0; i < count; ++i) leaf.unneeded.push_back(leaf.splits[order[i]]);
  std::sort(leaf.unneeded.begin(), leaf.unneeded.end());
  leaf.row = std::move(row);
  leaves_.emplace(part, std::move(leaf));
}

bool UnusedSplits::leaves_below(const ProofTree& tree, Index part, Index without, std::vector<Index>& leaves) const {
  std::vector<Index> waiting = {part};
  while (!waiting.empty()) {
    const Index p = waiting.back();
    waiting.pop_back();
    if (tree.state(p) == ProofTree::State::split) {
      waiting.push_back(tree.first_half(p));
      waiting.push_back(tree.first_half(p) + 1);
      continue;
    }
    const auto leaf = leaves_.find(p);
    if (leaf == leaves_.end() || !contains(leaf->second.unneeded, without)) return false;
    leaves.push_back(p);
  }
  return true;
}

std::size_t UnusedSplits::drop(ProofTree& tree, const std::function<bool(const std::vector<const NeuronRow*>&)>& hold,
                               const std::function<void(const NeuronRow&, ProofLog&)>& record) {
  // Parts around what can do without something, the innermost first: a half has a greater index than what was split.
  std::vector<Index> candidates;
  for (const auto& [part, leaf] : leaves_)
    candidates.insert(candidates.end(), leaf.unneeded.begin(), leaf.unneeded.end());
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::size_t dropped = 0;
  for (const Index part : candidates) {
    if (tree.state(part) != ProofTree::State::split) continue;
    for (const bool first : {true, false}) {
      const Index half = tree.first_half(part) + (first ? 0 : 1);
      std::vector<Index> leaves;
      if (!leaves_below(tree, half, part, leaves)) continue;
      std::vector<NeuronRow> rows;
      std::vector<const NeuronRow*> asked;
      for (const Index p : leaves) {
        const Leaf& leaf = leaves_.at(p);
        rows.push_back(leaf.row);
        const auto at = std::find(leaf.splits.begin(), leaf.splits.end(), part) - leaf.splits.begin();
        rows.back().halves.erase(rows.back().halves.begin() + at);
      }
      for (const NeuronRow& row : rows) asked.push_back(&row);
      if (!hold(asked)) continue;
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        Leaf& leaf = leaves_.at(leaves[i]);
        leaf.row = std::move(rows[i]);
        std::erase(leaf.splits, part);
        record(leaf.row, tree.log(leaves[i]));
      }
      tree.replace_by_half(part, first);
      if (const auto leaf = leaves_.find(half); leaf != leaves_.end()) {
        leaves_.insert_or_assign(part, std::move(leaf->second));
        leaves_.erase(half);
      }
      ++dropped;
      break;
    }
  }
  return dropped;
}

}  // namespace outward
