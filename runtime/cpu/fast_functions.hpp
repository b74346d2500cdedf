// The functions of runtime/graph/element_function.hpp for searches: by the machine's library, to nobody knows how many
// ulps. NOT rigorous, as fast.hpp.
#pragma once
#include "runtime/graph/element_function.hpp"

namespace outward {

double about(ElementFunction function, double x);

// About the derivative; 1 where floor, ceil and round step.
double slope_about(ElementFunction function, double x);

}  // namespace outward
