// The operator table (opset versions 7 to 23 of the default domain) and the access of rules to attributes and operands.
// Source of the rows: the change log of the ONNX operators; a row starts where the attributes or operands changed.
#include "importers/onnx/operators.hpp"

#include <algorithm>

#include "importers/onnx/onnx.hpp"

namespace outward::onnx_import {
namespace {

constexpr int first = 7, last = 23;
constexpr int any = -1;
#define DOC_FOLDED "integer constants only"
#define DOC_OPAQUE "no certificate"

constexpr Operator table[] = {
    {"Abs", first, last, "", 1, 1, 1, rule_abs, ""},
    {"Acos", first, last, "", 1, 1, 1, rule_function<ElementFunction::acos>, DOC_OPAQUE},
    {"Acosh", 9, last, "", 1, 1, 1, rule_function<ElementFunction::acosh>, DOC_OPAQUE},
    {"Add", first, last, "", 2, 2, 1, rule_add, ""},
    {"And", first, last, "", 2, 2, 1, rule_and, DOC_FOLDED},
    {"Asin", first, last, "", 1, 1, 1, rule_function<ElementFunction::asin>, DOC_OPAQUE},
    {"Asinh", 9, last, "", 1, 1, 1, rule_function<ElementFunction::asinh>, DOC_OPAQUE},
    {"Atan", first, last, "", 1, 1, 1, rule_function<ElementFunction::atan>, DOC_OPAQUE},
    {"Atanh", 9, last, "", 1, 1, 1, rule_function<ElementFunction::atanh>, DOC_OPAQUE},
    {"AveragePool", 7, 9, "auto_pad:s count_include_pad:i kernel_shape:I pads:I strides:I", 1, 1, 1, rule_average_pool,
     "1-D, 2-D"},
    {"AveragePool", 10, 18, "auto_pad:s ceil_mode:i count_include_pad:i kernel_shape:I pads:I strides:I", 1, 1, 1,
     rule_average_pool, "1-D, 2-D; ceil_mode only where it changes nothing"},
    {"AveragePool", 19, last, "auto_pad:s ceil_mode:i count_include_pad:i dilations:I kernel_shape:I pads:I strides:I",
     1, 1, 1, rule_average_pool, "1-D, 2-D; ceil_mode only where it changes nothing"},
    {"BatchNormalization", 7, 8, "epsilon:f momentum:f spatial:i", 5, 5, 5, rule_batch_norm, "inference, spatial = 1"},
    {"BatchNormalization", 9, 13, "epsilon:f momentum:f", 5, 5, 5, rule_batch_norm, "inference"},
    {"BatchNormalization", 14, last, "epsilon:f momentum:f training_mode:i", 5, 5, 3, rule_batch_norm, "inference"},
    {"Cast", 7, 18, "to:i", 1, 1, 1, rule_cast,
     "between integer types, integer constant to float, to the same float type"},
    {"Cast", 19, last, "saturate:i to:i", 1, 1, 1, rule_cast,
     "between integer types, integer constant to float, to the same float type"},
    {"Ceil", first, last, "", 1, 1, 1, rule_function<ElementFunction::ceil>, DOC_OPAQUE},
    {"Clip", 7, 10, "max:f min:f", 1, 1, 1, rule_clip, ""},
    {"Clip", 11, last, "", 1, 3, 1, rule_clip, "constant bounds"},
    {"Concat", first, last, "axis:i", 1, any, 1, rule_concat, ""},
    {"Constant", 7, 10, "value:t", 0, 0, 1, rule_constant, ""},
    {"Constant", 11, 11, "sparse_value:- value:t", 0, 0, 1, rule_constant, "no sparse tensors"},
    {"Constant", 12, last,
     "sparse_value:- value:t value_float:f value_floats:F value_int:i value_ints:I value_string:- value_strings:-", 0,
     0, 1, rule_constant, "no sparse tensors, no strings"},
    {"ConstantOfShape", 9, last, "value:t", 1, 1, 1, rule_constant_of_shape, "constant shape"},
    {"Conv", first, last, "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I", 2, 3, 1, rule_conv,
     "1-D, 2-D; constant weight and bias"},
    {"Cos", first, last, "", 1, 1, 1, rule_function<ElementFunction::cos>, DOC_OPAQUE},
    {"Cosh", 9, last, "", 1, 1, 1, rule_function<ElementFunction::cosh>, DOC_OPAQUE},
    {"Div", first, last, "", 2, 2, 1, rule_div, "constant divisor without zeros; computed divisor: no certificate"},
    {"Dropout", 7, 11, "ratio:f", 1, 1, 2, rule_dropout, "inference; mask unused"},
    {"Dropout", 12, last, "seed:i", 1, 3, 2, rule_dropout, "inference; mask unused"},
    {"Equal", first, last, "", 2, 2, 1, rule_equal, DOC_FOLDED},
    {"Erf", 9, last, "", 1, 1, 1, rule_function<ElementFunction::erf>, DOC_OPAQUE},
    {"Exp", first, last, "", 1, 1, 1, rule_function<ElementFunction::exp>, DOC_OPAQUE},
    {"Expand", 8, last, "", 2, 2, 1, rule_expand, "constant shape"},
    {"Flatten", first, last, "axis:i", 1, 1, 1, rule_flatten, ""},
    {"Floor", first, last, "", 1, 1, 1, rule_function<ElementFunction::floor>, DOC_OPAQUE},
    {"Gather", first, last, "axis:i", 2, 2, 1, rule_gather, "constant indices"},
    {"Gelu", 20, last, "approximate:s", 1, 1, 1, rule_gelu, DOC_OPAQUE},
    {"Gemm", 7, 10, "alpha:f beta:f transA:i transB:i", 3, 3, 1, rule_gemm, "A or B constant"},
    {"Gemm", 11, last, "alpha:f beta:f transA:i transB:i", 2, 3, 1, rule_gemm, "A or B constant"},
    {"GlobalAveragePool", first, last, "", 1, 1, 1, rule_global_average_pool, "1-D, 2-D"},
    {"Greater", first, last, "", 2, 2, 1, rule_greater, DOC_FOLDED},
    {"GreaterOrEqual", 12, last, "", 2, 2, 1, rule_greater_or_equal, DOC_FOLDED},
    {"HardSwish", 14, last, "", 1, 1, 1, rule_function<ElementFunction::hard_swish>, DOC_OPAQUE},
    {"Identity", first, last, "", 1, 1, 1, rule_identity, ""},
    {"LeakyRelu", first, last, "alpha:f", 1, 1, 1, rule_leaky_relu, "0 <= alpha <= 1"},
    {"Less", first, last, "", 2, 2, 1, rule_less, DOC_FOLDED},
    {"LessOrEqual", 12, last, "", 2, 2, 1, rule_less_or_equal, DOC_FOLDED},
    {"Log", first, last, "", 1, 1, 1, rule_function<ElementFunction::log>, DOC_OPAQUE},
    {"MatMul", first, last, "", 2, 2, 1, rule_matmul,
     "one operand constant, of rank 1, 2 or with leading dimensions 1"},
    {"Max", first, last, "", 1, any, 1, rule_max, DOC_FOLDED},
    {"MaxPool", 7, 7, "auto_pad:s kernel_shape:I pads:I strides:I", 1, 1, 1, rule_max_pool, "1-D, 2-D"},
    {"MaxPool", 8, 9, "auto_pad:s kernel_shape:I pads:I storage_order:i strides:I", 1, 1, 2, rule_max_pool,
     "1-D, 2-D; no indices"},
    {"MaxPool", 10, last, "auto_pad:s ceil_mode:i dilations:I kernel_shape:I pads:I storage_order:i strides:I", 1, 1, 2,
     rule_max_pool, "1-D, 2-D; no indices; ceil_mode only where it changes nothing"},
    {"Min", first, last, "", 1, any, 1, rule_min, DOC_FOLDED},
    {"Mish", 18, last, "", 1, 1, 1, rule_function<ElementFunction::mish>, DOC_OPAQUE},
    {"Mod", 10, last, "fmod:i", 2, 2, 1, rule_mod, DOC_FOLDED},
    {"Mul", first, last, "", 2, 2, 1, rule_mul, "two computed operands: no certificate"},
    {"Neg", first, last, "", 1, 1, 1, rule_neg, ""},
    {"Not", first, last, "", 1, 1, 1, rule_not, DOC_FOLDED},
    {"Or", first, last, "", 2, 2, 1, rule_or, DOC_FOLDED},
    {"Pad", 7, 10, "mode:s pads:I value:f", 1, 1, 1, rule_pad, "constant mode"},
    {"Pad", 11, 17, "mode:s", 2, 3, 1, rule_pad, "constant mode, constant pads and value"},
    {"Pad", 18, last, "mode:s", 2, 4, 1, rule_pad, "constant mode, constant pads and value"},
    {"Range", 11, last, "", 3, 3, 1, rule_range, DOC_FOLDED},
    {"Reciprocal", first, last, "", 1, 1, 1, rule_reciprocal, DOC_OPAQUE},
    {"ReduceMax", 7, 17, "axes:I keepdims:i", 1, 1, 1, rule_reduce_max, DOC_FOLDED},
    {"ReduceMax", 18, last, "keepdims:i noop_with_empty_axes:i", 1, 2, 1, rule_reduce_max, DOC_FOLDED},
    {"ReduceMean", 7, 17, "axes:I keepdims:i", 1, 1, 1, rule_reduce_mean, ""},
    {"ReduceMean", 18, last, "keepdims:i noop_with_empty_axes:i", 1, 2, 1, rule_reduce_mean, "constant axes"},
    {"ReduceMin", 7, 17, "axes:I keepdims:i", 1, 1, 1, rule_reduce_min, DOC_FOLDED},
    {"ReduceMin", 18, last, "keepdims:i noop_with_empty_axes:i", 1, 2, 1, rule_reduce_min, DOC_FOLDED},
    {"ReduceProd", 7, 17, "axes:I keepdims:i", 1, 1, 1, rule_reduce_prod, DOC_FOLDED},
    {"ReduceProd", 18, last, "keepdims:i noop_with_empty_axes:i", 1, 2, 1, rule_reduce_prod, DOC_FOLDED},
    {"ReduceSum", 7, 12, "axes:I keepdims:i", 1, 1, 1, rule_reduce_sum, ""},
    {"ReduceSum", 13, last, "keepdims:i noop_with_empty_axes:i", 1, 2, 1, rule_reduce_sum, "constant axes"},
    {"Relu", first, last, "", 1, 1, 1, rule_relu, ""},
    {"Reshape", 7, 13, "", 2, 2, 1, rule_reshape, "constant shape"},
    {"Reshape", 14, last, "allowzero:i", 2, 2, 1, rule_reshape, "constant shape"},
    {"Round", 11, last, "", 1, 1, 1, rule_function<ElementFunction::round>, DOC_OPAQUE},
    {"Shape", 7, 14, "", 1, 1, 1, rule_shape, ""},
    {"Shape", 15, last, "end:i start:i", 1, 1, 1, rule_shape, ""},
    {"Sigmoid", first, last, "", 1, 1, 1, rule_function<ElementFunction::sigmoid>, DOC_OPAQUE},
    {"Sin", first, last, "", 1, 1, 1, rule_function<ElementFunction::sin>, DOC_OPAQUE},
    {"Sinh", 9, last, "", 1, 1, 1, rule_function<ElementFunction::sinh>, DOC_OPAQUE},
    {"Size", first, last, "", 1, 1, 1, rule_size, ""},
    {"Slice", 7, 9, "axes:I ends:I starts:I", 1, 1, 1, rule_slice, ""},
    {"Slice", 10, last, "", 3, 5, 1, rule_slice, "constant starts, ends, axes, steps"},
    {"Softplus", first, last, "", 1, 1, 1, rule_function<ElementFunction::softplus>, DOC_OPAQUE},
    {"Softsign", first, last, "", 1, 1, 1, rule_function<ElementFunction::softsign>, DOC_OPAQUE},
    {"Split", 7, 12, "axis:i split:I", 1, 1, any, rule_split, ""},
    {"Split", 13, 17, "axis:i", 1, 2, any, rule_split, "constant sizes"},
    {"Split", 18, last, "axis:i num_outputs:i", 1, 2, any, rule_split, "constant sizes"},
    {"Sqrt", first, last, "", 1, 1, 1, rule_function<ElementFunction::sqrt>, DOC_OPAQUE},
    {"Squeeze", 7, 12, "axes:I", 1, 1, 1, rule_squeeze, ""},
    {"Squeeze", 13, last, "", 1, 2, 1, rule_squeeze, "constant axes"},
    {"Sub", first, last, "", 2, 2, 1, rule_sub, ""},
    {"Tan", first, last, "", 1, 1, 1, rule_function<ElementFunction::tan>, DOC_OPAQUE},
    {"Tanh", first, last, "", 1, 1, 1, rule_function<ElementFunction::tanh>, DOC_OPAQUE},
    {"Transpose", first, last, "perm:I", 1, 1, 1, rule_transpose, ""},
    {"Unsqueeze", 7, 12, "axes:I", 1, 1, 1, rule_unsqueeze, ""},
    {"Unsqueeze", 13, last, "", 2, 2, 1, rule_unsqueeze, "constant axes"},
    {"Where", 9, last, "", 3, 3, 1, rule_where, "three constants"},
};
#undef DOC_FOLDED
#undef DOC_OPAQUE

const Value absent_value{};

}  // namespace

std::span<const Operator> operator_table() { return table; }

const onnx::AttributeProto* Attributes::find(const char* name) const {
  for (const auto& attribute : node_->attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::int64_t Attributes::integer(const char* name, std::int64_t otherwise) const {
  const auto* attribute = find(name);
  return attribute != nullptr ? attribute->i() : otherwise;
}

double Attributes::number(const char* name, float otherwise) const {
  const auto* attribute = find(name);
  return static_cast<double>(attribute != nullptr ? attribute->f() : otherwise);
}

std::string Attributes::text(const char* name, const char* otherwise) const {
  const auto* attribute = find(name);
  return attribute != nullptr ? attribute->s() : otherwise;
}

Integers Attributes::integers(const char* name, Integers otherwise) const {
  const auto* attribute = find(name);
  return attribute != nullptr ? Integers(attribute->ints().begin(), attribute->ints().end()) : std::move(otherwise);
}

Floats Attributes::numbers(const char* name) const {
  const auto* attribute = find(name);
  return attribute != nullptr ? Floats(attribute->floats().begin(), attribute->floats().end()) : Floats{};
}

std::optional<Value> Attributes::tensor(const char* name) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) return std::nullopt;
  return read_tensor(attribute->t(), *external_);
}

const Value& Call::optional(std::size_t i) const { return i < in.size() ? in[i] : absent_value; }

bool Call::all_integer() const {
  return std::all_of(in.begin(), in.end(), [](const Value& value) { return value.is_integer() || !value.present(); });
}

const Value& require_integer(const Value& value, const char* what) {
  if (!value.is_integer()) {
    refuse("not-constant", what, "an integer constant",
           value.is_node() ? "a value that depends on the input" : "a float constant");
  }
  return value;
}

Integers require_int64_list(const Value& value, const char* what) {
  require_integer(value, what);
  if (value.type != Type::i64 && value.type != Type::i32)
    refuse("bad-type", what, "int64 or int32", type_name(value.type));
  if (value.shape.size() > 1) refuse("bad-shape", what, "rank 0 or 1", shape_text(value.shape));
  return *value.ints;
}

void require_float(const Call& call, const Value& value, const char* what) {
  if (!value.is_float_value() || value.type != call.build.type()) {
    refuse("bad-type", what, type_name(call.build.type()), type_name(value.type));
  }
}

const Value& require_constant(const Call& call, const Value& value, const char* what) {
  require_float(call, value, what);
  if (!value.is_constant()) refuse("not-constant", what, "a constant", "a value that is computed by the network");
  return value;
}

std::optional<Integers> axes_of(const Call& call, std::size_t operand) {
  if (call.attributes.has("axes")) return call.attributes.integers("axes");
  const Value& axes = call.optional(operand);
  if (!axes.present()) return std::nullopt;
  return require_int64_list(axes, "operand axes");
}

std::vector<std::size_t> sorted_axes(const Integers& axes, std::size_t rank) {
  std::vector<std::size_t> result;
  for (std::int64_t axis : axes) result.push_back(normalise_axis(axis, rank, "axes"));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) refuse("bad-axis", "an axis is given twice");
  return result;
}

}  // namespace outward::onnx_import

namespace outward {

std::vector<SupportedOperator> supported_operators() {
  std::vector<SupportedOperator> list;
  for (const onnx_import::Operator& row : onnx_import::operator_table()) {
    SupportedOperator entry;
    entry.name = row.name;
    entry.first_opset = row.since;
    entry.last_opset = row.until;
    const std::string attributes = row.attributes;
    for (std::size_t start = 0; start < attributes.size();) {
      const std::size_t colon = attributes.find(':', start);
      if (attributes[colon + 1] != '-') entry.attributes.push_back(attributes.substr(start, colon - start));
      start = colon + 3;
    }
    entry.min_inputs = row.min_inputs;
    entry.max_inputs = row.max_inputs;
    entry.notes = row.notes;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace outward
