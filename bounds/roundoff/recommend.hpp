// Which operators may be computed in a narrower format while the end-to-end bound stays below a target.
// A greedy search: operators with the smallest share first, the narrowest format first; every choice is kept only if
// the whole program, analysed anew with it, keeps the target. So the answer is sound; it need not be the best one.
#pragma once
#include <string>
#include <vector>

#include "bounds/roundoff/adjoint.hpp"
#include "runtime/graph/graph.hpp"

namespace outward::roundoff {

struct Recommendation {
  bool reached = false;             // whether the target holds with nothing changed
  std::vector<std::string> format;  // per node of the graph
  double bound = 0;                 // greatest end-to-end bound of an output with these formats
  std::size_t tried = 0;
  bool complete = true;  // false: the number of tries was used up
};

struct RecommendOptions {
  double target = 0;
  std::size_t tries = 200;
  std::vector<std::string> candidates = {"e4m3fn", "e5m2", "bfloat16", "binary16"};
};

// base: the arithmetic of operators that stay; narrower ones accumulate in its accumulator.
// share: per operator of the program, any figure that grows with what it contributes.
Recommendation recommend(const Graph& graph, const Arithmetic& base, const Box& box,
                         const std::vector<Quantities>& exact_of_node, const std::vector<double>& share_of_node,
                         const RecommendOptions& options);

}  // namespace outward::roundoff
