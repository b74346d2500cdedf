// `verify --deploy F [--accumulate G]`: what is proved over the reals holds for the network deployed in F as well, once
// every unsafe row is moved by the end-to-end rounding error. cli/ROUNDOFF.md.
#pragma once
#include <string>
#include <vector>

#include "bounds/verify.hpp"
#include "cli/verify_options.hpp"
#include "importers/onnx/onnx.hpp"

namespace outward::cli {

// The property whose unsafe outputs are all those within the rounding error of an unsafe one: if it holds over the
// reals, the given one holds for every execution in F (inputs rounded once, sums in any order with any fusion). Throws
// InputRefused where some output has no finite bound, UsageError where the property asks nothing.
Property deployed_property(const Options& options, const Model& model, const Network& net, const Property& property,
                           std::vector<std::string>& notes);

// A point that is only within the rounding error of an unsafe one refutes nothing: violated becomes unknown, and
// nothing is said about other semantics.
void weaken_violated(Outcome& outcome);

}  // namespace outward::cli
