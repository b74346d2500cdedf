// Models that are a chain of linear and ReLU layers, as exact matrices. Affine operators without weights of their own
// (shift, scale, negation, index maps) belong to the linear layer before them; where there is none they make one.
#pragma once
#include "checker/translate/linear_forms.hpp"

namespace outward_check::torchlean {

struct ChainLayer {
  bool is_relu = false;
  Matrix weights;  // empty for ReLU
  Vector bias;
  std::size_t size = 0;  // of the result
};
struct Chain {
  std::size_t inputs = 0;
  std::vector<ChainLayer> layers;
  std::size_t outputs() const { return layers.back().size; }
};

// Reads the ONNX file. Throws ReadError: unsupported when the model is no chain, limit above 2^22 weights.
Chain read_chain(const std::string& path);
Region layer_image(const ChainLayer& layer, const Region& x);  // the exact interval rule
Vector evaluate(const Chain& chain, Vector x);                 // exact
// Lower bounds of the outputs over a box, by intervals and linear bounds; exact arithmetic, not the best bounds.
// lowest: a corner where the linear bound of output `row` is least.
struct ChainBounds {
  Vector lower;
  std::vector<Vector> lowest;
};
ChainBounds lower_bounds(const Chain& chain, const Region& box, Effort* effort);

}  // namespace outward_check::torchlean
