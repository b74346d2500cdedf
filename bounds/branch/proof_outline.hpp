// The proof of one box in the order of the certificate: logs, splits and the ends of scopes. What is left out of a
// proof before it is written, and where its slopes stand, is decided on this list.
#pragma once
#include <cstdint>
#include <vector>

#include "bounds/branch/proof_log.hpp"

namespace outward {

// Two halves of a part: z >= at first, then z <= at, for element `element` of stored node `node`.
struct Split {
  std::uint32_t node = 0, element = 0;
  double at = 0;
};

struct OutlineItem {
  enum class Kind : std::uint8_t {
    log,          // steps in the scope at hand
    split,        // two scopes follow, each from begin to one of the ends
    begin,        // of a half
    end_closed,   // of a half or of the whole box: every case is refuted in it
    end_split,    // likewise, by the halves of its splits
    end_crossed,  // empty: split.node, split.element has lo > hi
    end_open      // not proved
  };
  Kind kind = Kind::log;
  ProofLog* log = nullptr;
  Split split;
  bool is_end() const { return kind >= Kind::end_closed; }
};

struct Outline {
  std::vector<OutlineItem> items;  // of the scope of the whole box, up to and with its end
  // In every log but the first, slope ids below `shared` are those of the first.
  std::uint32_t shared = 0;
};

// Repeats all events. Slopes that nothing uses are left out; equal ones are written once, in the innermost scope that
// encloses their uses. Ids from next on.
void write_outline(const Outline& outline, ProofObserver& to, std::uint32_t& next);

}  // namespace outward
