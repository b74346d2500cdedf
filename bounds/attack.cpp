#include "bounds/attack.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "formats/directed.hpp"

namespace outward {

namespace {

// Greatest row value of the case at output y (<= 0: looks unsafe) and which row it is.
std::pair<double, std::uint32_t> worst_row(const RowTable& rows, std::uint32_t c, const double* y) {
  std::pair<double, std::uint32_t> worst{-infinity, 0};
  for (std::uint32_t r = 0; r < rows.rows(c); ++r) {
    const double v = rows.value(c, r, y);
    if (!(v <= worst.first)) worst = {v == v ? v : infinity, r};
  }
  return worst;
}

class BoxAttack {
 public:
  BoxAttack(FastNetwork& network, const std::vector<InputRange>& box, const RowTable& rows,
            std::vector<std::uint32_t> cases, const AttackOptions& options, const CandidateSink& sink,
            std::mt19937_64& random)
      : network_(network),
        rows_(rows),
        cases_(std::move(cases)),
        options_(options),
        sink_(sink),
        random_(random),
        n_(box.size()) {
    for (const InputRange& r : box) {
      lo_.push_back(round_up(r.lo));
      hi_.push_back(round_down(r.hi));
      if (lo_.back() > hi_.back()) lo_.back() = hi_.back() = round_nearest(r.lo);
    }
    // About eight million input and output values per batch at most; more points than that gain nothing on small nets
    // either.
    count_ = std::clamp<std::size_t>((std::size_t{1} << 17) / (n_ + network.outputs() + 64), 4, 64);
    count_ = std::min(count_, options.most_points);
  }

  bool run() {
    if (descend(first_points(), options_.steps, false)) return true;
    for (int r = 0; r < options_.restarts; ++r) {
      if (stopped()) return false;
      if (descend(random_points(), options_.steps, true)) return true;
    }
    return false;
  }

 private:
  bool stopped() const { return options_.stop && options_.stop(); }

  std::vector<double> first_points() {
    std::vector<double> points(count_ * n_);
    for (std::size_t p = 0; p < count_; ++p) {
      for (std::size_t i = 0; i < n_; ++i) {
        double v = lo_[i] + 0.5 * (hi_[i] - lo_[i]);
        if (p == 1) v = lo_[i];
        if (p == 2) v = hi_[i];
        if (p > 2) v = random_() & 1 ? hi_[i] : lo_[i];
        points[p * n_ + i] = v;
      }
    }
    return points;
  }

  std::vector<double> random_points() {
    std::vector<double> points(count_ * n_);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (std::size_t p = 0; p < count_; ++p)
      for (std::size_t i = 0; i < n_; ++i)
        points[p * n_ + i] = std::clamp(lo_[i] + unit(random_) * (hi_[i] - lo_[i]), lo_[i], hi_[i]);
    return points;
  }

  // Follows each point's own target case: at first the most promising one, in later batches spread over all cases.
  // Half of the points keep a momentum (Dong et al. 2018). diversify: every other point first follows a random
  // direction of the outputs for a few steps (Tashiro et al. 2020), so that restarts end in different places.
  bool descend(std::vector<double> points, int steps, bool diversify) {
    constexpr int diverse_steps = 4;
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    std::vector<double> directions(diversify ? count_ * network_.outputs() : 0), momentum(count_ * n_, 0.0);
    for (double& d : directions) d = any(random_);
    const std::size_t m = network_.outputs();
    std::vector<double> coefficients(count_ * m);
    std::vector<std::size_t> target(count_, cases_.size());
    double step = 0.25;
    for (int s = 0; s <= steps; ++s) {
      const std::vector<double>& y = network_.forward(points, count_);
      std::fill(coefficients.begin(), coefficients.end(), 0.0);
      for (std::size_t p = 0; p < count_; ++p) {
        for (std::size_t c = 0; c < cases_.size(); ++c) {
          if (worst_row(rows_, cases_[c], &y[p * m]).first > tolerance(y[p * m])) continue;
          if (sink_(cases_[c], {points.begin() + static_cast<std::ptrdiff_t>(p * n_),
                                points.begin() + static_cast<std::ptrdiff_t>((p + 1) * n_)}))
            return true;
        }
        if (target[p] == cases_.size()) target[p] = choose_case(p, &y[p * m]);
        const std::uint32_t c = cases_[target[p]];
        if (diversify && p % 2 == 1 && s < diverse_steps) {
          std::copy_n(directions.begin() + static_cast<std::ptrdiff_t>(p * m), m,
                      coefficients.begin() + static_cast<std::ptrdiff_t>(p * m));
          continue;
        }
        if (rows_.rows(c) > 0)
          rows_.add_scaled(c, worst_row(rows_, c, &y[p * m]).second, 1.0, &coefficients[p * m], nullptr);
      }
      if (s == steps || stopped()) return false;
      const std::vector<double>& g = network_.gradient(coefficients);
      for (std::size_t p = 0; p < count_; ++p) {
        double size = 0;
        for (std::size_t i = 0; i < n_; ++i) size += std::fabs(g[p * n_ + i]);
        const double keep = p % 4 < 2 ? 0.0 : 0.75;
        for (std::size_t i = 0; i < n_; ++i) {
          double& follow = momentum[p * n_ + i];
          follow = keep * follow + (size > 0 ? g[p * n_ + i] / size : 0.0);
          const double direction = follow > 0 ? -1.0 : follow < 0 ? 1.0 : 0.0;
          double& v = points[p * n_ + i];
          v = std::clamp(v + direction * step * (hi_[i] - lo_[i]), lo_[i], hi_[i]);
        }
      }
      step *= 0.88;
    }
    return false;
  }

  // Candidates a hair on the safe side are still replayed: the deployed arithmetic may round them over.
  static double tolerance(double scale) { return 1e-7 * (1 + std::fabs(scale)); }

  std::size_t choose_case(std::size_t p, const double* y) {
    if (p % 4 == 3) return random_() % cases_.size();
    std::size_t best = 0;
    double least = infinity;
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      const double v = worst_row(rows_, cases_[c], y).first;
      if (v < least) {
        least = v;
        best = c;
      }
    }
    return best;
  }

  FastNetwork& network_;
  const RowTable& rows_;
  std::vector<std::uint32_t> cases_;  // of the box
  const AttackOptions& options_;
  const CandidateSink& sink_;
  std::mt19937_64& random_;
  std::size_t n_, count_;
  std::vector<double> lo_, hi_;
};

}  // namespace

bool attack(FastNetwork& network, const RowTable& rows, const std::vector<char>& case_open,
            const AttackOptions& options, const CandidateSink& sink) {
  const Property& property = rows.property();
  std::mt19937_64 random(options.seed);
  std::vector<std::vector<std::uint32_t>> by_box(property.boxes.size());
  for (std::uint32_t c = 0; c < property.cases.size(); ++c)
    if (case_open[c]) by_box[property.cases[c].box].push_back(c);
  for (std::size_t b = 0; b < by_box.size(); ++b) {
    if (by_box[b].empty()) continue;
    if (options.stop && options.stop()) return false;
    if (BoxAttack(network, property.boxes[b], rows, by_box[b], options, sink, random).run()) return true;
  }
  return false;
}

}  // namespace outward
