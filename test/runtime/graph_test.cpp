// Digest, validation and sum groups of small graphs written by hand; expected numbers are worked out on paper from
// certificates/FORMAT.md sections 1 and 3.
#include <doctest/doctest.h>

#include "formats/error.hpp"
#include "runtime/graph/groups.hpp"
#include "test/runtime/small_graphs.hpp"

using namespace outward;
using testing::graph_of;
using testing::make;

namespace {

// input(2) -> dense 2x2 with bias -> relu -> dense 1x2
Graph tiny() {
  return graph_of({make(Kind::input, {}, 2), make(Kind::dense, {0}, 2, {1, 2, 2, 1}, {1, -1, 0.5, 2, 0.25, -0.5}),
                   make(Kind::relu, {1}, 2), make(Kind::dense, {2}, 1, {1, 2, 1, 0}, {1, 1})});
}

}  // namespace

TEST_CASE("sha256 of the FIPS 180 example") {
  CHECK(sha256_hex("abc", 3) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("", 0) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("the digest is that of the bytes section 1 lists") {
  Graph graph = graph_of({make(Kind::input, {}, 1), make(Kind::shift, {0}, 1, {}, {-0.0})});
  std::string bytes = "outward-graph-1\n";
  auto word = [&](std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  };
  for (std::uint64_t value : {32, 2, 0, 0, 1, 0, 0, 8, 1, 0, 1, 0, 1}) word(value);
  bytes += std::string("\x00\x00\x00\x80", 4);
  word(1);
  CHECK(graph_digest(graph) == sha256_hex(bytes.data(), bytes.size()));
  const std::string before = graph_digest(graph);
  graph.nodes[1].origin = "name";
  graph.nodes[1].shape = {1};
  CHECK(graph_digest(graph) == before);
  graph.nodes[1].payload[0] = 0.0;
  CHECK(graph_digest(graph) != before);
  graph.nodes[1].payload[0] = -0.0;
  graph.element = ElementType::binary64;
  CHECK(graph_digest(graph) != before);
}

TEST_CASE("validate accepts a network and names each kind of damage") {
  CHECK_NOTHROW(validate(tiny()));
  auto broken = [](auto change) {
    Graph graph = tiny();
    change(graph);
    CHECK_THROWS_AS(validate(graph), ResourceError);
  };
  broken([](Graph& g) { g.nodes.clear(); });
  broken([](Graph& g) { g.output = 4; });
  broken([](Graph& g) { g.output = 2; });  // node 3 is then not needed
  broken([](Graph& g) { g.nodes[2].operands[0] = 2; });
  broken([](Graph& g) { g.nodes[1].payload.pop_back(); });
  broken([](Graph& g) { g.nodes[1].ints[0] = 2; });
  broken([](Graph& g) { g.nodes[1].ints[3] = 2; });
  broken([](Graph& g) { g.nodes[1].payload[0] = 1.0 / 0.0; });
  broken([](Graph& g) { g.nodes[1].payload[0] = 0.1; });  // no binary32 number
  broken([](Graph& g) { g.nodes[2].size = 3; });
  broken([](Graph& g) { g.nodes[2].kind = Kind::input; });
  broken([](Graph& g) { g.nodes[2] = make(Kind::leaky, {1}, 2, {}, {1.5}); });
  broken([](Graph& g) { g.nodes[2] = make(Kind::clip, {1}, 2, {}, {1, 0}); });
  broken([](Graph& g) { g.nodes[2] = make(Kind::map, {1}, 2, {0, 2}); });
  broken([](Graph& g) { g.nodes[2] = make(Kind::divide, {1}, 2, {}, {1, 0}); });
  broken([](Graph& g) { g.nodes[2] = make(Kind::bn, {1}, 2, {2, 1}, {1, 1, 0, 0, 0, 0, 1, -1, 2}); });
  broken([](Graph& g) { g.nodes[2] = make(Kind::max, {1}, 2, {2}); });
  broken([](Graph& g) { g.nodes[2] = make(Kind::reduce, {1}, 2, {1, 1, 0}); });
}

TEST_CASE("validate recomputes the output size of a convolution") {
  Graph graph =
      graph_of({make(Kind::input, {}, 9),
                make(Kind::conv, {0}, 4, {1, 1, 3, 3, 1, 2, 2, 1, 1, 0, 0, 0, 0, 1, 1, 1, 2, 2, 0}, {1, 2, 3, 4})});
  CHECK_NOTHROW(validate(graph));
  graph.nodes[1].ints[7] = 2;
  CHECK_THROWS_AS(validate(graph), ResourceError);
}

TEST_CASE("groups of a small perceptron") {
  const Groups groups = find_groups(tiny());
  CHECK(groups.stored == std::vector<bool>{true, true, true, true});
  CHECK(groups.total == std::vector<std::uint64_t>{0, 4, 0, 3});  // K + bias + Q, K + Q
}

TEST_CASE("a residual addition joins both branches into one group") {
  // 0 input, 1 dense, 2 const, 3 add(1, 2) , 4 neg, 5 shift, 6 relu
  const Graph graph =
      graph_of({make(Kind::input, {}, 2), make(Kind::dense, {0}, 2, {1, 2, 2, 0}, {1, 2, 3, 4}),
                make(Kind::constant, {}, 2, {}, {1, 1}), make(Kind::add, {1, 2}, 2, {0}), make(Kind::neg, {3}, 2),
                make(Kind::shift, {4}, 2, {}, {1, 2}), make(Kind::relu, {5}, 2)});
  CHECK_NOTHROW(validate(graph));
  const Groups groups = find_groups(graph);
  CHECK(groups.stored == std::vector<bool>{true, false, false, false, false, true, true});
  CHECK(groups.root == std::vector<std::uint32_t>{0, 5, 2, 5, 5, 5, 6});
  CHECK(groups.terms[3] == 3);
  CHECK(groups.total[5] == 5);  // K = 2, const 1, shift 1; one product
}

TEST_CASE("two uses are a barrier; being the output is a use") {
  // 1 shift used by 2 and 3; 2 neg; 3 add(1, 2) is the output and is read by nobody
  const Graph graph = graph_of({make(Kind::input, {}, 1), make(Kind::shift, {0}, 1, {}, {1}), make(Kind::neg, {1}, 1),
                                make(Kind::add, {1, 2}, 1, {1})});
  const Groups groups = find_groups(graph);
  CHECK(groups.stored == std::vector<bool>{true, true, false, true});
  CHECK(groups.total[1] == 2);
  CHECK(groups.total[3] == 2);
}

TEST_CASE("maps, negations and single leaves round nothing") {
  const Graph graph =
      graph_of({make(Kind::input, {}, 2), make(Kind::map, {0, 0}, 3, {0, 3, 2}), make(Kind::neg, {1}, 3)});
  const Groups groups = find_groups(graph);
  CHECK(groups.stored == std::vector<bool>{true, false, true});
  CHECK(groups.total[2] == 0);
}

TEST_CASE("movable factors: uniform scales and divisions behind one-operand maps") {
  auto build = [](std::vector<double> factor, Kind kind) {
    return graph_of({make(Kind::input, {}, 2), make(kind, {0}, 2, {}, std::move(factor)),
                     make(Kind::map, {1}, 2, {1, 0}), make(Kind::dense, {2}, 1, {1, 2, 1, 0}, {1, 1})});
  };
  CHECK(find_groups(build({2, 2}, Kind::scale)).factors[3].size() == 1);
  CHECK(find_groups(build({2, 2}, Kind::divide)).total[3] == 6);  // K = 2, 3f = 3, Q = 1
  CHECK(find_groups(build({2, 3}, Kind::scale)).factors[3].empty());
  CHECK(find_groups(build({0, -0.0}, Kind::scale)).factors[3].empty());
  CHECK(find_groups(build({2, 2}, Kind::shift)).factors[3].empty());
  // The edge into the contraction is no inside edge: the map is stored and roots the group of the scale.
  const Groups groups = find_groups(build({2, 2}, Kind::scale));
  CHECK(groups.stored == std::vector<bool>{true, false, true, true});
  CHECK(groups.total[2] == 2);  // T = 1, Q = 1
}

TEST_CASE("T and Q of batch norm, means and divisions") {
  const Graph graph =
      graph_of({make(Kind::input, {}, 4), make(Kind::reduce, {0}, 2, {2, 2, 2}),
                make(Kind::bn, {1}, 2, {1, 2}, {1, 0, 0, 1, 0.5}), make(Kind::divide, {2}, 2, {}, {3, 3})});
  CHECK_NOTHROW(validate(graph));
  const Groups groups = find_groups(graph);
  CHECK(groups.terms[1] == 2);
  CHECK(groups.roundings[1] == 2);
  CHECK(groups.terms[2] == 4);
  CHECK(groups.roundings[2] == 8);
  CHECK(groups.total[3] == 4 + 10);
  Graph sum = graph;
  sum.nodes[1].ints = {2, 1, 1};
  CHECK(find_groups(sum).roundings[1] == 0);
}
