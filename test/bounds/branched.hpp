// Proofs by branching of small networks, and their events as text.
#pragma once
#include <string>

#include "bounds/branch/box_branching.hpp"
#include "bounds/branch/input_split.hpp"
#include "bounds/branch/tighten.hpp"
#include "test/bounds/support.hpp"

namespace outward::testing {

// Writes every event down as text.
class Recorder final : public ProofObserver {
 public:
  void slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& b) override {
    line("slopes", {id, node});
    for (std::uint8_t v : b.lower) text += " " + std::to_string(v);
    for (std::uint8_t v : b.upper) text += " ^" + std::to_string(v);
  }
  void interval(std::uint32_t node) override { line("interval", {node}); }
  void backward(std::uint32_t node, std::span<const std::uint32_t> lower, std::span<const std::uint32_t> upper,
                std::span<const std::uint32_t> ids) override {
    line("backward", {node});
    list(lower), list(upper), list(ids);
  }
  void refute(std::uint32_t c, std::span<const std::uint32_t> rows, std::span<const double> multipliers,
              std::span<const std::uint32_t> ids, std::span<const RangeMultiplier> ranges) override {
    line("refute", {c});
    list(rows), list(ids);
    for (double m : multipliers) text += " " + shortest_decimal(m);
    for (const RangeMultiplier& r : ranges)
      text += " [" + std::to_string(r.node) + "," + std::to_string(r.element) + "," + shortest_decimal(r.value) + "]";
    ++refutations;
  }
  void bound(std::uint32_t output, bool is_lower, double value, std::span<const std::uint32_t> ids) override {
    line("bound", {output, is_lower});
    text += " " + shortest_decimal(value);
    list(ids);
  }
  void split(std::uint32_t node, std::uint32_t element, double at) override {
    line("split", {node, element});
    text += " " + shortest_decimal(at);
    ++splits;
  }
  void crossed(std::uint32_t node, std::uint32_t element) override { line("crossed", {node, element}); }
  void leave_open() override { line("open", {}); }
  void close() override { line("close", {}); }

  std::string text;
  int splits = 0, refutations = 0;

 private:
  void line(const char* name, std::initializer_list<std::uint32_t> numbers) {
    text += std::string("\n") + name;
    for (std::uint32_t n : numbers) text += " " + std::to_string(n);
  }
  void list(std::span<const std::uint32_t> items) {
    text += " (";
    for (std::uint32_t i : items) text += " " + std::to_string(i);
    text += ")";
  }
};

// Box 0 by halving inputs or neurons; a network that needs no branching is proved without.
inline BranchResult branched(const Network& net, const Property& property, Semantics semantics, bool on_inputs,
                             std::uint64_t parts, unsigned threads, BoxProof& proof) {
  const RowTable rows(property);
  BranchOptions options;
  options.threads = threads;
  options.max_domains = parts;
  if (on_inputs) return split_inputs(net, semantics, rows, 0, options, proof.tree);
  BoxProver prover(net, semantics, {1, true, {}});
  const BoxResult root = prover.prove(rows, 0, proof.tree.root_log(), &proof.root);
  BranchResult r;
  r.proved = root.proved();
  if (r.proved) {
    proof.tree.close(0);
    return r;
  }
  TightenOptions how;
  how.threads = threads;
  tighten_root(net, *proof.root, how, proof.tree.root_log());
  return branch_cases(net, rows, root.cases, options, proof);
}

// Some output 0 of the network at most `threshold`, over a box.
inline Property output_below(const Box& box, std::size_t outputs, const Rational& threshold) {
  Property p = box_property(box, outputs);
  p.cases = {{0, {{{{0, denominator(threshold)}}, -numerator(threshold), false, 0}}}};
  return p;
}

}  // namespace outward::testing
