// The proof of one box as it grows: a binary tree of splits with the steps made in each part. Parts are finished in any
// order; outline() gives the certificate's order. DESIGN section 5 "Tree".
#pragma once
#include <cstdint>
#include <deque>

#include "bounds/branch/proof_outline.hpp"

namespace outward {

class ProofTree {
 public:
  using Index = std::uint32_t;  // 0 is the whole box
  enum class State : std::uint8_t { open, closed, crossed, split };

  ProofTree() : parts_(1) {}

  ProofLog& log(Index part) { return parts_[part].log; }
  const ProofLog& log(Index part) const { return parts_[part].log; }
  // Every case is refuted here or in an enclosing part. A part that was split is not any more: what is below it is
  // gone.
  void close(Index part);
  void cross(Index part, const Split& at);   // empty: the range of at.node, at.element has lo > hi
  Index split(Index part, const Split& at);  // returns the first half; the second is the next index

  // A part that was split becomes what its first or second half is, and the other half is gone. What is written in the
  // half must hold in the whole part. REQUIRES that the part has no steps of its own.
  void replace_by_half(Index part, bool first);

  State state(Index part) const { return parts_[part].state; }
  Index first_half(Index part) const { return parts_[part].first_half; }  // REQUIRES that it was split
  Index parent(Index part) const { return parts_[part].parent; }          // REQUIRES part != 0
  bool closed(Index part) const { return parts_[part].state == State::closed; }
  bool gone(Index part) const;  // something around it is closed
  std::size_t open_parts() const { return open_; }
  std::size_t parts() const { return parts_.size(); }
  std::size_t leaves() const { return leaves_; }
  // How much of the box is done, each half counting half of what was split (Knuth 1975): 0 … 1.
  double closed_share() const { return closed_share_; }

  // Appends every part, that is: for each split its two halves and then the end of the scope that was split.
  // Parts that are open are said to be so. without_end: the last end is left to the caller, who goes on in the scope of
  // the whole box. The logs stay this tree's.
  void outline(Outline& to, bool without_end = false);

 private:
  void forget(Index part);
  struct Part {
    ProofLog log;
    Split at;
    Index first_half = 0, parent = 0;
    State state = State::open;
    double share = 1;  // of the box
  };
  std::deque<Part> parts_;
  std::size_t open_ = 1, leaves_ = 0;
  double closed_share_ = 0;
};

}  // namespace outward
