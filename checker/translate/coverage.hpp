// Do closed boxes cover a closed box? Exact: only the order of the end points counts, so a gap of one unit in the last
// place is found. Promises the right answer, or ReadError (limit) when more work than the budget would be needed.
#pragma once
#include "checker/translate/torchlean.hpp"

namespace outward_check::torchlean {

// REQUIRES every part inside root, no box reversed. On failure a point of root that no part covers, roughly.
bool covers(const std::vector<Region>& parts, const Region& root, Vector* uncovered);

}  // namespace outward_check::torchlean
