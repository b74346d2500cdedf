// Expansion of a formula into the cases of certificates/FORMAT.md section 4.
// Assumes: a formula as the parser builds it. Promises: alternatives in the order of section 4 (left to right, the
// rightmost factor fastest), one at a time and without recursion, so memory is that of the result; sizes are checked
// before the work starts. A case costs time in the bounds it changes, not in the number of inputs.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "importers/vnnlib/formula.hpp"
#include "importers/vnnlib/vnnlib.hpp"

namespace outward::vnnlib {
namespace {

constexpr std::size_t shown_dropped = 1000;  // empty cases listed one by one
constexpr std::size_t shown_inputs = 20;     // inputs without bounds listed by name

// Bounds of one input; has_* false: unbounded.
struct Range {
  Number lo, hi;
  bool has_lo = false, has_hi = false, lo_strict = false, hi_strict = false;
  bool operator==(const Range&) const = default;
};

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::uint64_t hash_of(std::uint32_t input, const Range& range) {
  std::uint64_t h = mix(input + 1);
  h = mix(h ^ static_cast<std::uint64_t>(range.lo.mantissa)) + static_cast<std::uint64_t>(range.lo.scale);
  h = mix(h ^ static_cast<std::uint64_t>(range.hi.mantissa)) + static_cast<std::uint64_t>(range.hi.scale);
  return mix(h + (range.has_lo ? 1U : 0U) + (range.has_hi ? 2U : 0U) + (range.lo_strict ? 4U : 0U) +
             (range.hi_strict ? 8U : 0U));
}

// The inputs of a box that differ from the bounds common to all cases, in increasing order.
using Difference = std::vector<std::pair<std::uint32_t, Range>>;

// The bounds of the case under construction.
class Box {
 public:
  Box(std::uint64_t inputs, const NumberPool& numbers) : numbers_(numbers), now_(inputs), touched_in_(inputs, 0) {
    incomplete_ = inputs;
  }

  // Everything applied so far counts for every case.
  void make_common() {
    common_ = now_;
    common_emptied_input_ = emptied_input_;
    common_emptied_line_ = emptied_line_;
  }

  void start_case() {
    for (std::uint32_t input : touched_) set(input, common_[input]);
    touched_.clear();
    emptied_input_ = common_emptied_input_;
    emptied_line_ = common_emptied_line_;
    ++case_;
  }

  void apply(const Literal& literal) {
    Range range = now_[literal.index];
    if (literal.kind == Literal::Kind::lower) {
      const int order = range.has_lo ? numbers_.compare(literal.value, range.lo) : 1;
      if (order < 0 || (order == 0 && !literal.strict)) return;
      range.has_lo = true;
      range.lo = literal.value;
      range.lo_strict = literal.strict;
    } else {
      const int order = range.has_hi ? numbers_.compare(literal.value, range.hi) : -1;
      if (order > 0 || (order == 0 && !literal.strict)) return;
      range.has_hi = true;
      range.hi = literal.value;
      range.hi_strict = literal.strict;
    }
    if (touched_in_[literal.index] != case_) {
      touched_in_[literal.index] = case_;
      touched_.push_back(literal.index);
    }
    const bool was_empty = is_empty(now_[literal.index]);
    set(literal.index, range);
    if (!was_empty && is_empty(range)) {
      emptied_input_ = literal.index;
      emptied_line_ = literal.line;
    }
  }

  bool complete() const { return incomplete_ == 0; }
  bool empty() const { return empty_ != 0; }

  std::string why_empty() const {
    const Range& range = now_[emptied_input_];
    return "line " + std::to_string(emptied_line_) + ": X_" + std::to_string(emptied_input_) + " has " +
           (range.lo_strict ? "strict " : "") + "lower bound " + short_text(range.lo) + " and " +
           (range.hi_strict ? "strict " : "") + "upper bound " + short_text(range.hi);
  }

  std::string incomplete_inputs() const {
    std::string text;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const Range& range = now_[i];
      if (range.has_lo && range.has_hi) continue;
      if (shown++ == shown_inputs) return text + ", and others";
      text += (text.empty() ? "X_" : ", X_") + std::to_string(i) +
              (range.has_lo ? " has no upper bound" : range.has_hi ? " has no lower bound" : " has no bounds");
    }
    return text;
  }

  Difference difference() {
    std::sort(touched_.begin(), touched_.end());
    Difference result;
    for (std::uint32_t input : touched_) {
      if (!(now_[input] == common_[input])) result.emplace_back(input, now_[input]);
    }
    return result;
  }

  const std::vector<Range>& common() const { return common_; }

 private:
  bool is_empty(const Range& range) const {
    if (!range.has_lo || !range.has_hi) return false;
    const int order = numbers_.compare(range.lo, range.hi);
    return order > 0 || (order == 0 && (range.lo_strict || range.hi_strict));
  }
  void set(std::uint32_t input, const Range& range) {
    const Range& old = now_[input];
    if (!(old.has_lo && old.has_hi)) --incomplete_;
    if (!(range.has_lo && range.has_hi)) ++incomplete_;
    if (is_empty(old)) --empty_;
    if (is_empty(range)) ++empty_;
    now_[input] = range;
  }
  std::string short_text(const Number& number) const {
    const std::string text = fraction_text(numbers_.value(number));
    return text.size() <= 40 ? text : text.substr(0, 40) + "…";
  }

  const NumberPool& numbers_;
  std::vector<Range> now_, common_;
  std::vector<std::uint64_t> touched_in_;
  std::vector<std::uint32_t> touched_;
  std::uint64_t case_ = 1;
  std::uint64_t incomplete_ = 0, empty_ = 0;
  std::uint32_t emptied_input_ = 0, emptied_line_ = 0;  // the last bound that left an input without a value
  std::uint32_t common_emptied_input_ = 0, common_emptied_line_ = 0;
};

// Bounds that the single-output rows of one case put on each output.
class OutputBounds {
 public:
  explicit OutputBounds(std::uint64_t outputs) : best_(outputs) {}

  void start_case() { ++case_; }

  // The row that contradicts this one, if any.
  const Row* add(const Row& row) {
    if (row.terms.size() != 1) return nullptr;
    Best& best = best_[row.terms[0].first];
    if (best.in_case != case_) best = Best{nullptr, nullptr, case_};
    const Row*& side = row.terms[0].second > 0 ? best.upper : best.lower;
    if (side == nullptr || tighter(row, *side)) side = &row;
    if (best.upper == nullptr || best.lower == nullptr) return nullptr;
    const int order = compare_ends(*best.lower, *best.upper);
    if (order > 0 || (order == 0 && (best.lower->strict || best.upper->strict))) {
      return side == best.upper ? best.lower : best.upper;
    }
    return nullptr;
  }

 private:
  struct Best {
    const Row* lower = nullptr;
    const Row* upper = nullptr;
    std::uint64_t in_case = 0;
  };

  // Sign of end(a) - end(b), where b·y + c <= 0 ends at -c/b.
  static int compare_ends(const Row& a, const Row& b) {
    const Integer& p = a.terms[0].second;
    const Integer& q = b.terms[0].second;
    const Integer left = -a.constant * q, right = -b.constant * p;
    const int order = left.compare(right);
    return (p > 0) == (q > 0) ? order : -order;
  }
  static bool tighter(const Row& row, const Row& old) {
    const int order = compare_ends(row, old);
    if (order == 0) return row.strict && !old.strict;
    return (row.terms[0].second > 0) == (order < 0);
  }

  std::vector<Best> best_;
  std::uint64_t case_ = 0;
};

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
      case Literal::Kind::upper: box_.apply(literal); break;
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
      case Literal::Kind::unsupported: break;
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
    std::uint64_t hash = 0;
    for (const auto& [input, range] : difference) hash += hash_of(input, range);
    const auto [begin, end] = numbers_.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
      if (boxes_[entry->second] == difference) return entry->second;
    }
    if ((boxes_.size() + 1) * property_.inputs > vnnlib_limits::box_ends) {
      throw InputRefused(Blocker{"too-many-boxes", property_.path, "the distinct input boxes are over the size limit",
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
