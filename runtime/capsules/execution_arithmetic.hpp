// One numerical policy as operations on the machine's binary32 or binary64; shared by execution.cpp and
// execution_ranges.cpp. Assumes the default rounding mode and gradual underflow, and a policy that cannot_execute has
// nothing against. Every operation is monotone in each operand (rounding, flushing and shortening are).
#pragma once
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/capsules/policy.hpp"

namespace outward::capsule_arithmetic {

static_assert(FLT_EVAL_METHOD == 0, "float operations must be rounded to float");

template <typename T>
using Vector = std::vector<T>;

template <typename T>
struct Word;
template <>
struct Word<float> {
  using type = std::uint32_t;
};
template <>
struct Word<double> {
  using type = std::uint64_t;
};

// One policy as operations on T.
template <typename T>
class PolicyArithmetic {
 public:
  explicit PolicyArithmetic(const NumericalPolicy& p)
      : flush_(p.subnormals == Subnormals::flush),
        fused_(p.contraction == Contraction::fma),
        pairwise_(p.reduction == Reduction::pairwise),
        fuses_(fused_ || leaves_fusion_open(p)),
        k_ulp_(p.k_ulp),
        dropped_(p.operands ? p.format.fraction_bits - p.operands->fraction_bits : 0) {}

  // What an operation sees of an operand, and delivers of a result.
  T seen(T x) const {
    constexpr T least = std::numeric_limits<T>::min();
    if (!flush_ || x == 0 || !(std::fabs(x) <= least)) return x;
    met_edge_ = true;
    return std::fabs(x) < least ? std::copysign(T{0}, x) : x;
  }
  // A factor of a contraction: rounded to nearest even to fewer bits where the policy says so.
  T factor(T x) const {
    x = seen(x);
    if (dropped_ == 0 || !std::isfinite(x)) return x;
    using Bits = typename Word<T>::type;
    const Bits unit = Bits{1} << dropped_, bits = std::bit_cast<Bits>(x);
    return seen(std::bit_cast<T>(static_cast<Bits>((bits + unit / 2 - 1 + (bits / unit & 1)) / unit * unit)));
  }
  // What a reduction adds is rounded likewise.
  Vector<T> factors(Vector<T> terms) const {
    for (T& x : terms) x = factor(x);
    return terms;
  }
  T add(T a, T b) const { return seen(seen(a) + seen(b)); }
  T subtract(T a, T b) const { return seen(seen(a) - seen(b)); }
  T multiply(T a, T b) const { return seen(seen(a) * seen(b)); }
  T divide(T a, T b) const { return seen(seen(a) / seen(b)); }
  // A product, not rounded, plus a term.
  T fused(T a, T b, T c) const { return seen(std::fma(seen(a), seen(b), seen(c))); }
  // Whether some execution does that.
  bool fuses() const { return fuses_; }
  std::uint32_t k_ulp() const { return k_ulp_; }
  T root(T a) const { return seen(std::sqrt(seen(a))); }
  // Whether some operand or result so far may be taken as zero, or not: below the least normal number, or at it (what
  // is rounded up to it is flushed where the machine looks before it rounds, or rounds with an unbounded exponent).
  bool met_edge() const { return met_edge_; }

  T sum(const Vector<T>& terms) const {
    if (terms.empty()) return T{0};
    if (pairwise_) return halves(terms, 0, terms.size());
    T total = seen(terms[0]);
    for (std::size_t i = 1; i < terms.size(); ++i) total = add(total, terms[i]);
    return total;
  }
  // Σ a[i]·b[i], factors rounded by the caller.
  T dot(const Vector<T>& a, const Vector<T>& b) const {
    if (fused_ && !pairwise_) {
      T total = a.empty() ? T{0} : multiply(a[0], b[0]);
      for (std::size_t i = 1; i < a.size(); ++i) total = fused(a[i], b[i], total);
      return total;
    }
    Vector<T> products(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) products[i] = multiply(a[i], b[i]);
    return sum(products);
  }

 private:
  T halves(const Vector<T>& terms, std::size_t from, std::size_t to) const {
    if (to - from == 1) return seen(terms[from]);
    const std::size_t middle = from + (to - from + 1) / 2;
    return add(halves(terms, from, middle), halves(terms, middle, to));
  }
  bool flush_, fused_, pairwise_, fuses_;
  std::uint32_t k_ulp_;
  mutable bool met_edge_ = false;
  int dropped_;
};

}  // namespace outward::capsule_arithmetic
