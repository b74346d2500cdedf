#include "bounds/branch/proof_tree.hpp"

#include <vector>

namespace outward {

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
  for (int half = 0; half < 2; ++half) parts_.emplace_back().share = 0.5 * parts_[part].share;
  parts_[part].at = at;
  parts_[part].first_half = first;
  parts_[part].state = State::split;
  parts_[part].log.shrink();
  ++open_;
  return first;
}

void ProofTree::write(ProofObserver& to, ProofLog::Shared shared, std::uint32_t& next, bool without_end) const {
  constexpr Index end_of_scope = 0xffffffff;
  std::vector<Index> waiting = {0};
  if (!without_end) waiting.insert(waiting.begin(), end_of_scope);
  while (!waiting.empty()) {
    const Index index = waiting.back();
    waiting.pop_back();
    if (index == end_of_scope) {
      to.close();
      continue;
    }
    const Part& part = parts_[index];
    part.log.replay(to, shared, next);
    if (part.state == State::crossed || part.state == State::open) {
      if (part.state == State::crossed)
        to.crossed(part.at.node, part.at.element);
      else
        to.leave_open();
      waiting.pop_back();  // its end of scope
    }
    if (part.state != State::split) continue;
    to.split(part.at.node, part.at.element, part.at.at);
    for (const Index half : {part.first_half + 1, part.first_half}) {
      waiting.push_back(end_of_scope);
      waiting.push_back(half);
    }
  }
}

}  // namespace outward
