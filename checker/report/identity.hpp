// Whether a certificate names what it is checked against: digests and files of the model and the property, and the
// invariants of their data structures. Nothing here can turn a verdict to VALID: the kernel follows every record for
// the graph and the property that were read, whatever their names; a mistake here lets a certificate with a wrong name
// pass or refuses a right one.
#pragma once
#include <string>

#include "checker/kernel/check.hpp"

namespace outward_check {

// Empty if the graph has the invariants of FORMAT.md section 1 (operand order, lengths, ranges of indices, finite
// payload, reachability), else what is wrong. A second look: the reader promises such graphs.
std::string graph_fault(const Graph& graph);

std::string graph_digest(const Graph& graph);           // FORMAT.md section 1
std::string property_digest(const Property& property);  // FORMAT.md section 4

// The model record against the model that was read. Throws Rejection, ReadError for a faulty graph.
void compare_model(const Record& record, const ModelRead& model);
// Whether the property record names the property. Throws Rejection if the digest is right and a count, or (for a
// property that was asked) the file it was read from, is not.
bool names_property(const Record& record, const Property& property, bool is_asked);

}  // namespace outward_check
