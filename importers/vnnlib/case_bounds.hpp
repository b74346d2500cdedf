// Bounds of the inputs and outputs in the case under construction.
// Promises: a case costs time in the bounds it changes, not in the number of inputs.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "importers/vnnlib/formula.hpp"

namespace outward::vnnlib {

// Bounds of one input; has_* false: unbounded.
struct Range {
  Number lo, hi;
  bool has_lo = false, has_hi = false, lo_strict = false, hi_strict = false;
  bool operator==(const Range&) const = default;
};

// The inputs of a box that differ from the bounds common to all cases, in increasing order.
using Difference = std::vector<std::pair<std::uint32_t, Range>>;

std::uint64_t hash_of(const Difference& difference);

// The input box of the case under construction.
class Box {
 public:
  Box(std::uint64_t inputs, const NumberPool& numbers);

  // Everything applied so far counts for every case.
  void make_common();
  // Back to the common bounds.
  void start_case();
  // A literal of kind lower or upper: the greatest lower and the least upper bound count, strict ones win ties.
  void apply(const Literal& literal);

  bool complete() const { return incomplete_ == 0; }  // every input has both bounds
  bool empty() const { return empty_ != 0; }          // some input has no value
  std::string why_empty() const;                      // REQUIRES empty()
  std::string incomplete_inputs() const;              // by name, the first 20

  Difference difference();
  const std::vector<Range>& common() const { return common_; }

 private:
  bool is_empty(const Range& range) const;
  void set(std::uint32_t input, const Range& range);
  std::string short_text(const Number& number) const;

  const NumberPool& numbers_;
  std::vector<Range> now_, common_;
  std::vector<std::uint64_t> touched_in_;  // the last case that changed the input
  std::vector<std::uint32_t> touched_;
  std::uint64_t case_ = 1;
  std::uint64_t incomplete_ = 0, empty_ = 0;            // numbers of inputs
  std::uint32_t emptied_input_ = 0, emptied_line_ = 0;  // the last bound that left an input without a value
  std::uint32_t common_emptied_input_ = 0, common_emptied_line_ = 0;
};

// Bounds that the single-output rows of one case put on each output. Rows must outlive the case.
class OutputBounds {
 public:
  explicit OutputBounds(std::uint64_t outputs) : best_(outputs) {}

  void start_case() { ++case_; }
  // The row that contradicts this one, or nullptr.
  const Row* add(const Row& row);

 private:
  struct Best {
    const Row* lower = nullptr;
    const Row* upper = nullptr;
    std::uint64_t in_case = 0;
  };
  std::vector<Best> best_;
  std::uint64_t case_ = 0;
};

}  // namespace outward::vnnlib
