// Proof trees with dead steps planted into them shrink back to what they were, and every form of them is VALID for the
// independent checker: as proved, planted, and trimmed.
#include <doctest/doctest.h>

#include "bounds/branch/guided_proof.hpp"
#include "test/bounds/branched.hpp"
#include "test/cross/proofs.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

// Repeats a log with steps before its own that say no more than these: all of them are dead.
class Planter final : public ProofObserver {
 public:
  explicit Planter(Random& random) : random_(random) {}
  ProofLog log;
  int planted = 0;

  void slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& bytes) override { log.slopes(id, node, bytes); }
  void interval(std::uint32_t node) override {
    if (plant()) log.interval(node);
    log.interval(node);
  }
  void backward(std::uint32_t node, std::span<const std::uint32_t> lower, std::span<const std::uint32_t> upper,
                std::span<const std::uint32_t> slopes) override {
    if (plant()) log.backward(node, lower, lower.empty() ? upper : upper.first(upper.size() / 2), slopes);
    log.backward(node, lower, upper, slopes);
  }
  void refute(std::uint32_t case_index, std::span<const std::uint32_t> rows, std::span<const double> multipliers,
              std::span<const std::uint32_t> slopes, std::span<const RangeMultiplier> ranges) override {
    log.refute(case_index, rows, multipliers, slopes, ranges);
    if (plant()) log.refute(case_index, rows, multipliers, slopes, ranges);
  }

 private:
  bool plant() {
    const bool yes = random_() % 2 != 0;
    planted += yes;
    return yes;
  }
  Random& random_;
};

int plant(Random& random, BoxProof& proof) {
  int planted = 0;
  const Outline outline = proof.outline();
  for (const OutlineItem& item : outline.items) {
    if (item.kind != OutlineItem::Kind::log) continue;
    Planter planter(random);
    std::uint32_t next = 0;
    outline.log(item).replay(planter, {0xffffffff, 0}, next);
    outline.replace_log(item, planter.log);
    planted += planter.planted;
  }
  return planted;
}

std::string certificate(const Model& model, const Property& property, const Network& net, BoxProof proof, bool trim) {
  CertificateWriter writer({"holds", "fp32_any", "test"}, model, property);
  cli::CertificateObserver observer(writer);
  std::uint32_t next = 0;
  observer.begin_box(0);
  if (trim)
    proof.write(net, observer, next);
  else
    write_outline(proof.outline(), observer, next);
  return writer.finish().whole();
}

}  // namespace

TEST_CASE("planted dead steps are found again, and every form of a tree is valid") {
  Random random(7311);
  int trees[2] = {0, 0}, planted = 0;
  std::size_t untrimmed_bytes = 0, trimmed_bytes = 0;
  for (int t = 0; t < 900 && (trees[0] < 20 || trees[1] < 20); ++t) {
    const Model model = random_model(random, 2 + t % 3);
    const Network net(model.graph);
    const Box box = random_box(random, model.graph.nodes[0].size, 3);
    Rational least = 0;
    for (int p = 0; p < 20; ++p) {
      const Rational y = evaluate_exactly(model.graph, exact_vector(random_point(random, box)))[model.graph.output][0];
      if (p == 0 || y < least) least = y;
    }
    const std::size_t outputs = model.graph.nodes[model.graph.output].size;
    Property property = output_below(box, outputs, least - (1 + abs(least)) / 10);
    property.path = "property.vnnlib";
    property.file_sha256 = std::string(64, '0');
    const bool on_inputs = t % 2 == 0;
    BoxProof proof;
    if (!branched(net, property, Semantics::fp32_any, on_inputs, 60, 1, proof).proved) continue;
    const std::string plain = certificate(model, property, net, proof, false);
    const std::string trimmed = certificate(model, property, net, proof, true);
    BoxProof larger = proof;
    planted += plant(random, larger);
    const std::string filled = certificate(model, property, net, larger, false);
    MemoryQuestion question(model, property);
    for (const std::string& text : {plain, trimmed, filled}) CHECK(judge(text, question) == "VALID");
    CHECK(certificate(model, property, net, larger, true) == trimmed);
    CHECK(trimmed.size() <= plain.size());
    trees[on_inputs] += plain.find("\"split\"") != std::string::npos;
    untrimmed_bytes += plain.size();
    trimmed_bytes += trimmed.size();
  }
  MESSAGE(trees[1] << " trees of halved inputs, " << trees[0] << " of halved neurons, " << planted
                   << " steps planted and found; without planting " << untrimmed_bytes << " bytes became "
                   << trimmed_bytes);
  CHECK(trees[0] >= 20);
  CHECK(trees[1] >= 20);
  CHECK(planted > 500);
  CHECK(trimmed_bytes < untrimmed_bytes);
}

namespace {

// 3 inputs, two hidden layers of four neurons, one output. Element `idle` of the first layer is read with weight 0, and
// alone reads the last input: no fact about it can help.
Graph network_with_idle_neuron(Random& random, std::uint32_t idle) {
  Graph g;
  g.element = ElementType::binary32;
  const auto add = [&](Kind kind, std::uint64_t size, std::vector<std::int64_t> ints, std::size_t weights) {
    Node n;
    n.kind = kind;
    if (!g.nodes.empty()) n.operands = {static_cast<std::uint32_t>(g.nodes.size() - 1)};
    n.size = size;
    n.ints = std::move(ints);
    for (std::size_t i = 0; i < weights; ++i) n.payload.push_back((static_cast<double>(random() % 257) - 128) / 64);
    g.nodes.push_back(n);
  };
  add(Kind::input, 3, {}, 0);
  add(Kind::dense, 4, {1, 3, 4, 1}, 16);
  add(Kind::relu, 4, {}, 0);
  add(Kind::dense, 4, {1, 4, 4, 1}, 20);
  add(Kind::relu, 4, {}, 0);
  add(Kind::dense, 1, {1, 4, 1, 1}, 5);
  for (std::uint32_t j = 0; j < 4; ++j) {
    g.nodes[3].payload[4 * j + idle] = 0;
    for (std::uint32_t i = 0; i < 3; ++i)
      if ((i == 2) != (j == idle)) g.nodes[1].payload[3 * j + i] = 0;
  }
  g.nodes[1].payload[3 * idle + 2] = 1;
  g.nodes[1].payload[12 + idle] = 0.25;
  g.output = 5;
  return g;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("splits that no refutation uses are dropped with the half that is not needed; the rest is valid") {
  Random random(5150);
  int trees = 0, idle_splits = 0, useful_splits = 0;
  for (int t = 0; t < 400; ++t) {
    Model model;
    const std::uint32_t idle = static_cast<std::uint32_t>(random() % 4);
    model.graph = network_with_idle_neuron(random, idle);
    model.files.push_back({"model.onnx", 1, std::string(64, '1')});
    const Network net(model.graph);
    const Box box = {{-1, -1, -1}, {1, 1, 1}};
    Rational least = 0;
    for (int p = 0; p < 40; ++p) {
      const Rational y = evaluate_exactly(model.graph, exact_vector(random_point(random, box)))[model.graph.output][0];
      if (p == 0 || y < least) least = y;
    }
    Property property = output_below(box, 1, least - (1 + abs(least)) / 8);
    property.path = "property.vnnlib";
    property.file_sha256 = std::string(64, '0');
    // First the idle neuron, then one that matters, then the idle one of the other half.
    SplitGuide guide;
    const auto split = [&](std::uint32_t element, std::uint32_t first) {
      guide.parts.push_back({true, 1, element, 0, first});
    };
    split(idle, 1);
    split((idle + 1) % 4, 3);
    split((idle + 2) % 4, 5);
    for (int i = 0; i < 4; ++i) guide.parts.push_back({});
    CertificateWriter writer({"holds", "fp32_any", "test"}, model, property);
    cli::CertificateObserver observer(writer);
    GuidedOptions options;
    options.semantics = Semantics::fp32_any;
    options.max_domains = 300;
    const GuidedResult r = prove_along(net, property, {guide}, options, observer);
    if (!r.proved || r.domains == 0) continue;
    const std::string text = writer.finish().whole();
    MemoryQuestion question(model, property);
    CHECK(judge(text, question) == "VALID");
    CHECK(count(text, "\"split\"") == r.splits);
    // The domains say that the idle neuron was split: a box that is not proved at once has two parts more for it.
    trees += r.domains > 1;
    idle_splits += count(text, "\"split\",\"node\":1,\"element\":" + std::to_string(idle) + ",") != 0;
    useful_splits += r.splits > 0;
  }
  MESSAGE(trees << " trees that began with an idle neuron; " << idle_splits << " still split it, " << useful_splits
                << " have other splits");
  CHECK(trees > 30);
  CHECK(idle_splits == 0);
  CHECK(useful_splits > 20);
}
