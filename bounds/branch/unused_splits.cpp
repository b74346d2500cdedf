#include "bounds/branch/unused_splits.hpp"

#include <algorithm>
#include <numeric>

namespace outward {

namespace {

using Index = ProofTree::Index;

bool contains(const std::vector<Index>& increasing, Index item) {
  return std::binary_search(increasing.begin(), increasing.end(), item);
}

constexpr std::size_t at_once = 256;  // rows in memory

// Decreasing, each once.
void unique_decreasing(std::vector<Index>& items) {
  std::sort(items.begin(), items.end(), std::greater<>());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

void UnusedSplits::add(const ProofTree& tree, Index part, const NeuronRow& row, const std::vector<double>& needs,
                       double bound) {
  std::vector<std::size_t> order(row.halves.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return needs[a] < needs[b]; });
  double lost = 0;
  std::size_t count = 0;
  while (count < order.size() && lost + needs[order[count]] < bound) lost += needs[order[count++]];
  if (count == 0) return;
  std::vector<Index> splits(row.halves.size()), unneeded;
  Index at = part;
  for (std::size_t h = row.halves.size(); h-- > 0;) splits[h] = at = tree.parent(at);
  for (std::size_t i = 0; i < count; ++i) unneeded.push_back(splits[order[i]]);
  std::sort(unneeded.begin(), unneeded.end());
  Packer packed;
  packed.put_all(unneeded);
  pack(row, packed);
  added_.push_back({tree.spool().append(packed.bytes), part});
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
                               const std::function<ProofLog(const NeuronRow&)>& record) {
  // Parts around what can do without something, the innermost first: a half has a greater index than what was split.
  std::vector<Index> candidates;
  for (const Added& a : added_) {
    Unpacker packed(tree.spool().read(a.place));
    Leaf& leaf = leaves_[a.part];
    leaf.unneeded = packed.take_all<Index>();
    leaf.row = a.place;
    candidates.insert(candidates.end(), leaf.unneeded.begin(), leaf.unneeded.end());
    if (candidates.size() > 4 * tree.parts()) unique_decreasing(candidates);
  }
  unique_decreasing(candidates);
  std::size_t dropped = 0;
  for (const Index part : candidates) {
    if (tree.state(part) != ProofTree::State::split) continue;
    std::ptrdiff_t depth = 0;  // which of the halves of a row below is that of `part`
    for (Index p = part; p != 0; p = tree.parent(p)) ++depth;
    for (const bool first : {true, false}) {
      const Index half = tree.first_half(part) + (first ? 0 : 1);
      std::vector<Index> leaves;
      if (!leaves_below(tree, half, part, leaves)) continue;
      const auto row_without = [&](Index p) {
        Unpacker packed(tree.spool().read(leaves_.at(p).row));
        packed.take_all<Index>();
        NeuronRow row = unpack_row(case_, packed);
        row.halves.erase(row.halves.begin() + depth);
        return row;
      };
      bool all = true;
      for (std::size_t from = 0; from < leaves.size() && all; from += at_once) {
        std::vector<NeuronRow> rows;
        for (std::size_t i = from; i < std::min(leaves.size(), from + at_once); ++i)
          rows.push_back(row_without(leaves[i]));
        std::vector<const NeuronRow*> asked;
        for (const NeuronRow& row : rows) asked.push_back(&row);
        all = hold(asked);
      }
      if (!all) continue;
      for (const Index p : leaves) {
        const NeuronRow row = row_without(p);
        Packer packed;
        packed.put_all(leaves_.at(p).unneeded);
        pack(row, packed);
        tree.replace_log(p, record(row));
        leaves_.at(p).row = tree.spool().append(packed.bytes);
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
