// `verify --radius max`: the largest radius that is certified and the smallest that is refuted, by bisection.
#pragma once
#include <functional>
#include <string>

#include "cli/verify_solve.hpp"

namespace outward::cli {

struct RadiusSearch {
  std::string certified, refuted;  // decimals with three digits; empty: none found
  Solved best;                     // of the certified radius, else of the refuted one, else of the last try
};

// Radii between 10^-6 and 10^6 times 0.01. Each try gets a sixth of --timeout, or ten seconds;
// the first try is made however little that is. Throws UsageError if nothing is asked of a single output.
RadiusSearch search_radius(const Options& options, const Model& model, const Network& net,
                           std::vector<std::string>& notes);

}  // namespace outward::cli
