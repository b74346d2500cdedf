// The whole proof of one box: steps without branching, or a tree of halved inputs, or the root's steps followed by one
// tree of halved neurons for each case that they leave open.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "bounds/branch/proof_tree.hpp"
#include "bounds/branch/trim_steps.hpp"
#include "bounds/prove.hpp"

namespace outward {

struct BoxProof {
  explicit BoxProof(std::shared_ptr<Spool> kept = std::make_shared<Spool>()) : spool(std::move(kept)), tree(spool) {}

  std::shared_ptr<Spool> spool;
  ProofTree tree;                 // its root_log holds the root's steps
  std::optional<RootProof> root;  // set when neurons are halved
  std::deque<ProofTree> cases;    // what root leaves open, one tree a case; each hangs below the whole box

  ProofTree& add_case() { return cases.emplace_back(spool); }
  std::uint64_t open_parts() const {
    std::uint64_t n = root ? !proved() : tree.open_parts();
    for (const ProofTree& c : cases)
      if (c.parts() > 1) n += c.open_parts();
    return n;
  }
  bool proved() const { return tree.open_parts() == 0; }
  std::uint64_t splits() {
    std::uint64_t n = 0;
    for (const OutlineItem& item : outline().items) n += item.kind == OutlineItem::Kind::split;
    return n;
  }

  // What is not proved is said to be open.
  Outline outline() {
    Outline out;
    if (!root) {
      tree.outline(out);
      return out;
    }
    out.shared = root->slope_count;
    // Also when it is empty: its ids are those that the others share.
    tree.outline_root(out);
    for (ProofTree& c : cases) {
      // A tree that was never split can't say that its only part is open without ending the box.
      if (c.open_parts() == 0 || c.parts() > 1) c.outline(out, true);
    }
    out.items.push_back({proved() ? OutlineItem::Kind::end_closed : OutlineItem::Kind::end_open, 0, 0});
    return out;
  }

  // Leaves out what nothing rests on, and reports the rest. Slope ids from next_id on.
  void write(const Network& net, ProofObserver& to, std::uint32_t& next_id) {
    const Outline all = outline();
    trim_steps(net, all);
    write_outline(all, to, next_id);
  }
};

}  // namespace outward
