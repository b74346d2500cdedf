// Names and invariants: see identity.hpp.
#include "checker/report/identity.hpp"

#include <algorithm>
#include <bit>

#include "checker/translate/sha256.hpp"

namespace outward_check {

namespace {

constexpr std::uint64_t max_nodes = std::uint64_t{1} << 20, max_size = std::uint64_t{1} << 31;

// Number of operands, ints and payload elements of each kind; per_element: one of it per element.
constexpr int per_element = -1, special = -2;
struct Shape {
  int operands, ints, payload;
};
constexpr Shape shapes[17] = {{0, 0, 0},
                              {0, 0, per_element},
                              {special, per_element, 0},
                              {1, 4, special},
                              {1, 19, special},
                              {1, special, 0},
                              {1, 2, special},
                              {2, 1, 0},
                              {1, 0, per_element},
                              {1, 0, per_element},
                              {1, 0, per_element},
                              {1, 0, 0},
                              {1, 0, 0},
                              {1, 0, 1},
                              {1, 0, 2},
                              {1, 0, 0},
                              {1, 1, 0}};

// a*b*..., or 2^62 when it is larger. REQUIRES factors in [0, 2^31].
std::uint64_t product(std::initializer_list<std::int64_t> factors) {
  unsigned __int128 p = 1;
  for (std::int64_t f : factors) {
    p = std::min<unsigned __int128>(p * static_cast<std::uint64_t>(f), std::uint64_t{1} << 62);
  }
  return static_cast<std::uint64_t>(p);
}

const char* conv_fault(const Node& node, std::uint64_t operand) {
  const auto [B, C, H, Wd, M, kh, kw, sh, sw, pt, pl, pb, pr, dh, dw, g, OH, OW, bias] = conv_ints(node);
  if (std::min({B, C, H, Wd, M, kh, kw, sh, sw, dh, dw, g, OH, OW}) < 1) {
    return "sizes of a convolution must be positive";
  }
  if (std::min({pt, pl, pb, pr, bias}) < 0 || bias > 1) return "pads";
  if (C % g != 0 || M % g != 0) return "groups do not divide the channels";
  const std::int64_t span_h = H + pt + pb - dh * (kh - 1) - 1;
  const std::int64_t span_w = Wd + pl + pr - dw * (kw - 1) - 1;
  const bool fits = span_h >= 0 && span_w >= 0 && span_h / sh + 1 == OH && span_w / sw + 1 == OW &&
                    product({B, C, H, Wd}) == operand && product({B, M, OH, OW}) == node.size;
  if (!fits) return "sizes of a contraction do not fit";
  const std::uint64_t weights = product({M, C / g, kh, kw});
  return node.payload.size() == weights + (bias != 0 ? M : 0) ? "" : "payload length";
}

// What no table says, per kind.
const char* kind_fault(const Graph& graph, const Node& node) {
  const std::vector<std::int64_t>& a = node.ints;
  const std::vector<double>& c = node.payload;
  std::uint64_t sizes = 0;
  for (std::uint32_t p : node.operands) sizes += graph.nodes[p].size;
  const std::uint64_t first = node.operands.empty() ? 0 : graph.nodes[node.operands[0]].size;
  const bool elementwise = node.kind >= Kind::bn && node.kind <= Kind::abs;
  if (elementwise && first != node.size) return "operand size";
  switch (node.kind) {
    case Kind::input:
      return "a second input node";
    case Kind::map:
      if (node.operands.empty()) return "no operand";
      for (std::int64_t i : a) {
        if (static_cast<std::uint64_t>(i) >= sizes) return "index out of range";
      }
      return "";
    case Kind::dense:
    case Kind::conv:
      return conv_fault(node, first);
    case Kind::reduce:
      if (a.size() != node.size + 1 || product({a[0], std::ssize(a) - 1}) != first) return "size";
      return std::find(a.begin() + 1, a.end(), 0) == a.end() ? "" : "divisor 0";
    case Kind::bn:
      if (a[0] < 1 || a[1] < 1 || first % product({a[0], a[1]}) != 0) return "channels";
      if (c.size() != 4 * static_cast<std::uint64_t>(a[0]) + 1) return "payload length";
      for (auto var = c.end() - 1 - a[0]; var != c.end() - 1; ++var) {
        const Fraction sum = Fraction::from_double(*var) + Fraction::from_double(c.back());
        if (*var < 0 || sum.sign() <= 0) return "variance";
      }
      return "";
    case Kind::add:
      return a[0] > 1 || graph.nodes[node.operands[1]].size != first ? "second operand" : "";
    case Kind::divide:
      return std::find(c.begin(), c.end(), 0) == c.end() ? "" : "divisor 0";
    case Kind::leaky:
      return c[0] < 0 || c[0] > 1 ? "alpha" : "";
    case Kind::clip:
      return c[0] > c[1] ? "reversed bounds" : "";
    case Kind::max:
      return product({a[0], static_cast<std::int64_t>(node.size)}) != first ? "operand size" : "";
    default:
      return "";
  }
}

std::string node_fault(const Graph& graph, std::size_t k) {
  const Node& node = graph.nodes[k];
  if (static_cast<std::size_t>(node.kind) >= std::size(shapes)) return "unknown kind";
  const Shape& shape = shapes[static_cast<std::size_t>(node.kind)];
  const auto wrong = [&](int expected, std::size_t found) {
    return expected != special && found != (expected == per_element ? node.size : expected + 0u);
  };
  if (node.size == 0 || node.size > max_size) return "element count";
  if (wrong(shape.operands, node.operands.size())) return "number of operands";
  if (wrong(shape.ints, node.ints.size())) return "number of ints";
  if (shape.ints == special && node.ints.empty()) return "no ints";
  if (wrong(shape.payload, node.payload.size())) return "payload length";
  for (std::uint32_t p : node.operands) {
    if (p >= k) return "an operand does not come before its reader";
  }
  for (std::int64_t i : node.ints) {
    if (i < 0 || i > static_cast<std::int64_t>(max_size)) return "an int is out of range";
  }
  for (double c : node.payload) {
    if (!(c - c == 0)) return "a constant is not finite";
    const double narrow = static_cast<double>(static_cast<float>(c));
    if (!graph.is_binary64 && narrow != c) return "a constant is no binary32 number";
  }
  return k == 0 ? "" : kind_fault(graph, node);
}

}  // namespace

std::string graph_fault(const Graph& graph) {
  const std::size_t count = graph.nodes.size();
  if (count == 0 || count > max_nodes || graph.nodes[0].kind != Kind::input) return "no input node";
  if (graph.output >= count) return "no output node";
  std::vector<std::uint8_t> needed(count, 0);
  needed[0] = needed[graph.output] = 1;
  for (std::size_t k = count; k-- > 0;) {
    std::string fault = node_fault(graph, k);
    if (fault.empty() && !needed[k]) fault = "the output does not depend on it";
    if (!fault.empty()) return "node " + std::to_string(k) + ": " + fault;
    for (std::uint32_t p : graph.nodes[k].operands) needed[p] = 1;
  }
  return "";
}

std::string graph_digest(const Graph& graph) {
  Sha256 hash;
  const auto word = [&](std::uint64_t x) { hash.update(&x, 8); };
  hash.update("outward-graph-1\n", 16);
  word(graph.is_binary64 ? 64 : 32), word(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    word(static_cast<std::uint64_t>(node.kind)), word(node.operands.size());
    for (std::uint32_t p : node.operands) word(p);
    word(node.size), word(node.ints.size());
    hash.update(node.ints.data(), 8 * node.ints.size());
    word(node.payload.size());
    if (graph.is_binary64) hash.update(node.payload.data(), 8 * node.payload.size());
    for (std::size_t i = 0; !graph.is_binary64 && i < node.payload.size(); ++i) {
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(node.payload[i]));
      hash.update(&bits, 4);
    }
  }
  word(graph.output);
  return hash.hex();
}

std::string property_digest(const Property& property) {
  Sha256 hash;
  const auto write = [&](const std::string& text) { hash.update(text.data(), text.size()); };
  std::string text;  // of the box `at`; most cases have the box of the case before
  std::size_t at = property.boxes.size();
  const auto write_box = [&](std::size_t box) {
    if (box != at) text.clear();
    for (std::size_t i = 0; box != at && i < property.boxes[box].size(); ++i) {
      const InputRange& r = property.boxes[box][i];
      text += r.lo.text() + (r.lo_strict ? "! " : " ") + r.hi.text() + (r.hi_strict ? "!\n" : "\n");
    }
    at = box;
    write(text);
  };
  write("outward-property-1\ninputs " + std::to_string(property.inputs) + " outputs " +
        std::to_string(property.outputs) + (property.bound_only ? "\nbound\n" : "\n"));
  for (std::size_t g = 0; property.bound_only && g < property.boxes.size(); ++g) write_box(g);
  for (const Case& c : property.cases) {
    write("case\n");
    write_box(c.box);
    for (const Row& row : c.rows) {
      write(row.strict ? "< " : "<= ");
      for (const auto& [j, b] : row.terms) write(std::to_string(j) + ":" + b.decimal() + " ");
      write(row.constant.decimal() + "\n");
    }
  }
  return hash.hex();
}

namespace {

void require_equal(const char* rule, const std::string& expected, const std::string& found) {
  require(expected == found, rule, expected, found);
}
void require_equal(const char* rule, std::uint64_t expected, std::uint64_t found) {
  require(expected == found, rule, std::to_string(expected), found);
}

}  // namespace

void compare_model(const Record& record, const ModelRead& model) {
  const Graph& graph = model.graph;
  const std::string fault = graph_fault(graph);
  if (!fault.empty()) throw ReadError(ReadError::Class::unsupported, "model: " + fault);
  require_equal("model graph digest", graph_digest(graph), record.text("graph"));
  const std::vector<Json>& files = record.at("files").items;
  require_equal("number of model files", model.files.size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {  // items: path, bytes, sha256
    const std::vector<Json>& item = files[i].items;
    if (i > 0) require_equal("model file path", model.files[i].path, item[0].text);
    require_equal("model file size", model.files[i].bytes, item[1].number);
    require_equal("model file digest", model.files[i].sha256, item[2].text);
  }
  require_equal("element type", graph.is_binary64 ? "binary64" : "binary32", record.text("element"));
  require_equal("inputs", graph.nodes[0].size, record.number("inputs"));
  require_equal("outputs", graph.nodes[graph.output].size, record.number("outputs"));
  require_equal("nodes", graph.nodes.size(), record.number("nodes"));
}

bool names_property(const Record& record, const Property& property, bool is_asked) {
  if (property_digest(property) != record.text("digest")) return false;
  require_equal("property", property.cases.size(), record.number("cases"));
  require_equal("property", property.boxes.size(), record.number("boxes"));
  if (is_asked && record.text("kind") == "vnnlib")
    require_equal("property file", property.file_sha256, record.text("sha256"));
  return true;
}

}  // namespace outward_check
