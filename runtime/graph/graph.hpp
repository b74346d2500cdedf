// The canonical graph of certificates/FORMAT.md section 1: flat tensors, node kinds, constants as exact bits.
// Built by importers/onnx, read by everything else. Invariants (checked by validate()):
//   1. node 0 is the only Kind::input; operands have smaller numbers than their reader;
//   2. ints and payload have exactly the lengths section 1 gives for the kind; indices of a map are in range;
//   3. no payload element is NaN or infinite;
//   4. every node but 0 is reachable from the output.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace outward {

enum class ElementType { binary32, binary64 };

// Numbers are those of FORMAT.md section 1 and enter the digest.
enum class Kind : std::uint8_t {
  input = 0,
  constant = 1,
  map = 2,
  dense = 3,
  conv = 4,
  reduce = 5,
  bn = 6,
  add = 7,
  shift = 8,
  scale = 9,
  divide = 10,
  neg = 11,
  relu = 12,
  leaky = 13,
  clip = 14,
  abs = 15,
  max = 16,
  // Kinds that no certificate holds (FORMAT.md section 1 ends at 16): bounded by intervals, executed, never certified.
  function = 17,  // one of element_function.hpp, number ints[0], of every element
  product = 18,   // of two operands, element by element
  quotient = 19
};

struct Node {
  Kind kind = Kind::input;
  std::vector<std::uint32_t> operands;
  std::uint64_t size = 0;           // number of elements
  std::vector<std::int64_t> ints;   // FORMAT.md section 1
  std::vector<double> payload;      // exact values; every binary32 value is a binary64 value, -0 is kept
  std::string origin;               // "node 3 'conv1' (Conv)": for messages only, not part of the digest
  std::vector<std::int64_t> shape;  // ONNX shape of the value: for messages and layout only, not part of the digest
};

struct Graph {
  ElementType element = ElementType::binary32;
  std::vector<Node> nodes;
  std::uint32_t output = 0;
  std::vector<std::int64_t> input_shape;  // of the first free input, for image layouts; not part of the digest
};

// One file the model was read from, for the manifest of FORMAT.md section 7. path is relative to the model's folder.
struct ModelFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct Model {
  Graph graph;
  std::vector<ModelFile> files;  // the model first, then external data sorted by path
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> shape_overrides;  // sorted by name
};

const char* kind_name(Kind kind);

// What records of kernels call the operator of a node: the name of its kind, or of its function.
const char* op_name(const Node& node);

// False for the kinds 17 to 19, about which no certificate can speak.
inline bool is_certifiable(Kind kind) { return kind <= Kind::max; }
bool is_certifiable(const Graph& graph);

// Throws ResourceError naming the first broken invariant.
void validate(const Graph& graph);

// FORMAT.md section 1, lower-case hex.
std::string graph_digest(const Graph& graph);

// Lower-case hex SHA-256 of bytes.
std::string sha256_hex(const void* data, std::size_t bytes);

}  // namespace outward
