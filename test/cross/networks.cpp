#include "test/cross/networks.hpp"

#include "test/cross/composer.hpp"

namespace outward::testing {

namespace {

// A linear layer that keeps the shape: what residual patterns are made of.
void same_shape_layer(Composer& c) {
  if (c.image())
    c.conv({.filters = c.shape[1], .kernel = c.coin(2) ? 3 : 1, .same = true, .bias = c.coin(2)});
  else if (c.coin(2))
    c.gemm(c.shape.back(), c.coin(2));
  else
    c.matmul(c.shape.back());
}

void activation(Composer& c) {
  switch (c.pick(0, 6)) {
    case 0:
      return c.unary("LeakyRelu", {onnx_test::attr("alpha", c.coin(2) ? 0.01f : 0.3f)});
    case 1:
      return c.clip();
    case 2:
      return c.unary("Abs");
    default:
      return c.unary("Relu");
  }
}

// A large constant comes and goes again around whatever lies between: the small terms are absorbed in some orders.
void absorb(Composer& c) {
  const float big = c.sign() * 0x1p24f * static_cast<float>(c.pick(1, 3));
  const std::string before = c.x;
  if (c.coin(2)) same_shape_layer(c);
  c.constant_operand("Add", c.filled(c.coin(2) ? c.channel_shape() : onnx_test::Dims{1}, big));
  if (c.coin(2)) c.join("Add", before);
  if (c.coin(3)) c.channelwise("Mul");
  const bool subtract = c.coin(2);
  c.constant_operand(subtract ? "Sub" : "Add", c.filled({}, subtract ? big : -big));
}

// Two sums of many terms, one of them from 2^24 on: a blocked accumulation absorbs every block, term by term it would
// not.
void absorb_blocks(Composer& c) {
  if (c.image()) {
    c.even_twins(16);
  } else {
    c.even_product(2);
    c.constant_operand("Add", c.filled({2}, 0x1p24f));
  }
}

// x + f(x) − x and f(x) − g(x) with g almost f: what is left is rounding.
void residual_cancel(Composer& c) {
  const std::string before = c.x;
  if (c.coin(2)) {
    same_shape_layer(c);
    c.join("Add", before);
    c.join("Sub", before);
    return;
  }
  c.twin_layers("Sub");
}

void residual(Composer& c) {
  const std::string before = c.x;
  same_shape_layer(c);
  if (c.coin(3)) c.batch_norm();
  c.join("Add", before, c.coin(2));
  if (c.coin(2)) c.unary("Relu");
}

// Two contractions meet in one addition.
void two_into_one(Composer& c) {
  const std::string before = c.x;
  const onnx_test::Dims shape = c.shape;
  same_shape_layer(c);
  if (c.coin(3)) c.batch_norm();
  const std::string first = c.x;
  c.x = before;
  c.shape = shape;
  same_shape_layer(c);
  c.join(c.coin(3) ? "Sub" : "Add", first, c.coin(2));
  if (c.coin(2)) c.unary("Relu");
}

void scalar_before(Composer& c) {
  if (!c.image() && c.shape.size() == 2 && c.coin(4)) c.transpose({1, 0});
  for (int count = c.coin(4) ? 2 : 1; count > 0; --count) {
    const int kind = c.pick(0, 9);
    const float factor = kind == 0   ? 0x1p24f
                         : kind == 1 ? 0x1p-20f
                         : kind == 2 ? 3.0f
                         : kind == 3 ? 0x1.8p60f
                         : kind == 4 ? 0x1.4p-60f
                         : kind == 5 ? 0x1.cp100f
                         : kind == 6 ? 0x1.2p-100f
                                     : c.small_number();
    c.constant_operand(c.coin(2) ? "Mul" : "Div", c.filled(c.coin(2) ? onnx_test::Dims{} : onnx_test::Dims{1}, factor));
    if (!c.image() && c.shape.size() == 2 && c.coin(5)) c.reshape({c.shape[0], 1, c.shape[1]});
  }
  // ONNX Runtime moves the factor behind a product even where others read the scaled value.
  if (c.coin(4)) c.also_output();
  if (c.image())
    c.conv({.filters = c.pick(1, 8), .kernel = c.pick(1, 3), .bias = c.coin(2)});
  else if (c.coin(3) && c.shape.size() == 2)
    c.gemm(c.pick(1, 12), c.coin(2));
  else
    c.matmul(c.pick(1, 12));
  if (c.coin(3)) c.constant_operand("Mul", c.filled({}, c.small_number()));
}

// A product whose result is moved about before constants meet it.
void matmul_then_index(Composer& c) {
  c.matmul(c.pick(2, 10));
  c.flatten();
  const std::int64_t rows = c.shape[0], columns = c.shape[1];
  switch (c.pick(0, 3)) {
    case 0:
      c.transpose({1, 0});
      // With a square product ONNX Runtime 1.30 folds a normalisation of the rows into the columns of the weights: a
      // different function, not a different rounding.
      if (rows == columns) return c.channelwise("Add");
      break;
    case 1:
      c.reshape({1, rows, columns});
      c.transpose({0, 2, 1});
      break;
    case 2:
      c.reshape({rows, columns, 1, 1});
      break;
    default:
      c.reshape({1, rows * columns});
  }
  if (c.coin(2))
    c.batch_norm();
  else
    c.channelwise("Add");
  c.flatten();
}

void normalised(Composer& c) {
  if (c.coin(5) && c.shape.size() <= 4)
    c.unary("Relu");
  else if (c.image())
    c.conv(
        {.filters = c.pick(1, 17), .kernel = c.pick(1, 3), .same = c.coin(2), .group = c.coin(4), .bias = c.coin(2)});
  else if (c.shape.size() == 2)
    c.gemm(c.pick(1, 10), c.coin(2));
  else
    c.matmul(c.pick(1, 10));
  c.batch_norm();
  if (c.coin(3)) c.batch_norm();
  if (c.coin(2)) activation(c);
}

void convolution_then_constants(Composer& c) {
  c.conv({.filters = c.pick(1, 16), .kernel = c.pick(1, 3), .same = c.coin(2), .group = c.coin(4), .bias = c.coin(2)});
  for (int count = c.pick(1, 3); count > 0; --count) c.channelwise(c.coin(2) ? "Add" : c.coin(4) ? "Sub" : "Mul");
  if (c.coin(2)) activation(c);
}

void product_then_constants(Composer& c) {
  c.flatten();
  c.matmul(c.pick(1, 12));
  for (int count = c.pick(1, 2); count > 0; --count) c.channelwise(c.coin(3) ? "Mul" : c.coin(4) ? "Div" : "Add");
  if (c.coin(2)) activation(c);
}

void pad_then_window(Composer& c) {
  const float value = c.coin(4) ? 0.5f : 0.0f;
  switch (c.pick(0, 2)) {
    case 0:
      c.pad(value, c.coin(2));
      return c.conv({.filters = c.pick(1, 8), .kernel = 3, .same = c.coin(2), .bias = c.coin(2)});
    case 1:
      // Without the operand of the value ONNX Runtime 1.30 moves the padding into the pool (−∞ there, not 0).
      c.pad(value, true);
      return c.pool("MaxPool");
    default:
      c.pad(value, c.coin(2));
      return c.pool("AveragePool");
  }
}

void general_gemm(Composer& c) {
  c.flatten();
  c.general_gemm();
  if (c.coin(3)) c.channelwise("Add");
  if (c.coin(2)) activation(c);
}

void averages(Composer& c) {
  if (c.image() && c.coin(2)) return c.coin(3) ? c.unary_global_average() : c.pool("AveragePool");
  c.reduce(c.coin(2) ? "ReduceMean" : "ReduceSum");
}

void pieces(Composer& c) {
  const std::string before = c.x;
  const onnx_test::Dims shape = c.shape;
  if (c.coin(2)) same_shape_layer(c);
  if (c.coin(2)) activation(c);
  c.concat(before, shape);
  if (c.coin(2)) c.slice_half();
  if (c.coin(4)) c.unary("Neg");
}

void constants_alone(Composer& c) {
  const std::string sum = c.constants_combined();
  c.join(c.coin(2) ? "Add" : "Sub", sum, c.coin(2));
}

struct Pattern {
  const char* name;
  void (*apply)(Composer&);
  bool image_only;
};
constexpr Pattern patterns[] = {
    {"absorb", absorb, false},
    {"residual_cancel", residual_cancel, false},
    {"residual", residual, false},
    {"two_into_one", two_into_one, false},
    {"scalar_before", scalar_before, false},
    {"matmul_then_index", matmul_then_index, false},
    {"normalised", normalised, false},
    {"convolution_then_constants", convolution_then_constants, true},
    {"product_then_constants", product_then_constants, false},
    {"pad_then_window", pad_then_window, true},
    {"general_gemm", general_gemm, false},
    {"averages", averages, false},
    {"pieces", pieces, false},
    {"constants_alone", constants_alone, false},
    {"activation", activation, false},
};

}  // namespace

RuntimeNetwork random_runtime_network(Random& random) {
  Composer c(random);
  RuntimeNetwork result;
  result.shape = c.shape;
  result.scale = c.input_scale;
  const bool many_terms = c.shape[1] > 100;
  for (int count = many_terms ? 1 : c.pick(1, 4); count > 0;) {
    const Pattern pattern = many_terms ? Pattern{"absorb_blocks", absorb_blocks, false}
                                       : patterns[c.pick(0, static_cast<int>(std::size(patterns)) - 1)];
    if (pattern.image_only && !c.image()) continue;
    result.patterns += std::string(result.patterns.empty() ? "" : " ") + pattern.name;
    pattern.apply(c);
    if (--count > 0) {
      if (c.coin(3)) activation(c);
      if (c.coin(8)) c.also_output();
      if (c.image() && c.coin(6)) c.flatten();
    }
  }
  result.net = c.finish();
  return result;
}

}  // namespace outward::testing
