#include "bounds/branch/box_branching.hpp"

#include <chrono>

#include "bounds/branch/input_split.hpp"
#include "bounds/branch/neuron_split.hpp"
#include "bounds/branch/tighten.hpp"
#include "formats/error.hpp"

namespace outward {

namespace {

BranchResult by_neurons(const Network& net, const RowTable& rows, const std::vector<CaseBound>& cases,
                        const BoxPlan& plan, const BranchOptions& options, BoxProof& proof) {
  BranchResult not_proved;
  if (!proof.root) return not_proved;
  try {
    const double seconds = options.max_domains == 0 ? plan.tighten_seconds : 0;
    tighten_root(net, *proof.root, {options.threads, options.stop, seconds}, proof.tree.root_log());
  } catch (const Interrupted&) {
    return not_proved;
  } catch (const ResourceError& error) {
    not_proved.reason = error.what();
    return not_proved;
  }
  return branch_cases(net, rows, cases, options, proof);
}

}  // namespace

BranchResult branch_cases(const Network& net, const RowTable& rows, const std::vector<CaseBound>& cases,
                          const BranchOptions& options, BoxProof& proof) {
  BranchResult all;
  all.proved = true;
  std::size_t open = 0;
  for (const CaseBound& c : cases) open += !c.refuted;
  double closed = 0;
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
    ProofTree& tree = proof.add_case();
    all = split_neurons(net, rows, *proof.root, c.case_index, rest, tree);
    all.domains += before;
    closed += tree.closed_share() / static_cast<double>(open);
  }
  all.closed_share = closed;
  if (all.proved) proof.tree.close(0);
  return all;
}

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
  if (varying > 4 * plan.most_varying_inputs) return by_neurons(net, rows, cases, plan, options, proof);
  // In between robustness is for neurons, what is close to enumeration for inputs: both are tried, and what has closed
  // more of the box starts anew with all that is left.
  const BoxProof start = proof;
  const Spool::Place before = proof.spool->end();
  std::uint64_t domains = 0;
  const auto attempt = [&](bool on_inputs, const BranchOptions& how) {
    proof = on_inputs ? BoxProof(start.spool) : start;
    start.spool->rewind(before);  // what an earlier attempt left there
    BranchResult r = on_inputs ? split_inputs(net, semantics, rows, box, how, proof.tree)
                               : by_neurons(net, rows, cases, plan, how, proof);
    if (on_inputs) r.closed_share = proof.tree.closed_share();
    r.domains = domains += r.domains;
    return r;
  };
  const auto over = [&](const BranchResult& r) { return r.proved || r.found || (options.stop && options.stop()); };
  double closed[2];
  for (const bool on_inputs : {false, true}) {
    BranchOptions trial = options;
    trial.max_domains = (options.max_domains + 5) / 6;
    trial.stop = [&, from = Clock::now()] {
      return (options.stop && options.stop()) ||
             (options.max_domains == 0 &&
              std::chrono::duration<double>(Clock::now() - from).count() > plan.trial_seconds);
    };
    const BranchResult r = attempt(on_inputs, trial);
    if (over(r)) return r;
    closed[on_inputs] = r.closed_share;
  }
  BranchOptions rest = options;
  if (options.max_domains != 0) rest.max_domains = options.max_domains > domains ? options.max_domains - domains : 1;
  return attempt(closed[true] >= closed[false], rest);
}

}  // namespace outward
