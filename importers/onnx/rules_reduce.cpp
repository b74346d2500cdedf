// ReduceSum and ReduceMean of computed values (certificates/FORMAT.md section 2): a map that moves the reduced axes
// behind the kept ones, then reduce.
#include "importers/onnx/operators.hpp"

namespace outward::onnx_import {
namespace {

void reduce(Call& call, bool mean) {
  const Value& x = call.in[0];
  require_float(call, x, "operand data");
  const auto given = axes_of(call, 1);
  const bool none = !given || given->empty();
  if (none && call.attributes.integer("noop_with_empty_axes", 0) != 0) {
    call.out[0] = call.build.as_node(x);
    return;
  }
  std::vector<bool> reduced(x.shape.size(), none);
  if (!none) {
    for (std::size_t axis : sorted_axes(*given, x.shape.size())) reduced[axis] = true;
  }
  const bool keep = call.attributes.integer("keepdims", 1) != 0;
  std::vector<std::size_t> perm, behind;
  Shape shape, moved;
  std::int64_t k = 1;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    (reduced[i] ? behind : perm).push_back(i);
    if (reduced[i]) k *= x.shape[i];
    if (!reduced[i] || keep) shape.push_back(reduced[i] ? 1 : x.shape[i]);
  }
  perm.insert(perm.end(), behind.begin(), behind.end());
  for (std::size_t axis : perm) moved.push_back(x.shape[axis]);
  const Value node = call.build.as_node(x);
  const Value rows = call.build.map({node}, transpose_indices(x.shape, perm), std::move(moved));
  Integers ints(static_cast<std::size_t>(element_count(shape)) + 1, mean ? k : 1);
  ints[0] = k;
  call.out[0] = call.build.emit(Kind::reduce, {rows}, std::move(shape), std::move(ints));
}

}  // namespace

void rule_reduce_sum(Call& call) {
  if (call.in[0].is_integer()) return fold_reduce_sum(call);
  reduce(call, false);
}

void rule_reduce_mean(Call& call) { reduce(call, true); }

}  // namespace outward::onnx_import
