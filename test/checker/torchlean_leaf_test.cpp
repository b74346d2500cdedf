// Leaf artifacts: inside the root, above the thresholds, covering; and with a model.
#include "checker/kernel/check.hpp"
#include "checker/translate/chain.hpp"
#include "checker/translate/coverage.hpp"
#include "test/checker/torchlean_tools.hpp"

using namespace torchlean_tools;

namespace {

const std::string halves =
    R"({"format": "abcrown_leaf_artifact_v0_1", "input_dim": 2, "root": {"lo": [-1, -1], "hi": [1, 1]},
  "leaves": [{"lo": [-1, -1], "hi": [0, 1], "lb": [0.5, -3], "threshold": [0.25, 0],
      "witness_idx": 0, "witness_margin": 0.25},
    {"lo": [0, -1], "hi": [1, 1.0], "lb": [-1, 1e-300], "threshold": [0, 0]}]})";

std::string grid_leaf(int x, int y, int z) {
  std::string lo, hi;
  for (int v : {x, y, z}) {
    lo += (lo.empty() ? "" : ",") + std::to_string(v), hi += (hi.empty() ? "" : ",") + std::to_string(v + 1);
  }
  return R"({"lo":[)" + lo + R"(],"hi":[)" + hi + R"(],"lb":[1],"threshold":[0]},)";
}

}  // namespace

TEST_CASE("leaf artifact: every condition, exactly") {
  CHECK(verdict(halves) == "accept:asserted-bounds");
  const Change changes[] = {
      {R"("hi": [0, 1])", R"("hi": [-5e-324, 1])", "reject"},              // a gap of one subnormal
      {R"("hi": [0, 1])", R"("hi": [0.5, 1])", "accept:asserted-bounds"},  // an overlap
      {R"("hi": [1, 1.0])", R"("hi": [0.9999999999999999, 1.0])", "reject"},
      {R"("hi": [1, 1.0])", R"("hi": [1.0000000000000002, 1.0])", "reject"},  // outside
      {R"("hi": [1, 1.0])", R"("hi": [0, 1.0])", "reject"},                   // without width
      {R"("hi": [1, 1.0])", R"("hi": [-0.5, 1.0])", "reject"},                // reversed
      {R"("hi": [1, 1.0])", R"("hi": [1])", "malformed"},
      {R"("hi": [1, 1.0])", R"("hi": [1, 1, 1])", "malformed"},
      {R"([0.5, -3])", R"([0.25, 5])", "reject"},  // equal in the named row, above in another
      {R"([0.5, -3])", R"([0.5])", "malformed"},
      {R"([0.5, -3])", R"([0.5, "NaN"])", "malformed"},
      {R"([0.5, -3])", R"([0.5, "-3"])", "accept:asserted-bounds"},
      {R"([0.5, -3])", R"([0.5, " -3"])", "malformed"},
      {R"([0.5, -3])", R"([0.5, "-3e"])", "malformed"},
      {R"([0.5, -3])", R"([0.5, null])", "malformed"},
      {R"([-1, 1e-300])", R"([-1, 0])", "reject"},
      {R"([-1, 1e-300])", R"([0, 0.0])", "reject"},
      {R"("witness_idx": 0)", R"("witness_idx": 1)", "reject"},
      {R"("witness_idx": 0)", R"("witness_idx": 2)", "malformed"},
      {R"("witness_idx": 0)", R"("witness_idx": -1)", "malformed"},
      {R"("witness_idx": 0, )", "", "malformed"},  // a margin without its row
      {R"("witness_margin": 0.25)", R"("witness_margin": 0.2500009)", "accept:asserted-bounds"},
      {R"("witness_margin": 0.25)", R"("witness_margin": 0.2500011)", "reject"},
      {R"("witness_margin": 0.25)", R"("witness_margin": 0.2499989)", "reject"},
      {R"("witness_margin": 0.25)", R"("margin": 0.25)", "malformed"},
      {R"("input_dim": 2)", R"("input_dim": 3)", "malformed"},
      {R"({"lo": [-1, -1], "hi": [1, 1]})", R"({"lo": [1, -1], "hi": [-1, 1]})", "reject"},
      {R"({"lo": [-1, -1], "hi": [1, 1]})", R"({"center": [0, 0], "eps": 1, "dim": 2})", "accept:asserted-bounds"},
      {R"({"lo": [-1, -1], "hi": [1, 1]})", R"({"center": [0, 0], "eps": 1.0000000000000002})", "reject"},
      {R"({"lo": [-1, -1], "hi": [1, 1]})", R"({"center": [0, 0], "lo": [-1, -1]})", "malformed"},
      {R"({"lo": [-1, -1], "hi": [1, 1]})", R"({"lo": [-1, -1], "hi": [1, 1], "dim": 3})", "malformed"},
      {R"(artifact_v0_1)", R"(artifact_v0_2)", "unsupported"},
      {R"("format": "abcrown_leaf_artifact_v0_1", )", "", "malformed"},
  };
  check_changes(halves, changes);
  ForeignOptions strict;
  strict.max_slack = Fraction();
  CHECK(verdict(with(halves, "0.25}", "0.2500000001}"), strict) == "reject");
  CHECK(verdict(halves, strict) == "accept:asserted-bounds");
  CHECK(
      verdict(
          R"({"format": "abcrown_leaf_artifact_v0_1", "input_dim": 1, "root": {"lo": [0], "hi": [1]},
      "leaves": []})") ==
      "reject");
  CHECK(verdict(R"({"root": {"lo": [0], "hi": [1]}, "domains": []})") == "unknown");
}

TEST_CASE("coverage: a grid with any one cell missing, in any order; root faces without width") {
  std::string all, missing;
  for (int skip = -1; skip < 64; skip += 13) {
    std::string list;
    for (int i = 63; i >= 0; --i)
      if (i != skip) list += grid_leaf(i / 16, i / 4 % 4, i * 5 % 4);
    list.pop_back();
    const std::string text =
        R"({"format": "abcrown_leaf_artifact_v0_1", "input_dim": 3, "root": {"lo": [0,0,0], "hi": [4,4,4]},
      "leaves": [)" +
        list + "]}";
    CHECK(verdict(text) == (skip < 0 ? "accept:asserted-bounds" : "reject"));
    // With a root of no height only the leaves that touch it count, and they must touch it whole.
    CHECK(verdict(with(text, R"("hi": [4,4,4])", R"("hi": [4,4,0])")) == "reject");  // leaves outside the root
  }
  using torchlean::Region;
  const auto box = [](int a, int b, int c, int d) {
    return Region{{Fraction(a), Fraction(b)}, {Fraction(c), Fraction(d)}};
  };
  torchlean::Vector gap;
  CHECK(torchlean::covers({box(0, 1, 2, 1), box(2, 1, 5, 1)}, box(0, 1, 5, 1), &gap));
  CHECK_FALSE(torchlean::covers({box(0, 1, 2, 1), box(3, 1, 5, 1)}, box(0, 1, 5, 1), &gap));
  CHECK(gap[0] == Fraction(BigInt(5), BigInt(2)));
  CHECK(torchlean::covers({box(7, 1, 7, 1)}, box(7, 1, 7, 1), &gap));
  CHECK_FALSE(torchlean::covers({}, box(7, 1, 7, 1), &gap));
  // A pinwheel has no cut that leaves all parts whole.
  CHECK(torchlean::covers({box(0, 0, 2, 1), box(2, 0, 3, 2), box(1, 2, 3, 3), box(0, 1, 1, 3), box(1, 1, 2, 2)},
                          box(0, 0, 3, 3), &gap));
  CHECK_FALSE(
      torchlean::covers({box(0, 0, 2, 1), box(2, 0, 3, 2), box(1, 2, 3, 3), box(0, 1, 1, 3)}, box(0, 0, 3, 3), &gap));
  CHECK(gap == torchlean::Vector{Fraction(BigInt(3), BigInt(2)), Fraction(BigInt(3), BigInt(2))});
}

TEST_CASE("coverage: random cuts of a box, then one part shrunk") {
  using torchlean::Region;
  std::uint32_t state = 7;
  const auto below = [&](std::uint32_t n) { return (state = state * 1664525u + 1013904223u) / 65536u % n; };
  for (int round = 0; round < 200; ++round) {
    const std::size_t axes = 1 + below(4);
    const Region root{torchlean::Vector(axes, Fraction(0)), torchlean::Vector(axes, Fraction(64))};
    std::vector<Region> parts = {root};
    for (std::uint32_t cuts = below(30); cuts > 0; --cuts) {
      const std::size_t k = below(static_cast<std::uint32_t>(parts.size())),
                        axis = below(static_cast<std::uint32_t>(axes));
      Region other = parts[k];
      const Fraction at = (other.lo[axis] + other.hi[axis] * Fraction(3)) / Fraction(4);
      parts[k].hi[axis] = at, other.lo[axis] = at;
      parts.push_back(other);
    }
    torchlean::Vector gap;
    REQUIRE(torchlean::covers(parts, root, &gap));
    Region& part = parts[below(static_cast<std::uint32_t>(parts.size()))];
    part.lo[0] = part.lo[0] + (part.hi[0] - part.lo[0]) / Fraction(1024);
    REQUIRE_FALSE(torchlean::covers(parts, root, &gap));
    for (const Region& p : parts) {
      bool inside = true;
      for (std::size_t i = 0; i < axes; ++i) inside = inside && p.lo[i] <= gap[i] && gap[i] <= p.hi[i];
      CHECK_FALSE(inside);
    }
  }
}
