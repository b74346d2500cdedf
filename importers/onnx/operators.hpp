// The operator table and what a rule gets to see. One row per operator and range of opset versions; the same table
// drives import, the refusal of unknown attributes, and the support matrix of `model ops`.
#pragma once
#include <onnx/onnx_pb.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "importers/onnx/builder.hpp"
#include "importers/onnx/tensor.hpp"
#include "runtime/graph/element_function.hpp"

namespace outward::onnx_import {

// Attributes of one node. Names and types have been checked against the table before a rule runs.
class Attributes {
 public:
  Attributes(const onnx::NodeProto& node, ExternalData& external) : node_(&node), external_(&external) {}

  bool has(const char* name) const { return find(name) != nullptr; }
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  double number(const char* name, float otherwise) const;  // a binary32 number, widened exactly
  std::string text(const char* name, const char* otherwise) const;
  Integers integers(const char* name, Integers otherwise = {}) const;
  Floats numbers(const char* name) const;
  std::optional<Value> tensor(const char* name) const;

 private:
  const onnx::AttributeProto* find(const char* name) const;
  const onnx::NodeProto* node_;
  ExternalData* external_;
};

// One application of an operator. in has as many entries as the node (absent ones are Value::State::absent), out is
// filled by the rule and has one entry per output of the node.
struct Call {
  Builder& build;
  const Attributes& attributes;
  std::vector<Value> in;
  std::vector<Value> out;
  std::vector<bool> wanted;  // outputs with a non-empty name
  int opset;

  const Value& optional(std::size_t i) const;  // in[i], or an absent value
  bool all_integer() const;                    // every present operand is an integer constant
};

using Rule = void (*)(Call&);

struct Operator {
  const char* name;
  int since, until;  // opset versions, inclusive
  // "name:type ..." with i f s I F t (tensor), or - for one that is known and refused.
  const char* attributes;
  int min_inputs, max_inputs;  // -1: any number
  int max_outputs;             // -1: any number
  Rule rule;
  const char* notes;
};

std::span<const Operator> operator_table();

// --- operand checks shared by the rules ---
const Value& require_integer(const Value& value, const char* what);          // an integer constant
Integers require_int64_list(const Value& value, const char* what);           // int64 or int32, rank 0 or 1
void require_float(const Call& call, const Value& value, const char* what);  // constant or node of the element type
const Value& require_constant(const Call& call, const Value& value, const char* what);
// Axes from the attribute (older opsets) or operand i (newer ones); nullopt if absent.
std::optional<Integers> axes_of(const Call& call, std::size_t operand);
// Distinct, normalised, increasing.
std::vector<std::size_t> sorted_axes(const Integers& axes, std::size_t rank);

// --- rules_shape.cpp: nothing is emitted ---
void rule_identity(Call&);
void rule_dropout(Call&);
void rule_cast(Call&);
void rule_flatten(Call&);
void rule_reshape(Call&);
void rule_squeeze(Call&);
void rule_unsqueeze(Call&);
void rule_constant(Call&);
void rule_shape(Call&);
void rule_size(Call&);
void rule_constant_of_shape(Call&);
// --- rules_index.cpp: one map ---
void rule_transpose(Call&);
void rule_concat(Call&);
void rule_slice(Call&);
void rule_split(Call&);
void rule_gather(Call&);
void rule_pad(Call&);
void rule_expand(Call&);
// --- rules_integer.cpp: folded ---
bool fold_binary(Call&, const char* name);  // add, sub, mul, div of integer constants; false if some operand is none
void rule_equal(Call&);
void rule_greater(Call&);
void rule_less(Call&);
void rule_greater_or_equal(Call&);
void rule_less_or_equal(Call&);
void rule_not(Call&);
void rule_and(Call&);
void rule_or(Call&);
void rule_where(Call&);
void rule_range(Call&);
void rule_mod(Call&);
void rule_min(Call&);
void rule_max(Call&);
void rule_reduce_prod(Call&);
void rule_reduce_min(Call&);
void rule_reduce_max(Call&);
void fold_reduce_sum(Call&);
// --- rules_arithmetic.cpp ---
void rule_add(Call&);
void rule_sub(Call&);
void rule_mul(Call&);
void rule_div(Call&);
void rule_neg(Call&);
void rule_abs(Call&);
void rule_relu(Call&);
void rule_leaky_relu(Call&);
void rule_clip(Call&);
// --- rules_function.cpp ---
void emit_function(Call&, ElementFunction);
template <ElementFunction function>
void rule_function(Call& call) {
  emit_function(call, function);
}
void rule_gelu(Call&);
void rule_reciprocal(Call&);
// --- rules_product.cpp ---
void rule_matmul(Call&);
void rule_gemm(Call&);
// --- rules_window.cpp ---
void rule_conv(Call&);
void rule_batch_norm(Call&);
void rule_average_pool(Call&);
void rule_global_average_pool(Call&);
void rule_max_pool(Call&);
// --- rules_reduce.cpp ---
void rule_reduce_sum(Call&);
void rule_reduce_mean(Call&);

}  // namespace outward::onnx_import
