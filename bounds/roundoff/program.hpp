// What is analysed: operations in topological order, one of them the input, each with its arithmetic.
#pragma once
#include <vector>

#include "bounds/roundoff/operators.hpp"
#include "runtime/graph/groups.hpp"

namespace outward::roundoff {

struct Program {
  std::vector<Operator> operators;  // operands have smaller numbers than their reader
  std::uint32_t output = 0;
  std::vector<Arithmetic> arithmetics;
  std::vector<std::uint32_t> arithmetic;  // per operator, an index into arithmetics

  // Fusion across operators (policies of any order and fusion): which operators are computed as one sum, FORMAT.md
  // section 3. Empty vectors: every operator is on its own.
  std::vector<std::uint32_t> root;       // per operator: the operator whose value the group has; itself if none
  std::vector<std::uint64_t> roundings;  // at roots of groups of several, of batch norms and with movable factors:
                                         // N of FORMAT.md section 3; 0: the operator's own rule holds
  std::vector<std::uint64_t> terms, products;  // T and Q there
  std::vector<double> moved;                   // per contraction: F of FORMAT.md section 3
  std::vector<std::int64_t> node;              // per operator: the node of the graph, −1 for a cast

  const Arithmetic& arithmetic_of(std::uint32_t k) const { return arithmetics[arithmetic[k]]; }
};

// The graph under one arithmetic. Throws InputRefused naming every node without a rule.
Program program_of(const Graph& graph, const Arithmetic& arithmetic);

// The graph with an arithmetic for each node (indices into arithmetics); operators read what lies in another format
// through casts. A sum group whose root leaves the fusion open is one sum, all of it in the arithmetic of its root.
Program program_of(const Graph& graph, std::vector<Arithmetic> arithmetics, std::vector<std::uint32_t> of_node);

}  // namespace outward::roundoff
