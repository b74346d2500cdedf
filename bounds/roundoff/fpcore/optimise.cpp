#include "bounds/roundoff/fpcore/optimise.hpp"

#include <chrono>
#include <queue>

namespace outward::fpcore {
namespace {

struct Part {
  double bound = infinity;
  std::size_t number = 0;  // of equal bounds the older part comes first
  std::vector<Span> box;
  std::vector<double> gains;
  std::array<double, most_symbols> slope{};
  Span value;
  int failed = -1;
  const char* reason = "";
};

struct Smaller {
  bool operator()(const Part& a, const Part& b) const {
    return a.bound != b.bound ? a.bound < b.bound : a.number > b.number;
  }
};

class Search {
 public:
  Search(BoxAnalysis& analysis, const std::vector<Span>& box, Objective objective, const Effort& effort)
      : analysis_(analysis), whole_(box), objective_(objective), effort_(effort) {
    out_.value = {infinity, -infinity};
  }

  Optimum run() {
    push(whole_);
    while (!parts_.empty()) {
      const double top = parts_.top().bound;
      if (top <= out_.at_point * (1 + effort_.tolerance)) {
        out_.converged = true;
        break;
      }
      if (out_.boxes + 3 > effort_.boxes) break;
      if (effort_.seconds > 0 && out_.boxes % 64 < 3 && elapsed() > effort_.seconds) {
        out_.out_of_time = true;
        break;
      }
      const Part part = parts_.top();
      parts_.pop();
      try_corner(part);
      if (out_.failed >= 0) {
        settle(part);
        break;
      }
      const int variable = choose(part);
      if (variable < 0) {
        settle(part);
        continue;
      }
      const Span range = part.box[static_cast<std::size_t>(variable)];
      const double at = cut(range);
      std::vector<Span> half = part.box;
      half[static_cast<std::size_t>(variable)] = {range.lo, at};
      push(half);
      half[static_cast<std::size_t>(variable)] = {at, range.hi};
      push(half);
    }
    if (parts_.empty() && out_.failed < 0) out_.converged = true;  // nothing is left to split
    finish();
    return std::move(out_);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  double of(const BoxBound& found) const {
    const double bound = objective_ == Objective::absolute ? found.absolute : found.relative;
    return found.failed >= 0 || bound != bound ? infinity : bound;
  }

  void push(const std::vector<Span>& box) {
    const BoxBound found = analysis_.bound(box);
    ++out_.boxes;
    Part part;
    part.bound = of(found);
    part.value = found.failed >= 0 ? everything : found.value;
    part.failed = found.failed;
    part.reason = found.reason;
    part.box = box;
    part.slope = found.slope;
    part.number = out_.boxes;
    // What cannot be the maximum counts by its values only.
    if (part.bound <= out_.at_point) {
      settle(part);
      return;
    }
    part.gains.assign(analysis_.gains().begin(), analysis_.gains().end());
    parts_.push(std::move(part));
  }

  void settle(const Part& part) {
    settled_ = std::max(settled_, part.bound);
    out_.value = hull(out_.value, part.value);
    if (!(part.bound < infinity) && out_.failed < 0) {
      out_.failed = part.failed;
      out_.reason = part.reason;
    }
  }

  // The bound at the corner to which the bound grows, and in the middle.
  void try_corner(const Part& part) {
    std::vector<Span> point = part.box;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const double middle = point[i].lo + (point[i].hi - point[i].lo) / 2;
      const double slope = i < most_symbols ? part.slope[i] : 0;
      // Not the corner itself: where it is a power of two the bound jumps.
      double x = middle;
      if (slope > 0) x = point[i].hi - (point[i].hi - point[i].lo) * 0x1p-30;
      if (slope < 0) x = point[i].lo + (point[i].hi - point[i].lo) * 0x1p-30;
      x = std::clamp(x, point[i].lo, point[i].hi);
      point[i] = {x, x};
    }
    const BoxBound found = analysis_.bound(point);
    ++out_.boxes;
    // Not by the widths of ranges: those of a point are the error there, not what the model allows around it.
    const double bound = objective_ == Objective::absolute ? found.taylor : found.relative_taylor;
    if (found.failed >= 0 && out_.failed < 0) {
      // Every box around this point fails as well.
      out_.failed = found.failed;
      out_.reason = found.reason;
      out_.point = point;
    }
    if (found.failed < 0 && bound < infinity && (bound > out_.at_point || out_.point.empty())) {
      out_.at_point = bound;
      out_.point = point;
    }
  }

  int choose(const Part& part) const {
    int best = -1;
    double most = 0;
    if (part.failed < 0)
      for (std::size_t i = 0; i < part.gains.size(); ++i)
        if (part.gains[i] > most && splits(part.box[i])) {
          most = part.gains[i];
          best = static_cast<int>(i);
        }
    if (best >= 0) return best;
    for (std::size_t i = 0; i < part.box.size(); ++i) {
      if (!splits(part.box[i])) continue;
      const double all = whole_[i].hi - whole_[i].lo;
      const double relative = all > 0 && all < infinity ? (part.box[i].hi - part.box[i].lo) / all : 1;
      if (relative > most || best < 0) {
        most = relative;
        best = static_cast<int>(i);
      }
    }
    return best;
  }

  static double cut(Span range) {
    const double middle = range.lo / 2 + range.hi / 2;
    const double quarter = range.hi / 4 - range.lo / 4;
    const double larger = range.magnitude();
    if (!(larger > 0) || !(larger < infinity)) return middle;
    const double power = (std::fabs(range.hi) >= std::fabs(range.lo) ? 1 : -1) * power_of_two_up(floor_log2_of(larger));
    return std::fabs(power - middle) < quarter ? power : middle;
  }
  static bool splits(Span range) {
    const double at = cut(range);
    return range.lo < at && at < range.hi;
  }

  void finish() {
    out_.bound = settled_;
    while (!parts_.empty()) {
      out_.bound = std::max(out_.bound, parts_.top().bound);
      settle(parts_.top());
      parts_.pop();
    }
  }

  BoxAnalysis& analysis_;
  const std::vector<Span>& whole_;
  Objective objective_;
  Effort effort_;
  Optimum out_;
  double settled_ = 0;
  std::priority_queue<Part, std::vector<Part>, Smaller> parts_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Optimum maximise(BoxAnalysis& analysis, const std::vector<Span>& box, Objective objective, const Effort& effort) {
  return Search(analysis, box, objective, effort).run();
}

}  // namespace outward::fpcore
