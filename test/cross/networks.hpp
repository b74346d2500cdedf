// Random ONNX networks made of the patterns that runtimes rewrite and of sums that punish a changed order: absorption,
// cancellation, folded batch norm, moved factors, fused residuals. Opset 9 to 17. Promises models that importers/onnx
// accepts, with one float input of static shape.
#pragma once
#include <string>
#include <vector>

#include "test/bounds/support.hpp"
#include "test/importers/onnx_builder.hpp"

namespace outward::testing {

struct RuntimeNetwork {
  std::string patterns;  // what it is made of, in order
  onnx_test::Net net;
  onnx_test::Dims shape;  // of the input
  double scale = 1;       // magnitude of interesting inputs
};

RuntimeNetwork random_runtime_network(Random& random);

}  // namespace outward::testing
