// One batch of rows on its way from a node back to the input. Internal to bounds/; the rules live in
// backward_rules.cpp.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "bounds/row_lines.hpp"
#include "bounds/state.hpp"

namespace outward {

// What all batches of one call share; computed from the state when the call starts.
struct Prepared {
  Prepared(const Network& net, const State& state, std::uint32_t top, bool rigorous);
  std::vector<std::vector<double>> weight;  // per piecewise node: cost of one unit of |ν| after its line (terms i, ii)
  std::vector<std::vector<double>> absolute;  // per stored node with several readers: max |value| (term iii)
  std::vector<char> charged;                  // the node's cost is already part of its reader's weight
  std::vector<double> centre, radius, reach;  // of node 0; reach = max |x|
};

// Buffers of one worker, reused from node to node and from batch to batch: only live nodes hold one, so that a pass
// works in few megabytes whatever the depth of the network.
struct Workspace {
  explicit Workspace(std::size_t nodes) : coefficient(nodes), active(nodes, 0) {}
  std::vector<std::vector<double>> coefficient;  // per node, rows × size; empty unless active
  std::vector<char> active;
  std::vector<std::vector<double>> spare;
  std::vector<double> scratch, columns, compact;

  void release(std::uint32_t k) {
    active[k] = 0;
    if (!coefficient[k].empty()) spare.push_back(std::move(coefficient[k]));
    coefficient[k].clear();
  }
};

struct Pass {
  Pass(const Network& n, const State& s, const Prepared& p, Workspace& w, std::size_t r, bool rig)
      : net(n),
        state(s),
        prepared(p),
        work(w),
        rows(r),
        rigorous(rig),
        constant(r, 0.0),
        absolute(r, 0.0),
        error(r, 0.0) {}

  const Network& net;
  const State& state;
  const Prepared& prepared;
  Workspace& work;
  std::size_t rows;
  bool rigorous;
  // Per row: Σ of constants so far (nearest), Σ of their absolute values, Σ of error terms. The row's form is at least
  // coefficients·values + constant − error − (rounding of these sums, added in `lower`).
  std::vector<double> constant, absolute, error;
  std::uint64_t terms = 0;                              // length of the longest of these sums
  double tiny = 0;                                      // underflow, for every row
  bool top_charged = false;                             // `error` holds State::cost of the top node already
  std::vector<std::vector<double>>* at_node = nullptr;  // Planes::at_node
  const RowLines* row_lines = nullptr;                  // may be null
  std::size_t first_row = 0;                            // number of this pass's row 0 in row_lines
  double* plane = nullptr;  // rows × inputs: receives the coefficients that reach the input

  // Takes the rows at node `top` (work.coefficient[top], active) to the input.
  void run(std::uint32_t top);
  // After run: a lower bound per row. REQUIRES bounds.size() == rows.
  void lower(std::span<double> bounds) const;
  // Least value of the coefficients that reached the input, about.
  double least_of_plane(std::size_t row) const { return input_constant_[row] - input_error_[row]; }

  // Where a rule writes the coefficients of an operand (rows × size, uninitialised), and the end of that.
  double* begin(std::uint32_t operand);
  void end(std::uint32_t operand);
  // The lines of a row at piecewise-linear node k: the state's, or patched ones that live until the next call.
  const Lines& lines(std::size_t row, std::uint32_t k);
  // Adds Σ ν_i·c_i to row r's constant.
  void add_constant(std::size_t row, const double* nu, const double* c, std::size_t n);

 private:
  std::vector<double> input_error_, input_constant_;
  Lines patched_;
  void add_multipliers(std::uint32_t k);
  void finish_input();
};

// Passes the coefficients of node k to its operands.
void apply_backward_rule(Pass& pass, std::uint32_t k);

}  // namespace outward
