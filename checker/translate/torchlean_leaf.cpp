// abcrown_leaf_artifact_v0_1: the leaves of a branch and bound proof over input boxes.
// Claims that on every leaf some row is above its threshold, and so on the whole root. Predicate: every leaf is inside
// the root, the leaves cover the root, and lb > threshold in the row witness_idx (in some row, if there is none). The
// bounds lb are asserted by the producer: that is the assumption "asserted-bounds". With --model they are recomputed,
// row i as output i; a model that is no chain of linear and ReLU layers is refused.
#include <algorithm>

#include "checker/translate/chain.hpp"
#include "checker/translate/coverage.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

namespace {

struct Leaf {
  Region box;
  Vector lb, threshold;
};

// witness_margin is only another way to write lb - threshold; the format allows it to be off by 1e-6.
void check_margin(const JsonText& text, const Fraction& difference, const std::string& name, Ruling* ruling) {
  const JsonText* margin = text.find("witness_margin");
  if (margin == nullptr) return;
  Fraction allowed = Fraction(BigInt(1), BigInt::power_of_ten(6));
  if (ruling->options.max_slack) allowed = std::min(allowed, *ruling->options.max_slack);
  const Fraction off = float_number(*margin) - difference;
  ruling->require(off <= allowed && -off <= allowed, name + ": witness_margin is not lb - threshold");
}

Leaf read_leaf(const JsonText& text, std::size_t inputs, const Region& root, const std::string& name, Ruling* ruling) {
  require_keys(text, {"lo", "hi", "lb", "threshold"}, {"witness_idx", "witness_margin"});
  Leaf leaf;
  leaf.box = bounds_of(text, inputs);
  leaf.lb = numbers(*text.find("lb"), any_size);
  leaf.threshold = numbers(*text.find("threshold"), leaf.lb.size());
  ruling->require(!is_reversed(leaf.box), name + " is empty: lo > hi");
  for (std::size_t i = 0; i < inputs; ++i)
    ruling->require(root.lo[i] <= leaf.box.lo[i] && leaf.box.hi[i] <= root.hi[i],
                    name + " is not inside the root along axis " + std::to_string(i));
  if (const JsonText* witness = text.find("witness_idx"); witness != nullptr) {
    const std::uint64_t row = index_below(*witness, leaf.lb.size());
    ruling->require(leaf.lb[row] > leaf.threshold[row], name + ": lb > threshold is false in its row");
    check_margin(text, leaf.lb[row] - leaf.threshold[row], name, ruling);
  } else {
    if (const JsonText* margin = text.find("witness_margin"); margin != nullptr)
      malformed(*margin, "witness_margin without witness_idx");
    bool above = false;
    for (std::size_t i = 0; i < leaf.lb.size(); ++i) above = above || leaf.lb[i] > leaf.threshold[i];
    ruling->require(above, name + ": lb > threshold is false in every row");
  }
  return leaf;
}

// Every lb of the leaf against the model's outputs.
void recompute(const Chain& chain, const Leaf& leaf, const std::string& name, Effort* effort, Ruling* ruling) {
  const ChainBounds bounds = lower_bounds(chain, leaf.box, effort);
  Vector centre;
  for (std::size_t i = 0; i < chain.inputs; ++i) centre.push_back((leaf.box.lo[i] + leaf.box.hi[i]) / Fraction(2));
  const Vector at_centre = evaluate(chain, centre);
  for (std::size_t row = 0; row < leaf.lb.size(); ++row) {
    const std::string lb = name + ": lb[" + std::to_string(row) + "]";
    if (leaf.lb[row] > bounds.lower[row] + ruling->options.slack) {
      const Fraction seen = std::min(at_centre[row], evaluate(chain, bounds.lowest[row])[row]);
      ruling->require(seen >= leaf.lb[row], lb + " is false: the output reaches " + about(seen) + " there");
      if (seen < leaf.lb[row]) continue;
    }
    ruling->at_most(leaf.lb[row], bounds.lower[row], lb + " is not proved, the bound computed here");
  }
}

}  // namespace

bool is_leaf_artifact(const JsonText& document) {
  return has_format(document, "abcrown_leaf_artifact") ||
         (document.find("leaves") != nullptr && document.find("root") != nullptr);
}

Judgement judge_leaf_artifact(const JsonText& document, const ForeignOptions& options) {
  require_format(document, {"abcrown_leaf_artifact_v0_1"});
  require_keys(document, {"format", "input_dim", "root", "leaves"});
  const std::size_t inputs = natural(*document.find("input_dim"), 1);
  const Region root = region_of(*document.find("root"), inputs);
  const std::vector<JsonText>& list = list_of(*document.find("leaves"), JsonKind::object);

  Ruling ruling(document, options);
  ruling.judgement.statement = "on each of " + counted(list.size(), "leaf box") +
                               " some row is above its threshold, and the boxes cover the root of " +
                               counted(inputs, "input");
  ruling.judgement.established = {"the leaves lie inside the root and cover it", "lb > threshold on every leaf"};
  ruling.judgement.not_established = {
      "that the root is the input box of a property",
      "which property the rows belong to: one row above its threshold counts as success on a leaf"};
  ruling.require(!is_reversed(root), "the root is empty: lo > hi");
  ruling.require(!list.empty(), "there are no leaves");
  std::vector<Leaf> leaves;
  std::vector<Region> boxes;
  for (std::size_t k = 0; k < list.size(); ++k) {
    leaves.push_back(read_leaf(list[k], inputs, root, "leaf " + std::to_string(k), &ruling));
    boxes.push_back(leaves.back().box);
  }
  if (!ruling.good()) return ruling.finish();
  Vector gap;
  if (!covers(boxes, root, &gap)) {
    std::string point;
    for (std::size_t i = 0; i < gap.size() && i < 8; ++i) point += (i == 0 ? "" : ", ") + about(gap[i]);
    ruling.require(false, "no leaf covers (" + point + (gap.size() > 8 ? ", ..." : "") + ")");
    return ruling.finish();
  }
  if (options.model.empty()) {
    ruling.judgement.assumptions = {"asserted-bounds"};
    ruling.judgement.not_established.insert(ruling.judgement.not_established.begin(),
                                            "the bounds lb: asserted by the producer, no network was looked at");
    return ruling.finish();
  }
  const Chain chain = read_chain(options.model);
  if (chain.inputs != inputs) malformed(*document.find("input_dim"), "the model has " + counted(chain.inputs, "input"));
  Effort effort;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (leaves[k].lb.size() != chain.outputs())
      refuse_unsupported("bounds of " + counted(leaves[k].lb.size(), "row") + " for a model of " +
                         counted(chain.outputs(), "output") + ": the file does not say what the rows are");
    recompute(chain, leaves[k], "leaf " + std::to_string(k), &effort, &ruling);
  }
  ruling.judgement.established.push_back("every lb, over the real numbers: row i is output i of the model");
  return ruling.finish();
}

}  // namespace outward_check
