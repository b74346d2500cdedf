// Records of a proof one by one: see check.hpp and FORMAT.md sections 6 and 7.
#include <algorithm>
#include <new>

#include "checker/kernel/check.hpp"

namespace outward_check {

namespace {

constexpr std::size_t max_depth = 10000;
constexpr std::uint64_t exact_budget = 400'000'000;  // multiplications spent on exact decisions

template <class U>
class Ledger final : public Proof {
 public:
  Ledger(const Structure& structure, Semantics semantics, const Property& property, bool bound)
      : structure_(structure), property_(property), is_bound_(bound), state_(structure, semantics) {
    cases_of_box_.resize(property.boxes.size());
    refuted_.resize(property.cases.size());
    for (std::uint32_t c = 0; c < property.cases.size(); ++c) {
      cases_of_box_[property.cases[c].box].push_back(c);
    }
  }

  void record(const Record& r) override {
    static constexpr struct {
      const char* name;
      void (Ledger::*rule)(const Record&);
    } rules[] = {{"box", &Ledger::box},       {"slopes", &Ledger::slopes},
                 {"step", &Ledger::step},     {"refute", &Ledger::refute},
                 {"split", &Ledger::split},   {"close", &Ledger::close},
                 {"crossed", &Ledger::crossed}, {"bound", &Ledger::bound}};
    require(open_ || r.name == "box", "sequence", "a box record or the footer", r.name);
    try {
      for (const auto& entry : rules) {
        if (r.name == entry.name) return (this->*entry.rule)(r);
      }
    } catch (const RuleFault& fault) {
      throw Rejection{r.name, "an applicable rule", fault.text};
    }
    throw Rejection{"sequence", "a record of a tree", r.name};
  }
  bool done() const override { return !open_ && next_box_ == property_.boxes.size(); }
  const std::vector<Bound>& bounds() const override { return bounds_; }
  std::uint64_t exact_decisions() const override { return exact_decisions_; }

 private:
  struct Scope {
    std::size_t changes, slopes, refutations;  // sizes when the scope was opened
    std::uint32_t node;
    std::uint64_t element;
    Dyadic at;
    bool second = false;  // in z <= at
  };

  const Structure& structure_;
  const Property& property_;
  const bool is_bound_;
  State<U> state_;
  std::vector<std::vector<std::uint32_t>> cases_of_box_;
  std::vector<std::uint8_t> refuted_;       // per case, in the current scope
  std::vector<std::uint32_t> refutations_;  // the refuted cases, in order
  std::vector<std::unique_ptr<Slopes>> slopes_;  // visible ones, increasing ids
  std::vector<Scope> scopes_;
  std::vector<Bound> bounds_;
  std::uint64_t next_box_ = 0, next_slopes_ = 0, exact_decisions_ = 0, exact_work_ = 0;
  bool open_ = false;  // inside a tree

  static void require(bool good, const char* rule, const std::string& expected,
                      const std::string& found) {
    if (!good) throw Rejection{rule, expected, found};
  }
  static std::string text(std::uint64_t n) { return std::to_string(n); }
  std::uint32_t stored_node(const Record& r) const {
    const std::uint64_t k = r.number("node");
    const bool good = k < structure_.graph.nodes.size() && structure_.stored[k];
    require(good, "node", "a stored node", text(k));
    return static_cast<std::uint32_t>(k);
  }
  std::uint64_t element(const Record& r, std::uint32_t node) const {
    const std::uint64_t i = r.number("element"), n = structure_.graph.nodes[node].size;
    require(i < n, "element", "an element below " + text(n), text(i));
    return i;
  }
  SlopeSet chosen_slopes(const Record& r) const {
    SlopeSet set;
    for (const Json& id : r.at("slopes").items) {
      const auto at = std::lower_bound(slopes_.begin(), slopes_.end(), id.number,
                                       [](const auto& s, std::uint64_t n) { return s->id < n; });
      const bool known = at != slopes_.end() && (*at)->id == id.number;
      require(known, "slopes", "slopes of this scope", text(id.number));
      const bool increasing = set.empty() || set.back()->node < (*at)->node;
      require(increasing, "slopes", "increasing nodes", "id " + text(id.number));
      set.push_back(at->get());
    }
    return set;
  }

  void box(const Record& r) {
    require(!open_, "sequence", "the tree to be finished", "a box record");
    const std::uint64_t count = property_.boxes.size();
    require(r.number("box") == next_box_ && next_box_ < count, "box",
            "box " + text(next_box_) + " of " + text(count), "box " + text(r.number("box")));
    withdraw(0), slopes_.clear();
    state_.start(property_.boxes[next_box_]);
    open_ = true;
  }

  void slopes(const Record& r) {
    auto s = std::make_unique<Slopes>();
    s->id = r.number("id"), s->node = stored_node(r);
    require(s->id == next_slopes_, "slopes", "id " + text(next_slopes_), text(s->id));
    const Node& node = structure_.graph.nodes[s->node];
    const bool is_max = node.kind == Kind::max, is_clip = node.kind == Kind::clip;
    const bool takes = is_max || is_unary_piecewise(node.kind);
    require(takes, "slopes", "relu, leaky, clip, abs or max", "node " + text(s->node));
    const std::uint64_t window = is_max ? static_cast<std::uint64_t>(node.ints[0]) : 1;
    const auto fill = [&](const char* key, std::uint64_t size, std::string* out) {
      bool good = parse_base64(r.text(key), out) && out->size() == size;
      for (char b : *out) good &= static_cast<unsigned char>(b) <= 128;
      require(good, "slopes", text(size) + " bytes from 0 to 128 in base64", key);
    };
    fill("lower", node.size * window, &s->lower);
    fill("upper", is_clip ? node.size : 0, &s->upper);
    for (std::uint64_t i = 0; is_max && i < node.size; ++i) {
      unsigned sum = 0;
      for (std::uint64_t j = i * window; j < (i + 1) * window; ++j) {
        sum += static_cast<unsigned char>(s->lower[j]);
      }
      require(sum == 128, "slopes", "weights with sum 128", text(sum));
    }
    ++next_slopes_;
    slopes_.push_back(std::move(s));
  }

  void step(const Record& r) {
    const std::uint32_t node = stored_node(r);
    require(node != 0, "step", "a node other than the input", "node 0");
    if (r.text("method") == "interval") return state_.interval(node);
    std::vector<std::uint64_t> lower, upper;
    const std::uint64_t size = structure_.graph.nodes[node].size;
    require(parse_indices(r.text("lower"), size, &lower), "step", "indices", r.text("lower"));
    require(parse_indices(r.text("upper"), size, &upper), "step", "indices", r.text("upper"));
    state_.backward(node, lower, upper, chosen_slopes(r));
  }

  // Whether the form has a lower bound above limit (or, if ties_count, equal to it).
  void require_above(const LinearForm& form, const SlopeSet& set, const Dyadic& limit,
                     bool ties_count, const char* rule) {
    const auto good = [&](const std::optional<Dyadic>& b) {
      return b.has_value() && (limit < *b || (ties_count && limit == *b));
    };
    std::optional<Dyadic> bound = state_.lower_bound(form, set);
    if (good(bound)) return;
    Rejection no{rule, "a lower bound above " + limit.text() + (ties_count ? " or equal" : ""), ""};
    no.found = bound ? "about " + std::to_string(bound->double_up()) : "no bound";
    const Dyadic noise(1, -20);  // what is further below the limit was not lost to rounding
    if (std::is_same_v<U, double> && bound && limit - noise < *bound) {
      exact_work_ += 8 * structure_.multiplications;
      no.undecided = exact_work_ > exact_budget;
      if (!no.undecided) bound = state_.exact_lower_bound(form, set), ++exact_decisions_;
      if (good(bound)) return;
    }
    throw no;
  }

  void refute(const Record& r) {
    require(!is_bound_, "sequence", "no refutation under claim bound", "refute");
    const std::uint64_t c = r.number("case");
    const bool known = c < refuted_.size() && property_.cases[c].box == next_box_;
    require(known, "refute", "a case of box " + text(next_box_), "case " + text(c));
    const std::vector<Row>& rows = property_.cases[c].rows;
    const std::vector<Json>&chosen = r.at("rows").items, &lambda = r.at("lambda").items;
    require(chosen.size() == lambda.size(), "refute", "a multiplier per row", text(lambda.size()));
    LinearForm form;
    bool strict = false, some = false;
    std::vector<Dyadic> total(property_.outputs);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::uint64_t row = chosen[i].number;
      const bool next = row < rows.size() && (i == 0 || chosen[i - 1].number < row);
      require(next, "refute", "increasing rows below " + text(rows.size()), "row " + text(row));
      Dyadic factor;
      Dyadic::parse(lambda[i].text, &factor);
      require(factor.sign() >= 0, "refute", "multipliers >= 0", lambda[i].text);
      if (factor.sign() == 0) continue;
      some = true, strict |= rows[row].strict;
      for (const auto& [j, a] : rows[row].terms) total[j] = total[j] + factor * Dyadic(a, 0);
      form.constant = form.constant + factor * Dyadic(rows[row].constant, 0);
    }
    require(some, "refute", "a positive multiplier", "none");
    for (std::size_t j = 0; j < total.size(); ++j) {
      if (total[j].sign() != 0) form.terms.emplace_back(j, total[j]);
    }
    require_above(form, chosen_slopes(r), Dyadic(), strict, "refute");
    if (refuted_[c]) return;
    refuted_[c] = 1;
    refutations_.push_back(static_cast<std::uint32_t>(c));
  }

  void bound(const Record& r) {
    require(is_bound_, "sequence", "claim bound", "bound");
    const std::uint64_t j = r.number("output");
    const std::string& side = r.text("side");
    require(j < property_.outputs, "bound", "an output", text(j));
    require(side == "lower" || side == "upper", "bound", "lower or upper", side);
    Bound b{static_cast<std::uint32_t>(j), side == "lower", {}};
    Dyadic::parse(r.text("value"), &b.value);
    LinearForm form;
    form.terms.emplace_back(j, Dyadic(b.is_lower ? 1 : -1, 0));
    require_above(form, chosen_slopes(r), b.is_lower ? b.value : -b.value, true, "bound");
    bounds_.push_back(std::move(b));
  }

  void split(const Record& r) {
    require(!is_bound_, "sequence", "no split under claim bound", "split");
    if (scopes_.size() == max_depth) throw std::bad_alloc();
    Scope s{state_.mark(), slopes_.size(), refutations_.size(), stored_node(r), 0, {}};
    s.element = element(r, s.node);
    Dyadic::parse(r.text("at"), &s.at);
    state_.assume(s.node, s.element, s.at, true);
    scopes_.push_back(std::move(s));
  }

  void crossed(const Record& r) {
    const std::uint32_t node = stored_node(r);
    const std::uint64_t i = element(r, node);
    require(!scopes_.empty(), "crossed", "a scope below a split", "the root");
    require(state_.crossed(node, i), "crossed", "lo > hi", "a range that may hold a point");
    end_tree();
  }

  void close(const Record&) {
    for (std::uint32_t c : cases_of_box_[next_box_]) {
      require(refuted_[c] || is_bound_, "close", "case " + text(c) + " refuted", "it is open");
    }
    const std::string overflow = state_.overflow();
    require(overflow.empty(), "close", "overflow to be excluded", overflow);
    end_tree();
  }

  void withdraw(std::size_t left) {
    for (; refutations_.size() > left; refutations_.pop_back()) refuted_[refutations_.back()] = 0;
  }
  // The current tree is proved: take its scope back and go on with the other half, or upward.
  void end_tree() {
    for (; !scopes_.empty(); scopes_.pop_back()) {
      Scope& s = scopes_.back();
      state_.undo(s.changes);
      slopes_.resize(s.slopes);
      withdraw(s.refutations);
      if (s.second) continue;
      s.second = true;
      return state_.assume(s.node, s.element, s.at, false);
    }
    open_ = false, ++next_box_;
  }
};

}  // namespace

std::unique_ptr<Proof> make_proof(const Structure& structure, Semantics semantics,
                                  const Property& property, bool bound_claim, bool exact) {
  if (exact) return std::make_unique<Ledger<Exact>>(structure, semantics, property, bound_claim);
  return std::make_unique<Ledger<double>>(structure, semantics, property, bound_claim);
}

}  // namespace outward_check
