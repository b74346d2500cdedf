// A part of a box that was split at neurons, as one row of a backward pass: its narrowed elements, its lower slopes and
// its multipliers. All parts of a box share the root's state.
#pragma once
#include <cstdint>
#include <vector>

#include "bounds/branch/packing.hpp"
#include "bounds/relaxation.hpp"
#include "bounds/row_lines.hpp"
#include "bounds/rows.hpp"
#include "bounds/state.hpp"

namespace outward {

// The elements of relu, leaky, clip and abs nodes that are not one linear piece at the root: these can be split, and
// their lower slopes are free (clip apart, whose bytes stay the root's).
class Neurons {
 public:
  Neurons(const Network& net, const State& root);
  struct Neuron {
    std::uint32_t node, element;
  };
  std::size_t size() const { return all_.size(); }
  const Neuron& operator[](std::size_t i) const { return all_[i]; }
  // Neurons first(k) … first(k+1) − 1 are those of node k.
  std::size_t first(std::uint32_t k) const { return first_[k]; }
  // The root's lower slope bytes, those of adaptive_slopes.
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  const SlopeBytes& node_bytes(std::uint32_t k) const { return node_bytes_[k]; }
  // Where the neuron may be split: its breakpoint inside [lo, hi] (for clip the one nearer to the middle).
  static double breakpoint(const Node& node, double lo, double hi);

 private:
  std::vector<Neuron> all_;
  std::vector<std::size_t> first_;
  std::vector<std::uint8_t> bytes_;
  std::vector<SlopeBytes> node_bytes_;
};

// One half of a split neuron: z >= at (upper) or z <= at, and the multiplier of that fact, β >= 0.
struct Half {
  std::uint32_t neuron = 0;
  bool upper = false;
  double at = 0, beta = 0;
  double scale = 0;  // a step of β that matters, for the optimiser
};

struct NeuronRow {
  std::uint32_t case_index = 0;
  std::vector<double> weights;       // of the rows of the case, >= 0, for rows divided by RowTable::scale
  std::vector<std::uint8_t> slopes;  // per neuron
  std::vector<Half> halves;          // from the root down
};

// What a row says, for a while in bytes; the case is left to the reader.
void pack(const NeuronRow& row, Packer& to);
NeuronRow unpack_row(std::uint32_t case_index, Unpacker& from);

// The rows of one backward pass as RowLines, each prepared once.
class NeuronRows final : public RowLines {
 public:
  NeuronRows(const Network& net, const State& root, const Neurons& neurons, std::vector<const NeuronRow*> rows);
  void patch(std::size_t row, std::uint32_t k, Lines& lines) const override;
  std::span<const Multiplier> multipliers(std::size_t row, std::uint32_t k) const override;

  // Range of the operand of the neuron in the part.
  static void narrowed(const State& root, const Network& net, const Neurons& neurons, const NeuronRow& row,
                       std::uint32_t neuron, double* lo, double* hi);

 private:
  struct Prepared {
    std::vector<std::uint32_t> halved;                        // neurons, increasing
    std::vector<std::pair<std::uint32_t, Multiplier>> terms;  // by node
    std::vector<Multiplier> multipliers;                      // in the order of terms
  };
  const Network& net_;
  const State& root_;
  const Neurons& neurons_;
  std::vector<const NeuronRow*> rows_;
  std::vector<Prepared> prepared_;
};

}  // namespace outward
