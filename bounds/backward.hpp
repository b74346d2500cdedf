// Backward bound propagation (CROWN; Zhang et al. 2018, with the rounding terms of DESIGN section 1): a rigorous lower
// bound of linear forms over one node's elements, batched over rows. Every bound returned is valid for every trace in
// the state's scope.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "bounds/row_lines.hpp"
#include "bounds/state.hpp"

namespace outward {

// Linear forms over the elements of one node. coefficient is rows×n; radius (same shape or empty) encloses the exact
// one.
struct Forms {
  std::size_t rows = 0;
  std::vector<double> coefficient, radius;
  std::vector<double> constant;  // per row, rounded down
};

// What a pass ends with: form r >= coefficient[r]·x + offset[r] over the input box, up to rounding. NOT rigorous: for
// choosing splits, points and multipliers.
struct Planes {
  std::vector<double> coefficient, offset;  // rows × inputs, rows
  // Asked for by sizing it to the number of nodes, for one row: the coefficients that reached each piecewise-linear
  // node.
  std::vector<std::vector<double>> at_node;
};

// Thrown out of a pass when the deadline has passed or a stop was asked; nothing computed so far is lost.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

struct EngineOptions {
  unsigned threads = 2;
  bool rigorous = true;        // false only in benchmarks: leaves out every rounding term, results are no bounds
  std::function<bool()> stop;  // polled between batches; true: throw Interrupted
};

class BackwardEngine {
 public:
  BackwardEngine(const Network& net, EngineOptions options);
  ~BackwardEngine();
  BackwardEngine(const BackwardEngine&) = delete;
  BackwardEngine& operator=(const BackwardEngine&) = delete;

  // bounds[i] <= sign·z_k[elements[i]]. REQUIRES lines of every node below k that the pass meets. −inf when nothing is
  // known.
  void unit_bounds(const State& state, std::uint32_t k, std::span<const std::uint32_t> elements, double sign,
                   std::span<double> bounds, Planes* planes = nullptr);
  // bounds[r] <= form r at node k. planes and row_lines may be null.
  void form_bounds(const State& state, std::uint32_t k, const Forms& forms, std::span<double> bounds,
                   Planes* planes = nullptr, const RowLines* row_lines = nullptr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace outward
