// Reads VNN-LIB property files.
// Assumes nothing about the file. Promises: version 1.0 text becomes exactly the property of certificates/FORMAT.md
// section 4 (exact decimals, strictness, file order); anything else is InputRefused with file:line:column, a stable
// code, what was expected and found, and a next step. No recursion; depth, token, number and expansion limits below.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.hpp"
#include "runtime/graph/property.hpp"

namespace outward {

// Limits, named in the message when one is hit.
namespace vnnlib_limits {
inline constexpr std::size_t depth = 256;  // open parentheses
inline constexpr std::size_t token_bytes = 64 * 1024;
inline constexpr std::uint64_t index = 100'000'000;          // greatest i of X_i and Y_i
inline constexpr std::uint64_t cases = 1'000'000;            // after expansion, before empty ones are dropped
inline constexpr std::uint64_t expanded_terms = 20'000'000;  // terms of all rows of all cases
inline constexpr std::uint64_t box_ends = 10'000'000;        // inputs times distinct boxes
inline constexpr std::uint64_t number_bits = 400'000;        // of one coefficient, while it is computed
inline constexpr std::uint64_t number_bytes = 256 << 20;     // of all numbers that do not fit in 64 bits
}  // namespace vnnlib_limits

// The property for a model with the given numbers of inputs and outputs; declarations must match them exactly.
// path may name a gzip file (one member, told by content); file_sha256 is that of the decompressed bytes.
// Throws InputRefused also when the file cannot be read.
Property read_vnnlib(const std::string& path, std::uint64_t inputs, std::uint64_t outputs);

// The same from memory; name stands for the file in messages and becomes Property::path.
Property parse_vnnlib(std::string_view text, const std::string& name, std::uint64_t inputs, std::uint64_t outputs);

// What `model property` shows. Sizes come from the declarations when no model is given.
struct VnnlibSummary {
  std::string version;  // "1.0" or the text in (vnnlib-version <...>)
  std::uint64_t inputs = 0, outputs = 0;
  std::uint64_t cases = 0, boxes = 0, rows = 0;  // nonempty cases, distinct boxes, rows of all cases
  std::vector<std::string> dropped;              // empty cases
  bool vacuous = false;
  std::uint64_t unsupported_rows = 0;  // valid syntax that verify refuses (rows mixing inputs and outputs, …)
  std::vector<Blocker> unsupported;    // the first of them, as verify would report them; empty if none
  std::vector<std::string> networks;   // version 2 only: name and shapes, in file order
  std::vector<std::string> notes;      // accepted although text and grammar of the standard differ
  std::string digest;                  // FORMAT.md section 4; "" when verify would refuse the property
  std::string file_sha256;
};

// sizes: inputs and outputs of the model, if one is given.
VnnlibSummary summarize_vnnlib(const std::string& path,
                               std::optional<std::pair<std::uint64_t, std::uint64_t>> sizes = std::nullopt);
VnnlibSummary summarize_vnnlib_text(std::string_view text, const std::string& name,
                                    std::optional<std::pair<std::uint64_t, std::uint64_t>> sizes = std::nullopt);

}  // namespace outward
