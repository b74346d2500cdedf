// Which arithmetic a claim covers (FORMAT.md sections 3 and 5).
#pragma once
#include <cstdint>
#include <string>

namespace outward {

// capsule: the executions that the policies of a plan allow (runtime/capsules), in the element type of the graph; the
// error boxes are those of the network's policies (Network::follow).
enum class Semantics { real, fp32_any, fp64_any, capsule };

struct FloatModel {
  bool is_float = false;
  double u = 0, eta = 0, omega = 0;  // unit roundoff, subnormal spacing, overflow threshold
};

// REQUIRES another semantics than capsule, whose figures differ from node to node.
inline FloatModel float_model(Semantics s) {
  switch (s) {
    case Semantics::fp32_any:
      return {true, 0x1p-24, 0x1p-149, 0x1p127};
    case Semantics::fp64_any:
      return {true, 0x1p-53, 0x1p-1074, 0x1p1023};
    default:
      return {};
  }
}

inline const char* semantics_name(Semantics s) {
  return s == Semantics::real       ? "real"
         : s == Semantics::fp32_any ? "fp32_any"
         : s == Semantics::fp64_any ? "fp64_any"
                                    : "capsule";
}

}  // namespace outward
