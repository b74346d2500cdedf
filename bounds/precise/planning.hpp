// The plan of a box with what else is chosen once, in binary64: weights of the rows of a case and inputs worth halving.
// Assumes a valid graph and a box of finite ends. Promises: any result is sound to use; it depends on the box, the
// graph, the claim and the case alone, never on the format of the bounds.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "bounds/precise/plan.hpp"
#include "bounds/semantics.hpp"
#include "runtime/graph/property.hpp"

namespace outward::precise {

struct CasePlan {
  // Σ weights[r] * row r, each row divided by its greatest absolute coefficient, may refute what no row does. Empty:
  // there are not two rows, or one of them does as well.
  std::vector<double> weights;
  std::uint32_t input = 0;  // the input to halve
};

struct BoxPlan {
  Plan plan;
  std::vector<CasePlan> cases;  // of the cases asked for, in order
};

// check: as for Engine.
BoxPlan plan_box(const Graph& graph, const Property& property, const std::vector<InputRange>& box,
                 const std::vector<std::uint32_t>& cases, const FloatModel& model, const std::function<void()>& check);

// The greatest absolute coefficient of a row, at least 1.
Integer greatest_coefficient(const Row& row);

}  // namespace outward::precise
