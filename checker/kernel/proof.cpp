// Records of a proof one by one: see check.hpp and FORMAT.md sections 6 and 7.
#include <map>
#include <new>
#include <set>

#include "checker/kernel/check.hpp"

namespace outward_check {

namespace {

template <class U> class Ledger final : public Proof {
 public:
  Ledger(const Structure& structure, const Numerics& numerics, const Property& property, bool bound)
      : structure_(structure),
        nodes_(structure.graph.nodes),
        property_(property),
        is_bound_(bound),
        state_(structure, numerics),
        cases_of_box_(property.boxes.size()),
        refuted_(property.cases.size()) {
    for (std::uint32_t c = 0; c < property.cases.size(); ++c) {
      cases_of_box_[property.cases[c].box].push_back(c);
    }
  }

  void record(const Record& r) override {
    static constexpr struct {
      const char* name;
      void (Ledger::*rule)(const Record&);
    } rules[] = {
        {"box", &Ledger::box},         {"slopes", &Ledger::slopes},   {"step", &Ledger::step},
        {"refute", &Ledger::refute},   {"split", &Ledger::split},     {"close", &Ledger::close},
        {"crossed", &Ledger::crossed}, {"open", &Ledger::leave_open}, {"bound", &Ledger::bound}};
    if (r.name == "capsules" && scopes_.empty() && next_box_ == 0) return;  // no part of the proof
    require(!scopes_.empty() || r.name == "box", "sequence", "a box record or the footer", r.name);
    try {
      for (const auto& entry : rules) {
        if (r.name == entry.name) return (this->*entry.rule)(r);
      }
    } catch (const RuleFault& fault) {
      throw Rejection{r.name, "an applicable rule", fault.text};
    }
    throw Rejection{"sequence", "a record of a tree", r.name};
  }
  bool done() const override { return scopes_.empty() && next_box_ == property_.boxes.size(); }

 private:
  struct Scope {               // a whole box, or what a split made
    std::size_t changes = 0;   // mark of the state and
    std::uint64_t slopes = 0;  // the next id when the scope was opened
    std::uint32_t node = 0;
    std::uint64_t element = 0;
    Fraction at;
    bool second = false;   // in z <= at
    bool covered = false;  // a split of it is done: its executions are those of the halves
    std::set<std::uint32_t> first{};  // the cases that were refuted in z >= at
  };

  const Structure& structure_;
  const std::vector<Node>& nodes_;
  const Property& property_;
  const bool is_bound_;
  State<U> state_;
  std::vector<std::vector<std::uint32_t>> cases_of_box_;
  std::vector<std::size_t> refuted_;        // per case: 0 if open, else the depth of its refutation
  std::map<std::uint64_t, Slopes> slopes_;  // the visible ones by id
  std::vector<Scope> scopes_;               // the open ones, the box first
  std::uint64_t next_box_ = 0, next_slopes_ = 0, exact_work_ = 0;

  static Fraction exact(const Json& number) {  // the schema has made sure that it is one
    Fraction x;
    require(Fraction::parse(number.text, &x), "number", "m*2^e", number.text);
    return x;
  }
  std::uint32_t stored_node(std::uint64_t k) const {
    const bool good = k <= structure_.graph.output && structure_.stored[k];
    require(good, "node", "a stored node", k);
    return static_cast<std::uint32_t>(k);
  }
  std::uint64_t element(std::uint32_t node, std::uint64_t i) const {
    require(i < nodes_[node].size, "element", "an element of the node", i);
    return i;
  }
  SlopeSet chosen_slopes(const Record& r) const {
    SlopeSet set;
    for (const Json& id : r.at("slopes").items) {
      const auto at = slopes_.find(id.number);
      require(at != slopes_.end(), "slopes", "slopes of this scope", id.number);
      const Slopes& s = at->second;
      require(set.empty() || set.back()->node < s.node, "slopes", "increasing nodes", id.number);
      set.push_back(&s);
    }
    return set;
  }

  void box(const Record& r) {
    const std::uint64_t g = r.number("box");
    require(scopes_.empty(), "sequence", "the tree to be finished", g);
    require(g == next_box_ && g < property_.boxes.size(), "box", "the next box", g);
    slopes_.clear();
    state_.start(property_.boxes[g]);
    scopes_.emplace_back();
  }

  void slopes(const Record& r) {
    require(r.number("id") == next_slopes_, "slopes", "the next id", r.number("id"));
    Slopes s{next_slopes_, stored_node(r.number("node")), {}, {}};
    const Node& node = nodes_[s.node];
    const bool is_max = node.kind == Kind::max, is_clip = node.kind == Kind::clip;
    require(is_max || is_unary_piecewise(node.kind), "slopes", "a node that takes them", s.node);
    const std::uint64_t window = is_max ? static_cast<std::uint64_t>(node.ints[0]) : 1;
    const auto fill = [&](const char* key, std::uint64_t size, std::string* out) {
      bool good = parse_base64(r.text(key), out) && out->size() == size;
      for (char b : *out) good &= static_cast<unsigned char>(b) <= 128;
      require(good, "slopes", "as many bytes from 0 to 128 as the node needs, in base64", key);
    };
    fill("lower", node.size * window, &s.lower);
    fill("upper", is_clip ? node.size : 0, &s.upper);
    for (std::uint64_t i = 0; is_max && i < node.size; ++i) {
      unsigned sum = 0;
      for (char b : s.lower.substr(i * window, window)) sum += static_cast<unsigned char>(b);
      require(sum == 128, "slopes", "weights with sum 128", sum);
    }
    slopes_.emplace(next_slopes_++, std::move(s));
  }

  void step(const Record& r) {
    const std::uint32_t node = stored_node(r.number("node"));
    require(node != 0, "step", "a node other than the input", node);
    if (r.text("method") == "interval") return state_.interval(node);
    std::vector<std::uint64_t> lower, upper;
    require(parse_indices(r.text("lower"), nodes_[node].size, &lower), "step", "indices", "lower");
    require(parse_indices(r.text("upper"), nodes_[node].size, &upper), "step", "indices", "upper");
    state_.backward(node, lower, upper, chosen_slopes(r));
  }

  // Whether the form has a lower bound above limit (or, if ties_count, equal to it).
  void require_above(const LinearForm& form, const SlopeSet& set, const Fraction& limit,
                     bool ties_count, const char* rule) {
    const auto good = [&](const std::optional<Fraction>& b) {
      return b.has_value() && (limit < *b || (ties_count && limit == *b));
    };
    std::optional<Fraction> bound = state_.lower_bound(form, set);
    if (good(bound)) return;
    Rejection no{rule, "a lower bound above " + limit.text() + (ties_count ? " or equal" : ""), ""};
    no.found = bound ? "about " + std::to_string(bound->double_up()) : "no bound";
    const Fraction noise = Fraction::dyadic(1, -20);  // further below: not lost to rounding
    if (std::is_same_v<U, double> && bound && limit - noise < *bound) {
      exact_work_ += 8 * structure_.multiplications;
      no.undecided = exact_work_ > outward_check::limit(Limit::exact_work);
      if (no.undecided) no.found += ", not decided: " + limit_text(Limit::exact_work);
      if (!no.undecided) bound = state_.exact_lower_bound(form, set), ++exact_decisions;
      if (good(bound)) return;
    }
    throw no;
  }

  void refute(const Record& r) {
    require(!is_bound_, "sequence", "no refutation under claim bound", "refute");
    const std::uint64_t c = r.number("case");
    const bool known = c < refuted_.size() && property_.cases[c].box == next_box_;
    require(known, "refute", "a case of this box", c);
    const std::vector<Row>& rows = property_.cases[c].rows;
    const std::vector<Json>&chosen = r.at("rows").items, &lambda = r.at("lambda").items;
    require(chosen.size() == lambda.size(), "refute", "a multiplier per row", lambda.size());
    LinearForm form;
    bool strict = false, some = false;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::uint64_t row = chosen[i].number;
      const bool next = row < rows.size() && (i == 0 || chosen[i - 1].number < row);
      require(next, "refute", "increasing rows of the case", row);
      const Fraction factor = exact(lambda[i]);
      require(factor.sign() >= 0, "refute", "multipliers >= 0", lambda[i].text);
      if (factor.sign() == 0) continue;
      some = true, strict |= rows[row].strict;
      for (const auto& [j, a] : rows[row].terms) {
        form.terms[j] = form.terms[j] + factor * a;
      }
      form.constant = form.constant + factor * rows[row].constant;
    }
    require(some, "refute", "a positive multiplier", "none");
    for (const Json& m : r.at("ranges").items) {  // items: node, element, value
      const std::uint32_t k = stored_node(m.items[0].number);
      const Fraction value = exact(m.items[2]);
      require(value.sign() != 0, "refute", "a multiple that is not 0", "0");
      form.multiples.push_back({k, element(k, m.items[1].number), value});
    }
    require_above(form, chosen_slopes(r), Fraction(), strict, "refute");
    if (refuted_[c] == 0) refuted_[c] = scopes_.size();
  }

  void bound(const Record& r) {
    require(is_bound_, "sequence", "claim bound", "bound");
    const std::uint64_t j = r.number("output");
    const std::string& side = r.text("side");
    require(j < property_.outputs, "bound", "an output", j);
    require(side == "lower" || side == "upper", "bound", "lower or upper", side);
    Bound b{static_cast<std::uint32_t>(j), side == "lower", exact(r.at("value"))};
    LinearForm form;
    form.terms[j] = BigInt(b.is_lower ? 1 : -1);
    require_above(form, chosen_slopes(r), b.is_lower ? b.value : -b.value, true, "bound");
    bounds.push_back(std::move(b));
  }

  void split(const Record& r) {
    require(!is_bound_, "sequence", "no split under claim bound", "split");
    if (scopes_.size() > limit(Limit::tree_depth)) over(Limit::tree_depth, "more open splits");
    const std::uint32_t node = stored_node(r.number("node"));
    const std::uint64_t i = element(node, r.number("element"));
    scopes_.push_back({state_.mark(), next_slopes_, node, i, exact(r.at("at"))});
    state_.assume(node, i, scopes_.back().at, true);
  }

  void crossed(const Record& r) {
    const std::uint32_t node = stored_node(r.number("node"));
    const std::uint64_t i = element(node, r.number("element"));
    require(scopes_.size() > 1, "crossed", "a scope below a split", "the root");
    require(state_.crossed(node, i), "crossed", "lo > hi", "a range that may hold a point");
    end_scope_with_all();
  }
  // Not proved, and said to be so: the certificate is incomplete at best.
  void leave_open(const Record&) {
    ++open_scopes;
    end_scope_with_all();
  }
  void end_scope_with_all() {
    for (std::uint32_t c : cases_of_box_[next_box_]) {
      if (refuted_[c] == 0) refuted_[c] = scopes_.size();
    }
    end_scope();
  }

  void close(const Record&) {
    for (std::uint32_t c : cases_of_box_[next_box_]) {
      const bool good = scopes_.size() > 1 || is_bound_ || refuted_[c] != 0;
      require(good, "close", "every case refuted", c);
    }
    const std::string overflow = scopes_.back().covered ? "" : state_.overflow();
    require(overflow.empty(), "close", "overflow to be excluded", overflow);
    end_scope();
  }

  // Takes the scope back. After a first half the second one follows; after that the scope that was
  // split goes on, with what both halves refuted.
  void end_scope() {
    const std::size_t depth = scopes_.size() - 1;  // of the scope that was split
    if (depth == 0) {
      scopes_.clear(), ++next_box_;
      return;
    }
    Scope& s = scopes_.back();
    state_.undo(s.changes);
    slopes_.erase(slopes_.lower_bound(s.slopes), slopes_.end());
    for (std::uint32_t c : cases_of_box_[next_box_]) {
      if (refuted_[c] <= depth) continue;
      refuted_[c] = s.second && s.first.count(c) != 0 ? depth : 0;
      if (!s.second) s.first.insert(c);
    }
    if (!s.second) {
      s.second = true, s.covered = false;
      return state_.assume(s.node, s.element, s.at, false);
    }
    scopes_.pop_back();
    scopes_.back().covered = true;
  }
};

}  // namespace

std::unique_ptr<Proof> make_proof(const Structure& structure, const Numerics& numerics,
                                  const Property& property, bool bound_claim, bool exact) {
  if (exact) return std::make_unique<Ledger<Exact>>(structure, numerics, property, bound_claim);
  return std::make_unique<Ledger<double>>(structure, numerics, property, bound_claim);
}

}  // namespace outward_check
