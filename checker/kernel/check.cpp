// From the first record to the verdict: see check.hpp. The answer starts as INVALID and becomes
// VALID at one place only, after the footer.
#include "checker/kernel/check.hpp"

#include <algorithm>
#include <cmath>

namespace outward_check {

namespace {

template <class E, std::size_t N>
E parse_name(const char* const (&names)[N], const std::string& text) {
  const auto at = std::find(std::begin(names), std::end(names), text);
  if (at != std::end(names)) return static_cast<E>(at - std::begin(names));
  throw ReadError(ReadError::Class::unsupported, "header: unknown \"" + text + "\"");
}

class Check {
 public:
  Check(const std::string& path, Question* question) : question_(*question), reader_(path) {}

  Answer run() {
    try {
      follow();
    } catch (const Rejection& r) {
      answer_.word = r.undecided ? Word::incomplete : Word::invalid;
      answer_.record = record_.name, answer_.rule = r.rule;
      answer_.reasons.push_back("expected " + r.expected + ", found " + r.found);
    } catch (const FooterFault& f) {
      answer_.word = Word::invalid, answer_.reasons.push_back(f.text);
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

  std::string text(const char* key) const { return record_.text(key); }
  void expect(const char* name) {
    const bool more = reader_.next(&record_);
    if (!more || record_.name != name) throw Rejection{"sequence", name, record_.name};
  }
  void not_asked(const std::string& reason) { answer_.reasons.push_back(reason); }

  void follow() {
    expect("header");
    if (record_.number("version") != 3) {
      throw ReadError(ReadError::Class::unsupported, "header: expected certificate version 3");
    }
    answer_.claim = parse_name<Claim>(claim_names, text("claim"));
    answer_.semantics = parse_name<Semantics>(semantics_names, text("semantics"));
    expect("model");
    const ModelRead* model = question_.model(record_);
    if (model == nullptr) return read_on("--model FILE or --root DIR is needed");
    const auto native = model->graph.is_binary64 ? Semantics::fp64_any : Semantics::fp32_any;
    const bool capsule = answer_.semantics == Semantics::capsule;
    const bool fits = answer_.semantics == Semantics::real || answer_.semantics == native;
    require(fits || (capsule && answer_.claim != Claim::violated), "semantics",
            "the element type's, or capsule for what all executions share", text("element"));
    const Structure structure(model->graph);
    expect("property");
    choose_property(model->graph);
    if (property_ == nullptr) return read_on("nothing is proved without the property");
    compare_property(model->graph);
    expect("numerics");
    const Numerics numerics = read_numerics(model->graph.is_binary64);
    if (answer_.claim == Claim::violated) {
      follow_point(structure);
    } else {
      const auto proof = make_proof(structure, numerics, *property_, answer_.claim == Claim::bound,
                                    question_.exact);
      while (reader_.next(&record_)) proof->record(record_);
      if (!proof->done()) throw Rejection{"ledger", "every box and scope closed", "the footer"};
      if (const std::uint64_t n = proof->open_scopes; n > 0)
        throw Rejection{"ledger", "every scope proved", std::to_string(n) + " left open", true};
      answer_.bounds = proof->bounds, answer_.exact_decisions = proof->exact_decisions;
    }
    conclude(native);
  }
  // Nothing to compare with: only the form of the file is checked.
  void read_on(const std::string& reason) {
    while (reader_.next(&record_)) continue;
    answer_.word = Word::not_asked;
    not_asked(reason);
  }

  // The property asked if the certificate is about it, else the one it states, if that can be read.
  void choose_property(const Graph& graph) {
    const Property* asked = question_.asked(graph);
    const Property* stated = question_.stated(record_, graph);
    const bool is_asked = asked != nullptr && question_.states(record_, *asked);
    property_ = is_asked ? asked : stated;
    if (asked == nullptr) not_asked("no property was given, so none was asked");
    if (asked != nullptr && !is_asked) not_asked("the certificate is about another property");
  }
  void compare_property(const Graph& graph) {
    const Property& p = *property_;
    bool fits = p.bound_only == (answer_.claim == Claim::bound);
    fits &= p.inputs == graph.nodes[0].size && p.outputs == graph.nodes[graph.output].size;
    if (!fits) throw Rejection{"property", "one that fits the claim and the model", "another"};
  }
  // The figures of section 3 from the words of the record. What the words may be follows from the
  // claim and the element type; the policies of capsules choose some.
  Numerics read_numerics(bool is_binary64) {
    static constexpr struct {
      const char* name;
      int precision, least, greatest;  // exponents of normal numbers
    } formats[] = {{"binary32", 24, -126, 127},
                   {"binary64", 53, -1022, 1023},
                   {"tf32", 11, -126, 127},
                   {"bfloat16", 8, -126, 127},
                   {"binary16", 11, -14, 15}};
    Numerics n{answer_.semantics};
    const auto &own = formats[is_binary64], *operand = &own;
    const bool capsule = n.semantics == Semantics::capsule, real = n.semantics == Semantics::real;
    const bool steps = capsule && text("rounding") == "any";
    const bool flushes = capsule && text("subnormals") == "flush";
    std::string format = own.name, &found = answer_.numerics;
    for (const auto& f : formats) {
      const std::string rounded = std::string(own.name) + " operands=" + f.name;
      if (capsule && &f - formats > 1 && text("format") == rounded) operand = &f, format = rounded;
    }
    for (const Json& value : record_.fields.items) found += value.text + " ";
    const std::string expected = real ? "real exact exact exact exact "
                                      : format + (steps ? " any " : " nearest_even ") +
                                            (flushes ? "flush any any " : "gradual any any ");
    require(found == expected, "numerics", expected, found);
    if (real) return n;
    const double twice = steps ? 2 : 1;  // of half a distance of neighbours
    const auto spacing = [&](const auto& f) {
      return twice * std::ldexp(1, f.least + 1 - f.precision);
    };
    n.unit = twice * std::ldexp(1, -own.precision), n.underflow = spacing(own);
    n.overflow = std::ldexp(1, std::min(own.greatest, operand->greatest));
    if (flushes) n.flushed = std::ldexp(1, std::max(own.least, operand->least));
    if (operand == &own) return n;
    n.operand_unit = twice * std::ldexp(1, -operand->precision),
    n.operand_underflow = spacing(*operand);
    return n;
  }

  void follow_point(const Structure& structure) {
    expect("point");
    const std::uint64_t c = record_.number("case");
    if (c >= property_->cases.size()) throw Rejection{"point", "a case", std::to_string(c)};
    std::vector<Fraction> x;
    for (const Json& v : record_.at("values").items) {
      x.emplace_back();
      if (!parse_decimal(v.text, &x.back())) throw Rejection{"point", "a decimal", v.text};
    }
    require(x.size() == property_->inputs, "point", "a value for every input", x.size());
    const auto kind = static_cast<Execution>(answer_.semantics);  // in the same order
    const Witness w = check_witness(structure, *property_, c, c + 1, x, kind);
    answer_.notes = w.notes;
    if (!w.proved) throw Rejection{"point", "a counterexample", w.reason};
    if (reader_.next(&record_)) throw Rejection{"sequence", "the footer", record_.name};
  }

  // Everything is discharged and the footer matched. What remains is whether it was asked.
  void conclude(Semantics of_element_type) {
    const Semantics wanted = question_.default_semantics ? of_element_type : question_.semantics;
    // Error boxes of policies contain those of the element type's claim, and all contain 0.
    const bool capsule = answer_.semantics == Semantics::capsule;
    const bool weaker = wanted == Semantics::real || (capsule && wanted == of_element_type);
    const bool follows = weaker && answer_.claim != Claim::violated;
    if (answer_.claim != question_.expected) {
      not_asked(std::string("the claim is ") + claim_names[static_cast<int>(answer_.claim)] +
                ", asked was " + claim_names[static_cast<int>(question_.expected)]);
    }
    if (!question_.any_semantics && answer_.semantics != wanted && !follows) {
      not_asked(std::string("the claim is about ") +
                semantics_names[static_cast<int>(answer_.semantics)] + ", asked was " +
                semantics_names[static_cast<int>(wanted)]);
    }
    const bool is_bound = answer_.claim == Claim::bound;
    const bool empty = is_bound ? answer_.bounds.empty() : property_->cases.empty();
    answer_.word = !answer_.reasons.empty() ? Word::not_asked : empty ? Word::vacuous : Word::valid;
    if (empty) answer_.reasons.push_back("the claim says nothing: it has no case and no bound");
  }
};

}  // namespace

void require(bool good, const char* rule, const std::string& expected, const std::string& found) {
  if (!good) throw Rejection{rule, expected, found};
}
void require(bool good, const char* rule, const std::string& expected, std::uint64_t found) {
  require(good, rule, expected, std::to_string(found));
}

Answer check_certificate(const std::string& path, Question* question) {
  return Check(path, question).run();
}

}  // namespace outward_check
