// Proof events, in the order FORMAT.md section 7 wants its records. The certificate writer, statistics and the progress
// line are observers; the prover knows none of them.
#pragma once
#include <cstdint>
#include <span>

#include "bounds/relaxation.hpp"

namespace outward {

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
                      std::span<const double> /*multipliers*/, std::span<const std::uint32_t> /*slopes*/) {}
  virtual void bound(std::uint32_t /*output*/, bool /*is_lower*/, double /*value*/,
                     std::span<const std::uint32_t> /*slopes*/) {}
  // Two scopes follow, z >= at first, for element `element` of stored node `node`; each is a tree of its own.
  virtual void split(std::uint32_t /*node*/, std::uint32_t /*element*/, double /*at*/) {}
  // The scope ends: it holds no execution, since the element's range has lo > hi.
  virtual void crossed(std::uint32_t /*node*/, std::uint32_t /*element*/) {}
  // The scope ends: every case is refuted in it or in an enclosing one.
  virtual void close() {}
};

}  // namespace outward
