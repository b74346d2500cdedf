// The least and the greatest value that a sum of few terms takes over all orders and bracketings, each product rounded
// before it is added or fused into the addition it meets. Assumes finite terms. Promises the exact extremes, or false
// where some partial sum is not finite.
//
// Over the subsets of terms: a sum over S is an addition of sums over A and B, A and B a partition of S, chosen apart
// from each other; rounded addition rises with both, so its extremes are those of the extremes (Bellman's principle).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/capsules/execution_arithmetic.hpp"

namespace outward::capsule_arithmetic {

template <typename T>
class SumOrders {
 public:
  static constexpr std::size_t most_terms = 10;  // 3^10 / 2 additions

  // Σ a[i]·b[i] + Σ plain[j]. REQUIRES at most most_terms terms, factors as the policy rounds them.
  bool run(const PolicyArithmetic<T>& p, const Vector<T>& a, const Vector<T>& b, const Vector<T>& plain) {
    const std::size_t products = a.size(), terms = products + plain.size(), all = std::size_t{1} << terms;
    least_.assign(all, T{0});  // of no term
    greatest_.assign(all, T{0});
    const auto product_of = [&](std::size_t set) {  // the product that is the whole set; products if it is none
      return (set & (set - 1)) == 0 ? static_cast<std::size_t>(__builtin_ctzll(set)) : products;
    };
    for (std::size_t set = 1; set < all; ++set) {
      T lo = std::numeric_limits<T>::infinity(), hi = -lo;
      const auto take = [&](T low, T high) {
        lo = std::min(lo, low);
        hi = std::max(hi, high);
        return std::isfinite(low) && std::isfinite(high);
      };
      if ((set & (set - 1)) == 0) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(set));
        const T v = i < products ? p.multiply(a[i], b[i]) : p.seen(plain[i - products]);
        if (!take(v, v)) return false;
      }
      for (std::size_t part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set) {
        const std::size_t rest = set ^ part;
        if (!take(p.add(least_[part], least_[rest]), p.add(greatest_[part], greatest_[rest]))) return false;
        if (!p.fuses()) continue;
        for (const auto& [one, other] : {std::pair(part, rest), std::pair(rest, part)}) {
          const std::size_t i = product_of(one);
          if (i < products && !take(p.fused(a[i], b[i], least_[other]), p.fused(a[i], b[i], greatest_[other])))
            return false;
        }
      }
      least_[set] = lo;
      greatest_[set] = hi;
    }
    return true;
  }
  T least() const { return least_.back(); }
  T greatest() const { return greatest_.back(); }

 private:
  Vector<T> least_, greatest_;  // by set
};

}  // namespace outward::capsule_arithmetic
