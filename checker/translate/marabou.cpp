// Judging a Marabou proof: see marabou.hpp. The bounds in force are those of the query, tightened by the splits on the
// path to the current node and by the lemmas at its nodes, and restored when a node is left: nothing that holds below
// one child reaches its sibling. What a lemma or leaf shows is computed from its combination of rows; no printed
// result is believed. A lemma's bound with more than `kept_places` decimal places is rounded outward, which only
// weakens it and keeps hostile files from growing numbers without end.
#include "checker/translate/marabou.hpp"

#include <algorithm>
#include <optional>

#include "checker/readers/readers.hpp"
#include "checker/translate/marabou_proof.hpp"

namespace outward_check {

namespace {

constexpr unsigned kept_places = 600;

std::string at(const MarabouPlace& place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}
std::string x(std::uint32_t variable) { return "x" + std::to_string(variable); }

class Judge {
 public:
  explicit Judge(const MarabouProof& proof)
      : proof_(proof), lower_(proof.lower), upper_(proof.upper), sums_(proof.lower.size()), roles_(sums_.size()) {
    for (const auto& row : proof.rows)
      for (const MarabouTerm& t : row) row_places_ = std::max(row_places_, t.value.places);
    for (const auto& row : proof.rows) {
      rows_.emplace_back();
      for (const MarabouTerm& t : row) rows_.back().push_back(at_places(t.value, row_places_));
    }
    for (std::size_t i = 0; i < proof.relus.size(); ++i) {
      const MarabouRelu& r = proof.relus[i];
      roles_[r.b].push_back(i), roles_[r.f].push_back(i);
      if (r.has_aux) roles_[r.aux].push_back(i);
    }
  }

  // The first fault; empty if every leaf closes. Depth first without recursion.
  std::string fault() {
    struct Visit {
      std::uint32_t node;
      std::size_t undo;  // the length of the trail to go back to first
    };
    if (!proof_.nodes[0].split.empty()) return at(proof_.nodes[0].place) + "the root has a split";
    std::vector<Visit> open = {{0, 0}};
    while (!open.empty()) {
      const Visit visit = open.back();
      open.pop_back();
      go_back(visit.undo);
      const MarabouNode& node = proof_.nodes[visit.node];
      for (const MarabouBound& s : node.split) tighten(s.variable, s.upper, s.value);
      for (const MarabouLemma& l : node.lemmas)
        if (const std::string fault = learn(l); !fault.empty()) return at(l.place) + fault;
      if (const std::string fault = end(node); !fault.empty()) return at(node.place) + fault;
      for (std::uint32_t i = node.child_count; i-- > 0;) open.push_back({node.first_child + i, trail_.size()});
    }
    return "";
  }

  std::size_t leaves = 0, lemmas = 0;
  std::optional<Decimal> worst;  // the largest supremum of a leaf

 private:
  struct Change {
    std::uint32_t variable;
    bool upper;
    Decimal before;
  };

  const MarabouProof& proof_;
  std::vector<Decimal> lower_, upper_;
  std::vector<std::vector<BigInt>> rows_;  // times 10^row_places_
  unsigned row_places_ = 0;
  std::vector<BigInt> sums_;  // of the combination at hand; zero outside touched_
  std::vector<std::uint32_t> touched_;
  std::vector<std::vector<std::size_t>> roles_;  // per variable, the ReLUs it belongs to
  std::vector<Change> trail_;
  std::uint64_t work_ = 0;

  std::vector<Decimal>& side(bool upper) { return upper ? upper_ : lower_; }

  void tighten(std::uint32_t variable, bool upper, const Decimal& value) {
    Decimal& bound = side(upper)[variable];
    const auto order = compare(value, bound);
    if (upper ? order >= 0 : order <= 0) return;
    trail_.push_back({variable, upper, std::move(bound)});
    bound = value;
  }

  void go_back(std::size_t length) {
    for (; trail_.size() > length; trail_.pop_back())
      side(trail_.back().upper)[trail_.back().variable] = std::move(trail_.back().before);
  }

  // The supremum (upper) or infimum over the current bounds of the combination of rows, plus one variable if given.
  Decimal extreme(const std::vector<MarabouTerm>& combination, std::optional<std::uint32_t> plus, bool upper) {
    unsigned places = 0;
    for (const MarabouTerm& t : combination) places = std::max(places, t.value.places);
    touched_.clear();
    const auto add = [&](std::uint32_t variable, const BigInt& value) {
      if (sums_[variable].sign() == 0) touched_.push_back(variable);
      sums_[variable] += value;
    };
    const std::uint64_t weight = 1 + (row_places_ + places) / 64;
    for (const MarabouTerm& t : combination) {
      const BigInt factor = at_places(t.value, places);
      const std::vector<BigInt>& row = rows_[t.index];
      spend(weight * row.size());
      for (std::size_t i = 0; i < row.size(); ++i) add(proof_.rows[t.index][i].index, factor * row[i]);
    }
    places += row_places_;
    if (plus) add(*plus, power_of_ten(places));
    spend(weight * touched_.size());
    Decimal total;
    for (std::uint32_t v : touched_) {  // a variable may occur twice; the second time its sum is already 0
      BigInt& sum = sums_[v];
      if (sum.sign() != 0) total = total + Decimal{sum, places} * side(upper == (sum.sign() > 0))[v];
      sum = BigInt();
    }
    return total;
  }

  void spend(std::uint64_t terms) {
    work_ += terms;
    if (work_ > limit(Limit::proof_work)) over(Limit::proof_work, "the proof takes more exact arithmetic");
  }

  // A lemma: its explanation bounds the cause, a rule of one ReLU turns that into a bound of the affected variable.
  std::string learn(const MarabouLemma& lemma) {
    const Decimal cause = extreme(lemma.explanation, lemma.cause, lemma.cause_upper);
    for (std::size_t i : roles_[lemma.cause]) {
      const std::optional<Decimal> bound = consequence(proof_.relus[i], lemma, cause);
      if (!bound) continue;
      tighten(lemma.affected, lemma.affected_upper, rounded(*bound, kept_places, lemma.affected_upper));
      ++lemmas;
      return "";
    }
    return std::string("no rule of a ReLU derives ") + (lemma.affected_upper ? "an upper" : "a lower") + " bound of " +
           x(lemma.affected) + " from " + x(lemma.cause) + (lemma.cause_upper ? " <= " : " >= ") + about(cause);
  }

  // The rules of f = max(b, 0), aux = f - b (so f, aux >= 0 and one of them is 0).
  static std::optional<Decimal> consequence(const MarabouRelu& r, const MarabouLemma& lemma, const Decimal& cause) {
    const auto is = [&](std::uint32_t from, bool from_upper, std::uint32_t to, bool to_upper) {
      return lemma.cause == from && lemma.cause_upper == from_upper && lemma.affected == to &&
             lemma.affected_upper == to_upper;
    };
    const bool positive = cause.m.sign() > 0;
    if (is(r.b, true, r.f, true)) return positive ? cause : Decimal{};
    if (is(r.f, true, r.b, true)) return cause;
    if (!r.has_aux) return std::nullopt;
    const Decimal opposite{-cause.m, cause.places};
    if (is(r.b, false, r.aux, true)) return positive ? Decimal{} : opposite;
    if (is(r.aux, true, r.b, false)) return opposite;
    if (is(r.f, false, r.aux, true) && positive) return Decimal{};
    if (is(r.aux, false, r.f, true) && positive) return Decimal{};
    return std::nullopt;
  }

  std::string end(const MarabouNode& node) {
    if (node.end == MarabouNode::End::nothing)
      return "neither children nor a contradiction: nothing shows that it closes";
    if (node.end == MarabouNode::End::children)
      return covers(node) ? "" : "the children are not known to cover the node";
    ++leaves;
    if (node.end == MarabouNode::End::crossing) {
      const Decimal &lo = lower_[node.crossing], &hi = upper_[node.crossing];
      if (compare(hi, lo) < 0) return "";
      return "the bounds of " + x(node.crossing) + " do not cross: [" + about(lo) + ", " + about(hi) + "]";
    }
    const Decimal top = extreme(node.combination, std::nullopt, true);
    if (top.m.sign() >= 0)
      return "the leaf does not close: its combination reaches " + about(top) + ", must be below 0";
    if (!worst || compare(top, *worst) > 0) worst = top;
    return "";
  }

  // v >= c | v <= c, or b >= 0 [, aux <= 0] | b <= 0 [, f <= 0] of one ReLU; in either order.
  bool covers(const MarabouNode& node) const {
    if (node.child_count != 2) return false;
    const auto& first = proof_.nodes[node.first_child].split;
    const auto& second = proof_.nodes[node.first_child + 1].split;
    if (first.size() == 1 && second.size() == 1)
      return first[0].variable == second[0].variable && first[0].upper != second[0].upper &&
             compare(first[0].value, second[0].value) == 0;
    for (const MarabouBound& bound : first) {
      for (std::size_t i : roles_[bound.variable]) {
        const MarabouRelu& r = proof_.relus[i];
        if ((is_active(first, r) && is_inactive(second, r)) || (is_active(second, r) && is_inactive(first, r)))
          return true;
      }
    }
    return false;
  }
  static bool is_active(const std::vector<MarabouBound>& split, const MarabouRelu& r) {
    return is_phase(split, {r.b, false, {}}, {r.aux, true, {}}, r.has_aux);
  }
  static bool is_inactive(const std::vector<MarabouBound>& split, const MarabouRelu& r) {
    return is_phase(split, {r.b, true, {}}, {r.f, true, {}}, true);
  }
  // The split is `needed`, alone or with `implied`.
  static bool is_phase(const std::vector<MarabouBound>& split, const MarabouBound& needed, const MarabouBound& implied,
                       bool may_imply) {
    const auto equal = [](const MarabouBound& a, const MarabouBound& b) {
      return a.variable == b.variable && a.upper == b.upper && compare(a.value, b.value) == 0;
    };
    return std::any_of(split.begin(), split.end(), [&](const MarabouBound& s) { return equal(s, needed); }) &&
           std::all_of(split.begin(), split.end(),
                       [&](const MarabouBound& s) { return equal(s, needed) || (may_imply && equal(s, implied)); });
  }
};

// Some row says f - b - aux = t, up to a factor, where t is absent or a variable fixed at 0.
bool row_defines_aux(const MarabouProof& proof, const MarabouRelu& r) {
  for (const auto& row : proof.rows) {
    Decimal b, f, aux;
    bool good = true;
    for (const MarabouTerm& t : row) {
      if (t.index == r.b) {
        b = t.value;
      } else if (t.index == r.f) {
        f = t.value;
      } else if (t.index == r.aux) {
        aux = t.value;
      } else {
        good &= proof.lower[t.index].m.sign() == 0 && proof.upper[t.index].m.sign() == 0;
      }
    }
    if (good && f.m.sign() != 0 && compare(b, aux) == 0 && compare({-f.m, f.places}, b) == 0) return true;
  }
  return false;
}

}  // namespace

bool is_marabou_proof(const JsonText& document) {
  return document.is(JsonKind::object) && document.find("proof") != nullptr &&
         (document.find("tableau") != nullptr || document.find("upperBounds") != nullptr);
}

Judgement judge_marabou(const JsonText& document, const ForeignOptions&) {
  const MarabouProof proof = read_marabou(document);
  Judgement j;
  j.statement = "the query it prints (" + std::to_string(proof.lower.size()) + " variables between bounds, " +
                std::to_string(proof.rows.size()) + " rows sum = 0, " + std::to_string(proof.relus.size()) +
                " ReLU constraints f = max(b, 0), aux = f - b) has no solution over the reals";
  Judge judge(proof);
  if (const std::string fault = judge.fault(); !fault.empty()) {
    j.reasons.push_back(fault);
    return j;
  }
  j.accepted = true;
  j.established.push_back("the query has no solution: " + std::to_string(judge.leaves) +
                          " leaves cover it and close, " + std::to_string(judge.lemmas) + " lemmas recomputed" +
                          (judge.worst ? ", the weakest leaf reaches " + about(*judge.worst) + " < 0" : "") +
                          " (exact arithmetic, tolerance 0)");
  j.not_established.push_back(
      "that the query encodes a given network, input box or property: it is what the solver printed after its own "
      "preprocessing, in rounded decimals");
  for (const MarabouRelu& r : proof.relus)
    if (r.has_aux && !row_defines_aux(proof, r))
      j.not_established.push_back(x(r.aux) + " = " + x(r.f) + " - " + x(r.b) +
                                  ": no row says so, it is the meaning of the constraint's third variable");
  for (std::uint32_t v = 0; v < proof.lower.size(); ++v) {
    if (compare(proof.lower[v], proof.upper[v]) <= 0) continue;
    j.not_established.push_back("that the query is not empty to begin with: the printed bounds of " + x(v) + " cross");
    break;
  }
  return j;
}

}  // namespace outward_check
