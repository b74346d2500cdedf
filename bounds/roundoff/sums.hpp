// How far a sum (of products) computed in a declared order may be from its exact value. Every function returns the
// least of all bounds that hold for the order.
// Terms are exact values of what is added: products of *computed* operands. Assumes finite figures; infinite ones give
// infinity. Promises upper bounds, rounded up.
//
// Sources, n leaves, A = Σ|terms|, M = max(Σ positive parts, Σ negative parts):
//   any tree          leaves' errors + (n−1)·u·Σ|leaves|             Jeannerod and Rump 2013; Lange and Rump 2017
//                     ((1+u')^h − 1)·A for trees of height h         Wilkinson, Higham 2002 section 4.2
//                     [leaves' errors + (n−1)(u·M)]/(1−(n−1)u)       every node is a sum of a subset, in [−N, P]
//   a known order     Σ min(half ulp of the k-th partial sum, |k-th term|)   running bound: rounding to nearest goes at
//                     most as far as to the partial sum before, which is a number of the format
//   block models      2^-23 [(k+1) 2^-e A + A (1+2^-22)] for each step    Blanchard et al. 2020; Khattak and Mikaitis
//   2025
// The tree bounds hold for fused steps as well: a leaf that enters a fused step unrounded is a leaf that is a real
// number, and the induction of Jeannerod and Rump needs the smaller leaf only to be as small as it is (test/bounds/
// roundoff/sums_test.cpp looks for a counterexample).
#pragma once
#include <span>
#include <vector>

#include "bounds/roundoff/numerics.hpp"

namespace outward::roundoff {

// The range of one exact term.
struct Term {
  double lo = 0, hi = 0;
  double magnitude() const { return std::fmax(std::fabs(lo), std::fabs(hi)); }
};

struct SumError {
  double error = 0;      // |computed − exact sum of the terms|, before it is stored
  double largest = 0;    // no partial result is larger than this
  double underflow = 0;  // part of `error` that is there only because of numbers below the least normal one, about
};

// products: terms are products of stored values, each rounded unless the accumulator holds it or the order fuses it;
// the last `unrounded` terms are none (biases), and numbers of the accumulator. Terms that are 0 are part of the order
// where it goes by position (pairwise, block); `padding` more of them may be anywhere before the biases. cap: the
// absolute terms add up to no more, whatever their ranges are.
SumError sum_error(std::span<const Term> terms, bool products, std::size_t unrounded, const Arithmetic& arithmetic,
                   std::size_t padding = 0, double cap = infinity);

// One more rounding, into the format of stored values, of a number of at most `magnitude` + error; 0 where the
// accumulator is that format.
double storing_error(double magnitude_with_error, const Arithmetic& arithmetic);

}  // namespace outward::roundoff
