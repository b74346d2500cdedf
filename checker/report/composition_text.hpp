// The text of a composition (certificates/FORMAT.md section 9). Assumes nothing about the file. Promises the closed
// schema with its key order, rows counted from 0 without a gap, and a footer that matches; meaning is judged by
// composition.cpp.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outward_check {

struct CompositionRow {
  std::uint64_t label = 0;
  std::string property;      // digest of the row's question
  std::string claim;         // holds, violated, unknown or misclassified
  std::string path, sha256;  // of the part; only of holds and violated
};

struct Composition {
  std::string semantics, graph;  // the canonical graph's digest
  std::uint64_t inputs = 0, outputs = 0;
  std::vector<CompositionRow> rows;
  std::uint64_t clean = 0, attacked = 0, certified = 0;  // as stated
  std::uint64_t records = 0;
};

// Throws ReadError: malformed, or unsupported for another version; FooterFault.
Composition parse_composition(std::string_view text);

}  // namespace outward_check
