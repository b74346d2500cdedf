#include "cli/roundoff_policy.hpp"

#include "formats/error.hpp"
#include "formats/exact.hpp"

namespace outward::cli {

roundoff::Arithmetic arithmetic_of(const RoundoffOptions& o) {
  NumericalPolicy policy;
  if (!o.policy.empty()) {
    if (!o.format.empty() || !o.accumulator.empty() || o.order != "any")
      throw UsageError("--policy says everything: not together with --format, --accumulate or --order");
    policy = parse_policy(o.policy);
  } else {
    if (o.format.empty())
      throw UsageError(
          "--format F (or --policy TEXT, of models --profile P) is needed: the number format of the execution");
    policy.format = parse_format(o.format);
    if (!o.accumulator.empty()) {
      policy.accumulator = parse_format(o.accumulator);
      if (*policy.accumulator == policy.format) policy.accumulator.reset();
    }
    const std::string block = "tensorcore:";
    if (o.order == "any") {
      policy.reduction = Reduction::any_order_any_fusion;
    } else if (o.order == "sequential") {
      policy.reduction = Reduction::sequential;
    } else if (o.order == "pairwise") {
      policy.reduction = Reduction::pairwise;
    } else if (o.order == "fused") {
      policy.reduction = Reduction::sequential;
      policy.contraction = Contraction::fma;
    } else if (o.order.starts_with(block)) {
      policy.reduction = Reduction::block;
      policy.block = o.order.substr(block.size());
      if (block_model(policy.block) == nullptr)
        throw UsageError("--order " + o.order +
                         ": unknown model; v100_f16, a100_f16, a100_tf32, h100_f16, h100_bf16, "
                         "h100_tf32, h100_fp8 or b200_f16");
      if (!policy.accumulator) policy.accumulator = parse_format("binary32");
    } else {
      throw UsageError("--order " + o.order + ": any, sequential, pairwise, fused or tensorcore:MODEL");
    }
  }
  roundoff::Arithmetic a(policy);
  a.function_ulps = policy.k_ulp > 0 ? policy.k_ulp : ulps_of(o);
  return a;
}

double ulps_of(const RoundoffOptions& o) {
  if (!(o.function_ulps >= 0.5 && o.function_ulps <= 1e6)) throw UsageError("--ulps: from 0.5 (correct rounding) on");
  return o.function_ulps;
}

double option_number(const std::string& option, const std::string& text) {
  const auto value = parse_decimal(text);
  if (!value) throw UsageError(option + ": '" + text.substr(0, 60) + "' is not a decimal number");
  return round_nearest(*value);
}

std::pair<double, double> option_range(const std::string& option, const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) throw UsageError(option + ": LO,HI is needed");
  const auto lo = parse_decimal(text.substr(0, comma)), hi = parse_decimal(text.substr(comma + 1));
  if (!lo || !hi) throw UsageError(option + ": '" + text.substr(0, 60) + "' is not LO,HI");
  if (*lo > *hi) throw UsageError(option + ": the lower end is above the upper one");
  const double a = round_down(*lo), b = round_up(*hi);
  if (!(a > -HUGE_VAL) || !(b < HUGE_VAL)) throw UsageError(option + ": beyond binary64");
  return {a, b};
}

}  // namespace outward::cli
