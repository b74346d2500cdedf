// The functions of one number that a node of Kind::function applies to every element: their numbers in a graph, the
// names that records of kernels use, and how the table of formats/elementary calls them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "formats/elementary/functions.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

// Numbers enter the graph's digest: append only.
enum class ElementFunction : std::int64_t {
  sqrt,
  floor,
  ceil,
  round,  // to the nearest integer, halves to the even one
  exp,
  log,
  tanh,
  sigmoid,
  erf,
  softplus,
  gelu,
  gelu_tanh,
  mish,
  softsign,
  hard_swish,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
};

struct ElementFunctionRow {
  ElementFunction function;
  const char* name;
  // Of functions without a correctly rounded operation of IEEE 754: implementations differ, and a kernel says by how
  // many ulps it may be off. Nothing for sqrt (rounded once) and for floor, ceil and round (exact).
  std::optional<Function> elementary;
};

std::span<const ElementFunctionRow> element_functions();
const ElementFunctionRow& row_of(ElementFunction function);
bool is_element_function(std::int64_t number);

// REQUIRES a node of Kind::function that validate() accepts.
inline ElementFunction element_function(const Node& node) { return static_cast<ElementFunction>(node.ints[0]); }

// Whether a kernel of this node says by how many ulps it may be off (ElementFunctionRow::elementary).
bool is_by_ulps(const Node& node);

}  // namespace outward
