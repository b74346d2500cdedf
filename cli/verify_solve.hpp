// One query from options and model to outcome and certificate: what `verify` does once, and `--radius max` often.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "bounds/verify.hpp"
#include "certificates/certificate_text.hpp"
#include "cli/verify_options.hpp"
#include "runtime/capsules/planner.hpp"
#include "runtime/graph/graph.hpp"

namespace outward::cli {

extern std::atomic<bool> interrupted;  // Ctrl-C was pressed once

struct Solved {
  Property property;
  Outcome outcome;
  Semantics semantics = Semantics::real;
  bool real_only = false;  // proved by the fall-back of --semantics best
  // Under capsule: the plan, and why there is no certificate ("" if there is one, or nothing to certify).
  std::shared_ptr<const AcceptedPlan> plan;
  std::string uncertified;
  CertificateText certificate;  // empty: there is nothing to certify, or its temporary file was lost (outcome)
};

// What the options say about a radius query; centre, label and target are left to the caller.
RadiusRecord radius_record(const Options& o);

// What --semantics names for the graph (best: the float claim). Throws UsageError if it does not fit.
Semantics semantics_of(const Options& o, const Graph& graph);

// The property of the options; notes receive what was assumed because no option said otherwise.
Property make_property(const Options& o, const Model& model, std::vector<std::string>& notes);

// Throws UsageError if the semantics do not fit the model.
Solved solve(const Options& o, const Model& model, const Network& net, Property property, double seconds_used);

}  // namespace outward::cli
