// Proof events, in the order FORMAT.md section 7 wants its records. The certificate writer, statistics and the progress
// line are observers; the prover knows none of them.
#pragma once
#include <cstdint>
#include <span>

#include "bounds/relaxation.hpp"

namespace outward {

// A multiple of a known range end, added to a form before it is bounded: value·(lo − z) for value > 0, value·(hi − z)
// for value < 0. Neither is positive, so the form is at least what it becomes; β of β-CROWN (Wang et al. 2021).
struct RangeMultiplier {
  std::uint32_t node = 0, element = 0;  // of a stored node
  double value = 0;
};

class ProofObserver {
 public:
  virtual ~ProofObserver() = default;
  virtual void begin_box(std::uint32_t /*box*/) {}
  // An attempt that may still be taken back: forget everything since begin_attempt.
  virtual void begin_attempt() {}
  virtual void drop_attempt() {}
  virtual void slopes(std::uint32_t /*id*/, std::uint32_t /*node*/, const SlopeBytes&) {}
  virtual void interval(std::uint32_t /*node*/) {}
  virtual void backward(std::uint32_t /*node*/, std::span<const std::uint32_t> /*lower*/,
                        std::span<const std::uint32_t> /*upper*/, std::span<const std::uint32_t> /*slopes*/) {}
  virtual void refute(std::uint32_t /*case_index*/, std::span<const std::uint32_t> /*rows*/,
                      std::span<const double> /*multipliers*/, std::span<const std::uint32_t> /*slopes*/,
                      std::span<const RangeMultiplier> /*ranges*/) {}
  virtual void bound(std::uint32_t /*output*/, bool /*is_lower*/, double /*value*/,
                     std::span<const std::uint32_t> /*slopes*/) {}
  // Two scopes follow, z >= at first, for element `element` of stored node `node`; each is a tree of its own.
  virtual void split(std::uint32_t /*node*/, std::uint32_t /*element*/, double /*at*/) {}
  // The scope ends: it holds no execution, since the element's range has lo > hi.
  virtual void crossed(std::uint32_t /*node*/, std::uint32_t /*element*/) {}
  // The scope ends without being proved: the certificate is incomplete.
  virtual void leave_open() {}
  // The scope ends. What was refuted in both halves of a split is refuted in the scope that was split, which goes on.
  virtual void close() {}
};

}  // namespace outward
