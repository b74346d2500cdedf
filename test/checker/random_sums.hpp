// Sums in random order, bracketing and fusion, on machines that say how one operation rounds; for tests of error boxes.
#pragma once
#include <utility>
#include <vector>

#include "test/checker/proof_tools.hpp"

namespace proof_tools {

// Terms are products a*b or single numbers. machine: product(a, b), fused(a, b, c) for a*b + c, sum(a, b).
template <class Machine, class T>
T random_sum(Machine&& machine, Random& r, std::vector<std::pair<T, T>> products, std::vector<T> parts) {
  while (!products.empty()) {
    const std::size_t i = r.below(products.size());
    const auto [a, b] = products[i];
    products.erase(products.begin() + static_cast<std::ptrdiff_t>(i));
    if (!parts.empty() && r.below(2) == 0) {
      const std::size_t j = r.below(parts.size());
      parts[j] = machine.fused(a, b, parts[j]);
    } else {
      parts.push_back(machine.product(a, b));
    }
  }
  while (parts.size() > 1) {
    const std::size_t i = r.below(parts.size()), j = r.below(parts.size() - 1);
    const T a = parts[i];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    parts[j] = machine.sum(parts[j], a);
  }
  return parts[0];
}

// One sum group, dense with a bias and a shift behind it, and a point to evaluate it at.
struct RandomSum {
  GraphBuilder builder;
  std::vector<double> weights, bias, shift, at;
  std::uint32_t root = 0;

  RandomSum(Random& r, std::uint64_t n, double size, double reach)
      : builder(n), weights(r.numbers(n, size)), bias(r.numbers(1, size)), shift(r.numbers(1, size)) {
    std::vector<double> payload = weights;
    payload.push_back(bias[0]);
    root = builder.like(Kind::shift, builder.dense(0, 1, payload, true), shift);
    at = r.numbers(n, reach);
  }
  std::vector<std::pair<double, double>> ends() const {
    std::vector<std::pair<double, double>> points;
    for (double v : at) points.emplace_back(v, v);
    return points;
  }
  // An execution. T: float or double, which hold all these numbers.
  template <class T, class Machine>
  T execute(Machine&& machine, Random& r) const {
    std::vector<std::pair<T, T>> products;
    for (std::size_t i = 0; i < at.size(); ++i)
      products.emplace_back(static_cast<T>(weights[i]), static_cast<T>(at[i]));
    return random_sum(machine, r, products, {static_cast<T>(bias[0]), static_cast<T>(shift[0])});
  }
};

}  // namespace proof_tools
