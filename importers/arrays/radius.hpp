// Radius queries of certificates/FORMAT.md section 4: a box around a point, and what counts as unsafe.
// Assumes: a valid graph. Promises: exact rationals throughout; a query that makes no sense is a UsageError that names
// the option.
#pragma once
#include <vector>

#include "formats/error.hpp"
#include "runtime/graph/graph.hpp"
#include "runtime/graph/property.hpp"

namespace outward {

// query: centre_bits as read_array gives them and the user's decimal texts; target is "label", "range", "deviation" or
// "none". reference: the outputs at reference_input(), only read for target deviation.
Property radius_property(const RadiusRecord& query, const Graph& graph, const std::vector<double>& reference = {});

// The centre after scale, mean and std, before the clip, rounded to nearest even in the element type: where the
// reference outputs of target deviation are taken, and the usual first point of an attack.
std::vector<double> reference_input(const RadiusRecord& query, const Graph& graph);

}  // namespace outward
