// Lines around functions of one element, for backward passes. Assumes a range of the operand that holds every
// execution. Promises lines that hold for the exact function and, moved apart by `error`, for whatever a kernel that
// stays within it computes.
//
// On [l, u] with f' >= s there: f(x) − s·x rises, so s·x + (f(l) − s·l) is below and s·x + (f(u) − s·u) above (Singh et
// al. 2018, "Fast and effective robustness certification", section 4.3). Where f bends one way, a chord lies on the
// other side of it.
#pragma once
#include "bounds/relaxation.hpp"
#include "runtime/graph/element_function.hpp"

namespace outward {

// least <= f(lo) and f(hi) <= greatest, each within one number of binary64 of it: what `evaluate` gives for an
// increasing function. Lines of slope 0 for functions that are not known to rise, and for unbounded ranges.
ElementLines function_lines(ElementFunction function, double lo, double hi, double least, double greatest,
                            double error);

}  // namespace outward
