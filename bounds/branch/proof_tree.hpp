// The proof of one box as it grows: a binary tree of splits with the steps made in each part. Parts are finished in any
// order; outline() gives the certificate's order. DESIGN section 5 "Tree". In memory a part is 16 bytes; its steps and
// its split are in a spool, which several trees may share.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>

#include "bounds/branch/proof_outline.hpp"
#include "runtime/graph/spool.hpp"

namespace outward {

class ProofTree final : public ProofSource {
 public:
  using Index = std::uint32_t;  // 0 is the whole box
  enum class State : std::uint8_t { open, closed, crossed, split };

  explicit ProofTree(std::shared_ptr<Spool> spool = std::make_shared<Spool>()) : spool_(std::move(spool)), parts_(1) {}

  // Steps of the whole box that stand before all others; always in memory.
  ProofLog& root_log() { return root_log_; }
  // Every case is refuted here, by the steps of the log, or in an enclosing part. A part that was split is not any
  // more: what is below it is gone.
  void close(Index part, const ProofLog& log = {});
  void cross(Index part, const Split& at);  // empty: the range of at.node, at.element has lo > hi
  // The steps of the log are made before the split. Returns the first half; the second is the next index.
  Index split(Index part, const Split& at, const ProofLog& log = {});

  // A part that was split becomes what its first or second half is, and the other half is gone. What is written in the
  // half must hold in the whole part. REQUIRES that the part has no steps of its own.
  void replace_by_half(Index part, bool first);

  // Throw ResourceError if the spool does. REQUIRES a part that is not open.
  ProofLog log(Index part) const override;
  void replace_log(Index part, const ProofLog& log) override;
  Split split_of(Index part) const override;

  State state(Index part) const { return static_cast<State>(parts_[part].state); }
  Index first_half(Index part) const { return parts_[part].first_half; }  // REQUIRES that it was split
  Index parent(Index part) const { return parts_[part].parent; }          // REQUIRES part != 0
  std::size_t open_parts() const { return open_; }
  std::size_t parts() const { return parts_.size(); }
  std::size_t leaves() const { return leaves_; }
  // How much of the box is done, each half counting half of what was split (Knuth 1975): 0 … 1.
  double closed_share() const { return closed_share_; }
  Spool& spool() const { return *spool_; }

  // Appends every part, that is: for each split its two halves and then the end of the scope that was split.
  // Parts that are open are said to be so. without_end: the last end is left to the caller, who goes on in the scope of
  // the whole box. The steps stay this tree's.
  void outline(Outline& to, bool without_end = false);
  // Appends the steps of root_log, also when there are none.
  void outline_root(Outline& to);

 private:
  static constexpr Index before_all = 0xffffffff;  // stands for root_log_ in outlines
  struct Part {
    std::uint64_t place : 61 = Spool::nowhere;  // of a split, then the log
    std::uint64_t has_log : 1 = 0, state : 2 = 0;
    Index first_half = 0, parent = 0;
  };
  static_assert(sizeof(Part) == 16);

  void forget(Index part);
  void finish(Index part, State state, const Split& at, const ProofLog& log);
  void store(Index part, const Split& at, const ProofLog& log);
  std::vector<std::uint8_t> stored(Index part) const;

  std::shared_ptr<Spool> spool_;
  std::deque<Part> parts_;
  ProofLog root_log_;
  std::size_t open_ = 1, leaves_ = 0;
  double closed_share_ = 0;
};

}  // namespace outward
