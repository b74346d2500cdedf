// Random graphs of one operator with operands made to hurt a kernel: what differential tests run on. Promises: the same
// seed gives the same nodes; every graph is valid and every number one of the element type.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/graph/element_function.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

struct FuzzNode {
  Graph graph;
  std::vector<double> input;
};

class FuzzNodes {
 public:
  // Throws InputRefused for an operator of no node of a graph.
  FuzzNodes(const std::string& op, ElementType element, std::uint64_t seed);
  FuzzNode next();

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  double number();
  double rounded(double value) const;
  std::vector<double> numbers(std::size_t count);
  Node node(std::vector<std::uint64_t>& sizes);

  Kind kind_ = Kind::input;
  ElementFunction function_ = ElementFunction::sqrt;  // of Kind::function
  ElementType element_;
  std::mt19937_64 random_;
  int style_ = 0;
};

}  // namespace outward
