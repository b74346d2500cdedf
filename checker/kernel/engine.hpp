// The interface of the backward engines: rows in lanes. One job carries up to `lanes` linear forms
// over one node backward to the input; every element holds the coefficient intervals of all lanes.
// Plain pointers only: an engine may be compiled for instructions that the rest of the program is
// not allowed, so nothing of the standard library may be instantiated there.
#pragma once
#include <cstddef>
#include <cstdint>

#include "checker/kernel/number.hpp"
#include "checker/kernel/structure.hpp"
#include "checker/kernel/sums.hpp"

namespace outward_check {

// What bounds one element of relu, leaky, clip, abs or max over the range of its operand.
template <class U>
struct LinePair {
  double lower = 0, upper = 0;     // lower*x - lower_cut <= f(x) <= upper*x + upper_cut
  U lower_cut = 0, upper_cut = 0;  // max: upper_cut = the greatest upper end
  bool infinite = false;           // there are no lines
  bool no_lower = false, no_upper = false;  // that line needs a slope byte and has none
  std::int64_t dominator = -1;     // max: the operand element that is the maximum, or -1
};

// One node as the rules see it.
template <class U>
struct NodeView {
  Kind kind = Kind::input;
  bool stored = false;
  std::uint32_t operand_count = 0;
  std::uint64_t size = 0;
  const std::uint32_t* operands = nullptr;
  const std::int64_t* ints = nullptr;
  const double* payload = nullptr;
  const double* bias = nullptr;            // dense, conv; null without
  const std::uint64_t* offsets = nullptr;  // map: where each operand starts
  Sites sites;                             // dense, conv
  const Interval<U>* range = nullptr;      // input
  const U* delta = nullptr;  // error boxes of a root or leaky node; null: all zero
  // Linear kinds but contractions: factor*(sum of terms + pre) + post, per element; null: 1 or 0.
  const Interval<U>* factor = nullptr;
  const double *pre = nullptr, *post = nullptr;
  const LinePair<U>* lines = nullptr;  // relu, leaky, clip, abs, max
  const std::uint8_t* weights = nullptr;  // max: K bytes per element, null without slopes
};

// The terms of output element i of map, reduce, add and the kinds with one operand element.
struct Term {
  std::uint32_t operand;
  std::uint64_t element;
  bool negative;
};
template <class U>
std::uint64_t term_count(const NodeView<U>& node) {
  if (node.kind == Kind::reduce) return static_cast<std::uint64_t>(node.ints[0]);
  return node.kind == Kind::add ? 2 : 1;
}
template <class U>
Term term(const NodeView<U>& node, std::uint64_t i, std::uint64_t t) {
  if (node.kind == Kind::reduce) return {0, i * term_count(node) + t, false};
  if (node.kind == Kind::add) return {t == 0 ? 0u : 1u, i, t == 1 && node.ints[0] == 1};
  if (node.kind != Kind::map) return {0, i, false};
  const std::uint64_t z = static_cast<std::uint64_t>(node.ints[i]);
  std::uint32_t low = 0, high = node.operand_count;  // offsets[low] <= z < offsets[high]
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (node.offsets[middle] <= z ? low : high) = middle;
  }
  return {low, z - node.offsets[low], false};
}

template <class U>
struct Start {
  std::uint32_t node = 0;  // at most the job's target
  std::uint64_t element = 0;
  std::uint32_t lane = 0;
  Interval<U> coefficient;
};

constexpr std::uint32_t max_lanes = 8;

template <class U>
struct Job {
  const NodeView<U>* nodes = nullptr;
  std::uint32_t target = 0;
  const Start<U>* starts = nullptr;
  std::size_t start_count = 0;
  U bound[max_lanes] = {};    // out, per lane: upper bound of minus the form over the scope
  std::int64_t missing = -1;  // out: a node that needed a slope byte and had none
};

template <class U>
struct Engine {
  std::uint32_t lanes;
  void (*backward)(Job<U>* job);
  // Range of a dense or conv node, without its error box, from its operand's range.
  void (*range)(const NodeView<U>& node, const Interval<U>* x, Interval<U>* out);
};

template <class U>
const Engine<U>& engine();  // for every U of number.hpp, the fastest on this CPU
extern const Engine<double> portable_engine, avx2_engine, avx512_engine;
std::vector<const Engine<double>*> engines();  // those that this CPU can run, the fastest last

}  // namespace outward_check
