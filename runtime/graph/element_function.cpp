#include "runtime/graph/element_function.hpp"

namespace outward {
namespace {

// In the order of the numbers.
constexpr ElementFunctionRow rows[] = {
    {ElementFunction::sqrt, "sqrt", std::nullopt},
    {ElementFunction::floor, "floor", std::nullopt},
    {ElementFunction::ceil, "ceil", std::nullopt},
    {ElementFunction::round, "round", std::nullopt},
    {ElementFunction::exp, "exp", Function::exp},
    {ElementFunction::log, "log", Function::log},
    {ElementFunction::tanh, "tanh", Function::tanh},
    {ElementFunction::sigmoid, "sigmoid", Function::sigmoid},
    {ElementFunction::erf, "erf", Function::erf},
    {ElementFunction::softplus, "softplus", Function::softplus},
    {ElementFunction::gelu, "gelu", Function::gelu},
    {ElementFunction::gelu_tanh, "gelu_tanh", Function::gelu_tanh},
    {ElementFunction::mish, "mish", Function::mish},
    {ElementFunction::softsign, "softsign", Function::softsign},
    {ElementFunction::hard_swish, "hard_swish", Function::hard_swish},
    {ElementFunction::sin, "sin", Function::sin},
    {ElementFunction::cos, "cos", Function::cos},
    {ElementFunction::tan, "tan", Function::tan},
    {ElementFunction::asin, "asin", Function::asin},
    {ElementFunction::acos, "acos", Function::acos},
    {ElementFunction::atan, "atan", Function::atan},
    {ElementFunction::sinh, "sinh", Function::sinh},
    {ElementFunction::cosh, "cosh", Function::cosh},
    {ElementFunction::asinh, "asinh", Function::asinh},
    {ElementFunction::acosh, "acosh", Function::acosh},
    {ElementFunction::atanh, "atanh", Function::atanh},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].function != static_cast<ElementFunction>(i)) return false;
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const ElementFunctionRow> element_functions() { return rows; }

const ElementFunctionRow& row_of(ElementFunction function) { return rows[static_cast<std::size_t>(function)]; }

bool is_element_function(std::int64_t number) {
  return number >= 0 && number < static_cast<std::int64_t>(std::size(rows));
}

bool is_by_ulps(const Node& node) {
  return node.kind == Kind::function && row_of(element_function(node)).elementary.has_value();
}

}  // namespace outward
