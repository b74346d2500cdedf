// Execution of a graph under numerical policies, node by node, on this machine's binary32 and binary64: one execution
// that the policies allow, the reference order of certificates/FORMAT.md section 5 except where they say otherwise
// (pairwise sums, fused steps, flushed subnormals, operands rounded to a shorter format); functions (kind 17) correctly
// rounded, which every number of ulps allows. Written apart from
// runtime/cpu/reference.cpp, against which it is compared. Assumes the default rounding mode and gradual underflow.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/capsules/policy.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

// Why this executor cannot follow a policy in the element type ("" if it can): another format or accumulator, another
// rounding, a block model, operands with another exponent range.
std::string cannot_execute(const NumericalPolicy& policy, ElementType element);

// True if the policy leaves no choice in this operator: every execution gives the same bits.
bool is_determined(const NumericalPolicy& policy, std::string_view op);

// policies: one per node (those of input and constants are not looked at). input: numbers of the element type. Returns
// the values of the output node; all values in nodes if that is not null. Throws ResourceError if something cannot be
// executed or a count is wrong.
std::vector<double> run_under(const Graph& graph, const std::vector<NumericalPolicy>& policies,
                              const std::vector<double>& input, std::vector<std::vector<double>>* nodes = nullptr);

// Ranges of all outputs over inputs lo <= x <= hi, both numbers of the element type. Every operation of a policy is
// monotone in each operand, so that where policies leave no choice (is_determined) the ends are executions themselves
// and the ranges hold every executed value. Choices that are followed: contractions of up to ten terms by themselves
// (not fused with other sums, no factor moved through them) in every order and fusion, and the ulps of functions.
// False, and nothing is said, if a policy leaves another choice or cannot be executed, or a value is not finite.
bool ranges_under(const Graph& graph, const std::vector<NumericalPolicy>& policies, const std::vector<double>& lo,
                  const std::vector<double>& hi, std::vector<double>& out_lo, std::vector<double>& out_hi);

}  // namespace outward
