// Grows one ONNX model operator by operator, with random attributes and hostile constants, in the form the chosen opset
// version (9 to 17) wants. Assumes calls that suit the shape so far (image() or not); keeps tensors below a few hundred
// elements.
#pragma once
#include <string>
#include <vector>

#include "test/bounds/support.hpp"
#include "test/importers/onnx_builder.hpp"

namespace outward::testing {

struct ConvOptions {
  std::int64_t filters = 1, kernel = 1;
  bool same = false;   // the output is as large as the input
  bool group = false;  // depthwise
  bool bias = false;
};

class Composer {
 public:
  explicit Composer(Random& random);

  std::string x;           // the value grown so far
  onnx_test::Dims shape;   // its shape
  double input_scale = 1;  // magnitude of interesting inputs

  int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }
  bool coin(int n) { return pick(1, n) == 1; }
  float sign() { return coin(2) ? 1.0f : -1.0f; }
  float small_number();
  bool image() const { return shape.size() == 4 || (shape.size() == 3 && one_dimensional_); }
  onnx_test::Dims channel_shape() const;  // broadcasts one number per channel (dimension 1 of an image, else the last)

  // Constants; the result is a tensor name.
  std::string filled(const onnx_test::Dims& dims, float value);
  std::string constants_combined();  // arithmetic on constants alone, of the current shape

  // Linear layers.
  void conv(const ConvOptions& options);
  void matmul(std::int64_t columns);
  void gemm(std::int64_t columns, bool bias);  // REQUIRES rank 2
  void general_gemm();                         // REQUIRES rank 2: alpha, beta, transpositions, any form of C
  void twin_layers(const std::string& op);     // f(x) op g(x) with nearly equal weights
  void even_twins(std::int64_t filters);       // REQUIRES an image: (f(x) + 2^24) + g(x), small equal weights
  void even_product(std::int64_t columns);     // small equal weights
  void batch_norm();
  void channelwise(const std::string& op);  // a random constant per channel or for all
  void constant_operand(const std::string& op, const std::string& constant);
  void join(const std::string& op, const std::string& other, bool swapped = false);
  void pool(const std::string& op);
  void unary_global_average();
  void reduce(const std::string& op);

  // Index operators and activations.
  void pad(float value, bool explicit_value);  // REQUIRES explicit_value unless value is 0
  void reshape(const onnx_test::Dims& to);
  void transpose(const onnx_test::Ints& order);
  void flatten();  // to rank 2
  void concat(const std::string& other, const onnx_test::Dims& other_shape);
  void slice_half();
  void unary(const std::string& op, const onnx_test::Attributes& attributes = {});
  void clip();

  void also_output();  // the value so far becomes an output of the model as well
  onnx_test::Net finish();

 private:
  enum class Style { moderate, wide, cancelling, powers, tiny };
  float number(Style style);
  onnx_test::Floats row(std::size_t count);  // the weights one output reads
  std::string constant(const onnx_test::Dims& dims, const onnx_test::Floats& values);
  std::string random_constant(const onnx_test::Dims& dims);
  std::string matrix(std::int64_t depth, std::int64_t columns, bool transposed);
  std::string list(const onnx_test::Ints& values);
  std::string fresh() { return "t" + std::to_string(count_++); }
  std::string emit(const std::string& op, const onnx_test::Names& in, const onnx_test::Attributes& attributes = {});

  Random& random_;
  int opset_;
  Style style_;
  onnx_test::Net net_;
  int count_ = 0;
  bool one_dimensional_ = false;
  onnx_test::Names outputs_;
};

}  // namespace outward::testing
