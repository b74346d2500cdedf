// From the parsed assertions to boxes and cases. Assumes that every column below inputs + outputs
// is declared. Promises the cases of FORMAT.md section 4 in its order, at a cost per case that
// depends on the atoms of the chosen alternatives, not on the number of inputs.
#include <algorithm>

#include "checker/readers/readers.hpp"
#include "checker/readers/vnnlib_formula.hpp"

namespace outward_check {

namespace {

using Kind = Atom::Kind;

constexpr std::uint64_t max_property_bytes = std::uint64_t{2} << 30;
constexpr std::uint64_t max_visits = std::uint64_t{1} << 30;

struct Slot {
  std::uint32_t lo = none, hi = none;  // numbers
  bool lo_strict = false, hi_strict = false;
  bool complete() const { return lo != none && hi != none; }
  bool operator==(const Slot&) const = default;
};

class Expansion {
 public:
  Expansion(const Formula& formula, const std::string& name, std::uint64_t inputs,
            std::uint64_t outputs)
      : formula_(formula), name_(name), slots_(inputs + outputs), stamps_(inputs + outputs) {
    property_.inputs = inputs, property_.outputs = outputs;
  }

  Property run() {
    const auto& factors = formula_.factors;
    for (const AtomRange& range : formula_.common) apply(range, &common_rows_);
    const bool common_empty = empty_;
    base_ = slots_;
    for (std::size_t i = 0; i < property_.inputs; ++i) missing_ += !base_[i].complete();
    std::vector<std::size_t> chosen(factors.size());
    for (bool more = true; more; more = advance(&chosen)) {
      ++stamp_, touched_.clear(), own_rows_.clear();
      empty_ = common_empty;
      for (std::size_t f = 0; f < chosen.size(); ++f) {
        std::size_t r = chosen[f] == 0 ? 0 : factors[f].ends[chosen[f] - 1];
        for (; r < factors[f].ends[chosen[f]]; ++r) apply(factors[f].ranges[r], &own_rows_);
      }
      check_complete();
      empty_ ? void(++property_.dropped) : add_case();
      for (std::uint32_t column : touched_) slots_[column] = base_[column];
    }
    property_.vacuous = property_.cases.empty();
    return std::move(property_);
  }

 private:
  // The rightmost factor varies fastest.
  bool advance(std::vector<std::size_t>* chosen) const {
    for (std::size_t f = chosen->size(); f-- > 0;) {
      if (++(*chosen)[f] < formula_.factors[f].ends.size()) return true;
      (*chosen)[f] = 0;
    }
    return false;
  }

  void apply(const AtomRange& range, std::vector<std::uint32_t>* rows) {
    visits_ += range.last - range.first;
    if (visits_ > max_visits) fail_limit("comparisons", max_visits);
    for (std::uint32_t a = range.first; a < range.last; ++a) {
      const Atom& atom = formula_.atoms[a];
      if (atom.kind == Kind::row) rows->push_back(atom.index);
      if (atom.kind == Kind::never) empty_ = true;
      if (atom.kind == Kind::lower || atom.kind == Kind::upper) tighten(atom);
    }
  }

  // The greatest lower and the least upper bound count, a strict one before an equal other.
  void tighten(const Atom& atom) {
    Slot& slot = slots_[atom.index];
    if (stamps_[atom.index] != stamp_) stamps_[atom.index] = stamp_, touched_.push_back(atom.index);
    const Numbers& numbers = formula_.numbers;
    const bool upper = atom.kind == Kind::upper;
    std::uint32_t& end = upper ? slot.hi : slot.lo;
    bool& strict = upper ? slot.hi_strict : slot.lo_strict;
    const int order = end == none ? 1 : numbers.compare(atom.value, end) * (upper ? -1 : 1);
    if (order > 0) end = atom.value, strict = atom.strict;
    if (order == 0) strict = strict || atom.strict;
    if (!slot.complete()) return;
    const int gap = numbers.compare(slot.lo, slot.hi);
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
    const std::string side = slots_[i].lo != none ? "upper" : "lower";
    throw ReadError(ReadError::Class::malformed,
                    name_ + ": vnnlib.unbounded: X_" + std::to_string(i) + " has no " + side +
                        " bound in some case, expected two bounds of every input, found " +
                        std::to_string(missing) + " inputs without");
  }

  void add_case() {
    Case next;
    next.box = box();
    std::vector<std::uint32_t> rows;  // in file order
    std::merge(common_rows_.begin(), common_rows_.end(), own_rows_.begin(), own_rows_.end(),
               std::back_inserter(rows));
    spend(sizeof(Case) + rows.size() * sizeof(Row));
    next.rows.reserve(rows.size());
    for (std::uint32_t r : rows) {
      next.rows.push_back(formula_.rows[r]);
      spend(next.rows.back().constant.bits() / 8);
      for (const auto& term : next.rows.back().terms) spend(sizeof(term) + term.second.bits() / 8);
    }
    property_.cases.push_back(std::move(next));
  }

  // Two boxes are equal when they differ from the common one in the same inputs by the same ends.
  std::uint32_t box() {
    std::sort(touched_.begin(), touched_.end());
    std::string key;
    for (std::uint32_t c : touched_) {
      const Slot& s = slots_[c];
      if (c >= property_.inputs || s == base_[c]) continue;
      const std::uint32_t words[4] = {c, s.lo, s.hi, s.lo_strict * 2u + s.hi_strict};
      key.append(reinterpret_cast<const char*>(words), sizeof(words));
    }
    if (key.size() >= 64) {  // 64 digits; shorter keys stand for themselves
      key = sha256_hex(reinterpret_cast<const std::uint8_t*>(key.data()), key.size());
    }
    const std::uint32_t number = static_cast<std::uint32_t>(property_.boxes.size());
    const auto [at, fresh] = boxes_.try_emplace(key, number);
    if (!fresh) return at->second;
    spend(property_.inputs * sizeof(InputRange));
    std::vector<InputRange> ranges(property_.inputs);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const Slot& s = slots_[i];
      ranges[i] = {formula_.numbers[s.lo], formula_.numbers[s.hi], s.lo_strict, s.hi_strict};
      for (const Fraction* end : {&ranges[i].lo, &ranges[i].hi}) {
        spend((end->numerator.bits() + end->denominator.bits()) / 8);
      }
    }
    property_.boxes.push_back(std::move(ranges));
    return number;
  }

  void spend(std::uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ > max_property_bytes) fail_limit("bytes", max_property_bytes);
  }

  [[noreturn]] void fail_limit(const std::string& unit, std::uint64_t limit) const {
    throw ReadError(ReadError::Class::limit, name_ +
                                                 ": vnnlib.cases: the cases multiplied out are "
                                                 "too large, limit " +
                                                 std::to_string(limit) + " " + unit);
  }

  const Formula& formula_;
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

std::uint32_t Numbers::id(const Fraction& value) {
  if (values_.size() >= table_.size() / 2) {
    table_.assign(std::max<std::size_t>(64, table_.size() * 2), none);
    for (std::uint32_t i = 0; i < values_.size(); ++i) *place(values_[i]) = i;
  }
  std::uint32_t* const entry = place(value);
  if (*entry == none) {
    *entry = static_cast<std::uint32_t>(values_.size());
    values_.push_back(value);
  }
  return *entry;
}

// The table entry of the value, or the free one where it belongs. Long numbers hash by length only.
std::uint32_t* Numbers::place(const Fraction& value) {
  std::uint64_t hash = 0;
  for (const BigInt* part : {&value.numerator, &value.denominator}) {
    std::int64_t m = 0;
    if (!part->fits_int64(&m)) m = static_cast<std::int64_t>(part->bits());
    hash = (hash ^ static_cast<std::uint64_t>(m)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  for (std::size_t i = hash;; ++i) {
    std::uint32_t* const entry = &table_[i & (table_.size() - 1)];
    if (*entry == none || values_[*entry] == value) return entry;
  }
}

Property expand_cases(const Formula& formula, const std::string& name, std::uint64_t inputs,
                      std::uint64_t outputs) {
  return Expansion(formula, name, inputs, outputs).run();
}

}  // namespace outward_check
