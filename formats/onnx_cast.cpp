#include "formats/onnx_cast.hpp"

#include "formats/error.hpp"
#include "formats/operations.hpp"

namespace outward {

namespace {

[[noreturn]] void undefined(const std::string& what) {
  throw InputRefused({"undefined-cast", "", "the Cast operator of ONNX does not define " + what, "", "", ""});
}

Value cast_to_scale(const Value& x, const Format& target, bool saturate, ScaleRounding mode) {
  if (x.is_nan()) return canonical_nan(target);
  if (x.negative || x.kind == ValueKind::zero) undefined("zero or a negative number as FLOAT8E8M0");
  if (x.kind == ValueKind::infinite) return saturate ? greatest_finite(target) : canonical_nan(target);
  if (floor_log2(x) < target.least_exponent()) return least_positive(target);
  Format format = target;
  format.saturate = saturate;
  Flags flags;
  const Rounding rounding = mode == ScaleRounding::up     ? Rounding::up
                            : mode == ScaleRounding::down ? Rounding::toward_zero
                                                          : Rounding::nearest_away;
  return convert(format, x, rounding, flags);
}

}  // namespace

Value onnx_cast(const Value& x, const Format& target, bool saturate, ScaleRounding mode) {
  if (target.convention == Convention::scale) return cast_to_scale(x, target, saturate, mode);
  Format format = target;
  if (target.convention == Convention::finite) {
    if (x.is_nan()) undefined("NaN as a type without NaN");
    if (x.kind == ValueKind::infinite) return greatest_finite(target, x.negative);
    format.saturate = true;
  } else if (target.width() == 8) {
    format.saturate = saturate;
    if (x.is_nan()) return quieted(target, x);
    if (x.kind == ValueKind::infinite) {
      if (saturate && target.convention != Convention::fnuz) return greatest_finite(target, x.negative);
      return target.has_infinity() ? infinity_of(target, x.negative) : canonical_nan(target);
    }
  }
  Flags flags;
  return convert(format, x, Rounding::nearest_even, flags);
}

}  // namespace outward
