// Coverage of a box by boxes: see coverage.hpp. End points are replaced by their rank per axis. A cell is covered if
// one part contains it; else it is cut at an end point of a part, where it cuts the fewest parts, and both halves are
// looked at. Axes along which the root has no width do not matter; elsewhere a part without width covers nothing.
#include "checker/translate/coverage.hpp"

#include <algorithm>

namespace outward_check::torchlean {

namespace {

struct Cell {
  std::vector<std::uint32_t> lo, hi;
};

class Cover {
 public:
  Cover(const std::vector<Region>& parts, const Region& root) : root_(root) {
    for (std::size_t axis = 0; axis < root.size(); ++axis)
      if (root.lo[axis] < root.hi[axis]) axes_.push_back(axis);
    for (std::size_t axis : axes_) {
      Vector ends = {root.lo[axis], root.hi[axis]};
      for (const Region& part : parts) ends.push_back(part.lo[axis]), ends.push_back(part.hi[axis]);
      std::sort(ends.begin(), ends.end());
      ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
      ends_.push_back(std::move(ends));
    }
    parts_.reserve(parts.size());
    for (const Region& part : parts) parts_.push_back(ranked(part));
  }

  bool run(Vector* uncovered) {
    std::vector<Work> open(1);
    open[0].cell = ranked(root_);
    for (std::uint32_t k = 0; k < parts_.size(); ++k)
      if (overlap(parts_[k], open[0].cell)) open[0].parts.push_back(k);
    while (!open.empty()) {
      Work work = std::move(open.back());
      open.pop_back();
      effort_.spend(16 + 8 * work.parts.size() * (axes_.size() + 1));
      const auto whole = [&](std::uint32_t k) { return contains(parts_[k], work.cell); };
      if (std::any_of(work.parts.begin(), work.parts.end(), whole)) continue;
      if (work.parts.empty()) {
        *uncovered = middle(work.cell);
        return false;
      }
      std::size_t axis = 0;
      std::uint32_t at = 0;
      choose(work, &axis, &at);
      Work low, high;
      low.cell = high.cell = std::move(work.cell);
      low.cell.hi[axis] = high.cell.lo[axis] = at;
      for (std::uint32_t k : work.parts) {
        if (parts_[k].lo[axis] < at) low.parts.push_back(k);
        if (parts_[k].hi[axis] > at) high.parts.push_back(k);
      }
      open.push_back(std::move(high)), open.push_back(std::move(low));
    }
    return true;
  }

 private:
  struct Work {
    Cell cell;
    std::vector<std::uint32_t> parts;  // those that share an inner point with the cell
  };
  const Region& root_;
  std::vector<std::size_t> axes_;  // where the root has width
  std::vector<Vector> ends_;       // per such axis: the distinct end points, in order
  std::vector<Cell> parts_;
  Effort effort_;

  Cell ranked(const Region& region) const {
    Cell cell;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const auto rank = [&](const Fraction& x) {
        return static_cast<std::uint32_t>(std::lower_bound(ends_[i].begin(), ends_[i].end(), x) - ends_[i].begin());
      };
      cell.lo.push_back(rank(region.lo[axes_[i]])), cell.hi.push_back(rank(region.hi[axes_[i]]));
    }
    return cell;
  }
  bool overlap(const Cell& a, const Cell& b) const {
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (std::max(a.lo[i], b.lo[i]) >= std::min(a.hi[i], b.hi[i])) return false;
    return true;
  }
  bool contains(const Cell& outer, const Cell& inner) const {
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (outer.lo[i] > inner.lo[i] || outer.hi[i] < inner.hi[i]) return false;
    return true;
  }
  Vector middle(const Cell& cell) const {
    Vector point = root_.lo;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      point[axes_[i]] = (ends_[i][cell.lo[i]] + ends_[i][cell.hi[i]]) / Fraction(2);
    return point;
  }
  // The cut through the cell's inside that cuts the fewest parts, then the one that parts them most evenly. There is
  // one: no part of work contains the cell, so some part ends inside it.
  void choose(const Work& work, std::size_t* axis, std::uint32_t* at) const {
    std::size_t best_cut = work.parts.size() + 1, best_side = 0;
    std::vector<std::uint32_t> lows, highs;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      lows.clear(), highs.clear();
      for (std::uint32_t k : work.parts) lows.push_back(parts_[k].lo[i]), highs.push_back(parts_[k].hi[i]);
      std::sort(lows.begin(), lows.end()), std::sort(highs.begin(), highs.end());
      const auto consider = [&](std::uint32_t end) {
        if (end <= work.cell.lo[i] || end >= work.cell.hi[i]) return;
        const std::size_t left =
            static_cast<std::size_t>(std::lower_bound(lows.begin(), lows.end(), end) - lows.begin());
        const std::size_t right =
            static_cast<std::size_t>(highs.end() - std::upper_bound(highs.begin(), highs.end(), end));
        const std::size_t cut = left + right - work.parts.size(), side = std::max(left, right);
        if (cut > best_cut || (cut == best_cut && side >= best_side)) return;
        best_cut = cut, best_side = side, *axis = i, *at = end;
      };
      for (std::uint32_t end : lows) consider(end);
      for (std::uint32_t end : highs) consider(end);
    }
  }
};

}  // namespace

bool covers(const std::vector<Region>& parts, const Region& root, Vector* uncovered) {
  return Cover(parts, root).run(uncovered);
}

}  // namespace outward_check::torchlean
