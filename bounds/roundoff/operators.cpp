#include "bounds/roundoff/operators.hpp"

#include <array>
#include <stdexcept>

#include "bounds/roundoff/rules.hpp"

namespace outward::roundoff {

std::span<const OperatorRow> operator_table() {
  constexpr const char* exact_result = "exact: no rounding";
  static constexpr std::array table{
      OperatorRow{OpCode::input, "input", nullptr, "conversion of the input: half a unit in the last place"},
      OperatorRow{OpCode::constant, "constant", nullptr, "conversion of the constant"},
      OperatorRow{OpCode::map, "map", map_rule, exact_result},
      OperatorRow{OpCode::dense, "dense", contraction_rule, "Jeannerod and Rump 2013; sums.hpp"},
      OperatorRow{OpCode::conv, "conv", contraction_rule, "Jeannerod and Rump 2013, real taps only; sums.hpp"},
      OperatorRow{OpCode::reduce, "reduce", reduce_rule, "Jeannerod and Rump 2013, division of the sum; sums.hpp"},
      OperatorRow{OpCode::bn, "bn", bn_rule, "as written: root, difference, quotient, product, sum; one rounding each"},
      OperatorRow{OpCode::add, "add", add_rule, "Higham 2002, section 2.2"},
      OperatorRow{OpCode::shift, "shift", shift_rule, "Higham 2002, section 2.2"},
      OperatorRow{OpCode::scale, "scale", scale_rule, "Higham 2002, section 2.2"},
      OperatorRow{OpCode::divide, "divide", divide_rule, "Higham 2002, section 2.2"},
      OperatorRow{OpCode::neg, "neg", neg_rule, exact_result},
      OperatorRow{OpCode::relu, "relu", relu_rule, exact_result},
      OperatorRow{OpCode::leaky, "leaky", leaky_rule, "one product for negative values"},
      OperatorRow{OpCode::clip, "clip", clip_rule, "conversion of the ends"},
      OperatorRow{OpCode::abs, "abs", abs_rule, exact_result},
      OperatorRow{OpCode::max, "max", max_rule, exact_result},
      OperatorRow{OpCode::multiply, "multiply", multiply_rule, "Higham 2002, section 3.1"},
      OperatorRow{OpCode::matvec, "matvec", matvec_rule, "Jeannerod and Rump 2013; sums.hpp"},
      OperatorRow{OpCode::exp, "exp", function_rule, "declared ulps; e^x(e^e − 1)"},
      OperatorRow{OpCode::log, "log", function_rule, "declared ulps; derivative 1/x"},
      OperatorRow{OpCode::sqrt, "sqrt", sqrt_rule, "correctly rounded; Jeannerod and Rump 2018"},
      OperatorRow{OpCode::sigmoid, "sigmoid", function_rule, "declared ulps; derivative s(1 − s)"},
      OperatorRow{OpCode::tanh, "tanh", function_rule, "declared ulps; derivative 1 − t²"},
      OperatorRow{OpCode::erf, "erf", function_rule, "declared ulps; derivative 2/√π e^(−x²)"},
      OperatorRow{OpCode::gelu, "gelu", function_rule, "declared ulps; Lipschitz constant 1.12891"},
      OperatorRow{OpCode::softmax, "softmax", softmax_rule,
                  "Blanchard, Higham and Higham 2021, entropy instead of range: rules_softmax.cpp"},
      OperatorRow{OpCode::log_softmax, "log_softmax", log_softmax_rule, "Blanchard, Higham and Higham 2021"},
      OperatorRow{OpCode::online_softmax, "online_softmax", online_softmax_rule,
                  "telescoping of the rescaling factors: rules_softmax.cpp"},
      OperatorRow{OpCode::layernorm, "layernorm", layernorm_rule,
                  "the mean's error enters the variance squared: rules_norm.cpp"},
      OperatorRow{OpCode::rmsnorm, "rmsnorm", rmsnorm_rule, "rules_norm.cpp"},
      OperatorRow{OpCode::cast, "cast", cast_rule, "half a unit in the last place"},
      OperatorRow{OpCode::bn_folded, "bn_folded", bn_folded_rule,
                  "factor and summand computed beforehand: root, quotient, product, sum; then a product and a sum"},
  };
  return table;
}

const OperatorRow& row_of(OpCode code) {
  for (const OperatorRow& row : operator_table())
    if (row.code == code) return row;
  throw std::logic_error("an operator without a row");
}

std::optional<OpCode> code_of(const Node& node) {
  if (is_certifiable(node.kind)) return code_of(node.kind);
  if (node.kind == Kind::product) return OpCode::multiply;
  if (node.kind != Kind::function) return std::nullopt;
  for (const OpCode code :
       {OpCode::exp, OpCode::log, OpCode::sqrt, OpCode::sigmoid, OpCode::tanh, OpCode::erf, OpCode::gelu})
    if (std::string_view(row_of(code).name) == op_name(node)) return code;
  return std::nullopt;
}

Constants::Constants(std::span<const double> exact, const FormatModel& format) : exact_(exact) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double drift = format.conversion_error_up(exact[i]);
    if (drift == 0) continue;
    if (drift_.empty()) {
      drift_.assign(exact.size(), 0.0);
      value_.assign(exact.begin(), exact.end());
    }
    drift_[i] = drift;
    if (format.emulable)
      value_[i] = format.round(exact[i]);
    else
      known_ = false;
  }
}

std::int64_t bias_of(const Operator& op, std::size_t out) {
  if (op.ints.back() == 0) return -1;
  if (op.code == OpCode::dense) return op.ints[2] * op.ints[1] + static_cast<std::int64_t>(out) % op.ints[2];
  const std::int64_t window = op.ints[1] / op.ints[15] * op.ints[5] * op.ints[6];
  return op.ints[4] * window + static_cast<std::int64_t>(out) / (op.ints[16] * op.ints[17]) % op.ints[4];
}

ChannelScale channel_scale(const Operator& op, std::size_t channel) {
  const auto channels = static_cast<std::size_t>(op.ints[0]);
  const double variance = op.payload[3 * channels + channel], eps = op.payload[4 * channels];
  const double scale = op.payload[channel];
  const double most = sqrt_up(add_up(variance, eps)), least = sqrt_down(add_down(variance, eps));
  if (!(least > 0)) return {-infinity, infinity};
  return scale >= 0 ? ChannelScale{div_down(scale, most), div_up(scale, least)}
                    : ChannelScale{div_down(scale, least), div_up(scale, most)};
}

}  // namespace outward::roundoff
