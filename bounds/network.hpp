// A canonical graph prepared for bound propagation: groups, readers, geometry and coefficient magnitudes, computed once
// per model.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/capsules/policy_error.hpp"
#include "runtime/cpu/fast.hpp"
#include "runtime/graph/graph.hpp"
#include "runtime/graph/groups.hpp"
#include "runtime/graph/sparse.hpp"

namespace outward {

// The integers of a conv node by name (FORMAT.md section 1, kind 4).
struct ConvGeometry {
  std::int64_t batch, channels, height, width, filters, kh, kw, sh, sw, pt, pl, pb, pr, dh, dw, groups, oh, ow;
  bool has_bias;
  std::int64_t group_channels() const { return channels / groups; }
  std::int64_t group_filters() const { return filters / groups; }
  std::int64_t window() const { return group_channels() * kh * kw; }
  std::int64_t positions() const { return oh * ow; }
};
ConvGeometry conv_geometry(const Node& node);

// Batch norm as an affine map per channel: out = a·x + c with a in [a_lo, a_hi] and, for the centre values used in
// computation, relative error of a at most 8u. FORMAT.md kind 6.
struct BatchNormCoefficients {
  std::vector<double> a, inverse_up;  // a: nearest; inverse_up >= 1/sqrt(var+eps)
  std::vector<double> shift, mean;
  double max_inverse = 0, max_scale = 0, max_mean = 0, max_shift = 0;
  double max_variance_up = 0;  // >= max(var + eps)
};

struct Network {
  explicit Network(const Graph& g);
  const Graph& graph;
  Groups groups;
  std::vector<std::vector<std::uint32_t>>
      members;  // per stored linear root: its group's nodes in increasing order (root last)
  std::vector<BatchNormCoefficients> batch_norm;  // per node, empty unless bn
  std::vector<SparseWeights> sparse;              // per node; used only where few weights are nonzero
  std::vector<std::uint64_t> map_repeats;  // per node: greatest number of times a map reads one element (1 for others)
  std::vector<double> magnitude;           // per node: max(1, max abs of W / c / 1/c as FORMAT.md section 3 uses it)
  std::vector<double> bias_magnitude;      // per node: max(1, max abs b)
  std::vector<double> moved_magnitude;     // per contraction: F of FORMAT.md section 3, rounded up; 1 for others
  std::vector<double> node_multiplications;  // of one execution, about
  double multiplications = 0;                // their sum
  // Under the semantics `capsule`, per node: of the whole sum group at a root, of the node itself elsewhere. Empty
  // until follow().
  std::vector<PolicyError> errors;

  // Takes the policies of a plan, one per node (those of input and constants are not looked at). Throws InputRefused
  // naming what has no error box: a constant, variance or divisor that would be flushed.
  void follow(const std::vector<NumericalPolicy>& policies);

  const Node& node(std::uint32_t k) const { return graph.nodes[k]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(graph.nodes.size()); }
  bool is_root(std::uint32_t k) const;  // stored and linear (a sum group's output)
  // For searches, made when first asked for: copy it, one for each user. Any thread may ask.
  const FastNetwork& fast() const;

 private:
  struct Lazy;
  std::shared_ptr<Lazy> lazy_;
};

// relu, leaky, clip, abs.
bool is_piecewise(Kind kind);

}  // namespace outward
