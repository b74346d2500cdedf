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
  bool proved() const { return tree.open_parts() == 0; }

  // REQUIRES proved(). Slope ids from next_id on.
  void write(ProofObserver& to, std::uint32_t& next_id) const {
    const ProofLog::Shared root_ids{root ? root->slope_count : 0, next_id};
    tree.write(to, {}, next_id, true);
    for (const ProofTree& c : cases) c.write(to, root_ids, next_id, true);
    to.close();
  }
};

}  // namespace outward
