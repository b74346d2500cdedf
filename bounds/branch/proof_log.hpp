// Proof events kept in memory, compactly, until it is known where in the certificate they belong. A branching proof
// makes its leaves in any order; the certificate wants them in preorder, with slope ids counted through the file.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "bounds/observer.hpp"

namespace outward {

class ProofLog final : public ProofObserver {
 public:
  ProofLog() = default;
  explicit ProofLog(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}  // REQUIRES those of a log
  void begin_attempt() override { mark_ = bytes_.size(); }
  void drop_attempt() override { bytes_.resize(mark_); }
  void slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& slopes) override;
  void interval(std::uint32_t node) override;
  void backward(std::uint32_t node, std::span<const std::uint32_t> lower, std::span<const std::uint32_t> upper,
                std::span<const std::uint32_t> slopes) override;
  void refute(std::uint32_t case_index, std::span<const std::uint32_t> rows, std::span<const double> multipliers,
              std::span<const std::uint32_t> slopes, std::span<const RangeMultiplier> ranges) override;

  // Slope ids below `count` belong to steps that stand earlier in the file, where they have numbers from `first` on.
  struct Shared {
    std::uint32_t count = 0, first = 0;
  };
  // Repeats the events. Ids from shared.count on are this log's own; they get numbers from `next` on, which is moved
  // past them.
  void replay(ProofObserver& to, Shared shared, std::uint32_t& next) const;

  bool empty() const { return bytes_.empty(); }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  void clear() { *this = ProofLog(); }

 private:
  void put(std::uint64_t value);  // seven bits a byte, least first
  void put_double(double value);
  void put_increasing(std::span<const std::uint32_t> items);
  void put_bytes(const std::vector<std::uint8_t>& bytes);

  std::vector<std::uint8_t> bytes_;
  std::size_t mark_ = 0;
};

}  // namespace outward
