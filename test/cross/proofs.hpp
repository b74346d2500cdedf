// Small proofs made by the prover, in the checker's types: what the cross tests mutate and compare.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "bounds/verify.hpp"
#include "checker/report/identity.hpp"
#include "cli/common/certificate_observer.hpp"
#include "test/bounds/support.hpp"

namespace outward::testing {

inline outward_check::Graph checker_graph(const Graph& g) {
  outward_check::Graph out;
  out.is_binary64 = g.element == ElementType::binary64;
  out.output = g.output;
  for (const Node& n : g.nodes)
    out.nodes.push_back({static_cast<outward_check::Kind>(n.kind), n.operands, n.size, n.ints, n.payload, n.origin});
  return out;
}

inline outward_check::BigInt checker_integer(const Integer& v) {
  const std::string text = Integer(abs(v)).str();
  const outward_check::BigInt magnitude = outward_check::BigInt::from_decimal(text);
  return v < 0 ? -magnitude : magnitude;
}
inline outward_check::Fraction checker_fraction(const Rational& v) {
  return {checker_integer(numerator(v)), checker_integer(denominator(v))};
}

inline outward_check::Property checker_property(const Property& p) {
  outward_check::Property out;
  out.inputs = p.inputs;
  out.outputs = p.outputs;
  out.file_sha256 = p.file_sha256;
  for (const auto& box : p.boxes) {
    out.boxes.emplace_back();
    for (const InputRange& r : box)
      out.boxes.back().push_back({checker_fraction(r.lo), checker_fraction(r.hi), r.lo_strict, r.hi_strict});
  }
  for (const Case& c : p.cases) {
    out.cases.push_back({c.box, {}});
    for (const Row& r : c.rows) {
      outward_check::Row row;
      for (const auto& [j, a] : r.terms) row.terms.emplace_back(j, checker_integer(a));
      row.constant = checker_integer(r.constant);
      row.strict = r.strict;
      out.cases.back().rows.push_back(row);
    }
  }
  return out;
}

// The checker's question, answered from memory instead of files.
class MemoryQuestion : public outward_check::Question {
 public:
  MemoryQuestion(const Model& model, const Property& property) : property_(checker_property(property)) {
    model_.graph = checker_graph(model.graph);
    for (const ModelFile& f : model.files) model_.files.push_back({f.path, f.sha256, f.bytes});
  }
  const outward_check::ModelRead* model(const outward_check::Record& record) override {
    outward_check::compare_model(record, model_);
    return &model_;
  }
  const outward_check::Property* asked(const outward_check::Graph&) override { return &property_; }
  const outward_check::Property* stated(const outward_check::Record& record, const outward_check::Graph&) override {
    const bool named = outward_check::names_property(record, property_, false);
    outward_check::require(named, "property digest", "another", record.text("digest"));
    return &property_;
  }
  bool states(const outward_check::Record& record, const outward_check::Property& property) override {
    return outward_check::names_property(record, property, true);
  }

 private:
  outward_check::ModelRead model_;
  outward_check::Property property_;
};

// Writes text to a file of this process and asks the checker. "VALID", "INVALID", … or "REFUSED".
inline std::string judge(const std::string& text, MemoryQuestion& question) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("outward-cross-" + std::to_string(::getpid()))).string();
  {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
  }
  std::string word;
  try {
    switch (outward_check::check_certificate(path, &question).word) {
      case outward_check::Word::valid:
        word = "VALID";
        break;
      case outward_check::Word::vacuous:
        word = "VACUOUS";
        break;
      case outward_check::Word::not_asked:
        word = "NOT_ASKED";
        break;
      case outward_check::Word::invalid:
        word = "INVALID";
        break;
      default:
        word = "INCOMPLETE";
    }
  } catch (const outward_check::ReadError&) {
    word = "REFUSED";
  }
  std::filesystem::remove(path);
  return word;
}

struct ProofSample {
  Model model;
  Property proved;   // what `certificate` proves
  Property refuted;  // the same rows moved so far that a point of the box is unsafe
  std::string certificate;
};

// Unsafe: output 0 at most `threshold` or output 1 (if any) at most the same minus one half; one box.
inline Property threshold_property(const Box& box, std::size_t outputs, const Rational& threshold) {
  Property p = box_property(box, outputs);
  p.path = "property.vnnlib";
  p.file_sha256 = std::string(64, '0');
  for (std::uint32_t j = 0; j < outputs && j < 2; ++j) {
    const Rational t = j ? Rational(threshold - Rational(1, 2)) : threshold;
    p.cases.push_back({0, {{{{j, denominator(t)}}, -numerator(t), false, 0}}});
  }
  return p;
}

inline Model random_model(Random& random, int layers) {
  Model model;
  model.graph = random_graph(random, layers);
  model.files.push_back({"model.onnx", 1, std::string(64, '1')});
  return model;
}

// Fills in the certificate of `proved` if the options suffice.
inline void certify(ProofSample& s, const Network& net, VerifyOptions options) {
  CertificateWriter writer({"holds", "fp32_any", "test"}, s.model, s.proved);
  cli::CertificateObserver observer(writer);
  options.attack = false;
  options.threads = 1;
  if (verify_property(net, s.proved, options, observer).verdict == Verdict::holds)
    s.certificate = writer.finish().whole();
}

// A random network with a property that only branching proves. Empty certificate: not this time.
inline ProofSample random_branching_proof(Random& random, int layers) {
  ProofSample s;
  s.model = random_model(random, layers);
  const Network net(s.model.graph);
  const Box box = random_box(random, s.model.graph.nodes[0].size, 3);
  const std::size_t outputs = s.model.graph.nodes[s.model.graph.output].size;
  Rational least;
  for (int p = 0; p < 20; ++p) {
    const auto y = evaluate_exactly(s.model.graph, exact_vector(random_point(random, box)))[s.model.graph.output];
    Rational low = y[0];
    if (outputs > 1 && y[1] + Rational(1, 2) < low) low = y[1] + Rational(1, 2);
    if (p == 0 || low < least) least = low;
  }
  const Rational slack = (1 + abs(least)) / 10;
  s.proved = threshold_property(box, outputs, least - slack);
  s.refuted = threshold_property(box, outputs, least + slack / 100);
  VerifyOptions options;
  options.max_domains = 60;
  options.most_varying_inputs = random() % 2 ? 16 : 0;
  certify(s, net, options);
  if (s.certificate.find("\"split\"") == std::string::npos) s.certificate.clear();
  return s;
}

// A random network with a property that is proved without branching. Empty certificate: not this time.
inline ProofSample random_proof(Random& random, int layers) {
  ProofSample s;
  s.model = random_model(random, layers);
  const Network net(s.model.graph);
  const Box box = random_box(random, s.model.graph.nodes[0].size, 0.4);
  const std::size_t outputs = s.model.graph.nodes[s.model.graph.output].size;
  ProofObserver none;
  BoxProver prover(net, Semantics::fp32_any, {1, true, {}});
  Property wide = threshold_property(box, outputs, Rational(-1000000));
  wide.bound_only = true;
  const Range reach = prover.enclose(wide, none).output;
  double low = reach.lo[0];
  if (outputs > 1) low = std::min(low, reach.lo[1] + 0.5);
  if (!std::isfinite(low)) return s;
  const double slack = 1e-3 * (1 + std::fabs(low));
  s.proved = threshold_property(box, outputs, exact(low - slack));
  const auto y = evaluate_exactly(s.model.graph, exact_vector(box.lo))[s.model.graph.output];
  s.refuted = threshold_property(box, outputs, y[0] + exact(slack));
  certify(s, net, {});
  return s;
}

}  // namespace outward::testing
