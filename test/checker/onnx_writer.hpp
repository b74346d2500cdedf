// Builds small ONNX files byte by byte for the tests of the ONNX reader and shows what was read as text. Field numbers
// are those of onnx.proto; nothing is checked, so that wrong files can be built too.
#pragma once
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "checker/readers/readers.hpp"
#include "checker/report/identity.hpp"

namespace onnx_test {

using outward_check::Graph;
using outward_check::ModelRead;
using outward_check::ReadError;
using outward_check::Shapes;
using Int = std::int64_t;
using Shape = std::vector<Int>;

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}

// One protobuf message under construction.
struct Proto {
  std::string bytes;
  Proto& number(unsigned field, Int value) {
    bytes += varint(field << 3) + varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Proto& text(unsigned field, const std::string& value) {
    bytes += varint(field << 3 | 2) + varint(value.size()) + value;
    return *this;
  }
  Proto& message(unsigned field, const Proto& value) { return text(field, value.bytes); }
  Proto& real(unsigned field, float value) {
    bytes += varint(field << 3 | 5) + std::string(reinterpret_cast<const char*>(&value), 4);
    return *this;
  }
};

template <class To, class From>
std::string raw(const std::vector<From>& values) {
  std::string out;
  for (From value : values) {
    const To converted = static_cast<To>(value);
    out += std::string(reinterpret_cast<const char*>(&converted), sizeof(To));
  }
  return out;
}

inline Proto tensor_head(const std::string& name, const Shape& shape, int type) {
  Proto t;
  for (Int d : shape) t.number(1, d);
  return t.number(2, type).text(8, name);
}
inline Proto floats(const std::string& name, const Shape& shape, const std::vector<double>& values) {
  return tensor_head(name, shape, 1).text(9, raw<float>(values));
}
inline Proto doubles(const std::string& name, const Shape& shape, const std::vector<double>& values) {
  return tensor_head(name, shape, 11).text(9, raw<double>(values));
}
inline Proto ints(const std::string& name, const Shape& shape, const std::vector<Int>& values) {
  return tensor_head(name, shape, 7).text(9, raw<Int>(values));
}
inline Proto bools(const std::string& name, const Shape& shape, const std::vector<Int>& values) {
  return tensor_head(name, shape, 9).text(9, raw<char>(values));
}

inline Proto attribute(const std::string& name, int type) { return Proto().text(1, name).number(20, type); }
inline Proto f(const std::string& name, double value) { return attribute(name, 1).real(2, static_cast<float>(value)); }
inline Proto i(const std::string& name, Int value) { return attribute(name, 2).number(3, value); }
inline Proto s(const std::string& name, const std::string& value) { return attribute(name, 3).text(4, value); }
inline Proto t(const std::string& name, const Proto& tensor) { return attribute(name, 4).message(5, tensor); }
inline Proto is(const std::string& name, const Shape& values) {
  Proto a = attribute(name, 7);
  for (Int v : values) a.number(8, v);
  return a;
}

inline std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string word; in >> word;) out.push_back(word == "-" ? "" : word);
  return out;
}

// Operands and outputs are words, "-" an absent one.
inline Proto node(const std::string& op, const std::string& in, const std::string& out,
                  const std::vector<Proto>& attributes = {}) {
  Proto n;
  for (const auto& name : words(in)) n.text(1, name);
  for (const auto& name : words(out)) n.text(2, name);
  n.text(4, op);
  for (const Proto& a : attributes) n.message(5, a);
  return n;
}

// A dimension of -1 is symbolic.
inline Proto value_info(const std::string& name, const Shape& shape, int type = 1) {
  Proto dims;
  for (Int d : shape) dims.message(1, d == -1 ? Proto().text(2, "N") : Proto().number(1, d));
  return Proto().text(1, name).message(2, Proto().message(1, Proto().number(1, type).message(2, dims)));
}

struct Net {
  Int opset = 13, ir = 8;
  Proto graph, model;
  explicit Net(Int version = 13) : opset(version) {}
  Net& input(const std::string& name, const Shape& shape, int type = 1) {
    graph.message(11, value_info(name, shape, type));
    return *this;
  }
  Net& constant(const Proto& tensor) {
    graph.message(5, tensor);
    return *this;
  }
  Net& add(const Proto& one) {
    graph.message(1, one);
    return *this;
  }
  Net& output(const std::string& name) {
    graph.message(12, Proto().text(1, name));
    return *this;
  }
  std::string file() const {
    Proto all;
    all.number(1, ir).message(7, graph).message(8, Proto().number(2, opset));
    return all.bytes + model.bytes;
  }
};

// A scratch folder of this process, removed at the end.
inline const std::filesystem::path& scratch() {
  static const struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("outward_onnx_" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  } folder;
  return folder.path;
}

inline void write(const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories((scratch() / name).parent_path());
  std::ofstream(scratch() / name, std::ios::binary) << bytes;
}

inline ModelRead read_bytes(const std::string& bytes, const Shapes& shapes = {}) {
  write("model.onnx", bytes);
  return outward_check::read_model((scratch() / "model.onnx").string(), shapes);
}

// "kind(operands)#size ints |payload" for every node but the input; then the output node if it is not the last one.
inline std::string show(const Graph& graph) {
  static const char* const names[] = {"input", "const",  "map", "dense", "conv",  "reduce", "bn",  "add", "shift",
                                      "scale", "divide", "neg", "relu",  "leaky", "clip",   "abs", "max"};
  std::ostringstream out;
  for (std::size_t k = 1; k < graph.nodes.size(); ++k) {
    const auto& n = graph.nodes[k];
    out << (k > 1 ? "; " : "") << names[static_cast<int>(n.kind)] << '(';
    for (std::size_t j = 0; j < n.operands.size(); ++j) out << (j ? "," : "") << n.operands[j];
    out << ")#" << n.size;
    for (Int v : n.ints) out << ' ' << v;
    if (!n.payload.empty()) out << " |";
    for (double v : n.payload) out << ' ' << v;
  }
  if (graph.nodes.size() == 1) return "input";
  if (graph.output + 1 != graph.nodes.size()) out << " -> " << graph.output;
  return out.str();
}

// The canonical graph as text, or "refused: " and why.
inline std::string show(const std::string& bytes, const Shapes& shapes = {}) {
  try {
    const ModelRead read = read_bytes(bytes, shapes);
    const std::string fault = outward_check::graph_fault(read.graph);
    return fault.empty() ? show(read.graph) : "fault: " + fault;
  } catch (const ReadError& e) {
    return std::string("refused: ") + e.what();
  }
}
inline std::string show(const Net& net, const Shapes& shapes = {}) { return show(net.file(), shapes); }

// A net with input x and one node "op"; the node reads x and the constants in order of `in`.
inline Net one(Int opset, const Shape& x, const Proto& node, const std::vector<Proto>& constants = {}) {
  Net net(opset);
  net.input("x", x);
  for (const Proto& c : constants) net.constant(c);
  return net.add(node).output("y");
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace onnx_test
