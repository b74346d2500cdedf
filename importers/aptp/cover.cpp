// Covering a box by boxes: see cover.hpp. A part is cut at the end of a box that reaches into it, the end that most
// boxes share first, which finds the tree again where the boxes are the leaves of one. Boxes that only touch a part do
// not count: if the others leave an open gap they can't fill it, and if they do not, the others (closed) cover all.
#include "importers/aptp/cover.hpp"

#include <algorithm>

#include "formats/error.hpp"

namespace outward {

namespace {

CoverRange range_of(const CoverBox& box, std::uint64_t dimension) {
  const auto it = box.find(dimension);
  return it == box.end() ? CoverRange{} : it->second;
}

enum class Meets { apart, partly, wholly };  // the part, in one dimension

Meets meets(const CoverRange& part, const CoverRange& box) {
  const bool from_start = !box.lo || (part.lo && *box.lo <= *part.lo);
  const bool to_end = !box.hi || (part.hi && *part.hi <= *box.hi);
  if (from_start && to_end) return Meets::wholly;
  if (!from_start && part.hi && *part.hi <= *box.lo) return Meets::apart;
  if (!to_end && part.lo && *box.hi <= *part.lo) return Meets::apart;
  if (box.lo && box.hi && *box.lo >= *box.hi) return Meets::apart;  // flat or empty, and the part is not
  return Meets::partly;
}

struct Waiting {
  std::uint32_t part = 0;
  CoverBox cut;                      // ranges that differ from the whole
  std::vector<std::uint32_t> boxes;  // that may meet it
};

struct Cut {
  std::uint64_t dimension;
  Rational at;
  bool operator<(const Cut& o) const { return dimension != o.dimension ? dimension < o.dimension : at < o.at; }
};

}  // namespace

CoverTree cover(const CoverBox& whole, const std::vector<CoverBox>& boxes) {
  CoverTree tree;
  tree.parts.emplace_back();
  std::vector<Waiting> open(1);
  for (std::uint32_t i = 0; i < boxes.size(); ++i) open[0].boxes.push_back(i);
  while (!open.empty()) {
    Waiting w = std::move(open.back());
    open.pop_back();
    const auto part_range = [&](std::uint64_t dimension) {
      return w.cut.contains(dimension) ? w.cut.at(dimension) : range_of(whole, dimension);
    };
    std::map<Cut, std::size_t> cuts;
    std::vector<std::uint32_t> meeting;
    bool covered = false;
    for (const std::uint32_t b : w.boxes) {
      std::vector<Cut> ends;
      bool apart = false;
      for (const auto& [dimension, range] : boxes[b]) {
        const CoverRange part = part_range(dimension);
        const Meets m = meets(part, range);
        apart = m == Meets::apart;
        if (apart) break;
        if (m == Meets::wholly) continue;
        if (range.lo && (!part.lo || *part.lo < *range.lo)) ends.push_back({dimension, *range.lo});
        if (range.hi && (!part.hi || *range.hi < *part.hi)) ends.push_back({dimension, *range.hi});
      }
      if (apart) continue;
      meeting.push_back(b);
      if (ends.empty()) {
        tree.parts[w.part].box = b;
        covered = true;
        break;
      }
      for (const Cut& c : ends) ++cuts[c];
    }
    if (covered) continue;
    if (meeting.empty()) {
      tree.parts.clear();
      tree.missing = std::move(w.cut);
      return tree;
    }
    if (tree.parts.size() + 2 > max_cover_parts)
      throw ResourceError("whether the leaves cover everything takes more than " + std::to_string(max_cover_parts) +
                          " parts to decide");
    const auto most =
        std::max_element(cuts.begin(), cuts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const Cut cut = most->first;
    CoverTree::Part& part = tree.parts[w.part];
    part.is_cut = true;
    part.dimension = cut.dimension;
    part.at = cut.at;
    part.first_half = static_cast<std::uint32_t>(tree.parts.size());
    const std::uint32_t first = part.first_half;
    tree.parts.resize(tree.parts.size() + 2);
    Waiting upper{first, w.cut, meeting}, lower{first + 1, std::move(w.cut), std::move(meeting)};
    upper.cut[cut.dimension] = lower.cut[cut.dimension] =
        lower.cut.contains(cut.dimension) ? lower.cut[cut.dimension] : range_of(whole, cut.dimension);
    upper.cut[cut.dimension].lo = cut.at;
    lower.cut[cut.dimension].hi = cut.at;
    open.push_back(std::move(lower));
    open.push_back(std::move(upper));
  }
  return tree;
}

}  // namespace outward
