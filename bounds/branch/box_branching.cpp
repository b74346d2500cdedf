#include "bounds/branch/box_branching.hpp"

#include <chrono>

#include "bounds/branch/input_split.hpp"
#include "bounds/branch/neuron_split.hpp"

namespace outward {

namespace {

// One tree for each case that is open.
BranchResult by_neurons(const Network& net, const RowTable& rows, const std::vector<CaseBound>& cases,
                        const BranchOptions& options, BoxProof& proof) {
  BranchResult all;
  all.proved = proof.root.has_value();
  for (const CaseBound& c : cases) {
    if (c.refuted || !all.proved) continue;
    BranchOptions rest = options;
    if (options.max_domains != 0) {
      if (all.domains >= options.max_domains) {
        all.proved = false;
        all.exhausted = true;
        break;
      }
      rest.max_domains = options.max_domains - all.domains;
    }
    const std::uint64_t before = all.domains;
    all = split_neurons(net, rows, *proof.root, c.case_index, rest, proof.add_case());
    all.domains += before;
  }
  if (all.proved) proof.tree.close(0);
  return all;
}

}  // namespace

std::size_t varying_inputs(const Property& property, std::uint32_t box) {
  std::size_t n = 0;
  for (const InputRange& r : property.boxes[box]) n += r.lo < r.hi;
  return n;
}

BranchResult branch_box(const Network& net, Semantics semantics, const RowTable& rows, std::uint32_t box,
                        const std::vector<CaseBound>& cases, const BoxPlan& plan, const BranchOptions& options,
                        BoxProof& proof) {
  using Clock = std::chrono::steady_clock;
  const std::size_t varying = varying_inputs(rows.property(), box);
  if (varying <= plan.most_varying_inputs) return split_inputs(net, semantics, rows, box, options, proof.tree);
  if (varying > 4 * plan.most_varying_inputs) return by_neurons(net, rows, cases, options, proof);
  // In between robustness is for neurons, what is close to enumeration for inputs.
  BranchOptions first = options;
  first.max_domains = options.max_domains / 3;
  first.stop = [&, from = Clock::now()] {
    return (options.stop && options.stop()) ||
           (options.max_domains == 0 &&
            std::chrono::duration<double>(Clock::now() - from).count() > plan.neuron_seconds);
  };
  BranchResult r = by_neurons(net, rows, cases, first, proof);
  if (r.proved || r.found || (options.stop && options.stop())) return r;
  proof = BoxProof();
  const std::uint64_t before = r.domains;
  BranchOptions rest = options;
  if (options.max_domains != 0) rest.max_domains = options.max_domains > before ? options.max_domains - before : 1;
  r = split_inputs(net, semantics, rows, box, rest, proof.tree);
  r.domains += before;
  return r;
}

}  // namespace outward
