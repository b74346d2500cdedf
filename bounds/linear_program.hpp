// Which sum of planes is highest over a box: a linear program, solved by the simplex method for bounded variables
// (Dantzig 1955) in plain floating point. The result is a proposal: whoever uses it bounds the sum again, rigorously.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace outward {

struct PlaneSet {
  std::size_t inputs = 0;
  std::vector<double> coefficient;  // a row of `inputs` for each plane
  std::vector<double> offset;
  void add(const double* plane, double at_zero, double factor);  // factor times the plane
};

struct PlaneSum {
  std::vector<double> weights;  // >= 0, of sum 1, one per plane
  double value = 0;             // least value of the sum over the box, about
};

// The weights w >= 0, of sum 1, for which the least value over the box lo <= x <= hi of the sum of w_k times plane k is
// greatest. By duality that value is the least over the box of the greatest plane. With numbers that are not finite, or
// when `stop` says so, the weights may be any. REQUIRES at least one plane.
PlaneSum highest_sum(const PlaneSet& planes, const std::vector<double>& lo, const std::vector<double>& hi,
                     const std::function<bool()>& stop = {});

}  // namespace outward
