// What FastNetwork keeps; internal to runtime/cpu.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/cpu/fast.hpp"
#include "runtime/graph/sparse.hpp"

namespace outward {

// Precomputed constants of a node.
struct FastConstants {
  using Reals = std::vector<double>;
  Reals weights;     // dense: [K][N]; conv: [M][C/g·kh·kw]
  Reals transposed;  // dense: [N][K]; conv: per group [C/g·kh·kw][M/g]
  Reals bias;
  Reals factor, offset;  // elementwise out = x·factor + offset: bn, scale, divide, shift
  SparseWeights sparse;  // dense, where it is used: then without weights and transposed
};

// What all copies of a FastNetwork share.
struct FastModel {
  explicit FastModel(const Graph& graph);
  std::vector<Node> nodes;  // without payload
  std::vector<FastConstants> constants;
  std::uint32_t output = 0;
};

// Values and gradients are [point][element].
struct FastNetwork::State {
  using Reals = FastConstants::Reals;
  explicit State(std::shared_ptr<const FastModel> m);
  std::shared_ptr<const FastModel> model;
  const std::vector<Node>& nodes;
  const std::vector<FastConstants>& constants;
  const std::uint32_t output;
  std::size_t count = 0;
  std::uint32_t top = 0;  // where the last relaxed run started
  std::vector<Reals> values, gradients;
  Reals unfolded;
  std::vector<Reals> slopes, offsets;              // per piecewise-linear node, of a relaxed run
  std::vector<std::vector<std::uint32_t>> chosen;  // per max node

  void forward(std::size_t number);
  void backward(std::size_t number);
  void relaxed_backward(std::size_t number, LineChooser& chooser);
  void relaxed_forward(std::size_t number);
  void conv_forward(const Node& node, const FastConstants& c, const Reals& x, Reals& out);
  void conv_backward(const Node& node, const FastConstants& c, const Reals& dout, Reals& dx);

  template <typename F>
  void each(const Node& node, F f) {
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t i = 0; i < node.size; ++i) f(p * node.size + i, i);
    }
  }
};

}  // namespace outward
