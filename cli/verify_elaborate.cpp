// Elaborating a proof tree: see verify_elaborate.hpp. Why this judges every leaf: the leaves are closed and cover all
// executions over the input set, so each of them is without an unsafe execution if and only if the query holds. A proof
// of the query therefore confirms every leaf, and where a leaf is false the query is, and no certificate can be made.
#include "cli/verify_elaborate.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "bounds/branch/guided_proof.hpp"
#include "certificates/writer.hpp"
#include "cli/common/certificate_observer.hpp"
#include "cli/common/errors.hpp"
#include "cli/verify_outputs.hpp"
#include "cli/verify_report.hpp"
#include "cli/verify_solve.hpp"
#include "importers/aptp/aptp.hpp"
#include "importers/onnx/onnx.hpp"
#include "importers/vnnlib/vnnlib.hpp"
#include "importers/vnnlib/witness.hpp"

namespace outward::cli {

namespace {

struct Rejected {
  std::string reason;
};

// The places of N_1, N_2, …: the operands of the ReLUs, layer by layer.
std::vector<SplitGuide::Part> neuron_places(const Graph& graph) {
  std::vector<SplitGuide::Part> places;
  std::vector<Blocker> others;
  for (const Node& node : graph.nodes) {
    if (node.kind == Kind::leaky || node.kind == Kind::clip || node.kind == Kind::abs || node.kind == Kind::max)
      others.push_back({"unsupported-operator", node.origin, "the numbering of neurons is defined for ReLU only",
                        "a network whose activations are ReLU", kind_name(node.kind), ""});
    if (node.kind != Kind::relu) continue;
    for (std::uint32_t i = 0; i < node.size; ++i) places.push_back({true, node.operands[0], i, 0, 0});
  }
  if (!others.empty()) throw InputRefused(std::move(others));
  return places;
}

std::string decimal(const Rational& v) { return shortest_decimal(round_nearest(v)); }

std::string shown(const CoverBox& box, std::uint64_t inputs) {
  std::string text;
  for (const auto& [dimension, range] : box) {
    const std::string name =
        dimension < inputs ? "X_" + std::to_string(dimension) : "N_" + std::to_string(dimension - inputs + 1);
    if (!text.empty()) text += ", ";
    text += (range.lo ? decimal(*range.lo) + " <= " : "") + name + (range.hi ? " <= " + decimal(*range.hi) : "");
  }
  return text.empty() ? "anything" : text;
}

CoverBox box_of(const std::vector<InputRange>& ranges) {
  CoverBox box;
  for (std::uint64_t i = 0; i < ranges.size(); ++i) box[i] = {ranges[i].lo, ranges[i].hi};
  return box;
}

// What `row` calls unsafe, `other` does too.
bool implies(const Row& row, const Row& other) {
  return row.terms == other.terms && row.constant == other.constant && (row.strict || !other.strict);
}

class Elaboration {
 public:
  Elaboration(const Options& o, const Model& model)
      : o_(o),
        model_(model),
        inputs_(model.graph.nodes[0].size),
        places_(neuron_places(model.graph)),
        proof_(read_aptp(o.elaborate, inputs_, model.graph.nodes[model.graph.output].size)) {
    if (proof_.neurons != 0 && proof_.neurons != places_.size())
      throw InputRefused({"aptp-neuron", o.elaborate, "the proof is for another network",
                          std::to_string(places_.size()) + " neurons, the ReLUs of the network",
                          std::to_string(proof_.neurons) + " neurons declared", ""});
    if (proof_.neurons == 0 && o.property.empty())
      throw UsageError("a proof that splits inputs needs --property: it does not say what its boxes should cover");
    property_ = o.property.empty() ? proof_.query
                                   : read_vnnlib(o.property, inputs_, model.graph.nodes[model.graph.output].size);
  }

  const Property& property() const { return property_; }
  std::size_t leaves() const { return proof_.leaves.size(); }

  // One guide for each box of the property. Throws Rejected if the leaves do not cover what the property asks.
  std::vector<SplitGuide> guides() const {
    std::vector<SplitGuide> guides(property_.boxes.size());
    for (std::uint32_t c = 0; c < property_.cases.size(); ++c) {
      const std::uint32_t b = property_.cases[c].box;
      SplitGuide of_case = to_guide(cover_inputs(c));
      if (proof_.neurons != 0) of_case = to_guide(cover_tree(b));
      if (guides[b].parts.empty()) guides[b] = std::move(of_case);
    }
    return guides;
  }

 private:
  // The box of the case by the boxes for which the proof speaks of the same outputs.
  CoverTree cover_inputs(std::uint32_t case_index) const {
    const Case& asked = property_.cases[case_index];
    std::vector<CoverBox> boxes;
    for (const Case& c : proof_.query.cases)
      if (std::equal(c.rows.begin(), c.rows.end(), asked.rows.begin(), asked.rows.end(),
                     [](const Row& row, const Row& of_asked) { return implies(of_asked, row); }))
        boxes.push_back(box_of(proof_.query.boxes[c.box]));
    if (boxes.empty())
      throw Rejected{"the proof says nothing about the outputs of case " + std::to_string(case_index) +
                     " of the property"};
    return checked(cover(box_of(property_.boxes[asked.box]), boxes));
  }

  CoverTree cover_tree(std::uint32_t box) const {
    return checked(cover(proof_.only_neurons ? CoverBox{} : box_of(property_.boxes[box]), proof_.leaves));
  }

  CoverTree checked(CoverTree tree) const {
    if (tree.missing) throw Rejected{"no leaf covers " + shown(*tree.missing, inputs_)};
    return tree;
  }

  // No guide for trees that split both inputs and neurons.
  SplitGuide to_guide(const CoverTree& tree) const {
    SplitGuide guide;
    bool neurons = false, inputs = false;
    for (const CoverTree::Part& p : tree.parts) {
      guide.parts.emplace_back();
      if (!p.is_cut) continue;
      const bool is_input = p.dimension < inputs_;
      SplitGuide::Part& part = guide.parts.back();
      part = is_input ? SplitGuide::Part{true, 0, static_cast<std::uint32_t>(p.dimension), 0, 0}
                      : places_[p.dimension - inputs_];
      part.at = round_nearest(p.at);
      part.first_half = p.first_half;
      (is_input ? inputs : neurons) = true;
    }
    if (neurons && inputs) guide.parts.clear();
    return guide;
  }

  const Options& o_;
  const Model& model_;
  std::uint64_t inputs_;
  std::vector<SplitGuide::Part> places_;
  AptpProof proof_;
  Property property_;
};

// Along the tree, for a third of the time there is.
Solved along_tree(const Options& o, const Model& model, const Network& net, const Property& property,
                  const std::vector<SplitGuide>& guides, Semantics semantics, std::string& how_it_went) {
  const auto start = std::chrono::steady_clock::now();
  const double seconds = o.timeout > 0 ? o.timeout / 3 : 60;
  GuidedOptions how;
  how.semantics = semantics;
  how.threads = o.threads;
  how.max_domains = o.max_domains;
  how.stop = [&] {
    return interrupted || (o.max_domains == 0 &&
                           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds);
  };
  CertificateWriter writer({"holds", semantics_name(semantics), "outward verify 0.1.0"}, model, property);
  CertificateObserver observer(writer);
  const GuidedResult r = prove_along(net, property, guides, how, observer);
  Solved out;
  out.semantics = semantics;
  out.outcome.domains = r.domains;
  if (r.proved) {
    if (r.splits > 0)
      how_it_went = std::to_string(r.splits) + " splits, those of the tree first and our own below its leaves";
    out.outcome.verdict = Verdict::holds;
    out.certificate = writer.finish();
  }
  return out;
}

int reject(const Options& o, const std::string& reason) {
  std::cout << "rejected (" << o.elaborate << ": " << reason << ")\n";
  return exit_violated;
}

int report(const Options& o, const Elaboration& elaboration, const Solved& solved, const std::string& how) {
  const Outcome& outcome = solved.outcome;
  Outputs outputs;
  if (outcome.verdict == Verdict::violated) {
    if (!o.witness.empty())
      outputs.save(o.witness, witness_text(outcome.counterexample->decimals, outcome.counterexample->outputs));
    const std::string found = "the leaves cover everything, but an input of the set reaches the unsafe outputs";
    return outputs.finish(
        reject(o, solved.semantics == Semantics::real
                      ? found + " over the real numbers: some leaf is false"
                      : found + " in floating point; --semantics real asks about the real numbers only"));
  }
  if (outcome.verdict != Verdict::holds) {
    std::cout << "unknown (the leaves cover everything, but the query is neither proved nor refuted)\n";
    std::cerr << "reason: " << outcome.reason << "\n";
    return exit_unknown;
  }
  const bool saved = outputs.save(o.certificate, solved.certificate);
  std::cout << "elaborated (the " << elaboration.leaves()
            << " leaves cover everything and none of them reaches the unsafe outputs)\n";
  if (!o.quiet) {
    std::cout << "covers: " << coverage(solved.semantics) << "\n";
    std::cout << "proof: " << how << "\n";
    if (saved) std::cout << "certificate: " << o.certificate << " (" << solved.certificate.size() << " bytes)\n";
    std::cerr << "branching: " << outcome.domains << " parts bounded\n";
  }
  return outputs.finish(exit_holds);
}

}  // namespace

int run_elaborate(const Options& o) {
  const auto start = std::chrono::steady_clock::now();
  const auto used = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const Model model = import_onnx(o.model, o.shapes);
  require_certifiable(o, model);
  const Elaboration elaboration(o, model);
  if (elaboration.property().vacuous) {
    std::cout << "unknown (vacuous)\n";
    return exit_unknown;
  }
  std::vector<SplitGuide> guides;
  try {
    guides = elaboration.guides();
  } catch (const Rejected& r) {
    return reject(o, r.reason);
  }
  const Network net(model.graph);
  const Property& property = elaboration.property();
  Options first = o;
  first.branch = false;
  first.max_domains = 1;  // a short search for counterexamples, whatever the clock says
  Solved solved = solve(first, model, net, property, used());
  std::string how = "no split was needed";
  std::vector<Semantics> claims = {solved.semantics};
  if (o.semantics == "best") claims.push_back(Semantics::real);
  for (const Semantics semantics : claims) {
    if (solved.outcome.verdict != Verdict::unknown || interrupted) break;
    Solved along = along_tree(o, model, net, property, guides, semantics, how);
    if (along.outcome.verdict == Verdict::holds) solved = std::move(along);
  }
  if (solved.outcome.verdict == Verdict::unknown && !interrupted) {
    how = "splits of our own: along those of the tree no proof was found within the limits";
    solved = solve(o, model, net, property, used());
  }
  return report(o, elaboration, solved, how);
}

}  // namespace outward::cli
