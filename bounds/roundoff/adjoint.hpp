// End-to-end bounds: the difference of two runs, exact and computed, taken back from an operator to what each operator
// below adds. computed − exact at an operator is J·(the same at its operands) + its local error, with the *same* J for
// both runs: by the mean value theorem J lies between the least and the greatest slope over the ranges of both, so
// there is no second-order term. Two forms:
//   mean value   J as intervals: error <= Σ_k sup|J_k|·local_k
//   difference   a piece whose slope is only known to lie in [s, t] becomes (s+t)/2·Δ + ρ, |ρ| <= (t−s)/2·(its error):
//                CROWN (Zhang et al. 2018) on the network of differences, whose lines are the best ones around |Δ| <= e
// Assumes an analysis of the program. Promises upper bounds, rounded up; coefficients are computed to nearest with
// their rounding in a radius (the terms of bounds/rounding.hpp).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "bounds/roundoff/analysis.hpp"
#include "bounds/state.hpp"

namespace outward::roundoff {

enum class Form { mean_value, difference };

struct DifferenceBounds {
  std::vector<double> bound;              // per row
  std::vector<std::vector<double>> part;  // per row and operator: what it contributes; they sum up to the bound
};

// Whether every operator from which `top` can be reached has a slope here.
bool has_slopes(const Program& program, std::uint32_t top);
// Multiplications of one row, about.
double backward_work(const Program& program, std::uint32_t top);

// Rows: unit vectors over the elements of operator top. REQUIRES has_slopes(program, top).
DifferenceBounds difference_bounds(const Program& program, const Analysis& analysis, std::uint32_t top,
                                   std::span<const std::uint32_t> elements, Form form);

// Analysis whose errors before piecewise-linear operators are bounded by these forms too, as long as that takes no more
// than `work` multiplications. spent: how many it took; skipped: operators left as they were.
struct TightAnalysis {
  Analysis analysis;
  double spent = 0;
  std::size_t skipped = 0;
};
TightAnalysis analyse_tightly(const Program& program, const Box& box, const std::vector<Quantities>& exact,
                              double work);

// |ν_k|·δ_k of every node k for CROWN's lower bound of sign·(element of top) with the lines and error boxes of a scope.
// REQUIRES a program without casts, one operator for each node of the state's graph.
std::vector<double> box_shares(const Program& program, const State& state, std::uint32_t top, std::uint32_t element,
                               double sign);

struct EndToEnd {
  std::vector<double> forward, mean_value, difference, best;  // per output; mean_value and difference may be empty
  std::vector<const char*> form;                              // of best, per output
  std::vector<std::vector<double>> part;                      // of best, per output and operator; empty if forward only
};
EndToEnd end_to_end(const Program& program, const Analysis& analysis);

}  // namespace outward::roundoff
