// A tree of splits that somebody else proposes, for one box: branching follows it first and goes on by itself below its
// leaves. It is a hint: no part of a proof relies on it.
#pragma once
#include <cstdint>
#include <vector>

namespace outward {

struct SplitGuide {
  struct Part {
    bool is_split = false;
    std::uint32_t node = 0, element = 0;  // of a stored node: node 0 is the input
    double at = 0;
    std::uint32_t first_half = 0;  // z >= at; the next part is z <= at
  };
  std::vector<Part> parts;  // the whole box first; none: no guide

  // What a half, or the whole, goes on with; `none` where the guide has nothing more to say.
  static constexpr std::uint32_t none = 0xffffffff;
  std::uint32_t start() const { return parts.empty() ? none : 0; }
  std::uint32_t half(std::uint32_t part, bool upper) const {
    return part == none ? none : parts[part].first_half + (upper ? 0 : 1);
  }
  // The next split at or below `part` that is open, with halves decided elsewhere left out: decided(p) is 1 if all of
  // the part has z >= at, -1 if all of it has z <= at, 0 if it has both.
  template <class Decided>
  std::uint32_t next_open(std::uint32_t part, const Decided& decided) const {
    while (part != none && parts[part].is_split) {
      const int side = decided(parts[part]);
      if (side == 0) return part;
      part = half(part, side > 0);
    }
    return none;
  }
};

}  // namespace outward
