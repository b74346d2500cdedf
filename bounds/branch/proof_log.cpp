#include "bounds/branch/proof_log.hpp"

#include <algorithm>
#include <bit>

namespace outward {

namespace {

enum EventTag : std::uint8_t { slopes_event, interval_event, backward_event, refute_event };

// Reads what ProofLog wrote; a log is written and read by one process only, so there is nothing to distrust.
class Reader {
 public:
  explicit Reader(const std::vector<std::uint8_t>& bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  bool more() const { return at_ != end_; }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  // The exponent comes first in the low bits, so that short numbers are short.
  double real() { return std::bit_cast<double>(std::rotr(number(), 12)); }
  std::uint32_t index() { return static_cast<std::uint32_t>(number()); }
  std::vector<std::uint32_t> increasing() {
    std::vector<std::uint32_t> items(number());
    std::uint32_t last = 0;
    for (std::uint32_t& item : items) item = last += index();
    return items;
  }
  std::vector<std::uint8_t> bytes() {
    const std::size_t n = number();
    std::vector<std::uint8_t> out(at_, at_ + n);
    at_ += n;
    return out;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace

void ProofLog::put(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes_.push_back(static_cast<std::uint8_t>(value));
}

void ProofLog::put_double(double value) { put(std::rotl(std::bit_cast<std::uint64_t>(value), 12)); }

void ProofLog::put_increasing(std::span<const std::uint32_t> items) {
  put(items.size());
  std::uint32_t last = 0;
  for (std::uint32_t item : items) {
    put(item - last);
    last = item;
  }
}

void ProofLog::put_bytes(const std::vector<std::uint8_t>& bytes) {
  put(bytes.size());
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void ProofLog::slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& slopes) {
  put(slopes_event);
  put(id);
  put(node);
  put_bytes(slopes.lower);
  put_bytes(slopes.upper);
}

void ProofLog::interval(std::uint32_t node) {
  put(interval_event);
  put(node);
}

void ProofLog::backward(std::uint32_t node, std::span<const std::uint32_t> lower, std::span<const std::uint32_t> upper,
                        std::span<const std::uint32_t> slopes) {
  put(backward_event);
  put(node);
  put_increasing(lower);
  put_increasing(upper);
  put_increasing(slopes);
}

void ProofLog::refute(std::uint32_t case_index, std::span<const std::uint32_t> rows,
                      std::span<const double> multipliers, std::span<const std::uint32_t> slopes,
                      std::span<const RangeMultiplier> ranges) {
  put(refute_event);
  put(case_index);
  put_increasing(rows);
  for (double m : multipliers) put_double(m);
  put_increasing(slopes);
  put(ranges.size());
  for (const RangeMultiplier& r : ranges) {
    put(r.node);
    put(r.element);
    put_double(r.value);
  }
}

void ProofLog::replay(ProofObserver& to, Shared shared, std::uint32_t& next) const {
  const std::uint32_t first = next;
  const auto renumbered = [&](std::uint32_t id) {
    return id < shared.count ? shared.first + id : first + (id - shared.count);
  };
  Reader in(bytes_);
  const auto ids = [&] {
    std::vector<std::uint32_t> out = in.increasing();
    for (std::uint32_t& id : out) id = renumbered(id);
    return out;
  };
  while (in.more()) {
    switch (static_cast<EventTag>(in.number())) {
      case slopes_event: {
        const std::uint32_t id = renumbered(in.index()), node = in.index();
        SlopeBytes bytes;
        bytes.lower = in.bytes();
        bytes.upper = in.bytes();
        next = std::max(next, id + 1);
        to.slopes(id, node, bytes);
        break;
      }
      case interval_event:
        to.interval(in.index());
        break;
      case backward_event: {
        const std::uint32_t node = in.index();
        const std::vector<std::uint32_t> lower = in.increasing(), upper = in.increasing();
        to.backward(node, lower, upper, ids());
        break;
      }
      case refute_event: {
        const std::uint32_t case_index = in.index();
        const std::vector<std::uint32_t> rows = in.increasing();
        std::vector<double> multipliers(rows.size());
        for (double& m : multipliers) m = in.real();
        const std::vector<std::uint32_t> slopes = ids();
        std::vector<RangeMultiplier> ranges(in.number());
        for (RangeMultiplier& r : ranges) {
          r.node = in.index();
          r.element = in.index();
          r.value = in.real();
        }
        to.refute(case_index, rows, multipliers, slopes, ranges);
        break;
      }
    }
  }
}

}  // namespace outward
