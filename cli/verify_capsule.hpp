// `verify --semantics capsule --profile P`: the claim about what a plan of kernels computes. The plan's policies give
// the error boxes. A certificate claims fp32_any or fp64_any where that covers every policy, else capsule, under one
// policy that covers them all, if there is one.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bounds/verify.hpp"
#include "certificates/writer.hpp"
#include "cli/verify_options.hpp"
#include "runtime/capsules/planner.hpp"

namespace outward::cli {

struct PlannedQuery {
  std::shared_ptr<const AcceptedPlan> plan;
  std::vector<NumericalPolicy> policies;  // of the plan, one per node
  std::vector<NumericalPolicy> bounded;   // what the bounds follow: those, or `common` where a certificate claims it
  Execution execution;                    // empty if this program cannot follow the policies
  bool covered = false;                   // every policy is covered by the float claim of the element type
  bool weakened = false;                  // `bounded` allows more than sums in other orders where `policies` do not
  std::optional<NumericalPolicy> common;  // otherwise: what a certificate can claim instead, if anything
  CertificateHeader claimed;              // semantics and numerics of a certificate; "" if there can be none
};

// Plans the model; throws what the gate throws. With --certificate the bounds follow the common policy if that is what
// the certificate has to claim: the checker has one policy for all nodes.
PlannedQuery plan_query(const Options& o, const Model& model);

// Names the records that the plan rests on in a certificate that has no box yet.
void name_capsules(const AcceptedPlan& plan, CertificateWriter& to);

// Tries to prove the property by running the plan at the ends of every box, and of up to so many parts of it, where the
// policies leave no choice or one that can be followed (ranges_under); stop is asked for every part. True: the outcome
// is `holds` now, without a certificate.
bool proved_by_ends(const PlannedQuery& planned, const Model& model, const Property& property, std::uint64_t most_parts,
                    const std::function<bool()>& stop, Outcome& outcome, std::string& uncertified);

// After the prover: drops the certificate where `check` would not accept it, and says why in `uncertified`.
void judge_planned(const PlannedQuery& planned, const Model& model, const Property& property, const Outcome& outcome,
                   CertificateText& certificate, std::string& uncertified);

// Profile, weakest label, assumptions, and the records with their policies and digests.
std::vector<std::string> summary_lines(const AcceptedPlan& plan);

}  // namespace outward::cli
