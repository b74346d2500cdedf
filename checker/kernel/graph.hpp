// The canonical graph of certificates/FORMAT.md section 1. Filled by checker/readers, which
// promise its invariants: operands before readers, lengths, ranges of indices, finite payload.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace outward_check {

enum class Kind : std::uint8_t {
  input = 0, constant = 1, map = 2, dense = 3, conv = 4, reduce = 5, bn = 6, add = 7, shift = 8,
  scale = 9, divide = 10, neg = 11, relu = 12, leaky = 13, clip = 14, abs = 15, max = 16
};

struct Node {
  Kind kind = Kind::input;
  std::vector<std::uint32_t> operands;
  std::uint64_t size = 0;
  std::vector<std::int64_t> ints;
  std::vector<double> payload;  // exact values of the element type; -0 is kept
  std::string origin;           // ONNX node, for messages only
};

struct Graph {
  bool is_binary64 = false;
  std::vector<Node> nodes;
  std::uint32_t output = 0;
  std::vector<std::int64_t> input_shape;  // of the first free input; not in the digest
};

}  // namespace outward_check
