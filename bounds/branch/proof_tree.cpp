#include "bounds/branch/proof_tree.hpp"

#include <vector>

namespace outward {

void ProofTree::close(Index part) {
  parts_[part].state = State::closed;
  parts_[part].log.shrink();
  --open_;
  ++leaves_;
}

void ProofTree::cross(Index part, const Split& at) {
  parts_[part].at = at;
  parts_[part].state = State::crossed;
  parts_[part].log.shrink();
  --open_;
  ++leaves_;
}

ProofTree::Index ProofTree::split(Index part, const Split& at) {
  const auto first = static_cast<Index>(parts_.size());
  parts_.emplace_back();
  parts_.emplace_back();
  parts_[part].at = at;
  parts_[part].first_half = first;
  parts_[part].state = State::split;
  parts_[part].log.shrink();
  ++open_;
  return first;
}

void ProofTree::write(ProofObserver& to, std::uint32_t shared, std::uint32_t& next) const {
  std::vector<Index> waiting = {0};
  while (!waiting.empty()) {
    const Part& part = parts_[waiting.back()];
    waiting.pop_back();
    part.log.replay(to, shared, next);
    switch (part.state) {
      case State::split:
        to.split(part.at.node, part.at.element, part.at.at);
        waiting.push_back(part.first_half + 1);
        waiting.push_back(part.first_half);
        break;
      case State::crossed:
        to.crossed(part.at.node, part.at.element);
        break;
      case State::open:
      case State::closed:
        to.close();
        break;
    }
  }
}

}  // namespace outward
