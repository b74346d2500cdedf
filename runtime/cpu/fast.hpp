// Fast forward and gradient runs in binary64 for attacks. NOT rigorous: results are rounded in an unspecified order and
// must never support a verdict; replay a found point with run_reference or run_exact.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/graph/graph.hpp"

namespace outward {

class FastNetwork {
 public:
  // Keeps its own copy of the constants; the graph may go away. REQUIRES validate(graph).
  explicit FastNetwork(const Graph& graph);
  ~FastNetwork();
  FastNetwork(FastNetwork&&) noexcept;
  FastNetwork& operator=(FastNetwork&&) noexcept;

  std::size_t inputs() const;
  std::size_t outputs() const;

  // points: count rows of inputs() values, row-major. Returns count rows of outputs() values. Keeps the values of all
  // nodes for gradient(). Memory is O(count * sum of node sizes). Not safe to call from two threads on one object.
  const std::vector<double>& forward(const std::vector<double>& points, std::size_t count);

  // Gradient of Σ_j coefficients[p][j]·y_j with respect to the input at each point of the last forward() call
  // (count rows of outputs() coefficients in, count rows of inputs() derivatives out). At a kink some one-sided
  // derivative is used.
  const std::vector<double>& gradient(const std::vector<double>& coefficients);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace outward
