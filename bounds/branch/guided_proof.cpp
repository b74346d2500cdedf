#include "bounds/branch/guided_proof.hpp"

#include <algorithm>

#include "bounds/branch/box_branching.hpp"
#include "bounds/branch/input_split.hpp"
#include "formats/error.hpp"

namespace outward {

namespace {

bool splits_neurons(const SplitGuide& guide) {
  return std::any_of(guide.parts.begin(), guide.parts.end(),
                     [](const SplitGuide::Part& p) { return p.is_split && p.node != 0; });
}

}  // namespace

GuidedResult prove_along(const Network& net, const Property& property, const std::vector<SplitGuide>& guides,
                         const GuidedOptions& options, ProofObserver& observer) {
  GuidedResult result;
  const RowTable rows(property);
  std::vector<BoxProof> proofs(property.boxes.size(), BoxProof());
  BoxProver prover(net, options.semantics, {options.threads, true, options.stop});
  const auto failed = [&](std::uint32_t box, const std::string& why) {
    result.reason = "box " + std::to_string(box) + ": " + why;
    return result;
  };
  for (std::uint32_t b = 0; b < property.boxes.size(); ++b) {
    BoxProof& proof = proofs[b];
    const bool neurons = splits_neurons(guides[b]);
    prover.number_slopes_from(0);
    const BoxResult root = prover.prove(rows, b, proof.tree.root_log(), neurons ? &proof.root : nullptr);
    if (root.interrupted) return failed(b, "stopped");
    if (!root.overflow.empty()) return failed(b, root.overflow);
    if (root.proved()) {
      proof.tree.close(0);
      continue;
    }
    BranchOptions how;
    how.threads = options.threads;
    how.stop = options.stop;
    how.guide = &guides[b];
    how.max_domains = options.max_domains == 0 ? 0 : options.max_domains - result.domains;
    BranchResult r;
    if (options.max_domains == 0 || how.max_domains != 0) {
      if (!neurons) proof.tree.root_log().clear();
      r = neurons ? branch_cases(net, rows, root.cases, how, proof)
                  : split_inputs(net, options.semantics, rows, b, how, proof.tree);
    }
    result.domains += r.domains;
    if (!r.proved) return failed(b, r.reason.empty() ? "not proved within the limits" : r.reason);
  }
  std::uint32_t next_id = 0;
  for (std::uint32_t b = 0; b < proofs.size(); ++b) {
    result.splits += proofs[b].splits();
    observer.begin_box(b);
    proofs[b].write(net, observer, next_id);
  }
  result.proved = true;
  return result;
}

}  // namespace outward
