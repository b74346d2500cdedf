// A property of certificates/FORMAT.md section 4. Filled by checker/readers, which promise
// that every index is in range.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checker/kernel/fraction.hpp"

namespace outward_check {

struct InputRange {
  Fraction lo, hi;
  bool lo_strict = false, hi_strict = false;
};

// Sum of coefficient*y[index] + constant <= 0 (< 0 if strict); integers with gcd 1.
struct Row {
  std::vector<std::pair<std::uint32_t, BigInt>> terms;
  BigInt constant;
  bool strict = false;
  std::uint32_t line = 0;
};

struct Case {
  std::uint32_t box = 0;
  std::vector<Row> rows;
};

struct Property {
  std::uint64_t inputs = 0, outputs = 0;
  std::vector<std::vector<InputRange>> boxes;
  std::vector<Case> cases;
  std::uint64_t dropped = 0;   // empty cases
  bool bound_only = false;
  bool vacuous = false;
  std::string file_sha256;     // vnnlib only
};

}  // namespace outward_check
