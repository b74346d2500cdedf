// Fast forward and gradient runs in binary64 for attacks. NOT rigorous: results are rounded in an unspecified order and
// must never support a verdict; replay a found point with run_reference or run_exact.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/graph/graph.hpp"

namespace outward {

// Decides, while coefficients travel back through the network, by which lines its piecewise-linear nodes are replaced.
class LineChooser {
 public:
  virtual ~LineChooser() = default;
  // Coefficients that have reached a node (count × size), before it is passed; may be changed.
  virtual void arrive(std::uint32_t /*node*/, double* /*coefficients*/) {}
  // relu, leaky, clip, abs: the line of each point and element (count × size each).
  virtual void lines(std::uint32_t node, const double* coefficients, double* slope, double* offset) = 0;
  // max: likewise, for the line slope·x[chosen] + offset.
  virtual void max_lines(std::uint32_t node, const double* coefficients, std::uint32_t* chosen, double* slope,
                         double* offset) = 0;
};

class FastNetwork {
 public:
  // Keeps its own copy of the constants; the graph may go away. REQUIRES validate(graph).
  explicit FastNetwork(const Graph& graph);
  // Shares the constants of the other one, not its values: one for each thread costs no memory for weights.
  FastNetwork(const FastNetwork& other);
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

  // The network with lines in place of its piecewise-linear nodes: takes count rows of coefficients over the elements
  // of node top back to the inputs (returned), asking the chooser on the way.
  const std::vector<double>& relaxed_backward(std::uint32_t top, const std::vector<double>& coefficients,
                                              std::size_t count, LineChooser& chooser);
  // Then: one point per row forward through the lines chosen for that row. Returns the values of node top.
  const std::vector<double>& relaxed_forward(const std::vector<double>& points);
  // Of the last forward run; coefficients that reached the node in the last backward run. count × size.
  const std::vector<double>& values(std::uint32_t node) const;
  const std::vector<double>& coefficients(std::uint32_t node) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace outward
