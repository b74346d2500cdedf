// Sums of products of doubles with exact numbers, as matrix products need them. The numbers become
// integers over one denominator, and all products are added up in place. Promises the exact sums;
// where numbers are infinite or very far apart, what add_up and mul_up make of them.
#pragma once
#include <vector>

#include "checker/kernel/number.hpp"
#include "checker/kernel/structure.hpp"

namespace outward_check {

class ExactSums {  // the interface is that of Products in rows.hpp
 public:
  explicit ExactSums(const Sites&) {}
  void add(const Interval<Exact>* z, std::uint64_t offset) {
    ends_.push_back(z->n), ends_.push_back(z->h), offsets_.push_back(offset);
  }
  bool empty() const { return ends_.empty(); }
  template <unsigned B> void sum(const double* w, std::uint64_t step, Interval<Exact>* out) {
    for (unsigned b = 0; b < B; ++b) out[b] = sum_of(w + b * step);
  }

 private:
  bool to_integers();
  Interval<Exact> sum_of(const double* weights);

  std::vector<Exact> ends_;  // n and h of every z
  std::vector<std::uint64_t> offsets_;
  bool started_ = false, fits_ = false, points_ = true;  // points: every n is -h
  std::vector<BigInt> integers_;                         // the ends, times over_/2^low_
  std::vector<std::uint64_t> limbs_, totals_;            // length_ limbs of every integer; sums
  BigInt over_ = 1;
  std::int64_t low_ = 0;
  std::size_t length_ = 0;
};

}  // namespace outward_check
