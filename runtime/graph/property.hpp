// A property in the exact form of certificates/FORMAT.md section 4. Built by importers/vnnlib and importers/arrays.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/exact.hpp"

namespace outward {

// lo <= x <= hi with exact ends; a strict end excludes its value (proofs use the closed box, witnesses the exact rule).
struct InputRange {
  Rational lo, hi;
  bool lo_strict = false, hi_strict = false;
  bool operator==(const InputRange&) const = default;
};

// Σ coefficient·y[index] + constant <= 0 (or < 0 if strict): true for unsafe outputs. Integers with gcd 1.
struct Row {
  std::vector<std::pair<std::uint32_t, Integer>> terms;  // increasing index, no zero coefficient
  Integer constant;
  bool strict = false;
  std::uint32_t line = 0;  // of the source, 0 if none
};

// A point is unsafe if it lies in the box and every row is true.
struct Case {
  std::uint32_t box = 0;  // index into Property::boxes
  std::vector<Row> rows;  // empty: every output is unsafe
};

// Exactly what the user asked in a radius query, for the record of FORMAT.md section 7. Decimal texts, "" when not
// given.
struct RadiusRecord {
  std::vector<std::uint64_t> centre_bits;  // one per input, binary32 or binary64 pattern
  std::string radius, scale, layout, target, deviation;
  std::vector<std::string> mean, std, clip, range;
  std::uint32_t label = 0;
};

struct Property {
  std::uint64_t inputs = 0, outputs = 0;
  std::vector<std::vector<InputRange>> boxes;  // distinct, in order of first appearance
  std::vector<Case> cases;                     // nonempty ones only
  std::vector<std::string> dropped;            // one line per empty case: why, and where in the file
  bool bound_only = false;                     // target none: no cases, one box, claim `bound`
  bool vacuous = false;                        // no case left
  std::string kind;                            // "vnnlib" or "radius"
  std::string path, file_sha256;               // vnnlib only
  RadiusRecord radius;                         // radius only
};

// FORMAT.md section 4, lower-case hex.
std::string property_digest(const Property& property);

}  // namespace outward
