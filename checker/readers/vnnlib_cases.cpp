// From the parsed assertions to boxes and cases. Assumes that every column below inputs + outputs is declared. Promises
// the cases of FORMAT.md section 4 in its order, at a cost per case that depends on the atoms of the chosen
// alternatives, not on the number of inputs.
#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "checker/readers/vnnlib.hpp"

namespace outward_check {

namespace {

using Kind = Atom::Kind;

struct Slot {
  const Fraction *lo = nullptr, *hi = nullptr;
  bool lo_strict = false, hi_strict = false;
  bool complete() const { return lo && hi; }
  bool operator==(const Slot&) const = default;
};

class Expansion {
 public:
  Expansion(Assertions given, const std::string& name, std::uint64_t inputs, std::uint64_t outputs)
      : given_(std::move(given)), name_(name), slots_(inputs + outputs), stamps_(inputs + outputs) {
    property_.inputs = inputs, property_.outputs = outputs;
  }

  Property run() {
    for (const Formula& part : given_.all.parts) {
      if (part.parts.empty()) apply(part, 0, &common_rows_);
    }
    std::erase_if(given_.all.parts, [](const Formula& part) { return part.parts.empty(); });
    const bool common_empty = empty_;
    base_ = slots_;
    for (std::size_t i = 0; i < property_.inputs; ++i) missing_ += !base_[i].complete();
    for (std::uint64_t number = 0; number < given_.all.cases; ++number) {
      ++stamp_, touched_.clear(), own_rows_.clear();
      empty_ = common_empty;
      apply(given_.all, number, &own_rows_);
      check_complete();
      empty_ ? void(++property_.dropped) : add_case();
      for (std::uint32_t column : touched_) slots_[column] = base_[column];
    }
    property_.vacuous = property_.cases.empty();
    return std::move(property_);
  }

 private:
  // The atoms of one case of the formula, in file order.
  void apply(const Formula& f, std::uint64_t number, std::vector<std::uint32_t>* rows) {
    visits_ += 1 + f.last - f.first;
    if (visits_ > limit(Limit::case_work)) over_limit(Limit::case_work);
    if (f.is_or) {
      const auto after = [](std::uint64_t n, const Formula& part) { return n < part.before; };
      const Formula& part = *std::prev(std::upper_bound(f.parts.begin(), f.parts.end(), number, after));
      return apply(part, number - part.before, rows);
    }
    std::uint64_t later = f.cases;  // of the parts behind, which vary faster
    for (const Formula& part : f.parts) {
      later /= part.cases;
      apply(part, number / later % part.cases, rows);
    }
    for (std::uint32_t a = f.first; a < f.last; ++a) {
      const Atom& atom = given_.atoms[a];
      if (atom.kind == Kind::row) rows->push_back(atom.index);
      if (atom.kind == Kind::never) empty_ = true;
      if (atom.kind == Kind::lower || atom.kind == Kind::upper) tighten(atom);
    }
  }

  // The greatest lower and the least upper bound count, a strict one before an equal other.
  void tighten(const Atom& atom) {
    Slot& slot = slots_[atom.index];
    if (stamps_[atom.index] != stamp_) stamps_[atom.index] = stamp_, touched_.push_back(atom.index);
    const bool upper = atom.kind == Kind::upper;
    const Fraction*& end = upper ? slot.hi : slot.lo;
    bool& strict = upper ? slot.hi_strict : slot.lo_strict;
    const int order = !end ? 1 : Fraction::compare(*atom.value, *end) * (upper ? -1 : 1);
    if (order > 0) end = atom.value, strict = atom.strict;
    if (order == 0) strict = strict || atom.strict;
    if (!slot.complete()) return;
    const int gap = Fraction::compare(*slot.lo, *slot.hi);
    if (gap > 0 || (gap == 0 && (slot.lo_strict || slot.hi_strict))) empty_ = true;
  }

  void check_complete() const {
    std::uint64_t missing = missing_;
    for (std::uint32_t c : touched_) {
      missing -= c < property_.inputs && !base_[c].complete() && slots_[c].complete();
    }
    if (missing == 0) return;
    std::size_t i = 0;
    while (slots_[i].complete()) ++i;
    throw ReadError(ReadError::Class::malformed, name_ + ": vnnlib.unbounded: X_" + std::to_string(i) + " has no " +
                                                     (slots_[i].lo ? "upper" : "lower") +
                                                     " bound in some case, expected two bounds of every " +
                                                     "input, found " + std::to_string(missing) + " inputs without");
  }

  void add_case() {
    Case next;
    next.box = box();
    std::vector<std::uint32_t> rows;  // in file order
    std::merge(common_rows_.begin(), common_rows_.end(), own_rows_.begin(), own_rows_.end(), std::back_inserter(rows));
    spend(sizeof(Case) + rows.size() * sizeof(Row));
    next.rows.reserve(rows.size());
    for (std::uint32_t r : rows) {
      next.rows.push_back(given_.rows[r]);
      spend(next.rows.back().constant.bits() / 8);
      for (const auto& term : next.rows.back().terms) spend(sizeof(term) + term.second.bits() / 8);
    }
    property_.cases.push_back(std::move(next));
  }

  // Equal for equal values, without ambiguity.
  static std::string key_of(const Fraction& f) {
    return f.m.decimal() + "*2^" + std::to_string(f.e) + "/" + f.over.decimal();
  }

  // Two boxes are equal when they differ from the common one in the same inputs by the same ends. Only a tighter bound
  // replaces another, so an end that stayed the same in value is still the same object.
  std::uint32_t box() {
    std::sort(touched_.begin(), touched_.end());
    std::string key;
    for (std::uint32_t c : touched_) {
      const Slot& s = slots_[c];
      if (c >= property_.inputs || s == base_[c]) continue;
      key += std::to_string(c) + (s.lo_strict ? "(" : "[") + key_of(*s.lo) + "," + key_of(*s.hi) +
             (s.hi_strict ? ")" : "]");
    }
    spend(key.size());
    const std::uint32_t number = static_cast<std::uint32_t>(property_.boxes.size());
    const auto [at, fresh] = boxes_.emplace(std::move(key), number);
    if (!fresh) return at->second;
    spend(property_.inputs * sizeof(InputRange));
    std::vector<InputRange> ranges(property_.inputs);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const Slot& s = slots_[i];
      ranges[i] = {*s.lo, *s.hi, s.lo_strict, s.hi_strict};
      spend((length(*s.lo) + length(*s.hi)) / 8);
    }
    property_.boxes.push_back(std::move(ranges));
    return number;
  }

  void spend(std::uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ > limit(Limit::case_bytes)) over_limit(Limit::case_bytes);
  }

  [[noreturn]] void over_limit(Limit which) const {
    over(which, name_ + ": vnnlib.cases: the cases multiplied out are too large");
  }

  Assertions given_;
  const std::string& name_;
  Property property_;
  std::vector<Slot> slots_, base_;     // per column: in the current case, common to all cases
  std::vector<std::uint32_t> stamps_;  // per column: the last case that touched it
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> touched_, common_rows_, own_rows_;
  std::unordered_map<std::string, std::uint32_t> boxes_;
  std::uint64_t missing_ = 0, visits_ = 0, bytes_ = 0;
  bool empty_ = false;
};

}  // namespace

Property expand_cases(Assertions assertions, const std::string& name, std::uint64_t inputs, std::uint64_t outputs) {
  return Expansion(std::move(assertions), name, inputs, outputs).run();
}

}  // namespace outward_check
