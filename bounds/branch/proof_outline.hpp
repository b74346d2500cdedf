// The proof of one box in the order of the certificate: logs, splits and the ends of scopes. What is left out of a
// proof before it is written, and where its slopes stand, is decided on this list.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "bounds/branch/proof_log.hpp"

namespace outward {

// Two halves of a part: z >= at first, then z <= at, for element `element` of stored node `node`.
struct Split {
  std::uint32_t node = 0, element = 0;
  double at = 0;
};

// Where the parts of a proof are kept: in memory, or in a file that may fail (ResourceError).
class ProofSource {
 public:
  virtual ~ProofSource() = default;
  virtual ProofLog log(std::uint32_t part) const = 0;
  virtual void replace_log(std::uint32_t part, const ProofLog& log) = 0;
  virtual Split split_of(std::uint32_t part) const = 0;
};

struct OutlineItem {
  enum class Kind : std::uint8_t {
    log,          // steps in the scope at hand
    split,        // two scopes follow, each from begin to one of the ends
    begin,        // of a half
    end_closed,   // of a half or of the whole box: every case is refuted in it
    end_split,    // likewise, by the halves of its splits
    end_crossed,  // empty: the element of its split has lo > hi
    end_open      // not proved
  };
  Kind kind = Kind::log;
  std::uint32_t source = 0, part = 0;  // of log, split and end_crossed
  bool is_end() const { return kind >= Kind::end_closed; }
};

struct Outline {
  std::deque<OutlineItem> items;  // of the scope of the whole box, up to and with its end
  std::vector<ProofSource*> sources;
  // In every log but the first, slope ids below `shared` are those of the first.
  std::uint32_t shared = 0;

  ProofLog log(const OutlineItem& item) const { return sources[item.source]->log(item.part); }
  void replace_log(const OutlineItem& item, const ProofLog& log) const {
    sources[item.source]->replace_log(item.part, log);
  }
  Split split(const OutlineItem& item) const { return sources[item.source]->split_of(item.part); }
};

// Repeats all events. Slopes that nothing uses are left out; equal ones are written once, in the innermost scope that
// encloses their uses. Ids from next on.
void write_outline(const Outline& outline, ProofObserver& to, std::uint32_t& next);

}  // namespace outward
