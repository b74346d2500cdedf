// Radius queries: exact boxes and targets (certificates/FORMAT.md section 4), and queries that make no sense.
#include "importers/arrays/radius.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <limits>

#include "importers/vnnlib/witness.hpp"

using namespace outward;

namespace {

Graph graph_of(std::vector<std::int64_t> shape, std::uint64_t outputs, ElementType element = ElementType::binary32) {
  Graph graph;
  graph.element = element;
  std::uint64_t inputs = 1;
  for (std::int64_t dim : shape) inputs *= static_cast<std::uint64_t>(dim);
  Node input;
  input.size = inputs;
  Node output;
  output.kind = Kind::dense;
  output.operands = {0};
  output.size = outputs;
  graph.nodes = {input, output};
  graph.output = 1;
  graph.input_shape = std::move(shape);
  return graph;
}

RadiusRecord around(const std::vector<float>& centre, const std::string& radius, const std::string& target) {
  RadiusRecord query;
  for (float c : centre) query.centre_bits.push_back(std::bit_cast<std::uint32_t>(c));
  query.radius = radius;
  query.target = target;
  return query;
}

std::string box_text(const Property& p) {
  std::string text;
  REQUIRE(p.boxes.size() == 1);
  for (const InputRange& r : p.boxes[0]) {
    CHECK_FALSE(r.lo_strict);
    CHECK_FALSE(r.hi_strict);
    text += "[" + fraction_text(r.lo) + "," + fraction_text(r.hi) + "]";
  }
  return text;
}

std::string rows_text(const Property& p) {
  std::string text;
  for (const Case& c : p.cases) {
    CHECK(c.box == 0);
    for (const Row& row : c.rows) {
      text += row.strict ? "(<" : "(<=";
      for (const auto& [j, b] : row.terms) text += " " + std::to_string(j) + ":" + b.str();
      text += " " + row.constant.str() + ")";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("boxes are exact") {
  const Graph graph = graph_of({1, 2}, 2);
  CHECK(box_text(radius_property(around({0.5f, -1.0f}, "0.1", "none"), graph)) == "[2/5,3/5][-11/10,-9/10]");
  // The centre is the binary32 number, not the decimal it was read from.
  CHECK(box_text(radius_property(around({0.1f, 0}, "0", "none"), graph)) ==
        "[13421773/134217728,13421773/134217728][0,0]");
  RadiusRecord query = around({51, 255}, "0.25", "none");
  query.scale = "255";
  CHECK(box_text(radius_property(query, graph)) == "[-1/20,9/20][3/4,5/4]");
  query.clip = {"0", "1"};
  CHECK(box_text(radius_property(query, graph)) == "[0,9/20][3/4,1]");
  query.mean = {"0.5"};
  query.std = {"0.3"};
  CHECK(box_text(radius_property(query, graph)) == "[-5/3,-1/6][5/6,5/3]");
  CHECK(reference_input(query, graph) == std::vector<double>{-1.0, static_cast<double>(static_cast<float>(5.0 / 3))});
  const Property p = radius_property(query, graph);
  CHECK(p.kind == "radius");
  CHECK(p.bound_only);
  CHECK(p.cases.empty());
  CHECK_FALSE(p.vacuous);
  CHECK(p.radius.std == std::vector<std::string>{"0.3"});
}

TEST_CASE("binary64 centres") {
  const Graph graph = graph_of({1}, 1, ElementType::binary64);
  RadiusRecord query;
  query.centre_bits = {std::bit_cast<std::uint64_t>(0.1)};
  query.radius = "0";
  query.target = "none";
  CHECK(box_text(radius_property(query, graph)) ==
        "[3602879701896397/36028797018963968,3602879701896397/36028797018963968]");
  CHECK(reference_input(query, graph) == std::vector<double>{0.1});
}

TEST_CASE("channels follow the layout") {
  const std::vector<float> zeros(8, 0.0f);
  RadiusRecord query = around(zeros, "0", "none");
  query.mean = {"1", "2"};
  query.layout = "nchw";
  const std::string first = "[-1,-1][-1,-1][-1,-1][-1,-1][-2,-2][-2,-2][-2,-2][-2,-2]";
  const std::string last = "[-1,-1][-2,-2][-1,-1][-2,-2][-1,-1][-2,-2][-1,-1][-2,-2]";
  CHECK(box_text(radius_property(query, graph_of({1, 2, 2, 2}, 1))) == first);
  CHECK(box_text(radius_property(query, graph_of({2, 2, 2}, 1))) == first);
  query.layout = "nhwc";
  CHECK(box_text(radius_property(query, graph_of({1, 2, 2, 2}, 1))) == last);
  query.mean = {"1"};
  query.std = {"1", "2"};
  CHECK(box_text(radius_property(query, graph_of({2, 2, 2}, 1))) ==
        "[-1,-1][-1/2,-1/2][-1,-1][-1/2,-1/2][-1,-1][-1/2,-1/2][-1,-1][-1/2,-1/2]");
  // A batch of two: the channel pattern repeats.
  RadiusRecord batch = around(zeros, "0", "none");
  batch.mean = {"1", "2"};
  batch.layout = "nchw";
  CHECK(box_text(radius_property(batch, graph_of({2, 2, 1, 2}, 1))) ==
        "[-1,-1][-1,-1][-2,-2][-2,-2][-1,-1][-1,-1][-2,-2][-2,-2]");
}

TEST_CASE("targets") {
  const Graph graph = graph_of({1, 1}, 3);
  RadiusRecord query = around({0}, "1", "label");
  query.label = 1;
  CHECK(rows_text(radius_property(query, graph)) == "(<= 0:-1 1:1 0)(<= 1:1 2:-1 0)");
  query.label = 0;
  CHECK(rows_text(radius_property(query, graph)) == "(<= 0:1 1:-1 0)(<= 0:1 2:-1 0)");
  query.label = 1;
  query.deviation = "7";
  query.target = "range";
  query.range = {"-0.5", "2"};
  CHECK(radius_property(query, graph).radius.label == 0);
  CHECK(radius_property(query, graph).radius.deviation.empty());
  CHECK(rows_text(radius_property(query, graph_of({1}, 2))) == "(< 0:2 1)(< 0:-1 2)(< 1:2 1)(< 1:-1 2)");
  query.target = "deviation";
  query.deviation = "0.5";
  CHECK(rows_text(radius_property(query, graph_of({1}, 2), {1.0, -0.25})) == "(< 0:2 -1)(< 0:-2 3)(< 1:4 3)(< 1:-4 1)");
  // One output and a label: nothing can be unsafe.
  query.target = "label";
  query.label = 0;
  CHECK(radius_property(query, graph_of({1}, 1)).vacuous);
}

TEST_CASE("a centre far outside of the clip leaves nothing") {
  const Graph graph = graph_of({1}, 2);
  RadiusRecord query = around({5}, "1", "label");
  query.clip = {"0", "1"};
  const Property p = radius_property(query, graph);
  CHECK(p.vacuous);
  CHECK(p.cases.empty());
  CHECK(p.boxes.empty());
  CHECK(p.dropped.size() == 1);
  query.target = "none";
  CHECK_THROWS_AS(radius_property(query, graph), UsageError);
  query.centre_bits = {std::bit_cast<std::uint32_t>(2.0f)};
  CHECK(box_text(radius_property(query, graph)) == "[1,1]");
}

TEST_CASE("queries that make no sense") {
  const Graph graph = graph_of({1, 2, 1, 1}, 2);
  const RadiusRecord good = around({1, 2}, "0.5", "label");
  CHECK_FALSE(radius_property(good, graph).vacuous);
  const auto misuse = [&](auto change, const Graph& g, const std::vector<double>& reference = {}) {
    RadiusRecord query = good;
    change(query);
    try {
      radius_property(query, g, reference);
      return std::string();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
  };
  const auto names = [&](const std::string& option, auto change) {
    const std::string text = misuse(change, graph);
    CAPTURE(text);
    CHECK(text.find(option) != std::string::npos);
  };
  names("--radius", [](RadiusRecord& q) { q.radius = "-0.1"; });
  names("--radius", [](RadiusRecord& q) { q.radius = ""; });
  names("--radius", [](RadiusRecord& q) { q.radius = "nan"; });
  names("--radius", [](RadiusRecord& q) { q.radius = "8/255"; });
  names("--radius", [](RadiusRecord& q) { q.radius = "1e99999"; });
  names("--scale", [](RadiusRecord& q) { q.scale = "0"; });
  names("--scale", [](RadiusRecord& q) { q.scale = "-1"; });
  names("--std", [](RadiusRecord& q) { q.std = {"0"}; });
  names("--std", [](RadiusRecord& q) { q.std = {"-1"}; });
  names("--layout", [](RadiusRecord& q) { q.mean = {"1", "2"}; });
  names("--layout", [](RadiusRecord& q) { q.layout = "chw"; });
  names("--mean", [](RadiusRecord& q) {
    q.mean = {"1", "2", "3"};
    q.layout = "nchw";
  });
  names("--std", [](RadiusRecord& q) {
    q.std = {"1", "2"};
    q.layout = "nhwc";
  });
  names("--clip", [](RadiusRecord& q) { q.clip = {"1", "0"}; });
  names("--clip", [](RadiusRecord& q) { q.clip = {"1"}; });
  names("--label", [](RadiusRecord& q) { q.label = 2; });
  names("--output-range", [](RadiusRecord& q) { q.target = "range"; });
  names("--output-range", [](RadiusRecord& q) {
    q.target = "range";
    q.range = {"1", "0"};
  });
  names("--max-deviation", [](RadiusRecord& q) {
    q.target = "deviation";
    q.deviation = "-1";
  });
  names("target", [](RadiusRecord& q) { q.target = "other"; });
  names("point", [](RadiusRecord& q) { q.centre_bits.pop_back(); });
  names("point", [](RadiusRecord& q) { q.centre_bits[1] = 0x7f800000; });
  const auto deviation = [](RadiusRecord& q) {
    q.target = "deviation";
    q.deviation = "1";
  };
  CHECK(misuse(deviation, graph, {1.0, std::numeric_limits<double>::infinity()}).find("output 1") != std::string::npos);
  RadiusRecord query = good;
  deviation(query);
  CHECK_THROWS_AS(radius_property(query, graph, {1.0}), ResourceError);
  // Several numbers need an image shape, and one input.
  const auto channels = [](RadiusRecord& q) {
    q.mean = {"1", "2"};
    q.layout = "nhwc";
  };
  CHECK(misuse(channels, graph_of({1, 2}, 2)).find("rank") != std::string::npos);
  Graph two_inputs = graph;
  two_inputs.input_shape = {1, 1, 1, 1};
  CHECK(misuse(channels, two_inputs).find("one input") != std::string::npos);
}

TEST_CASE("witness text") {
  CHECK(witness_text({"0.1", "-2"}, {1.5, 0.1}) == "((X_0 0.1)\n(X_1 -2)\n(Y_0 1.5)\n(Y_1 0.1))\n");
  CHECK(witness_text({}, {}) == "()\n");
  CHECK_THROWS(witness_text({"1)"}, {}));
  CHECK_THROWS(witness_text({"nan"}, {}));
}
