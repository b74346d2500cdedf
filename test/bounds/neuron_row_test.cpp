// Rows of a backward pass that are parts of a box: their bounds hold for every execution in the part, whatever slopes
// and multipliers they carry, and they are the bounds of the relaxed network that the optimiser computes.
#include <doctest/doctest.h>

#include <cmath>

#include "bounds/branch/optimise.hpp"
#include "bounds/prove.hpp"
#include "test/bounds/support.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

struct Trial {
  Graph graph;
  Box box;
  Property property;
};

// Unsafe: output 0 <= 0 and, where there is one, output 1 <= 0: two rows of one case.
Trial random_trial(Random& random) {
  Trial t;
  t.graph = random_graph(random, 2 + static_cast<int>(random() % 3));
  t.box = random_box(random, t.graph.nodes[0].size, 2);
  t.property = box_property(t.box, t.graph.nodes[t.graph.output].size);
  t.property.cases = {{0, {}}};
  for (std::uint32_t j = 0; j < t.property.outputs && j < 2; ++j)
    t.property.cases[0].rows.push_back({{{j, 1}}, 0, false, 0});
  return t;
}

NeuronRow first_row(const Trial& t, const Neurons& neurons) {
  NeuronRow row;
  row.weights.assign(t.property.cases[0].rows.size(), 1.0 / static_cast<double>(t.property.cases[0].rows.size()));
  row.slopes = neurons.bytes();
  return row;
}

double rigorous(const Network& net, const RowTable& rows, const State& state, const Neurons& neurons,
                const NeuronRow& row) {
  Forms form;
  rows.append_sum(0, row.weights, form);
  const NeuronRows lines(net, state, neurons, {&row});
  BackwardEngine engine(net, {1, true, {}});
  double bound = 0;
  engine.form_bounds(state, net.graph.output, form, std::span(&bound, 1), nullptr, &lines);
  return bound;
}

}  // namespace

TEST_CASE("bounds of parts hold for every execution in the part, with any slopes and multipliers") {
  Random random(81);
  int parts = 0, points = 0, better = 0;
  for (int n = 0; n < 120; ++n) {
    const Trial t = random_trial(random);
    const Network net(t.graph);
    const RowTable rows(t.property);
    BoxProver prover(net, Semantics::fp32_any, {1, true, {}});
    std::optional<RootProof> root;
    ProofObserver none;
    prover.prove(rows, 0, none, &root);
    if (!root) continue;
    const Neurons neurons(net, root->state);
    if (neurons.size() == 0) continue;
    Optimiser optimiser(net, rows, root->state, neurons);
    NeuronRow row = first_row(t, neurons);
    const double plain = rigorous(net, rows, root->state, neurons, row);
    for (int part = 0; part < 4; ++part) {
      NeuronRow changed = row;
      for (std::uint8_t& b : changed.slopes)
        if (random() % 3 == 0) b = static_cast<std::uint8_t>(random() % 129);
      if (part > 0) {
        const auto which = static_cast<std::uint32_t>(random() % neurons.size());
        double lo = 0, hi = 0;
        NeuronRows::narrowed(root->state, net, neurons, changed, which, &lo, &hi);
        const Node& node = net.node(neurons[which].node);
        if (is_unstable(node, lo, hi))
          changed.halves.push_back({which, random() % 2 == 0, Neurons::breakpoint(node, lo, hi),
                                    0.01 * static_cast<double>(random() % 200), 1.0});
      }
      if (part == 3) {
        NeuronRow* pointer = &changed;
        const Improved improved = optimiser.improve(std::span(&pointer, 1), 20)[0];
        const double bound = rigorous(net, rows, root->state, neurons, changed);
        // The same relaxed network, up to the error terms that only the rigorous pass has and, where there are two
        // rows, the rounding of their weights to multiples of 2^-10.
        const double scale = 1 + std::fabs(improved.bound);
        CHECK(bound <= improved.bound + (changed.weights.size() > 1 ? 5e-3 : 1e-9) * scale);
        CHECK(bound >= improved.bound - 5e-3 * scale);
        better += bound > plain;
      }
      ++parts;
      const double bound = rigorous(net, rows, root->state, neurons, changed);
      row = part == 2 ? changed : row;
      for (int p = 0; p < 25; ++p) {
        const std::vector<double> x = random_point(random, t.box);
        const auto y = evaluate_exactly(t.graph, exact_vector(x));
        const auto y32 = evaluate_binary32(t.graph, x, random);
        for (const bool is_exact : {true, false}) {
          bool inside = true;
          for (const Half& h : changed.halves) {
            const Neurons::Neuron& neuron = neurons[h.neuron];
            const std::uint32_t z = net.node(neuron.node).operands[0];
            const Rational v = is_exact ? y[z][neuron.element] : exact(y32[z][neuron.element]);
            inside = inside && (h.upper ? v >= exact(h.at) : v <= exact(h.at));
          }
          if (!inside) continue;
          ++points;
          Rational form = 0;
          for (std::size_t r = 0; r < changed.weights.size(); ++r)
            form += exact(changed.weights[r]) * (is_exact ? y[t.graph.output][r] : exact(y32[t.graph.output][r]));
          REQUIRE_MESSAGE(exact(bound) <= form, "network ", n, " part ", part);
        }
      }
    }
  }
  MESSAGE(parts << " parts, " << points << " executions inside them; " << better << " bounds better than the root's");
  CHECK(points > 3000);
  CHECK(better > 10);
}

TEST_CASE("deletion test: without the cost of a multiplier's coefficient the bound is wrong") {
  // y = 2^24·(x − x') with a relu in between that is stable: a multiplier on the relu's operand sends a coefficient
  // through the group once more, and the error box of the group has to be paid for it.
  Graph g;
  const auto add = [&g](Kind kind, std::vector<std::uint32_t> operands) -> Node& {
    g.nodes.emplace_back();
    g.nodes.back().kind = kind;
    g.nodes.back().operands = std::move(operands);
    g.nodes.back().size = 1;
    return g.nodes.back();
  };
  add(Kind::input, {});
  Node& dense = add(Kind::dense, {0});
  dense.ints = {1, 1, 1, 1};
  dense.payload = {1, 0x1p24};
  add(Kind::relu, {1});
  g.output = 2;
  const Network net(g);
  Property p = box_property({{0.0}, {1.0}}, 1);
  p.cases = {{0, {{{{0, 1}}, 0, false, 0}}}};
  const RowTable rows(p);
  BoxProver prover(net, Semantics::fp32_any, {1, true, {}});
  const double delta_of_group = [&] {
    const BoxResult point = prover.interval_only({{0.0}, {0.0}});
    return point.output.hi[0] - 0x1p24;
  }();
  CHECK(delta_of_group > 0);
  // Form y − 101·(z − lo): −100·z + 101·lo, so its least value is 101·lo − 100·hi(z) with hi(z) including the box. The
  // reader of z has paid for a coefficient of 1 only.
  class One final : public RowLines {
   public:
    explicit One(double end) : multiplier_{0, 101.0, end} {}
    void patch(std::size_t, std::uint32_t, Lines&) const override {}
    std::span<const Multiplier> multipliers(std::size_t, std::uint32_t k) const override {
      return k == 1 ? std::span(&multiplier_, 1) : std::span<const Multiplier>();
    }

   private:
    Multiplier multiplier_;
  };
  std::optional<RootProof> root;
  ProofObserver none;
  Property open = p;
  open.cases[0].rows[0].constant = Integer(-40000000);  // not refuted, so that the root is kept
  prover.prove(RowTable(open), 0, none, &root);
  REQUIRE(root.has_value());
  const double lo = root->state.range[1].lo[0];
  Forms form;
  rows.append(0, 0, form);
  BackwardEngine engine(net, {1, true, {}});
  double bound = 0;
  const One one(lo);
  engine.form_bounds(root->state, 2, form, std::span(&bound, 1), nullptr, &one);
  // The largest z that a binary32 execution may have is 2^24 + 1 plus its error box.
  CHECK(bound <= 101 * lo - 100 * (0x1p24 + 1 + 0.5 * delta_of_group));
}
