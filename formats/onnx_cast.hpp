// Cast of ONNX to and between floating-point types (opset 25 of the operator; FLOAT6 by the types of release 1.23),
// where it differs from a plain conversion to nearest even.
#pragma once
#include "formats/value.hpp"

namespace outward {

// round_mode of Cast, for FLOAT8E8M0 only: up is away from zero and the default, nearest rounds ties up.
enum class ScaleRounding { up, down, nearest };

// A value of `target`. Nearest even, except into e8m0.
// float8 (e4m3fn, e5m2, e4m3fnuz, e5m2fnuz), saturate: infinities and overflow become the largest number of their sign,
// but infinities become NaN in fnuz types. Without: NaN, in e5m2 infinity. NaN stays NaN; -0 becomes 0 in fnuz types.
// e3m2, e2m3, e2m1: always saturated, infinities too. e8m0: overflow and infinity become the largest power, without
// saturate NaN; what is below the least power becomes it. `saturate` means nothing to other types.
// Throws InputRefused for what the operator leaves undefined: NaN into types without NaN, zero and negative numbers
// into e8m0.
Value onnx_cast(const Value& x, const Format& target, bool saturate = true, ScaleRounding mode = ScaleRounding::up);

}  // namespace outward
