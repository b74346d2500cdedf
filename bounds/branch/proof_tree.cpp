#include "bounds/branch/proof_tree.hpp"

#include <utility>
#include <vector>

namespace outward {

// The part and all below it leave the counts.
void ProofTree::forget(Index part) {
  std::vector<Index> waiting = {part};
  while (!waiting.empty()) {
    Part& p = parts_[waiting.back()];
    waiting.pop_back();
    p.log.clear();
    if (p.state == State::split) {
      waiting.push_back(p.first_half);
      waiting.push_back(p.first_half + 1);
    } else if (p.state == State::open) {
      --open_;
    } else {
      --leaves_;
    }
  }
}

void ProofTree::replace_by_half(Index part, bool first) {
  Part& whole = parts_[part];
  forget(whole.first_half + (first ? 1 : 0));
  Part& half = parts_[whole.first_half + (first ? 0 : 1)];
  whole.log = std::move(half.log);
  whole.at = half.at;
  whole.state = half.state;
  whole.first_half = half.first_half;
  if (whole.state != State::split) return;
  for (const Index child : {whole.first_half, whole.first_half + 1}) parts_[child].parent = part;
}

void ProofTree::close(Index part) {
  parts_[part].state = State::closed;
  closed_share_ += parts_[part].share;
  parts_[part].log.shrink();
  --open_;
  ++leaves_;
}

void ProofTree::cross(Index part, const Split& at) {
  parts_[part].at = at;
  parts_[part].state = State::crossed;
  closed_share_ += parts_[part].share;
  parts_[part].log.shrink();
  --open_;
  ++leaves_;
}

ProofTree::Index ProofTree::split(Index part, const Split& at) {
  const auto first = static_cast<Index>(parts_.size());
  for (int half = 0; half < 2; ++half) {
    Part& p = parts_.emplace_back();
    p.share = 0.5 * parts_[part].share;
    p.parent = part;
  }
  parts_[part].at = at;
  parts_[part].first_half = first;
  parts_[part].state = State::split;
  parts_[part].log.shrink();
  ++open_;
  return first;
}

void ProofTree::outline(Outline& to, bool without_end) {
  using Item = OutlineItem::Kind;
  struct Step {
    Index part;
    bool begins;  // a half; else its end is what is left of it
  };
  const auto add = [&](Item kind, const Split& at = {}) { to.items.push_back({kind, nullptr, at}); };
  const auto end = [&](const Part& part) {
    switch (part.state) {
      case State::split:
        return add(Item::end_split);
      case State::crossed:
        return add(Item::end_crossed, part.at);
      case State::open:
        return add(Item::end_open);
      case State::closed:
        return add(Item::end_closed);
    }
  };
  std::vector<Step> waiting = {{0, true}};
  while (!waiting.empty()) {
    const Step step = waiting.back();
    waiting.pop_back();
    Part& part = parts_[step.part];
    if (!step.begins) {
      end(part);
      continue;
    }
    if (step.part != 0) add(Item::begin);
    if (!part.log.empty()) to.items.push_back({Item::log, &part.log, {}});
    if (step.part != 0 || !without_end) waiting.push_back({step.part, false});
    if (part.state != State::split) continue;
    add(Item::split, part.at);
    for (const Index half : {part.first_half + 1, part.first_half}) waiting.push_back({half, true});
  }
}

}  // namespace outward
