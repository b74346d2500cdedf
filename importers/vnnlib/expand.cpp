// Expansion of a formula into the cases of certificates/FORMAT.md section 4.
// Assumes: a formula as the parser builds it. Promises: alternatives in the order of section 4 (left to right, the
// rightmost factor fastest), one at a time and without recursion, so memory is that of the result; sizes are checked
// before the work starts. A case costs time in the bounds it changes, not in the number of inputs.
#include <algorithm>
#include <unordered_map>

#include "importers/vnnlib/case_bounds.hpp"
#include "importers/vnnlib/formula.hpp"
#include "importers/vnnlib/vnnlib.hpp"

namespace outward::vnnlib {
namespace {

constexpr std::size_t shown_dropped = 1000;  // empty cases listed one by one
class Expansion {
 public:
  Expansion(Formula& formula, Property& property)
      : formula_(formula), property_(property), box_(property.inputs, formula.numbers), outputs_(property.outputs) {}

  void run() {
    take_common_bounds();
    std::vector<const Row*> rows;
    for (std::uint64_t k = 0; k < formula_.root.cases; ++k) {
      box_.start_case();
      outputs_.start_case();
      rows.clear();
      std::string reason;
      collect(k, rows, reason);
      if (!box_.complete()) refuse_unbounded(k);
      if (reason.empty() && box_.empty()) reason = box_.why_empty();
      if (!reason.empty()) {
        drop(k, reason);
        continue;
      }
      Case result;
      result.box = box_number();
      result.rows.reserve(rows.size());
      for (const Row* row : rows) result.rows.push_back(*row);
      property_.cases.push_back(std::move(result));
    }
    if (dropped_ > shown_dropped) {
      property_.dropped.push_back("and " + std::to_string(dropped_ - shown_dropped) + " more empty cases");
    }
    property_.vacuous = property_.cases.empty();
    free_formula();
    write_boxes();
  }

 private:
  std::uint64_t cases_of(std::uint32_t child) const {
    return (child & node_bit) != 0 ? formula_.nodes[child & ~node_bit].cases : 1;
  }

  // Assertions that are single bounds hold in every case: applied once, and left out of the walk over each case.
  void take_common_bounds() {
    auto& root = formula_.root;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < root.count; ++i) {
      const std::uint32_t child = formula_.children[root.first + i];
      if ((child & node_bit) == 0) {
        const Literal& literal = formula_.literals[child];
        if (literal.kind == Literal::Kind::lower || literal.kind == Literal::Kind::upper) {
          box_.apply(literal);
          continue;
        }
      }
      formula_.children[root.first + kept++] = child;
    }
    root.count = kept;
    box_.make_common();
  }

  // The literals of alternative k in file order, by an explicit stack of (child, alternative of that child).
  void collect(std::uint64_t k, std::vector<const Row*>& rows, std::string& reason) {
    stack_.clear();
    push_conjunction(formula_.root, k);
    while (!stack_.empty()) {
      const auto [child, alternative] = stack_.back();
      stack_.pop_back();
      if ((child & node_bit) == 0) {
        apply(formula_.literals[child], rows, reason);
        continue;
      }
      const Node& node = formula_.nodes[child & ~node_bit];
      if (!node.disjunction) {
        push_conjunction(node, alternative);
        continue;
      }
      const auto begin = formula_.cases_before.begin() + node.first;
      const auto after = std::upper_bound(begin, begin + node.count, alternative);
      const auto chosen = static_cast<std::uint32_t>(after - begin) - 1;
      stack_.emplace_back(formula_.children[node.first + chosen], alternative - begin[chosen]);
    }
  }

  void push_conjunction(const Node& node, std::uint64_t k) {
    for (std::uint32_t i = node.count; i-- > 0;) {
      const std::uint32_t child = formula_.children[node.first + i];
      const std::uint64_t cases = cases_of(child);
      stack_.emplace_back(child, k % cases);
      k /= cases;
    }
  }

  void apply(const Literal& literal, std::vector<const Row*>& rows, std::string& reason) {
    switch (literal.kind) {
      case Literal::Kind::lower:
      case Literal::Kind::upper:
        box_.apply(literal);
        break;
      case Literal::Kind::row: {
        const Row& row = formula_.rows[literal.index];
        rows.push_back(&row);
        const Row* other = outputs_.add(row);
        if (other != nullptr && reason.empty()) {
          reason = "line " + std::to_string(row.line) + ": contradicts the bound on Y_" +
                   std::to_string(row.terms[0].first) + " in line " + std::to_string(other->line);
        }
        break;
      }
      case Literal::Kind::no:
        if (reason.empty()) reason = "line " + std::to_string(literal.line) + ": a comparison of constants is false";
        break;
      case Literal::Kind::yes:
      case Literal::Kind::unsupported:
        break;
    }
  }

  void drop(std::uint64_t k, const std::string& reason) {
    if (dropped_++ >= shown_dropped) return;
    property_.dropped.push_back("case " + std::to_string(k) + " of the file is empty: " + reason);
  }

  [[noreturn]] void refuse_unbounded(std::uint64_t k) {
    throw InputRefused(Blocker{"unbounded-input", property_.path,
                               "an input has no finite range in case " + std::to_string(k) + " of the file",
                               "a lower and an upper bound for every input in every case", box_.incomplete_inputs(),
                               "add the missing bounds"});
  }

  // The number of the current box among the distinct ones.
  std::uint32_t box_number() {
    Difference difference = box_.difference();
    const std::uint64_t hash = hash_of(difference);
    const auto [begin, end] = numbers_.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
      if (boxes_[entry->second] == difference) return entry->second;
    }
    if ((boxes_.size() + 1) * property_.inputs > vnnlib_limits::box_ends) {
      throw InputRefused(
          Blocker{"too-many-boxes", property_.path, "the distinct input boxes are over the size limit",
                  "inputs times boxes at most " + std::to_string(vnnlib_limits::box_ends),
                  std::to_string(boxes_.size() + 1) + " boxes of " + std::to_string(property_.inputs) + " inputs",
                  "split the property into several files"});
    }
    const auto number = static_cast<std::uint32_t>(boxes_.size());
    numbers_.emplace(hash, number);
    boxes_.push_back(std::move(difference));
    return number;
  }

  void free_formula() {
    formula_.literals = {};
    formula_.children = {};
    formula_.rows = {};
  }

  InputRange exact_range(const Range& range) const {
    InputRange result;
    if (range.has_lo) result.lo = formula_.numbers.value(range.lo);
    if (range.has_hi) result.hi = formula_.numbers.value(range.hi);
    result.lo_strict = range.lo_strict;
    result.hi_strict = range.hi_strict;
    return result;
  }

  void write_boxes() {
    if (boxes_.empty()) return;
    std::vector<InputRange> common;
    common.reserve(property_.inputs);
    for (const Range& range : box_.common()) common.push_back(exact_range(range));
    property_.boxes.reserve(boxes_.size());
    for (Difference& difference : boxes_) {
      property_.boxes.push_back(common);
      for (const auto& [input, range] : difference) property_.boxes.back()[input] = exact_range(range);
      difference = {};
    }
  }

  Formula& formula_;
  Property& property_;
  Box box_;
  OutputBounds outputs_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> stack_;
  std::vector<Difference> boxes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> numbers_;
  std::uint64_t dropped_ = 0;
};

}  // namespace

std::uint64_t literal_terms(const Formula& formula, const Literal& literal) {
  if (literal.kind != Literal::Kind::row) return 1;
  const Row& row = formula.rows[literal.index];
  std::uint64_t words = row.constant.is_zero() ? 0 : msb(abs(row.constant)) / 64;
  for (const auto& term : row.terms) words += 1 + msb(abs(term.second)) / 64;
  return 1 + words;
}

void expand(Formula&& formula, Property& property) { Expansion(formula, property).run(); }

}  // namespace outward::vnnlib
