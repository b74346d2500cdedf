// A small network with a proof written by hand: what the certificate tests start from.
#pragma once
#include <doctest/doctest.h>

#include <string>

#include "test/checker/proof_tools.hpp"

namespace proof_tools {

// y = relu(x0 + x1) - relu(x0 - x1), x in [-1, 1]^2: y <= 2. Unsafe: y >= 3 (row 3 - y <= 0).
struct Example {
  Graph graph;
  Property safe;
  explicit Example(int threshold = 3) {
    GraphBuilder b(2);
    std::uint32_t x = b.dense(0, 2, {1, 1, 1, -1, 0, 0}, true);
    x = b.like(Kind::relu, x);
    b.dense(x, 1, {1, -1}, false);
    graph = b.graph;
    safe = property(graph, {box({{-1, 1}, {-1, 1}})}, {{0, {{-1, threshold}}}});
  }
  Certificate certificate(const std::string& semantics = "fp32_any") const {
    Certificate c = opening(graph, safe, "holds", semantics);
    c.add(R"({"record":"box","box":0})");                                                              // 4
    c.add(R"({"record":"step","node":1,"method":"interval"})");                                        // 5
    c.add(R"({"record":"step","node":2,"method":"interval"})");                                        // 6
    c.add(R"({"record":"step","node":3,"method":"interval"})");                                        // 7
    c.add(R"({"record":"slopes","id":0,"node":2,"lower":")" + base64({64, 64}) + R"(","upper":""})");  // 8
    c.add(R"({"record":"step","node":3,"method":"backward","lower":"0","upper":"0","slopes":[0]})");   // 9
    c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[0],"ranges":[]})");   // 10
    c.add(R"({"record":"close"})");                                                                    // 11
    return c;
  }
  std::string verdict(const Certificate& c) const {
    TestQuestion question(graph, safe);
    return proof_tools::verdict(c, question);
  }
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// A proof by splitting node 1 element 0 at 0. y >= 2 is unsafe (row 2 - y <= 0, not reached strictly inside).
inline Certificate split_certificate(const Example& e) {
  Certificate c = opening(e.graph, e.safe, "holds", "real");
  c.add(R"({"record":"box","box":0})");                                                              // 4
  c.add(R"({"record":"step","node":1,"method":"interval"})");                                        // 5
  c.add(R"({"record":"split","node":1,"element":0,"at":"0"})");                                      // 6
  c.add(R"({"record":"slopes","id":0,"node":2,"lower":")" + base64({0, 0}) + R"(","upper":""})");    // 7
  c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^0"],"slopes":[0],"ranges":[]})");   // 8
  c.add(R"({"record":"close"})");                                                                    // 9
  c.add(R"({"record":"slopes","id":1,"node":2,"lower":")" + base64({0, 0}) + R"(","upper":""})");    // 10
  c.add(R"({"record":"refute","case":0,"rows":[0],"lambda":["1*2^-1"],"slopes":[1],"ranges":[]})");  // 11
  c.add(R"({"record":"close"})");                                                                    // 12
  c.add(R"({"record":"close"})");                                                                    // 13
  return c;
}

}  // namespace proof_tools
