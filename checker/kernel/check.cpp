// From the first record to the verdict: see check.hpp. The answer starts as INVALID and becomes VALID at one
// place only, after the footer.
#include "checker/kernel/check.hpp"

#include <algorithm>
#include <iterator>

namespace outward_check {

namespace {

constexpr const char* claim_names[] = {"holds", "violated", "bound"};
constexpr const char* semantics_names[] = {"real", "fp32_any", "fp64_any"};

template <class E, std::size_t N>
E parse_name(const char* const (&names)[N], const std::string& text, const char* what) {
  const auto at = std::find(std::begin(names), std::end(names), text);
  if (at != std::end(names)) return static_cast<E>(at - std::begin(names));
  throw ReadError(ReadError::Class::unsupported, std::string("unknown ") + what + " \"" + text + "\"");
}

void require_equal(const char* rule, const std::string& expected, const std::string& found) {
  if (expected != found) throw Rejection{rule, expected, found};
}
void require_equal(const char* rule, std::uint64_t expected, std::uint64_t found) {
  require_equal(rule, std::to_string(expected), std::to_string(found));
}

class Check {
 public:
  Check(const std::string& path, Question* question) : question_(*question), reader_(path) {}

  Answer run() {
    try {
      if (follow()) conclude();
    } catch (const Rejection& r) {
      answer_.word = r.undecided ? Word::incomplete : Word::invalid;
      answer_.reasons.push_back("line " + std::to_string(reader_.line()) + ", record " + record_.name +
                                ", rule " + r.rule + ": expected " + r.expected + ", found " + r.found);
    } catch (const FooterFault& f) {
      answer_.word = Word::invalid;
      answer_.reasons.push_back("line " + std::to_string(reader_.line()) + ": " + f.text);
    }
    answer_.records = reader_.line();
    return answer_;
  }

 private:
  Question& question_;
  RecordReader reader_;
  Record record_;
  Answer answer_;
  const Property* property_ = nullptr;
  bool is_asked_ = false;

  void expect(const char* name) {
    if (!reader_.next(&record_) || record_.name != name) throw Rejection{"sequence", name, record_.name};
  }
  void not_asked(const std::string& reason) { answer_.reasons.push_back(reason); }

  // Reads the whole file. False if there was nothing to compare it with.
  bool follow() {
    expect("header");
    if (record_.number("version") != 1) {
      throw ReadError(ReadError::Class::unsupported,
                      "certificate version " + std::to_string(record_.number("version")) + ", known is 1");
    }
    answer_.claim = parse_name<Claim>(claim_names, record_.text("claim"), "claim");
    answer_.semantics = parse_name<Semantics>(semantics_names, record_.text("semantics"), "semantics");
    expect("model");
    const ModelRead* model = question_.model(record_);
    if (model == nullptr) return read_on("no model was given: --model FILE or --root DIR is needed");
    compare_model(*model);
    const Structure structure(model->graph);
    expect("property");
    choose_property(model->graph);
    if (property_ == nullptr) return read_on("nothing is proved without the property");
    require_equal("property", property_->cases.size(), record_.number("cases"));
    require_equal("property", property_->boxes.size(), record_.number("boxes"));
    const bool wants_bound = answer_.claim == Claim::bound;
    if (wants_bound != property_->bound_only) throw Rejection{"property", "a target that fits the claim", "another"};
    expect("numerics");
    compare_numerics();
    if (answer_.claim == Claim::violated) return follow_point(structure), true;
    const auto proof = make_proof(structure, answer_.semantics, *property_, wants_bound, question_.exact);
    while (reader_.next(&record_)) proof->record(record_);
    if (!proof->done()) throw Rejection{"ledger", "every box and scope to be closed", "the footer"};
    answer_.bounds = proof->bounds(), answer_.exact_decisions = proof->exact_decisions();
    return true;
  }
  bool read_on(const std::string& reason) {
    while (reader_.next(&record_)) {
    }
    answer_.word = Word::not_asked;
    not_asked(reason);
    return false;
  }

  void compare_model(const ModelRead& model) {
    const Graph& graph = model.graph;
    const std::string fault = graph_fault(graph);
    if (!fault.empty()) throw ReadError(ReadError::Class::unsupported, "model: " + fault);
    require_equal("model graph digest", graph_digest(graph), record_.text("graph"));
    const std::vector<Json>& files = record_.at("files").items;
    require_equal("number of model files", model.files.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {  // path, bytes, sha256; the model may be renamed
      const std::string& path = files[i].items[0].text;
      if (i > 0) require_equal("model file path", model.files[i].path, path);
      require_equal("model file size", model.files[i].bytes, files[i].items[1].number);
      require_equal("model file digest", model.files[i].sha256, files[i].items[2].text);
    }
    require_equal("element type", graph.is_binary64 ? "binary64" : "binary32", record_.text("element"));
    require_equal("inputs", graph.nodes[0].size, record_.number("inputs"));
    require_equal("outputs", graph.nodes[graph.output].size, record_.number("outputs"));
    require_equal("nodes", graph.nodes.size(), record_.number("nodes"));
    element_claim_ = graph.is_binary64 ? Semantics::fp64_any : Semantics::fp32_any;
    const Semantics wrong = graph.is_binary64 ? Semantics::fp32_any : Semantics::fp64_any;
    if (answer_.semantics == wrong) throw Rejection{"semantics", "that of the element type", semantics_name(wrong)};
  }

  void choose_property(const Graph& graph) {
    const std::string& digest = record_.text("digest");
    const Property* asked = question_.asked(graph);
    const Property* stated = question_.stated(record_, graph);
    if (stated != nullptr) require_equal("property digest", property_digest(*stated), digest);
    is_asked_ = asked != nullptr && property_digest(*asked) == digest;
    property_ = is_asked_ ? asked : stated;
    if (!is_asked_) {
      not_asked(asked == nullptr ? "no property was given, so none was asked"
                                 : "the certificate is about another property than the one asked");
    } else if (record_.text("kind") == "vnnlib") {
      require_equal("property file", asked->file_sha256, record_.text("sha256"));
    }
    if (property_ == nullptr) return;
    bool fits = property_->inputs == graph.nodes[0].size && property_->outputs == graph.nodes[graph.output].size;
    for (const auto& box : property_->boxes) fits &= box.size() == property_->inputs;
    for (const Case& c : property_->cases) {
      fits &= c.box < property_->boxes.size();
      for (const Row& row : c.rows) {
        for (const auto& term : row.terms) fits &= term.first < property_->outputs;
      }
    }
    if (!fits) throw Rejection{"property", "the sizes of the model", "others"};
  }

  void compare_numerics() {
    const bool real = answer_.semantics == Semantics::real;
    const char* format = real ? "real" : answer_.semantics == Semantics::fp32_any ? "binary32" : "binary64";
    require_equal("numerics", format, record_.text("format"));
    require_equal("numerics", real ? "exact" : "nearest_even", record_.text("rounding"));
    require_equal("numerics", real ? "exact" : "gradual", record_.text("subnormals"));
    require_equal("numerics", real ? "exact" : "any", record_.text("order"));
    require_equal("numerics", real ? "exact" : "any", record_.text("fusion"));
  }

  void follow_point(const Structure& structure) {
    expect("point");
    const std::uint64_t c = record_.number("case");
    if (c >= property_->cases.size()) throw Rejection{"point", "a case", std::to_string(c)};
    std::vector<Fraction> x;
    for (const Json& v : record_.at("values").items) {
      x.emplace_back();
      if (!parse_decimal(v.text, &x.back())) throw Rejection{"point", "a decimal number", v.text};
    }
    require_equal("point", property_->inputs, x.size());
    const Execution kind = answer_.semantics == Semantics::real       ? Execution::real
                           : answer_.semantics == Semantics::fp32_any ? Execution::fp32_sequential
                                                                      : Execution::fp64_sequential;
    const Witness w = check_witness(structure, *property_, c, c + 1, x, kind);
    answer_.notes.insert(answer_.notes.end(), w.notes.begin(), w.notes.end());
    if (!w.proved) throw Rejection{"point", "a counterexample", w.reason};
    if (reader_.next(&record_)) throw Rejection{"sequence", "the footer", record_.name};
  }

  // Everything was discharged and the footer matched. What remains is whether it was asked.
  void conclude() {
    if (answer_.claim != question_.expected) {
      not_asked(std::string("the claim is ") + claim_names[static_cast<int>(answer_.claim)] + ", asked was " +
                claim_names[static_cast<int>(question_.expected)]);
    }
    Semantics wanted = question_.semantics;
    if (question_.default_semantics && !question_.any_semantics) {
      wanted = element_claim_;
    }
    const bool covers_real = answer_.claim != Claim::violated;  // a float proof holds over the reals too
    const bool same = answer_.semantics == wanted || (wanted == Semantics::real && covers_real);
    if (!same && !question_.any_semantics) {
      not_asked(std::string("the claim is about ") + semantics_name(answer_.semantics) + ", asked was " +
                semantics_name(wanted));
    }
    const bool empty = answer_.claim == Claim::bound ? answer_.bounds.empty() : property_->cases.empty();
    answer_.word = !answer_.reasons.empty() ? Word::not_asked : empty ? Word::vacuous : Word::valid;
    if (empty) answer_.reasons.push_back("the claim says nothing: there is no case and no bound");
  }
  Semantics element_claim_ = Semantics::fp32_any;
};

}  // namespace

const char* semantics_name(Semantics semantics) { return semantics_names[static_cast<int>(semantics)]; }

Answer check_certificate(const std::string& path, Question* question) { return Check(path, question).run(); }

}  // namespace outward_check
