#include "bounds/linear_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace outward {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double tolerance = 1e-11;

// A dictionary: each basic variable is constant + row · nonbasic variables, and so is the objective, which is
// minimised. All variables lie in [0, limit]; nonbasic ones are at 0. A variable that is at its limit is replaced by
// what is left to it. Variables: inputs (x_i − lo_i, or hi_i − x_i), then one slack per plane: the greatest plane minus
// this one.
class Dictionary {
 public:
  Dictionary(const PlaneSet& planes, const std::vector<double>& lo, const std::vector<double>& hi)
      : inputs_(planes.inputs),
        columns_(inputs_ + 1),
        basic_(planes.offset.size() - 1),
        limit_(inputs_ + planes.offset.size()) {
    const std::size_t count = planes.offset.size();
    std::vector<double> at_lo = planes.offset;
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < inputs_; ++i) at_lo[k] += planes.coefficient[k * inputs_ + i] * lo[i];
    const auto top = static_cast<std::size_t>(std::max_element(at_lo.begin(), at_lo.end()) - at_lo.begin());
    for (std::size_t i = 0; i < inputs_; ++i) limit_[i] = hi[i] - lo[i];
    std::fill(limit_.begin() + static_cast<std::ptrdiff_t>(inputs_), limit_.end(), unlimited);
    nonbasic_.resize(columns_);
    std::iota(nonbasic_.begin(), nonbasic_.end() - 1, std::size_t{0});
    nonbasic_.back() = inputs_ + top;
    const double* const top_plane = planes.coefficient.data() + top * inputs_;
    objective_.assign(top_plane, top_plane + inputs_);
    objective_.push_back(1);
    value_ = at_lo[top];
    std::size_t row = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (k == top) continue;
      basic_[row++] = inputs_ + k;
      constant_.push_back(at_lo[top] - at_lo[k]);
      for (std::size_t i = 0; i < inputs_; ++i) entries_.push_back(top_plane[i] - planes.coefficient[k * inputs_ + i]);
      entries_.push_back(1);
    }
  }

  // False: at the optimum, or nothing sensible can be done.
  bool step(bool first_that_helps) {
    std::size_t column = columns_;
    double best = -tolerance;
    for (std::size_t j = 0; j < columns_; ++j) {
      if (!(objective_[j] < best) || limit_[nonbasic_[j]] == 0) continue;
      column = j;
      if (first_that_helps) break;
      best = objective_[j];
    }
    if (column == columns_) return false;
    std::size_t row = basic_.size();
    double most = limit_[nonbasic_[column]], pivot = 0;
    bool at_limit = false;
    for (std::size_t r = 0; r < basic_.size(); ++r) {
      const double d = entry(r, column);
      if (std::fabs(d) < tolerance) continue;
      const double room = d < 0 ? constant_[r] / -d : (limit_[basic_[r]] - constant_[r]) / d;
      // Of equals the greatest entry: it is divided by.
      if (!(room < most || (room == most && row < basic_.size() && std::fabs(d) > pivot))) continue;
      row = r;
      most = std::max(room, 0.0);
      pivot = std::fabs(d);
      at_limit = d > 0;
    }
    if (!(most < unlimited)) return false;
    if (row == basic_.size()) {
      turn_column(column);
    } else {
      if (at_limit) turn_row(row);
      exchange(row, column);
    }
    return true;
  }

  PlaneSum sum(std::size_t count) const {
    PlaneSum out;
    out.value = value_;
    out.weights.assign(count, 0);
    double total = 0;
    for (std::size_t j = 0; j < columns_; ++j) {
      if (nonbasic_[j] < inputs_ || !(objective_[j] > tolerance)) continue;
      total += out.weights[nonbasic_[j] - inputs_] = objective_[j];
    }
    if (total > 0 && total < unlimited)
      for (double& w : out.weights) w /= total;
    else
      std::fill(out.weights.begin(), out.weights.end(), 1.0 / static_cast<double>(count));
    return out;
  }

 private:
  double& entry(std::size_t row, std::size_t column) { return entries_[row * columns_ + column]; }

  // The variable goes to its limit and is replaced by the rest.
  void turn_column(std::size_t column) {
    const double by = limit_[nonbasic_[column]];
    value_ += objective_[column] * by;
    objective_[column] = -objective_[column];
    for (std::size_t r = 0; r < basic_.size(); ++r) {
      constant_[r] += entry(r, column) * by;
      entry(r, column) = -entry(r, column);
    }
  }
  void turn_row(std::size_t row) {
    constant_[row] = limit_[basic_[row]] - constant_[row];
    for (std::size_t j = 0; j < columns_; ++j) entry(row, j) = -entry(row, j);
  }
  // basic = constant + … + d·nonbasic is solved for the nonbasic variable, which is put into the other rows.
  void exchange(std::size_t row, std::size_t column) {
    const double d = entry(row, column);
    for (std::size_t j = 0; j < columns_; ++j) entry(row, j) = j == column ? 1 / d : -entry(row, j) / d;
    constant_[row] = -constant_[row] / d;
    const auto put_into = [&](double* to, double& constant) {
      const double factor = to[column];
      if (factor == 0) return;
      to[column] = 0;
      for (std::size_t j = 0; j < columns_; ++j) to[j] += factor * entry(row, j);
      constant += factor * constant_[row];
    };
    for (std::size_t r = 0; r < basic_.size(); ++r)
      if (r != row) put_into(entries_.data() + r * columns_, constant_[r]);
    put_into(objective_.data(), value_);
    std::swap(basic_[row], nonbasic_[column]);
    constant_[row] = std::max(constant_[row], 0.0);
  }

  std::size_t inputs_, columns_;
  std::vector<std::size_t> basic_, nonbasic_;
  std::vector<double> limit_, constant_, entries_, objective_;
  double value_ = 0;
};

}  // namespace

void PlaneSet::add(const double* plane, double at_zero, double factor) {
  for (std::size_t i = 0; i < inputs; ++i) coefficient.push_back(factor * plane[i]);
  offset.push_back(factor * at_zero);
}

PlaneSum highest_sum(const PlaneSet& planes, const std::vector<double>& lo, const std::vector<double>& hi,
                     const std::function<bool()>& stop) {
  Dictionary dictionary(planes, lo, hi);
  const std::size_t most = 20 * (planes.inputs + planes.offset.size()) + 100;
  for (std::size_t n = 0; n < most; ++n) {  // later by the rule that cannot go round in circles (Bland 1977)
    if (!dictionary.step(n > most / 2) || (n % 64 == 63 && stop && stop())) break;
  }
  return dictionary.sum(planes.offset.size());
}

}  // namespace outward
