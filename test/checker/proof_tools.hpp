// Small canonical graphs, properties and certificates for the tests of the proof checker, written by hand
// or at random. Assumes nothing about the checker but its data types.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "checker/kernel/check.hpp"
#include "checker/report/identity.hpp"
#include "checker/translate/sha256.hpp"

namespace proof_tools {

using namespace outward_check;

// Appends nodes; the last one is the output. `with` takes sizes from the operands where it can.
struct GraphBuilder {
  Graph graph;
  explicit GraphBuilder(std::uint64_t inputs, bool is_binary64 = false) {
    graph.is_binary64 = is_binary64;
    add(Kind::input, {}, inputs);
  }
  std::uint32_t add(Kind kind, std::vector<std::uint32_t> operands, std::uint64_t size,
                    std::vector<std::int64_t> ints = {}, std::vector<double> payload = {}) {
    graph.nodes.push_back({kind, std::move(operands), size, std::move(ints), std::move(payload), ""});
    return graph.output = static_cast<std::uint32_t>(graph.nodes.size() - 1);
  }
  std::uint64_t size(std::uint32_t k) const { return graph.nodes[k].size; }
  // Same size as the operand: shift, scale, divide, neg, relu, leaky, clip, abs.
  std::uint32_t like(Kind kind, std::uint32_t x, std::vector<double> payload = {}) {
    return add(kind, {x}, size(x), {}, std::move(payload));
  }
  std::uint32_t dense(std::uint32_t x, std::int64_t outputs, std::vector<double> weights, bool bias) {
    return add(Kind::dense, {x}, static_cast<std::uint64_t>(outputs),
               {1, static_cast<std::int64_t>(size(x)), outputs, bias ? 1 : 0}, std::move(weights));
  }
};

inline Fraction fraction(double x) { return Fraction::from_double(x); }

inline std::vector<InputRange> box(const std::vector<std::pair<double, double>>& ends) {
  std::vector<InputRange> b;
  for (const auto& [lo, hi] : ends) b.push_back({fraction(lo), fraction(hi), false, false});
  return b;
}

// One case per inner list of rows; a row is {coefficients..., constant} meaning sum + constant <= 0.
inline Property property(const Graph& graph, std::vector<std::vector<InputRange>> boxes,
                         const std::vector<std::pair<std::uint32_t, std::vector<std::vector<int>>>>& cases) {
  Property p;
  p.inputs = graph.nodes[0].size, p.outputs = graph.nodes[graph.output].size;
  p.boxes = std::move(boxes), p.file_sha256 = std::string(64, '0');
  for (const auto& [which, rows] : cases) {
    Case c;
    c.box = which;
    for (const std::vector<int>& numbers : rows) {
      Row row;
      for (std::uint32_t j = 0; j + 1 < numbers.size(); ++j) {
        if (numbers[j] != 0) row.terms.emplace_back(j, BigInt(numbers[j]));
      }
      row.constant = numbers.back();
      c.rows.push_back(std::move(row));
    }
    p.cases.push_back(std::move(c));
  }
  return p;
}

inline std::string base64(const std::vector<int>& bytes) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned v = 0;
    for (std::size_t j = 0; j < 3; ++j) v = v << 8 | (i + j < bytes.size() ? static_cast<unsigned>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j) {
      out += i + j < bytes.size() + 1 ? letters[(v >> (18 - 6 * j)) & 63] : '=';
    }
  }
  return out;
}

// The lines of a certificate without the footer, and the text with a correct one.
struct Certificate {
  std::vector<std::string> lines;
  void add(const std::string& line) { lines.push_back(line); }
  std::string text() const {
    std::string all;
    for (const std::string& l : lines) all += l + "\n";
    Sha256 digest;
    digest.update(all.data(), all.size());
    return all + "{\"record\":\"footer\",\"records\":" + std::to_string(lines.size()) + ",\"sha256\":\"" +
           digest.hex() + "\"}\n";
  }
};

inline const std::string zero_digest(64, '0');

// Header to numerics for a model of one file and a vnnlib property.
inline Certificate opening(const Graph& graph, const Property& p, const std::string& claim,
                           const std::string& semantics) {
  Certificate c;
  c.add(R"({"record":"header","format":"outward-certificate","version":3,"claim":")" + claim + R"(","semantics":")" +
        semantics + R"(","producer":"by hand"})");
  c.add(R"({"record":"model","files":[{"path":"m.onnx","bytes":7,"sha256":")" + zero_digest +
        R"("}],"shapes":[],"element":")" + (graph.is_binary64 ? "binary64" : "binary32") + R"(","inputs":)" +
        std::to_string(graph.nodes[0].size) + R"(,"outputs":)" + std::to_string(graph.nodes[graph.output].size) +
        R"(,"nodes":)" + std::to_string(graph.nodes.size()) + R"(,"graph":")" + graph_digest(graph) + R"("})");
  c.add(R"({"record":"property","kind":"vnnlib","path":"p.vnnlib","sha256":")" + zero_digest + R"(","cases":)" +
        std::to_string(p.cases.size()) + R"(,"boxes":)" + std::to_string(p.boxes.size()) + R"(,"digest":")" +
        property_digest(p) + R"("})");
  if (semantics == "real") {
    c.add(R"({"record":"numerics","format":"real","rounding":"exact",)"
          R"("subnormals":"exact","order":"exact","fusion":"exact"})");
  } else {
    c.add(R"({"record":"numerics","format":")" + std::string(graph.is_binary64 ? "binary64" : "binary32") +
          R"(","rounding":"nearest_even","subnormals":"gradual","order":"any","fusion":"any"})");
  }
  return c;
}

// Asks for the property itself, in any semantics unless told otherwise.
struct TestQuestion final : Question {
  ModelRead subject;
  const Property* property = nullptr;
  TestQuestion(const Graph& graph, const Property& p) : property(&p) {
    subject.graph = graph;
    subject.files.push_back({"m.onnx", zero_digest, 7});
    any_semantics = true, default_semantics = false;
  }
  const ModelRead* model(const Record& record) override { return compare_model(record, subject), &subject; }
  const Property* asked(const Graph&) override { return property; }
  const Property* stated(const Record&, const Graph&) override { return nullptr; }
  bool states(const Record& record, const Property& p) override { return names_property(record, p, true); }
};

struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const std::string& text, const std::string& ending = ".jsonl") {
    static int count = 0;
    path = (std::filesystem::temp_directory_path() /
            ("outward_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ending))
               .string();
    std::ofstream(path, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::remove(path.c_str()); }
};

// "VALID", "INVALID rule", "MALFORMED" ...: one word that tests compare.
inline std::string verdict(const std::string& text, Question& question) {
  const TemporaryFile file(text);
  try {
    const Answer a = check_certificate(file.path, &question);
    const char* words[] = {"VALID", "VACUOUS", "NOT_ASKED", "INVALID", "INCOMPLETE"};
    std::string word = words[static_cast<int>(a.word)];
    if (a.word == Word::invalid && !a.reasons.empty()) word += " " + (a.rule.empty() ? "footer" : a.rule);
    return word;
  } catch (const ReadError& e) {
    return e.kind == ReadError::Class::malformed     ? "MALFORMED"
           : e.kind == ReadError::Class::unsupported ? "UNSUPPORTED"
                                                     : "LIMIT";
  }
}
inline std::string verdict(const Certificate& c, Question& question) { return verdict(c.text(), question); }

// Random doubles that are binary32 numbers, of sizes that networks have.
struct Random {
  std::mt19937_64 engine;
  explicit Random(std::uint64_t seed) : engine(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine() % n; }
  double number(double size = 2) {
    const double x = (static_cast<double>(engine() % 2000001) / 1000000.0 - 1.0) * size;
    return static_cast<double>(static_cast<float>(x));
  }
  std::vector<double> numbers(std::uint64_t count, double size = 2) {
    std::vector<double> out(count);
    for (double& x : out) x = number(size);
    return out;
  }
};

// A graph with `length` nodes of random kinds, all sizes small.
inline Graph random_graph(Random& r, int length, bool is_binary64 = false) {
  GraphBuilder b(1 + r.below(4), is_binary64);
  std::uint32_t x = 0;
  std::vector<std::uint32_t> made = {0};
  for (int step = 0; step < length; ++step) {
    const std::uint64_t n = b.size(x);
    const auto nonzero = [&] {
      std::vector<double> c = r.numbers(n);
      for (double& v : c) v = v == 0 ? 1 : v;
      return c;
    };
    switch (r.below(17)) {
      case 0: {
        const std::uint64_t m = 1 + r.below(4);
        x = b.dense(x, static_cast<std::int64_t>(m), r.numbers(m * n + m), true);
        break;
      }
      case 1: {
        const std::uint64_t m = 1 + r.below(3);
        x = b.dense(x, static_cast<std::int64_t>(m), r.numbers(m * n), false);
        break;
      }
      case 2: {  // conv of one row: two features, kernel 2, padded
        const std::int64_t w = static_cast<std::int64_t>(n);
        x = b.add(Kind::conv, {x}, 2 * (n + 1), {1, 1, 1, w, 2, 1, 2, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, w + 1, 1},
                  r.numbers(2 * 2 + 2));
        break;
      }
      case 3: {
        std::vector<std::int64_t> ints = {static_cast<std::int64_t>(n), 3};
        x = b.add(Kind::reduce, {x}, 1, ints);
        break;
      }
      case 4: {
        std::vector<double> c = r.numbers(3 * n, 1);
        for (std::uint64_t i = 0; i < n; ++i) c.push_back(std::abs(r.number()));
        c.push_back(0.125);
        x = b.add(Kind::bn, {x}, n, {static_cast<std::int64_t>(n), 1}, c);
        break;
      }
      case 5: {
        std::uint32_t other = x;
        for (std::uint32_t k : made) {
          if (b.size(k) == n && r.below(2) == 0) other = k;
        }
        x = b.add(Kind::add, {x, other}, n, {static_cast<std::int64_t>(r.below(2))});
        break;
      }
      case 6:
        x = b.like(Kind::shift, x, r.numbers(n));
        break;
      case 7:
        x = b.like(Kind::scale, x, r.below(2) == 0 ? r.numbers(n) : std::vector<double>(n, 0.75));
        break;
      case 8:
        x = b.like(Kind::divide, x, nonzero());
        break;
      case 9:
        x = b.like(Kind::neg, x);
        break;
      case 10:
        x = b.like(Kind::relu, x);
        break;
      case 11:
        x = b.like(Kind::leaky, x, {static_cast<double>(0.1f)});
        break;
      case 12:
        x = b.like(Kind::clip, x, {-0.5, 0.75});
        break;
      case 13:
        x = b.like(Kind::abs, x);
        break;
      case 14: {
        if (n % 2 != 0) continue;
        x = b.add(Kind::max, {x}, n / 2, {2});
        break;
      }
      case 15: {  // map with repeated and dropped elements, and a constant
        const std::uint32_t c = b.add(Kind::constant, {}, 2, {}, r.numbers(2));
        std::vector<std::int64_t> ints;
        const std::uint64_t m = 1 + r.below(4);
        for (std::uint64_t i = 0; i < m; ++i) ints.push_back(static_cast<std::int64_t>(r.below(n + 2)));
        ints.push_back(static_cast<std::int64_t>(n)), ints.push_back(0);
        x = b.add(Kind::map, {x, c}, ints.size(), ints);
        break;
      }
      default: {
        std::vector<std::int64_t> ints;
        for (std::uint64_t i = 0; i < n; ++i) ints.push_back(static_cast<std::int64_t>(n - 1 - i));
        x = b.add(Kind::map, {x}, n, ints);
      }
    }
    made.push_back(x);
  }
  if (x == 0) x = b.like(Kind::neg, 0);
  b.graph.output = x;
  return b.graph;
}

// Slope bytes for every node that can take some.
inline std::vector<Slopes> random_slopes(Random& r, const Graph& graph) {
  std::vector<Slopes> all;
  for (std::uint32_t k = 0; k < graph.nodes.size(); ++k) {
    const Node& node = graph.nodes[k];
    Slopes s;
    s.id = all.size(), s.node = k;
    if (node.kind == Kind::max) {
      for (std::uint64_t i = 0; i < node.size; ++i) {
        const char b = static_cast<char>(r.below(129));
        s.lower += b, s.lower += static_cast<char>(128 - b);  // K = 2 in random graphs
      }
    } else if (is_unary_piecewise(node.kind)) {
      for (std::uint64_t i = 0; i < node.size; ++i) s.lower += static_cast<char>(r.below(129));
      for (std::uint64_t i = 0; node.kind == Kind::clip && i < node.size; ++i)
        s.upper += static_cast<char>(r.below(129));
    } else {
      continue;
    }
    all.push_back(s);
  }
  return all;
}

}  // namespace proof_tools
