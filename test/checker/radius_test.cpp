// The radius query: exact boxes with every preprocessing option, cases of every target, refusals.
#include <doctest/doctest.h>

#include "checker/readers/readers.hpp"

using namespace outward_check;

namespace {

Graph graph(std::uint64_t inputs, std::uint64_t outputs, std::vector<std::int64_t> shape = {}) {
  Graph g;
  g.nodes.resize(2);
  g.nodes[0].size = inputs;
  g.nodes[1].size = outputs;
  g.output = 1;
  g.input_shape = shape.empty() ? std::vector<std::int64_t>{1, static_cast<std::int64_t>(inputs)} : shape;
  return g;
}

RadiusOptions options(std::vector<std::uint64_t> centre, const std::string& radius) {
  RadiusOptions o;
  o.centre_bits = std::move(centre);
  o.radius = radius;
  o.target = "none";
  return o;
}

std::string describe(const Property& p) {
  std::string text;
  for (const auto& box : p.boxes) {
    for (const InputRange& r : box) text += "[" + r.lo.text() + "," + r.hi.text() + "]";
  }
  for (const Case& c : p.cases) {
    text += " case" + std::to_string(c.box);
    for (const Row& row : c.rows) {
      text += row.strict ? "{< " : "{<= ";
      for (const auto& [output, coefficient] : row.terms)
        text += std::to_string(output) + ":" + coefficient.decimal() + " ";
      text += row.constant.decimal() + "}";
    }
  }
  if (p.bound_only) text += " bound";
  if (p.vacuous) text += " vacuous";
  return text;
}

std::string read(const RadiusOptions& o, const Graph& g, const std::vector<Fraction>& reference = {}) {
  try {
    return describe(radius_property(o, g, reference));
  } catch (const ReadError& error) {
    return error.what();
  }
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr std::uint64_t quarter = 0x3e800000, one = 0x3f800000, minus_two = 0xc0000000;

}  // namespace

TEST_CASE("boxes are exact") {
  const Graph g = graph(2, 2);
  RadiusOptions o = options({quarter, minus_two}, "0.1");
  CHECK(read(o, g) == "[3/20,7/20][-21/10,-19/10] bound");
  o.scale = "4";
  CHECK(read(o, g) == "[-3/80,13/80][-3/5,-2/5] bound");
  o.clip = {"0", "1.0"};
  CHECK(has(read(o, g), "radius.clip"));
  o.clip = {"-0.5", "0.125"};
  CHECK(read(o, g) == "[-3/80,1/8][-1/2,-2/5] bound");
  o.mean = {"0.5"};
  o.std = {"0.25"};
  CHECK(read(o, g) == "[-43/20,-3/2][-4,-18/5] bound");
  o = options({quarter, one}, "0");
  CHECK(read(o, g) == "[1/4,1/4][1,1] bound");
  Graph wide = g;
  wide.is_binary64 = true;
  CHECK(read(options({0x3fb999999999999a, 0}, "0"), wide) ==
        "[3602879701896397/36028797018963968,3602879701896397/36028797018963968][0,0] bound");
}

TEST_CASE("channels follow the layout") {
  RadiusOptions o = options(std::vector<std::uint64_t>(12, one), "0");
  o.mean = {"0", "1", "2"};
  o.std = {"1", "2", "4"};
  o.layout = "nchw";
  const std::string planar =
      "[1,1][1,1][1,1][1,1][0,0][0,0][0,0][0,0][-1/4,-1/4][-1/4,-1/4][-1/4,-1/4][-1/4,-1/4] bound";
  CHECK(read(o, graph(12, 1, {1, 3, 2, 2})) == planar);
  CHECK(read(o, graph(12, 1, {3, 2, 2})) == planar);
  o.layout = "nhwc";
  std::string interleaved;
  for (int i = 0; i < 4; ++i) interleaved += "[1,1][0,0][-1/4,-1/4]";
  CHECK(read(o, graph(12, 1, {1, 2, 2, 3})) == interleaved + " bound");
  CHECK(has(read(o, graph(12, 1, {1, 3, 2, 2})), "radius.channels"));
  // The page knows channels of rank 3 and 4 only. Under nhwc any rank was taken here.
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{4, 3}, {1, 1, 2, 2, 3}}) {
    CHECK(has(read(o, graph(12, 1, shape)), "radius.layout"));
  }
  o.layout = "nchw";
  CHECK(has(read(o, graph(12, 1, {1, 12})), "radius.layout"));
  CHECK(has(read(o, graph(12, 1, {1, 2, 2, 3})), "radius.channels"));
  CHECK(has(read(o, graph(12, 1, {1, 3, 2, 1})), "radius.layout"));
  o.layout = "";
  CHECK(has(read(o, graph(12, 1, {1, 3, 2, 2})), "radius.layout"));
  o.layout = "chw";
  CHECK(has(read(o, graph(12, 1, {1, 3, 2, 2})), "radius.layout"));
}

TEST_CASE("targets") {
  RadiusOptions o = options({one}, "0");
  o.target = "label";
  o.label = 1;
  CHECK(read(o, graph(1, 3)) == "[1,1] case0{<= 0:-1 1:1 0} case0{<= 1:1 2:-1 0}");
  CHECK(read(o, graph(1, 2)) == "[1,1] case0{<= 0:-1 1:1 0}");
  o.label = 3;
  CHECK(has(read(o, graph(1, 3)), "radius.label"));
  o.label = 0;
  CHECK(read(o, graph(1, 1)) == " vacuous");
  o.target = "range";
  o.range = {"-0.5", "0"};
  CHECK(read(o, graph(1, 2)) == "[1,1] case0{< 0:2 1} case0{< 0:-1 0} case0{< 1:2 1} case0{< 1:-1 0}");
  o.target = "deviation";
  CHECK(has(read(o, graph(1, 2)), "radius.target"));
  o.range.clear();
  CHECK(has(read(o, graph(1, 2), {Fraction(1), Fraction(2)}), "radius.target"));
  o.deviation = "0.25";
  CHECK(read(o, graph(1, 2), {Fraction(1), Fraction(-2)}) ==
        "[1,1] case0{< 0:4 -3} case0{< 0:-4 5} case0{< 1:4 9} case0{< 1:-4 -7}");
  CHECK(has(read(o, graph(1, 2)), "radius.reference"));
  o.target = "none";
  CHECK(has(read(o, graph(1, 2)), "radius.target"));
  o.deviation.clear();
  o.target = "all";
  CHECK(has(read(o, graph(1, 2)), "radius.target"));
}

TEST_CASE("an empty clipped box makes every case empty") {
  RadiusOptions o = options({one}, "0.5");
  o.clip = {"2", "3"};
  CHECK(has(read(o, graph(1, 2)), "radius.clip"));
  o.target = "label";
  const Property p = radius_property(o, graph(1, 3), {});
  CHECK(p.vacuous);
  CHECK(p.dropped == 2);
  CHECK(p.boxes.empty());
  CHECK(p.cases.empty());
}

TEST_CASE("refused options") {
  const Graph g = graph(1, 2);
  const auto with = [&](void (*change)(RadiusOptions&)) {
    RadiusOptions o = options({one}, "0.5");
    change(o);
    return read(o, g);
  };
  CHECK(has(with([](RadiusOptions& o) { o.radius = ""; }), "radius.number"));
  CHECK(has(with([](RadiusOptions& o) { o.radius = "-1"; }), "radius.value"));
  CHECK(has(with([](RadiusOptions& o) { o.radius = "inf"; }), "radius.number"));
  CHECK(has(with([](RadiusOptions& o) { o.scale = "0"; }), "radius.value"));
  CHECK(has(with([](RadiusOptions& o) { o.std = {"0"}; }), "radius.value"));
  CHECK(has(with([](RadiusOptions& o) { o.std = {"-1"}; }), "radius.value"));
  CHECK(has(with([](RadiusOptions& o) { o.clip = {"1", "0"}; }), "radius.clip"));
  CHECK(has(with([](RadiusOptions& o) { o.clip = {"1"}; }), "radius.clip"));
  CHECK(has(with([](RadiusOptions& o) { o.range = {"1"}; }), "radius.target"));
  CHECK(has(with([](RadiusOptions& o) { o.centre_bits = {one, one}; }), "radius.centre"));
  CHECK(has(with([](RadiusOptions& o) { o.centre_bits = {0x7f800000}; }), "radius.centre"));
  CHECK(has(with([](RadiusOptions& o) { o.centre_bits = {0x7fc00000}; }), "radius.centre"));
  CHECK(has(with([](RadiusOptions& o) { o.centre_bits = {0x13f800000}; }), "radius.centre"));
}
