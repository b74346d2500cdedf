#include "cli/verify_radius.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "formats/error.hpp"

namespace outward::cli {

namespace {

constexpr double first = 0.01, least = 1e-8, greatest = 1e4, precision = 1.01, least_seconds = 1e-6;

class Search {
 public:
  Search(const Options& options, const Model& model, const Network& net, std::vector<std::string>& notes)
      : options_(options), model_(model), net_(net), notes_(notes), start_(std::chrono::steady_clock::now()) {}

  RadiusSearch run() {
    // Double or quarter until both sides are known or out of range; what is unknown bounds neither.
    // However little time there is, one radius is tried: there is a query to report.
    for (double r = first; r <= greatest && refuted_ == 0 && (r == first || more()); r *= 2)
      if (attempt(r) == Verdict::unknown && r > 100 * first) break;
    for (double r = first / 4; r >= least && certified_ == 0 && more(); r /= 4) attempt(r);
    // Between what is certified and the least radius that is not; then between that and what is refuted.
    while (certified_ > 0 && not_certified_ < infinity_ && not_certified_ > precision * certified_ && more())
      if (!attempt_between(certified_, not_certified_)) break;
    while (refuted_ > 0 && not_refuted_ > 0 && refuted_ > precision * not_refuted_ && more())
      if (!attempt_between(not_refuted_, refuted_)) break;
    return std::move(result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  bool more() const { return !interrupted && (options_.timeout <= 0 || seconds() < options_.timeout); }

  // False if there is no number with three digits between the two.
  bool attempt_between(double low, double high) {
    const std::string text = digits(std::sqrt(low * high));
    const double r = std::stod(text);
    if (!(low < r && r < high)) return false;
    attempt(r);
    return true;
  }

  static std::string digits(double r) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", r);
    return text;
  }

  Verdict attempt(double wanted) {
    Options o = options_;
    o.radius = digits(wanted);
    const double r = std::stod(o.radius);
    // Never 0 or less, which is no limit.
    const double left = options_.timeout > 0 ? std::max(options_.timeout - seconds(), least_seconds) : infinity_;
    o.timeout = std::min(left, options_.timeout > 0 ? std::max(options_.timeout / 6, least_seconds) : 10.0);
    std::vector<std::string> notes;
    Solved solved = solve(o, model_, net_, make_property(o, model_, notes), 0);
    if (notes_.empty()) notes_ = std::move(notes);
    const Verdict verdict = solved.outcome.verdict;
    if (!options_.quiet)
      std::cerr << "radius " << o.radius << ": "
                << (verdict == Verdict::holds      ? "holds"
                    : verdict == Verdict::violated ? "violated"
                                                   : "unknown")
                << "\n";
    if (verdict == Verdict::holds) {
      not_refuted_ = std::max(not_refuted_, r);
      if (r > certified_) {
        certified_ = r;
        result_.certified = o.radius;
        result_.best = std::move(solved);
      }
      return verdict;
    }
    not_certified_ = std::min(not_certified_, r);
    if (verdict != Verdict::violated) not_refuted_ = std::max(not_refuted_, r);
    const bool least_refuted = verdict == Verdict::violated && (refuted_ == 0 || r < refuted_);
    if (least_refuted) {
      refuted_ = r;
      result_.refuted = o.radius;
    }
    if (certified_ == 0 && (least_refuted || refuted_ == 0)) result_.best = std::move(solved);
    return verdict;
  }

  static constexpr double infinity_ = HUGE_VAL;
  const Options& options_;
  const Model& model_;
  const Network& net_;
  std::vector<std::string>& notes_;
  const std::chrono::steady_clock::time_point start_;
  double certified_ = 0, not_certified_ = infinity_, refuted_ = 0, not_refuted_ = 0;
  RadiusSearch result_;
};

}  // namespace

RadiusSearch search_radius(const Options& options, const Model& model, const Network& net,
                           std::vector<std::string>& notes) {
  if (options.output_range.empty() && options.max_deviation.empty() && model.graph.nodes[model.graph.output].size < 2)
    throw UsageError(
        "--radius max needs a question: the model has one output, so give --output-range or --max-deviation");
  return Search(options, model, net, notes).run();
}

}  // namespace outward::cli
