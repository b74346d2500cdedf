// What the tests of capsules share: a record that is right in every respect, to be damaged, and small graphs.
#pragma once
#include <string>

#include "runtime/capsules/planner.hpp"

namespace outward::testing {

// A capsule of this program for relu or dense in binary32, labelled fuzzed; its digest is right.
inline Capsule good_capsule(const std::string& name, const std::string& op, const std::string& provider = "reference",
                            const std::string& device = "cpu") {
  Capsule c;
  c.name = name;
  c.op = op;
  c.provider = provider;
  c.device = device;
  c.spec = "the page";
  c.trust = Trust::fuzzed;
  c.support = RuntimeSupport::executable;
  c.policy = parse_policy(find_op(op) && find_op(op)->accumulates ? "binary32 reduction=sequential" : "binary32");
  const Provenance somewhere{"README.md", "", "", ""};
  c.contract(Field::shape) = {Claim::shape_safety, op, "", Evidence::guard, 0, {somewhere}};
  c.contract(Field::layout) = {Claim::layout_compatibility, op, "row_major", Evidence::guard, 0, {somewhere}};
  c.contract(Field::value) = {Claim::value_refinement, op, "", Evidence::fuzz, 1000, {somewhere}};
  c.contract(Field::vjp) = {Claim::vjp_unavailable, op, "", Evidence::not_applicable, 0, {}};
  return c;
}

// With the digest that its text has.
inline Capsule resealed(const Capsule& c) { return parse_capsule(record_text(c), "test"); }

// input → dense 1×1 (2·x − 1) → relu → relu.
inline Graph small_graph() {
  Graph g;
  Node input, dense, relu, again;
  input.size = 1;
  dense.kind = Kind::dense;
  dense.operands = {0};
  dense.size = 1;
  dense.ints = {1, 1, 1, 1};
  dense.payload = {2, -1};
  dense.origin = "node 0";
  relu.kind = Kind::relu;
  relu.operands = {1};
  relu.size = 1;
  relu.origin = "node 1";
  again = relu;
  again.operands = {2};
  again.origin = "node 2";
  g.nodes = {input, dense, relu, again};
  g.output = 3;
  return g;
}

inline Profile good_profile() { return *find_profile("reference_cpu"); }

}  // namespace outward::testing
