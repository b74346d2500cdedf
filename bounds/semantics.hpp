// Which arithmetic a claim covers (FORMAT.md sections 3 and 5).
#pragma once
#include <cstdint>
#include <string>

namespace outward {

enum class Semantics { real, fp32_any, fp64_any };

struct FloatModel {
  bool is_float = false;
  double u = 0, eta = 0, omega = 0;  // unit roundoff, subnormal spacing, overflow threshold
};

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
  return s == Semantics::real ? "real" : s == Semantics::fp32_any ? "fp32_any" : "fp64_any";
}

}  // namespace outward
