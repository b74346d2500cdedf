// Bounds of the case under construction, see case_bounds.hpp.
#include "importers/vnnlib/case_bounds.hpp"

#include <algorithm>

namespace outward::vnnlib {
namespace {

constexpr std::size_t shown_inputs = 20;  // inputs without bounds listed by name

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// Sign of end(a) - end(b), where b·y + c <= 0 ends at -c/b.
int compare_ends(const Row& a, const Row& b) {
  const Integer& p = a.terms[0].second;
  const Integer& q = b.terms[0].second;
  const Integer left = -a.constant * q, right = -b.constant * p;
  const int order = left.compare(right);
  return (p > 0) == (q > 0) ? order : -order;
}

// Both bound the same side of the same output.
bool tighter(const Row& row, const Row& old) {
  const int order = compare_ends(row, old);
  if (order == 0) return row.strict && !old.strict;
  return (row.terms[0].second > 0) == (order < 0);
}

}  // namespace

std::uint64_t hash_of(const Difference& difference) {
  std::uint64_t h = 0;
  for (const auto& [input, range] : difference) {
    h = mix(h + input + 1);
    h = mix(h ^ static_cast<std::uint64_t>(range.lo.mantissa)) + static_cast<std::uint64_t>(range.lo.scale);
    h = mix(h ^ static_cast<std::uint64_t>(range.hi.mantissa)) + static_cast<std::uint64_t>(range.hi.scale);
    h +=
        (range.has_lo ? 1U : 0U) + (range.has_hi ? 2U : 0U) + (range.lo_strict ? 4U : 0U) + (range.hi_strict ? 8U : 0U);
  }
  return mix(h);
}

Box::Box(std::uint64_t inputs, const NumberPool& numbers)
    : numbers_(numbers), now_(inputs), touched_in_(inputs, 0), incomplete_(inputs) {}

void Box::make_common() {
  common_ = now_;
  common_emptied_input_ = emptied_input_;
  common_emptied_line_ = emptied_line_;
}

void Box::start_case() {
  for (std::uint32_t input : touched_) set(input, common_[input]);
  touched_.clear();
  emptied_input_ = common_emptied_input_;
  emptied_line_ = common_emptied_line_;
  ++case_;
}

void Box::apply(const Literal& literal) {
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

std::string Box::why_empty() const {
  const Range& range = now_[emptied_input_];
  return "line " + std::to_string(emptied_line_) + ": X_" + std::to_string(emptied_input_) + " has " +
         (range.lo_strict ? "strict " : "") + "lower bound " + short_text(range.lo) + " and " +
         (range.hi_strict ? "strict " : "") + "upper bound " + short_text(range.hi);
}

std::string Box::incomplete_inputs() const {
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const Range& range = now_[i];
    if (range.has_lo && range.has_hi) continue;
    if (shown++ == shown_inputs) return text + ", and others";
    text += (text.empty() ? "X_" : ", X_") + std::to_string(i) +
            (range.has_lo   ? " has no upper bound"
             : range.has_hi ? " has no lower bound"
                            : " has no bounds");
  }
  return text;
}

Difference Box::difference() {
  std::sort(touched_.begin(), touched_.end());
  Difference result;
  for (std::uint32_t input : touched_) {
    if (!(now_[input] == common_[input])) result.emplace_back(input, now_[input]);
  }
  return result;
}

bool Box::is_empty(const Range& range) const {
  if (!range.has_lo || !range.has_hi) return false;
  const int order = numbers_.compare(range.lo, range.hi);
  return order > 0 || (order == 0 && (range.lo_strict || range.hi_strict));
}

void Box::set(std::uint32_t input, const Range& range) {
  const Range& old = now_[input];
  if (!(old.has_lo && old.has_hi)) --incomplete_;
  if (!(range.has_lo && range.has_hi)) ++incomplete_;
  if (is_empty(old)) --empty_;
  if (is_empty(range)) ++empty_;
  now_[input] = range;
}

std::string Box::short_text(const Number& number) const {
  const std::string text = fraction_text(numbers_.value(number));
  return text.size() <= 40 ? text : text.substr(0, 40) + "…";
}

const Row* OutputBounds::add(const Row& row) {
  if (row.terms.size() != 1) return nullptr;
  Best& best = best_[row.terms[0].first];
  if (best.in_case != case_) best = Best{nullptr, nullptr, case_};
  const Row*& side = row.terms[0].second > 0 ? best.upper : best.lower;
  if (side == nullptr || tighter(row, *side)) side = &row;
  if (best.upper == nullptr || best.lower == nullptr) return nullptr;
  const int order = compare_ends(*best.lower, *best.upper);
  if (order < 0 || (order == 0 && !best.lower->strict && !best.upper->strict)) return nullptr;
  return side == best.upper ? best.lower : best.upper;
}

}  // namespace outward::vnnlib
