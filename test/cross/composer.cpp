#include "test/cross/composer.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace outward::testing {

using namespace onnx_test;

namespace {

std::size_t elements(const Dims& dims) {
  return static_cast<std::size_t>(std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>()));
}

}  // namespace

Composer::Composer(Random& random) : random_(random), opset_(pick(9, 17)), net_(opset_, opset_ == 9 ? 4 : 8) {
  const int style = pick(0, 19);
  style_ = style < 9    ? Style::moderate
           : style < 12 ? Style::wide
           : style < 16 ? Style::cancelling
           : style < 19 ? Style::powers
                        : Style::tiny;
  const int scale = pick(0, 9);
  input_scale = scale == 0 ? 0x1p-130 : scale == 1 ? 0x1p20 : scale == 2 ? 0x1p-12 : 1;
  switch (pick(0, 24)) {
    case 0:
    case 1:
    case 2:
    case 3:
      shape = {1, pick(1, 24)};
      break;
    case 4:
    case 5:
    case 6:
    case 7:
      shape = {pick(2, 4), pick(2, 8)};
      break;
    case 8:
    case 9:
    case 10:
    case 11:
      shape = {1, pick(2, 4), pick(2, 8)};
      break;
    case 12:
    case 13:
    case 14:
      shape = {1, coin(3) ? 8 : pick(1, 3), pick(4, 10)};
      one_dimensional_ = true;
      break;
    case 15:
      shape = coin(3) ? Dims{1, 2048, 1, 1} : Dims{1, 2048};
      break;
    default:
      shape = {1, coin(4) ? 16 : coin(3) ? 8 : pick(1, 4), pick(3, 6), pick(3, 6)};
  }
  x = "x";
  net_.input("x", shape);
}

float Composer::number(Style style) {
  const auto uniform = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); };
  switch (style) {
    case Style::wide:
      return sign() * static_cast<float>(std::exp2(uniform(-20, 24)));
    case Style::powers:
      return sign() * std::ldexp(1.0f, pick(-2, 12));
    case Style::tiny:
      return sign() * static_cast<float>(std::exp2(uniform(-140, -100)));
    default:
      return static_cast<float>(std::normal_distribution<double>(0, 0.8)(random_));
  }
}

float Composer::small_number() {
  const float value = number(Style::moderate);
  return std::fabs(value) < 0.01f ? 0.7f : value;
}

Floats Composer::row(std::size_t count) {
  const Style style = coin(4) ? Style::moderate : style_;
  Floats weights(count);
  for (float& w : weights) w = number(style);
  if (style != Style::cancelling) return weights;
  // Neighbours that almost cancel, or two large weights of opposite sign with everything else between them.
  for (std::size_t k = 0; k + 1 < count; k += 2) {
    weights[k + 1] = -weights[k];
    for (int ulps = pick(0, 3); ulps > 0; --ulps)
      weights[k + 1] = std::nextafter(weights[k + 1], std::numeric_limits<float>::infinity());
  }
  if (count > 2 && coin(2)) {
    weights.front() = 0x1p20f;
    weights.back() = -0x1p20f;
  }
  return weights;
}

std::string Composer::constant(const Dims& dims, const Floats& values) {
  const std::string name = fresh();
  net_.constant(name, dims, values);
  return name;
}

std::string Composer::random_constant(const Dims& dims) {
  const Style style = coin(2) ? Style::moderate : style_;
  Floats values(elements(dims));
  for (float& value : values) value = coin(12) ? sign() * 0x1p24f : number(style);
  return constant(dims, values);
}

std::string Composer::filled(const Dims& dims, float value) { return constant(dims, Floats(elements(dims), value)); }

std::string Composer::list(const Ints& values) {
  const std::string name = fresh();
  net_.list(name, values);
  return name;
}

std::string Composer::emit(const std::string& op, const Names& in, const Attributes& attributes) {
  const std::string out = fresh();
  net_.node(op, in, {out}, attributes);
  return out;
}

Dims Composer::channel_shape() const {
  if (!image()) return {shape.back()};
  Dims dims(shape.size() - 1, 1);
  dims[0] = shape[1];
  return dims;
}

std::string Composer::constants_combined() {
  const std::string first = random_constant(shape);
  const char* ops[] = {"Add", "Sub", "Mul"};
  const std::string sum = emit(ops[pick(0, 2)], {first, random_constant(coin(2) ? shape : Dims{})});
  return coin(3) ? emit("Neg", {sum}) : sum;
}

void Composer::constant_operand(const std::string& op, const std::string& other) {
  const bool swap = op != "Div" && coin(4);
  x = swap ? emit(op, {other, x}) : emit(op, {x, other});
}

void Composer::channelwise(const std::string& op) {
  const int form = pick(0, 5);
  const Dims dims = form == 0 ? Dims{} : form == 1 ? Dims{1} : form == 2 ? shape : channel_shape();
  Floats values(elements(dims));
  const Style style = coin(2) ? Style::moderate : style_;
  for (float& value : values) {
    value = number(style);
    if (op == "Div" && std::fabs(value) < 0x1p-30f) value = 3;
    if (op != "Mul" && op != "Div" && coin(10)) value = sign() * 0x1p24f;
  }
  constant_operand(op, constant(dims, values));
}

void Composer::join(const std::string& op, const std::string& other, bool swapped) {
  x = swapped ? emit(op, {other, x}) : emit(op, {x, other});
}

void Composer::batch_norm() {
  const std::int64_t channels = shape[1];
  Floats scale, shift, mean, variance;
  for (std::int64_t q = 0; q < channels; ++q) {
    scale.push_back(number(coin(6) ? style_ : Style::moderate));
    shift.push_back(number(Style::moderate));
    mean.push_back(coin(4) ? number(style_) : number(Style::moderate));
    variance.push_back(static_cast<float>(std::exp2(std::uniform_real_distribution<double>(-14, 6)(random_))));
  }
  Attributes attributes;
  if (coin(2)) attributes.push_back(attr("epsilon", coin(2) ? 1e-3f : 0.25f));
  x = emit("BatchNormalization",
           {x, constant({channels}, scale), constant({channels}, shift), constant({channels}, mean),
            constant({channels}, variance)},
           attributes);
}

void Composer::reshape(const Dims& to) {
  x = emit("Reshape", {x, list(to)});
  shape = to;
  one_dimensional_ = false;
}

void Composer::transpose(const Ints& order) {
  x = emit("Transpose", {x}, {attr("perm", order)});
  Dims dims;
  for (std::int64_t axis : order) dims.push_back(shape[static_cast<std::size_t>(axis)]);
  shape = dims;
  one_dimensional_ = false;
}

void Composer::flatten() {
  if (shape.size() == 2) return;
  if (!image() && shape[0] == 1 && shape.size() == 3) return reshape({shape[1], shape[2]});
  x = emit("Flatten", {x});
  const auto total = static_cast<std::int64_t>(elements(shape));
  shape = {shape[0], total / shape[0]};
  one_dimensional_ = false;
}

void Composer::unary(const std::string& op, const Attributes& attributes) { x = emit(op, {x}, attributes); }

void Composer::clip() {
  const float lo = coin(2) ? 0.0f : -2.5f, hi = coin(2) ? 6.0f : 100.0f;
  if (opset_ < 11)
    x = emit("Clip", {x}, {attr("min", lo), attr("max", hi)});
  else if (coin(2))
    x = emit("Clip", {x, filled({}, lo), filled({}, hi)});
  else
    x = emit("Clip", {x, filled({}, lo)});
}

void Composer::also_output() {
  if (x != "x" && (outputs_.empty() || outputs_.back() != x)) outputs_.push_back(x);
}

Net Composer::finish() {
  also_output();
  for (const std::string& name : outputs_) net_.output(name);
  return std::move(net_);
}

}  // namespace outward::testing
