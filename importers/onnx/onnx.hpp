// Reads an ONNX model file into the canonical graph of certificates/FORMAT.md sections 1 and 2.
// Assumes nothing about the file. Promises: a valid graph with exactly the nodes section 2 prescribes, or InputRefused
// with every blocker found (node number, name, operator, opset version, attribute); it never guesses and never rounds.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/error.hpp"
#include "runtime/graph/graph.hpp"

namespace outward {

// Dimensions of free inputs by name, where the file leaves them open. Positive numbers.
using ShapeOverrides = std::map<std::string, std::vector<std::int64_t>>;

// path: a plain .onnx file or one gzip member (told apart by content). External data must lie below the folder of path.
// Throws InputRefused for everything about the file (also when it cannot be opened), UsageError for an override that
// names no free input or that no shape of the file can match.
Model import_onnx(const std::string& path, const ShapeOverrides& overrides);

// What the importer knows about the file beyond the canonical graph, for `model info`.
struct OnnxSummary {
  struct Value {
    std::string name;
    std::vector<std::int64_t> shape;
  };
  std::int64_t ir_version = 0, opset = 0;
  std::string producer;
  std::vector<Value> inputs, outputs;
  std::map<std::string, std::uint64_t> operators;  // number of ONNX nodes by operator
  std::uint64_t parameters = 0;                    // elements of float initializers
};

// As above, and fills *summary if it is not null.
Model import_onnx(const std::string& path, const ShapeOverrides& overrides, OnnxSummary* summary);

// One line of the support matrix, generated from the table that drives the importer.
struct SupportedOperator {
  std::string name;
  int first_opset = 0, last_opset = 0;  // this set of attributes is valid for these opset versions
  std::vector<std::string> attributes;
  int min_inputs = 0, max_inputs = 0;  // max_inputs -1: any number
  std::string notes;                   // what is refused
};
std::vector<SupportedOperator> supported_operators();

}  // namespace outward
