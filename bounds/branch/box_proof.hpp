// The whole proof of one box: steps without branching, or a tree of halved inputs, or the root's steps followed by one
// tree of halved neurons for each case that they leave open.
#pragma once
#include <deque>
#include <optional>

#include "bounds/branch/proof_tree.hpp"
#include "bounds/prove.hpp"

namespace outward {

struct BoxProof {
  ProofTree tree;                 // its first log holds the root's steps
  std::optional<RootProof> root;  // set when neurons are halved
  std::deque<ProofTree> cases;    // what root leaves open, one tree a case; each hangs below the whole box

  ProofTree& add_case() { return cases.emplace_back(); }
  std::uint64_t open_parts() const {
    std::uint64_t n = root ? !proved() : tree.open_parts();
    for (const ProofTree& c : cases)
      if (c.parts() > 1) n += c.open_parts();
    return n;
  }
  bool proved() const { return tree.open_parts() == 0; }

  // Slope ids from next_id on. What is not proved is said to be open.
  void write(ProofObserver& to, std::uint32_t& next_id) const {
    if (!root) return tree.write(to, {}, next_id);
    const ProofLog::Shared root_ids{root->slope_count, next_id};
    tree.log(0).replay(to, {}, next_id);
    bool whole = proved();
    for (const ProofTree& c : cases) {
      // A tree that was never split can't say that its only part is open without ending the box.
      if (c.open_parts() == 0 || c.parts() > 1) c.write(to, root_ids, next_id, true);
    }
    if (whole)
      to.close();
    else
      to.leave_open();
  }
};

}  // namespace outward
