// Do boxes cover a box? Exactly, and with the binary tree of cuts that shows it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/exact.hpp"

namespace outward {

// Closed ranges by dimension; what is not named, or has no end, is unbounded.
struct CoverRange {
  std::optional<Rational> lo, hi;
};
using CoverBox = std::map<std::uint64_t, CoverRange>;

struct CoverTree {
  struct Part {
    bool is_cut = false;
    std::uint64_t dimension = 0;
    Rational at;  // the first half is >= at, the second, the next part, <= at
    std::uint32_t first_half = 0;
    std::uint32_t box = 0;  // of a leaf: a box that contains it
  };
  std::vector<Part> parts;          // the whole first; empty if not covered
  std::optional<CoverBox> missing;  // a part that no box covers: only what differs from the whole
};

inline constexpr std::size_t max_cover_parts = 2'000'000;

// Throws ResourceError when more parts would be needed.
CoverTree cover(const CoverBox& whole, const std::vector<CoverBox>& boxes);

}  // namespace outward
