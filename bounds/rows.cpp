#include "bounds/rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bounds/replay.hpp"
#include "formats/directed.hpp"
#include "formats/exact.hpp"

namespace outward {

namespace {

// A rational as a double and the distance between them, rounded up.
void enclose(const Rational& value, double* nearest, double* radius) {
  *nearest = round_nearest(value);
  if (!(std::fabs(*nearest) < infinity)) {
    *nearest = 0;
    *radius = infinity;
    return;
  }
  const Rational rest = value - exact(*nearest);
  *radius = rest == 0 ? 0.0 : round_up(abs(rest));
}

}  // namespace

RowTable::RowTable(const Property& property) : property_(property), cases_(property.cases.size()) {
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    for (const Row& row : property.cases[c].rows) {
      FloatRow out;
      for (const auto& [index, coefficient] : row.terms) {
        Term t{index, 0, 0};
        enclose(Rational(coefficient), &t.nearest, &t.radius);
        out.terms.push_back(t);
      }
      out.constant_down = round_down(Rational(row.constant));
      out.scale = std::exp2(std::floor(std::log2(row_scale(row))));
      cases_[c].push_back(std::move(out));
    }
  }
}

void RowTable::append(std::span<const Term> terms, double constant, Forms& forms) const {
  const auto outputs = static_cast<std::size_t>(property_.outputs);
  const std::size_t at = forms.coefficient.size();
  forms.coefficient.resize(at + outputs, 0.0);
  const bool inexact = std::any_of(terms.begin(), terms.end(), [](const Term& t) { return t.radius != 0; });
  if (inexact || !forms.radius.empty()) forms.radius.resize(at + outputs, 0.0);
  for (const Term& t : terms) {
    forms.coefficient[at + t.output] = t.nearest;
    if (t.radius != 0) forms.radius[at + t.output] = t.radius;
  }
  forms.constant.push_back(constant);
  ++forms.rows;
}

void RowTable::append(std::uint32_t case_index, std::uint32_t row, Forms& forms) const {
  append(cases_[case_index][row].terms, cases_[case_index][row].constant_down, forms);
}

void RowTable::append_sum(std::uint32_t case_index, std::span<const double> multipliers, Forms& forms) const {
  std::map<std::uint32_t, Rational> sum;
  Rational constant = 0;
  const std::vector<Row>& rows = property_.cases[case_index].rows;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (multipliers[r] == 0) continue;
    const Rational factor = exact(multipliers[r]);
    for (const auto& [index, coefficient] : rows[r].terms) sum[index] += factor * Rational(coefficient);
    constant += factor * Rational(rows[r].constant);
  }
  std::vector<Term> terms;
  for (const auto& [index, value] : sum) {
    Term t{index, 0, 0};
    enclose(value, &t.nearest, &t.radius);
    terms.push_back(t);
  }
  append(terms, round_down(constant), forms);
}

void RowTable::add_scaled(std::uint32_t case_index, std::uint32_t row, double factor, double* form,
                          double* constant) const {
  const FloatRow& r = cases_[case_index][row];
  for (const Term& t : r.terms) form[t.output] += factor / r.scale * t.nearest;
  if (constant) *constant += factor / r.scale * r.constant_down;
}

double RowTable::value(std::uint32_t case_index, std::uint32_t row, const double* y) const {
  const FloatRow& r = cases_[case_index][row];
  double v = r.constant_down;
  for (const Term& t : r.terms) v += t.nearest * y[t.output];
  return v / r.scale;
}

bool RowTable::looks_unsafe(std::uint32_t case_index, const double* y) const {
  for (std::uint32_t r = 0; r < rows(case_index); ++r)
    if (!(value(case_index, r, y) <= 1e-9)) return false;
  return true;
}

std::vector<double> weigh_planes(const Planes& planes, std::size_t first, std::size_t rows,
                                 std::span<const double> scales, const Range& box) {
  const std::size_t n = box.lo.size();
  std::vector<double> weight(rows, 1.0 / static_cast<double>(rows)), best = weight, value(rows), sum(n),
                                                                     logs(rows, 0.0);
  double best_value = -infinity;
  constexpr int rounds = 60;
  for (int round = 0; round < rounds; ++round) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < n; ++i) sum[i] += weight[r] / scales[r] * planes.coefficient[(first + r) * n + i];
    double total = 0, least = infinity, greatest = -infinity;
    for (std::size_t r = 0; r < rows; ++r) {  // each row at the point where the sum is least: a supergradient
      double v = planes.offset[first + r];
      const double* a = planes.coefficient.data() + (first + r) * n;
      for (std::size_t i = 0; i < n; ++i) v += a[i] * (sum[i] > 0 ? box.lo[i] : box.hi[i]);
      value[r] = v / scales[r];
      total += weight[r] * value[r];
      least = std::min(least, value[r]);
      greatest = std::max(greatest, value[r]);
    }
    if (total > best_value) {
      best_value = total;
      best = weight;
    }
    const double spread = greatest - least;
    if (!(spread > 0) || !(spread < infinity)) break;
    const double step = 4.0 / (spread * (1 + 0.25 * round));
    double norm = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      logs[r] += step * (value[r] - total);
      norm = std::max(norm, logs[r]);
    }
    double all = 0;
    for (std::size_t r = 0; r < rows; ++r) all += weight[r] = std::exp(logs[r] - norm);
    for (double& w : weight) w /= all;
  }
  for (double& w : best) w = std::round(w * 1024) / 1024;
  return best;
}

}  // namespace outward
