// Proofs along somebody else's splits: a guide changes the tree, never what can be proved wrongly.
#include <doctest/doctest.h>

#include "bounds/branch/guided_proof.hpp"
#include "test/bounds/curves.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

struct Splits final : ProofObserver {
  struct One {
    std::uint32_t node, element;
    double at;
    bool operator==(const One&) const = default;
  };
  void split(std::uint32_t node, std::uint32_t element, double at) override { all.push_back({node, element, at}); }
  void leave_open() override { ++open; }
  std::vector<One> all;
  int open = 0;
};

// A full tree of `depth` random splits: of inputs anywhere in the box, or of relu operands at 0 or elsewhere.
SplitGuide random_guide(Random& random, const Graph& graph, const Box& box, bool on_inputs, int depth) {
  std::vector<SplitGuide::Part> places;
  if (on_inputs) {
    for (std::uint32_t i = 0; i < graph.nodes[0].size; ++i) places.push_back({true, 0, i, 0, 0});
  } else {
    for (const Node& node : graph.nodes)
      for (std::uint32_t i = 0; node.kind == Kind::relu && i < node.size; ++i)
        places.push_back({true, node.operands[0], i, 0, 0});
  }
  SplitGuide guide;
  if (places.empty()) return guide;
  guide.parts.resize((std::size_t{2} << depth) - 1);
  for (std::uint32_t p = 0; 2 * p + 2 < guide.parts.size(); ++p) {
    guide.parts[p] = places[random() % places.size()];
    guide.parts[p].first_half = 2 * p + 1;
    const std::uint32_t i = guide.parts[p].element;
    const double share = static_cast<double>(random() % 5) / 4;
    if (on_inputs) guide.parts[p].at = box.lo[i] + share * (box.hi[i] - box.lo[i]);
    if (!on_inputs && random() % 8 == 0) guide.parts[p].at = 0.5;
  }
  return guide;
}

}  // namespace

TEST_CASE("with random guides nothing that some execution reaches is proved away") {
  Random random(91);
  int proved = 0, first = 0, with_splits = 0;
  for (int t = 0; t < 80; ++t) {
    const CurveNetwork s = random_curve_network(random, 2 + t % 2, 6);
    const Network net(s.graph);
    const Rational scale = 1 + abs(s.least);
    for (const bool on_inputs : {true, false}) {
      const std::vector<SplitGuide> guides = {random_guide(random, s.graph, s.box, on_inputs, 3)};
      for (const Semantics semantics : {Semantics::real, Semantics::fp32_any}) {
        GuidedOptions options;
        options.semantics = semantics;
        options.max_domains = 200;
        Splits splits;
        CHECK_FALSE(prove_along(net, below(s, s.least, false), guides, options, splits).proved);
        CHECK(splits.all.empty());
        CHECK_FALSE(prove_along(net, below(s, s.least + scale * exact(1e-7), true), guides, options, splits).proved);
        const GuidedResult near = prove_along(net, below(s, s.least - scale / 1000, false), guides, options, splits);
        proved += near.proved;
        CHECK(near.splits == splits.all.size());
        CHECK(splits.open == 0);
        if (splits.all.empty()) continue;
        ++with_splits;
        const SplitGuide::Part& root = guides[0].parts[0];
        first += splits.all[0] == Splits::One{root.node, root.element, root.at};
      }
    }
  }
  MESSAGE(proved << " of 320 proved, " << with_splits << " with splits, " << first << " beginning with the guide's");
  CHECK(proved > 200);
  CHECK(with_splits > 30);
  CHECK(first > 10);
}
