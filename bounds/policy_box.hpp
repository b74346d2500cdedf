// The error boxes of a plan's policies, for the semantics `capsule` (REQUIRES Network::follow), and of leaky nodes
// under the other float claims. All rounded up.
#pragma once
#include <vector>

#include "bounds/network.hpp"
#include "bounds/semantics.hpp"

namespace outward {

// δ of the elements of root k from the absolute sums S and the magnitude P of its group (FORMAT.md section 3); empty if
// all are 0. False, and nothing is known, where the policies exclude neither overflow nor sums too long to bound.
bool policy_box(const Network& net, std::uint32_t k, const std::vector<double>& sum, double magnitude,
                std::vector<double>& delta);

// δ of the elements of a node that adds nothing up: relu, leaky, clip, abs, max. lo: lower ends of its operand, looked
// at for leaky. Empty if all are 0.
std::vector<double> policy_box(const Network& net, std::uint32_t k, const std::vector<double>& lo);

// FORMAT.md section 3: δ of a leaky node under fp32_any and fp64_any.
std::vector<double> leaky_box(const FloatModel& model, const Node& node, const std::vector<double>& lo);

}  // namespace outward
